// Runs the built command the way a script does.
#pragma once

#include <string>
#include <vector>

namespace moraine::test
{

struct Answer
{
    int exit_code = -1;
    std::string out{};
    std::string err{};
};

// False where only the library was built: then there is nothing to test.
bool has_binary();

// Runs `moraine` with these arguments in `folder`.
Answer run_moraine(const std::vector<std::string>& arguments, const std::string& folder);

// The same, and SIGINT once it has run for this long.
Answer interrupt_moraine(const std::vector<std::string>& arguments, const std::string& folder, int milliseconds);

std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

// A folder of its own for a test, gone when the test is over.
class ScratchFolder
{
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

} // namespace moraine::test
