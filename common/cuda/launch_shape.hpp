/// @file
/// @brief How many blocks of how many threads: chosen by the caller, or left to the variant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

/// A one-dimensional launch. A zero leaves the choice to the variant, which asks the device.
struct LaunchShape {
    unsigned int grid = 0;   ///< blocks
    unsigned int block = 0;  ///< threads a block

    /// The caller's choice, or the variant's.
    unsigned int grid_or(unsigned int otherwise) const { return grid != 0 ? grid : otherwise; }
    /// @copydoc grid_or
    unsigned int block_or(unsigned int otherwise) const { return block != 0 ? block : otherwise; }
};

/// @brief Blocks of `block` threads that give each of `n` pieces of work a thread.
/// @throws std::invalid_argument if that is more than a grid can have.
inline unsigned int blocks_for(std::size_t n, unsigned int block) {
    const std::size_t blocks = n / block + (n % block != 0);
    if (blocks > 0x7fffffffu)
        throw std::invalid_argument("one launch has at most 2147483647 blocks, too few for " +
                                    std::to_string(n) + " elements by blocks of " + std::to_string(block) +
                                    " threads: take larger blocks");
    return static_cast<unsigned int>(blocks);
}

/// @brief Makes sure that a 32-bit counter in a block can't overflow.
///
/// The blocks of a grid share `n` elements evenly, to within `slack` elements. If all of a block's
/// elements fall into one bin, that bin counts up to `n / grid + slack`.
/// @throws std::invalid_argument if that takes more than 32 bits.
inline void require_32_bit_counters(std::size_t n, unsigned int grid, std::size_t slack) {
    if (n / grid + slack > UINT32_MAX)
        throw std::invalid_argument("a grid of " + std::to_string(grid) + " gives each block about " +
                                    std::to_string(n / grid) +
                                    " elements, more than its 32-bit counters hold: launch more blocks");
}
