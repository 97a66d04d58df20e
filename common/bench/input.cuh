/// @file
/// @brief The input that the command line selects.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "../cuda/device.cuh"
#include "../cuda/host_memory.hpp"
#include "../problem/file.hpp"
#include "../problem/input.hpp"
#include "options.hpp"

/// @brief Generates the elements or reads the file.
/// @param[in] device The device that the input is copied to; null for a program that stays on the CPU.
/// @throws BadOption if the file can't be read, or there is no memory for that many elements.
template <typename Problem>
std::vector<typename Problem::Element> make_input(const Options& options, const Device* device) {
    // The simulator's device memory is host memory, which holds a second copy of the input.
    const std::size_t copies = Problem::kInputCopies + (device != nullptr && device->simulated);
    const std::size_t most = (device == nullptr ? host_memory_bytes() : device->free_bytes) / copies /
                             sizeof(typename Problem::Element);
    if constexpr (Problem::kCountsFiles) {
        try {
            if (!options.file.empty()) {
                std::vector<unsigned char> bytes = read_file(options.file, most);
                require_useful_grid(options.shape, bytes.size());
                return bytes;
            }
        } catch (const std::invalid_argument& error) {
            throw BadOption("--file accepts a file of bytes to count: " + std::string(error.what()));
        }
    }
    if (options.n > most)
        throw BadOption("--n accepts at most " + std::to_string(most) + " " + Problem::kElements +
                        ", as many as fit in this device's memory, not " + std::to_string(options.n));
    require_useful_grid(options.shape, options.n);
    for (const auto& input : Problem::inputs())
        if (options.input == input.name) return input.make(options.n, options.seed);
    throw BadOption("unknown input " + options.input);
}
