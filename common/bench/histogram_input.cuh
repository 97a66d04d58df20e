/// @file
/// @brief The bytes that a histogram program counts, as the command line asks for them.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "../cuda/device.cuh"
#include "../cuda/host_memory.hpp"
#include "../problem/input.hpp"
#include "options.hpp"

/// The programs of Part I: by default they count the articles' 100 MB.
inline ProgramKind histogram_programs() {
    ProgramKind kind{"bytes to count", std::size_t{100} << 20, {}, true};
    for (const NamedInput& input : named_inputs()) kind.inputs.push_back({input.name, input.what});
    return kind;
}

/// @brief Makes the bytes or reads the file.
/// @param[in] device Where they will be copied to; null for a program that stays on the CPU.
/// @throws BadOption if the file can't be had, or there is no memory for so many bytes.
inline std::vector<unsigned char> make_input(const Options& options, const Device* device) {
    // The simulator's device memory is the host's: the bytes are there twice.
    const std::size_t most = device == nullptr   ? host_memory_bytes()
                             : device->simulated ? device->free_bytes / 2
                                                 : device->free_bytes;
    if (!options.file.empty()) {
        try {
            return read_file(options.file, most);
        } catch (const std::invalid_argument& error) {
            throw BadOption("--file takes a file of bytes to count: " + std::string(error.what()));
        }
    }
    if (options.n > most)
        throw BadOption("--n takes at most " + std::to_string(most) +
                        " bytes, for which this device has memory, not " + std::to_string(options.n));
    for (const NamedInput& input : named_inputs())
        if (options.input == input.name) return input.make(options.n, options.seed);
    throw BadOption("unknown input " + options.input);
}
