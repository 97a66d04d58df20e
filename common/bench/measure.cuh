/// @file
/// @brief Measures jobs: rows of a table, with the ratios between them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "../problem/cores.hpp"
#include "csv.cuh"
#include "options.hpp"
#include "rounds.cuh"

/// @name Baselines: the names of jobs that others are compared with
/// @{
constexpr const char *kOneCore = "(one CPU core)", *kAllCores = "(all CPU cores)",
                     *kReadCeiling = "(read ceiling)", *kCub = "(CUB)", *kPageableCopy = "(copy, pageable)",
                     *kPinnedCopy = "(copy, pinned)", *kPinning = "(pinning)";
/// @}

/// @return Whether the name is that of a baseline that runs no kernel.
inline bool is_without_kernel(const std::string& name) {
    const auto baselines = {kOneCore, kAllCores, kPageableCopy, kPinnedCopy, kPinning};
    return std::find(baselines.begin(), baselines.end(), name) != baselines.end();
}

/// @return A warning if a run on the simulator will take at least half a minute; otherwise empty.
/// @param[in] n              Elements per job on the device.
/// @param[in] can_be_smaller Whether `--n` chooses this number.
inline std::string long_run_warning(const std::vector<Job>& jobs, std::size_t n, bool can_be_smaller) {
    constexpr double kSeconds = 24e-9;  // per element, for most kernels on one core
    const auto count = std::count_if(jobs.begin(), jobs.end(), [](const Job& job) { return !job.on_cpu; });
    const double minutes = kSeconds / 60 * static_cast<double>(n) * static_cast<double>(count) /
                           static_cast<double>(core_count());
    if (minutes < 0.5) return "";
    return "on the simulator this takes about " +
           (minutes < 1.5 ? "a minute" : std::to_string(std::lround(minutes)) + " minutes") +
           (can_be_smaller ? "; --n 1M takes seconds" : "");
}

/// The read ceiling of an input, with both kinds of loads; none on the simulator or without a device.
inline std::vector<Job> read_ceiling_jobs(const void* d_data, std::size_t bytes, const Device* device) {
    if (device == nullptr || device->simulated) return {};
    const auto reader = std::make_shared<Reader>(static_cast<const unsigned char*>(d_data), bytes);
    return {{.name = kReadCeiling, .work = [reader] { reader->read<true>(); }},
            {.name = kReadCeiling, .work = [reader] { reader->read<false>(); }}};
}

namespace measure_detail {

inline void leave_out_slower_ceiling(std::vector<Row>& rows) {
    const auto is_ceiling = [](const Row& row) { return row.variant == kReadCeiling; };
    const auto first = std::find_if(rows.begin(), rows.end(), is_ceiling);
    if (first == rows.end()) return;
    rows.erase(first->time() > (first + 1)->time() ? first : first + 1);  // they are neighbours
}

}  // namespace measure_detail

/// @brief Times jobs side by side, and adds their rows to the file that the options name.
/// @param[in] common    The fields that all rows share, except those from the options.
/// @param[in] options   Rounds, cache, and the file that rows are added to.
/// @param[in] device    Null for a program that stays on the CPU.
/// @param[in] one_core  The name of the job to which speed-ups over one core refer.
/// @param[in] all_cores The name of the job to which speed-ups over all cores refer.
/// @return A row per job, with its time and, unless it is simulated, its ratios. The two read ceilings share
///         one row, with the time of the faster one.
/// @throws CudaError, std::runtime_error if the file can't be written, and what a job throws.
inline std::vector<Row> measure(const std::vector<Job>& jobs, const Row& common, const Options& options,
                                const Device* device, const char* one_core = kOneCore,
                                const char* all_cores = kAllCores) {
    const bool simulated = device != nullptr && device->simulated;
    if (simulated) {
        const std::string warning = long_run_warning(jobs, common.n, options.file.empty());
        if (!warning.empty()) std::fprintf(stderr, "%s\n", warning.c_str());
    }
    const std::vector<Row> timed = time_in_rounds(jobs, options.rounds, options.cache, device);
    std::vector<Row> rows(jobs.size(), common);
    for (std::size_t j = 0; j < jobs.size(); ++j) {
        const bool on_cpu = jobs[j].on_cpu || device == nullptr;
        rows[j].variant = jobs[j].name;
        rows[j].input = options.source();
        if (device != nullptr && !simulated) rows[j].cache = options.cache;
        rows[j].device = on_cpu ? "CPU" : device->name;
        rows[j].simulated = !on_cpu && simulated;
        rows[j].grid = jobs[j].shape.grid;
        rows[j].block = jobs[j].shape.block;
        rows[j].timing = timed[j].timing;
        rows[j].verdict = timed[j].verdict;
    }
    measure_detail::leave_out_slower_ceiling(rows);
    const auto time_of = [&](const std::string& name) {
        const auto is_named = [&](const Row& row) { return row.variant == name; };
        const auto found = std::find_if(rows.begin(), rows.end(), is_named);
        return found == rows.end() ? static_cast<double>(NAN) : found->time();
    };
    for (Row& row : rows) {
        if (row.simulated || row.bytes == 0) continue;  // ratios of such a row would be meaningless
        const double time = row.time();
        row.gigabytes_per_second = static_cast<double>(row.bytes) / time * 1e-9;
        row.times_cpu_sequential = time_of(one_core) / time;
        row.times_cpu_all_cores = time_of(all_cores) / time;
        if (row.device == "CPU" || is_without_kernel(row.variant)) continue;
        row.of_ceiling = time_of(kReadCeiling) / time;
        row.times_cub = time_of(kCub) / time;
    }
    append_csv(options.csv, rows);
    return rows;
}

/// @return The program's exit status: 1 if a result is wrong and should not be.
inline int status_of(const std::vector<Row>& rows) {
    for (const Row& row : rows)
        if (row.verdict.is_wrong()) return 1;
    return 0;
}

/// @brief Prints the lines between a table's title and its first row.
/// @param[in] row    Any row of the table.
/// @param[in] device Null for a program that stays on the CPU.
inline void print_table_heading(const Row& row, const Device* device) {
    if (!row.cache.empty() && row.cache != "clean")
        std::printf("Before each sample the L2 cache is %s.\n", row.cache.c_str());
    if (device != nullptr && device->simulated)
        std::printf("Times marked 'sim' are the simulator's: they say nothing about a GPU.\n");
    std::printf("\n");
    print_heading();
}
