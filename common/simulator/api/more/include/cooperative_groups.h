/// @file
/// @brief Cooperative groups: the block, its tiles, converged lanes, and the grid.
#pragma once

#include "../prelude.h"

#define SIM_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define SIM_SITE (sim::Site{file, line})

namespace cooperative_groups {

/// The functions that all groups have.
class thread_group {
 public:
    thread_group(unsigned int size, unsigned int rank, unsigned int lanes, bool block)
        : size_(size), rank_(rank), lanes_(lanes), block_(block) {}
    unsigned int size() const { return size_; }
    unsigned int num_threads() const { return size_; }
    unsigned int thread_rank() const { return rank_; }
    void sync(SIM_HERE) const {
        if (block_)
            sim::barrier(false, SIM_SITE);
        else
            sim::warp_exchange("sync", lanes_, 0, SIM_SITE);
    }
    bool is_valid() const { return true; }
    unsigned int lanes() const { return lanes_; }

 protected:
    unsigned int size_, rank_;
    unsigned int lanes_;  ///< the lanes, for a group within a warp; 0 for a block
    bool block_;
};

class thread_block : public thread_group {
 public:
    thread_block()
        : thread_group(blockDim.x * blockDim.y * blockDim.z,
                       threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), 0, true) {}
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }

/// Shared memory that a GPU needs to synchronize tiles of more than one warp. Not used here.
template <unsigned int kMostThreads = 1024>
struct block_tile_memory {
    char bytes[kMostThreads / 32 * 8];
};
template <unsigned int kMostThreads>
thread_block this_thread_block(block_tile_memory<kMostThreads>&) {
    return {};
}

/// A group of lanes of one warp. Its members refer to each other by their ranks in the group.
class lane_group : public thread_group {
 public:
    explicit lane_group(unsigned int lanes)
        : thread_group(static_cast<unsigned int>(__popc(lanes)),
                       static_cast<unsigned int>(__popc(lanes & ((1u << sim::lane()) - 1))), lanes, false) {}

    template <typename T>
    T shfl(T value, unsigned int rank, SIM_HERE) const {
        return take("shfl", value, rank % size_, SIM_SITE);
    }
    template <typename T>
    T shfl_up(T value, unsigned int delta, SIM_HERE) const {
        return take("shfl_up", value, rank_ >= delta ? rank_ - delta : rank_, SIM_SITE);
    }
    template <typename T>
    T shfl_down(T value, unsigned int delta, SIM_HERE) const {
        return take("shfl_down", value, rank_ + delta < size_ ? rank_ + delta : rank_, SIM_SITE);
    }
    template <typename T>
    T shfl_xor(T value, unsigned int mask, SIM_HERE) const {
        return take("shfl_xor", value, (rank_ ^ mask) < size_ ? rank_ ^ mask : rank_, SIM_SITE);
    }
    unsigned int ballot(int predicate, SIM_HERE) const {
        return ranks(sim::ballot(sim::warp_exchange("ballot", lanes_, predicate != 0, SIM_SITE)));
    }
    int any(int predicate, SIM_HERE) const { return ballot(predicate, file, line) != 0; }
    int all(int predicate, SIM_HERE) const {
        return static_cast<unsigned int>(__popc(ballot(predicate, file, line))) == size_;
    }
    template <typename T>
    unsigned int match_any(T value, SIM_HERE) const {
        return ranks(__match_any_sync(lanes_, value, file, line));
    }

 private:
    /// The lane of the member with this rank.
    unsigned int lane_of(unsigned int rank) const {
        unsigned int lane = 0;
        for (; lane < 31; ++lane)
            if ((lanes_ >> lane & 1) != 0 && rank-- == 0) break;
        return lane;
    }
    template <typename T>
    T take(const char* function, T value, unsigned int rank, sim::Site site) const {
        static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 32,
                      "CUDA shuffles only trivially copyable types of up to 32 bytes");
        std::uint64_t bits[(sizeof(T) + 7) / 8] = {};
        memcpy(bits, &value, sizeof(T));
        for (std::uint64_t& part : bits)
            part = sim::warp_exchange(function, lanes_, part, site).value[lane_of(rank)];
        memcpy(&value, bits, sizeof(T));
        return value;
    }
    /// Converts a mask of lanes to a mask of ranks.
    unsigned int ranks(unsigned int mask) const {
        unsigned int result = 0;
        for (unsigned int rank = 0; rank < size_; ++rank) result |= (mask >> lane_of(rank) & 1) << rank;
        return result;
    }
};

