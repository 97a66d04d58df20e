/// @file
/// @brief What the programs of Part I share: measuring, verifying, the table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../problem/cpu_baseline.hpp"
#include "../problem/histogram.cuh"
#include "../problem/verify.hpp"
#include "bench.cuh"
#include "cub_histogram.cuh"
#include "histogram_report.hpp"
#include "options.hpp"
#include "table.cuh"
#include "variants.hpp"

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
          reference_(reference_histogram(data.data(), data.size())) {}

    /// @brief Measures variants side by side, prints the table, and writes what the options ask for.
    /// @param[in] copy_seconds What copying the input to the device took; 0 without a device.
    /// @return The program's exit status: 1 if a result is wrong that should not be.
    int run(const std::vector<HistogramVariant>& variants, double copy_seconds = 0) {
        for (const HistogramVariant& variant : variants) results_.push_back({variant, Bins(kBins), "", {}});
        std::vector<Job> jobs;
        for (Result& result : results_) jobs.push_back(variant_job(result));

        const Row blank = common_row(chapter_, options_, data_.size(), data_.size(),
                                     device_ == nullptr ? NAN : copy_seconds);
        std::vector<Row> rows = measure_rows(jobs, yardsticks(), blank, options_, device_);
        for (std::size_t r = 0; r < results_.size(); ++r) rows[r].verdict = verdict(results_[r]);

        print(rows, copy_seconds);
        write_rows(rows, options_.csv, options_.json);
        if (!options_.bins.empty()) write_bins(options_.bins, last_bins());
        return failed_ ? 1 : 0;
    }

 private:
    struct Result {
        HistogramVariant variant;
        Bins bins;                                ///< of the last sample
        std::string wrong;                        ///< what was wrong with the first sample that was
        DeviceBuffer<unsigned long long> d_bins;  ///< with the variant's workspace behind them
    };

    /// Runs a variant into bins that are full of something else, and compares each sample bin by bin.
    Job variant_job(Result& result) {
        const HistogramVariant& variant = result.variant;
        if (!variant.on_cpu) result.d_bins = device_bins(variant);
        const Bins expected = expected_bins(variant, reference_);
        Job job;
        job.name = variant.name;
        job.on_cpu = variant.on_cpu;
        job.before = [&result] {
            std::fill(result.bins.begin(), result.bins.end(), 0xA5A5A5A5A5A5A5A5ull);
            if (!result.variant.on_cpu)
                CUDA_CHECK(cudaMemcpy(result.d_bins.data(), result.bins.data(),
                                      kBins * sizeof(result.bins[0]), cudaMemcpyHostToDevice));
        };
        job.run = [this, &result] {
            const bool on_cpu = result.variant.on_cpu;
            result.variant.run(on_cpu ? data_.data() : d_data_, data_.size(),
                               on_cpu ? result.bins.data() : result.d_bins.data(), options_.shape);
        };
        job.after = [&result, expected] {
            if (!result.variant.on_cpu) result.bins = result.d_bins.to_host();
            const Bins bins(result.bins.begin(), result.bins.begin() + result.variant.bins);
            if (const auto wrong = verify_bin_by_bin(bins, expected)) result.wrong = *wrong;
        };
        return job;
    }

    Yardsticks yardsticks() {
        Yardsticks result;
        result.cpu_sequential = [this] { reference_ = reference_histogram(data_.data(), data_.size()); };
        result.cpu_all_cores = [this] {
            Bins bins(kBins);
            histogram_on_all_cores(data_.data(), data_.size(), bins.data());
        };
        if (device_ == nullptr || device_->simulated) return result;
        result.read_ceiling = [reader = std::make_shared<Reader>(d_data_, data_.size())] {
            reader->read_once();
        };
        result.cub = cub_histogram<unsigned int>(d_data_, data_.size(), reference_);
        result.cub_64_bit = cub_histogram<unsigned long long>(d_data_, data_.size(), reference_);
        return result;
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

    void print(const std::vector<Row>& rows, double copy_seconds) const {
        if (options_.heading) print_title(copy_seconds);
        // In a table with chapter 01 above, the CPU's yardsticks stand there already.
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const bool yardstick = r >= results_.size(), on_cpu = rows[r].device == "CPU";
            if (!yardstick || !on_cpu || (device_ != nullptr && options_.heading)) print_row(rows[r]);
        }
        if (!options_.file.empty() && options_.heading) print_most_frequent(last_bins());
    }

    void print_title(double copy_seconds) const {
        const std::string what = options_.file.empty() ? options_.input : options_.file;
        std::printf("\nHistogram of %zu bytes (%s), %s\n", data_.size(), what.c_str(),
                    device_ == nullptr ? "on the CPU" : device_->name.c_str());
        print_table_heading(copy_seconds, device_);
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
    Bins reference_;
    std::vector<Result> results_;
    bool failed_ = false;
};
