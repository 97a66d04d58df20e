/// @file
/// @brief Checks of the code that the chapters share.
#include <array>
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../../bench/variant_table.cuh"
#include "../../bench/variants.hpp"
#include "../../cuda/device_buffer.cuh"
#include "../../cuda/error.cuh"
#include "../../cuda/host_memory.hpp"
#include "../../problem/histogram.hpp"
#include "../../problem/input.hpp"
#include "../../problem/sum_of_squares.cuh"
#include "../../problem/verify.hpp"
#include "../catch.hpp"
#include "../setting.hpp"
#include "finding.cuh"
#include "measuring.cuh"
#include "options.cuh"
#include "outputs.hpp"
#include "rows.cuh"
#include "verifying.cuh"

namespace {

Bins count(const std::vector<unsigned char>& data) { return reference_histogram(data.data(), data.size()); }

const NamedInput<unsigned char>& input(const std::string& name) {
    for (const auto& candidate : named_bytes())
        if (name == candidate.name) return candidate;
    throw std::invalid_argument(name);
}

}  // namespace

TEST_CASE("a setting ends with its lifetime, and the one before is back") {
    const auto value = [] {
        return std::string(std::getenv("COURSE_CHECK") != nullptr ? std::getenv("COURSE_CHECK") : "none");
    };
    {
        const Setting outer("COURSE_CHECK", 1ull << 32);
        {
            const Setting inner("COURSE_CHECK", 2);
            CHECK(value() == "2");
        }
        CHECK(value() == "4294967296");
    }
    CHECK(value() == "none");
}

TEST_CASE("the same seed gives the same bytes on every platform") {
    const std::vector<unsigned char> block = big_random_block(20, 5489);
    // mt19937_64 with its default seed, 5489, begins with 14514284786278117030 = 0xC96D191CF6F6AEA6.
    const std::array<unsigned char, 8> first{0xA6, 0xAE, 0xF6, 0xF6, 0x1C, 0x19, 0x6D, 0xC9};
    for (std::size_t i = 0; i < first.size(); ++i)
        CHECK(static_cast<int>(block[i]) == static_cast<int>(first[i]));
    CHECK(block == big_random_block(20, 5489));
    CHECK(block != big_random_block(20, 5490));
    for (const char* name : {"uniform", "skewed", "one-hot", "bank-attack"})
        CHECK(input(name).make(20, 1) != input(name).make(20, (1ull << 32) + 1));
}

TEST_CASE("each named input is what its description says") {
    const std::size_t n = 1 << 20;
    const double mean = static_cast<double>(n) / kBins;
    for (const unsigned long long bin : count(input("uniform").make(n, 1))) {
        CHECK(static_cast<double>(bin) > 0.9 * mean);
        CHECK(static_cast<double>(bin) < 1.1 * mean);
    }
    const double zeros = static_cast<double>(count(input("skewed").make(n, 1))[0]) / n;
    CHECK(zeros > 0.33);
    CHECK(zeros < 0.36);
    CHECK(count(input("constant").make(n, 1))[7] == n);
    const std::vector<unsigned char> sorted = input("sorted").make(n, 1);
    CHECK(std::is_sorted(sorted.begin(), sorted.end()));
    CHECK(count(sorted) == Bins(kBins, n / kBins));
    const double hot = static_cast<double>(count(input("one-hot").make(n, 1))[7]) / n;
    CHECK(hot > 0.89);
    CHECK(hot < 0.91);
    const Bins attack = count(input("bank-attack").make(n, 1));
    for (std::size_t b = 0; b < kBins; ++b) CHECK((attack[b] != 0) == (b % 32 == 0));
    for (const auto& any : named_bytes())
        for (const std::size_t size : {0, 1, 7}) CHECK(any.make(size, 1).size() == size);

    const auto ints = [](std::size_t index, std::uint64_t seed) {
        return named_ints()[index].make(1001, seed);
    };
    CHECK(ints(0, 1) == generate_data(1001));
    const std::vector<int> random = ints(1, 1), alternating = ints(3, 1);
    CHECK(*std::max_element(random.begin(), random.end()) > INT_MAX / 2);
    CHECK(*std::min_element(random.begin(), random.end()) < INT_MIN / 2);
    CHECK(random != ints(1, (1ull << 32) + 1));
    CHECK(ints(2, 1) == std::vector<int>(1001, INT_MIN));
    for (std::size_t i = 0; i < alternating.size(); ++i)
        REQUIRE(alternating[i] == (i % 2 == 0 ? INT_MAX : -INT_MAX));
}

