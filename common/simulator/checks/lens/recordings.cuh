/// @file
/// @brief Checks of recorded blocks: the order of the steps, which a GPU could also choose, and the JSON.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "../../../checks/catch.hpp"
#include "../../../checks/setting.hpp"
#include "../../../cuda/device_buffer.cuh"
#include "../../include/simulator/json.hpp"
#include "seen.hpp"

namespace recording_checks {

using lens_checks::Seen;
using lens_checks::seen;

struct Recorded {
    Seen seen;
    std::string json;
    bool has(const std::string& words) const { return json.find(words) != std::string::npos; }
    std::size_t count(const std::string& words) const {
        std::size_t count = 0;
        for (std::size_t at = 0; (at = json.find(words, at)) != std::string::npos; ++at) ++count;
        return count;
    }
};

/// Records a block of the first kernel that `run` launches, or of the first launch with `blocks` blocks. Line
/// numbers are omitted, because they change.
template <typename Run>
Recorded recorded(const Run& run, std::uint64_t block = 0, std::uint64_t blocks = 0) {
    lens::the_lens().record({"", block, blocks});
    Recorded result{seen(run), {}};
    std::ostringstream text;
    Json json(text);
    lens::the_lens().write_recording(json);
    json.end();
    lens::the_lens().record_nothing();
    result.json = std::regex_replace(text.str(), std::regex("\"[^\"]*:[0-9]+\""), "L");
    return result;
}

template <typename T>
DeviceBuffer<T> on_device(const std::vector<T>& numbers) {
    DeviceBuffer<T> d_numbers(numbers.size());
    CUDA_CHECK(cudaMemcpy(d_numbers.data(), numbers.data(), d_numbers.bytes(), cudaMemcpyHostToDevice));
    return d_numbers;
}

/// Each of 33 threads reads what the next one has stored.
__global__ void rotate_kernel(const int* d_data, int* d_results) {
    __shared__ int values[33];
    values[threadIdx.x] = d_data[threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= 31) d_results[threadIdx.x] = values[(threadIdx.x + 1) % 33];
}

TEST_CASE("a recording has the requests of each warp, its waits, the barrier, and all values") {
    std::vector<int> numbers;
    for (int i = 0; i < 33; ++i) numbers.push_back(100 + i);
    const DeviceBuffer<int> d_data = on_device(numbers), d_results(33);
    const Recorded all = recorded([&] { rotate_kernel<<<1, 33>>>(d_data.data(), d_results.data()); });
    std::string stored = "100";
    for (int i = 101; i < 132; ++i) stored += "," + std::to_string(i);
    const std::string
        kAll = "4294967295",
        steps =
            R"("steps":[{"do":"access","warp":0,"lanes":)" + kAll +
            R"(,"site":0,"array":0,"cells":1,"cost":4,"first":0,"by":1},)"
            R"({"do":"access","warp":0,"lanes":)" +
            kAll + R"(,"site":1,"array":1,"cells":1,"cost":1,"first":0,"by":1,"to":[)" + stored +
            R"(]},)"
            R"({"do":"wait","warp":0,"lanes":)" +
            kAll +
            R"(,"line":L},)"
            R"({"do":"access","warp":1,"lanes":1,"site":0,"array":0,"cells":1,"cost":1,"first":32,"by":0},)"
            R"({"do":"access","warp":1,"lanes":1,"site":1,"array":1,"cells":1,"cost":1,"first":32,"by":0,"to":[132]},)"
            R"({"do":"wait","warp":1,"lanes":1,"line":L},)"
            R"({"do":"barrier","line":L},)"
            R"({"do":"return","warp":0,"lanes":2147483647},)"
            R"({"do":"access","warp":0,"lanes":2147483648,"site":2,"array":1,"cells":1,"cost":1,"first":32,"by":0},)"
            R"({"do":"access","warp":0,"lanes":2147483648,"site":3,"array":2,"cells":1,"cost":1,"first":31,"by":0,"to":[132]},)"
            R"({"do":"return","warp":0,"lanes":2147483648},)"
            R"({"do":"access","warp":1,"lanes":1,"site":2,"array":1,"cells":1,"cost":1,"first":0,"by":0},)"
            R"({"do":"access","warp":1,"lanes":1,"site":3,"array":2,"cells":1,"cost":1,"first":32,"by":0,"to":[100]},)"
            R"({"do":"return","warp":1,"lanes":1}])";
    CHECK(all.json.substr(all.json.find("\"steps\""), steps.size()) == steps);
    CHECK(all.has(R"("threads":33,"cut":false)"));
    CHECK(all.has(
        R"({"name":"values","space":"shared","bytes":132,"misaligned":0,"cell":4,"first":0,"before":[null,null,)"));
    CHECK(all.has(R"("space":"global","bytes":132,)"));
    CHECK(all.has(R"("sites":[{"kind":"load","lines":[L]},{"kind":"store","lines":[L]},{"kind":"load",)"));
    CHECK(all.seen.findings.empty());
    CHECK(d_results.to_host()[32] == 100);
}

__global__ void count_kernel(int* d_count) { ++d_count[0]; }

__global__ void volatile_count_kernel(int* d_count) {
    volatile int* const count = d_count;
    *count = *count + 1;
}

__global__ void add_kernel(int* d_count) { atomicAdd(&d_count[0], 1); }

__global__ void swap_kernel(int* d_count) {
    int old = *d_count, assumed;
    do {
        assumed = old;
        old = atomicCAS(d_count, assumed, assumed + 1);
    } while (old != assumed);
}

template <typename Kernel>
Recorded counted(Kernel* kernel, int& count) {
    const DeviceBuffer<int> d_count(1);
    CUDA_CHECK(cudaMemset(d_count.data(), 0, d_count.bytes()));
    const Recorded all = recorded([&] { kernel<<<1, 64>>>(d_count.data()); });
    count = d_count.to_host().front();
    return all;
}

TEST_CASE(
    "in a recording, the lanes of a warp load a count before any of them stores it, and atomics lose "
    "nothing") {
    int count = 0;
    const Recorded racy = counted(count_kernel, count);
    CHECK(count == 2);  // one per warp
    CHECK(racy.seen.has_race());
    CHECK(racy.has(
        R"("to":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"race":{"thread":1,"other":0,)"));
    counted(volatile_count_kernel, count);
    CHECK(count == 2);
    const Recorded atomic = counted(add_kernel, count);
    CHECK(count == 64);
    CHECK(atomic.has(R"("cost":32,"first":0,"by":0,"to":[1,2,3,4,)"));
    const Recorded swaps = counted(swap_kernel, count);
    CHECK(count == 64);
    CHECK(
        swaps.has(R"("to":[1,1,1,1,)"));  // one lane succeeds, and the others have compared with an old count
    CHECK(!swaps.seen.has_race());
}

__global__ void shuffle_kernel(int* d_results) {
    d_results[threadIdx.x] = __shfl_down_sync(~0u, static_cast<int>(threadIdx.x) + 10, 1);
}

TEST_CASE("a recording has the values that lanes exchange, and what the memory held before the block ran") {
    const DeviceBuffer<int> d_results(32);
    CUDA_CHECK(cudaMemset(d_results.data(), 0, d_results.bytes()));
    const auto launch = [&] { shuffle_kernel<<<2, 32>>>(d_results.data()); };
    std::string values = "10", from = "1";
    for (int lane = 1; lane < 32; ++lane) {
        values += "," + std::to_string(lane + 10);
        from += "," + std::to_string(lane < 31 ? lane + 1 : lane);
    }
    CHECK(recorded(launch).has(R"("function":"__shfl_down_sync","values":[)" + values + R"(],"from":[)" +
                               from + "]}"));
    CHECK(recorded(launch, 1).has(R"("before":[11,12,13,)"));
}

/// Stores like another block: the store is not recorded.
__attribute__((noinline, no_sanitize("thread"))) __device__ inline void store_unseen(int* d_data) {
    *d_data = 7;
}

__global__ void change_kernel(int* d_data) {
    if (threadIdx.x != 2) return;
    const int before = d_data[0];
    store_unseen(d_data);
    d_data[1] = before + d_data[0];
}

TEST_CASE("a recording says what other blocks have changed") {
    const DeviceBuffer<int> d_data(2);
    CUDA_CHECK(cudaMemset(d_data.data(), 0, d_data.bytes()));
    CHECK(recorded([&] {
              change_kernel<<<1, 3>>>(d_data.data());
          }).has(R"("found":[{"lane":2,"values":[7]}])"));
}

/// After the lanes have met, stores again without being recorded, like another block. @param[in] set
/// `memset`, which is not instrumented.
template <bool kBarrier>
__global__ void later_change_kernel(int* d_data, void* (*set)(void*, int, std::size_t)) {
    *d_data = 1;
    if (kBarrier)
        __syncthreads();
    else
        __syncwarp(1);
    set(d_data, 0, sizeof(*d_data));
}

TEST_CASE("a recording has what a store leaves, even if another block stores there after a barrier") {
    const DeviceBuffer<int> d_data(1);
    CHECK(recorded([&] {
              later_change_kernel<true><<<1, 1>>>(d_data.data(), std::memset);
          }).has(R"("to":[1])"));
    CHECK(recorded([&] {
              later_change_kernel<false><<<1, 1>>>(d_data.data(), std::memset);
          }).has(R"("to":[1])"));
}

/// As before Volta, the lane that holds the lock waits for the lanes that wait for the lock.
__global__ void lock_kernel(int* d_lock, int* d_count) {
    while (atomicCAS(d_lock, 0, 1) != 0) {}
    __threadfence();
    *d_count += 1;
    __threadfence();
    atomicExch(d_lock, 0);
}

TEST_CASE("a long recording is cut off, and then all threads continue") {
    const DeviceBuffer<int> d_lock(1), d_count(1);
    CUDA_CHECK(cudaMemset(d_lock.data(), 0, d_lock.bytes()));
    CUDA_CHECK(cudaMemset(d_count.data(), 0, d_count.bytes()));
    const Recorded all = recorded([&] { lock_kernel<<<1, 32>>>(d_lock.data(), d_count.data()); });
    CHECK(all.has("\"cut\":true"));
    CHECK(d_count.to_host().front() == 32);
    // 32 lanes ask for the lock, then 31 again and again. The last 17 of the 10000 accesses are one step.
    CHECK(all.count(R"("do":"access")") == 1 + (10000 - 32) / 31 + 1);
    const std::string last = all.json.substr(all.json.rfind(R"("do":"access")"));
    CHECK(last.starts_with(R"("do":"access","warp":0,"lanes":262142,)"));  // lanes 1 to 17
    std::string stored = "1";
    for (int i = 1; i < 17; ++i) stored += ",1";
    CHECK(last.find(R"("first":0,"by":0,"to":[)" + stored + "]}],") !=
          std::string::npos);  // and no step follows
}

__global__ void widths_kernel(unsigned char* d_bytes, short* d_shorts, int* d_ints, long long* d_longs,
                              int4* d_vectors) {
    d_bytes[1] += 100;
    d_shorts[1] -= 3;
    d_ints[1] -= 7;
    d_longs[1] -= 5;
    d_vectors[1] = d_vectors[0];
}

TEST_CASE("in a recording, bytes are unsigned, wider numbers have a sign, and a vector is four numbers") {
    const auto d_bytes = on_device(std::vector<unsigned char>{50, 150, 0});
    const auto d_shorts = on_device(std::vector<short>{0, 1, 0});
    const auto d_ints = on_device(std::vector<int>{0, 1, 0});
    const auto d_longs = on_device(std::vector<long long>{0, 1ll << 40, 0});
    const auto d_vectors = on_device(std::vector<int4>{make_int4(-1, 2, 3, 4), make_int4(5, 6, 7, 8)});
    const Recorded all = recorded([&] {
        widths_kernel<<<1, 1>>>(d_bytes.data(), d_shorts.data(), d_ints.data(), d_longs.data(),
                                d_vectors.data());
    });
    for (const char* const words :
         {R"("cell":1,"first":1,"before":[150])", R"("cell":2,"first":1,"before":[1])",
          R"("cell":4,"first":1,"before":[1])", R"("cell":8,"first":1,"before":[1099511627776])",
          R"("cell":4,"first":0,"before":[-1,2,3,4,5,6,7,8])", R"("to":[250])", R"("to":[-2])",
          R"("to":[-6])", R"("to":[1099511627771])", R"("array":4,"cells":4,)"})
        CHECK(all.has(words));
}

/// A structure of 6 bytes, which is copied by one access.
struct Three {
    short numbers[3];
};

__global__ void uneven_kernel(short* d_shorts, const Three* d_from) {
    *reinterpret_cast<Three*>(d_shorts + 3) = *d_from;
    *reinterpret_cast<int*>(d_shorts + 6) = 9;
}

TEST_CASE("in a recording, the cells of an array begin at multiples of their width") {
    const auto d_shorts = on_device(std::vector<short>{0, 0, 1, 0, 2, 0, 3, 0});
    const auto d_from = on_device(std::vector<Three>(1));
    CHECK(recorded([&] {
              uneven_kernel<<<1, 1>>>(d_shorts.data(), d_from.data());
          }).has(R"("cell":4,"first":1,"before":[1,2,3])"));
}

__global__ void ends_kernel(int* d_data, unsigned int last) { d_data[0] = d_data[last] = 1; }

TEST_CASE("a recording has what an array held from the first to the last cell used, at most 1024 cells") {
    const DeviceBuffer<int> d_few(4), d_many(2000);
    const int written[] = {5, 6};
    CUDA_CHECK(cudaMemcpy(d_few.data(), written, sizeof(written), cudaMemcpyHostToDevice));
    CHECK(recorded([&] { ends_kernel<<<1, 1>>>(d_few.data(), 3); }).has(R"("before":[5,6,null,null])"));
    // Elements between the accessed ones may be written or not.
    const DeviceBuffer<int> d_every_other(4);
    for (const unsigned int i : {0u, 2u})
        CUDA_CHECK(cudaMemcpy(d_every_other.data() + i, written, sizeof(written[0]), cudaMemcpyHostToDevice));
    CHECK(
        recorded([&] { ends_kernel<<<1, 1>>>(d_every_other.data(), 3); }).has(R"("before":[5,null,5,null])"));
    const std::string many = recorded([&] { ends_kernel<<<1, 1>>>(d_many.data(), 1999); }).json;
    const std::size_t begin = many.find("\"before\":");
    CHECK(std::count(many.begin() + begin, many.begin() + many.find(']', begin), ',') == 1023);
}

/// Three lanes of the second warp exchange values between two barriers.
__global__ void barriers_kernel(int* d_data) {
    __syncthreads();
    if (threadIdx.x >= 32 && threadIdx.x < 35) d_data[threadIdx.x] = __shfl_sync(7u, 9, 0);
    __syncthreads();
}

TEST_CASE("in a recording, a warp waits at each barrier, and shuffles are those of its warp") {
    const DeviceBuffer<int> d_data(64);
    const Recorded all = recorded([&] { barriers_kernel<<<1, 64>>>(d_data.data()); });
    CHECK(all.count(R"({"do":"wait","warp":0,"lanes":4294967295,)") == 2);
    CHECK(all.has(R"({"do":"meet","warp":1,"lanes":7,"line":L,"function":"__shfl_sync","values":[9,9,9],)"));
}

/// Two lanes of the first warp meet between two stores.
__global__ void some_meet_kernel(int* d_data) {
    d_data[threadIdx.x] = 1;
    if (threadIdx.x == 0 || threadIdx.x == 5) __syncwarp(33u);
    d_data[64 + threadIdx.x] = 2;
}

TEST_CASE("in a recording, lanes that have met continue with the others of their warp") {
    const DeviceBuffer<int> d_data(128);
    const Recorded all = recorded([&] { some_meet_kernel<<<1, 64>>>(d_data.data()); });
    for (const char* const words : {R"({"do":"access","warp":0,"lanes":4294967295,"site":0,)",
                                    R"({"do":"access","warp":0,"lanes":4294967295,"site":1,)",
                                    R"({"do":"access","warp":1,"lanes":4294967295,"site":1,)"})
        CHECK(all.has(words));
}

/// Each of two lanes copies to its own array, twice.
__global__ void two_arrays_kernel(const int* d_from, int* d_one, int* d_two, unsigned int n) {
    int* const mine = threadIdx.x == 0 ? d_one : d_two;
    for (unsigned int i = 0; i < n; ++i) mine[i] = d_from[i];
}

/// In each turn of a loop, one lane of the second warp meets itself before it stores, and another one only
/// stores.
__global__ void branches_kernel(int* d_data, unsigned int n) {
    if (threadIdx.x < 32) return;
    for (unsigned int i = 0; i < n; ++i) {
        if (threadIdx.x == 33) {
            d_data[0] = 1;
        } else {
            __syncwarp(1u);
            d_data[1] = 2;
        }
    }
}

/// The lanes of a recording's accesses and their sites, in order.
std::string order_of(const Recorded& all) {
    static const std::regex access(R"re("do":"access","warp":\d+,"lanes":(\d+),"site":(\d+))re");
    return std::regex_replace(all.json, access, "$1 at $2, ", std::regex_constants::format_no_copy);
}

TEST_CASE("in a recording, lanes that use different arrays, or are in different branches, take turns") {
    const auto d_from = on_device(std::vector<int>{1, 2});
    const DeviceBuffer<int> d_one(2), d_two(2), d_data(2);
    CHECK(order_of(recorded([&] {
              two_arrays_kernel<<<1, 2>>>(d_from.data(), d_one.data(), d_two.data(), 2);
          })) == "3 at 0, 1 at 1, 2 at 1, 3 at 0, 1 at 1, 2 at 1, ");
    // A lane that has jumped back counts as being at the end of the loop until it meets other lanes.
    CHECK(order_of(recorded([&] { branches_kernel<<<1, 34>>>(d_data.data(), 2); })) ==
          "2 at 0, 1 at 1, 1 at 1, 2 at 0, ");
}

__global__ void squares_kernel(int* d_data) {
    d_data[threadIdx.x * threadIdx.x] = static_cast<int>(threadIdx.x);
}

TEST_CASE("a recording has each lane's cell, in any order of the threads") {
    const DeviceBuffer<int> d_data(10);
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
        const Setting order("CUDA_SIM_SEED", seed);
        CHECK(recorded([&] {
                  squares_kernel<<<1, 4>>>(d_data.data());
              }).has(R"("at":[0,1,4,9],"to":[0,1,2,3])"));
    }
}

