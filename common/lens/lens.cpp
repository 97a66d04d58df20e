/// @file
/// @brief The lens of a program: its launches, its device memory, and what was found.
#include "lens.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "../simulator/device_memory.hpp"
#include "../simulator/source_lines.hpp"

// The program's own variables, `__device__` ones among them.
extern "C" char __data_start[], _end[];

namespace lens {

namespace {

/// A kernel's name and its template's arguments. A launch may know it as a template's parameter only.
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

}  // namespace

Lens& the_lens() {
    static Lens& lens = *new Lens;  // never destroyed: the program's own destructors may free memory
    return lens;
}

Lens::Lens() : looks_for_problems_(std::getenv("LENS_COUNTS_ONLY") == nullptr) {
    sim::observer = this;
    arrays_[__data_start] = std::make_unique<Array>(
        __data_start, static_cast<std::size_t>(_end - __data_start), "a __device__ variable", true, true);
    std::atexit([] { the_lens().write(); });
}

Collector& Lens::collector_of(sim::Worker& worker) {
    const std::lock_guard guard(lock_);
    std::unique_ptr<Collector>& collector = collectors_[&worker];
    if (collector == nullptr) collector = std::make_unique<Collector>(worker);
    return *collector;
}

void Lens::grid_begins(const sim::Kernel& kernel, const sim::LaunchConfig& config) {
    kernel_ = name_of(kernel);
    shape_ = {kernel_,
              std::string(kernel.site.file) + ":" + std::to_string(kernel.site.line),
              {config.grid.x, config.grid.y, config.grid.z},
              {config.block.x, config.block.y, config.block.z},
              config.dynamic_shared_bytes};
    ++grid_;
    has_fences_ = false;
    messages_.clear();
}

void Lens::grid_ends() {
    const auto [found, is_new] = launches_.try_emplace(shape_);
    if (is_new) order_.push_back(shape_);
    LaunchCounts& counts = found->second;
    ++counts.launches;
    for (const auto& [begin, array] : arrays_) counts.touched += array->take_touched();
    for (const auto& [worker, collector] : collectors_) counts.add(collector->take_counts());
}

void Lens::block_begins(sim::Worker& worker, std::size_t number) {
    running = &collector_of(worker);
    running->begin_block(number, shape_.dynamic_shared_bytes);
}
void Lens::block_ends(sim::Worker&) {
    running->end_block();
    running = nullptr;
}
void Lens::shared_begins(sim::Worker&, const char* begin, const sim::SharedVariable& variable) {
    running->begin_shared(begin, variable);
}
void Lens::barrier(sim::Worker&, sim::Site site) { running->barrier(site); }
void Lens::warp_meets(sim::Worker&, unsigned int first, unsigned int lanes) {
    running->warp_meets(first, lanes);
}

void Lens::fence(sim::Worker&) { running->fence(); }

void Lens::allocated(const char* begin, std::size_t bytes) {
    const std::lock_guard guard(lock_);
    arrays_[begin] = std::make_unique<Array>(begin, bytes, "", true);
}

void Lens::freed(const char* begin) {
    const std::lock_guard guard(lock_);
    for (const auto& [worker, collector] : collectors_) collector->forget(begin);
    arrays_.erase(begin);
}

Array* Lens::global_array(const void* address) {
    const std::lock_guard guard(lock_);
    auto next = arrays_.upper_bound(static_cast<const char*>(address));
    if (next == arrays_.begin()) return nullptr;
    Array& array = *std::prev(next)->second;
    return array.has(address) ? &array : nullptr;
}

/// The course's checks fill results with poison before they call a kernel. Who reads that reads nothing.
void Lens::stored(const void* to, const void* from, std::size_t bytes) {
    Array* const array = global_array(to);
    if (array == nullptr) return;
    const std::size_t offset = array->offset(to);
    Array* const source = from == nullptr ? nullptr : global_array(from);
    if (source != nullptr && !source->name().empty()) return array->set_written(offset, bytes);
    if (source != nullptr) {
        const auto first = source->written().begin() + static_cast<std::ptrdiff_t>(source->offset(from));
        std::vector<unsigned char> written(first, first + static_cast<std::ptrdiff_t>(bytes));
        std::copy(written.begin(), written.end(),
                  array->written().begin() + static_cast<std::ptrdiff_t>(offset));
        return;
    }
    array->set_written(offset, bytes);
    if (from == nullptr) return;
    constexpr std::uint64_t kPoisoned = 0xA5A5A5A5A5A5A5A5ull;
    for (std::size_t i = 0; i + sizeof(kPoisoned) <= bytes; i += sizeof(kPoisoned))
        if (std::memcmp(static_cast<const char*>(from) + i, &kPoisoned, sizeof(kPoisoned)) == 0)
            std::fill_n(array->written().begin() + static_cast<std::ptrdiff_t>(offset + i), sizeof(kPoisoned),
                        0);
}

void Lens::add(Finding finding) {
    const std::lock_guard guard(lock_);
    const auto [found, is_new] =
        findings_.try_emplace({finding.problem, finding.site, finding.other}, finding);
    if (!is_new) {
        ++found->second.count;
        return;
    }
    Finding& first = found->second;
    first.block_threads = shape_.block[0] * shape_.block[1] * shape_.block[2];
    first.text = first.array.empty() ? sim::allocation_text(first.address) : first.array;
}

void Lens::forget() {
    launches_.clear();
    order_.clear();
    findings_.clear();
}

LaunchCounts Lens::counts() const {
    LaunchCounts all;
    for (const auto& [shape, counts] : launches_) all.add(counts);
    join_sites(all);
    return all;
}

std::vector<Finding> Lens::findings() const {
    std::vector<Finding> all;
    for (const auto& [key, finding] : findings_) all.push_back(finding);
    return all;
}

}  // namespace lens