TEST_CASE("with glibc, the article's squares add up to the article's 29909398, whenever they are made") {
#ifdef __GLIBC__
    for (int time = 0; time < 2; ++time) {
        const std::vector<int> data = generate_data(1048576);
        CHECK(reference_sum(data.data(), data.size()) == 29909398);
    }
#else
    skip_check("needs glibc, whose rand() made the article's numbers");
#endif
}

TEST_CASE("shapes that a launch can't have are rejected") {
    CHECK(blocks_for(0, 256) == 0);
    CHECK(blocks_for(256, 256) == 1);
    CHECK(blocks_for(257, 256) == 2);
    CHECK(blocks_for(0x7fffffffull * 1024, 1024) == 0x7fffffffu);
    CHECK_THROWS_AS(blocks_for(0x7fffffffull * 1024 + 1, 1024), std::invalid_argument);
    CHECK_THROWS_AS(blocks_for(1ull << 32, 1), std::invalid_argument);
    CHECK(LaunchShape{1, 1}.grid_or(5) == 1);
    CHECK(LaunchShape{1, 1}.block_or(5) == 1);
    CHECK(LaunchShape{}.grid_or(5) == 5);
    CHECK(LaunchShape{}.block_or(5) == 5);
    const std::size_t most = UINT32_MAX;
    CHECK_NOTHROW(require_32_bit_counters(most * 7 + 6, 7, 0));
    CHECK_THROWS_AS(require_32_bit_counters(most * 7 + 7, 7, 0), std::invalid_argument);
    CHECK_NOTHROW(require_32_bit_counters((most - 5) * 7, 7, 5));
    CHECK_THROWS_AS(require_32_bit_counters((most - 5) * 7, 7, 6), std::invalid_argument);
    CHECK_THROWS_AS(require_32_bit_counters(0, 7, most + 1), std::invalid_argument);
}

TEST_CASE("a CUDA error names the call, the place and CUDA's description") {
    try {
        CUDA_CHECK(cudaSetDevice(12345));
        FAIL("no exception");
    } catch (const CudaError& error) {
        const std::string what = error.what();
        CHECK(what.find("cudaSetDevice(12345)") != std::string::npos);
        CHECK(what.find("checks.cu:") != std::string::npos);
        CHECK(what.find("invalid device ordinal") != std::string::npos);
        CHECK(error.code() == cudaErrorInvalidDevice);
    }
    cudaGetLastError();
}

TEST_CASE("the selected device and the memory that is available are those that the system reports") {
    const Setting devices("CUDA_SIM_DEVICES", 2);
    int count = 0, current = 0;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    CHECK(init_cuda(count - 1).free_bytes > 0);
    CUDA_CHECK(cudaGetDevice(&current));
    CHECK(current == count - 1);
    CHECK(init_cuda().free_bytes > 0);
    const auto pages = [](int which) { return static_cast<std::size_t>(sysconf(which)); };
    const std::size_t bytes = host_memory_bytes();
    CHECK(bytes % 1024 == 0);
    CHECK(bytes < pages(_SC_PHYS_PAGES) * pages(_SC_PAGESIZE));
    CHECK(bytes > pages(_SC_AVPHYS_PAGES) * pages(_SC_PAGESIZE) / 2);
}

TEST_CASE("device buffers can be moved, and copied to the host") {
    DeviceBuffer<int> a(3);
    CUDA_CHECK(cudaMemset(a.data(), 0, a.bytes()));
    DeviceBuffer<int> b(std::move(a));
    CHECK(b.to_host() == std::vector<int>{0, 0, 0});
    DeviceBuffer<int> c;
    c = std::move(b);
    CHECK(c.size() == 3);
    CHECK(DeviceBuffer<int>(0).to_host().empty());
}

