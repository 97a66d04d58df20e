/// @file
/// @brief Checks of files that programs write and read, and of names that they print.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../bench/histogram_report.hpp"
#include "../bench/output_file.hpp"
#include "../bench/visible.hpp"
#include "../problem/file.hpp"
#include "catch.hpp"
#include "folder.hpp"

namespace outputs_detail {

/// Runs work in a new process. @return The process's id.
inline pid_t start(const std::function<void()>& work) {
    const pid_t child = fork();
    if (child != 0) return child;
    try {
        work();
    } catch (const std::exception& error) {
        _exit(1);
    }
    _exit(0);
}

/// @return How a process ended, as `waitpid` reports it.
inline int end_of(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

/// @return The text that work prints to a stream in a new process.
inline std::string printed(std::FILE* stream, const std::function<void()>& work) {
    const Folder folder;
    const pid_t child = start([&] {
        if (std::freopen((folder / "out").c_str(), "w", stream) == nullptr) _exit(2);
        work();
        std::fflush(stream);
    });
    CHECK(end_of(child) == 0);
    return folder.read("out");
}

inline std::string refusal(const std::vector<NamedFile>& outputs, const NamedFile& input = {}) {
    return thrown_by([&] { require_outputs(outputs, input); });
}

}  // namespace outputs_detail

TEST_CASE("a replaced file keeps its permissions and owner, and a link to it stays") {
    const Folder folder;
    write_output(folder / "file", "before, and longer");
    if (geteuid() == 0) CHECK(chown((folder / "file").c_str(), 1, 1) == 0);
    chmod((folder / "file").c_str(), 0640);
    REQUIRE(symlink("file", (folder / "link").c_str()) == 0);
    REQUIRE(symlink("new", (folder / "to new").c_str()) == 0);
    write_output(folder / "link", std::string("a\0b", 3));
    write_output(folder / "to new", "made");
    CHECK(folder.read("file") == std::string("a\0b", 3));
    CHECK(folder.read("new") == "made");
    CHECK(folder.names() == std::vector<std::string>{"file", "link", "new", "to new"});
    CHECK(std::filesystem::is_symlink(folder / "link"));
    CHECK(std::filesystem::is_symlink(folder / "to new"));
    struct stat status {};
    stat((folder / "file").c_str(), &status);
    CHECK((status.st_mode & 0777) == 0640);
    CHECK(status.st_uid == (geteuid() == 0 ? 1 : geteuid()));
    const mode_t mask = umask(0);
    umask(mask);
    stat((folder / "new").c_str(), &status);
    CHECK((status.st_mode & 0777) == (0666 & ~mask));
}

TEST_CASE("a file is written through as many links as the system follows, and not through more") {
    const Folder folder;
    std::string link = "file";
    for (int k = 0; k < 41; ++k) {
        const std::string to = std::exchange(link, "link " + std::to_string(k));
        REQUIRE(symlink(to.c_str(), (folder / link).c_str()) == 0);
    }
    CHECK_THROWS_AS(write_output(folder / "link 40", "x"), std::runtime_error);
    for (const char* const text : {"new", "replaced"}) {
        write_output(folder / "link 39", text);
        CHECK(folder.read("file") == text);
    }
    CHECK(std::filesystem::is_symlink(folder / "link 0"));
}

TEST_CASE("a path to standard output or standard error leads to the stream, after what it has") {
    const Folder folder;
    write_output(folder / "file", "before");
    for (const auto& [stream, path] : {std::pair{stdout, "/dev/stdout"}, {stderr, "/dev/stderr"}})
        CHECK(outputs_detail::printed(stream, [&, to = stream, name = path] {
                  std::fputs("before", to);
                  write_output(name, "text");
                  write_output(folder / "file", "not there, although it is on the same device");
              }) == "before\ntext");
    CHECK(folder.read("file").find("not there") == 0);
}

TEST_CASE("a file is unchanged, and nothing else is left, if the disk is full or a signal ends the program") {
    const Folder folder;
    write_output(folder / "file", "before\n");
    static int ending;
    for (const int signal : {0, SIGXFSZ, SIGINT, SIGTERM, SIGHUP}) {
        ending = signal;
        const int status = outputs_detail::end_of(outputs_detail::start([&] {
            const rlimit little{100000, 100000};
            setrlimit(RLIMIT_FSIZE, &little);  // SIGXFSZ arrives during the write
            std::signal(signal, SIG_DFL);      // instead of Catch2's handlers
            if (signal != SIGXFSZ) std::signal(SIGXFSZ, [](int) { raise(ending); });
            append_to_output(folder / "file", "before", std::string(1000000, 'x'));
        }));
        if (signal == 0)
            CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 1));
        else
            CHECK((WIFSIGNALED(status) && WTERMSIG(status) == signal));
        CHECK(folder.read("file") == "before\n");
        CHECK(folder.names() == std::vector<std::string>{"file"});
    }
    CHECK_THROWS_AS(append_to_output(folder / "none/file", "", "x"), std::runtime_error);
}

