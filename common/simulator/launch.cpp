/// @file
/// @brief Runs grids: checks a launch as CUDA does, and shares its blocks out to OS threads.
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "scheduler.h"

namespace sim {
namespace {

/// @return The number in an environment variable, or `otherwise` if there is none.
std::uint64_t setting(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    if (text == nullptr || *text == '\0') return otherwise;
    char* end = nullptr;
    const unsigned long long value = std::strtoull(text, &end, 10);
    if (*end == '\0') return value;
    std::fprintf(stderr, "%s takes a whole number, not '%s'\n", name, text);
    std::exit(2);
}

std::uint64_t& seed() {
    static std::uint64_t value = setting("CUDA_SIM_SEED", 0);
    return value;
}

/// OS threads that wait for grids. The thread that launches is the first worker.
class WorkerPool {
 public:
    explicit WorkerPool(unsigned int workers) {
        install_fault_handler();
        for (unsigned int i = 1; i < workers; ++i) threads_.emplace_back([this] { serve(); });
    }

    ~WorkerPool() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            stop_ = true;
        }
        wake_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    void run(Grid& grid) {
        // Waking the others takes longer than a small grid does.
        const dim3& block = grid.config.block;
        const bool together =
            grid.blocks > 1 && grid.blocks * block.x * block.y * block.z >= kThreadsWorthWaking;
        if (together) {
            const std::lock_guard<std::mutex> lock(mutex_);
            grid_ = &grid;
            busy_ = threads_.size();
            ++generation_;
            wake_.notify_all();
        }
        first_.run(grid);
        if (together) {
            std::unique_lock<std::mutex> lock(mutex_);
            idle_.wait(lock, [this] { return busy_ == 0; });
        }
    }

 private:
    static constexpr std::uint64_t kThreadsWorthWaking = 1024;

    void serve() {
        Worker worker;
        std::uint64_t seen = 0;
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] { return stop_ || generation_ != seen; });
            if (stop_) return;
            seen = generation_;
            Grid& grid = *grid_;
            lock.unlock();
            worker.run(grid);
            lock.lock();
            if (--busy_ == 0) idle_.notify_one();
        }
    }

    Worker first_;
    std::mutex mutex_;
    std::condition_variable wake_, idle_;
    Grid* grid_ = nullptr;
    std::uint64_t generation_ = 0;
    std::size_t busy_ = 0;
    bool stop_ = false;
    std::vector<std::thread> threads_;
};

cudaError_t launch_error(const LaunchConfig& config) {
    const dim3 &grid = config.grid, &block = config.block;
    const bool empty =
        grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0;
    const bool large = grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535 || block.x > 1024 ||
                       block.y > 1024 || block.z > 64 ||
                       std::uint64_t{block.x} * block.y * block.z > kMaxThreadsPerBlock;
    if (empty || large) return cudaErrorInvalidConfiguration;
    if (config.dynamic_shared_bytes > kSharedBytesPerBlock) return cudaErrorInvalidValue;
    return cudaSuccess;
}

}  // namespace

void set_seed(std::uint64_t value) {
    seed() = value;
}

unsigned int workers() {
    static const unsigned int count = static_cast<unsigned int>(
        std::clamp<std::uint64_t>(setting("CUDA_SIM_WORKERS", std::thread::hardware_concurrency()), 1, 256));
    return count;
}

void run_grid(const LaunchConfig& config, const char* kernel_name, Site site, ThreadLoop loop,
              const void* kernel) {
    if (sticky_error() != cudaSuccess) return;
    if (const cudaError_t error = launch_error(config)) {
        set_error(error);
        return;
    }
    static std::mutex one_grid_at_a_time;
    const std::lock_guard<std::mutex> lock(one_grid_at_a_time);
    static WorkerPool pool(workers());
    Grid grid(config, kernel_name, site, loop, kernel, seed());
    pool.run(grid);
    if (grid.error != cudaSuccess) set_fault(grid.error, grid.fault);
}

}  // namespace sim
