/// @file
/// @brief Checks of files that programs write and read, and of names that they print.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../../bench/histogram_report.hpp"
#include "../../bench/output_file.hpp"
#include "../../bench/visible.hpp"
#include "../../problem/file.hpp"
#include "../catch.hpp"
#include "../folder.hpp"

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

TEST_CASE("a file is replaced, also through a link, and nothing else is left beside it") {
    const Folder folder;
    REQUIRE(symlink("file", (folder / "link").c_str()) == 0);
    write_output(folder / "file", "before, and longer");
    REQUIRE(symlink("link", (folder / (".course-" + std::to_string(getpid()) + ".part")).c_str()) == 0);
    write_output(folder / "link", std::string("a\0b", 3));
    CHECK(folder.read("file") == std::string("a\0b", 3));
    CHECK(std::filesystem::is_symlink(folder / "link"));
    CHECK(folder.names() == std::vector<std::string>{"file", "link"});
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

TEST_CASE(
    "a file that can't be written, or is also read or written elsewhere, is rejected before anything runs") {
    using outputs_detail::refusal;
    const Folder folder;
    const std::string file = folder / "file", missing = folder / "new";
    write_output(file, "before");
    write_output(folder / "second", "");
    REQUIRE(symlink("file", (folder / "link").c_str()) == 0);
    REQUIRE(symlink("self", (folder / "self").c_str()) == 0);
    REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK(refusal({{"csv", file}, {"bins", missing}}, {"file", folder / "nothing"}) == "");
    CHECK(refusal({{"csv", file}, {"bins", folder / "second"}}) == "");
    CHECK(refusal({{"csv", missing}, {"bins", folder / "newer"}}) == "");
    CHECK(refusal({{"csv", "-"}, {"bins", "/dev/stdout"}}, {"file", "-"}) == "");
    CHECK(refusal({{"csv", ""}, {"bins", ""}}, {"file", ""}) == "");
    CHECK(refusal({{"csv", folder / "none/file"}}).find("/none/file: No such file or") != std::string::npos);
    CHECK(refusal({{"csv", file + "/file"}}).find("Not a directory") != std::string::npos);
    CHECK(refusal({{"csv", folder / "self"}}).find("Too many levels") != std::string::npos);
    CHECK(refusal({{"csv", folder / std::string(300, 'x')}}).find("too long") != std::string::npos);
    for (const std::string& other : {folder / "", folder / "pipe", std::string("/dev/full")})
        CHECK(refusal({{"csv", other}}) ==
              "--csv can't write " + other + ": it is neither a regular file nor standard output");
    for (const std::string& same : {folder / "link", std::filesystem::relative(file).string()}) {
        CHECK(refusal({{"csv", same}}, {"file", file}).find("--file and --csv name the same file") == 0);
        CHECK(refusal({{"csv", same}, {"bins", file}}).find("--csv and --bins name the same file") == 0);
    }
    CHECK(refusal({{"csv", missing}, {"bins", std::filesystem::relative(missing)}})
              .find("--csv and --bins name the same file") == 0);

    chmod(folder.path.c_str(), 0777);
    chmod(file.c_str(), 0444);
    const pid_t anybody = outputs_detail::start([&] {
        if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
        _exit(refusal({{"csv", file}}).find("Permission denied") != std::string::npos ? 0 : 1);
    });
    CHECK(outputs_detail::end_of(anybody) == 0);
    CHECK(folder.names() == std::vector<std::string>{"file", "link", "pipe", "second", "self"});
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

    chmod(folder.path.c_str(), 0777);
    const pid_t anybody = outputs_detail::start([&] {
        close(STDIN_FILENO);  // the next file gets its number, 0
        for (int k = 0; k < 2; ++k)
            if (read_file(path, 4).size() != 4) _exit(2);
        if (open("/dev/null", O_RDONLY) != STDIN_FILENO) _exit(3);  // a file was not closed
        chmod(path.c_str(), 0);
        if (geteuid() == 0 && setuid(65534) != 0) _exit(4);
        _exit(refusal(path, 4) == path + ": Permission denied" ? 0 : 5);
    });
    CHECK(outputs_detail::end_of(anybody) == 0);

    chmod(path.c_str(), 0600);
    std::filesystem::resize_file(path, std::size_t{1} << 42);  // the file is sparse, so it needs no room
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