__global__ void full_kernel(int* d_data) { d_data[threadIdx.x] = 1; }

TEST_CASE("a recording of the largest block has each warp's return once") {
    const DeviceBuffer<int> d_data(1024);
    const Recorded all = recorded([&] { full_kernel<<<1, 1024>>>(d_data.data()); });
    CHECK(all.count(R"({"do":"access",)") == 32);
    CHECK(all.count(R"({"do":"return",)") == 32);
    CHECK(all.count(R"("lanes":4294967295)") == 64);
}

__global__ void one_race_kernel(int* d_data) {
    d_data[0] = static_cast<int>(threadIdx.x);
    d_data[1 + threadIdx.x] = 2;
}

TEST_CASE("a recorded race is one of the access that races") {
    const DeviceBuffer<int> d_data(33);
    const Recorded all = recorded([&] { one_race_kernel<<<1, 2>>>(d_data.data()); });
    CHECK(all.has(R"("first":0,"by":0,"to":[0,1],"race":)"));
    CHECK(all.has(R"("first":1,"by":1,"to":[2,2]})"));
    CHECK(all.count("\"race\":") == 1);
}

__global__ void first_lanes_kernel(int* d_data) {
    if (threadIdx.x % 32 == 0) *d_data = static_cast<int>(threadIdx.x);
}

