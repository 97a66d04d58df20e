/// @file
/// @brief The work at each access and at each point where threads meet.
#include <algorithm>
#include <cstring>
#include <utility>

#include "../faults/faults.hpp"
#include "lens.hpp"

namespace lens {

thread_local Collector* running = nullptr;

/// If a lane makes this many accesses before the lanes of its warp meet, as in an endless loop, the warp's
/// accesses are counted as if its lanes had met.
constexpr std::size_t kMostAccesses = 1 << 22;
/// The most bytes of one access. A thread needs several for a larger object, such as a struct.
constexpr std::size_t kBytesAtOnce = 16;

void Collector::begin_block(std::uint64_t number, std::size_t dynamic_bytes) {
    block_number_ = number;
    counting_.begin_block(the_lens().in_sample(number));
    const unsigned int warps = (threads_.count + kLanes - 1) / kLanes;
    if (lanes_.size() < warps) lanes_.resize(warps);
    requests_.assign(warps, 0);
    path_.fill(0);
    started_.fill(false);
    accesses_.fill(0);
    update_ = nullptr;
    of_block_ = false;
    last_warp_ = 0;
    shared_count_ = 0;
    ++block_serial_;
    late_.array = nullptr;
    clocks_.begin_block(static_cast<std::uint32_t>(number), threads_.count);
    trail_ = {};
    recording_ = the_lens().begin_recording(number, threads_, order_);
    if (dynamic_bytes != 0)
        begin_shared(sim::dynamic_shared.memory, {"the dynamic shared memory", dynamic_bytes, 16, 1, {}});
}

void Collector::begin_shared(const char* begin, const sim::SharedVariable& variable) {
    for (std::size_t i = 0; i < shared_.size(); ++i)
        if (shared_[i]->begin() == begin && shared_[i]->bytes() == variable.bytes) {
            if (i < shared_count_) return;
            std::swap(shared_[i], shared_[shared_count_]);
            shared_[shared_count_++]->forget();
            return;
        }
    shared_.insert(shared_.begin() + static_cast<std::ptrdiff_t>(shared_count_++),
                   std::make_unique<Array>(begin, variable.bytes, variable.name, false));
}

Array* Collector::array_of(const void* address) {
    for (std::size_t i = 0; i < shared_count_; ++i)
        if (shared_[i]->has(address)) return shared_[i].get();
    for (Array* const array : recent_)
        if (array != nullptr && array->has(address)) return array;
    // The thread's own variables, and the built-in ones, are in no array.
    const auto near = [address](const void* place, std::ptrdiff_t distance) {
        return std::abs(static_cast<const char*>(address) - static_cast<const char*>(place)) < distance;
    };
    if (near(__builtin_frame_address(0), 128 * 1024) || near(&threadIdx, 1024)) return nullptr;
    Array* const found = the_lens().global_array(address);
    if (found != nullptr) recent_[next_recent_++ % recent_.size()] = found;
    return found;
}

std::uint32_t Collector::site_number(const void* at, Kind kind, Space space, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    const Path path = path_[thread()];
    const std::uint32_t key =
        1u << 16 | of_block_ << 17 | static_cast<unsigned int>(kind) << 8 | static_cast<unsigned int>(space);
    Cached& cached = sites_[(address ^ address >> 10 ^ path * 31 ^ key) % sites_.size()];
    if (cached.at != address || cached.path != path || cached.key != key)
        cached = {address, path, key,
                  number_of({address, path, space, kind,
                             static_cast<std::uint8_t>(std::min<std::size_t>(bytes, 255)), of_block_})};
    return cached.number;
}

void Collector::begin_call(const void* at) {
    block_.stop_if_due();
    const sim::Block::InSimulator here(block_);
    const unsigned int thread = this->thread();
    started_[thread] = true;
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    Cached& cached = calls_[(address ^ path_[thread]) % calls_.size()];
    if (cached.at != address || cached.path != path_[thread])
        cached = {address, path_[thread], 0, call(path_[thread], address)};
    path_[thread] = cached.number;
    trail_ = {threads_.current};
}

void Collector::end_call() {
    const sim::Block::InSimulator here(block_);
    Path& path = path_[thread()];
    Left& left = left_[path % left_.size()];
    if (left.path != path) left = {path, last_call(path)};
    // The thread is now just after the call.
    trail_ = {threads_.current, left.call.at + 1};
    path = left.call.from;
}

bool Collector::has_stopped(unsigned int warp) const {
    for (unsigned int i = warp * kLanes; i < std::min((warp + 1) * kLanes, threads_.count); ++i) {
        const sim::ThreadState state = threads_.all[i].state;
        if (!started_[i] || state == sim::ThreadState::runs || state == sim::ThreadState::ready) return false;
    }
    return true;
}

bool Collector::is_global(const void* address) {
    const sim::Block::InSimulator here(block_);
    const Array* const array = array_of(address);
    return array != nullptr && array->is_global();
}

void Collector::access(const void* address, std::size_t bytes, Kind kind, const void* at, bool is_atomic) {
    if (!is_atomic) block_.stop_if_due();  // an atomic operation holds a lock
    if (!note(address, bytes, kind, at, is_atomic)) sim::require_no_redzone(block_, address, bytes, true);
}

void Collector::end_iteration(std::uintptr_t at) {
    block_.stop_if_due();
    const sim::Block::InSimulator here(block_);
    if (!started_[thread()]) return;  // a loop of the code that calls the kernel
    const std::uint32_t site = site_number(reinterpret_cast<const void*>(at), Kind::load, Space::global, 0);
    if (recording_ != nullptr) wait_for_turn(site, nullptr, 0, 0);
    const unsigned int thread = this->thread();
    std::vector<Access>& lane = lanes_[thread / kLanes][thread % kLanes];
    if (!lane.empty() && lane.back().site == site)
        ++lane.back().address;
    else if (lane.size() == kMostAccesses)
        flush(thread / kLanes);
    else if (!lane.empty() || counting_.is_in_sample())
        lane.push_back({1, site, 0});
}

void Collector::wait_for_turn(const void* address, std::size_t bytes, Kind kind, const void* at) {
    block_.stop_if_due();
    const sim::Block::InSimulator here(block_);
    Array* const array = array_of(address);
    if (array == nullptr || array->offset(address) + bytes > array->bytes()) return;
    const Space space = array->is_global() ? Space::global : Space::shared;
    wait_for_turn(site_number(at, kind, space, bytes), array, array->offset(address), bytes);
}

/// The running thread's state between two accesses is saved before the wait and restored afterwards.
void Collector::wait_for_turn(std::uint32_t site, Array* array, std::size_t offset, std::size_t bytes) {
    if (late_.thread != thread()) look_at_late();
    const Look late = std::exchange(late_, {});
    const bool of_block = std::exchange(of_block_, false);
    const Trail trail = trail_;
    recording_->arrive(site, array, offset, bytes);
    do {
        block_.yield();
        block_.stop_if_due();
    } while (!recording_->is_turn());
    recording_->begin_access();
    look_at_late();
    late_ = late;
    of_block_ = of_block;
    trail_ = trail;
}

bool Collector::note(const void* address, std::size_t bytes, Kind kind, const void* at, bool is_atomic) {
    const sim::Block::InSimulator here(block_);
    Array* const array = array_of(address);
    if (array == nullptr) return false;
    const std::size_t offset = array->offset(address);
    if (offset + bytes > array->bytes()) return false;
    const Space space = array->is_global() ? Space::global : Space::shared;
    const std::uint32_t number = site_number(at, kind, space, bytes);
    const unsigned int thread = this->thread(), warp = thread / kLanes;
    started_[thread] = true;
    accesses_[thread] += (bytes + kBytesAtOnce - 1) / kBytesAtOnce;
    if (warp != last_warp_) {
        if (has_stopped(last_warp_)) flush(last_warp_);
        last_warp_ = warp;
    }
    // Banks count from the beginning of the shared array, as if it were aligned to 128 bytes.
    const std::uintptr_t place = space == Space::shared ? reinterpret_cast<std::uintptr_t>(address) -
                                                              reinterpret_cast<std::uintptr_t>(array->begin())
                                                        : reinterpret_cast<std::uintptr_t>(address);
    trail_.has_accessed = true;
    if (counting_.reach(number)) {
        std::vector<Access>& lane = lanes_[warp][thread % kLanes];
        if (lane.size() == kMostAccesses) flush(warp);
        lane.push_back({place, number, static_cast<std::uint32_t>(bytes)});
    }
    if (space == Space::global) {
        array->touch(offset, bytes);
        if (kind == Kind::load) loaded_ += bytes;
        if (kind == Kind::atomic) count(counting_.counts().atomics, place);
    } else if (kind == Kind::atomic) {
        counting_.counts().to_other_warps += array->is_of_another_warp(offset, warp);
    }
    if (the_lens().looks_for_problems()) look_for_problems(*array, offset, bytes, kind, number, is_atomic);
    return true;
}

/// Whether the access is examined only at the next one: a load may belong to an `atomicCAS`
/// (`begin_compare`), and what a store changes can be seen only after the store.
bool Collector::Look::is_late() const {
    return kind == Kind::load || (kind == Kind::store && !now.atomic && bytes <= before.size());
}

/// Whether this is a store of the value that was already there. The order of such stores does not matter.
bool Collector::Look::changes_nothing() const {
    return kind == Kind::store && is_late() && std::memcmp(address(), before.data(), bytes) == 0;
}

void Collector::look_for_problems(Array& array, std::size_t offset, std::size_t bytes, Kind kind,
                                  std::uint32_t site, bool is_atomic) {
    const unsigned int thread = this->thread();
    look_at_late();
    Look here{&array, offset, bytes, site, thread, kind, clocks_.now(thread, site, is_atomic), {}};
    if (!here.is_late()) return look(here);
    if (kind == Kind::store) std::memcpy(here.before.data(), here.address(), bytes);
    late_ = here;
}

void Collector::look_at_late() {
    if (late_.array != nullptr) look(late_);
    late_.array = nullptr;
}

void Collector::look(const Look& at) {
    Array& array = *at.array;
    if (at.kind != Kind::store && !array.is_written(at.offset, at.bytes)) {
        find(Problem::unwritten, at, {});
        array.set_written(at.offset, at.bytes);  // reported only once
    }
    if (at.kind != Kind::load) array.set_written(at.offset, at.bytes);
    if (clocks_.is_full()) return;
    const bool changes_nothing = at.changes_nothing();
    const PastGrids& past = the_lens().past_grids();
    array.visit(
        at.offset, at.bytes, array.is_global() ? the_lens().grid() : block_serial_,
        [&](Cell& cell) {
            if (const auto other = cell.access(at.kind, at.now, at.thread, clocks_, changes_nothing))
                find(Problem::race, at, *other);
        },
        array.is_global() ? &past : nullptr,
        [&](std::uint32_t grid, const Cell& cell) {
            if (const auto other = cell.race_with(at.kind, at.now))
                find(Problem::race, at, *other, &past.at(grid));
        });
}

void Collector::find(Problem problem, const Look& at, Epoch other, const PastGrids::Grid* of) {
    if (recording_ != nullptr && problem == Problem::race && of == nullptr &&
        other.block == (block_number_ & 0xfffff))
        recording_->race(at.thread, at.site, static_cast<unsigned int>(other.thread),
                         static_cast<std::uint32_t>(other.site));
    Finding finding{.problem = problem,
                    .kernel = the_lens().kernel_name(),
                    .array = at.array->name(),
                    .address = at.array->begin() + at.offset,
                    .is_global = at.array->is_global(),
                    .site = at.site,
                    .other = static_cast<std::uint32_t>(other.site),
                    .block = block_number_,
                    .thread = at.thread,
                    .other_block = static_cast<std::uint32_t>(other.block),
                    .other_thread = static_cast<std::uint32_t>(other.thread)};
    if (of != nullptr) {
        finding.other_kernel = of->kernel;
        finding.other_stream = of->stream;
        finding.stream = the_lens().past_grids().stream();
    }
    const bool is_in_kernel = problem == Problem::race && of == nullptr;
    the_lens().add(std::move(finding), is_in_kernel ? &clocks_ : nullptr, other);
}

void Collector::flush(unsigned int warp) {
    std::array<std::vector<Access>, kLanes>& lanes = lanes_[warp];
    counting_.begin_group(warp);
    execute_together(lanes, order_, [&](std::uint32_t site, const Request& request) {
        counting_.add(site, request);
        ++requests_[warp];
    });
    code_.meet(warp);
    for (std::vector<Access>& lane : lanes) lane.clear();
}

void Collector::barrier(const sim::Site& site) {
    look_at_late();
    for (unsigned int warp = 0; warp < requests_.size(); ++warp) flush(warp);
    counting_.synchronize();
    trail_ = {};
    if (recording_ != nullptr) recording_->barrier(site);
    BarrierCounts& counts =
        counting_.counts().barriers[std::string(site.file) + ":" + std::to_string(site.line)];
    ++counts.count;
    counts.was_partial |= threads_.live < threads_.count;
    for (const std::uint64_t requests : requests_) counts.requests += requests;
    counts.most_requests += requests_.size() * *std::max_element(requests_.begin(), requests_.end());
    std::fill(requests_.begin(), requests_.end(), 0);
    clocks_.barrier();
}

/// Only `__syncwarp` and a group's `sync` order accesses: CUDA documents that shuffles and votes don't.
void Collector::warp_meets(unsigned int first, unsigned int lanes, const char* function) {
    look_at_late();
    flush(first / kLanes);
    trail_ = {};
    if (recording_ != nullptr) recording_->warp_meets(first, lanes, function);
    ++counting_.counts().meetings;
    const std::string_view name = function;
    if (name.find("shfl") != name.npos || name.find("reduce") != name.npos) ++counting_.counts().exchanges;
    if (name != "__syncwarp" && name != "sync") return;
    clocks_.warp_meets(first, lanes);
    counting_.synchronize();
}

void Collector::end_block() {
    for (unsigned int warp = 0; warp < requests_.size(); ++warp) flush(warp);
    look_at_late();
    if (recording_ != nullptr) std::exchange(recording_, nullptr)->end_block();
    LaunchCounts& counts = counting_.counts();
    ++counts.blocks;
    counts.busiest_thread = std::max(counts.busiest_thread, *std::ranges::max_element(accesses_));
    counts.busiest_block = std::max(counts.busiest_block, std::exchange(loaded_, 0));
}

Messages::Log* Collector::begin_atomic(const void* address) {
    block_.stop_if_due();
    const sim::Block::InSimulator here(block_);
    Messages::Log* const log = the_lens().log_at(address);
    if (log == nullptr) return nullptr;
    block_.hold_lock(true);
    log->lock.lock();
    return log;
}

void Collector::end_atomic(Messages::Log* log, bool stores) {
    const sim::Block::InSimulator here(block_);
    clocks_.atomic(thread(), *log, stores);
    log->lock.unlock();
    block_.hold_lock(false);
}

void Collector::fence(bool of_block) {
    block_.stop_if_due();
    look_at_late();
    the_lens().keeps_messages();
    clocks_.fence(thread(), of_block);
}

/// By an atomic operation on an address that only this barrier uses, the thread tells other blocks what has
/// happened before, and learns what they have told.
void Collector::grid_barrier(std::size_t number) {
    fence(false);
    end_atomic(begin_atomic(reinterpret_cast<const void*>(number)), true);
    fence(false);
}

}  // namespace lens
