/// @file
/// @brief A chapter's table: its variants and their baselines, timed and verified.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "../cuda/pinned.cuh"
#include "../problem/cores.hpp"
#include "../problem/prepared_variant.cuh"
#include "../problem/verify.hpp"
#include "cub.cuh"
#include "histogram_report.hpp"
#include "measure.cuh"
#include "one_core.hpp"

/// The smallest input that all cores are timed with, in bytes.
constexpr std::size_t kLeastForAllCores = std::size_t{64} << 20;

/// @brief The table of variants and baselines, in the order in which they are added.
template <typename Problem>
class VariantTable {
 public:
    using Element = typename Problem::Element;  ///< what the input consists of

    /// @param[in] chapter The chapter's folder.
    /// @param[in] device  Null for a program that stays on the CPU.
    /// @param[in] data    The input in host memory; it must outlive the table.
    /// @param[in] d_data  The same elements in device memory; null without a device.
    VariantTable(const std::string& chapter, const Options& options, const Device* device,
                 const std::vector<Element>& data, const Element* d_data)
        : common_(common_fields(chapter, data)),
          options_(options),
          device_(device),
          data_(data),
          d_data_(d_data),
          reference_(on_all_cores<Problem>(data.data(), data.size(), Problem::reference)) {
        if (device == nullptr && options.no_cpu)
            throw BadOption("--no-cpu would leave nothing to time: this program runs on the CPU");
    }

    /// Adds a variant, with its own results and workspace. @throws CudaError.
    void add(const Variant<Problem>& variant) {
        const auto line = std::make_shared<Line>(variant, data_.size(), options_.shape);
        lines_.push_back(line);
        Job job{.name = variant.name,
                .work = [this, line] { line->prepared->call(line->variant.on_cpu ? data_.data() : d_data_); },
                .prepare = [line] { line->prepared->poison(); },
                .verify =
                    [this, line] {
                        line->results = line->prepared->results();
                        return verdict(*line);
                    },
                .on_cpu = variant.on_cpu,
                .shape = options_.shape};
        if (device_ != nullptr && device_->simulated) job.recover = [this] { recover(); };
        jobs_.push_back(job);
    }

    /// @brief Adds the CPU's sequential loop, and its fastest loop on all cores, unless `--no-cpu` is given.
    ///
    /// Starting the threads takes about half a millisecond on 16 cores, so all cores are timed only with
    /// enough work to make up for it.
    void add_cpu_baselines() {
        if (options_.no_cpu) return;
        const auto verify = [this](const Results& results) {
            return verdict_of(verify_one_by_one(results, reference_), Problem::verdict(results));
        };
        const auto on_one_core = [this] {
            const OneCore stays;
            return Problem::reference(data_.data(), data_.size());
        };
        const auto on_all = [this] { return on_all_cores<Problem>(data_.data(), data_.size()); };
        jobs_.push_back(job_on_cpu(kOneCore, on_one_core, verify));
        if (common_.bytes >= kLeastForAllCores) jobs_.push_back(job_on_cpu(kAllCores, on_all, verify));
    }

    /// Adds the read ceiling of the input; not on the simulator.
    void add_read_ceiling() { add(read_ceiling_jobs(d_data_, data_.size() * sizeof(Element), device_)); }

    /// Adds NVIDIA's library CUB; not on the simulator.
    void add_cub() {
#ifdef __CUDACC__
        add(cub_jobs(d_data_, data_.size(), reference_));
#endif
    }

    /// Adds jobs of any other kind.
    void add(const std::vector<Job>& jobs) { jobs_.insert(jobs_.end(), jobs.begin(), jobs.end()); }

    /// The correct results.
    const Results& reference() const { return reference_; }

    /// @brief Adds the host-to-device transfer of the input, which no other time includes, from pageable and
    ///        from pinned memory, and the time of pinning. Not on the simulator, nor with `--no-cpu`.
    /// @param[in,out] pinned The input. It must outlive the table.
    /// @param[out]    d_data Device memory, to which the input is copied.
    void add_copies(Pinned& pinned, Element* d_data) {
        if (device_ == nullptr || device_->simulated || options_.no_cpu) return;
        const auto copy = [this, d_data] {
            CUDA_CHECK(
                cudaMemcpy(d_data, data_.data(), data_.size() * sizeof(Element), cudaMemcpyHostToDevice));
        };
        jobs_.push_back({.name = kPageableCopy,
                         .work = copy,
                         .prepare = [&pinned] { pinned.release(); },
                         .verify =
                             [&pinned] {
                                 pinned.pin();
                                 return Verdict{};
                             }});
        jobs_.push_back({.name = kPinnedCopy, .work = copy});
        jobs_.push_back({.name = kPinning,
                         .work = [&pinned] { pinned.pin(); },
                         .prepare = [&pinned] { pinned.release(); },
                         .on_cpu = true});
    }

