/// @file
/// @brief The number of blocks and of threads per block, chosen by the caller or by the variant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

/// A one-dimensional launch. Zero leaves the choice to the variant.
struct LaunchShape {
    unsigned int grid = 0;   ///< blocks
    unsigned int block = 0;  ///< threads per block

    /// The caller's choice, or `otherwise` if there is none.
    unsigned int grid_or(unsigned int otherwise) const { return grid != 0 ? grid : otherwise; }
    /// @copydoc grid_or
    unsigned int block_or(unsigned int otherwise) const { return block != 0 ? block : otherwise; }
};

/// @return How many blocks of `block` threads are needed for one thread per element.
/// @throws std::invalid_argument if a grid can't have that many blocks.
inline unsigned int blocks_for(std::size_t n, unsigned int block) {
    const std::size_t blocks = n / block + (n % block != 0);
    if (blocks > 0x7fffffffu) {
        char why[200];  // a string takes longer to compile, in every file
        std::snprintf(why, sizeof(why),
                      "one launch has at most 2147483647 blocks, too few for %zu elements in blocks of %u "
                      "threads: choose larger blocks",
                      n, block);
        throw std::invalid_argument(why);
    }
    return static_cast<unsigned int>(blocks);
}

/// @brief Makes sure that a block's 32-bit counters can't overflow.
///
/// The blocks of a grid share `n` elements evenly, to within `slack` elements. If all of a block's
/// elements fall into one bin, that bin counts up to `n / grid + slack`.
/// @throws std::invalid_argument if that count needs more than 32 bits.
inline void require_32_bit_counters(std::size_t n, unsigned int grid, std::size_t slack) {
    if (n / grid + slack > UINT32_MAX) {
        char why[200];
        std::snprintf(why, sizeof(why),
                      "a grid of %u gives each block about %zu elements, more than its 32-bit counters hold: "
                      "launch more blocks",
                      grid, n / grid);
        throw std::invalid_argument(why);
    }
}