TEST_CASE("lines that programs append at the same time all arrive, below one heading") {
    const Folder folder;
    std::array<pid_t, 4> children;
    for (pid_t& child : children)
        child = outputs_detail::start([&] {
            for (int k = 0; k < 50; ++k) append_to_output(folder / "file", "heading", "line\n");
        });
    for (const pid_t child : children) CHECK(outputs_detail::end_of(child) == 0);
    std::string expected = "heading\n";
    for (int k = 0; k < 200; ++k) expected += "line\n";
    CHECK(folder.read("file") == expected);
    write_output(folder / "file", "heading");  // without an end of line
    append_to_output(folder / "file", "heading", "line\n");
    CHECK(folder.read("file") == "heading\nline\n");
    CHECK_THROWS_AS(append_to_output(folder / "file", "other columns", "line\n"), std::runtime_error);
    CHECK(folder.read("file") == "heading\nline\n");
}

TEST_CASE("a file that has the name of the unfinished one, or a link, is neither used nor changed") {
    const Folder folder;
    write_output(folder / "other", "before");
    const std::string name = ".course-" + std::to_string(getpid()) + "-";
    REQUIRE(symlink("other", (folder / (name + "0.part")).c_str()) == 0);
    REQUIRE(symlink("nowhere", (folder / (name + "1.part")).c_str()) == 0);
    write_output(folder / "file", "written");
    CHECK(folder.read("file") == "written");
    CHECK(folder.read("other") == "before");
    CHECK(folder.names() == std::vector<std::string>{name + "0.part", name + "1.part", "file", "other"});
}

TEST_CASE("lines are written to a pipe") {
    const Folder folder;
    REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
    const pid_t child =
        outputs_detail::start([&] { append_to_output(folder / "pipe", "heading", "line\n"); });
    const std::vector<unsigned char> bytes = read_file(folder / "pipe", 100);
    CHECK(outputs_detail::end_of(child) == 0);
    CHECK(std::string(bytes.begin(), bytes.end()) == "heading\nline\n");
    CHECK(std::filesystem::is_fifo(folder / "pipe"));
}

TEST_CASE(
    "a file that can't be written, or is also read or written elsewhere, is rejected before anything runs") {
    using outputs_detail::refusal;
    const Folder folder;
    write_output(folder / "file", "before");
    REQUIRE(symlink("file", (folder / "link").c_str()) == 0);
    REQUIRE(symlink("self", (folder / "self").c_str()) == 0);
    REQUIRE(link((folder / "file").c_str(), (folder / "other name").c_str()) == 0);
    const std::string file = folder / "file";
    write_output(folder / "second", "");
    CHECK(refusal({{"csv", file}, {"bins", folder / "new"}}, {"file", folder / "nothing"}) == "");
    CHECK(refusal({{"csv", file}, {"bins", folder / "second"}}) == "");
    CHECK(refusal({{"csv", folder / "new"}, {"bins", folder / "newer"}}) == "");
    CHECK(refusal({{"csv", "-"}, {"bins", "-"}}) == "");
    CHECK(refusal({{"csv", "/dev/null"}, {"bins", "/dev/null"}}) == "");
    CHECK(refusal({{"csv", ""}, {"bins", ""}}, {"file", ""}) == "");
    CHECK(refusal({{"csv", folder / "none/file"}}).find("/none/file: No such file or") != std::string::npos);
    CHECK(refusal({{"csv", file + "/file"}}).find("Not a directory") != std::string::npos);
    CHECK(refusal({{"csv", folder / ""}}).find("--csv can't write") == 0);
    CHECK(refusal({{"csv", folder / ""}}).find("Is a directory") != std::string::npos);
    CHECK(refusal({{"csv", folder / "self"}}).find("Too many levels") != std::string::npos);
    CHECK(refusal({{"csv", folder / std::string(300, 'x')}}).find("too long") != std::string::npos);
    for (const std::string& same :
         {folder / "link", folder / "other name", std::filesystem::relative(file).string()}) {
        CHECK(refusal({{"csv", same}}, {"file", file}).find("--file and --csv name the same file") == 0);
        CHECK(refusal({{"csv", same}, {"bins", file}}).find("--csv and --bins name the same file") == 0);
    }
    const std::string missing = folder / "new";
    const std::filesystem::path here = std::filesystem::current_path();
    std::filesystem::current_path(folder.path);
    CHECK(refusal({{"csv", missing}, {"bins", "new"}}).find("--csv and --bins name the same file") == 0);
    std::filesystem::current_path(here);

    chmod(folder.path.c_str(), 0777);
    chmod(file.c_str(), 0444);
    const pid_t anybody = outputs_detail::start([&] {
        if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
        _exit(refusal({{"csv", file}}).find("Permission denied") != std::string::npos ? 0 : 1);
    });
    CHECK(outputs_detail::end_of(anybody) == 0);
    CHECK(folder.names() == std::vector<std::string>{"file", "link", "other name", "second", "self"});
}

