/// @file
/// @brief Measures the rates by which the lens's lower bounds divide counts (`./course profile`).
///
/// Each line printed is one kernel's least time for a known amount of work, as comma-separated values.
/// `--small` does little work, once, so that tools/lens/try_profile.py can check the amounts with the lens.
/// The rate of a resource is the best of its lines (tools/lens/profiles.py).
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../../common/bench/program.cuh"
#include "../../common/cuda/device.cuh"
#include "../../common/cuda/device_buffer.cuh"
#include "../../common/cuda/load.cuh"
#include "../../common/cuda/timer.cuh"

namespace {

constexpr unsigned int kSector = 32, kLine = 128, kWarp = 32;  // bytes, bytes, lanes
constexpr unsigned int kUnrolled = 8;
constexpr unsigned int kWords = 1024, kAll = kWords + kUnrolled * kWarp;  // numbers per block
constexpr unsigned int kIdle = ~0u;  // the index of a lane that adds nothing

__device__ int fold(int value) { return value; }
__device__ int fold(const int4& value) { return value.x ^ value.y ^ value.z ^ value.w; }

/// @name The kernels
/// A sum that is never equal to `never` keeps the compiler from removing loads.
/// @{

__global__ void empty_kernel() {}

/// Keeps the device busy while the host launches the measured kernels.
__global__ void wait_kernel(long long cycles) {
    const long long begin = clock64();
    while (clock64() - begin < cycles) {}
}

/// @brief Reads data by loads that bypass L1, four in flight per thread.
/// @tparam kFits Whether L2 holds the data. If not, the loads are streaming.
/// @param[in] n Number of elements, a multiple of four times the number of threads.
template <bool kFits>
__global__ void read_kernel(const int4* d_data, std::size_t n, unsigned int passes, int never, int* d_sum) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    int sum = 0;
    for (unsigned int pass = 0; pass < passes; ++pass)
        for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += 4 * stride) {
            const int4 a = load<!kFits>(d_data + i), b = load<!kFits>(d_data + i + stride);
            const int4 c = load<!kFits>(d_data + i + 2 * stride), d = load<!kFits>(d_data + i + 3 * stride);
            sum ^= fold(a) ^ fold(b) ^ fold(c) ^ fold(d);
        }
    if (sum == never) *d_sum = sum;
}

template <bool kFits>
__global__ void write_kernel(int4* d_data, std::size_t n, unsigned int passes) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (unsigned int pass = 0; pass < passes; ++pass)
        for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
            d_data[i] = make_int4(static_cast<int>(pass), 1, 2, 3);
}

/// Every warp stores once, all to the same sectors.
__global__ void same_sectors_kernel(int* d_data) {
    d_data[threadIdx.x % kWarp * (kSector / sizeof(int))] = static_cast<int>(blockIdx.x);
}

__global__ void copy_kernel(const int4* d_from, int4* d_to, std::size_t n) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        d_to[i] = d_from[i];
}

/// Makes `loads` loads from a block's `kAll` numbers, and folds the loaded values into one number.
template <typename T>
__device__ int fold_all(const T* numbers, unsigned int loads) {
    int sum = 0;
    for (unsigned int k = 0; k < loads; k += kUnrolled)
#pragma unroll
        for (unsigned int j = 0; j < kUnrolled; ++j) {
            const T number = numbers[(threadIdx.x + k * kWarp) % kWords + j * kWarp];
            sum ^= fold(number);
        }
    return sum;
}

/// Each block loads its own `kWords` numbers and some more, again and again. Its L1 cache holds them.
template <typename T>
__global__ void cached_kernel(const T* d_data, unsigned int loads, int never, int* d_sum) {
    const T* const own = d_data + std::size_t{blockIdx.x} * kAll;
    const int sum = fold_all(own, loads);
    if (sum == never) *d_sum = sum;
}

template <typename T>
__global__ void shared_load_kernel(unsigned int loads, int never, int* d_sum) {
    __shared__ T values[kAll];
    for (unsigned int i = threadIdx.x; i < kAll; i += blockDim.x) values[i] = T{};
    __syncthreads();
    const int sum = fold_all(values, loads);
    if (sum == never) *d_sum = sum;
}

