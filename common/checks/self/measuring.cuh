/// @file
/// @brief Checks of measurements: samples, rounds, the read ceiling, the grids of a sweep.
#pragma once

#include <pty.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "../../bench/measure.cuh"
#include "../../bench/one_core.hpp"
#include "../../bench/rounds.cuh"
#include "../../bench/sweep.cuh"
#include "../../cuda/device_buffer.cuh"
#include "../../problem/input.hpp"
#include "../catch.hpp"
#include "outputs.hpp"

namespace measuring_checks {

TEST_CASE("work stays on one core for as long as it should") {
    const auto cores = [] {
        cpu_set_t set;
        CHECK(sched_getaffinity(0, sizeof(set), &set) == 0);
        return set;
    };
    const cpu_set_t before = cores();
    {
        const OneCore outer;
        const cpu_set_t one = cores();
        CHECK(CPU_COUNT(&one) == 1);
        CHECK(CPU_ISSET(sched_getcpu(), &one));
        { const OneCore inner; }
        const cpu_set_t still = cores();
        CHECK(CPU_EQUAL(&one, &still));
    }
    const cpu_set_t after = cores();
    CHECK(CPU_EQUAL(&before, &after));
}

TEST_CASE("a CPU's time is its fastest sample, a GPU's the median") {
    Row row{.device = "CPU", .timing = {.median = 3, .p10 = 2, .p90 = 4, .fastest = 1, .samples = 5}};
    CHECK(row.time() == 1);
    CHECK(format_time(row) == "1.00 s");
    row.device = "NVIDIA X";
    CHECK(row.time() == 3);
}

TEST_CASE("medians and percentiles are those of the samples") {
    const Timing odd = summarize({3, 1, 2});
    CHECK(odd.median == 2);
    CHECK(odd.fastest == 1);
    CHECK(odd.samples == 3);
    CHECK(summarize({4, 1, 2, 3}).median == 2.5);
    std::vector<double> hundred;
    for (int k = 100; k >= 0; --k) hundred.push_back(k);
    const Timing many = summarize(hundred);
    CHECK(many.p10 == 10);
    CHECK(many.p90 == 90);
    // With few samples, a percentile is the nearest sample, here to 1.8 and 16.2 steps after the first.
    hundred.resize(19);
    const Timing few = summarize(hundred);
    CHECK(few.p10 == 84);
    CHECK(few.p90 == 98);
}

/// Jobs that note in `order` when they are prepared (a, b, c), run (A, B, C) and verified (.).
std::vector<Job> noting_jobs(std::string& order) {
    std::vector<Job> jobs(3);
    for (std::size_t j = 0; j < jobs.size(); ++j) {
        jobs[j].prepare = [&order, j] { order += static_cast<char>('a' + j); };
        jobs[j].work = [&order, j] { order += static_cast<char>('A' + j); };
        jobs[j].verify = [&order] {
            order += '.';
            return Verdict{};
        };
        jobs[j].on_cpu = true;
    }
    return jobs;
}

/// A device for `time_in_rounds`, without a large cache.
Device device_for_measuring(bool simulated) {
    Device device{};
    device.simulated = simulated;
    device.l2_bytes = 1024;
    return device;
}

TEST_CASE(
    "every job is prepared, timed and verified in every round, and each round starts with a different one") {
    std::string order;
    const std::vector<Job> jobs = noting_jobs(order);
    const std::vector<Row> rows = time_in_rounds(jobs, 3, "clean", nullptr);
    CHECK(order == "aA.bB.cC.bB.cC.aA.cC.aA.bB.");
    for (const Row& row : rows) CHECK(row.timing.samples == 3);
}

TEST_CASE("a GPU takes the requested number of samples after a warm-up, a CPU five, the simulator one") {
    std::string order;
    const std::vector<Job> jobs = noting_jobs(order);
    const Device gpu = device_for_measuring(false), simulator = device_for_measuring(true);
    CHECK(time_in_rounds(jobs, 9, "clean", nullptr)[0].timing.samples == 5);
    CHECK(time_in_rounds(jobs, 9, "clean", &simulator)[0].timing.samples == 1);
    order.clear();
    CHECK(time_in_rounds(jobs, 9, "clean", &gpu)[0].timing.samples == 9);
    CHECK(std::count(order.begin(), order.end(), 'A') == 10);
}

TEST_CASE("a job that has taken longer than two seconds gets no further round, but one sample") {
    const Device gpu = device_for_measuring(false);
    const auto spend = [](int milliseconds) {
        return [milliseconds] { usleep(static_cast<useconds_t>(milliseconds) * 1000); };
    };
    int runs = 0;
    const auto spend_half = [&, half = spend(1010)] {
        ++runs;
        half();
    };
    const std::vector<Job> jobs{{.name = "slow", .work = spend(2010), .on_cpu = true},
                                {.name = "two rounds", .work = spend_half, .on_cpu = true},
                                {.name = "fast", .work = [] {}, .on_cpu = true}};
    const std::vector<Row> rows = time_in_rounds(jobs, 3, "clean", &gpu);
    CHECK(rows[0].timing.samples == 1);
    CHECK(runs == 2);  // the first one was the warm-up
    CHECK(rows[1].timing.samples == 1);
    CHECK(rows[2].timing.samples == 3);
}

TEST_CASE("a CPU and the simulator say which options they ignore, and nothing else") {
    const Device simulator = device_for_measuring(true);
    const std::vector<Job> jobs{{.name = "job", .work = [] {}, .on_cpu = true}};
    const auto said = [&](unsigned int rounds, const Device* device, const std::string& cache) {
        return outputs_detail::printed(stderr, [&] { time_in_rounds(jobs, rounds, cache, device); });
    };
    CHECK(said(Options{}.rounds, nullptr, Options{}.cache) == "");
    CHECK(said(5, nullptr, Options{}.cache) == "");
    CHECK(said(6, nullptr, Options{}.cache) == "--rounds 6 is ignored: a CPU runs at most 5 rounds\n");
    CHECK(said(1, &simulator, Options{}.cache) == "");
    CHECK(said(2, &simulator, "warm") ==
          "--rounds 2 is ignored: the simulator runs one round\n--cache warm is ignored: it applies only to "
          "a GPU\n");
}

TEST_CASE("a terminal shows which job is running") {
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
        setenv("TERM", "xterm", 1);
        time_in_rounds({{.name = "job", .work = [] {}, .on_cpu = true}}, 2, "clean", nullptr);
        _exit(0);
    }
    std::string shown(1000, ' ');
    std::size_t bytes = 0;
    for (ssize_t more = 1; more > 0; bytes += static_cast<std::size_t>(std::max<ssize_t>(more, 0)))
        more = read(terminal, &shown[bytes], shown.size() - bytes);
    shown.resize(bytes);
    CHECK(outputs_detail::end_of(child) == 0);
    close(terminal);
    CHECK(shown.find("\033[Kround 2 of 2: job\r\033[K") != std::string::npos);
}

