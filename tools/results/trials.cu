/// @file
/// @brief Kernels of the chapters, each with one thing changed, to find out what a kernel's time depends on.
///
/// `tools/results/record trials` records what this prints: docs/results/DEVICE/trials.txt. Each result is
/// compared with the CPU's.
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../common/bench/measure.cuh"
#include "../../common/bench/program.cuh"
#include "../../common/cuda/device_buffer.cuh"
#include "../../common/cuda/load.cuh"
#include "../../common/problem/histogram.hpp"
#include "../../common/problem/input.hpp"
#include "../../common/problem/sum_of_squares.cuh"
#include "../../common/problem/verify.hpp"

namespace {

/// Threads per block.
constexpr unsigned int kBlock = 256;

/// @name Chapters 02 and 03: additions to bins
/// @{

/// Chapter 02's *grid-stride*, with `apart` counters' room for each counter.
template <typename Count>
__global__ void apart_kernel(const unsigned char* d_data, std::size_t n, Count* d_bins, unsigned int apart) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&d_bins[d_data[i] * apart], Count{1});
}

/// @brief Chapter 03's *any block*, whose threads merge other bins, or merge into bins that are apart.
/// @tparam kScattered Neighbouring threads merge every eighth bin, in as many sectors as there are lanes.
template <bool kScattered>
__global__ void merge_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                             unsigned int apart) {
    __shared__ unsigned int counts[kBins];
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x) counts[b] = 0;
    __syncthreads();
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&counts[d_data[i]], 1u);
    __syncthreads();
    for (unsigned int t = threadIdx.x; t < kBins; t += blockDim.x) {
        const unsigned int b = kScattered ? t % 32 * 8 + t / 32 : t;
        atomicAdd(&d_bins[b * apart], static_cast<unsigned long long>(counts[b]));
    }
}

/// @brief Chapter 03's counting of keys into 8 bins, in registers or in shared memory.
/// @tparam kCompared With how many bins each key is compared; 0: in shared memory, by atomic additions.
/// @tparam kLoads    Loads of a thread in flight.
template <unsigned int kCompared, unsigned int kLoads>
__global__ void eight_bins_kernel(const unsigned int* d_keys, std::size_t n, unsigned long long* d_bins) {
    __shared__ unsigned int counts[8];
    if (threadIdx.x < 8) counts[threadIdx.x] = 0;
    __syncthreads();
    unsigned int own[8] = {};
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
#pragma unroll 1
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += kLoads * stride) {
        unsigned int keys[kLoads];
#pragma unroll
        for (unsigned int k = 0; k < kLoads; ++k) keys[k] = i + k * stride < n ? d_keys[i + k * stride] : 0;
#pragma unroll
        for (unsigned int k = 0; k < kLoads; ++k) {
            const unsigned int bin = keys[k] >> 29, one = i + k * stride < n;
            if constexpr (kCompared == 0) {
                if (one != 0) atomicAdd(&counts[bin], 1u);
            } else {
#pragma unroll
                for (unsigned int b = 0; b < kCompared; ++b) own[b] += bin == b ? one : 0;
            }
        }
    }
    if constexpr (kCompared != 0) {
#pragma unroll
        for (unsigned int b = 0; b < kCompared; ++b) atomicAdd(&counts[b], own[b]);
    }
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(&d_bins[threadIdx.x], static_cast<unsigned long long>(counts[threadIdx.x]));
}

/// Which warps add to counters while half of the warps of every second SM load bytes.
enum class Beside { nobody, other_sms, same_sms };

/// @brief Half of the warps of every second SM load the bytes, piece by piece, and others add until all are
/// loaded.
/// @param[in,out] d_pieces How many pieces were begun, and how many are loaded.
template <Beside kWho>
__global__ void beside_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins,
                              unsigned int* d_pieces, unsigned int* d_never) {
    constexpr std::size_t kPiece = 32 << 10;
    const unsigned int pieces = static_cast<unsigned int>(n / kPiece), lane = threadIdx.x % 32;
    unsigned int sm = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    const bool is_loading_sm = sm % 2 == 0, is_first_half = threadIdx.x < blockDim.x / 2;
    if (is_loading_sm && is_first_half) {
        unsigned int sum = 0;
        for (;;) {
            unsigned int piece = 0;
            if (lane == 0) piece = atomicAdd(&d_pieces[0], 1u);
            piece = __shfl_sync(~0u, piece, 0);
            if (piece >= pieces) break;
            for (std::size_t i = piece * kPiece + lane; i < (piece + 1) * kPiece; i += 32) sum += d_data[i];
            if (sum == ~0u) *d_never = sum;  // keeps the compiler from removing the loads, and in their place
            if (lane == 0) atomicAdd(&d_pieces[1], 1u);
        }
    } else if (is_first_half ? kWho == Beside::other_sms : kWho == Beside::same_sms && is_loading_sm) {
        unsigned int random = blockIdx.x * blockDim.x + threadIdx.x;
        while (*static_cast<volatile unsigned int*>(&d_pieces[1]) < pieces)
            for (unsigned int k = 0; k < 64; ++k) {
                random = random * 1664525 + 1013904223;
                atomicAdd(&d_bins[random >> 24], 1ull);
            }
    }
}