/// Additions without conflicts. Adding a constant and adding an unknown number are different instructions.
template <bool kConstant>
__global__ void shared_atomic_kernel(unsigned int additions, unsigned int number, unsigned int never,
                                     int* d_sum) {
    __shared__ unsigned int values[kAll];
    for (unsigned int i = threadIdx.x; i < kAll; i += blockDim.x) values[i] = 0;
    __syncthreads();
    for (unsigned int k = 0; k < additions; k += kUnrolled)
#pragma unroll
        for (unsigned int j = 0; j < kUnrolled; ++j)
            atomicAdd(&values[(threadIdx.x + k * kWarp) % kWords + j * kWarp], kConstant ? 1u : number);
    __syncthreads();
    if (values[threadIdx.x] == never) *d_sum = 1;
}

constexpr unsigned int kStores = 256;
/// One lane stores to `kStores` places, again and again.
__global__ void shared_store_kernel(unsigned int stores, int never, int* d_sum) {
    __shared__ volatile int values[kStores];
    if (threadIdx.x == 0)
        for (unsigned int k = 0; k < stores; k += kStores)
#pragma unroll
            for (unsigned int j = 0; j < kStores; ++j) values[j] = static_cast<int>(k);
    if (never == 0 && threadIdx.x == 0) *d_sum = values[0];
}

/// Each thread adds to the number at its index, which the compiler does not know; with `kIdle`, to none.
template <typename T>
__global__ void global_atomic_kernel(const unsigned int* d_index, T* d_cells, unsigned int additions) {
    const unsigned int index = d_index[blockIdx.x * blockDim.x + threadIdx.x];
    if (index == kIdle) return;
    for (unsigned int k = 0; k < additions; ++k) atomicAdd(&d_cells[index], static_cast<T>(k));
}

__global__ void barrier_kernel(unsigned int barriers) {
    for (unsigned int k = 0; k < barriers; ++k) __syncthreads();
}

/// @}

/// How a kernel is launched.
struct Shape {
    unsigned int grid, block;
};

/// The amounts of a kernel's work, by resource, such as bytes for "DRAM". tools/lens/profiles.py names all
/// resources.
using Amounts = std::map<std::string, double>;

