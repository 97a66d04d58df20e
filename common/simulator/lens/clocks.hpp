/// @file
/// @brief The happens-before order (README.md): clocks of the threads of one block, and messages from others.
///
/// A block numbers its synchronizations (barriers, meetings of lanes, fences). A thread's clock is the number
/// of the last one that it took part in.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "../include/cuda_runtime.h"
#include "site.hpp"

namespace lens {

/// One access, like an epoch of the race detector FastTrack: who, when, and where in the code. Site 0: none.
struct Epoch {
    std::uint64_t block : 20, thread : 10, clock : 19, site : 13, atomic : 1;
    std::uint64_t raced : 1;  ///< of a store: this or an earlier one has raced with a load or an atomic
    bool exists() const { return site != 0; }
};
constexpr std::uint32_t kMostClock = (1u << 19) - 1;
static_assert(Epoch{0, 0, kMostClock, kMostSite, 0, 0}.site == kMostSite);
static_assert(Epoch{0, 0, kMostClock, kMostSite, 0, 0}.clock == kMostClock);

/// @brief Which accesses have happened before a certain point, such as a thread's latest fence.
///
/// Of each block, these are all accesses at clocks smaller than `below` and, of each thread in `threads`,
/// all at clocks smaller than its entry. Immutable once shared.
struct Known {
    struct Block {
        std::uint32_t below = 0;
        std::map<std::uint32_t, std::uint32_t> threads{};
    };
    /// Threads that know the same about a block share one object. A thread that learns more copies it first.
    std::map<std::uint32_t, std::shared_ptr<Block>> blocks;
    /// Stands for the last access before the fence that made all these accesses visible: a thread that knows
    /// of this access knows of all. Its site is 0 if the knowledge of several threads was joined.
    Epoch fence{};

    void join(const Known& other);
    bool has(Epoch epoch) const;
};
using KnownPtr = std::shared_ptr<const Known>;

/// @brief Messages that threads send by atomic operations, for each address: what the sender's last fence has
/// made visible.
///
/// Another thread receives a message by an atomic operation on the same address, and may rely on the message
/// after its own fence.
class Messages {
 public:
    struct Message {
        KnownPtr known;
        std::uint32_t block;
        bool of_block;  ///< sent after `__threadfence_block`: for threads of `block` only
        bool operator==(const Message&) const = default;
    };
    struct Log {
        std::mutex lock;       ///< held during an atomic operation on the address
        std::mutex sent_lock;  ///< held while `sent` is used; no other lock is taken meanwhile
        std::vector<Message> sent;
    };
    Log& at(const void* address) {
        const std::lock_guard guard(lock_);
        return logs_[address];
    }
    void clear() { logs_.clear(); }

 private:
    std::mutex lock_;
    std::map<const void*, Log> logs_;
};

/// The clocks of the block that a worker runs.
class Clocks {
 public:
    void begin_block(std::uint32_t block, unsigned int threads);
    void barrier();
    void warp_meets(unsigned int first, unsigned int lanes);
    void fence(unsigned int number, bool of_block);
    /// A thread has executed an atomic operation. @param[in,out] log The address's log, locked.
    /// @param[in] stores Whether the operation has stored.
    void atomic(unsigned int number, Messages::Log& log, bool stores);

    Epoch now(unsigned int thread, std::uint32_t site, bool atomic) const {
        return {block_, thread, threads_[thread].clock, site < kMostSite ? site : kMostSite, atomic, false};
    }
    bool happened_before(Epoch epoch, unsigned int thread) const {
        const Thread& me = threads_[thread];
        if (epoch.block == block_) {
            if (epoch.thread == thread || epoch.clock < me.below) return true;
            if (warps_have_met_ && epoch.thread / kWarp == thread / kWarp &&
                epoch.clock < mates_[thread][epoch.thread % kWarp])
                return true;
        }
        return me.heard != nullptr && me.heard->has(epoch);
    }
    /// Whether an access would have happened before, had the thread executed `__threadfence` by now.
    bool lacks_fence(Epoch epoch, unsigned int thread) const;
    /// Whether the block has synchronized more often than a clock can count. Then no more accesses are
    /// compared.
    bool is_full() const { return time_ >= kMostClock; }

 private:
    static constexpr unsigned int kWarp = 32;
    struct Thread {
        std::uint32_t clock = 0;
        std::uint32_t below = 0;         ///< the block's accesses at smaller clocks have happened before
        KnownPtr heard{};                ///< what the thread has learnt from messages
        std::array<KnownPtr, 2> told{};  ///< what its last fences have made visible: to all, and to its block
        std::map<Messages::Log*, std::size_t> unfenced{};  ///< messages seen in each log since its last fence
    };
    void share(unsigned int first, unsigned int count, std::uint32_t lanes);

    std::uint32_t block_ = 0, time_ = 0;
    unsigned int count_ = 0;
    bool warps_have_met_ = false, has_messages_ = false;
    std::array<Thread, sim::kMaxThreadsPerBlock> threads_{};
    std::array<std::array<std::uint32_t, kWarp>, sim::kMaxThreadsPerBlock> mates_{};
    /// The last join of what several threads know, kept because all warps of a block need the same one.
    struct Joined {
        std::vector<KnownPtr> of{};
        KnownPtr result{};
    };
    static KnownPtr join(std::vector<KnownPtr> all, Joined& last);
    Joined heard_{};
    std::array<Joined, 2> told_{};
    struct Received {
        KnownPtr before, after;
        bool of_block;
        std::map<Messages::Log*, std::size_t> unfenced;
    } received_{};
};

}  // namespace lens