/// @}

/// @name Chapter 06: the trees
/// @{

__device__ unsigned long long own_square(const int* d_data, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    return i < n ? square(d_data[i]) : 0;
}

/// Chapter 06's *adjacent pairs*, with the remainder or with a mask of bits in its place.
template <bool kMask>
__global__ void pairs_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long values[kBlock];
    values[threadIdx.x] = own_square(d_data, n);
    __syncthreads();
    for (unsigned int step = 1; step < blockDim.x; step *= 2) {
        const bool adds = kMask ? (threadIdx.x & (2 * step - 1)) == 0 : threadIdx.x % (2 * step) == 0;
        if (adds) values[threadIdx.x] += values[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) d_partials[blockIdx.x] = values[0];
}

/// Chapter 06's *pairs, packed*.
__global__ void packed_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    __shared__ unsigned long long values[kBlock];
    values[threadIdx.x] = own_square(d_data, n);
    __syncthreads();
    for (unsigned int step = 1; step < blockDim.x; step *= 2) {
        const unsigned int left = 2 * step * threadIdx.x;
        if (left < blockDim.x) values[left] += values[left + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) d_partials[blockIdx.x] = values[0];
}

/// Loads as the trees do, one or two elements per thread, and adds up nothing further.
template <unsigned int kElements>
__global__ void no_tree_kernel(const int* d_data, std::size_t n, unsigned long long* d_never) {
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x * kElements + threadIdx.x;
    unsigned long long sum = 0;
#pragma unroll
    for (unsigned int k = 0; k < kElements; ++k, i += blockDim.x)
        if (i < n) sum += square(d_data[i]);
    if (sum == ~0ull) *d_never = sum;  // keeps the compiler from removing the loads
}

__global__ void empty_kernel() {}

/// Only the first thread of a block adds, to a number that the launch before has stored.
__global__ void one_addition_kernel(unsigned long long* d_sums, unsigned int half) {
    if (threadIdx.x == 0) d_sums[blockIdx.x] += d_sums[blockIdx.x + half];
}

/// @}

/// @name Chapter 07: the end of a sum, and tiles
/// @{

/// How much of chapter 07's *last block* a kernel does after each block's sum.
enum class End { store, fence, ticket, all, atomic };

__device__ unsigned long long block_sum(unsigned long long value) {
    __shared__ unsigned long long values[kBlock];
    values[threadIdx.x] = value;
    __syncthreads();
    for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();
    }
    return values[0];
}

/// @brief Each block stores its sum; then it executes a fence; then it draws a ticket; then the last one adds
/// up.
/// @tparam kOneFence In the last block, only thread 0 executes a fence, before the barrier.
template <End kEnd, bool kOneFence = false>
__global__ void end_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials,
                           unsigned int* d_done, unsigned long long* d_sum) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    unsigned long long own = 0;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        own += square(d_data[i]);
    const unsigned long long sum = block_sum(own);
    if (kEnd == End::atomic) {
        if (threadIdx.x == 0) atomicAdd(d_sum, sum);
        return;
    }
    __shared__ bool last;
    if (threadIdx.x == 0) {
        d_partials[blockIdx.x] = sum;
        if (kEnd != End::store) __threadfence();
        last = kEnd >= End::ticket && atomicInc(d_done, gridDim.x - 1) == gridDim.x - 1;
        if (kOneFence) __threadfence();
    }
    if (kEnd < End::ticket) return;
    __syncthreads();
    if (kEnd == End::ticket || !last) return;
    if (!kOneFence) __threadfence();
    own = 0;
    for (unsigned int b = threadIdx.x; b < gridDim.x; b += blockDim.x) own += __ldcg(&d_partials[b]);
    const unsigned long long total = block_sum(own);
    if (threadIdx.x == 0) *d_sum = total;
}

