/// @file
/// @brief The order of a recorded block's threads, and the recording as JSON.
#include "recording.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <map>
#include <utility>

#include "../grid/block.hpp"
#include "../grid/parameters.hpp"
#include "simulator/json.hpp"
#include "site.hpp"

namespace lens {
namespace {

/// The sectors or wavefronts of a request.
unsigned int cost_of(const Site& site, const Request& request) {
    if (site.space == Space::shared) return wavefronts(request).count;
    if (site.kind != Kind::atomic) return sectors(request).count;
    unsigned int count = 0;
    atomic_sectors(request, [&](std::uintptr_t) { ++count; });
    return count;
}

/// The number in `count` bytes. A single byte is unsigned; 2, 4 and 8 bytes are signed.
std::int64_t number_in(const unsigned char* bytes, std::size_t count) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, count);
    if (count == 2) return static_cast<std::int16_t>(bits);
    if (count == 4) return static_cast<std::int32_t>(bits);
    return static_cast<std::int64_t>(bits);
}

/// The cost of a request does not change if all its addresses are moved by a multiple of this many bytes.
constexpr std::uintptr_t kAligned = 512;

std::uint32_t bit(unsigned int thread) { return 1u << thread % kLanes; }

}  // namespace

// --- Order --------------------------------------------------------------------------------------

void Recording::arrive(std::uint32_t site, Array* array, std::size_t offset, std::size_t bytes) {
    if (is_full()) return;  // end_block still needs the arrivals of the last step
    arrivals_[running()] = {site, array == nullptr ? 0 : memory_of(*array), offset, bytes};
}

bool Recording::is_turn() {
    finish_access();
    if (is_full()) return true;
    if (left_ == 0 && have_settled()) choose();
    // A step lists its lanes in ascending order, whatever order the threads run in.
    return running() / kLanes == turn_ && (left_ & -left_) == bit(running());
}

/// Whether every thread has reached an access, waits, or has returned.
bool Recording::have_settled() const {
    if (threads_.started < threads_.count) return false;
    for (unsigned int i = 0; i < threads_.count; ++i)
        if (arrivals_[i].site == 0 && threads_.all[i].state < sim::ThreadState::at_barrier) return false;
    return true;
}

void Recording::choose() {
    look_around();
    for (turn_ = 0;; ++turn_) {
        const Arrival* const lanes = &arrivals_[std::size_t{turn_} * kLanes];
        const std::uint32_t next =
            next_lanes([&](unsigned int lane) { return lanes[lane].site; }, last_[turn_], order_);
        if (next == 0) continue;
        const Arrival& first = lanes[std::countr_zero(next)];
        for (unsigned int lane = 0; lane < kLanes; ++lane) {
            const Arrival& its = lanes[lane];
            if ((next & bit(lane)) != 0 && its.memory == first.memory && its.bytes == first.bytes)
                left_ |= bit(lane);
        }
        if (first.bytes == 0) return;
        Step& step = add(Step::access, turn_, left_);
        step.site = first.site, step.memory = first.memory, step.bytes = first.bytes;
        return;
    }
}

// --- What is noted ------------------------------------------------------------------------------

Recording::Step& Recording::add(Step::What what, unsigned int warp, std::uint32_t lanes) {
    Step& step = steps_.emplace_back();
    step.what = what, step.warp = warp, step.lanes = lanes;
    return step;
}

std::size_t Recording::memory_of(Array& array) {
    const auto found = std::ranges::find(memories_, &array, &Memory::array);
    const auto place = static_cast<std::size_t>(found - memories_.begin());
    if (found == memories_.end()) memories_.push_back({&array});
    return place;
}

void Recording::begin_access() {
    const unsigned int thread = running();
    if (is_full()) return;
    const Arrival its = std::exchange(arrivals_[thread], {});
    left_ &= ~bit(thread);
    last_[turn_][thread % kLanes] = its.site;
    if (its.bytes == 0) return;
    ++accesses_;
    Memory& memory = memories_[its.memory];
    memory.cell = std::min(memory.cell, its.bytes > 8 ? 4 : its.bytes);
    memory.first = std::min(memory.first, its.offset);
    memory.end = std::max(memory.end, its.offset + its.bytes);
    Step& step = steps_.back();
    step.at.push_back(its.offset);
    std::vector<unsigned char> bytes;
    bool has_changed = false;
    for (std::size_t i = its.offset; i < its.offset + its.bytes; ++i) {
        const auto now = static_cast<unsigned char>(memory.array->begin()[i]);
        const auto [found, is_new] = memory.bytes.try_emplace(i, Memory::Byte{{}, now});
        if (is_new && memory.array->is_written(i, 1)) found->second.before = now;
        has_changed |= std::exchange(found->second.now, now) != now;
        bytes.push_back(now);
    }
    if (has_changed) step.found.emplace_back(thread % kLanes, std::move(bytes));
    is_open_ = true;
}

