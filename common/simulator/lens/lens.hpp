/// @file
/// @brief The lens. Hooks call its functions at a kernel's accesses, and the simulator at events.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../grid/block.hpp"
#include "../instrument/observer.hpp"
#include "clocks.hpp"
#include "code.hpp"
#include "counts.hpp"
#include "host.hpp"
#include "lanes.hpp"
#include "recording.hpp"
#include "shadow.hpp"

namespace lens {

/// The kinds of problems: a race, a read of memory that was never written, a copy of such memory to the host.
enum class Problem : std::uint8_t { race, unwritten, copied };

/// A problem at one or two sites: where it was first found, and how often. For a race, the first occurrence
/// between the threads that are farthest apart is kept.
struct Finding {
    Problem problem;
    std::string kernel{}, array{};
    const char* address;  ///< of the first byte
    bool is_global;
    std::uint32_t site = 0;   ///< the access at which the problem was found
    std::uint32_t other = 0;  ///< the earlier access of a race
    std::uint64_t block = 0;
    unsigned int thread = 0;
    std::uint32_t other_block = 0, other_thread = 0;  ///< the block's number modulo 2^20
    std::uint64_t count = 0;
    std::string where{};  ///< the array's element, or its name and the byte
    std::string line{};   ///< of the host's copy, if it has read bytes that were never written
    std::string launched_at{};
    std::string other_kernel{}, other_stream{}, stream{};  ///< if the earlier access is another kernel's
    bool is_partly_written = false;                        ///< whether other bytes of a copy were written
    bool lacks_fence = false;  ///< whether a fence by the later thread of a race would order the two

    /// How far apart the two threads of a race are: 0 for lanes of a warp, 1 for warps, 2 for blocks, 3 for
    /// kernels in different streams.
    int distance() const {
        if (!other_kernel.empty()) return 3;
        return (block & 0xfffff) != other_block ? 2 : thread / kLanes != other_thread / kLanes ? 1 : 0;
    }
};

/// The accesses, counts and clocks of the block that one worker runs.
class Collector {
 public:
    explicit Collector(sim::Block& block) : block_(block), threads_(block.threads()) {}

    /// @param[in] dynamic_bytes The size of the dynamic shared memory.
    void begin_block(std::uint64_t number, std::size_t dynamic_bytes);
    void end_block();
    void begin_shared(const char* begin, const sim::SharedVariable& variable);
    void barrier(const sim::Site& site);
    void warp_meets(unsigned int first, unsigned int lanes, const char* function);

    // Called by the hooks. Until one of these functions returns, further hooks do nothing: it may call code
    // of the standard library that is compiled with hooks. If a kernel loops forever, the timer's ticks may
    // always arrive while the thread is in one of these functions, so the functions also stop the thread.
    bool runs_kernel() const { return threads_.in_kernel; }
    void access(const void* address, std::size_t bytes, Kind kind, const void* at, bool is_atomic);
    /// Called before an access: if the block is recorded, other threads run until it is this thread's turn.
    void take_turn(const void* address, std::size_t bytes, Kind kind, const void* at) {
        if (recording_ != nullptr) wait_for_turn(address, bytes, kind, at);
    }
    bool is_global(const void* address);
    /// The running thread has reached a basic block of the code.
    void reach(const void* at) {
        const auto block = reinterpret_cast<std::uintptr_t>(at);
        if (started_[thread()]) executed(block);
        if (trail_.thread != threads_.current) trail_ = {threads_.current};
        if (block <= trail_.block && !trail_.has_accessed) end_iteration(trail_.block);
        trail_.block = block;
        trail_.has_accessed = false;
    }
    /// The running thread goes back to the start of a loop from a basic block without an access.
    void end_iteration(std::uintptr_t at);
    void begin_call(const void* at);
    void end_call();
    void fence(bool of_block);
    void atomic_scope(bool of_block) { of_block_ = of_block; }
    void grid_barrier(std::size_t number);
    /// @return The log of an atomic's address, locked; null if no thread of the grid has executed a fence
    /// yet.
    Messages::Log* begin_atomic(const void* address);
    void end_atomic(Messages::Log* log, bool stores);
    /// Called by an atomic function that is a loop of compare-and-swaps, whose load is not counted.
    void begin_update(const void* address) { update_ = address; }
    bool is_update(const void* address) const { return update_ == address; }
    /// Called by `atomicCAS`. If the thread has just loaded from this address, the comparison checks the
    /// loaded value, so the load races with nothing.
    void begin_compare(const void* address) {
        ++counting_.counts().swaps;
        if (late_.kind == Kind::load && late_.thread == thread() && late_.address() == address)
            late_.array = nullptr;
    }