TEST_CASE("files and pipes are read to their end, and endless files are rejected") {
    const Folder folder;
    const std::string path = folder / "file";
    std::ofstream(path, std::ios::binary) << std::string("a\0b\n", 4);
    CHECK(read_file(path, 4) == std::vector<unsigned char>{'a', 0, 'b', '\n'});
    CHECK_FALSE(read_file("/proc/self/maps", 1 << 30).empty());  // with a reported size of 0
    const auto refusal = [](const std::string& name, std::size_t most) {
        return thrown_by([&] { read_file(name, most); });
    };
    CHECK(refusal(path, 3) == path + ": has 4 bytes, but there is memory for only 3");
    CHECK(refusal(folder / "nothing", 4) == folder / "nothing: No such file or directory");
    CHECK(refusal("/", 4) == "/: is a directory, not a file");
    CHECK(refusal("/dev/null", 4) == "/dev/null: is a device or socket, not a regular file or a pipe");
    CHECK(refusal("/proc/self/mem", 4) == "/proc/self/mem: Input/output error");  // at its beginning

    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    const int input = dup(STDIN_FILENO);
    close(STDIN_FILENO);  // the next file gets its number, 0
    for (int k = 0; k < 2; ++k) CHECK(read_file(path, 4).size() == 4);
    const int next = open("/dev/null", O_RDONLY);
    CHECK(next == 0);
    const rlimit none{0, files.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    const std::string too_many = refusal(path, 4);
    setrlimit(RLIMIT_NOFILE, &files);
    CHECK(too_many == path + ": Too many open files");
    dup2(input, STDIN_FILENO);
    close(input);

    std::filesystem::resize_file(path, std::size_t{1} << 42);  // as a sparse file
    CHECK_THROWS_AS(read_file(path, 4), std::invalid_argument);

    REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
    for (const std::size_t most : {400000, 300000}) {
        const pid_t child = outputs_detail::start([&] {
            std::ofstream pipe(folder / "pipe");
            for (int k = 0; k < 200; ++k) pipe << std::string(1000, 'x') << std::flush;
        });
        if (most == 400000)
            CHECK(read_file(folder / "pipe", most) == std::vector<unsigned char>(200000, 'x'));
        else
            CHECK_THROWS_AS(read_file(folder / "pipe", most), std::invalid_argument);
        outputs_detail::end_of(child);
    }
}

TEST_CASE("the ten fullest bins are printed, fullest first, and letters where there are 256") {
    const auto printed = [](const Results& bins) {
        return outputs_detail::printed(stdout, [&] { print_most_frequent(bins); });
    };
    Results bins(256, 0);
    bins['k'] = 90;
    for (const char value : {'\0', '\1', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'})
        bins[static_cast<unsigned char>(value)] = 1;
    std::string expected =
        "\n11 of 256 bins are used; the fullest (--bins PATH writes all):\n"
        "  107  0x6b  k             90   90.0 %  ####################################\n"
        "    0  0x00                 1    1.0 %  \n"
        "    1  0x01                 1    1.0 %  \n";
    for (const std::string line : {"65  0x41  A", "66  0x42  B", "67  0x43  C", "68  0x44  D", "69  0x45  E",
                                   "70  0x46  F", "71  0x47  G"})
        expected += "   " + line + "              1    1.0 %  \n";
    CHECK(printed(bins) == expected);
    CHECK(printed(Results(128, 0)) == "\n0 of 128 bins are used; the fullest (--bins PATH writes all):\n");
    bins.resize(128);
    CHECK(printed(bins).find(" 0x41     ") != std::string::npos);
}

TEST_CASE("names are shown as one line of UTF-8 without control characters") {
    const std::string shown = "it's \"é漢字🙂\" \\ %s, $(x) \xed\x9f\xbf \xf4\x8f\xbf\xbf";
    CHECK(visible(shown) == shown);
    CHECK(visible("a\x1b[31m\n\t\x7f") == "a\\x1b[31m\\x0a\\x09\\x7f");
    CHECK(visible(std::string("\0", 1)) == "\\x00");
    CHECK(visible("\xc2\x9b"
                  "1m\xc2\xa0") == "\\xc2\\x9b1m\xc2\xa0");  // a terminal's control character in UTF-8
    for (const std::string wrong : {"\xff", "\x80", "\xc3", "\xc0\xaf", "\xe0\x9f\xbf", "\xed\xa0\x80",
                                    "\xe6\xbc", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf9\x80\x80\x80"}) {
        std::ostringstream escaped;
        for (const unsigned char byte : wrong) escaped << "\\x" << std::hex << int{byte};
        CHECK(visible(wrong + "a") == escaped.str() + "a");
    }
}
