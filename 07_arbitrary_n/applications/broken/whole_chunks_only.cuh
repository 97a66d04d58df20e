/// @file
/// @brief Broken on purpose: the last chunk is forgotten if it is shorter than the others.
#pragma once

#include "../input/source.hpp"

namespace whole_chunks_only {

/// Hands out only the whole chunks of data in memory.
class MemorySource : public ::MemorySource {
 public:
    MemorySource(const unsigned char* data, std::uint64_t bytes, std::size_t chunk_bytes)
        : ::MemorySource(data, bytes / chunk_bytes * chunk_bytes, chunk_bytes) {}  // FAULT: rounded down
};

}  // namespace whole_chunks_only