TEST_CASE("a recorded race may be one of a warp's first lane") {
    const DeviceBuffer<int> d_data(1);
    CHECK(recorded([&] {
              first_lanes_kernel<<<1, 64>>>(d_data.data());
          }).has(R"("to":[32],"race":{"thread":32,"other":0,)"));
}

/// The second warp's second lane ends the block by a fault, before or after a store.
template <bool kStores>
__global__ void fault_kernel(char* d_data, int* d_none) {
    if (kStores && threadIdx.x < 32) return;
    if (kStores) d_data[threadIdx.x] = 1;
    if (threadIdx.x == 33) *d_none = 1;
    d_data[threadIdx.x] = 2;
}

template <bool kStores>
Recorded until_fault() {
    char* d_data = nullptr;  // the reset frees it
    CUDA_CHECK(cudaMalloc(&d_data, 64 * sizeof(*d_data)));
    Recorded all = recorded([&] { fault_kernel<kStores><<<1, 64>>>(d_data, nullptr); });
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    CUDA_CHECK(cudaDeviceReset());
    return all;
}

TEST_CASE("a recording that a fault ends has the lanes and the arrays that were there before it") {
    const Recorded all = until_fault<true>();
    CHECK(all.has(
        R"("steps":[{"do":"return","warp":0,"lanes":4294967295},{"do":"access","warp":1,"lanes":3,"site":0,)"));
    CHECK(all.has(R"("to":[1,1]}])"));
    CHECK(until_fault<false>().has(R"("arrays":[],"steps":[])"));
}

