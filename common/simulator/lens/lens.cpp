/// @file
/// @brief The lens of a program: its launches, its device memory, and what was found.
#include "lens.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "../grid/block.hpp"
#include "../grid/device.hpp"
#include "../grid/parameters.hpp"
#include "../memory/device_memory.hpp"
#include "../memory/redzones.hpp"
#include "../platform/platform.hpp"
#include "../platform/source_lines.hpp"

namespace lens {
namespace {

// With more device memory than this, one block in kSample is counted, if that makes at least kFewestCounted.
constexpr std::size_t kLargeMemory = 32 << 20;
constexpr std::uint64_t kSample = 16, kFewestCounted = 8;

/// A kernel's name and its template arguments. A launch may know the kernel only as a template parameter.
std::string name_of(const sim::Kernel& kernel) {
    std::string name = kernel.address == nullptr ? "" : sim::function_of(kernel.address);
    if (name.starts_with("void ")) name.erase(0, 5);
    int depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        depth += name[i] == '<';
        depth -= name[i] == '>';
        if (name[i] == '(' && depth == 0 && name.compare(i, 12, "(anonymous n") != 0)
            return name.substr(0, i);
    }
    return kernel.name;
}

/// Where a finding's byte is, as far as it is known.
std::string place_of(const Finding& finding) {
    const sim::Block* const block = sim::running_block;
    std::string element;
    if (block != nullptr)
        element = finding.is_global ? element_text(block->grid(), finding.address)
                                    : block->shared().element_text(finding.address);
    if (element.empty() && !finding.array.empty()) element = sim::function_of(finding.address);
    if (!element.empty()) return element;
    return finding.array.empty() ? sim::allocation_text(finding.address) : finding.array;
}

}  // namespace

Lens& the_lens() {
    static Lens& lens = *new Lens;  // never destroyed: the program's own destructors may free memory
    return lens;
}

Lens::Lens() : looks_for_problems_(std::getenv("LENS_COUNTS_ONLY") == nullptr) {
    if (const char* const asked = std::getenv("LENS_SAMPLE")) count_one_of(std::strtoull(asked, nullptr, 10));
    if (const char* const kernel = std::getenv("LENS_RECORD")) {
        const auto number = [](const char* text) {
            return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
        };
        record({kernel, number(std::getenv("LENS_RECORD_BLOCK")), number(std::getenv("LENS_RECORD_BLOCKS"))});
        setenv("CUDA_SIM_WORKERS", "1", 0);  // no other block runs at the same time
    }
    sim::observer = this;
    const auto [begin, end] = sim::platform::variables();
    arrays_[begin] = std::make_unique<Array>(begin, static_cast<std::size_t>(end - begin),
                                             "a __device__ variable", true, true);
    std::atexit([] { the_lens().write(); });
}

void Lens::grid_begins(const sim::Kernel& kernel, const sim::LaunchConfig& config) {
    kernel_ = name_of(kernel);
    shape_ = {kernel_,
              std::string(kernel.site.file) + ":" + std::to_string(kernel.site.line),
              {config.grid.x, config.grid.y, config.grid.z},
              {config.block.x, config.block.y, config.block.z},
              config.dynamic_shared_bytes};
    if (launches_.empty()) first_stream_ = config.stream;
    is_in_one_stream_ = config.stream == first_stream_ && sim::launching_together == 0;
    past_grids_.begin(++grid_, kernel_);
    has_fences_ = false;
    messages_.clear();
    std::size_t memory = 0;
    for (const auto& [begin, array] : arrays_) memory += array->bytes();
    blocks_ = std::uint64_t{config.grid.x} * config.grid.y * config.grid.z;
    sample_ = asked_sample_ != 0 ? asked_sample_ : memory > kLargeMemory ? kSample : 1;
    if (blocks_ < kFewestCounted * sample_) sample_ = 1;
}

bool Lens::in_sample(std::uint64_t block) const {
    const std::uint64_t row = block / sample_;  // the counted blocks should follow no pattern
    return block % sample_ == (row * 0x9e3779b97f4a7c15 >> 32) % sample_;
}

