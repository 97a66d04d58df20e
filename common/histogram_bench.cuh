/// @file
/// @brief What the programs of Part I share: input, measuring, verifying, the table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cpu_baseline.hpp"
#include "cub_histogram.cuh"
#include "histogram.cuh"
#include "histogram_report.hpp"
#include "host_memory.hpp"
#include "options.hpp"
#include "table.hpp"
#include "verify.hpp"

/// @brief The bytes that the command line asks for.
/// @param[in] copies How many times they must fit into `free_bytes`.
/// @throws BadOption if there is no memory for them.
inline std::vector<unsigned char> make_input(const Options& options, std::size_t free_bytes,
                                             std::size_t copies) {
    const std::size_t most = free_bytes / copies;
    if (!options.file.empty()) {
        try {
            return read_file(options.file, most);
        } catch (const std::invalid_argument& error) {
            throw BadOption("--file takes a file of bytes to count: " + std::string(error.what()));
        }
    }
    if (options.n > most)
        throw BadOption("--n takes at most " + std::to_string(most) +
                        " bytes, for which this device has memory, not " + std::to_string(options.n));
    for (const NamedInput& input : named_inputs())
        if (options.input == input.name) return input.make(options.n, options.seed);
    throw BadOption("unknown input " + options.input);
}

/// @brief The same for a program that runs on a device: there, and in the host's memory besides.
inline std::vector<unsigned char> make_input(const Options& options, const Device& device) {
    return make_input(options, device.free_bytes, device.simulated ? 2 : 1);
}

/// Times, verifies and prints a chapter's variants.
class HistogramBench {
 public:
    /// @param[in] chapter  The chapter's folder.
    /// @param[in] device   Null for a program that needs none.
    /// @param[in] data     The input in host memory.
    /// @param[in] d_data   The same in device memory; null without a device.
    HistogramBench(std::string chapter, const Options& options, const Device* device,
                   const std::vector<unsigned char>& data, const unsigned char* d_data)
        : chapter_(std::move(chapter)),
          options_(options),
          device_(device),
          data_(data),
          d_data_(d_data),
          d_bins_(device != nullptr ? kBins : 0),
          reference_(reference_histogram(data.data(), data.size())) {}

    /// @brief Measures variants side by side, prints the table, and writes what the options ask for.
    /// @param[in] copy_seconds What copying the input to the device took; 0 without a device.
    /// @return The program's exit status: 1 if a result is wrong that should not be.
    int run(const std::vector<HistogramVariant>& variants, double copy_seconds = 0) {
        results_.clear();
        for (const HistogramVariant& variant : variants) results_.push_back({variant, Bins(), ""});
        std::vector<Job> jobs;
        for (Result& result : results_) jobs.push_back(variant_job(result));
        const std::size_t sequential = add_job(jobs, sequential_job());
        const std::size_t all_cores = add_job(jobs, all_cores_job());
        const std::size_t ceiling = add_job(jobs, on_gpu() ? ceiling_job() : std::nullopt);
        const std::size_t cub = add_job(jobs, on_gpu() ? cub_job() : std::nullopt);

        MeasureLimits limits;
        limits.rounds = options_.rounds;
        if (!on_gpu()) limits.rounds = device_ == nullptr ? std::min(options_.rounds, 5u) : 1;
        limits.warm_up = on_gpu();
        std::optional<CacheEvictor> evictor;
        if (on_gpu()) evictor.emplace(*device_);
        const std::vector<Timing> timings = measure(jobs, limits, [&] {
            if (evictor) evictor->evict();
        });

        rows_.clear();
        const auto seconds = [&](std::size_t job) {
            return job < timings.size() ? timings[job].median : NAN;
        };
        for (std::size_t j = 0; j < jobs.size(); ++j) {
            const bool is_variant = j < results_.size();
            Row row;
            row.chapter = chapter_;
            row.variant = jobs[j].name;
            row.device = jobs[j].on_cpu || device_ == nullptr ? "CPU" : device_->name;
            row.simulated = device_ != nullptr && device_->simulated && !jobs[j].on_cpu;
            row.input = options_.file.empty() ? options_.input : options_.file;
            row.n = data_.size();
            if (is_variant) {
                row.grid = options_.shape.grid;
                row.block = options_.shape.block;
            }
            row.timing = timings[j];
            if (!row.simulated && !data_.empty()) {
                row.gigabytes_per_second = static_cast<double>(data_.size()) / timings[j].median * 1e-9;
                row.times_cpu_sequential = seconds(sequential) / timings[j].median;
                row.times_cpu_all_cores = seconds(all_cores) / timings[j].median;
                if (!jobs[j].on_cpu) {
                    row.of_ceiling = seconds(ceiling) / timings[j].median;
                    row.times_cub = seconds(cub) / timings[j].median;
                }
            }
            row.verdict = is_variant ? verdict(results_[j]) : "";
            rows_.push_back(row);
        }
        print(copy_seconds);
        write_files();
        return failed_ ? 1 : 0;
    }

 private:
    struct Result {
        HistogramVariant variant;
        Bins bins;          ///< of the last sample
        std::string wrong;  ///< what was wrong with the first sample that was; empty if none was
    };

    bool on_gpu() const { return device_ != nullptr && !device_->simulated; }

    static std::size_t add_job(std::vector<Job>& jobs, std::optional<Job> job) {
        if (!job) return static_cast<std::size_t>(-1);
        jobs.push_back(std::move(*job));
        return jobs.size() - 1;
    }

