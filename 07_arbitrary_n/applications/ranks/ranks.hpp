/// @file
/// @brief Several processes that share the data: how MPI's ranks meet, add up, and end.
///
/// A rank that fails tells the others when they meet. While they count, it ends them by MPI_Abort instead,
/// after a message to those that have finished counting. If a rank is killed, the launcher sends the others a
/// signal. MPI's own errors end all ranks by default.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../input/source.hpp"
#include "launch.hpp"
#include "signals.hpp"

#ifdef COURSE_MPI
#include <mpi.h>
#endif

/// Identifies a GPU among those of all hosts.
using GpuId = std::array<char, 16>;

/// @return A rank's place among those that see the same GPUs.
/// @param[in] own  The first GPU that this rank sees.
/// @param[in] gpus The first GPU that each rank sees.
inline Part sharing_of(const GpuId& own, const std::vector<GpuId>& gpus, int rank) {
    return {static_cast<int>(std::count(gpus.begin(), gpus.begin() + rank, own)),
            static_cast<int>(std::count(gpus.begin(), gpus.end(), own))};
}

/// The ranks, as one of them sees them. A process alone is rank 0 of 1, and makes no MPI calls.
class Ranks {
 public:
    /// Another rank has failed, and reports it.
    class OtherFailed : public std::exception {};

    /// @brief Joins the other ranks. Standard output is rank 0's alone.
    /// @param[in] first_gpu The first GPU that this rank sees.
    /// @throws std::invalid_argument if they can't be joined.
    Ranks(const Launch& launch, const GpuId& first_gpu) : launch_(launch) {
        if (launch.count > 1) join(first_gpu);
    }
    ~Ranks() {
        if (launch_.count > 1) leave();
    }
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    const Launch& launch() const { return launch_; }  ///< this rank's number, and how many there are
    Part sharing() const { return sharing_; }  ///< this rank's place among those that see the same GPUs

    /// @brief Waits for all ranks, and gives each of them the values of all.
    /// @throws OtherFailed.
    std::vector<std::uint64_t> exchange(std::uint64_t value) const {
        std::vector<std::uint64_t> values = meet(value);
        if (std::find(values.begin(), values.end(), kFailed) != values.end()) throw OtherFailed();
        return values;
    }

    /// @brief Waits until all ranks are ready to count.
    /// @throws OtherFailed.
    void begin() {
        exchange(0);
        is_counting_ = true;
    }

    /// Adds up the numbers of all ranks, modulo 2^64, and gives the sums to rank 0. Each rank calls it when
    /// it has counted.
    void add_up(std::vector<unsigned long long>& numbers) {
        if (launch_.count > 1) reduce(numbers);
        is_counting_ = false;
    }

    /// @brief Runs all of a rank's work, up to the exit status.
    /// @return The exit status. It is 0 if another rank fails, so that the launcher returns the status of
    /// that rank.
    /// @throws what the work throws. If several ranks fail before they count, only the first of them throws.
    template <typename Work>
    int run(const Work& work) {
        try {
            const int status = work();
            exchange(0);  // rank 0 may have failed to write the result
            return status;
        } catch (const OtherFailed&) {
            return 0;
        } catch (...) {
            if (is_counting_) throw;
            const std::vector<std::uint64_t> values = meet(kFailed);
            if (std::find(values.begin(), values.end(), kFailed) - values.begin() == launch_.rank) throw;
            return 0;
        }
    }

 private:
    static constexpr std::uint64_t kFailed = UINT64_MAX;

    /// @throws std::invalid_argument on rank 0, which reports it for all. The other ranks exit.
    [[noreturn]] void refuse(const std::string& what) const {
        if (launch_.rank != 0) std::exit(0);
        throw std::invalid_argument(std::to_string(launch_.count) + " ranks were started, but " + what);
    }

#ifdef COURSE_MPI
    static constexpr int kFailure = 1;  ///< the tag of the only messages

    void join(const GpuId& first_gpu) {
        int provided = 0, ranks = 0;
        end_by_signals("error: " + launch_.prefix() +
                       "stopped because another rank has failed, or by a signal: no result\n");
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);  // this thread alone calls MPI
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        if (ranks != launch_.count) {
            MPI_Finalize();
            refuse("MPI knows " + std::to_string(ranks) +
                   ": use this MPI's own mpirun, or a --mpi of srun that it supports");
        }
        MPI_Comm_rank(MPI_COMM_WORLD, &launch_.rank);
        if (launch_.rank != 0 && std::freopen("/dev/null", "w", stdout) == nullptr) std::abort();

        std::vector<GpuId> gpus(static_cast<std::size_t>(launch_.count));
        MPI_Allgather(first_gpu.data(), sizeof(GpuId), MPI_BYTE, gpus.data(), sizeof(GpuId), MPI_BYTE,
                      MPI_COMM_WORLD);
        sharing_ = sharing_of(first_gpu, gpus, launch_.rank);
    }

    void leave() const {
        restore_signals();  // any error has been printed by now
        if (is_counting_) abort_all();
        MPI_Finalize();
    }

    /// MPI_Abort may end a waiting rank before it can print a line, so waiting ranks are told first.
    void abort_all() const {
        std::vector<MPI_Request> told(static_cast<std::size_t>(launch_.count), MPI_REQUEST_NULL);
        for (int rank = 0; rank < launch_.count; ++rank)
            if (rank != launch_.rank)
                MPI_Issend(nullptr, 0, MPI_BYTE, rank, kFailure, MPI_COMM_WORLD,
                           &told[static_cast<std::size_t>(rank)]);
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
        for (int are_told = 0; are_told == 0 && std::chrono::steady_clock::now() < end;) {
            MPI_Testall(launch_.count, told.data(), &are_told, MPI_STATUSES_IGNORE);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        MPI_Abort(MPI_COMM_WORLD, 1);
    }

    std::vector<std::uint64_t> meet(std::uint64_t value) const {
        std::vector<std::uint64_t> values(static_cast<std::size_t>(launch_.count), value);
        if (launch_.count == 1) return values;
        MPI_Request request;
        MPI_Iallgather(&value, 1, MPI_UINT64_T, values.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD, &request);
        wait(request);
        return values;
    }

    void reduce(std::vector<unsigned long long>& numbers) const {
        std::vector<unsigned long long> sums(numbers.size());
        MPI_Request request;
        MPI_Ireduce(numbers.data(), sums.data(), static_cast<int>(numbers.size()), MPI_UNSIGNED_LONG_LONG,
                    MPI_SUM, 0, MPI_COMM_WORLD, &request);
        wait(request);
        if (launch_.rank == 0) numbers = sums;
    }

    /// Waits without MPI_Wait, which may occupy a core that other ranks need. Ends the process if one fails.
    static void wait(MPI_Request& request) {
        for (int is_done = 0; MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), is_done == 0;) {
            int has_failed = 0;
            MPI_Iprobe(MPI_ANY_SOURCE, kFailure, MPI_COMM_WORLD, &has_failed, MPI_STATUS_IGNORE);
            if (has_failed != 0) end_with_last_line(1);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
#else
    [[noreturn]] void join(const GpuId&) const {
        refuse(
            "this program was built without MPI, so each rank would count everything: install "
            "libopenmpi-dev and build it again, or start it without mpirun");
    }
    void leave() const {}
    std::vector<std::uint64_t> meet(std::uint64_t value) const { return {value}; }
    void reduce(std::vector<unsigned long long>&) const {}
#endif

    Launch launch_;
    Part sharing_;
    bool is_counting_ = false;  ///< other ranks may be anywhere between `begin` and `add_up`
};
