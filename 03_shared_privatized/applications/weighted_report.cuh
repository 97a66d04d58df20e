/// @file
/// @brief `--weighted`: weights added up in every way there is, timed, held against error bounds, and shown
///        to depend on the order of the additions, or not to.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "../../common/bench/bench.cuh"
#include "../../common/bench/histogram_report.hpp"
#include "../../common/cuda/device_buffer.cuh"
#include "cores.hpp"
#include "options.hpp"
#include "pairs.hpp"
#include "weighted.cuh"
#include "weighted_reference.hpp"

/// A way of adding up weights.
struct WeightedWay {
    std::string name;
    std::function<void(LaunchShape)> run;
    std::function<void()> spoil;                     ///< fills the sums with something else
    std::function<std::vector<long double>()> sums;  ///< what the last run gave
    std::vector<ExpectedSum> expected;
};

/// What one core adds up.
struct CpuSums {
    std::vector<double> sums;

    /// Adds another core's sums, bin by bin.
    void add(const CpuSums& other) {
        for (std::size_t b = 0; b < sums.size(); ++b) sums[b] += other.sums[b];
    }
};

/// Times, verifies and prints the weighted histogram of values and weights of type `T`, float or double.
template <typename T>
class WeightedReport {
 public:
    /// Integers as wide as a `T`.
    using Whole = std::conditional_t<sizeof(T) == sizeof(float), int, long long>;

    /// @param[in] whole Weights that are integers; none if there are no such weights.
    WeightedReport(const Pairs<T>& pairs, const std::vector<Whole>& whole, const ApplicationOptions& options,
                   const Device& device)
        : options_(options),
          device_(device),
          values_(pairs.first),
          weights_(pairs.second),
          whole_(whole),
          value_name_(pairs.first_name),
          weight_name_(pairs.second_name),
          n_(values_.size()),
          axis_(axis_for(options.x, values_)),
          d_axis_(axis_, options.outside),
          d_pairs_(2 * n_),
          d_whole_(whole.size()) {}

