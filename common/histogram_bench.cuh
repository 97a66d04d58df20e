/// @file
/// @brief What the programs of Part I share: input, measuring, verifying, the table.
#pragma once

#include <algorithm>
#include <cctype>
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

    /// Adds a variant, unless the command line asks for another one or for a shape that this one can't have.
    void add(const HistogramVariant& variant) {
        if (!options_.variant.empty() && options_.variant != variant.name) return;
        const unsigned int block = options_.shape.block;
        if (variant.only_block != 0 && block != 0 && block != variant.only_block) {
            left_out_ += std::string(variant.name) + " is left out: it takes blocks of " +
                         std::to_string(variant.only_block) + " threads only.\n";
            return;
        }
        if (variant.grid_follows_n && options_.shape.grid != 0) {
            left_out_ += std::string(variant.name) + " is left out: --n and --block decide its grid.\n";
            return;
        }
        results_.push_back({variant, Bins(), ""});
    }

    /// @brief Measures all variants side by side, prints the table, and writes what the options ask for.
    /// @return The program's exit status: 1 if a result is wrong that should not be.
    int run() {
        if (results_.empty() && left_out_.empty())
            throw BadOption("--variant takes one of the names that --list gives, not '" + options_.variant +
                            "'");
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
        print();
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
        job.run = [ceiling = std::make_shared<ReadCeiling>(d_data_, data_.size())] { ceiling->run(); };
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

    void print() const {
        if (options_.heading) {
            std::printf("\nHistogram of %zu bytes (%s), %s\n", data_.size(),
                        options_.file.empty() ? options_.input.c_str() : options_.file.c_str(),
                        device_ == nullptr ? "on the CPU" : device_->name.c_str());
            if (device_ != nullptr && device_->simulated)
                std::printf("Times marked 'sim' are the simulator's. They say nothing about a GPU.\n");
            std::printf("\n");
            print_heading();
        }
        // In a table with chapter 01 above, the CPU's two rows stand there already.
        for (std::size_t r = 0; r < rows_.size(); ++r)
            if (r < results_.size() || (device_ != nullptr && (options_.heading || rows_[r].device != "CPU")))
                print_row(rows_[r]);
        std::fflush(stdout);
        if (!left_out_.empty()) std::fprintf(stderr, "%s", left_out_.c_str());
        if (!options_.file.empty() && options_.heading) print_most_frequent();
    }

    /// The histogram itself, as far as a terminal has room for it.
    void print_most_frequent() const {
        std::vector<std::size_t> order;
        for (std::size_t value = 0; value < kBins; ++value)
            if (reference_[value] != 0) order.push_back(value);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return reference_[a] > reference_[b]; });
        std::printf("\n%zu different byte values; the most frequent (--bins PATH writes all counts):\n",
                    order.size());
        for (std::size_t k = 0; k < std::min<std::size_t>(order.size(), 10); ++k) {
            const std::size_t value = order[k];
            const double share = static_cast<double>(reference_[value]) / static_cast<double>(data_.size());
            const char letter[] = {'\'', static_cast<char>(value), '\'', '\0'};
            std::printf("  %3zu 0x%02zx %-3s %14llu  %5.1f %%  %s\n", value, value,
                        std::isprint(static_cast<int>(value)) ? letter : "", reference_[value], share * 100,
                        std::string(static_cast<std::size_t>(share * 40 + 0.5), '#').c_str());
        }
    }

    void write_files() const {
        if (!options_.csv.empty()) append_csv(options_.csv, rows_);
        if (!options_.json.empty()) append_json(options_.json, rows_);
        if (options_.bins.empty() || results_.empty()) return;
        // The last variant of the chapter is the one that it leads to.
        const Result& last = results_.back();
        std::string text = "bin,count\n";
        for (std::size_t b = 0; b < last.variant.bins; ++b)
            text += std::to_string(b) + "," + std::to_string(last.bins[b]) + "\n";
        if (options_.bins == "-") {
            std::printf("\n%s", text.c_str());
            return;
        }
        std::ofstream file(options_.bins, std::ios::binary);
        file << text;
        if (!file.flush()) throw std::runtime_error(options_.bins + ": the histogram could not be written");
    }

    const std::string chapter_;
    const Options options_;
    const Device* const device_;
    const std::vector<unsigned char>& data_;
    const unsigned char* const d_data_;
    DeviceBuffer<unsigned long long> d_bins_;
    Bins reference_;
    std::vector<Result> results_;
    std::string left_out_;
    std::vector<Row> rows_;
    bool failed_ = false;
};

/// @brief Prints what a chapter's variants are: `--list`.
inline void print_variants(const std::vector<HistogramVariant>& variants) {
    for (const HistogramVariant& variant : variants) {
        std::printf("%-22s %s\n", variant.name, variant.idea);
        if (variant.wrong_because != nullptr)
            std::printf("%-22s wrong on purpose: %s\n", "", variant.wrong_because);
    }
}