class coalesced_group : public lane_group {
 public:
    using lane_group::lane_group;
    unsigned int meta_group_size() const { return 1; }
    unsigned int meta_group_rank() const { return 0; }
};
inline coalesced_group coalesced_threads(SIM_HERE) { return coalesced_group(sim::converged_lanes(SIM_SITE)); }

template <unsigned int kSize, typename Parent = void>
class thread_block_tile : public lane_group {
    static_assert(kSize <= 32 && (kSize & (kSize - 1)) == 0, "a tile must have 1, 2, 4, 8, 16 or 32 threads");

 public:
    thread_block_tile() : lane_group((kSize == 32 ? ~0u : (1u << kSize) - 1) << sim::lane() / kSize * kSize) {
        size_ = kSize;
    }
    template <typename Other>  // the parent's type may be omitted
    thread_block_tile(const thread_block_tile<kSize, Other>&) : thread_block_tile() {}
    static constexpr unsigned int size() { return kSize; }
    static constexpr unsigned int num_threads() { return kSize; }
    unsigned int meta_group_size() const { return (thread_block().size() + kSize - 1) / kSize; }
    unsigned int meta_group_rank() const { return thread_block().thread_rank() / kSize; }
};
template <unsigned int kSize, typename Parent>
std::enable_if_t<(kSize <= 32), thread_block_tile<kSize, Parent>> tiled_partition(const Parent&) {
    return {};
}
/// The simulator has no barrier for only some of a block's warps. tools/course/missing.py turns the
/// compiler's error into a message that says so.
template <unsigned int kSize, typename Parent>
std::enable_if_t<(kSize > 32), thread_group> tiled_partition(const Parent&) = delete;
/// Returns a tile whose size is known only at run time: of the block or, if the group is within a warp, of
/// that group, whose consecutive ranks then form a tile.
inline lane_group tiled_partition(const thread_group& group, unsigned int size) {
    if (group.lanes() == 0)
        return lane_group((size == 32 ? ~0u : (1u << size) - 1) << sim::lane() / size * size);
    unsigned int lanes = 0, rank = 0;
    for (unsigned int lane = 0; lane < 32; ++lane)
        if ((group.lanes() >> lane & 1) != 0 && rank++ / size == group.thread_rank() / size)
            lanes |= 1u << lane;
    return lane_group(lanes);
}
template <typename Group>
coalesced_group labeled_partition(const Group& group, int label, SIM_HERE) {
    return coalesced_group(__match_any_sync(group.lanes(), label, file, line));
}
template <typename Group>
coalesced_group binary_partition(const Group& group, bool predicate, SIM_HERE) {
    return coalesced_group(__match_any_sync(group.lanes(), predicate ? 1 : 0, file, line));
}

/// All threads of a cooperative launch.
class grid_group {
 public:
    bool is_valid() const { return sim::is_cooperative(); }
    void sync(SIM_HERE) const { sim::grid_barrier(SIM_SITE); }
    static unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
    static unsigned long long block_rank() {
        return blockIdx.x + gridDim.x * (blockIdx.y + 1ull * gridDim.y * blockIdx.z);
    }
    static unsigned long long size() { return num_blocks() * thread_block().size(); }
    static unsigned long long num_threads() { return size(); }
    static unsigned long long thread_rank() {
        return block_rank() * thread_block().size() + thread_block().thread_rank();
    }
    static dim3 group_dim() { return gridDim; }
    static dim3 dim_blocks() { return gridDim; }
    static dim3 block_index() { return blockIdx; }
};
inline grid_group this_grid() { return {}; }

template <typename Group>
void sync(const Group& group, SIM_HERE) {
    group.sync(file, line);
}

}  // namespace cooperative_groups
#undef SIM_SITE
#undef SIM_HERE
