/// @file
/// @brief Times jobs side by side and makes rows of a table from them, with the ratios between them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../problem/cores.hpp"
#include "csv.cuh"
#include "measure.cuh"
#include "options.hpp"

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

/// @return The verdict on a result.
/// @param[in] wrong A description of the error, if there is one.
/// @param[in] right The verdict on a correct one.
inline std::string verdict_of(const std::optional<std::string>& wrong, const std::string& right = "ok") {
    return wrong ? "WRONG: " + *wrong : right;
}

/// @brief Times jobs side by side. The caller defines what they do and how their results are verified.
class Bench {
 public:
    /// @param[in] common  The fields that all rows share, except those from the options.
    /// @param[in] options Rounds, and the file that rows are added to.
    /// @param[in] device  Null for a program that stays on the CPU. It must outlive the bench.
    Bench(Row common, const Options& options, const Device* device)
        : common_(std::move(common)), options_(options), device_(device) {
        common_.input = options.source();
        if (device != nullptr && !device->simulated) common_.cache = options.cache;
    }

    /// Adds a job. The order of the rows is the order in which jobs are added.
    void add(Job job) { jobs_.push_back(std::move(job)); }

    /// Adds a job that runs on the CPU. @param[in] verify Returns the verdict on what `compute` returned.
    template <typename Compute, typename Verify>
    void add_on_cpu(const char* name, const Compute& compute, const Verify& verify) {
        const auto result = std::make_shared<decltype(compute())>();
        add({.name = name,
             .run = [=] { *result = compute(); },
             .verify = [=] { return verify(*result); },
             .on_cpu = true});
    }

    /// Names the CPU baselines of the speed-ups, if they are not the usual ones.
    void compare_with(const char* one_core, const char* all_cores) {
        one_core_ = one_core;
        all_cores_ = all_cores;
    }

    /// Lets the other jobs run after a kernel has failed. @param[in] recover Makes the device usable again.
    void recover_by(std::function<void()> recover) { recover_ = std::move(recover); }

    /// Adds the read ceiling of an input, with both kinds of loads; not on the simulator.
    void add_read_ceiling(const void* d_data, std::size_t bytes) {
        if (device_ == nullptr || device_->simulated) return;
        auto reader = std::make_shared<Reader>(static_cast<const unsigned char*>(d_data), bytes);
        add({.name = kReadCeiling, .run = [reader] { reader->read<true>(); }});
        add({.name = kReadCeiling, .run = [reader] { reader->read<false>(); }});
    }

    /// @brief Measures all jobs, and adds their rows to the file that the options name.
    /// @return A row per job, with its time and, unless it is simulated, its ratios. The two read
    ///         ceilings share one row, with the time of the faster one.
    /// @throws CudaError, std::runtime_error if the file can't be written, and what a job throws.
    std::vector<Row> run() {
        if (device_ != nullptr && device_->simulated) {
            const std::string warning = long_run_warning(jobs_, common_.n, options_.file.empty());
            if (!warning.empty()) std::fprintf(stderr, "%s\n", warning.c_str());
        }
        std::vector<Measured> measured = measure(jobs_, options_.rounds, device_, options_.cache, recover_);
        leave_out_slower_ceiling(measured);
        const auto median_of = [&](const char* name) {
            for (std::size_t j = 0; j < jobs_.size(); ++j)
                if (jobs_[j].name == name) return measured[j].timing.median;
            return static_cast<double>(NAN);
        };
        std::vector<Row> rows(jobs_.size(), common_);
        for (std::size_t j = 0; j < jobs_.size(); ++j) {
            const bool on_cpu = jobs_[j].on_cpu || device_ == nullptr;
            Row& row = rows[j];
            row.variant = jobs_[j].name;
            row.device = on_cpu ? "CPU" : device_->name;
            row.simulated = !on_cpu && device_->simulated;
            row.grid = jobs_[j].shape.grid;
            row.block = jobs_[j].shape.block;
            row.timing = measured[j].timing;
            row.verdict = measured[j].verdict;
            if (row.simulated || row.bytes == 0) continue;  // its ratios would be meaningless
            const double median = row.timing.median;
            row.gigabytes_per_second = static_cast<double>(row.bytes) / median * 1e-9;
            row.times_cpu_sequential = median_of(one_core_) / median;
            row.times_cpu_all_cores = median_of(all_cores_) / median;
            if (on_cpu || is_without_kernel(row.variant)) continue;
            row.of_ceiling = median_of(kReadCeiling) / median;
            row.times_cub = median_of(kCub) / median;
        }
        append_csv(options_.csv, rows);
        return rows;
    }

 private:
    void leave_out_slower_ceiling(std::vector<Measured>& measured) {
        const auto is_ceiling = [](const Job& job) { return job.name == kReadCeiling; };
        const auto first = std::find_if(jobs_.begin(), jobs_.end(), is_ceiling);
        if (first == jobs_.end()) return;
        const auto j = first - jobs_.begin();  // the other ceiling is next to it
        const bool first_is_slower = measured[j].timing.median > measured[j + 1].timing.median;
        jobs_.erase(first);
        measured.erase(measured.begin() + j + !first_is_slower);
    }

    const char *one_core_ = kOneCore, *all_cores_ = kAllCores;
    Row common_;
    const Options options_;
    const Device* const device_;
    std::vector<Job> jobs_;
    std::function<void()> recover_;
};

/// @return The program's exit status: 1 if a result is wrong and should not be.
inline int status_of(const std::vector<Row>& rows) {
    for (const Row& row : rows)
        if (row.is_wrong()) return 1;
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
