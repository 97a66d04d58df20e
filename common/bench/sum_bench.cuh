/// @file
/// @brief What the programs of Part II share: measuring, verifying, the table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../problem/sum_of_squares.cuh"
#include "bench.cuh"
#include "cub_sum.cuh"
#include "options.hpp"
#include "table.cuh"
#include "variants.hpp"

/// @return The sum of squares by all cores, a slice for each.
inline unsigned long long sum_on_all_cores(const int* data, std::size_t n) {
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    std::vector<unsigned long long> partials(cores, 0);
    std::vector<std::thread> threads;
    for (std::size_t core = 0; core < cores; ++core) {
        const std::size_t first = n / cores * core + std::min(core, n % cores);
        const std::size_t size = n / cores + (core < n % cores);
        threads.emplace_back([=, &partials] { partials[core] = reference_sum(data + first, size); });
    }
    unsigned long long sum = 0;
    for (std::size_t core = 0; core < cores; ++core) {
        threads[core].join();
        sum += partials[core];
    }
    return sum;
}

/// Times, verifies and prints a chapter's variants.
class SumBench {
 public:
    /// @param[in] chapter The chapter's folder.
    /// @param[in] data    The input in host memory.
    /// @param[in] d_data  The same in device memory.
    SumBench(std::string chapter, const Options& options, const Device& device, const std::vector<int>& data,
             const int* d_data)
        : chapter_(std::move(chapter)),
          options_(options),
          device_(device),
          data_(data),
          d_data_(d_data),
          d_sum_(1),
          expected_(reference_sum(data.data(), data.size())) {}

    /// @brief Measures variants side by side, prints the table, and writes what the options ask for.
    /// @param[in] copy_seconds What copying the input to the device took.
    /// @return The program's exit status: 1 if a result is wrong that should not be.
    int run(const std::vector<SumVariant>& variants, double copy_seconds) {
        std::vector<std::string> verdicts(variants.size());
        std::vector<Job> jobs;
        for (std::size_t v = 0; v < variants.size(); ++v)
            jobs.push_back(variant_job(variants[v], verdicts[v]));

        const Row blank =
            common_row(chapter_, options_, data_.size(), data_.size() * sizeof(int), copy_seconds);
        std::vector<Row> rows = measure_rows(jobs, yardsticks(), blank, options_, &device_);
        bool all_right = true;
        for (std::size_t v = 0; v < variants.size(); ++v) {
            rows[v].verdict = verdicts[v];
            all_right = all_right && verdicts[v].find("WRONG") == std::string::npos;
        }
        for (std::size_t r = variants.size(); r < rows.size(); ++r)
            if (rows[r].device == "CPU") rows[r].verdict = std::to_string(on_cpu_);

        if (options_.heading) print_title(copy_seconds);
        for (const Row& row : rows) print_row(row);
        write_rows(rows, options_.csv, options_.json);
        return all_right ? 0 : 1;
    }

 private:
    /// Runs a variant onto a sum that is something else, and compares each sample with the CPU's.
    Job variant_job(const SumVariant& variant, std::string& verdict) {
        const auto workspace = std::make_shared<DeviceBuffer<unsigned long long>>(
            variant.workspace_size(data_.size(), options_.shape));
        if (workspace->size() != 0) CUDA_CHECK(cudaMemset(workspace->data(), 0, workspace->bytes()));
        Job job;
        job.name = variant.name;
        job.before = [this] { CUDA_CHECK(cudaMemset(d_sum_.data(), 0xA5, d_sum_.bytes())); };
        job.run = [this, run = variant.run, workspace] {
            run(d_data_, data_.size(), d_sum_.data(), workspace->data(), options_.shape);
        };
        job.after = [this, &verdict, wrong_on_purpose = variant.wrong_because != nullptr] {
            const unsigned long long sum = d_sum_.to_host()[0];
            if (verdict.find("WRONG") != std::string::npos) return;
            if (sum == expected_) {
                verdict = std::to_string(sum) + " ok";
            } else {
                verdict = std::to_string(sum) + (wrong_on_purpose ? " wrong on purpose" : " WRONG");
            }
        };
        return job;
    }

    Yardsticks yardsticks() {
        Yardsticks result;
        result.cpu_sequential = [this] { on_cpu_ = reference_sum(data_.data(), data_.size()); };
        result.cpu_all_cores = [this] { on_cpu_ = sum_on_all_cores(data_.data(), data_.size()); };
        if (device_.simulated) return result;
        const auto* const bytes = reinterpret_cast<const unsigned char*>(d_data_);
        result.read_ceiling = [reader = std::make_shared<Reader>(bytes, data_.size() * sizeof(int))] {
            reader->read_once();
        };
        result.cub = cub_sum(d_data_, data_.size(), expected_);
        return result;
    }

    void print_title(double copy_seconds) const {
        std::printf("\nSum of %zu squares (%s), %s\n", data_.size(), options_.input.c_str(),
                    device_.name.c_str());
        print_table_heading(copy_seconds, &device_);
    }

    const std::string chapter_;
    const Options options_;
    const Device device_;
    const std::vector<int>& data_;
    const int* const d_data_;
    DeviceBuffer<unsigned long long> d_sum_;
    const unsigned long long expected_;
    unsigned long long on_cpu_ = 0;
};