std::vector<Recording::Step>::iterator Recording::last_access() {
    auto last = steps_.end();
    while ((--last)->what != Step::access) {}
    return last;
}

/// Notes the values after the last access. Since then, only the thread that made this access has run.
void Recording::finish_access() {
    if (!std::exchange(is_open_, false)) return;
    const auto found = last_access();
    if (site(found->site).kind == Kind::load) return;
    Memory& memory = memories_[found->memory];
    for (std::size_t i = found->at.back(); i < found->at.back() + found->bytes; ++i) {
        const auto now = static_cast<unsigned char>(memory.array->begin()[i]);
        memory.bytes.at(i).now = now;
        found->now.push_back(now);
    }
}

/// Records which lanes have come to a barrier, and which have returned.
void Recording::look_around() {
    for (unsigned int first = 0; first < threads_.count; first += kLanes) {
        const unsigned int warp = first / kLanes;
        std::uint32_t waiting = 0, returned = 0;
        const sim::Thread* arrived = nullptr;
        for (unsigned int i = first; i < std::min(first + kLanes, threads_.count); ++i) {
            const sim::Thread& thread = threads_.all[i];
            if (thread.state == sim::ThreadState::returned) returned |= bit(i);
            if (thread.state != sim::ThreadState::at_barrier) continue;
            waiting |= bit(i);
            if ((waiting_[warp] & bit(i)) == 0) arrived = &thread;
        }
        if (const std::uint32_t now = waiting & ~std::exchange(waiting_[warp], waiting); now != 0)
            add(Step::waits, warp, now).place =
                std::string(arrived->site.file) + ":" + std::to_string(arrived->site.line);
        if (const std::uint32_t now = returned & ~std::exchange(returned_[warp], returned); now != 0)
            add(Step::returns, warp, now);
    }
}

void Recording::barrier(const sim::Site& site) {
    finish_access();
    if (is_full()) return;
    look_around();
    add(Step::barrier_ends, 0, 0).place = std::string(site.file) + ":" + std::to_string(site.line);
    std::ranges::fill(waiting_, 0);
    last_ = {};
}

void Recording::warp_meets(unsigned int first, unsigned int lanes, const char* function) {
    finish_access();
    if (is_full()) return;
    Step& step = add(Step::meets, first / kLanes, lanes);
    step.function = function;
    for (unsigned int i = 0; i < kLanes; ++i) {
        if ((lanes >> i & 1) == 0) continue;
        const sim::Thread& thread = threads_.all[first + i];
        step.place = std::string(thread.site.file) + ":" + std::to_string(thread.site.line);
        last_[first / kLanes][i] = 0;
        if (thread.result != nullptr) continue;
        step.values.push_back(static_cast<std::int64_t>(thread.value));
        step.sources.push_back(thread.source);
    }
}

void Recording::race(unsigned int thread, std::uint32_t site, unsigned int other, std::uint32_t other_site) {
    const auto found = std::find_if(steps_.rbegin(), steps_.rend(), [&](const Step& step) {
        return step.site == site && step.warp == thread / kLanes && (step.lanes & bit(thread)) != 0;
    });
    if (found != steps_.rend() && !found->race) found->race = Race{thread, other, other_site};
}

/// Completes the recording, so that the block's memory is no longer needed.
void Recording::end_block() {
    finish_access();
    if (left_ != 0 &&
        arrivals_[turn_ * kLanes + static_cast<unsigned int>(std::countr_zero(left_))].bytes != 0) {
        // A fault, or the end of the recording, has kept these lanes from the access.
        const auto last = last_access();
        last->lanes &= ~left_;
        if (last->lanes == 0) steps_.erase(last);
    }
    if (!is_full() && threads_.live == 0) look_around();
    for (std::size_t i = memories_.size(); i-- > 0;) {
        if (!memories_[i].bytes.empty()) continue;
        memories_.erase(memories_.begin() +
                        static_cast<std::ptrdiff_t>(i));  // no lane has executed its access
        for (Step& step : steps_)
            if (step.memory > i) --step.memory;
    }
    for (Memory& memory : memories_) {
        const Array& array = *std::exchange(memory.array, nullptr);
        if (array.is_global()) memory.name = parameter_text(sim::running_block->grid(), array.begin());
        if (memory.name.empty()) memory.name = array.name();
        memory.size = array.bytes();
        memory.is_global = array.is_global();
        if (memory.is_global)  // in shared memory, banks count from the array's beginning
            memory.misaligned = reinterpret_cast<std::uintptr_t>(array.begin()) % kAligned;
        memory.first -= memory.first % memory.cell;
        memory.end = std::min({memory.end, memory.first + kMostCells * memory.cell, array.bytes()});
        for (std::size_t at = memory.first; at + memory.cell <= memory.end; at += memory.cell) {
            unsigned char cell[sizeof(std::int64_t)];
            bool is_written = true;
            for (std::size_t i = 0; i < memory.cell; ++i) {
                const auto found = memory.bytes.find(at + i);
                const bool is_used = found != memory.bytes.end();
                is_written &= is_used ? found->second.before.has_value() : array.is_written(at + i, 1);
                cell[i] = is_used ? found->second.before.value_or(0)
                                  : static_cast<unsigned char>(array.begin()[at + i]);
            }
            memory.before.push_back(is_written ? std::optional(number_in(cell, memory.cell)) : std::nullopt);
        }
    }
}

