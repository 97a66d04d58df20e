/// @file
/// @brief Streams: when work that a program has enqueued is done.
///
/// Once a program has created a stream, work in streams is done as late as CUDA allows: when the host waits
/// for it, or for something after it. Where CUDA leaves the order open, CUDA_SIM_SEED=0 keeps the order of
/// the calls, and each other seed gives another order.
#pragma once

#include "cuda_runtime.h"
#include "operation.hpp"

namespace sim {

/// Whether work in a stream is enqueued. If not, it is done at once.
bool is_late(cudaStream_t stream);
/// Enqueues work. A copy that conflicts with one in flight is a fault instead.
void enqueue(cudaStream_t handle, Operation new_operation);
/// Enqueues work, and waits for it.
void do_now(cudaStream_t handle, Operation operation);
/// Does all work that comes before the next work in a stream; the caller then does that work at once.
void begin_now(cudaStream_t handle);
void end_now();  ///< Called when that work is done.
/// The work in a stream that the calling thread is doing.
Work current_work();
/// Records work instead of enqueuing it. Null unless streams are being captured (captures.cpp).
inline void (*capture)(const Operation& operation) = nullptr;
/// Whether work in a stream is being recorded.
bool is_captured(cudaStream_t stream);

/// Waits for all work enqueued in a stream so far. For the default stream, that includes the work in all
/// streams of the current device except the non-blocking ones.
void wait_for(cudaStream_t stream);
/// Waits for all streams of the current device, or of all devices.
void wait_for_device();
void wait_for_all_devices();

/// `cudaSuccess` for a stream of the current device or, with `or_other_device`, of any device; otherwise
/// cudaErrorInvalidResourceHandle.
cudaError_t stream_error(cudaStream_t stream, bool or_other_device = false);

/// The device that the calling thread has chosen.
int current_device();
/// Chooses another device. @return the previous one.
int choose_device(int device);
/// The number of devices, from CUDA_SIM_DEVICES.
int device_count();

}  // namespace sim
