/// @file
/// @brief The chunks of a file, and those of a pipe.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "source.hpp"

/// An open file, which the destructor closes unless it is standard input.
class OpenFile {
 public:
    /// @param[in] number The descriptor; -1 if the file could not be opened.
    explicit OpenFile(int number) : number_(number) {}
    ~OpenFile() {
        if (number_ > STDIN_FILENO) close(number_);
    }
    /// Takes over another object's file.
    OpenFile(OpenFile&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    OpenFile& operator=(OpenFile&&) = delete;

    int number() const { return number_; }  ///< the descriptor; -1 if the file could not be opened

 private:
    int number_;
};

/// Knows which pages of a file are in the system's cache.
class PageCache {
 public:
    /// @param[in] file  The descriptor of a file that may be read.
    /// @param[in] bytes Its size.
    PageCache(int file, std::uint64_t bytes)
        : bytes_(bytes), pages_(mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0)) {}
    ~PageCache() {
        if (pages_ != MAP_FAILED) munmap(pages_, bytes_);
    }
    PageCache(const PageCache&) = delete;
    PageCache& operator=(const PageCache&) = delete;

    /// Whether the cache has the page that contains a byte. If this can't be determined, the answer is yes.
    bool has(std::uint64_t at) const {
        if (pages_ == MAP_FAILED) return true;
        unsigned char state = 1;
        const bool known = mincore(static_cast<unsigned char*>(pages_) + at / page_ * page_, 1, &state) == 0;
        return !known || state % 2 == 1;
    }

 private:
    const std::uint64_t page_ = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t bytes_;
    void* const pages_;  // never read, so it takes addresses but no memory
};

/// @brief A regular file. Threads read their chunks in parallel.
///
/// A chunk that is in the system's cache is copied from there. Other chunks bypass the cache (O_DIRECT) if
/// the file system allows it: a large file would only evict other data, and copying it twice costs time.
/// Only a chunk's first and last pages are looked up: asking for every page can take as long as copying it.
class FileSource : public SizedSource {
 public:
    /// @param[in] bytes The file's size. If the file ends earlier, `next` throws.
    FileSource(std::string path, OpenFile file, std::uint64_t bytes, std::size_t chunk_bytes,
               const Part& part)
        : SizedSource(bytes, chunk_bytes, part),
          path_(std::move(path)),
          file_(std::move(file)),
          cache_(file_.number(), bytes),
          direct_(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT)),
          use_direct_(direct_.number() >= 0) {}

    Chunk next(unsigned char* buffer) override {
        const Chunk chunk = claim();
        const bool cached = chunk.size == 0 || !use_direct_ ||
                            (cache_.has(chunk.first) && cache_.has(chunk.first + chunk.size - 1));
        for (std::size_t done = 0; done < chunk.size;) {
            const ssize_t count = read_some(buffer + done, chunk.size - done, chunk.first + done, cached);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) throw std::runtime_error(path_ + ": " + std::strerror(errno) + ": no result");
            if (count == 0)
                throw std::runtime_error(path_ + ": has been shortened from " + std::to_string(*bytes()) +
                                         " bytes to " + std::to_string(chunk.first + done) +
                                         " while it was read: no result");
            done += std::min(static_cast<std::size_t>(count), chunk.size - done);
        }
        return {buffer, place() + chunk.first, chunk.size};
    }

 private:
    /// Reads up to `size` bytes. With O_DIRECT it may read more, up to the next multiple of the alignment.
    ssize_t read_some(unsigned char* to, std::size_t size, std::uint64_t at, bool cached) {
        const auto offset = static_cast<off_t>(at);
        if (!cached && use_direct_ && at % kChunkAlignment == 0) {
            const std::size_t aligned = (size + kChunkAlignment - 1) / kChunkAlignment * kChunkAlignment;
            const ssize_t direct = pread(direct_.number(), to, aligned, offset);
            if (direct >= 0) return direct;
            use_direct_ = false;  // the read below repeats a real error
        }
        return pread(file_.number(), to, size, offset);
    }

    const std::string path_;
    const OpenFile file_;
    const PageCache cache_;
    const OpenFile direct_;
    std::atomic<bool> use_direct_;
};

/// A pipe, or another file that can be read only from its beginning. One thread at a time reads it.
class PipeSource : public Source {
 public:
    /// @param[in] path The path, for messages.
    PipeSource(std::string path, OpenFile file, std::size_t chunk_bytes)
        : Source(chunk_bytes), path_(std::move(path)), file_(std::move(file)) {}

    Chunk next(unsigned char* buffer) override {
        const std::lock_guard lock(one_at_a_time_);
        std::size_t size = 0;
        while (!ended_ && size < chunk_bytes()) {
            // A pipe may be silent for long, and `stop` must not wait for it.
            pollfd ready{file_.number(), POLLIN, 0};
            const int answer = poll(&ready, 1, 100);
            ended_ = is_stopped();
            if (ended_ || answer == 0 || (answer < 0 && errno == EINTR)) continue;
            const ssize_t count = read(file_.number(), buffer + size, chunk_bytes() - size);
            if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (count < 0) throw std::runtime_error(path_ + ": " + std::strerror(errno) + ": no result");
            if (count == 0) ended_ = true;
            size += static_cast<std::size_t>(count);
        }
        if (is_stopped()) size -= size % sizeof(std::uint64_t);  // whole words only
        return {buffer, taken_.fetch_add(size), size};
    }
    std::uint64_t taken() const override { return taken_; }

 private:
    const std::string path_;
    const OpenFile file_;
    std::mutex one_at_a_time_;
    bool ended_ = false;
    std::atomic<std::uint64_t> taken_ = 0;
};

/// @brief Opens a file or a pipe.
/// @param[in] path `-` is standard input.
/// @param[in] part The part of a file to hand out. A pipe has no parts.
/// @throws std::invalid_argument if the path is missing, is neither a file nor a pipe, or can't be opened.
inline std::unique_ptr<Source> open_source(const std::string& path, std::size_t chunk_bytes,
                                           const Part& part = {}) {
    const auto reason = [&](const std::string& what) { return std::invalid_argument(path + ": " + what); };
    if (path == "-")
        return std::make_unique<PipeSource>("standard input", OpenFile(STDIN_FILENO), chunk_bytes);
    OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (file.number() < 0 || fstat(file.number(), &status) != 0) throw reason(std::strerror(errno));
    if (S_ISDIR(status.st_mode)) throw reason("is a directory, not a file");
    if (!S_ISFIFO(status.st_mode) && !S_ISREG(status.st_mode))
        throw reason("is a device or socket, not a regular file or a pipe");
    // A file under /proc states a size of 0, and one under /sys a page, whatever they contain.
    const auto has_byte_at = [&](off_t at) {
        char byte = 0;
        return pread(file.number(), &byte, 1, at) != 0;  // or it can't be read, which is reported later
    };
    const bool size_is_wrong = (status.st_size == 0 && has_byte_at(0)) ||
                               (status.st_size == sysconf(_SC_PAGESIZE) && !has_byte_at(status.st_size - 1));
    if (S_ISFIFO(status.st_mode) || size_is_wrong)
        return std::make_unique<PipeSource>(path, std::move(file), chunk_bytes);
    return std::make_unique<FileSource>(path, std::move(file), static_cast<std::uint64_t>(status.st_size),
                                        chunk_bytes, part);
}