    /// Names the CPU baselines of the speed-ups, in a table without the usual ones. As in other tables,
    /// inputs of fewer than `kLeastForAllCores` bytes have no speed-up over all cores.
    void compare_with(const char* one_core, const char* all_cores) {
        one_core_ = one_core;
        if (common_.bytes >= kLeastForAllCores) all_cores_ = all_cores;
    }

    /// @brief Measures everything side by side, prints the table, and writes the files that the options name.
    /// @return The program's exit status: 1 if a result is wrong and should not be.
    int measure_and_print() {
        const std::vector<Row> rows = measure(jobs_, common_, options_, device_, one_core_, all_cores_);
        if (options_.heading) print_title(rows.front());
        for (const Row& row : rows)  // a continued table already has the CPU baselines
            if (options_.heading || !is_without_kernel(row.variant)) print_row(row);
        if (last_results().empty()) return status_of(rows);  // all kernels have failed
        if (!options_.file.empty() && options_.heading) print_most_frequent(last_results());
        if (!options_.bins.empty()) write_bins(options_.bins, last_results());
        return status_of(rows);
    }

    /// @return After `measure_and_print`, the results of the variant that computes the most numbers; of
    /// several, the last one's.
    const Results& last_results() const {
        const Line* last = lines_.front().get();
        for (const auto& line : lines_)
            if (line->results.size() >= last->results.size()) last = line.get();
        return last->results;
    }

 private:
    static Row common_fields(const std::string& chapter, const std::vector<Element>& data) {
        Row row;
        row.chapter = chapter;
        row.problem = Problem::kName;
        row.n = data.size();
        row.bytes = data.size() * sizeof(Element);
        return row;
    }

    struct Line {
        Line(const Variant<Problem>& variant_, std::size_t n, const LaunchShape& shape)
            : variant(variant_), prepared(std::make_unique<PreparedVariant<Problem>>(variant, n, shape)) {}
        const Variant<Problem> variant;
        std::unique_ptr<PreparedVariant<Problem>> prepared;
        Results results;              ///< the last sample's results
        bool fully_verified = false;  ///< by Problem::verify, as slow as the problem: once is enough
    };

    /// Reallocates and refills the device memory that was lost by a kernel's fault.
    void recover() {
        forget_fault();
        copy_ = DeviceBuffer<Element>(data_.size());
        d_data_ = copy_.data();
        CUDA_CHECK(cudaMemcpy(copy_.data(), data_.data(), copy_.bytes(), cudaMemcpyHostToDevice));
        for (const auto& line : lines_)
            line->prepared =
                std::make_unique<PreparedVariant<Problem>>(line->variant, data_.size(), options_.shape);
        cudaGetLastError();  // clears the error of freeing lost memory
    }

    /// The table's verdict on a line's results.
    Verdict verdict(Line& line) {
        auto wrong = verify_one_by_one(line.results, line.variant.expected(reference_));
        if (line.variant.wrong_because != nullptr)
            return {Verdict::Kind::wrong_on_purpose,
                    wrong ? "wrong on purpose: " + Problem::shortfall(line.results, data_.size())
                          : "wrong on purpose, right by luck"};
        if (!wrong && !line.fully_verified) wrong = Problem::verify(line.results, data_.data(), data_.size());
        line.fully_verified = true;
        return verdict_of(wrong, Problem::verdict(line.results));
    }

    /// @param[in] row Any row of the table.
    void print_title(const Row& row) const {
        std::printf("\n%s (%s), %s\n", Problem::title(row.n).c_str(), row.input.c_str(),
                    device_ == nullptr ? "on the CPU" : device_->name.c_str());
        print_table_heading(row, device_);
    }

    const Row common_;  ///< the fields that all rows share
    const Options options_;
    const Device* const device_;
    const std::vector<Element>& data_;
    const Element* d_data_;
    DeviceBuffer<Element> copy_;  ///< a copy of the data, made after a fault
    const Results reference_;
    std::vector<std::shared_ptr<Line>> lines_;
    std::vector<Job> jobs_;
    const char *one_core_ = kOneCore, *all_cores_ = kAllCores;
};
