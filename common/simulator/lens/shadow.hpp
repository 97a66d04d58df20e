/// @file
/// @brief The history of each byte: the running kernel's accesses, those of earlier kernels in other streams,
/// and whether the byte was ever written.
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

/// @brief A piece of memory, of one byte or more: the accesses with which the next access to it may race.
///
/// A cell keeps the last store; two unordered reads, by threads that are far from each other; the last atomic
/// operation; and an earlier atomic operation of another thread that is unordered with the last one.
struct Cell {
    enum Role { write, read, far_read, atomic, far_atomic, roles };
    std::array<Epoch, roles> last{};

    /// @param[in] now The access. `now.atomic` is also set for a volatile load or store in global memory.
    /// @param[in] changes_nothing Whether the access stores the value that is already there. It then races
    /// with earlier stores only if one of them has raced with a load or an atomic.
    /// @return An earlier access that races with this one, if there is one.
    std::optional<Epoch> access(Kind kind, Epoch now, unsigned int thread, const Clocks& clocks,
                                bool changes_nothing = false);
    /// @param[in] now An access of a later grid that nothing orders with the cell's grid.
    /// @return An access in this cell that races with it, if there is one.
    std::optional<Epoch> race_with(Kind kind, Epoch now) const;
};

/// @brief The grids that have ended but may race with later ones, because nothing orders the streams in which
/// they were launched.
class PastGrids {
 public:
    struct Grid {
        std::uint64_t operation;  ///< the number of the grid's operation (hazards.hpp)
        std::size_t to_come;      ///< how many operations it may race with are still to run
        std::string kernel, stream;
    };
    /// Called when the next grid begins: finds the past grids that are not ordered with it.
    void begin(std::uint32_t grid, const std::string& kernel);
    /// Whether a later grid may race with this one.
    bool keeps(std::uint32_t grid) const { return !grids_.empty() && grids_.count(grid) != 0; }
    /// Earlier grids that nothing orders with the running one.
    const std::vector<std::uint32_t>& unordered() const { return unordered_; }
    const Grid& at(std::uint32_t grid) const { return grids_.at(grid); }
    const std::string& stream() const { return stream_; }  ///< the running grid's

 private:
    std::map<std::uint32_t, Grid> grids_;
    std::vector<std::uint32_t> unordered_;
    std::string stream_;
    std::uint64_t operation_ = 0;
};

/// @brief The cells of 256 bytes. All have the same width: the greatest one, up to 16 bytes, of which the
/// offsets and sizes of all accesses are multiples.
///
/// Most memory is only read or only written, so each role has a table of its own, created when a cell first
/// needs it.
class Cells {
 public:
    static constexpr std::size_t kBytes = 256;
    /// Calls `use` with each cell of some bytes of this piece. For each past grid that is not ordered with
    /// the running one, also calls `use_past` with that grid and each of its cells of these bytes.
    /// @param[in] past Null if there are none.
    template <typename Use, typename UsePast>
    void visit(std::size_t offset, std::size_t bytes, std::uint32_t grid, const PastGrids* past,
               const Use& use, const UsePast& use_past) {
        while (lock_.test_and_set(std::memory_order_acquire)) {}
        if (grid_ != grid) {  // accesses of other grids have happened before, unless they are kept
            if (past != nullptr) keep(*past);
            for (Table& table : tables_) table.reset();
            width_ = kWidest;
            grid_ = grid;
        }
        if (past != nullptr && past_ != nullptr && !past->unordered().empty())
            for (const Past& other : *past_) {
                if (std::ranges::find(past->unordered(), other.grid) == past->unordered().end()) continue;
                for (std::size_t i = offset / other.width; i <= (offset + bytes - 1) / other.width; ++i)
                    use_past(other.grid, cell(other.tables, i));
            }
        std::size_t width = width_;
        while (offset % width != 0 || bytes % width != 0) width /= 2;
        if (width < width_) split(width);
        for (std::size_t i = offset / width_; i < (offset + bytes) / width_; ++i) {
            Cell here = cell(tables_, i);
            use(here);
            for (std::size_t role = 0; role < Cell::roles; ++role) {
                Table& table = tables_[role];
                if (table == nullptr && here.last[role].exists())
                    table = std::make_unique<Epoch[]>(kBytes / width_);
                if (table != nullptr) table[i] = here.last[role];
            }
        }
        lock_.clear(std::memory_order_release);
    }

