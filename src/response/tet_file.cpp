// Tetrahedra as TetGen and Gmsh write them.
#include "response/mesh_file.h"

#include <charconv>
#include <cmath>
#include <map>

namespace moraine
{

namespace
{

// Words of a text, one after the other; `#` begins a comment.
class Words
{
public:
    explicit Words(std::string_view text) : text_(text) {}

    std::string_view next()
    {
        while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == '#'))
        {
            if (text_[at_] == '#')
                skip_line();
            else
                ++at_;
        }
        const size_t begin = at_;
        while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != '#')
            ++at_;
        return text_.substr(begin, at_ - begin);
    }
    void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
    double number()
    {
        const std::string_view word = next();
        double value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        is_good_ &= error == std::errc() && end == word.data() + word.size() && !word.empty() && std::isfinite(value);
        return is_good_ ? value : 0;
    }
    // A whole number from `lower` to `upper`.
    int64_t whole(int64_t lower, int64_t upper)
    {
        const double value = number();
        is_good_ &= value >= double(lower) && value <= double(upper) && value == std::floor(value);
        return is_good_ ? int64_t(value) : lower;
    }
    void seek(std::string_view heading)
    {
        const size_t found = text_.find(heading);
        is_good_ &= found != std::string_view::npos;
        at_ = is_good_ ? found + heading.size() : text_.size();
    }
    bool has(std::string_view heading) const { return text_.find(heading) != std::string_view::npos; }
    // How many things follow: each takes at least two bytes, so that no count can ask for more than the file has.
    int64_t count() { return whole(0, int64_t(text_.size() / 2)); }
    bool is_good() const { return is_good_; }

private:
    static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

    std::string_view text_;
    size_t at_ = 0;
    bool is_good_ = true;
};

constexpr int64_t largest = int64_t(1) << 40;
constexpr int gmsh_tet = 4, gmsh_quadratic_tet = 11;

struct Tags // nodes may have any numbers
{
    std::map<int64_t, int> index{};
    bool is_complete = true;

    int operator[](int64_t tag)
    {
        const auto found = index.find(tag);
        is_complete &= found != index.end();
        return found == index.end() ? 0 : found->second;
    }
};

DVec3 point(Words& words)
{
    const double x = words.number(), y = words.number(), z = words.number();
    return {x, y, z};
}

int nodes_of_gmsh(int64_t type)
{
    static constexpr int counts[] = {0, 2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1};
    return type >= 1 && type <= 15 ? counts[type] : 0;
}

void read_msh2(Words& words, TetMesh& mesh, Tags& tags)
{
    words.seek("$Nodes");
    for (int64_t i = 0, count = words.count(); i < count && words.is_good(); ++i)
    {
        tags.index[words.whole(0, largest)] = int(mesh.nodes.size());
        mesh.nodes.push_back(point(words));
    }
    words.seek("$Elements");
    for (int64_t i = 0, count = words.count(); i < count && words.is_good(); ++i)
    {
        words.whole(0, largest);
        const int64_t type = words.whole(0, 200);
        for (int64_t k = 0, tag_count = words.whole(0, 100); k < tag_count; ++k)
            words.number();
        if (type == gmsh_tet || type == gmsh_quadratic_tet)
        {
            std::array<int, 4> tet{};
            for (int& node : tet)
                node = tags[words.whole(0, largest)];
            mesh.tets.push_back(tet);
        }
        words.skip_line();
    }
}

