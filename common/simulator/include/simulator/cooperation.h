/// @file
/// @brief What the simulator can do beyond what the course needs: lanes that converge, blocks that wait for
/// their grid, kernels that launch kernels, errors that a program discards, and results of shuffles.
#pragma once

#include "kernel.h"
#include "runtime.h"
#include "threads.h"

namespace sim {

/// @brief The lanes that run together: those that call this function on the same line.
///
/// The thread waits until no thread of its block can continue otherwise. All threads that are then waiting on
/// this line have converged.
unsigned int converged_lanes(Site site);

void grid_barrier(Site site);  ///< Waits for all threads of a cooperative launch.
bool is_cooperative();         ///< Whether the running grid was launched as one.

/// Lets kernels launch kernels, which run when the grid that has launched them has ended.
bool let_kernels_launch();

/// Kernels and the host may use the same memory at the same time: they wait for each other's stores.
bool share_memory();

/// Says at the end if the host has copied what looks like memory that was never written.
bool tell_of_poison();

/// A call has returned an error that the program discards.
void discard_error(cudaError_t error, const char* call, Site site);

/// @brief A statement such as `v += __shfl_down_sync(mask, v, d);` while it runs: the variable's new value
/// certainly contains what the shuffle returns. Several of them may be the steps of a reduction.
class Chained {
 public:
    /// @param its_variable The name of the variable that is assigned to.
    /// @param its_fold     `+` and so on, `,` for a minimum or maximum, `=` for a broadcast.
    SIM_UNINTERRUPTED Chained(const char* its_variable, char its_fold)
        : variable(its_variable), fold(its_fold) {
        chained = this;
    }
    SIM_UNINTERRUPTED ~Chained() { chained = nullptr; }
    Chained(const Chained&) = delete;
    Chained& operator=(const Chained&) = delete;

    const char* const variable;
    const char fold;
};

}  // namespace sim
