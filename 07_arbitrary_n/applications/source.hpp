/// @file
/// @brief Where the chunks of a stream come from, and those of data in memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

/// The size of a chunk is a multiple of this: O_DIRECT needs aligned offsets, sizes and addresses.
constexpr std::size_t kChunkAlignment = 4096;

/// A part of the data.
struct Chunk {
    const unsigned char* data = nullptr;  ///< in host memory
    std::uint64_t first = 0;              ///< offset of its first byte, a multiple of the chunk size
    std::size_t size = 0;                 ///< in bytes; 0 if there is no more data
};

/// Hands out chunks in ascending order. Several threads may ask at the same time.
class Source {
 public:
    /// @param[in] chunk_bytes The size of all chunks but the last one, a multiple of `kChunkAlignment`.
    explicit Source(std::size_t chunk_bytes) : chunk_bytes_(chunk_bytes) {}
    virtual ~Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    /// @brief Returns the next chunk.
    /// @param[out] buffer Memory for one chunk, aligned to `kChunkAlignment`. A source whose data are in
    ///             memory already does not use it.
    /// @throws std::runtime_error with the reason if the data can't be read.
    virtual Chunk next(unsigned char* buffer) = 0;

    /// All data in bytes, if it is known before the end.
    virtual std::optional<std::uint64_t> bytes() const { return std::nullopt; }
    /// How many bytes have been handed out. They are the first ones, without a gap.
    virtual std::uint64_t taken() const = 0;

    /// From now on, there is no more data.
    void stop() { stopped_ = true; }
    /// Whether `stop` has been called.
    bool is_stopped() const { return stopped_; }

 protected:
    /// The size of all chunks but the last one.
    std::size_t chunk_bytes() const { return chunk_bytes_; }

 private:
    const std::size_t chunk_bytes_;
    std::atomic<bool> stopped_ = false;
};

/// Data of known size. A counter hands out the chunks, and threads fill them independently.
class SizedSource : public Source {
 public:
    /// @param[in] bytes The size of the data.
    SizedSource(std::uint64_t bytes, std::size_t chunk_bytes) : Source(chunk_bytes), bytes_(bytes) {}

    std::optional<std::uint64_t> bytes() const override { return bytes_; }
    std::uint64_t taken() const override { return std::min(next_.load(), bytes_); }

 protected:
    /// The next chunk's place.
    Chunk claim() {
        if (is_stopped()) return {};
        const std::uint64_t first = next_.fetch_add(chunk_bytes());
        if (first >= bytes_) return {};
        return {nullptr, first, std::min<std::uint64_t>(chunk_bytes(), bytes_ - first)};
    }

 private:
    const std::uint64_t bytes_;
    std::atomic<std::uint64_t> next_ = 0;
};

/// Data in host memory, which should be pinned. Nothing is copied to the buffers.
class MemorySource : public SizedSource {
 public:
    /// @param[in] data `bytes` bytes, which must outlive the source.
    MemorySource(const unsigned char* data, std::uint64_t bytes, std::size_t chunk_bytes)
        : SizedSource(bytes, chunk_bytes), data_(data) {}

    Chunk next(unsigned char*) override {
        Chunk chunk = claim();
        chunk.data = data_ + chunk.first;
        return chunk;
    }

 private:
    const unsigned char* const data_;
};
