#include "cli/command.h"

#include "support/paths.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace moraine::test
{

namespace
{

void redirect(const std::string& path, int descriptor)
{
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, descriptor);
    close(file);
}

pid_t start(const std::vector<std::string>& arguments, const std::string& folder, const ScratchFolder& output)
{
    std::vector<std::string> words{"moraine"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);

    const std::string binary = command_path();
    const pid_t child = fork();
    if (child != 0)
        return child;
    redirect(output.file("out"), STDOUT_FILENO);
    redirect(output.file("err"), STDERR_FILENO);
    if (chdir(folder.c_str()) == 0)
        execv(binary.c_str(), pointers.data());
    _exit(127);
}

Answer finish(pid_t child, const ScratchFolder& output)
{
    int status = 0;
    waitpid(child, &status, 0);
    Answer answer;
    answer.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    answer.out = read_text(output.file("out"));
    answer.err = read_text(output.file("err"));
    return answer;
}

} // namespace

bool has_binary() { return !command_path().empty(); }

Answer run_moraine(const std::vector<std::string>& arguments, const std::string& folder)
{
    const ScratchFolder output;
    return finish(start(arguments, folder, output), output);
}

Answer interrupt_moraine(const std::vector<std::string>& arguments, const std::string& folder, int milliseconds)
{
    const ScratchFolder output;
    const pid_t child = start(arguments, folder, output);
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    kill(child, SIGINT);
    return finish(child, output);
}

std::string read_text(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_text(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

ScratchFolder::ScratchFolder()
{
    std::string pattern = (std::filesystem::temp_directory_path() / "moraine_cli_XXXXXX").string();
    path_ = mkdtemp(pattern.data()) != nullptr ? pattern : std::string();
}

ScratchFolder::~ScratchFolder()
{
    std::error_code problem;
    if (!path_.empty())
        std::filesystem::remove_all(path_, problem);
}

} // namespace moraine::test
