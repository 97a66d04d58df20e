/// @file
/// @brief Sources of a stream's chunks: what all of them share, and data in memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

/// The size of a chunk is a multiple of this: O_DIRECT needs aligned offsets, sizes and addresses.
constexpr std::size_t kChunkAlignment = 4096;

/// A piece of the data: what is read, copied and counted at a time.
struct Chunk {
    const unsigned char* data = nullptr;  ///< in host memory
    std::uint64_t first = 0;              ///< offset of its first byte, a multiple of 8
    std::size_t size = 0;                 ///< in bytes; 0 if there is no more data
};

/// A share of something: one of `count` nearly equal parts.
struct Part {
    int number = 0, count = 1;
};

/// The bytes from `first` up to, but not including, `last`.
struct Range {
    std::uint64_t first, last;
};

/// The bytes of a part, of `bytes` in all. Parts follow one another, and begin at multiples of `chunk_bytes`.
inline Range range_of(const Part& part, std::uint64_t bytes, std::size_t chunk_bytes) {
    const std::uint64_t chunks = (bytes + chunk_bytes - 1) / chunk_bytes;
    const auto boundary = [&](int number) {
        return std::min(bytes, chunks * static_cast<std::uint64_t>(number) /
                                   static_cast<std::uint64_t>(part.count) * chunk_bytes);
    };
    return {boundary(part.number), boundary(part.number + 1)};
}

/// Hands out chunks in ascending order. Several threads may call `next` at the same time.
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

    /// The size of all data in bytes, if it is known before the end. The source may hand out only a part.
    virtual std::optional<std::uint64_t> bytes() const { return std::nullopt; }
    /// How many bytes have been handed out. They are the first ones of the part, without a gap.
    virtual std::uint64_t taken() const = 0;

    /// @brief Lets the checksum treat the data as a part of longer data.
    /// @param[in] first Where this source begins in the longer data: a multiple of 8 bytes.
    void set_place(std::uint64_t first) { place_ = first; }

    /// From now on, there is no more data.
    void stop() { stopped_ = true; }
    /// Whether `stop` has been called.
    bool is_stopped() const { return stopped_; }

 protected:
    /// The size of all chunks but the last one.
    std::size_t chunk_bytes() const { return chunk_bytes_; }
    /// The value that `set_place` has set.
    std::uint64_t place() const { return place_; }

 private:
    const std::size_t chunk_bytes_;
    std::uint64_t place_ = 0;
    std::atomic<bool> stopped_ = false;
};

/// Data of known size. A counter hands out the chunks, and threads fill them independently.
class SizedSource : public Source {
 public:
    /// @param[in] bytes The size of the data.
    /// @param[in] part  The part to hand out.
    SizedSource(std::uint64_t bytes, std::size_t chunk_bytes, const Part& part = {})
        : Source(chunk_bytes),
          bytes_(bytes),
          range_(range_of(part, bytes, chunk_bytes)),
          next_(range_.first) {}

    std::optional<std::uint64_t> bytes() const override { return bytes_; }
    std::uint64_t taken() const override { return std::min(next_.load(), range_.last) - range_.first; }

 protected:
    /// Claims the next chunk: its place and size, without data.
    Chunk claim() {
        if (is_stopped()) return {};
        const std::uint64_t first = next_.fetch_add(chunk_bytes());
        if (first >= range_.last) return {};
        return {nullptr, first, std::min<std::uint64_t>(chunk_bytes(), range_.last - first)};
    }
    /// The part that this source hands out.
    const Range& range() const { return range_; }

 private:
    const std::uint64_t bytes_;
    const Range range_;
    std::atomic<std::uint64_t> next_;
};

/// Data in host memory, which should be pinned. Nothing is copied to the buffers.
class MemorySource : public SizedSource {
 public:
    /// @param[in] data The bytes of the part, which must outlive the source.
    MemorySource(const unsigned char* data, std::uint64_t bytes, std::size_t chunk_bytes,
                 const Part& part = {})
        : SizedSource(bytes, chunk_bytes, part), data_(data) {}

    Chunk next(unsigned char*) override {
        Chunk chunk = claim();
        if (chunk.size > 0) chunk.data = data_ + (chunk.first - range().first);
        return chunk;
    }

 private:
    const unsigned char* const data_;
};