/// Four loads of 16 bytes in flight per thread: a block's width apart, as in a tile, or a grid's width apart.
template <bool kTiles>
__global__ void tiles_kernel(const int4* d_data, std::size_t count, unsigned long long* d_sum) {
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    const std::size_t apart = kTiles ? blockDim.x : threads;
    const std::size_t own = kTiles ? std::size_t{blockIdx.x} * blockDim.x * 4 + threadIdx.x
                                   : std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    unsigned long long sum = 0;
    for (std::size_t i = own; i < count; i += 4 * threads) {
        int4 v[4];
#pragma unroll
        for (unsigned int k = 0; k < 4; ++k)
            v[k] = i + k * apart < count ? load<true>(&d_data[i + k * apart]) : int4{};
#pragma unroll
        for (unsigned int k = 0; k < 4; ++k) sum += square(v[k]);
    }
    for (unsigned int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffffu, sum, delta);
    if (threadIdx.x % 32 == 0) atomicAdd(d_sum, sum);
}

/// @}

/// A line of the output.
struct Trial {
    std::string name;
    std::function<void()> work;
    std::function<void()> clear = [] {};         ///< before each sample, not timed
    std::function<Results()> results = nullptr;  ///< null: it has none
};

/// Times trials side by side, and prints a line for each. @throws std::runtime_error if a result is wrong.
void print_trials(const std::string& title, const std::vector<Trial>& trials, const Results& expected,
                  const Device& device) {
    std::vector<Job> jobs;
    for (const Trial& trial : trials)
        jobs.push_back({.name = trial.name,
                        .work =
                            [&trial] {
                                trial.work();
                                CUDA_CHECK(cudaGetLastError());
                            },
                        .prepare = trial.clear,
                        .verify =
                            [&trial, &expected] {
                                if (!trial.results) return Verdict{};
                                return verdict_of(verify_one_by_one(trial.results(), expected));
                            }});
    const std::vector<Row> rows = time_in_rounds(jobs, 20, "clean", &device);
    std::printf("\n%s\n", title.c_str());
    for (std::size_t t = 0; t < trials.size(); ++t) {
        if (rows[t].verdict.is_wrong())
            throw std::runtime_error(trials[t].name + ": " + rows[t].verdict.words);
        std::printf("  %-46s %9s\n", trials[t].name.c_str(), format_time(rows[t]).c_str());
    }
}

/// Counters of one type, of which every `apart`-th is used.
template <typename Count>
struct Bins {
    explicit Bins(unsigned int apart_) : apart(apart_), d_bins(std::size_t{kBins} * apart_) {}
    void clear() const { CUDA_CHECK(cudaMemset(d_bins.data(), 0, d_bins.bytes())); }
    Results counts() const {
        const std::vector<Count> all = d_bins.to_host();
        Results used;
        for (std::size_t b = 0; b < kBins; ++b) used.push_back(all[b * apart]);
        return used;
    }
    unsigned int apart;
    DeviceBuffer<Count> d_bins;
};

/// Additions to counters that are some bytes apart, by a kernel with the parameters of `apart_kernel`.
template <typename Count>
Trial bins_trial(const std::string& name,
                 void (*kernel)(const unsigned char*, std::size_t, Count*, unsigned int), unsigned int grid,
                 unsigned int bytes_apart, const DeviceBuffer<unsigned char>& d_data) {
    const auto bins = std::make_shared<Bins<Count>>(bytes_apart / static_cast<unsigned int>(sizeof(Count)));
    return {name,
            [=, &d_data] {
                kernel<<<grid, kBlock>>>(d_data.data(), d_data.size(), bins->d_bins.data(), bins->apart);
            },
            [=] { bins->clear(); }, [=] { return bins->counts(); }};
}