    /// @return The program's exit status: 1 if a result is wrong.
    int run() {
        EventTimer copy;
        copy.start();
        CUDA_CHECK(cudaMemcpy(d_pairs_.data(), values_.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemcpy(d_pairs_.data() + n_, weights_.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemcpy(d_whole_.data(), whole_.data(), d_whole_.bytes(), cudaMemcpyHostToDevice));
        const double copy_seconds = copy.stop();
        add_ways();

        std::vector<Job> jobs;
        for (const WeightedWay& way : ways_) jobs.push_back(job(way));
        const Row blank = common_row("03_shared_privatized", options_, n_, d_pairs_.bytes(), copy_seconds);
        CpuSums one_core, all_cores;
        Yardsticks yardsticks;
        yardsticks.cpu_sequential = [&] { one_core = add_on_cpu(1); };
        yardsticks.cpu_all_cores = [&] { all_cores = add_on_cpu(cores_for(n_, d_axis_.bins())); };
        const Reader reader(reinterpret_cast<const unsigned char*>(d_pairs_.data()), d_pairs_.bytes());
        if (!device_.simulated) yardsticks.read_ceiling = [&] { reader.read_once(); };
        std::vector<Row> rows = measure_rows(jobs, yardsticks, blank, options_, &device_);
        const std::vector<ExpectedSum>& in_doubles = (ways_.end() - 2)->expected;  // before fixed point
        compare("(one CPU core)", {one_core.sums.begin(), one_core.sums.end()}, in_doubles);
        compare("(all CPU cores)", {all_cores.sums.begin(), all_cores.sums.end()}, in_doubles);
        const std::vector<long double> sums = ways_.back().sums();

        print_title(copy_seconds);
        for (Row& row : rows) {
            const auto wrong = wrong_.find(row.variant);
            if (row.variant != "(read ceiling)")
                row.verdict = wrong == wrong_.end() ? "ok" : "WRONG: " + wrong->second;
            print_row(row);
        }
        write_rows(rows, options_.csv, options_.json);
        print_orders();
        print_bars(sums);
        if (!options_.bins.empty()) write_text(options_.bins, as_csv(sums));
        return wrong_.empty() ? 0 : 1;
    }

 private:
    /// The ways, of which each but the first mends what the one before it can't do.
    void add_ways() {
        const auto reference_of = [this](const auto* weights) {
            return on_cores(cores_for(n_, d_axis_.bins()), n_, [&](std::size_t first, std::size_t last) {
                return reference_weighted(values_.data() + first, weights + first, last - first, axis_,
                                          options_.outside);
            });
        };
        const WeightedReference reference = reference_of(weights_.data());
        outside_ = reference.outside;
        long double magnitudes = 0;
        for (const T weight : weights_) magnitudes += std::fabs(static_cast<long double>(weight));
        const double scale = fixed_point_scale(static_cast<double>(magnitudes));
        const T* const d_weights = d_pairs_.data() + n_;
        if (!whole_.empty())
            add_way<unsigned long long>("integer weights", d_whole_.data(), reference_of(whole_.data()), 1);
        add_way<float>("float counters", d_weights, reference, 1);
        add_way<double>("double counters", d_weights, reference, 1);
        add_way<unsigned long long>("fixed point", d_weights, reference, scale);
    }

    template <typename Counter, typename Weight>
    void add_way(const char* name, const Weight* d_weights, const WeightedReference& reference,
                 double scale) {
        const auto d_sums = std::make_shared<DeviceBuffer<Counter>>(d_axis_.bins());
        WeightedWay way;
        way.name = name;
        way.run = [=, this](LaunchShape shape) {
            weighted_histogram(d_pairs_.data(), d_weights, n_, d_axis_, d_sums->data(), scale, shape);
        };
        way.spoil = [d_sums] { CUDA_CHECK(cudaMemset(d_sums->data(), 0xA5, d_sums->bytes())); };
        way.sums = [d_sums, scale] {
            std::vector<long double> sums;
            for (const Counter sum : d_sums->to_host()) sums.push_back(number_of<Weight>(sum, scale));
            return sums;
        };
        for (const ReferenceSum& bin : reference.bins)
            way.expected.push_back(expected_sum<Weight, Counter>(bin, scale));
        ways_.push_back(way);
    }

    Job job(const WeightedWay& way) {
        Job result;
        result.name = way.name;
        result.before = way.spoil;
        result.run = [this, &way] { way.run(options_.shape); };
        result.after = [this, &way] { compare(way.name, way.sums(), way.expected); };
        return result;
    }

    CpuSums add_on_cpu(std::size_t cores) const {
        return on_cores(cores, n_, [this](std::size_t first, std::size_t last) {
            const BinFinder<T> finder = d_axis_.on_host();
            CpuSums result{std::vector<double>(d_axis_.bins(), 0)};
            for (std::size_t i = first; i < last; ++i) {
                const unsigned int bin = finder(values_[i]);
                if (bin != kOutside) result.sums[bin] += weights_[i];
            }
            return result;
        });
    }

    /// Remembers what is wrong with a result.
    void compare(const std::string& name, const std::vector<long double>& sums,
                 const std::vector<ExpectedSum>& expected) {
        if (const auto wrong = verify_sums(sums, expected)) wrong_[name] = *wrong;
    }

    void print_title(double copy_seconds) const {
        std::printf("\nWeighted histogram of %zu values (%s), %s\n%u bins of %s from %s to %s; %s.\n", n_,
                    (options_.file.empty() ? options_.input : options_.file).c_str(), device_.name.c_str(),
                    axis_.bins, value_name_.c_str(), rough(axis_.low).c_str(), rough(axis_.high).c_str(),
                    outside_text(outside_, options_.outside).c_str());
        if (whole_.empty() && n_ > 0)
            std::printf("The integer weights are left out: not all weights are integers.\n");
        print_table_heading(copy_seconds, &device_);
    }

    /// Runs each way in grids of several sizes, which make the threads add in other orders.
    void print_orders() {
        const std::vector<unsigned int> grids{1, 2, 3, 5, 8, 13, 21, 34};
        std::printf("\nIn %zu grids of %u to %u blocks:\n\n%-18s %14s %14s %10s %16s\n", grids.size(),
                    grids.front(), grids.back(), "", "largest error", "its bound", "results",
                    "furthest apart");
        for (const WeightedWay& way : ways_) {
            std::set<std::vector<long double>> results;
            for (const unsigned int grid : grids) {
                way.run({grid, options_.shape.block});
                const std::vector<long double> sums = way.sums();
                compare(way.name, sums, way.expected);
                results.insert(sums);
            }
            long double error = 0, apart = 0;
            double bound = way.expected.front().bound;
            for (std::size_t b = 0; b < d_axis_.bins(); ++b) {
                long double least = INFINITY, greatest = -INFINITY;
                for (const std::vector<long double>& sums : results) {
                    least = std::min(least, sums[b]);
                    greatest = std::max(greatest, sums[b]);
                    const long double its_error = std::fabs(sums[b] - way.expected[b].exact);
                    if (its_error <= error) continue;
                    error = its_error;
                    bound = way.expected[b].bound;
                }
                apart = std::max(apart, greatest - least);
            }
            std::printf("%-18s %14s %14s %10zu %16s\n", way.name.c_str(),
                        rough(static_cast<double>(error)).c_str(),
                        std::isinf(bound) ? "none" : rough(bound).c_str(), results.size(),
                        rough(static_cast<double>(apart)).c_str());
        }
    }

    /// Prints a bar for each bin, or for several neighbours where there are more than 32.
    void print_bars(const std::vector<long double>& sums) const {
        const std::size_t together = (sums.size() + 31) / 32;
        std::vector<long double> bars((sums.size() + together - 1) / together, 0);
        for (std::size_t b = 0; b < sums.size(); ++b) bars[b / together] += sums[b];
        long double most = 0;
        for (const long double bar : bars) most = std::max(most, std::fabs(bar));
        std::printf("\n%14s  %14s\n", (value_name_ + " from").c_str(), ("sum of " + weight_name_).c_str());
        const std::vector<double> edges = edges_of(axis_);
        for (std::size_t k = 0; k < bars.size(); ++k) {
            const auto length =
                static_cast<std::size_t>(most > 0 ? std::fabs(bars[k]) / most * 40 + 0.5L : 0);
            std::printf("%14s  %14s  %s\n", rough(edges[k * together]).c_str(),
                        rough(static_cast<double>(bars[k])).c_str(), std::string(length, '#').c_str());
        }
    }

    std::string as_csv(const std::vector<long double>& sums) const {
        const std::vector<double> edges = edges_of(axis_);
        std::string text = "low,high,sum\n";
        for (std::size_t b = 0; b < sums.size(); ++b)
            text += shortest(edges[b]) + "," + shortest(edges[b + 1]) + "," +
                    shortest(static_cast<double>(sums[b])) + "\n";
        return text;
    }

    const ApplicationOptions& options_;
    const Device& device_;
    const std::vector<T>&values_, &weights_;
    const std::vector<Whole>& whole_;
    const std::string value_name_, weight_name_;
    const std::size_t n_;
    const Axis axis_;
    const DeviceAxis<T> d_axis_;
    const DeviceBuffer<T> d_pairs_;  ///< all values, then all weights
    const DeviceBuffer<Whole> d_whole_;
    std::size_t outside_ = 0;
    std::vector<WeightedWay> ways_;
    std::map<std::string, std::string> wrong_;  ///< by row: what was wrong with a result
};
