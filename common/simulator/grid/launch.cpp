/// @file
/// @brief Runs grids: checks a launch as CUDA does, and distributes its blocks to workers.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>

#include "../faults/errors.hpp"
#include "../faults/faults.hpp"
#include "../instrument/observer.hpp"
#include "../memory/device_memory.hpp"
#include "../streams/hazards.hpp"
#include "../streams/streams.hpp"
#include "../streams/unawaited.hpp"
#include "block.hpp"
#include "crew.hpp"
#include "parameters.hpp"

namespace sim {
namespace {

/// @return The number in an environment variable, or `otherwise` if it is not set.
std::uint64_t setting(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    if (text == nullptr || *text == '\0') return otherwise;
    char* end = nullptr;
    const unsigned long long value = std::strtoull(text, &end, 10);
    if (*end == '\0' && *text != '-') return value;
    std::fprintf(stderr, "%s accepts a whole number, not '%s'\n", name, text);
    std::exit(2);
}

/// @return The number in an environment variable, or `otherwise` if it is not set, clamped to [1, `most`].
unsigned int limited_setting(const char* name, std::uint64_t otherwise, std::uint64_t most) {
    return static_cast<unsigned int>(std::clamp<std::uint64_t>(setting(name, otherwise), 1, most));
}

/// @return Which of CUDA's limits a launch exceeds; empty if none. As in CUDA 13, the error is then
/// cudaErrorInvalidValue.
std::string exceeded_limit(const LaunchConfig& config, const SharedLimit& limit) {
    const dim3 &grid = config.grid, &block = config.block;
    const auto outside = [](const char* name, const unsigned int(&shape)[3], const int(&most)[3]) {
        for (int i = 0; i < 3; ++i) {
            // CUDA's limits fit in an int, in which 0 and everything from 2^31 on are less than 1.
            const int number = static_cast<int>(shape[i]);
            if (number < 1 || number > most[i])
                return std::string(name) + "Dim." + "xyz"[i] + " is " + std::to_string(shape[i]) +
                       ", but must be from 1 to " + std::to_string(most[i]);
        }
        return std::string();
    };
    std::string what = outside("grid", {grid.x, grid.y, grid.z}, kMaxGrid);
    if (what.empty()) what = outside("block", {block.x, block.y, block.z}, kMaxBlock);
    if (!what.empty()) return what;
    if (block.x * block.y * block.z > kMaxThreadsPerBlock)
        return "a block of " + std::to_string(block.x * block.y * block.z) + " threads, but at most " +
               std::to_string(kMaxThreadsPerBlock) + " are allowed";
    if (config.dynamic_shared_bytes <= limit.dynamic_bytes) return {};
    return std::to_string(config.dynamic_shared_bytes) +
           " bytes of dynamic shared memory, but the kernel may use at most " +
           std::to_string(limit.dynamic_bytes) +
           (limit.dynamic_bytes < kSharedBytesPerBlock ? " unless cudaFuncSetAttribute allows more" : "");
}

/// Chooses the order of the blocks by the seed: the first block, and the stride from each block to the next,
/// which is coprime to the number of blocks.
void shuffle_blocks(Grid& grid) {
    std::mt19937_64 random(grid.seed);
    grid.first_block = random() % grid.blocks;
    grid.block_stride = random() % (1u << 16) | 1;
    while (std::gcd(grid.block_stride, grid.blocks) != 1) grid.block_stride += 2;
}

/// A cooperative grid must fit into this many SMs or, if the device reports more, into all of these. There is
/// a limit because each block needs an OS thread.
constexpr unsigned int kCooperativeMultiprocessors = 64;

/// How many blocks of a grid can run at the same time.
std::uint64_t resident_blocks(const Kernel& kernel, const LaunchConfig& config) {
    int blocks = 0;
    const dim3& block = config.block;
    occupancy(&blocks, kernel.address, static_cast<int>(block.x * block.y * block.z),
              config.dynamic_shared_bytes);
    return std::uint64_t{std::max(kCooperativeMultiprocessors, multiprocessors())} *
           static_cast<unsigned int>(blocks);
}

/// Distributes a grid to workers.
void run_on_workers(Grid& grid) {
    // Fewer simulated threads than this run in less time than it takes to start an OS thread.
    constexpr std::uint64_t kThreadsWorthAWorker = 512;
    // For each kernel whose blocks have spun until workers were added: how many workers it had then.
    static auto& needed = *new std::map<const void*, std::size_t>;
    const dim3& block = grid.config.block;
    const std::uint64_t worth = grid.blocks * block.x * block.y * block.z / kThreadsWorthAWorker;
    const std::size_t count =
        grid.config.cooperative
            ? grid.blocks
            : std::max<std::uint64_t>(1, std::min({std::uint64_t{workers()}, grid.blocks, worth}));
    const std::size_t most =
        std::min<std::uint64_t>({grid.blocks, resident_blocks(grid.kernel, grid.config), kMostAddedWorkers});
    Crew crew(grid, count, std::max(count, most));
    const auto known = needed.find(grid.kernel.address);
    const std::size_t used = crew.run(known == needed.end() ? count : known->second);
    if (used > count && grid.kernel.address != nullptr) needed[grid.kernel.address] = used;
}

/// Whether CUDA accepts a launch. If not, `cudaGetLastError` returns CUDA's error.
bool accept(const Kernel& kernel, const LaunchConfig& config) {
    cudaError_t error = sticky_error();
    if (error == cudaSuccess) error = stream_error(config.stream);
    std::string why;
    if (error == cudaSuccess) why = exceeded_limit(config, shared_limit(kernel.address));
    if (!why.empty()) error = cudaErrorInvalidValue;
    const dim3& grid = config.grid;
    if (error == cudaSuccess && config.cooperative &&
        std::uint64_t{grid.x} * grid.y * grid.z > resident_blocks(kernel, config))
        error = cudaErrorCooperativeLaunchTooLarge;
    if (error == cudaSuccess) return true;
    set_error(error, std::move(why));
    note_unseen_error(std::string("the launch of ") + kernel.name, kernel.site);
    return false;
}

/// Runs a grid.
/// @return The launches by the grid's kernel.
NestedLaunches run_one_grid(const Kernel& kernel, const LaunchConfig& config, ThreadLoop loop,
                            const void* call, const Arguments& arguments) {
    static std::mutex one_grid_at_a_time;
    const std::lock_guard<std::mutex> lock(one_grid_at_a_time);
    const std::uint64_t all = std::uint64_t{config.grid.x} * config.grid.y * config.grid.z;
    const std::uint64_t ends = setting("CUDA_SIM_ENDS", 0);
    const std::uint64_t blocks = ends > 0 && ends < all / 2 ? 2 * ends : all;
    Grid grid{kernel,
              config,
              shared_limit(kernel.address),
              loop,
              call,
              arguments,
              blocks,
              all - blocks,
              seed(),
              setting("CUDA_SIM_TIMEOUT", 10),
              setting("CUDA_SIM_EARLY_EXIT", 1) != 0,
              setting("CUDA_SIM_ADVICE", 1) != 0};
    if (grid.seed != 0) shuffle_blocks(grid);
    const GridAccess access(kernel);
    if (observer != nullptr) observer->grid_begins(kernel, config);
    run_on_workers(grid);
    if (observer != nullptr) observer->grid_ends();
    if (grid.prints) note_printed(kernel);
    const void* const damage = access.damage();
    if (grid.failed)
        set_fault(grid.report.error, grid.report.fault);
    else if (damage != nullptr)
        set_fault(cudaErrorIllegalAddress,
                  of_kernel(kernel, {.kind = FaultKind::address,
                                     .message = ": a thread has written to " + memory_text(grid, damage)}));
    return std::move(grid.nested);
}

/// Runs a grid and waits for it. `cudaGetLastError` returns its error afterwards.
/// @param loop Runs the threads of a block, each of which calls `call`.
void run_grid(const Kernel& kernel, const LaunchConfig& config, ThreadLoop loop, const void* call,
              const Arguments& arguments) {
    if (sticky_error() != cudaSuccess) return;  // earlier work has failed
    run_nested(run_one_grid(kernel, config, loop, call, arguments));
}

}  // namespace

void Grid::fail(Report its) {
    const std::lock_guard<std::mutex> guard(lock);
    if (failed.exchange(true)) return;
    report = {its.error, of_kernel(kernel, std::move(its.fault))};
}

std::uint64_t seed() { return setting("CUDA_SIM_SEED", 0); }

int device_count() { return static_cast<int>(limited_setting("CUDA_SIM_DEVICES", 1, 64)); }

unsigned int workers() {
    static const unsigned int result =
        limited_setting("CUDA_SIM_WORKERS", std::thread::hardware_concurrency(), kMostGuardedWorkers);
    return result;
}

unsigned int multiprocessors() { return limited_setting("CUDA_SIM_MULTIPROCESSORS", workers(), 1024); }

/// Reports an argument that points to ordinary host memory, once per launch in the source.
static void look_at_pointer(const Kernel& kernel, const Arguments& all, std::size_t parameter) {
    const void* const pointer = all[parameter].pointer;
    if (sticky_error() != cudaSuccess) return;
    note_shared(pointer);
    // Not reported: an address next to device memory, which is the end of a range, and an address without
    // memory, where an access by the kernel is a fault anyway.
    if (place(pointer, 1) != Place::outside || !is_pageable(pointer, 1) || !platform::has_memory(pointer))
        return;
    if (setting("CUDA_SIM_ENDS", 0) != 0)
        return;  // blocks may use only a part of a range that is larger than device memory
    const std::string name = parameter_name(kernel, all.size(), parameter);
    tell_mistake("argument " + (name.empty() ? std::to_string(parameter + 1) : name) + " of " +
                 launch_text(kernel) +
                 " points to ordinary host memory: pass a pointer to device or managed memory");
}

/// @return A launch that happens later, with its own copy of the arguments.
static std::function<void()> kept(const Kernel& kernel, const LaunchConfig& config, const ThreadCall& call,
                                  const Arguments& arguments) {
    const std::shared_ptr<const void> object(call.copy(call.object), call.destroy);
    return [=, loop = call.loop] { run_grid(kernel, config, loop, object.get(), arguments); };
}

void launch_grid(const Kernel& kernel, const LaunchConfig& config, const ThreadCall& call,
                 const Argument* arguments, std::size_t count) {
    if (running_block != nullptr)
        require_nested_launches(kernel);  // before anything is stored that a stopped thread would leak
    const Arguments all(arguments, arguments + count);
    if (running_block != nullptr) {
        const Block::InSimulator here(*running_block);
        LaunchConfig nested = config;
        nested.stream = nullptr;  // the kernel may have destroyed its stream by then
        return launch_nested([=, run = kept(kernel, nested, call, all)] {
            if (accept(kernel, nested)) run();
        });
    }
    for (std::size_t i = 0; i < count; ++i)
        if (all[i].element_bytes != 0) look_at_pointer(kernel, all, i);
    if (is_late(config.stream)) {
        if (accept(kernel, config))
            enqueue(config.stream, {kernel.name, {}, kept(kernel, config, call, all), true});
        return;
    }
    begin_now(config.stream);
    if (accept(kernel, config)) run_grid(kernel, config, call.loop, call.object, all);
    end_now();
}

}  // namespace sim