// --- JSON ---------------------------------------------------------------------------------------

void Recording::write(Json& json, const std::string& launched_at) const {
    json.add("number", block_, "threads", count_, "cut", is_full());
    json.list("arrays", memories_, [](Json& one, const Memory& memory) {
        std::vector<std::string> before;
        for (const auto& value : memory.before) before.push_back(value ? std::to_string(*value) : "null");
        one.add("name", memory.name, "space", kSpaces[memory.is_global ? 0 : 1], "bytes", memory.size)
            .add("misaligned", memory.misaligned, "cell", memory.cell, "first", memory.first / memory.cell)
            .numbers("before", before);
    });
    std::map<std::uint32_t, std::size_t> place_of;
    std::vector<std::uint32_t> sites;  // in the order of their first use
    const auto number = [&](std::uint32_t site) {
        if (place_of.try_emplace(site, sites.size()).second) sites.push_back(site);
        return place_of.at(site);
    };
    json.list("steps", steps_, [&](Json& one, const Step& step) {
        constexpr const char* kWhat[] = {"access", "wait", "barrier", "meet", "return"};
        one.add("do", kWhat[step.what]);
        if (step.what != Step::barrier_ends) one.add("warp", step.warp, "lanes", step.lanes);
        if (!step.place.empty()) one.add("line", step.place);
        if (!step.function.empty()) one.add("function", step.function);
        if (!step.values.empty()) one.numbers("values", step.values).numbers("from", step.sources);
        if (step.what != Step::access) return;
        one.add("site", number(step.site));
        write_access(one, step);
        if (step.race)
            one.object("race", [&](Json& race) {
                race.add("thread", step.race->thread, "other", step.race->other);
                if (step.race->other_site != kMostSite) race.add("site", number(step.race->other_site));
            });
    });
    json.list("sites", sites, [&](Json& one, std::uint32_t at) {
        std::vector<std::string> lines = calls_of(at, launched_at);
        lines.insert(lines.begin(), line_of(at));
        one.add("kind", kKinds[static_cast<int>(site(at).kind)]).texts("lines", lines);
    });
}

void Recording::write_access(Json& json, const Step& step) const {
    const Memory& memory = memories_[step.memory];
    Request request{step.lanes, static_cast<unsigned int>(step.bytes), {}};
    std::vector<std::size_t> cells;
    for (unsigned int lane = 0; lane < kLanes; ++lane) {
        if ((step.lanes >> lane & 1) == 0) continue;
        request.address[lane] = memory.misaligned + step.at[cells.size()];
        cells.push_back(step.at[cells.size()] / memory.cell);
    }
    const auto numbers = [&](const std::vector<unsigned char>& bytes) {
        std::vector<std::int64_t> result;
        for (std::size_t i = 0; i + memory.cell <= bytes.size(); i += memory.cell)
            result.push_back(number_in(&bytes[i], memory.cell));
        return result;
    };
    json.add("array", step.memory, "cells", step.bytes / memory.cell, "cost",
             cost_of(site(step.site), request));
    // Usually, the lanes access cells at a fixed distance from each other.
    const auto by =
        cells.size() < 2 ? 0 : static_cast<std::int64_t>(cells[1]) - static_cast<std::int64_t>(cells[0]);
    const auto breaks = [&](std::size_t a, std::size_t b) {
        return static_cast<std::int64_t>(b) - static_cast<std::int64_t>(a) != by;
    };
    if (std::ranges::adjacent_find(cells, breaks) == cells.end())
        json.add("first", cells[0], "by", by);
    else
        json.numbers("at", cells);
    if (!step.now.empty()) json.numbers("to", numbers(step.now));
    if (!step.found.empty())
        json.list("found", step.found, [&](Json& one, const auto& lane) {
            one.add("lane", lane.first).numbers("values", numbers(lane.second));
        });
}

}  // namespace lens