 private:
    static constexpr std::size_t kWidest = 16;
    static constexpr std::size_t kMostPast = 4;  ///< how many past grids are kept for each piece
    using Table = std::unique_ptr<Epoch[]>;
    using Tables = std::array<Table, Cell::roles>;
    struct Past {
        std::uint32_t grid, width;
        Tables tables;
    };
    static Cell cell(const Tables& tables, std::size_t i) {
        Cell cell;
        for (std::size_t role = 0; role < Cell::roles; ++role)
            if (tables[role] != nullptr) cell.last[role] = tables[role][i];
        return cell;
    }
    void split(std::size_t width);
    void keep(const PastGrids& past);
    std::atomic_flag lock_{};
    std::uint32_t grid_ = 0, width_ = kWidest;
    Tables tables_{};
    std::unique_ptr<std::vector<Past>> past_{};
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
          written_(bytes, written),
          warps_(is_global ? 0 : bytes / 4 + 1) {}

    bool has(const void* at) const { return offset(at) < bytes_; }
    const char* begin() const { return begin_; }
    std::size_t bytes() const { return bytes_; }
    const std::string& name() const { return name_; }
    bool is_global() const { return is_global_; }
    std::size_t offset(const void* at) const {
        return static_cast<std::size_t>(static_cast<const char*>(at) - begin_);
    }

    struct NoPast {
        void operator()(std::uint32_t, const Cell&) const {}
    };
    template <typename Use, typename UsePast = NoPast>
    void visit(std::size_t offset, std::size_t bytes, std::uint32_t grid, const Use& use,
               const PastGrids* past = nullptr, const UsePast& use_past = {}) {
        while (bytes > 0) {
            const std::size_t piece = offset / Cells::kBytes, in_piece = offset % Cells::kBytes;
            const std::size_t here = std::min(bytes, Cells::kBytes - in_piece);
            cells_[piece].visit(in_piece, here, grid, past, use, use_past);
            offset += here;
            bytes -= here;
        }
    }
    /// Notes that bytes were written. Several OS threads may do so at once.
    void set_written(std::size_t offset, std::size_t bytes) {
        for (std::size_t i = offset; i < offset + bytes; ++i)
            __atomic_store_n(&written_[i], 1, __ATOMIC_RELAXED);
    }
    /// Notes that the grid has used the sectors of some bytes of global memory.
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
    /// A warp updates a word of shared memory by an atomic. @return Whether another warp was the first to
    /// update this word.
    bool is_of_another_warp(std::size_t offset, unsigned int warp) {
        std::uint8_t& first = warps_[offset / 4];
        if (first == 0) first = static_cast<std::uint8_t>(warp + 1);
        return first != warp + 1;
    }
    /// Called when another block begins, which has written nothing to this shared array yet.
    void forget() {
        std::ranges::fill(written_, 0);
        std::ranges::fill(warps_, 0);
    }
    /// @return For the byte at an offset and each byte after it: 1 if the byte was written, else 0.
    unsigned char* written(std::size_t offset) { return written_.data() + offset; }

 private:
    const char* begin_;
    std::size_t bytes_;
    std::string name_;  ///< a shared variable's name, or a description; empty for an allocation
    bool is_global_;
    std::vector<Cells> cells_;
    std::vector<unsigned char> written_, touched_ = std::vector<unsigned char>(bytes_ / 32 + 1);
    std::vector<std::uint8_t> warps_;  ///< for each shared word: the first warp to update it, plus 1
};

}  // namespace lens