    void forget() { recent_ = {}; }  ///< called when an allocation is freed

    /// @return The counts since the last call, which are then forgotten.
    LaunchCounts take_counts() {
        counting_.counts().code = std::exchange(code_, {}).counts();
        return std::move(std::exchange(counting_, {}).counts());
    }

 private:
    void executed(std::uintptr_t block) {
        const sim::Block::InSimulator here(block_);
        code_.reach(thread(), block);
    }

    Counting counting_;
    Code code_;
    unsigned int thread() const { return threads_.number(*threads_.current); }
    /// @return Whether the address is in an array that the lens watches.
    bool note(const void* address, std::size_t bytes, Kind kind, const void* at, bool is_atomic);
    Array* array_of(const void* address);
    void wait_for_turn(const void* address, std::size_t bytes, Kind kind, const void* at);
    void wait_for_turn(std::uint32_t site, Array* array, std::size_t offset, std::size_t bytes);
    void flush(unsigned int warp);
    void look_for_problems(Array& array, std::size_t offset, std::size_t bytes, Kind kind, std::uint32_t site,
                           bool is_atomic);
    /// One access, as the search for problems needs it.
    struct Look {
        Array* array = nullptr;
        std::size_t offset = 0, bytes = 0;
        std::uint32_t site = 0;
        unsigned int thread = 0;
        Kind kind{};
        Epoch now{};
        std::array<char, 16> before{};  ///< what a plain store overwrites, if it fits
        const char* address() const { return array == nullptr ? nullptr : array->begin() + offset; }
        bool is_late() const;
        bool changes_nothing() const;
    };
    void look_at_late();
    void look(const Look& at);
    /// @param of The kernel of the other access, if it is not the running one.
    void find(Problem problem, const Look& at, Epoch other, const PastGrids::Grid* of = nullptr);
    std::uint32_t site_number(const void* at, Kind kind, Space space, std::size_t bytes);
    bool has_stopped(unsigned int warp) const;

    sim::Block& block_;
    const sim::Threads& threads_;
    Clocks clocks_;
    std::uint64_t block_number_ = 0;
    std::uint32_t block_serial_ = 0;
    std::vector<std::array<std::vector<Access>, kLanes>>
        lanes_;                            ///< one for each warp: the accesses since its lanes last met
    std::vector<std::uint64_t> requests_;  ///< one for each warp: the number since the last barrier
    std::array<Path, sim::kMaxThreadsPerBlock> path_{};
    unsigned int last_warp_ = 0;
    Order order_;
    /// The place in the code of the thread that has run last.
    struct Trail {
        const sim::Thread* thread = nullptr;
        std::uintptr_t block = 0;   ///< the basic block that it has reached; 0 if that is not known
        bool has_accessed = false;  ///< whether it has accessed watched memory in this basic block
    } trail_;
    Recording* recording_ = nullptr;  ///< the block's recording, or null
    std::vector<std::unique_ptr<Array>> shared_;
    std::size_t shared_count_ = 0;    ///< how many of these arrays the block has
    std::array<Array*, 4> recent_{};  ///< used recently, in global memory: looking one up takes a lock
    std::size_t next_recent_ = 0;
    const void* update_ = nullptr;
    bool of_block_ = false;  ///< the current atomic operation has block scope
    Look late_{};            ///< the last plain load or store, not examined yet