TEST_CASE("an exception in a thread of on_cores arrives after all others are done") {
    std::atomic<int> done = 0;
    const auto work = [&](std::size_t first, std::size_t) {
        if (first == 0) throw std::bad_alloc();
        usleep(10000);
        return ++done;
    };
    CHECK_THROWS_AS(on_cores(3, 30, work), std::bad_alloc);
    CHECK(done == 2);
}

TEST_CASE("a long run on the simulator is announced") {
    const std::vector<Job> jobs{{.name = "a", .work = [] {}},
                                {.name = "b", .work = [] {}},
                                {.name = kOneCore, .work = [] {}, .on_cpu = true}};
    const std::size_t minute = 60'000'000'000 / 24 / 2 * core_count();  // elements per minute, for two jobs
    CHECK(long_run_warning(jobs, minute / 3, true) == "");
    CHECK(long_run_warning(jobs, minute, false) == "on the simulator this takes about a minute");
    CHECK(long_run_warning(jobs, 3 * minute, true) ==
          "on the simulator this takes about 3 minutes; --n 1M takes seconds");
}

TEST_CASE("squares and sums keep what 64 bits can hold") {
    CHECK(square(INT_MIN) == 1ull << 62);
    CHECK(square(INT_MAX) == square(-INT_MAX));
    const std::vector<int> data(4, INT_MIN);
    CHECK(reference_sum(data.data(), 3) == 3ull << 62);
    CHECK(reference_sum(data.data(), 4) == 0);  // 2^64, modulo 2^64
    CHECK(on_all_cores<SumOfSquares>(data.data(), 3) == Results{3ull << 62});

    const DeviceBuffer<unsigned long long> d_partials(3), d_sum(1);
    const Results partials{1ull << 40, 2ull << 40, 5};
    CUDA_CHECK(cudaMemcpy(d_partials.data(), partials.data(), d_partials.bytes(), cudaMemcpyHostToDevice));
    add_partials_on_cpu(d_partials.data(), 3, d_sum.data());
    CHECK(d_sum.to_host() == Results{(3ull << 40) + 5});
    clear_sum(d_sum.data());
    CHECK(d_sum.to_host() == Results{0});
}

TEST_CASE("the CPU's fastest loop on all cores counts as the reference does") {
    const std::vector<unsigned char> data = big_random_block(1003, 1);
    for (std::size_t n = 0; n <= data.size(); n += n < 9 ? 1 : 71)
        CHECK(on_all_cores<Histogram>(data.data(), n) == reference_histogram(data.data(), n));
}

TEST_CASE("variants refuse launch shapes that they don't support") {
    using Shaped = Variant<SumOfSquares>;
    const Shaped any{.name = "any", .run = nullptr}, fixed{.name = "", .run = nullptr, .fixed_shape = true},
        follows{.name = "", .run = nullptr, .grid_follows_n = true},
        one_block{.name = "", .run = nullptr, .only_block = 32},
        few_blocks{.name = "", .run = nullptr, .most_blocks = 7},
        powers{.name = "", .run = nullptr, .power_of_two_block = true},
        warps{.name = "", .run = nullptr, .whole_warps = true};
    const std::vector<std::pair<const Shaped*, LaunchShape>> refused{
        {&few_blocks, {8, 33}}, {&one_block, {7, 33}}, {&follows, {7, 32}}, {&powers, {0, 96}},
        {&powers, {0, 16}},     {&warps, {0, 33}},     {&fixed, {0, 64}},   {&fixed, {1, 0}}};
    const std::vector<std::pair<const Shaped*, LaunchShape>> taken{
        {&any, {7, 33}},     {&few_blocks, {7, 33}}, {&one_block, {7, 32}}, {&one_block, {7, 0}},
        {&follows, {0, 32}}, {&powers, {0, 64}},     {&warps, {0, 96}},     {&fixed, {}},
        {&powers, {0, 32}},  {&powers, {}}};
    for (const auto& [variant, shape] : refused) CHECK(variant->refusal(shape) != "");
    for (const auto& [variant, shape] : taken) CHECK(variant->refusal(shape) == "");
    CHECK(few_blocks.refusal({8, 33}) == "--grid must be at most 7");
}
