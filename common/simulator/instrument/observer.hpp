/// @file
/// @brief Events that the simulator reports to an instrument while kernels run. Without an instrument, they
/// cost almost no time.
#pragma once

#include <cstddef>

#include "cuda_runtime.h"

namespace sim {

class Block;
struct Grid;

/// Is notified of everything that orders threads, and of what CUDA calls store and copy. The lens
/// (common/simulator/lens) is an observer.
class Observer {
 public:
    virtual ~Observer() = default;
    virtual void grid_begins(const Kernel& kernel, const LaunchConfig& config) = 0;
    virtual void grid_ends() = 0;
    /// @param[in] number The block's place in the grid, x varying fastest.
    virtual void block_begins(Block& block, std::size_t number) = 0;
    virtual void block_ends(Block& block) = 0;
    virtual void shared_begins(Block& block, const char* begin, const SharedVariable& variable) = 0;
    /// All live threads of the block have reached a barrier, and none has passed it.
    virtual void barrier(Block& block, Site site) = 0;
    /// Lanes of a warp have met at a warp function, and none has passed it. @param[in] first The warp's first
    /// thread.
    virtual void warp_meets(Block& block, unsigned int first, unsigned int lanes, const char* function) = 0;
    /// The running thread has called `__threadfence`, or `__threadfence_block`.
    virtual void fence(Block& block, bool of_block) = 0;
    /// From now on, the running thread's atomic functions have block scope, or no longer have it.
    virtual void atomic_scope(Block& block, bool of_block) = 0;
    /// Called before and after a wait for all blocks of the grid, on behalf of the block, by its thread 0.
    /// @param[in] number Counts the grid's barriers.
    virtual void grid_barrier(Block& block, std::size_t number) = 0;
    virtual void allocated(const char* begin, std::size_t bytes) = 0;
    virtual void freed(const char* begin) = 0;
    /// A CUDA call has stored bytes: by a copy if `from` is not null.
    virtual void stored(const void* to, const void* from, std::size_t bytes) = 0;
    /// Host code continues as another thread. Called only in WebAssembly, where threads share their
    /// `thread_local` variables.
    /// @param[in] threads How many threads exist besides the first one.
    virtual void thread_changes(std::size_t threads) = 0;
    /// The code goes back to the start of a loop, and has accessed nothing since the last branch. Called only
    /// in WebAssembly.
    virtual void iteration_ends(const void* at) = 0;
    /// The program is about to end with status 1, because of a fault of a kernel or of host code, an
    /// unchecked error, or a mistake (errors.hpp). No exit handler runs after this.
    virtual void ends() = 0;
};

/// Set before main, or never.
inline Observer* observer = nullptr;

}  // namespace sim
