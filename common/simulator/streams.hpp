/// @file
/// @brief Streams: when work that a program has enqueued is done.
///
/// With CUDA_SIM_SEED=0, work is done when its call returns. With another seed, work in a stream that the
/// program has created is usually done as late as CUDA allows: when the host waits for it, or for an event
/// after it. A program that forgets to wait then finds the wrong bytes.
#pragma once

#include "cuda_runtime.h"

namespace sim {

/// Waits for all work enqueued in a stream so far.
void wait_for(cudaStream_t stream);
/// Does new work after that, before this function returns.
template <typename Work>
void do_now(cudaStream_t stream, Work work) {
    wait_for(stream);
    work();
}
/// Waits like the default stream, for all streams of the current device except the non-blocking ones.
void wait_for_blocking_streams();
/// Waits for all streams of the current device.
void wait_for_device();

/// `cudaSuccess` for a stream of the current device.
cudaError_t stream_error(cudaStream_t stream);

/// The device that the calling thread has chosen.
int current_device();
/// Chooses another device. @return the previous one.
int choose_device(int device);
/// The number of devices, from CUDA_SIM_DEVICES.
int device_count();

}  // namespace sim