TEST_CASE("a job whose kernel fails is WRONG, and the others run if the device can recover") {
    const Device simulator = device_for_measuring(true);
    const auto fail = [] { throw CudaError(cudaErrorLaunchFailure, "kernel", "file", 1); };
    std::vector<Job> jobs{
        {.name = "first", .work = [] {}}, {.name = "fails", .work = fail}, {.name = "last", .work = [] {}}};
    CHECK_THROWS_AS(time_in_rounds(jobs, 1, "clean", &simulator), CudaError);
    int recoveries = 0;
    jobs[1].recover = [&] { ++recoveries; };
    const std::vector<Row> rows = time_in_rounds(jobs, 1, "clean", &simulator);
    CHECK(recoveries == 1);
    CHECK(rows[1].verdict.is_wrong());
    CHECK(rows[1].verdict.words.starts_with("WRONG: file:1: kernel: "));
    CHECK(rows[1].timing.samples == 0);
    CHECK(format_seconds(rows[1].timing.median) == "-");
    CHECK((rows[0].timing.samples == 1 && rows[2].timing.samples == 1));
}

TEST_CASE("a verdict is that of the first wrong sample") {
    int sample = 0;
    const auto verify = [&] {
        ++sample;
        return verdict_of(sample == 2 ? std::optional<std::string>("once") : std::nullopt);
    };
    const std::vector<Job> jobs{{.name = "", .work = [] {}, .verify = verify, .on_cpu = true}};
    CHECK(time_in_rounds(jobs, 3, "clean", nullptr)[0].verdict.words == "WRONG: once");
    CHECK(verdict_of(std::nullopt).words == "ok");
    CHECK_FALSE(verdict_of(std::nullopt, "WRONG").is_wrong());  // the wording does not matter
    CHECK(verdict_of("so").words == "WRONG: so");
    Row right, on_purpose, wrong;
    on_purpose.verdict = {Verdict::Kind::wrong_on_purpose, "wrong on purpose"};
    wrong.verdict = verdict_of("so");
    CHECK(status_of({right, on_purpose}) == 0);
    CHECK(status_of({right, wrong}) == 1);
}

TEST_CASE("the read ceiling reads any n") {
    for (const std::size_t n : {0, 1, 15, 16, 17, 4096, 100003}) {
        const DeviceBuffer<unsigned char> d_data(n);
        if (n == 16) {  // data for which the kernel stores a value
            const std::array<unsigned int, 4> found{0x9E3779B9u};
            CUDA_CHECK(cudaMemcpy(d_data.data(), found.data(), n, cudaMemcpyHostToDevice));
        }
        CHECK_NOTHROW(Reader(d_data.data(), n).read<true>());
        CHECK_NOTHROW(Reader(d_data.data(), n).read<false>());
    }
    CUDA_CHECK(cudaDeviceSynchronize());
}

