#include "response/model_file.h"

#include "base/archive.h"
#include "base/hash.h"

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace moraine
{

namespace
{

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

constexpr uint64_t magic = 0x534544'4f4d524dull; // "MRMODES"
constexpr uint32_t file_version = 1;
constexpr std::uintmax_t size_limit = 2u << 30;

uint64_t hash_of(std::span<const uint8_t> bytes)
{
    Hash hash;
    size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8)
    {
        uint64_t word = 0;
        std::memcpy(&word, &bytes[at], 8);
        hash.add(word);
    }
    for (; at < bytes.size(); ++at)
        hash.add(bytes[at]);
    return hash.value();
}

template <class A>
void archive_model(A& a, ResponseModel& model)
{
    ElasticMaterial& m = model.material;
    for (double* number : {&m.young, &m.poisson, &m.density, &m.alpha0, &m.alpha1})
        a(*number);
    uint8_t is_fixed = model.has_fixed_boundary;
    a(is_fixed);
    model.has_fixed_boundary = is_fixed != 0;
    Attenuation& s = model.attenuation;
    for (float* number : {&model.mass, &model.amplitude_duration, &s.alpha, &s.beta, &s.reference_distance, &s.scale})
        a(*number);
    a(model.vertices);
    a(model.triangles);
    a(model.frequencies);
    a(model.shapes);
    a(model.amplitude);
}

bool are_finite(std::span<const Vec3> values)
{
    for (const Vec3& v : values)
        if (!is_finite(v))
            return false;
    return true;
}

bool are_positive(std::span<const float> values)
{
    for (const float v : values)
        if (!std::isfinite(v) || v < 0)
            return false;
    return true;
}

} // namespace

std::string check_response_model(const ResponseModel& model)
{
    const ElasticMaterial& m = model.material;
    if (!(m.young > 0) || !(m.density > 0) || !(m.poisson > -1 && m.poisson < 0.5) || !(m.alpha0 >= 0) ||
        !(m.alpha1 >= 0) || !std::isfinite(m.young + m.density + m.alpha0 + m.alpha1))
        return "the material makes no sense";
    const Attenuation& s = model.attenuation;
    if (!std::isfinite(s.alpha + s.beta + s.scale + s.reference_distance) || !(s.reference_distance > 0))
        return "the attenuation makes no sense";
    if (!(model.mass > 0) || !std::isfinite(model.mass) || !(model.amplitude_duration > 0) ||
        !std::isfinite(model.amplitude_duration))
        return "mass or duration is not a positive number";
    if (model.vertices.empty() || model.triangles.empty() || model.frequencies.empty())
        return "it has no surface or no modes";
    if (model.shapes.size() != model.vertices.size() * model.frequencies.size() ||
        model.amplitude.size() != model.vertices.size())
        return "its lists are not as long as they must be";
    for (const auto& triangle : model.triangles)
        for (const uint32_t corner : triangle)
            if (corner >= model.vertices.size())
                return "a triangle refers to a vertex that does not exist";
    if (!are_finite(model.vertices) || !are_finite(model.shapes) || !are_positive(model.amplitude) ||
        !are_positive(model.frequencies))
        return "a number is not finite or is negative";
    for (size_t i = 0; i < model.frequencies.size(); ++i)
        if (model.frequencies[i] <= (i > 0 ? 0.999f * model.frequencies[i - 1] : 0.0f))
            return "its frequencies are not ascending";
    return "";
}

// Magic, version, hash of the rest, the rest.
std::vector<uint8_t> with_right_head(std::span<const uint8_t> body)
{
    std::vector<uint8_t> bytes;
    WriteArchive write(bytes);
    const uint64_t hash = hash_of(body);
    write(magic);
    write(file_version);
    write(hash);
    bytes.insert(bytes.end(), body.begin(), body.end());
    return bytes;
}

std::vector<uint8_t> to_bytes(const ResponseModel& model)
{
    std::vector<uint8_t> body;
    WriteArchive write(body);
    archive_model(write, const_cast<ResponseModel&>(model)); // a writer only reads
    return with_right_head(body);
}

Result<ResponseModel> response_model_from_bytes(std::span<const uint8_t> bytes, const std::string& name)
{
    ReadArchive read(bytes);
    uint64_t found_magic = 0, found_hash = 0;
    uint32_t found_version = 0;
    read(found_magic);
    read(found_version);
    read(found_hash);
    if (bytes.size() >= 8 && found_magic != magic)
        return Error{name + ": is not a response model; make one with moraine modes"};
    if (bytes.size() >= 12 && found_version != file_version)
        return Error{name + ": is a response model of version " + std::to_string(found_version) + ", this is " +
                     std::to_string(file_version) + "; make it again with moraine modes"};
    if (!read.is_good() || hash_of(bytes.last(read.left())) != found_hash)
        return Error{name + ": is cut off or damaged; make it again with moraine modes"};
    ResponseModel model;
    archive_model(read, model);
    if (!read.is_good() || read.left() != 0)
        return Error{name + ": is damaged; make it again with moraine modes"};
    const std::string problem = check_response_model(model);
    if (!problem.empty())
        return Error{name + ": " + problem + "; make it again with moraine modes"};
    return model;
}

Result<ResponseModel> load_response_model(const std::string& path)
{
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    std::ifstream in(path, std::ios::binary);
    if (error || !in)
        return Error{path + ": cannot be read; check that the file exists"};
    if (size > size_limit)
        return Error{path + ": is larger than 2 GB, no response model is"};
    std::vector<uint8_t> bytes(size);
    in.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(size));
    if (!in)
        return Error{path + ": cannot be read to its end"};
    return response_model_from_bytes(bytes, path);
}

// Written beside and then renamed, so that nobody reads half a file.
Status save_response_model(const ResponseModel& model, const std::string& path)
{
    const std::string problem = check_response_model(model);
    if (!problem.empty())
        return Error{path + ": not saved: " + problem};
    const std::vector<uint8_t> bytes = to_bytes(model);
    const std::string beside = path + ".part";
    {
        std::ofstream out(beside, std::ios::binary);
        out.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
        if (!out.flush())
            return Error{path + ": cannot be written; check the folder and the space on the disk"};
    }
    std::error_code error;
    std::filesystem::rename(beside, path, error);
    if (error)
        return Error{path + ": cannot be written: " + error.message()};
    return Ok{};
}

} // namespace moraine
