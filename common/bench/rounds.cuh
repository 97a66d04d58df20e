/// @file
/// @brief Reliable timing: all jobs in the same rounds, a defined cache state, medians.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../cuda/device.cuh"
#include "../cuda/launch_shape.hpp"
#include "../cuda/timer.cuh"
#include "cache.cuh"
#include "options.hpp"
#include "row.hpp"
#include "terminal.hpp"

/// What is timed, once per round.
struct Job {
    std::string name;
    std::function<void()> work;             ///< timed, with all of its launches
    std::function<void()> prepare = [] {};  ///< called before each sample, not timed
    /// Not timed: the verdict on a sample's result.
    std::function<Verdict()> verify = [] { return Verdict{}; };
    bool on_cpu = false;     ///< timed by the CPU's clock instead of by events
    LaunchShape shape = {};  ///< the requested shape, for the table
    /// Makes the device usable again after the kernel has failed. If null, the failure ends the program.
    std::function<void()> recover = nullptr;
};

/// @brief A job for the CPU. @param[in] verify Returns the verdict on what `compute` returned.
template <typename Compute, typename Verify>
Job job_on_cpu(const char* name, const Compute& compute, const Verify& verify) {
    const auto result = std::make_shared<decltype(compute())>();
    return {.name = name,
            .work = [=] { *result = compute(); },
            .verify = [=] { return verify(*result); },
            .on_cpu = true};
}

/// @return The median, the 10th and 90th percentiles and the fastest; NaN without a sample.
inline Timing summarize(std::vector<double> seconds) {
    if (seconds.empty()) return {NAN, NAN, NAN, NAN, 0};
    std::sort(seconds.begin(), seconds.end());
    const auto at = [&](double fraction) {
        return seconds[static_cast<std::size_t>(
            std::lround(fraction * static_cast<double>(seconds.size() - 1)))];
    };
    const std::size_t middle = seconds.size() / 2;
    const double median =
        seconds.size() % 2 != 0 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
    return {median, at(0.1), at(0.9), seconds.front(), seconds.size()};
}

/// A job that has taken more seconds than this in all gets no further round, but at least one sample.
constexpr double kSecondsPerJob = 2;

/// @brief Times jobs side by side: each round runs all of them, starting with a different one.
///
/// Clock changes and other load thus affect all jobs equally. On a GPU the first round is a warm-up, and the
/// L2 cache is put into the same state before each sample. The simulator, whose times mean little, runs one
/// round, and a program on the CPU at most five.
/// @param[in] rounds The number of samples of each job on a GPU.
/// @param[in] cache  The state of the L2 cache before a sample, see @ref CacheState.
/// @param[in] device Null for a program that stays on the CPU.
/// @return A row per job, with its time, and the verdict on the last sample, or on the first that was wrong.
/// @throws CudaError, and what a job throws.
inline std::vector<Row> time_in_rounds(const std::vector<Job>& jobs, unsigned int rounds,
                                       const std::string& cache, const Device* device) {
    const bool on_gpu = device != nullptr && !device->simulated;
    if (!on_gpu) {
        const unsigned int most = device == nullptr ? 5 : 1;
        if (rounds > most && rounds != Options{}.rounds)
            std::fprintf(stderr, "--rounds %u is ignored: %s\n", rounds,
                         device == nullptr ? "a CPU runs at most 5 rounds" : "the simulator runs one round");
        if (cache != Options{}.cache)
            std::fprintf(stderr, "--cache %s is ignored: it applies only to a GPU\n", cache.c_str());
        rounds = std::min(rounds, most);
    }
    std::optional<CacheState> state;
    if (on_gpu) state.emplace(cache, *device);

    std::vector<Row> rows(jobs.size());
    std::vector<std::vector<double>> samples(jobs.size());
    std::vector<double> spent(jobs.size(), 0);
    const bool show = is_terminal(stderr);
    const unsigned int first = on_gpu ? 0 : 1;
    for (unsigned int round = first; round <= rounds; ++round) {
        for (std::size_t turn = 0; turn < jobs.size(); ++turn) {
            const std::size_t j = (turn + round - first) % jobs.size();
            const Job& job = jobs[j];
            if (spent[j] > kSecondsPerJob) continue;
            if (show) std::fprintf(stderr, "\r\033[Kround %u of %u: %s", round, rounds, job.name.c_str());
            double seconds = 0;
            try {
                job.prepare();
                if (state && !job.on_cpu) state->prepare();
                const auto seconds_by = [&](auto&& timer) {
                    timer.start();
                    job.work();
                    return timer.stop();
                };
                seconds = job.on_cpu ? seconds_by(WallTimer()) : seconds_by(EventTimer());
                if (!rows[j].verdict.is_wrong()) rows[j].verdict = job.verify();
            } catch (const CudaError& error) {
                if (!job.recover || error.code() == cudaErrorMemoryAllocation) throw;
                rows[j].verdict = verdict_of(error.what());
                spent[j] = INFINITY;
                job.recover();
                continue;
            }
            spent[j] += seconds;
            // The warm-up counts only for a job that is too slow for another round.
            if (round > 0 || seconds > kSecondsPerJob) samples[j].push_back(seconds);
        }
    }
    if (show) std::fprintf(stderr, "\r\033[K");
    for (std::size_t j = 0; j < jobs.size(); ++j) rows[j].timing = summarize(samples[j]);
    return rows;
}