TEST_CASE("the L2 cache can be put into every state") {
    Device device = init_cuda();
    if (device.simulated) device.l2_bytes = 1 << 20;  // so that interrupted threads read it soon
    for (const char* state : {"clean", "dirty", "warm"}) CHECK_NOTHROW(CacheState(state, device).prepare());
    CUDA_CHECK(cudaDeviceSynchronize());
}

TEST_CASE("each thread of the read ceiling reads its own bytes once, and no others") {
    // Two blocks of 32 threads, with tiles of 2048 bytes: part of a tile, whole tiles, and a remainder.
    constexpr std::size_t kThreads = 32, kTile = kThreads * kReadLoads;
    for (const std::size_t n : {2 * 2048 + 7, 5 * 2048, 2048 + 40 * 16 + 15}) {
        const std::vector<unsigned char> random = big_random_block(n, n);
        const DeviceBuffer<unsigned char> d_data(n);
        const DeviceBuffer<unsigned int> d_found(1);
        for (std::size_t thread = 0; thread < 2 * kThreads; ++thread) {
            // The bytes that the thread should read, combined as in the kernel, then made to equal the value
            // it reports.
            std::vector<unsigned char> data = random;
            unsigned int all = 0, word = 0;
            std::size_t own = n;
            for (std::size_t i = 0; i < n / 16; ++i) {
                if (i / kTile % 2 * kThreads + i % kThreads != thread) continue;
                own = i * 16;
                for (std::size_t k = 0; k < 4; ++k) {
                    std::memcpy(&word, &data[own + 4 * k], sizeof(word));
                    all ^= word;
                }
            }
            if (own == n) continue;
            if (n / 16 * 16 + thread < n) all ^= data[n / 16 * 16 + thread];
            std::memcpy(&word, &data[own], sizeof(word));
            word ^= all ^ 0x9E3779B9u;
            std::memcpy(&data[own], &word, sizeof(word));
            CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), n, cudaMemcpyHostToDevice));
            CUDA_CHECK(cudaMemset(d_found.data(), 0, sizeof(unsigned int)));
            read_kernel<true><<<2, 32>>>(d_data.data(), n, d_found.data());
            CUDA_CHECK(cudaGetLastError());
            CHECK(d_found.to_host()[0] == 0x9E3779B9u);
        }
    }
}

TEST_CASE("on a GPU, kernels' rows have ratios to the read ceiling and to CUB, and the CPU's rows have not") {
    const Device gpu = device_for_measuring(false);
    const DeviceBuffer<unsigned char> d_data(1000);
    Options options;
    options.rounds = 1;
    std::vector<Job> jobs{{.name = "variant", .work = [] { usleep(2000); }, .shape = {3, 64}},
                          {.name = kCub, .work = [] { usleep(1000); }},
                          {.name = kAllCores, .work = [] { usleep(1000); }, .on_cpu = true}};
    for (const Job& job : read_ceiling_jobs(d_data.data(), d_data.size(), &gpu)) jobs.push_back(job);
    const std::vector<Row> rows = measure(jobs, {.bytes = 1000}, options, &gpu);
    REQUIRE(rows.size() == 4);
    const auto time = [&](std::size_t row) { return rows[row].time(); };
    CHECK(rows[0].times_cub == Approx(time(1) / time(0)));
    CHECK(rows[0].times_cpu_all_cores == Approx(time(2) / time(0)));
    CHECK(rows[0].of_ceiling == Approx(time(3) / time(0)));
    CHECK((rows[0].grid == 3 && rows[0].block == 64));
    CHECK(rows[0].cache == "clean");
    CHECK(rows[2].device == "CPU");
    CHECK(std::isnan(rows[2].times_cub));
    CHECK(std::isnan(rows[2].of_ceiling));
    CHECK(rows[3].of_ceiling == 1);
}

TEST_CASE("a sweep goes from one block to one element per thread, including multiples of the number of SMs") {
    CHECK(sweep_grids(1000000, 256, 132) ==
          std::vector<unsigned int>{1, 4, 16, 64, 132, 256, 264, 528, 1024, 1056, 2112, 3907});
    CHECK(sweep_grids(1000000, 256, 3) ==
          std::vector<unsigned int>{1, 3, 4, 6, 12, 16, 24, 48, 64, 96, 256, 1024, 3907});
    CHECK(sweep_grids(1000, 256, 132) == std::vector<unsigned int>{1, 4});
    CHECK(sweep_grids(0, 256, 132) == std::vector<unsigned int>{1});
    CHECK(sweep_grids(std::size_t{1} << 33, 1024, 132).back() == 1u << 23);
}

}  // namespace measuring_checks