void Lens::grid_ends() {
    auto found = std::ranges::find(launches_, shape_, &std::pair<Shape, LaunchCounts>::first);
    static const bool each_alone = std::getenv("LENS_EACH_LAUNCH") != nullptr;
    if (each_alone) found = launches_.end();
    if (found == launches_.end()) found = launches_.insert(found, {shape_, {}});
    LaunchCounts& counts = found->second;
    ++counts.launches;
    counts.in_one_stream += is_in_one_stream_ ? 1 : 0;
    counts.sample = std::max(counts.sample, sample_);
    for (const auto& [begin, array] : arrays_) counts.touched += array->take_touched();
    for (auto& [block, collector] : collectors_) counts.add(collector.take_counts());
}

Recording* Lens::begin_recording(std::uint64_t block, const sim::Threads& threads, Order& order) {
    if (!recorded_ || block != recorded_->block || recording_) return nullptr;
    const std::string& name = recorded_->kernel;  // given with or without its namespace
    if (!name.empty() && kernel_ != name && !kernel_.ends_with("::" + name)) return nullptr;
    if (recorded_->blocks != 0 && recorded_->blocks != blocks_) return nullptr;
    recorded_shape_ = shape_;
    recording_ = std::make_unique<Recording>(threads, block, order);
    return recording_.get();
}

void Lens::block_begins(sim::Block& block, std::size_t number) {
    std::unique_lock guard(lock_);
    running = &collectors_.try_emplace(&block, block).first->second;
    guard.unlock();
    running->begin_block(number, shape_.dynamic_shared_bytes);
}
void Lens::block_ends(sim::Block&) {
    running->end_block();
    running = nullptr;
}

void Lens::allocated(const char* begin, std::size_t bytes) {
    const std::lock_guard guard(lock_);
    arrays_[begin] = std::make_unique<Array>(begin, bytes, "", true);
}

void Lens::freed(const char* begin) {
    const std::lock_guard guard(lock_);
    for (auto& [block, collector] : collectors_) collector.forget();
    arrays_.erase(begin);
}

Array* Lens::global_array(const void* address) {
    const std::lock_guard guard(lock_);
    auto next = arrays_.upper_bound(static_cast<const char*>(address));
    if (next == arrays_.begin()) return nullptr;
    Array& array = *std::prev(next)->second;
    return array.has(address) ? &array : nullptr;
}

void Lens::stored(const void* to, const void* from, std::size_t bytes) {
    const auto device_array = [&](const void* address) {  // not host variables beside `__device__` ones
        return sim::place(address, bytes) == sim::Place::inside ? global_array(address) : nullptr;
    };
    Array *const array = device_array(to), *const source = from == nullptr ? nullptr : device_array(from);
    if (array == nullptr) {
        if (source != nullptr) copied_to_host(*source, source->offset(from), bytes);
        return;
    }
    unsigned char* const written = array->written(array->offset(to));
    if (source != nullptr) {
        std::memmove(written, source->written(source->offset(from)), bytes);
    } else {
        // The course's checks fill results with the simulator's poison, which still counts as unwritten.
        const bool is_poison = from == nullptr && *static_cast<const unsigned char*>(to) == sim::kPoison;
        std::memset(written, is_poison ? 0 : 1, bytes);
    }
}

void Lens::copied_to_host(Array& array, std::size_t offset, std::size_t bytes) {
    const void* const unwritten = std::memchr(array.written(offset), 0, bytes);
    if (unwritten == nullptr || !looks_for_problems_) return;
    const bool is_partly_written = std::memchr(array.written(offset), 1, bytes) != nullptr;
    offset += static_cast<std::size_t>(static_cast<const unsigned char*>(unwritten) - array.written(offset));
    add({.problem = Problem::copied,
         .address = array.begin() + offset,
         .is_global = true,
         .line = sim::Calls().line(),
         .is_partly_written = is_partly_written});
}

void Lens::add(Finding finding, const Clocks* clocks, Epoch other) {
    const auto key = std::make_tuple(finding.problem, finding.site, finding.other, finding.line);
    {
        const std::lock_guard guard(lock_);
        Finding& kept = findings_[key];
        if (++kept.count > 1 && (finding.problem != Problem::race || finding.distance() <= kept.distance()))
            return;
    }
    // Without lock_: the simulator also calls the lens while it holds the lock that `allocation_text` takes.
    finding.launched_at = shape_.launched_at;
    finding.where = place_of(finding);
    finding.lacks_fence = clocks != nullptr && clocks->lacks_fence(other, finding.thread);
    const std::lock_guard guard(lock_);
    Finding& kept = findings_[key];
    finding.count = kept.count;
    kept = std::move(finding);
}

}  // namespace lens