void read_msh4(Words& words, TetMesh& mesh, Tags& tags)
{
    words.seek("$Nodes");
    const int64_t blocks = words.count();
    for (int k = 0; k < 3; ++k)
        words.number();
    for (int64_t b = 0; b < blocks && words.is_good(); ++b)
    {
        words.number(), words.number();
        const bool is_parametric = words.whole(0, 1) == 1;
        const int64_t count = words.count();
        std::vector<int64_t> block;
        for (int64_t i = 0; i < count && words.is_good(); ++i)
            block.push_back(words.whole(0, largest));
        for (size_t i = 0; i < block.size() && words.is_good(); ++i)
        {
            tags.index[block[i]] = int(mesh.nodes.size());
            mesh.nodes.push_back(point(words));
            if (is_parametric)
                words.skip_line();
        }
    }
    words.seek("$Elements");
    const int64_t element_blocks = words.count();
    for (int k = 0; k < 3; ++k)
        words.number();
    for (int64_t b = 0; b < element_blocks && words.is_good(); ++b)
    {
        words.number(), words.number();
        const int64_t type = words.whole(0, 200), count = words.count();
        for (int64_t i = 0; i < count && words.is_good(); ++i)
        {
            words.whole(0, largest);
            std::array<int, 4> tet{};
            const int nodes = nodes_of_gmsh(type);
            for (int k = 0; k < nodes; ++k)
            {
                const int64_t tag = words.whole(0, largest);
                if (k < 4 && (type == gmsh_tet || type == gmsh_quadratic_tet))
                    tet[size_t(k)] = tags[tag];
            }
            if (nodes == 0)
                words.skip_line();
            if (type == gmsh_tet || type == gmsh_quadratic_tet)
                mesh.tets.push_back(tet);
        }
    }
}

Result<TetMesh> finished(TetMesh mesh, const Words& words, const Tags& tags, const std::string& name)
{
    if (!words.is_good())
        return Error{name + ": is not what it should be after tetrahedron " + std::to_string(mesh.tets.size()) +
                     " and node " + std::to_string(mesh.nodes.size()) + ", or is cut off; mesh the body again"};
    if (!tags.is_complete)
        return Error{name + ": a tetrahedron refers to a node that does not exist; mesh the body again"};
    if (mesh.tets.empty())
        return Error{name + ": has no tetrahedra; mesh the volume, not only its surface"};
    return mesh;
}

} // namespace

Result<TetMesh> read_tetgen(std::string_view node_text, std::string_view element_text, const std::string& name)
{
    TetMesh mesh;
    Tags tags;
    Words nodes(node_text);
    const int64_t node_count = nodes.count();
    if (nodes.whole(2, 3) != 3)
        return Error{name + ": its nodes have two coordinates; a body needs three"};
    const int64_t extra = nodes.whole(0, 1000) + nodes.whole(0, 1);
    for (int64_t i = 0; i < node_count && nodes.is_good(); ++i)
    {
        tags.index[nodes.whole(0, largest)] = int(i);
        mesh.nodes.push_back(point(nodes));
        for (int64_t k = 0; k < extra; ++k)
            nodes.number();
    }
    if (!nodes.is_good())
        return finished(std::move(mesh), nodes, tags, name);

    Words elements(element_text);
    const int64_t count = elements.count(), corners = elements.whole(4, 10), attributes = elements.whole(0, 1000);
    for (int64_t i = 0; i < count && elements.is_good(); ++i)
    {
        elements.whole(0, largest);
        std::array<int, 4> tet{};
        for (int64_t k = 0; k < corners + attributes; ++k)
        {
            if (k >= 4)
                elements.number();
            else
                tet[size_t(k)] = tags[elements.whole(0, largest)];
        }
        mesh.tets.push_back(tet);
    }
    return finished(std::move(mesh), elements, tags, name);
}

Result<TetMesh> read_msh(std::string_view bytes, const std::string& name)
{
    TetMesh mesh;
    Tags tags;
    Words words(bytes);
    words.seek("$MeshFormat");
    const double version = words.number();
    const bool is_binary = words.whole(0, 1) == 1;
    if (!words.is_good())
        return Error{name + ": is not a Gmsh file; export it again"};
    if (is_binary || !(version >= 2 && version < 3) == !(version >= 4.1 && version < 5))
        return Error{name + ": is binary or of an unknown version; save it as text, format 2.2 or 4.1"};
    if (version < 3)
        read_msh2(words, mesh, tags);
    else
        read_msh4(words, mesh, tags);
    return finished(std::move(mesh), words, tags, name);
}

} // namespace moraine
