/// @file
/// @brief `--joint`: pairs counted in every way there is, timed, verified and shown.
#pragma once

#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "../../common/bench/bench.cuh"
#include "../../common/bench/histogram_report.hpp"
#include "../../common/bench/table.cuh"
#include "../../common/cuda/device_buffer.cuh"
#include "cores.hpp"
#include "joint.cuh"
#include "joint_cub.cuh"
#include "joint_picture.hpp"
#include "options.hpp"
#include "pairs.hpp"

/// Every bin by its edges, row by row: what a program that goes on with it needs.
inline std::string joint_as_csv(const JointHistogram& histogram) {
    std::vector<std::string> x, y;
    for (const double edge : edges_of(histogram.x)) x.push_back(shortest(edge));
    for (const double edge : edges_of(histogram.y)) y.push_back(shortest(edge));
    std::string text = "x_low,x_high,y_low,y_high,count\n";
    for (std::size_t by = 0; by < histogram.y.bins; ++by)
        for (std::size_t bx = 0; bx < histogram.x.bins; ++bx)
            text += x[bx] + "," + x[bx + 1] + "," + y[by] + "," + y[by + 1] + "," +
                    std::to_string(histogram.bins[by * histogram.x.bins + bx]) + "\n";
    return text;
}

/// Times, verifies and prints the joint histogram of pairs of `T`, float or double.
template <typename T>
class JointReport {
 public:
    /// Copies the pairs to the device. @throws CudaError.
    JointReport(const Pairs<T>& pairs, const ApplicationOptions& options, const Device& device)
        : options_(options),
          device_(device),
          x_(pairs.first),
          y_(pairs.second),
          n_(pairs.first.size()),
          histogram_{pairs.first_name,
                     pairs.second_name,
                     axis_for(options.x, pairs.first),
                     axis_for(options.y, pairs.second),
                     {}},
          bins_(joint_bins(histogram_.x.bins, histogram_.y.bins)),
          x_axis_(histogram_.x, options.outside),
          y_axis_(histogram_.y, options.outside),
          d_pairs_(2 * n_),
          d_bins_(bins_) {}

    /// @return The program's exit status: 1 if a result is wrong.
    int run() {
        EventTimer copy;
        copy.start();
        CUDA_CHECK(cudaMemcpy(d_pairs_.data(), x_.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemcpy(d_pairs_.data() + n_, y_.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
        const double copy_seconds = copy.stop();
        reference_ = on_cores(cores_for(n_, bins_), n_, [this](std::size_t first, std::size_t last) {
            return reference_joint(x_.data() + first, y_.data() + first, last - first, histogram_.x,
                                   histogram_.y, options_.outside);
        });

        std::vector<Job> jobs;
        for (const Counting counting : {Counting::global, Counting::shared, Counting::copies})
            if (counting == Counting::global || copies_that_fit(bins_ * sizeof(unsigned int), block()) > 0)
                jobs.push_back(job(counting));
        const Row blank = common_row("03_shared_privatized", options_, n_, d_pairs_.bytes(), copy_seconds);
        Bins one_core, all_cores;
        Yardsticks yardsticks;
        yardsticks.cpu_sequential = [&] { one_core = count_on_cpu(1).bins; };
        yardsticks.cpu_all_cores = [&] { all_cores = count_on_cpu(cores_for(n_, bins_)).bins; };
        yardsticks.cub = cub_joint(d_x(), d_y(), n_, x_axis_, y_axis_, reference_.bins);
        const Reader reader(reinterpret_cast<const unsigned char*>(d_pairs_.data()), d_pairs_.bytes());
        if (!device_.simulated) yardsticks.read_ceiling = [&] { reader.read_once(); };
        std::vector<Row> rows = measure_rows(jobs, yardsticks, blank, options_, &device_);
        compare("(one CPU core)", one_core);
        compare("(all CPU cores)", all_cores);

        print_title(copy_seconds);
        bool all_right = true;
        for (Row& row : rows) {
            const auto wrong = wrong_.find(row.variant);
            if (row.variant != "(read ceiling)")
                row.verdict = wrong == wrong_.end() ? "ok" : "WRONG: " + wrong->second;
            all_right = all_right && wrong == wrong_.end();
            print_row(row);
        }
        write_rows(rows, options_.csv, options_.json);
        print_map(histogram_);
        if (!options_.bins.empty()) write_text(options_.bins, joint_as_csv(histogram_));
        if (!options_.picture.empty()) draw_joint(options_.picture, histogram_);
        return all_right ? 0 : 1;
    }

 private:
    const T* d_x() const { return d_pairs_.data(); }
    const T* d_y() const { return d_pairs_.data() + n_; }
    unsigned int block() const { return options_.shape.block_or(kPairBlock); }

    /// Remembers what is wrong with a result.
    void compare(const std::string& name, const Bins& bins) {
        if (const auto wrong = verify_bin_by_bin(bins, reference_.bins)) wrong_[name] = *wrong;
    }

    JointCounts count_on_cpu(std::size_t cores) const {
        return on_cores(cores, n_, [this](std::size_t first, std::size_t last) {
            return joint_on_cpu(x_.data() + first, y_.data() + first, last - first, x_axis_.on_host(),
                                y_axis_.on_host());
        });
    }

    Job job(Counting counting) {
        Job result;
        result.name = name_of(counting);
        result.before = [this] { CUDA_CHECK(cudaMemset(d_bins_.data(), 0xA5, d_bins_.bytes())); };
        result.run = [this, counting] {
            joint_histogram(counting, d_x(), d_y(), n_, x_axis_, y_axis_, d_bins_.data(), options_.shape);
        };
        result.after = [this, name = result.name] {
            histogram_.bins = d_bins_.to_host();
            compare(name, histogram_.bins);
        };
        return result;
    }

    void print_title(double copy_seconds) const {
        const auto axis_text = [](const std::string& name, const Axis& axis) {
            return std::to_string(axis.bins) + " bins of " + name + " from " + rough(axis.low) + " to " +
                   rough(axis.high);
        };
        std::printf("\nJoint histogram of %zu pairs (%s), %s\n%s, %s; %s.\n", n_,
                    (options_.file.empty() ? options_.input : options_.file).c_str(), device_.name.c_str(),
                    axis_text(histogram_.x_name, histogram_.x).c_str(),
                    axis_text(histogram_.y_name, histogram_.y).c_str(),
                    outside_text(reference_.outside, options_.outside).c_str());
        print_table_heading(copy_seconds, &device_);
    }

    const ApplicationOptions& options_;
    const Device& device_;
    const std::vector<T>&x_, &y_;
    const std::size_t n_;
    JointHistogram histogram_;  ///< with the bins that the device has counted
    const std::size_t bins_;
    const DeviceAxis<T> x_axis_, y_axis_;
    const DeviceBuffer<T> d_pairs_;  ///< all x, then all y
    const DeviceBuffer<unsigned long long> d_bins_;
    JointCounts reference_;
    std::map<std::string, std::string> wrong_;  ///< by row: what was wrong with a result
};
