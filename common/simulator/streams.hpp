/// @file
/// @brief Streams: when work that a program has ordered is done.
///
/// With CUDA_SIM_SEED=0, work is done when its call returns. With another seed, work in a stream that the
/// program has created is mostly done as late as CUDA allows: when the host waits for it, or for an event
/// after it. A program that forgets to wait then finds the wrong bytes.
#pragma once

#include "cuda_runtime.h"

namespace sim {

/// Waits for what was ordered in a stream so far.
void wait_for(cudaStream_t stream);
/// Does work after it, before this function returns.
template <typename Work>
void do_now(cudaStream_t stream, Work work) {
    wait_for(stream);
    work();
}
/// Waits for what the default stream waits for: all streams of the current device but the non-blocking ones.
void wait_for_blocking_streams();
/// Waits for all streams of the current device.
void wait_for_device();

/// `cudaSuccess` for a stream of the current device.
cudaError_t stream_error(cudaStream_t stream);

/// The device that the calling thread has chosen.
int current_device();
/// Chooses another one. @return the device before.
int choose_device(int device);
/// CUDA_SIM_DEVICES: how many there are.
int device_count();

}  // namespace sim
