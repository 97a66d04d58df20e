/// @file
/// @brief The input that the command line selects.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
    // The host has one copy of the input. With the simulator, the host's memory also holds the device's data.
    const bool is_gpu = device != nullptr && !device->simulated;
    const std::size_t on_host = is_gpu ? 1 : Problem::kInputCopies + (device != nullptr);
    const std::size_t host_most = host_memory_bytes() / on_host / sizeof(typename Problem::Element);
    const std::size_t device_most =
        is_gpu ? device->free_bytes / Problem::kInputCopies / sizeof(typename Problem::Element) : SIZE_MAX;
    const std::size_t most = std::min(host_most, device_most);
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
                        ", as many as fit in the " + (most == host_most ? "host" : "GPU") +
                        "'s memory, not " + std::to_string(options.n));
    require_useful_grid(options.shape, options.n);
    for (const auto& input : Problem::inputs())
        if (options.input == input.name) return input.make(options.n, options.seed);
    throw BadOption("unknown input " + options.input);
}
