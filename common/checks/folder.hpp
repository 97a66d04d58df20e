/// @file
/// @brief A folder for the files that checks write.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

/// A new, empty folder, which is removed at the end, and access to its files.
struct Folder {
    Folder() {
        char name[] = "/tmp/course_checks_XXXXXX";
        path = std::filesystem::path(mkdtemp(name)) / "";
    }
    ~Folder() { std::filesystem::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    /// @return The path of a file in it.
    std::string operator/(const std::string& name) const { return path / name; }
    /// @return A file's contents.
    std::string read(const std::string& name) const {
        std::ifstream file(path / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    /// @return The names of its entries, sorted.
    std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(path))
            found.push_back(entry.path().filename());
        std::sort(found.begin(), found.end());
        return found;
    }
    std::filesystem::path path;
};