    struct Cached {
        std::uintptr_t at = 0;
        Path path = 0;
        std::uint32_t key = 0, number = 0;
    };
    std::array<Cached, 1024> sites_{};
    std::array<Cached, 64> calls_{};
    struct Left {
        Path path = 0;
        Call call{};
    };
    std::array<Left, 64> left_{};
    std::array<bool, sim::kMaxThreadsPerBlock> started_{};
    std::array<std::uint64_t, sim::kMaxThreadsPerBlock>
        accesses_{};            ///< the number of each thread's accesses
    std::uint64_t loaded_ = 0;  ///< the bytes that the block has loaded from global memory
};

/// The collector of the block that this OS thread runs, or null in the host's code.
extern thread_local Collector* running;

/// All that the lens knows about the program.
class Lens : public sim::Observer {
 public:
    Lens();
    void grid_begins(const sim::Kernel& kernel, const sim::LaunchConfig& config) override;
    void grid_ends() override;
    void block_begins(sim::Block& block, std::size_t number) override;
    void block_ends(sim::Block& block) override;
    void shared_begins(sim::Block&, const char* begin, const sim::SharedVariable& variable) override {
        running->begin_shared(begin, variable);
    }
    void barrier(sim::Block&, sim::Site site) override { running->barrier(site); }
    void warp_meets(sim::Block&, unsigned int first, unsigned int lanes, const char* function) override {
        running->warp_meets(first, lanes, function);
    }
    void fence(sim::Block&, bool of_block) override { running->fence(of_block); }
    void atomic_scope(sim::Block&, bool of_block) override { running->atomic_scope(of_block); }
    void grid_barrier(sim::Block&, std::size_t number) override { running->grid_barrier(number); }
    void allocated(const char* begin, std::size_t bytes) override;
    void freed(const char* begin) override;
    void stored(const void* to, const void* from, std::size_t bytes) override;
    void thread_changes(std::size_t threads) override { host_thread_changes(threads); }
    void iteration_ends(const void* at) override {
        if (running != nullptr && running->runs_kernel())
            running->end_iteration(reinterpret_cast<std::uintptr_t>(at));
    }
    void ends() override { write(); }

    Array* global_array(const void* address);
    std::string kernel_name() const { return kernel_; }
    std::uint32_t grid() const { return grid_; }
    const PastGrids& past_grids() const { return past_grids_; }
    bool looks_for_problems() const { return looks_for_problems_; }
    /// Whether a block's requests are counted: the sample has one of every `sample_` consecutive blocks.
    bool in_sample(std::uint64_t block) const;
    /// @param[in] clocks The clocks of the later thread's block, if the finding is a race within one kernel.
    /// @param[in] other  The earlier access.
    void add(Finding finding, const Clocks* clocks = nullptr, Epoch other = {});
    void write() const;
    /// @return The recording of a block that begins, or null if the block is not to be recorded.
    Recording* begin_recording(std::uint64_t block, const sim::Threads& threads, Order& order);

    // For checks
    void forget() { launches_.clear(), findings_.clear(); }
    void count_one_of(std::uint64_t blocks) { asked_sample_ = blocks; }  ///< 0: decide by the size
    const auto& launches() const { return launches_; }
    const auto& findings() const { return findings_; }
    struct Recorded {
        std::string kernel;        ///< empty: any kernel
        std::uint64_t block = 0;   ///< the block's number
        std::uint64_t blocks = 0;  ///< how many blocks the launch has; 0: any number
    };
    /// Records a block of the next launch that fits.
    void record(Recorded recorded) {
        recording_.reset();
        recorded_ = std::move(recorded);
    }
    void record_nothing() { recorded_.reset(); }
    void write_recording(Json& json) const;

    // Messages between blocks, which need a fence somewhere in the grid
    void keeps_messages() { has_fences_ = true; }
    Messages::Log* log_at(const void* address) { return has_fences_ ? &messages_.at(address) : nullptr; }

 private:
    Messages messages_;
    std::atomic<bool> has_fences_{false};
    struct Shape {
        std::string kernel, launched_at;  ///< the second one: FILE:LINE
        unsigned int grid[3], block[3];
        std::size_t dynamic_shared_bytes;
        bool operator==(const Shape&) const = default;
    };
    void copied_to_host(Array& array, std::size_t offset, std::size_t bytes);

    std::uint64_t asked_sample_ = 0, sample_ = 1;
    const bool looks_for_problems_;
    std::string kernel_;
    std::uint32_t grid_ = 0;
    cudaStream_t first_stream_{};
    bool is_in_one_stream_ = true;
    PastGrids past_grids_;
    Shape shape_{};
    std::uint64_t blocks_ = 0;  ///< how many the grid has
    std::map<const char*, std::unique_ptr<Array>> arrays_;
    std::mutex lock_;
    std::map<sim::Block*, Collector> collectors_;
    std::vector<std::pair<Shape, LaunchCounts>> launches_;  ///< in the order of each shape's first launch
    std::map<std::tuple<Problem, std::uint32_t, std::uint32_t, std::string>, Finding> findings_;
    std::optional<Recorded> recorded_;
    std::unique_ptr<Recording> recording_;
    Shape recorded_shape_{};
};

Lens& the_lens();

}  // namespace lens
