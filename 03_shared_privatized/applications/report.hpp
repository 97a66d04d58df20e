/// @file
/// @brief What the applications' reports have in common.
#pragma once

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

#include "../../common/device.cuh"
#include "../../common/table.hpp"
#include "axis.cuh"

/// What a report says of the values that no bin holds.
inline std::string outside_text(std::size_t outside, Outside mode) {
    if (outside == 0) return "none outside";
    return std::to_string(outside) + " outside, " +
           (mode == Outside::drop ? "dropped" : "moved to the nearest bin");
}

/// What stands between the title and the first row.
inline void print_table_heading(double copy_seconds, const Device& device) {
    std::printf("Copied to the device in %s, which no time below includes.\n",
                format_seconds(copy_seconds).c_str());
    if (device.simulated)
        std::printf("Times marked 'sim' are the simulator's: they say nothing about a GPU.\n");
    std::printf("\n");
    print_heading();
}

/// Writes a histogram to a file, which is replaced, or to standard output for "-".
inline void write_text(const std::string& path, const std::string& text) {
    if (path == "-") {
        std::printf("\n%s", text.c_str());
        return;
    }
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) throw std::runtime_error(path + ": the histogram could not be written");
}