/// All threads of the second block add to one number.
__global__ void second_block_kernel(int* d_count) {
    if (blockIdx.x == 1) ++*d_count;
}

TEST_CASE("the recording of a later block contains its races") {
    const DeviceBuffer<int> d_count(1);
    CUDA_CHECK(cudaMemset(d_count.data(), 0, d_count.bytes()));
    CHECK(recorded([&] { second_block_kernel<<<2, 32>>>(d_count.data()); }, 1).has("\"race\":"));
}

__global__ void halves_kernel(int* d_data) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    d_data[i] += d_data[i + gridDim.x * blockDim.x];
}

TEST_CASE("a later launch is recorded if it is the first with as many blocks") {
    const DeviceBuffer<int> d_data(8);
    for (const std::uint64_t blocks : {0, 4, 2, 1}) {
        CUDA_CHECK(cudaMemset(d_data.data(), 0, d_data.bytes()));
        const Recorded all = recorded(
            [&] {
                for (unsigned int left = 4; left > 0; left /= 2) halves_kernel<<<left, 1>>>(d_data.data());
            },
            0, blocks);
        const std::uint64_t expected = blocks == 0 ? 4 : blocks;
        CHECK(all.has(R"("grid":[)" + std::to_string(expected) + ",1,1]"));
    }
}

}  // namespace recording_checks