void try_bins(const Device& device) {
    const std::vector<unsigned char> data = big_random_block(std::size_t{100} << 20, 1);
    const DeviceBuffer<unsigned char> d_data(data.size());
    CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), data.size(), cudaMemcpyHostToDevice));
    const Results expected = reference_histogram(data.data(), data.size());

    std::vector<Trial> trials;
    const unsigned int grid = 2 * multiprocessor_count();
    for (const unsigned int bytes : {8u, 16u, 32u, 64u, 128u, 256u, 512u, 1024u})
        trials.push_back(bins_trial<unsigned long long>(
            "64-bit counters, " + std::to_string(bytes) + " bytes apart", apart_kernel, grid, bytes, d_data));
    for (const unsigned int bytes : {4u, 8u})
        trials.push_back(bins_trial<unsigned int>(
            "32-bit counters, " + std::to_string(bytes) + " bytes apart", apart_kernel, grid, bytes, d_data));
    print_trials("02, grid-stride, 100 MiB of uniform bytes: counters further apart", trials, expected,
                 device);

    trials.clear();
    const unsigned int each = blocks_for(data.size(), kBlock);
    trials.push_back(bins_trial<unsigned long long>("neighbours merge neighbouring bins", merge_kernel<false>,
                                                    each, 8, d_data));
    trials.push_back(bins_trial<unsigned long long>("neighbours merge every eighth bin", merge_kernel<true>,
                                                    each, 8, d_data));
    trials.push_back(bins_trial<unsigned long long>("neighbouring bins are 128 bytes apart",
                                                    merge_kernel<false>, each, 128, d_data));
    print_trials("03, any block, 100 MiB of uniform bytes, 409600 blocks: other merges", trials, expected,
                 device);

    Results eight(8);
    for (std::size_t i = 3; i < data.size(); i += 4) ++eight[data[i] >> 5];
    const DeviceBuffer<unsigned long long> d_eight(8);
    const auto keys = [&](const char* name, auto kernel, bool is_complete = true) {
        Trial trial{name,
                    [=, &d_data, &d_eight] {
                        kernel<<<8 * multiprocessor_count(), kBlock>>>(
                            reinterpret_cast<const unsigned int*>(d_data.data()), d_data.size() / 4,
                            d_eight.data());
                    },
                    [&d_eight] { CUDA_CHECK(cudaMemset(d_eight.data(), 0, d_eight.bytes())); }};
        if (is_complete) trial.results = [&d_eight] { return Results(d_eight.to_host()); };
        return trial;
    };
    print_trials("03, 26214400 keys of 32 bits, 8 bins: comparisons and loads",
                 {keys("shared memory", eight_bins_kernel<0, 1>),
                  keys("registers, compared with 8 bins", eight_bins_kernel<8, 1>),
                  keys("registers, compared with 1 bin", eight_bins_kernel<1, 1>, false),
                  keys("shared memory, 4 loads in flight", eight_bins_kernel<0, 4>),
                  keys("registers, 8 bins, 4 loads in flight", eight_bins_kernel<8, 4>),
                  keys("registers, 1 bin, 4 loads in flight", eight_bins_kernel<1, 4>, false)},
                 eight, device);

    const Bins<unsigned long long> bins(1);
    const DeviceBuffer<unsigned int> d_pieces(2), d_never(1);
    const auto beside = [&](const char* name, auto kernel) {
        return Trial{name,
                     [=, &d_data, &bins, &d_pieces, &d_never] {
                         kernel<<<8 * multiprocessor_count(), kBlock>>>(d_data.data(), d_data.size(),
                                                                        bins.d_bins.data(), d_pieces.data(),
                                                                        d_never.data());
                     },
                     [&d_pieces] { CUDA_CHECK(cudaMemset(d_pieces.data(), 0, d_pieces.bytes())); }};
    };
    print_trials(
        "02, 100 MiB loaded by half of the warps of every second SM, beside additions to 256 counters",
        {beside("nobody adds", beside_kernel<Beside::nobody>),
         beside("as many warps of the other SMs add", beside_kernel<Beside::other_sms>),
         beside("the other warps of the same SMs add", beside_kernel<Beside::same_sms>)},
        {}, device);
}

/// The total of the first `count` partial sums.
Results total(const DeviceBuffer<unsigned long long>& d_partials, std::size_t count) {
    std::vector<unsigned long long> partials(count);
    CUDA_CHECK(
        cudaMemcpy(partials.data(), d_partials.data(), count * sizeof(partials[0]), cudaMemcpyDeviceToHost));
    Results sum{0};
    for (const unsigned long long partial : partials) sum[0] += partial;
    return sum;
}

