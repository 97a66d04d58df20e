/// @file
/// @brief Records what one block does, step by step ("A block to watch" in README.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../grid/block.hpp"
#include "hardware.hpp"
#include "lanes.hpp"
#include "shadow.hpp"

class Json;

namespace lens {

/// @brief Decides which thread of a block runs next, and records what it does.
///
/// The lanes of a warp execute an access together, as one request, and of the warps that do not wait, the
/// lowest goes first. A GPU may also choose this order, so the values that threads load are those of a
/// possible run. For example, all lanes load a counter before the first of them stores it, so that a race
/// loses updates.
///
/// A step is a request, with its cost and the values after it; the arrival of lanes at a barrier; the end of
/// a barrier; a warp function; or the return of threads. If an access races with an earlier one of the block,
/// its step names both threads. Values are integers: single bytes are unsigned, and wider numbers are signed.
class Recording {
 public:
    /// @param[in] threads The block's threads. @param[in,out] order The order of the kernel's sites.
    Recording(const sim::Threads& threads, std::uint64_t block, Order& order)
        : threads_(threads), count_(threads.count), block_(block), order_(order) {}

    /// The running thread has reached an access, or the end of a loop's iteration if `array` is null. Until
    /// it is this thread's turn, others must run.
    void arrive(std::uint32_t site, Array* array, std::size_t offset, std::size_t bytes);
    bool is_turn();
    /// Called when it is the running thread's turn. Its access follows, if it has reached one.
    void begin_access();

    void barrier(const sim::Site& site);
    void warp_meets(unsigned int first, unsigned int lanes, const char* function);
    void race(unsigned int thread, std::uint32_t site, unsigned int other, std::uint32_t other_site);
    void end_block();

    /// Writes everything. @param[in] launched_at FILE:LINE of the launch.
    void write(Json& json, const std::string& launched_at) const;

 private:
    static constexpr unsigned int kMostWarps = sim::kMaxThreadsPerBlock / kLanes;
    static constexpr std::size_t kMostAccesses = 10000;  ///< the most accesses of lanes in a recording
    static constexpr std::size_t kMostCells = 1024;      ///< the most cells of an array

    /// An array's state: for each byte that was accessed, its value before its first access, and now.
    struct Memory {
        Array* array;
        /// The bytes of a cell, as narrow as the narrowest access, 4 for one of 16 bytes; the bytes in use.
        std::size_t cell = 8, first = SIZE_MAX, end = 0;
        struct Byte {
            std::optional<unsigned char> before;  ///< nothing if it was never written
            unsigned char now;
        };
        std::unordered_map<std::size_t, Byte> bytes{};
        std::vector<std::optional<std::int64_t>> before{};  ///< by cell; filled in when the block ends
        std::string name{};
        std::size_t size = 0, misaligned = 0;
        bool is_global = true;
    };
    struct Race {
        unsigned int thread, other;
        std::uint32_t other_site;
    };
    struct Step {
        enum What : std::uint8_t { access, waits, barrier_ends, meets, returns } what = access;
        unsigned int warp = 0;
        std::uint32_t lanes = 0, site = 0;
        std::size_t memory = 0, bytes = 0;
        std::vector<std::size_t> at{};     ///< the offset of each lane's access, in lanes' order
        std::vector<unsigned char> now{};  ///< the bytes there after the access, unless it is a load
        /// The lanes whose bytes another block has changed since this block last accessed them, and the new
        /// bytes.
        std::vector<std::pair<unsigned int, std::vector<unsigned char>>> found{};
        std::string place{}, function{};      ///< FILE:LINE of a barrier or a warp function; its name
        std::vector<std::int64_t> values{};   ///< the values that lanes pass to a shuffle
        std::vector<unsigned int> sources{};  ///< the lanes from which these lanes receive
        std::optional<Race> race{};
    };
    struct Arrival {
        std::uint32_t site = 0;  ///< 0: none
        std::size_t memory = 0, offset = 0, bytes = 0;
    };

    bool is_full() const { return accesses_ >= kMostAccesses; }
    unsigned int running() const { return threads_.number(*threads_.current); }
    bool have_settled() const;
    void choose();
    void finish_access();
    std::vector<Step>::iterator last_access();  ///< one must exist
    void look_around();
    std::size_t memory_of(Array& array);
    Step& add(Step::What what, unsigned int warp, std::uint32_t lanes);
    void write_access(Json& json, const Step& step) const;

    const sim::Threads& threads_;
    const unsigned int count_;  ///< how many threads the block has
    const std::uint64_t block_;
    Order& order_;
    std::array<Arrival, sim::kMaxThreadsPerBlock> arrivals_{};
    std::array<std::array<std::uint32_t, kLanes>, kMostWarps> last_{};  ///< each lane's last site
    std::array<std::uint32_t, kMostWarps> waiting_{},
        returned_{};          ///< for each warp: the lanes recorded as waiting or returned
    unsigned int turn_ = 0;   ///< the warp whose turn it is
    std::uint32_t left_ = 0;  ///< the lanes of that warp that have not executed the access yet
    bool is_open_ = false;    ///< the values after the last access are not known yet
    std::size_t accesses_ = 0;
    std::vector<Memory> memories_;
    std::vector<Step> steps_;
};

}  // namespace lens
