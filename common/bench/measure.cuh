/// @file
/// @brief Timing that can be trusted: every candidate in the same rounds, cold caches, medians.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../cuda/device.cuh"
#include "../cuda/device_buffer.cuh"
#include "../cuda/launch_shape.hpp"
#include "../cuda/timer.cuh"

/// One thing to time.
struct Job {
    std::string name;
    std::function<void()> run;             ///< what is timed, all launches of it
    std::function<void()> before = [] {};  ///< not timed: prepares each sample
    std::function<void()> after = [] {};   ///< not timed: looks at each sample's result
    bool on_cpu = false;                   ///< timed by the CPU's clock instead of by events
};

/// What the samples of one job say, in seconds.
struct Timing {
    double median = 0, p10 = 0, p90 = 0;
    std::size_t samples = 0;
};

/// @return The median and the 10th and 90th percentiles of at least one sample.
inline Timing summarize(std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    const auto at = [&](double fraction) {
        return seconds[static_cast<std::size_t>(fraction * static_cast<double>(seconds.size() - 1) + 0.5)];
    };
    const std::size_t middle = seconds.size() / 2;
    const double median =
        seconds.size() % 2 != 0 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
    return {median, at(0.1), at(0.9), seconds.size()};
}

/// How many loads of 16 bytes a thread of `read_kernel` has under way.
constexpr int kReadLoads = 4;

/// @brief Reads `n` bytes and does as good as nothing with them.
///
/// No kernel that looks at all of its input can be faster. A block reads tiles: four neighbouring pieces of
/// 16 bytes a thread, all of them under way at once.
/// @tparam kOnce Marks what is read as not needed again, so that it leaves the L2 cache first.
template <bool kOnce>
__global__ void read_kernel(const unsigned char* d_data, std::size_t n, unsigned int* d_never) {
    const auto load = [](const uint4* address) { return kOnce ? __ldcs(address) : *address; };
    const uint4* const vectors = reinterpret_cast<const uint4*>(d_data);
    const std::size_t count = n / sizeof(uint4), tile = std::size_t{blockDim.x} * kReadLoads;
    unsigned int all = 0;
    for (std::size_t i = blockIdx.x * tile + threadIdx.x; i < count; i += gridDim.x * tile) {
        uint4 v[kReadLoads];
#pragma unroll
        for (int k = 0; k < kReadLoads; ++k)
            v[k] = i + k * blockDim.x < count ? load(&vectors[i + k * blockDim.x]) : uint4{};
#pragma unroll
        for (int k = 0; k < kReadLoads; ++k) all ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
    }
    const std::size_t rest = count * sizeof(uint4) + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (rest < n) all ^= d_data[rest];
    if (all == 0x9E3779B9u) *d_never = all;  // keeps the compiler from leaving the loads out
}

/// Reads a piece of device memory: the read ceiling, and what empties caches.
class Reader {
 public:
    /// @param[in] d_data At a multiple of 16 bytes, as `cudaMalloc` gives it.
    Reader(const unsigned char* d_data, std::size_t n) : d_data_(d_data), n_(n), d_never_(1) {}

    /// As fast as the device can: the read ceiling of this input.
    void read_once() const { launch(read_kernel<true>); }

    /// Leaves what was read in the L2 cache, as far as it fits, and nothing else.
    void read_into_cache() const { launch(read_kernel<false>); }

 private:
    void launch(void (*kernel)(const unsigned char*, std::size_t, unsigned int*)) const {
        if (n_ == 0) return;
        constexpr unsigned int kBlock = 512;
        const unsigned int tiles = blocks_for(n_, kBlock * kReadLoads * sizeof(uint4));
        kernel<<<std::min(tiles, resident_blocks(kBlock)), kBlock>>>(d_data_, n_, d_never_.data());
        CUDA_CHECK(cudaGetLastError());
    }

    const unsigned char* d_data_;
    std::size_t n_;
    DeviceBuffer<unsigned int> d_never_;
};

/// Pushes an input out of the L2 cache by reading something else that is four times as large.
class CacheEvictor {
 public:
    /// @throws CudaError if there is no memory of four times the L2 cache.
    explicit CacheEvictor(const Device& device)
        : other_(4 * device.l2_bytes), reader_(other_.data(), other_.size()) {
        CUDA_CHECK(cudaMemset(other_.data(), 0, other_.bytes()));
    }
    /// Enqueues the reading, in the stream of what is to be measured.
    void evict() const { reader_.read_into_cache(); }

 private:
    DeviceBuffer<unsigned char> other_;
    Reader reader_;
};

/// A job that has taken so long gets no further round, once it has a sample.
constexpr double kSecondsPerJob = 2;

/// @brief Times jobs side by side: each round runs all of them, and each round starts with another.
///
/// So a clock that changes or a neighbour that interferes meets all jobs alike. On a GPU a round that
/// is not counted comes first, and the L2 cache is emptied before each sample. On the simulator, whose
/// times mean little, one round is enough; the CPU alone gets at most five.
/// @param[in] rounds How many samples to take of each job on a GPU.
/// @param[in] device Null for a program that stays on the CPU.
/// @return A timing for each job, in the order of the jobs.
/// @throws CudaError, and what a job throws.
inline std::vector<Timing> measure(const std::vector<Job>& jobs, unsigned int rounds, const Device* device) {
    const bool on_gpu = device != nullptr && !device->simulated;
    if (!on_gpu) rounds = device == nullptr ? std::min(rounds, 5u) : 1;
    std::optional<CacheEvictor> evictor;
    if (on_gpu) evictor.emplace(*device);

    std::vector<std::vector<double>> samples(jobs.size());
    std::vector<double> spent(jobs.size(), 0);
    const bool show = isatty(STDERR_FILENO) != 0;
    for (unsigned int round = on_gpu ? 0 : 1; round <= rounds; ++round) {
        for (std::size_t turn = 0; turn < jobs.size(); ++turn) {
            const std::size_t j = (turn + round) % jobs.size();
            const Job& job = jobs[j];
            if (spent[j] > kSecondsPerJob && !samples[j].empty()) continue;
            if (show) std::fprintf(stderr, "\r\033[Kround %u of %u: %s", round, rounds, job.name.c_str());
            job.before();
            double seconds = 0;
            if (job.on_cpu) {
                WallTimer timer;
                timer.start();
                job.run();
                seconds = timer.stop();
            } else {
                if (evictor) evictor->evict();
                EventTimer timer;
                timer.start();
                job.run();
                seconds = timer.stop();
            }
            job.after();
            spent[j] += seconds;
            // The round that warms up counts only for a job that is too slow for a second one.
            if (round > 0 || seconds > kSecondsPerJob) samples[j].push_back(seconds);
        }
    }
    if (show) std::fprintf(stderr, "\r\033[K");
    std::vector<Timing> timings;
    for (const std::vector<double>& seconds : samples) timings.push_back(summarize(seconds));
    return timings;
}
