/// @file
/// @brief Streams: when work that a program has enqueued is done.
///
/// While a program has a stream of its own, or an asynchronous copy of pinned memory is in flight, work in
/// streams is done as late as CUDA allows: when the host waits for it, or for work that comes after it. Where
/// CUDA leaves the order open, CUDA_SIM_SEED=0 keeps the order of the calls, and other seeds choose other
/// orders.
#pragma once

#include "cuda_runtime.h"
#include "operation.hpp"

namespace sim {

/// Whether new work in a stream is enqueued. If not, the call that asks for the work also does it.
bool is_late(cudaStream_t stream);
/// Enqueues work. If it is a copy that conflicts with one in flight, sets a fault instead.
void enqueue(cudaStream_t handle, Operation new_operation);
/// Enqueues work, and waits for it.
void do_now(cudaStream_t handle, Operation operation);
/// Does all work that must come before new work in a stream. The caller then does the new work itself.
void begin_now(cudaStream_t handle);
void end_now();  ///< Called when the new work of `begin_now` is done.
/// The place, among all work, of the work that the calling thread is doing.
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

/// @return `cudaSuccess` for a stream of the current device or, with `or_other_device`, of any device;
/// otherwise cudaErrorInvalidResourceHandle.
cudaError_t stream_error(cudaStream_t stream, bool or_other_device = false);

/// The device that the calling thread has chosen.
int current_device();
/// Chooses another device. @return the previous one.
int choose_device(int device);
/// The number of devices, from CUDA_SIM_DEVICES.
int device_count();

}  // namespace sim
