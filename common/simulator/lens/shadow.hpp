/// @file
/// @brief The history of each byte: the running kernel's accesses, and whether it was ever written.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clocks.hpp"
#include "site.hpp"

namespace lens {

/// @brief The accesses to one piece of memory that the next access may race with.
///
/// Of reads that nothing orders, two are kept, of threads that are far from each other. Of atomic operations,
/// the last one, and one of another thread that nothing orders before it.
struct Cell {
    enum Role { write, read, far_read, atomic, far_atomic, roles };
    std::array<Epoch, roles> last{};

    /// @param[in] now Says whether the access is atomic. A load or a store may be, if it is volatile.
    /// @return An earlier access that races with this one, if there is one.
    std::optional<Epoch> access(Kind kind, Epoch now, unsigned int thread, const Clocks& clocks);
};

/// @brief The cells of 256 bytes: one for all bytes that were always used together.
///
/// Most memory is only read or only written, so there is a table for each role, if any cell needs it.
class Cells {
 public:
    static constexpr std::size_t kBytes = 256;
    /// Calls `use` with each cell that belongs to the bytes; all of them begin in this piece.
    template <typename Use>
    void visit(std::size_t offset, std::size_t bytes, std::uint32_t grid, const Use& use) {
        while (lock_.test_and_set(std::memory_order_acquire)) {}
        if (grid_ != grid) {  // what other grids have done has happened before
            for (Table& table : tables_) table.reset();
            width_ = kWidest;
            grid_ = grid;
        }
        std::size_t width = width_;
        while (offset % width != 0 || bytes % width != 0) width /= 2;
        if (width < width_) split(width);
        for (std::size_t i = offset / width_; i < (offset + bytes) / width_; ++i) {
            Cell cell;
            for (std::size_t role = 0; role < Cell::roles; ++role)
                if (tables_[role] != nullptr) cell.last[role] = tables_[role][i];
            use(cell);
            for (std::size_t role = 0; role < Cell::roles; ++role) {
                Table& table = tables_[role];
                if (table == nullptr && cell.last[role].exists())
                    table = std::make_unique<Epoch[]>(kBytes / width_);
                if (table != nullptr) table[i] = cell.last[role];
            }
        }
        lock_.clear(std::memory_order_release);
    }

 private:
    static constexpr std::size_t kWidest = 16;
    using Table = std::unique_ptr<Epoch[]>;
    void split(std::size_t width);
    std::atomic_flag lock_{};
    std::uint32_t grid_ = 0, width_ = kWidest;
    std::array<Table, Cell::roles> tables_{};
};

/// @brief An array: an allocation of device memory, or a variable in shared memory.
class Array {
 public:
    Array(const char* begin, std::size_t bytes, std::string name, bool is_global, bool written = false)
        : begin_(begin),
          bytes_(bytes),
          name_(std::move(name)),
          is_global_(is_global),
          cells_(bytes / Cells::kBytes + 1),
          written_(bytes, written) {}

    bool has(const void* at) const { return offset(at) < bytes_; }
    const char* begin() const { return begin_; }
    std::size_t bytes() const { return bytes_; }
    const std::string& name() const { return name_; }
    bool is_global() const { return is_global_; }
    std::size_t offset(const void* at) const {
        return static_cast<std::size_t>(static_cast<const char*>(at) - begin_);
    }

    template <typename Use>
    void visit(std::size_t offset, std::size_t bytes, std::uint32_t grid, const Use& use) {
        while (bytes > 0) {
            const std::size_t piece = offset / Cells::kBytes, in_piece = offset % Cells::kBytes;
            const std::size_t here = std::min(bytes, Cells::kBytes - in_piece);
            cells_[piece].visit(in_piece, here, grid, use);
            offset += here;
            bytes -= here;
        }
    }
    /// One byte says whether a byte was written. Threads of several OS threads set it, always to the same.
    void set_written(std::size_t offset, std::size_t bytes) {
        for (std::size_t i = offset; i < offset + bytes; ++i)
            __atomic_store_n(&written_[i], 1, __ATOMIC_RELAXED);
    }
    /// Sectors of global memory that the grid uses.
    void touch(std::size_t offset, std::size_t bytes) {
        for (std::size_t i = offset / 32; i <= (offset + bytes - 1) / 32; ++i)
            __atomic_store_n(&touched_[i], 1, __ATOMIC_RELAXED);
    }
    std::size_t take_touched() {
        const auto count = std::count(touched_.begin(), touched_.end(), 1);
        std::fill(touched_.begin(), touched_.end(), 0);
        return static_cast<std::size_t>(count);
    }
    bool is_written(std::size_t offset, std::size_t bytes) const {
        for (std::size_t i = offset; i < offset + bytes; ++i)
            if (__atomic_load_n(&written_[i], __ATOMIC_RELAXED) == 0) return false;
        return true;
    }
    /// Whether the byte at an offset was written, and those after it.
    unsigned char* written(std::size_t offset) { return written_.data() + offset; }

 private:
    const char* begin_;
    std::size_t bytes_;
    std::string name_;  ///< of a shared variable
    bool is_global_;
    std::vector<Cells> cells_;
    std::vector<unsigned char> written_, touched_ = std::vector<unsigned char>(bytes_ / 32 + 1);
};

}  // namespace lens