void try_sums(const Device& device) {
    const std::size_t small = std::size_t{1} << 20, medium = std::size_t{1} << 28;
    const std::vector<int> data = generate_data(medium);
    const DeviceBuffer<int> d_data(medium);
    CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), d_data.bytes(), cudaMemcpyHostToDevice));
    const DeviceBuffer<unsigned long long> d_partials(medium / kBlock), d_sum(1);
    const DeviceBuffer<unsigned int> d_done(1);
    CUDA_CHECK(cudaMemset(d_done.data(), 0, d_done.bytes()));
    const auto clear = [&] { CUDA_CHECK(cudaMemset(d_sum.data(), 0, d_sum.bytes())); };
    const auto sum = [&] { return d_sum.to_host(); };

    for (const std::size_t n : {small, medium}) {
        const Results expected = on_all_cores<SumOfSquares>(data.data(), n);
        const unsigned int grid = blocks_for(n, kBlock);
        const auto tree = [&](const char* name, auto kernel) {
            return Trial{
                name,
                [=, &d_data, &d_partials] { kernel<<<grid, kBlock>>>(d_data.data(), n, d_partials.data()); },
                [] {}, [=, &d_partials] { return total(d_partials, grid); }};
        };
        const auto loads = [&](const char* name, auto kernel, unsigned int blocks) {
            return Trial{name, [=, &d_data, &d_partials] {
                             kernel<<<blocks, kBlock>>>(d_data.data(), n, d_partials.data());
                         }};
        };
        print_trials(
            "06, " + std::to_string(n) + " ints: pairs without the remainder, and loads without a tree",
            {tree("adjacent pairs", pairs_kernel<false>),
             tree("adjacent pairs, a mask for the remainder", pairs_kernel<true>),
             tree("pairs, packed", packed_kernel), loads("no tree", no_tree_kernel<1>, grid),
             loads("no tree, two elements per thread", no_tree_kernel<2>, grid / 2)},
            expected, device);
    }

    const auto launches = [=] {
        empty_kernel<<<blocks_for(small, kBlock), kBlock>>>();
        for (std::size_t count = small; count > 1; count = count - count / 2)
            empty_kernel<<<blocks_for(count - count / 2, kBlock), kBlock>>>();
    };
    const auto additions = [=, &d_partials] {
        empty_kernel<<<blocks_for(small, kBlock), kBlock>>>();
        for (std::size_t count = small; count > 1; count = count - count / 2) {
            const unsigned int blocks = blocks_for(count - count / 2, kBlock);
            one_addition_kernel<<<blocks, kBlock>>>(d_partials.data(), blocks);
        }
    };
    print_trials(
        "06, tree in global memory, 1048576 ints: the launches alone",
        {{"21 launches of an empty kernel", launches}, {"20 of them with an addition per block", additions}},
        {}, device);

    const unsigned int fitting = 8 * multiprocessor_count();
    const auto end = [&](const char* name, auto kernel, bool has_sum = true) {
        Trial trial{name,
                    [=, &d_data, &d_partials, &d_done, &d_sum] {
                        kernel<<<fitting, kBlock>>>(d_data.data(), small, d_partials.data(), d_done.data(),
                                                    d_sum.data());
                    },
                    clear};
        if (has_sum) trial.results = sum;
        return trial;
    };
    print_trials("07, last block, 1048576 ints: what its end takes",
                 {end("each block stores its sum", end_kernel<End::store>, false),
                  end("and executes a fence", end_kernel<End::fence>, false),
                  end("and draws a ticket", end_kernel<End::ticket>, false),
                  end("and the last block adds up", end_kernel<End::all>),
                  end("the same, one fence in the last block", end_kernel<End::all, true>),
                  end("instead, an atomic addition per block", end_kernel<End::atomic>)},
                 on_all_cores<SumOfSquares>(data.data(), small), device);

    const auto wide = [&](const char* name, auto kernel) {
        return Trial{name,
                     [=, &d_data, &d_sum] {
                         kernel<<<fitting, kBlock>>>(reinterpret_cast<const int4*>(d_data.data()), medium / 4,
                                                     d_sum.data());
                     },
                     clear, sum};
    };
    print_trials("07, 16-byte loads, 268435456 ints: where the four loads of a thread are",
                 {wide("in a tile, a block's width apart", tiles_kernel<true>),
                  wide("a grid's width apart", tiles_kernel<false>)},
                 on_all_cores<SumOfSquares>(data.data(), medium), device);
}

}  // namespace

int main() {
    return run_program([] {
        const Device device = init_cuda();
        std::printf("%s\n", device.name.c_str());
        try_bins(device);
        try_sums(device);
        return 0;
    });
}