/// Times kernels, and prints a line for each resource that they use.
class Profile {
 public:
    explicit Profile(bool is_small) : is_small_(is_small) {
        const Device device = init_cuda();
        name_ = device.name;
        sms_ = is_small ? 2 : static_cast<unsigned int>(device.multiprocessors);
        l2_bytes_ = device.l2_bytes;
        free_bytes_ = device.free_bytes;
        std::printf("device,resource,kernel,grid,block,amount,seconds\n");
        fact("SMs", multiprocessor_count());
        fact("L2 bytes", static_cast<double>(l2_bytes_));
        fact("threads per SM", device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
        fact("blocks per SM", device_attribute(cudaDevAttrMaxBlocksPerMultiprocessor));
        fact("clock in Hz", 1e3 * device_attribute(cudaDevAttrClockRate));
    }

    bool is_small() const { return is_small_; }
    unsigned int sms() const { return sms_; }
    std::size_t l2_bytes() const { return l2_bytes_; }
    std::size_t free_bytes() const { return free_bytes_; }
    unsigned int repeats(unsigned int many) const { return is_small_ ? kUnrolled : many; }

    /// The launch shapes that a kernel is tried with; the fastest one counts.
    std::vector<Shape> shapes() const {
        if (is_small_) return {{2, 256}};
        std::vector<Shape> result;
        for (const unsigned int blocks : {1u, 2u, 4u, 8u}) result.push_back({blocks * sms_, 256});
        for (const unsigned int blocks : {1u, 2u}) result.push_back({blocks * sms_, 1024});
        return result;
    }

    /// Prints the least time of several runs. Everything is launched before any of it can start.
    void measure(const std::string& kernel, unsigned int grid, unsigned int block, const Amounts& amounts,
                 const std::function<void()>& launch, long long wait_cycles = 400'000) {
        double least = std::numeric_limits<double>::infinity();
        for (unsigned int k = 0; k < (is_small_ ? 1u : 12u); ++k) {
            if (!is_small_) wait_kernel<<<1, 1>>>(wait_cycles);
            timer_.start();
            launch();
            least = std::min(least, timer_.stop());
            CUDA_CHECK(cudaGetLastError());
        }
        for (const auto& [resource, amount] : amounts)
            std::printf("\"%s\",%s,%s,%u,%u,%.17g,%.6g\n", name_.c_str(), resource.c_str(), kernel.c_str(),
                        grid, block, amount, least);
    }

 private:
    void fact(const char* what, double value) const {
        std::printf("\"%s\",%s,,,,%.17g,\n", name_.c_str(), what, value);
    }

    bool is_small_;
    std::string name_;
    unsigned int sms_;
    std::size_t l2_bytes_, free_bytes_;
    EventTimer timer_;
};

void launches(Profile& profile) {
    constexpr long long kCyclesOfHost = 20'000;  // in which the host launches a kernel
    for (const unsigned int count : {1u, 10u, 100u, 500u})
        profile.measure(
            "empty_kernel", 1, 32, {{"launches", count}},
            [=] {
                for (unsigned int k = 0; k < count; ++k) empty_kernel<<<1, 32>>>();
            },
            400'000 + count * kCyclesOfHost);
}

/// The largest number of 16-byte elements in `bytes` of which each thread gets the same multiple of four.
std::size_t elements(std::size_t bytes, unsigned int threads) {
    const std::size_t all = bytes / sizeof(int4), turn = std::size_t{4} * threads;
    return std::max<std::size_t>(1, all / turn) * turn;
}

/// Streams much more than L2 holds, once, and then data that fits in L2, again and again.
void memory(Profile& profile) {
    const std::size_t most =
        profile.is_small() ? 1 << 18 : std::min(std::size_t{4} << 30, profile.free_bytes() / 4);
    const DeviceBuffer<int4> d_data(most / sizeof(int4)), d_other(most / sizeof(int4));
    const DeviceBuffer<int> d_sum(1);
    CUDA_CHECK(cudaMemset(d_data.data(), 0, d_data.bytes()));
    CUDA_CHECK(cudaMemset(d_other.data(), 0, d_other.bytes()));
    for (const Shape shape : profile.shapes()) {
        const unsigned int grid = shape.grid, block = shape.block;
        int4 *d_from = d_data.data(), *d_to = d_other.data();
        const auto swap = [&] { std::swap(d_from, d_to); };  // to data of which L2 holds only little
        for (const unsigned int part : {1u, 2u, 4u}) {
            const std::size_t n = elements(most / part, grid * block);
            const double bytes = static_cast<double>(n) * sizeof(int4);
            profile.measure("read_kernel<false>", grid, block, {{"DRAM", bytes}}, [&] {
                read_kernel<false><<<grid, block>>>(d_from, n, 1, 1, d_sum.data());
                swap();
            });
            profile.measure("write_kernel<false>", grid, block, {{"DRAM", bytes}}, [&] {
                write_kernel<false><<<grid, block>>>(d_to, n, 1);
                swap();
            });
            profile.measure("copy_kernel", grid, block, {{"DRAM", 2 * bytes}},
                            [&] { copy_kernel<<<grid, block>>>(d_from, d_to, n); });
        }
        for (const unsigned int part : {16u, 8u, 4u, 2u}) {
            const std::size_t fits =
                elements(profile.is_small() ? most / part : profile.l2_bytes() / part, grid * block);
            const unsigned int passes = profile.repeats(16 * part);
            const double sectors = static_cast<double>(fits) * sizeof(int4) / kSector * passes;
            profile.measure("read_kernel<true>", grid, block, {{"L2", sectors}}, [&] {
                read_kernel<true><<<grid, block>>>(d_data.data(), fits, passes, 1, d_sum.data());
            });
            profile.measure("write_kernel<true>", grid, block, {{"L2", sectors}},
                            [&] { write_kernel<true><<<grid, block>>>(d_data.data(), fits, passes); });
        }
        const unsigned int blocks = profile.repeats(64) * grid;
        const double sectors = 1.0 * blocks * block;
        profile.measure("same_sectors_kernel", blocks, block, {{"stores", sectors}}, [&] {
            same_sectors_kernel<<<blocks, block>>>(reinterpret_cast<int*>(d_data.data()));
        });
    }
}

template <typename T>
void in_an_sm(Profile& profile) {
    const unsigned int loads = profile.repeats(8192);
    constexpr unsigned int kEach = sizeof(T) / sizeof(int);  // wavefronts, of 128 bytes each, per request
    const std::string of = kEach == 1 ? "<int>" : "<int4>", cached = "cached_kernel" + of,
                      shared = "shared_load_kernel" + of;
    const DeviceBuffer<int> d_sum(1);
    const DeviceBuffer<T> d_data(std::size_t{8} * profile.sms() * kAll);
    CUDA_CHECK(cudaMemset(d_data.data(), 1, d_data.bytes()));
    for (const Shape shape : profile.shapes()) {
        const unsigned int grid = shape.grid, block = shape.block;
        const double requests = static_cast<double>(grid) * block / kWarp * loads;
        profile.measure(cached, grid, block, {{"L1", requests * kEach * kLine / kSector}},
                        [&] { cached_kernel<T><<<grid, block>>>(d_data.data(), loads, 7, d_sum.data()); });
        // Includes the stores of each block's numbers, before the loads.
        profile.measure(shared, grid, block,
                        {{"shared memory", requests * kEach + 1.0 * grid * kEach * kAll / kWarp}},
                        [&] { shared_load_kernel<T><<<grid, block>>>(loads, 7, d_sum.data()); });
    }
    if (kEach > 1) return;  // some CPU compilers split accesses of 16 bytes
    profile.measure(shared, 1, 32, {{"one thread", loads + kAll / kWarp}},
                    [&] { shared_load_kernel<T><<<1, 32>>>(loads, 7, d_sum.data()); });
    profile.measure(cached, 1, 32, {{"one thread", loads}},
                    [&] { cached_kernel<T><<<1, 32>>>(d_data.data(), loads, 7, d_sum.data()); });
    const unsigned int stores = profile.repeats(64) * kStores;
    profile.measure("shared_store_kernel", 1, 32, {{"one thread", stores}},
                    [&] { shared_store_kernel<<<1, 32>>>(stores, 7, d_sum.data()); });
}

template <bool kConstant>
void shared_atomics(Profile& profile) {
    const unsigned int additions = profile.repeats(8192);
    const DeviceBuffer<int> d_sum(1);
    for (const Shape shape : profile.shapes()) {
        const unsigned int grid = shape.grid, block = shape.block;
        const double requests = static_cast<double>(grid) * block / kWarp * additions;
        const double others = 1.0 * grid * (kAll + block) / kWarp;  // stores before, loads after
        profile.measure(kConstant ? "shared_atomic_kernel<true>" : "shared_atomic_kernel<false>", grid, block,
                        {{"shared memory", requests + others}}, [&] {
                            shared_atomic_kernel<kConstant><<<grid, block>>>(additions, 3, ~0u, d_sum.data());
                        });
    }
}

/// How often sectors of each line are requested, and how often each address is added to.
struct Counts {
    std::vector<double> lines, addresses;

    explicit Counts(std::size_t cells) : lines(cells), addresses(cells) {}

    /// @brief Adds one warp's atomic request. @param[in] bytes The size of an element.
    ///
    /// The r-th lane that names an address belongs to round r, and each round requests its sectors again.
    void add_request(const unsigned int* index, std::size_t bytes) {
        std::map<std::size_t, unsigned int> rounds;
        std::set<std::pair<unsigned int, std::size_t>> seen;
        for (unsigned int lane = 0; lane < kWarp; ++lane) {
            if (index[lane] == kIdle) continue;
            const std::size_t address = index[lane] * bytes;
            ++addresses[index[lane]];
            if (seen.insert({rounds[address]++, address / kSector}).second) ++lines[address / kLine];
        }
    }
};

template <typename T>
void global_atomics(Profile& profile) {
    constexpr unsigned int kPerSector = kSector / sizeof(T), kPerLine = kLine / sizeof(T);
    // A lane's index, as a function of its thread's number in the grid.
    constexpr unsigned int (*kPatterns[])(unsigned int) = {
        [](unsigned int) { return 0u; },
        [](unsigned int t) { return t % kPerSector; },
        [](unsigned int t) { return t % kPerLine; },
        [](unsigned int t) { return t % (4 * kPerLine); },
        [](unsigned int t) { return t % (16 * kPerLine); },
        [](unsigned int t) { return t % kWarp == 0 ? 0u : kIdle; },
        [](unsigned int t) { return t % kWarp == 0 ? t / kWarp % kPerSector : kIdle; },
        [](unsigned int t) { return t % kWarp == 0 ? t / kWarp % kPerLine : kIdle; },
        [](unsigned int t) { return t; },
        [](unsigned int t) { return t * kPerSector; },
    };
    const std::string kernel =
        sizeof(T) == 4 ? "global_atomic_kernel<unsigned int>" : "global_atomic_kernel<unsigned long long>";
    const unsigned int additions = profile.repeats(64);
    for (const Shape shape : profile.shapes()) {
        const unsigned int grid = shape.grid, block = shape.block;
        const unsigned int threads = grid * block;
        const DeviceBuffer<unsigned int> d_index(threads);
        const DeviceBuffer<T> d_cells(std::size_t{kPerSector} * threads);
        CUDA_CHECK(cudaMemset(d_cells.data(), 0, d_cells.bytes()));
        for (const auto& pattern : kPatterns) {
            std::vector<unsigned int> index(threads);
            Counts counts(d_cells.size());
            for (unsigned int t = 0; t < threads; ++t) index[t] = pattern(t);
            for (unsigned int t = 0; t < threads; t += kWarp) counts.add_request(&index[t], sizeof(T));
            CUDA_CHECK(cudaMemcpy(d_index.data(), index.data(), d_index.bytes(), cudaMemcpyHostToDevice));
            const auto most = [](const std::vector<double>& of) {
                return *std::max_element(of.begin(), of.end());
            };
            profile.measure(
                kernel, grid, block,
                {{"atomics", std::accumulate(counts.lines.begin(), counts.lines.end(), 0.0) * additions},
                 {"atomics on one line", most(counts.lines) * additions},
                 {"atomics on one address", most(counts.addresses) * additions}},
                [&] { global_atomic_kernel<T><<<grid, block>>>(d_index.data(), d_cells.data(), additions); });
        }
    }
}

void barriers(Profile& profile) {
    const unsigned int count = profile.repeats(10'000);
    for (const unsigned int block : {32u, 64u, 128u, 256u, 512u, 1024u})
        profile.measure("barrier_kernel", 1, block, {{"barriers", count}},
                        [&] { barrier_kernel<<<1, block>>>(count); });
}

}  // namespace

int main(int count, char** arguments) {
    return run_program([=] {
        const bool is_small = count == 2 && std::strcmp(arguments[1], "--small") == 0;
        if (count > 1 && !is_small) throw BadOption("profile accepts only --small");
        Profile profile(is_small);
        if (!is_small) wait_kernel<<<1, 1>>>(1'000'000'000);  // for half a second, to let the clocks rise
        launches(profile);
        memory(profile);
        in_an_sm<int>(profile);
        in_an_sm<int4>(profile);
        shared_atomics<true>(profile);
        shared_atomics<false>(profile);
        global_atomics<unsigned int>(profile);
        global_atomics<unsigned long long>(profile);
        barriers(profile);
        return 0;
    });
}