    /// Runs a variant into bins that are full of something else, and compares each sample bin by bin.
    Job variant_job(Result& result) {
        const HistogramVariant& variant = result.variant;
        result.bins.resize(kBins);
        const Bins expected = expected_bins(variant, reference_);
        Job job;
        job.name = variant.name;
        job.on_cpu = variant.on_cpu;
        job.before = [this, &result] {
            std::fill(result.bins.begin(), result.bins.end(), 0xA5A5A5A5A5A5A5A5ull);
            if (!result.variant.on_cpu)
                CUDA_CHECK(
                    cudaMemcpy(d_bins_.data(), result.bins.data(), d_bins_.bytes(), cudaMemcpyHostToDevice));
        };
        job.run = [this, &result] {
            const bool on_cpu = result.variant.on_cpu;
            result.variant.run(on_cpu ? data_.data() : d_data_, data_.size(),
                               on_cpu ? result.bins.data() : d_bins_.data(), options_.shape);
        };
        job.after = [this, &result, expected] {
            if (!result.variant.on_cpu) result.bins = d_bins_.to_host();
            const Bins bins(result.bins.begin(), result.bins.begin() + result.variant.bins);
            if (const auto wrong = verify_bin_by_bin(bins, expected)) result.wrong = *wrong;
        };
        return job;
    }

    std::optional<Job> sequential_job() {
        Job job;
        job.name = "(one CPU core)";
        job.on_cpu = true;
        job.run = [this] { reference_ = reference_histogram(data_.data(), data_.size()); };
        return job;
    }

    std::optional<Job> all_cores_job() {
        Job job;
        job.name = "(all CPU cores)";
        job.on_cpu = true;
        job.run = [this] {
            Bins bins(kBins);
            histogram_on_all_cores(data_.data(), data_.size(), bins.data());
        };
        return job;
    }

    std::optional<Job> ceiling_job() {
        Job job;
        job.name = "(read ceiling)";
        job.run = [reader = std::make_shared<Reader>(d_data_, data_.size())] { reader->read_once(); };
        return job;
    }

    std::optional<Job> cub_job() {
        Job job;
        job.name = "(CUB)";
        job.run =
            [cub = std::make_shared<std::optional<CubHistogram>>(make_cub_histogram(d_data_, data_.size()))] {
                if (*cub) (*cub)->run();
            };
        return job;
    }

    /// What the table says of a result, after the other two verifications.
    std::string verdict(Result& result) {
        const HistogramVariant& variant = result.variant;
        const Bins bins(result.bins.begin(), result.bins.begin() + variant.bins);
        unsigned long long counted = 0;
        for (const unsigned long long count : bins) counted += count;
        if (variant.wrong_because != nullptr) {
            if (result.wrong.empty()) return "wrong on purpose, right by luck";
            return "wrong on purpose: lost " + std::to_string(data_.size() - counted);
        }
        const bool at_limit = variant.largest_count != 0 &&
                              *std::max_element(reference_.begin(), reference_.end()) > variant.largest_count;
        if (at_limit) return "past its limit: " + std::to_string(variant.largest_count) + " a bin";
        if (result.wrong.empty())
            if (const auto wrong = verify_by_sum(bins, data_.size())) result.wrong = *wrong;
        if (result.wrong.empty())
            if (const auto wrong = verify_in_reverse(bins, data_.data(), data_.size())) result.wrong = *wrong;
        if (result.wrong.empty()) return "ok";
        failed_ = true;
        return "WRONG: " + result.wrong;
    }

    void print(double copy_seconds) const {
        if (options_.heading) print_title(copy_seconds);
        // In a table with chapter 01 above, the CPU's two rows stand there already.
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            const bool cpu = rows_[r].device == "CPU";
            if (r < results_.size() || (device_ != nullptr && (options_.heading || !cpu)))
                print_row(rows_[r]);
        }
        std::fflush(stdout);
        if (!options_.file.empty() && options_.heading) print_most_frequent(last_bins());
    }

    void print_title(double copy_seconds) const {
        const std::string what = options_.file.empty() ? options_.input : options_.file;
        std::printf("\nHistogram of %zu bytes (%s), %s\n", data_.size(), what.c_str(),
                    device_ == nullptr ? "on the CPU" : device_->name.c_str());
        if (device_ != nullptr)
            std::printf("Copied to the device in %s, which no time below includes.\n",
                        format_seconds(copy_seconds).c_str());
        if (device_ != nullptr && device_->simulated)
            std::printf("Times marked 'sim' are the simulator's: they say nothing about a GPU.\n");
        std::printf("\n");
        print_heading();
    }

    void write_files() const {
        if (!options_.csv.empty()) append_csv(options_.csv, rows_);
        if (!options_.json.empty()) append_json(options_.json, rows_);
        if (!options_.bins.empty()) write_bins(options_.bins, last_bins());
    }

    /// The histogram itself: by the last variant with the most bins, to which the chapter leads.
    Bins last_bins() const {
        const Result* last = &results_.front();
        for (const Result& result : results_)
            if (result.variant.bins >= last->variant.bins) last = &result;
        return Bins(last->bins.begin(), last->bins.begin() + last->variant.bins);
    }

    const std::string chapter_;
    const Options options_;
    const Device* const device_;
    const std::vector<unsigned char>& data_;
    const unsigned char* const d_data_;
    DeviceBuffer<unsigned long long> d_bins_;
    Bins reference_;
    std::vector<Result> results_;
    std::vector<Row> rows_;
    bool failed_ = false;
};
