/// @file
/// @brief Which accesses race.
#include "shadow.hpp"

#include "../streams/hazards.hpp"

namespace lens {

std::optional<Epoch> Cell::access(Kind kind, Epoch now, unsigned int thread, const Clocks& clocks,
                                  bool changes_nothing) {
    const auto unordered = [&](Epoch other) {
        return other.exists() && !clocks.happened_before(other, thread);
    };
    const auto races = [&](Epoch other) {
        return unordered(other) && !(now.atomic && other.atomic &&
                                     are_atomic_together(now.site, other.site, now.block == other.block));
    };
    std::optional<Epoch> found;
    if (kind != Kind::load)
        for (const Role role : {read, far_read})
            if (races(last[role])) found = last[role];
    // Only a load is compared with the older atomic. A thread that resets a counter by a store knows from its
    // own atomic that it is the last one. A plain load shows no such thing: other threads' atomics may still
    // follow.
    if (kind == Kind::load && races(last[far_atomic])) found = last[far_atomic];
    if (races(last[atomic])) found = last[atomic];
    // Stores of the same value may run in any order, unless other threads load or update it meanwhile.
    if (kind == Kind::store)
        now.raced = found || last[write].raced;
    else if (races(last[write]))
        last[write].raced = true;
    if (!found && (!changes_nothing || now.raced) && races(last[write])) found = last[write];

    if (now.atomic && kind != Kind::load) {
        Epoch& far = last[far_atomic];
        const bool far_is_unordered = unordered(far),
                   is_farther = far.block == now.block && last[atomic].block != now.block;
        if (unordered(last[atomic]) && (!far_is_unordered || is_farther))
            far = last[atomic];
        else if (!far_is_unordered)
            far = {};
        last[atomic] = now;
    } else if (kind == Kind::store) {
        last = {};
        last[write] = now;
    } else {
        for (const Role role : {read, far_read})
            if (!races(last[role])) {
                last[role] = now;
                return found;
            }
        // Both kept reads are unordered with this one. A later write that is ordered after both may still
        // race with this read.
        const Epoch first = last[read], second = last[far_read];
        const bool one_block = first.block == second.block;
        const bool one_warp = one_block && first.thread / 32 == second.thread / 32;
        if ((one_block && now.block != first.block) || (one_warp && now.thread / 32 != first.thread / 32))
            last[far_read] = now;
    }
    return found;
}

std::optional<Epoch> Cell::race_with(Kind kind, Epoch now) const {
    for (const Role role : {write, atomic, far_atomic, read, far_read}) {
        const Epoch other = last[role];
        if (!other.exists() || (kind == Kind::load && (role == read || role == far_read))) continue;
        if (!(now.atomic && other.atomic && are_atomic_together(now.site, other.site, false))) return other;
    }
    return {};
}

void PastGrids::begin(std::uint32_t grid, const std::string& kernel) {
    const sim::Concurrency& now = sim::concurrency();
    // Grids that a kernel launches belong to the kernel's operation.
    const bool is_next = now.number != operation_;
    if (is_next) std::erase_if(grids_, [](const auto& past) { return past.second.to_come == 0; });
    if (now.number == 0) grids_.clear();  // the host has waited for all of them
    unordered_.clear();
    for (auto& [number, past] : grids_) {
        if (std::ranges::find(now.done, past.operation) == now.done.end()) continue;
        unordered_.push_back(number);
        past.to_come -= is_next;
    }
    operation_ = now.number;
    stream_ = sim::stream_text(now.stream);
    if (now.to_come > 0) grids_[grid] = {now.number, now.to_come, kernel, stream_};
}

void Cells::keep(const PastGrids& past) {
    if (past_ != nullptr) std::erase_if(*past_, [&](const Past& each) { return !past.keeps(each.grid); });
    if (past.keeps(grid_)) {
        if (past_ == nullptr) past_ = std::make_unique<std::vector<Past>>();
        if (past_->size() == kMostPast) past_->erase(past_->begin());
        past_->push_back({grid_, width_, std::move(tables_)});
    } else if (past_ != nullptr && past_->empty()) {
        past_.reset();
    }
}

void Cells::split(std::size_t width) {
    for (Table& table : tables_) {
        if (table == nullptr) continue;
        auto finer = std::make_unique<Epoch[]>(kBytes / width);
        for (std::size_t i = 0; i < kBytes / width; ++i) finer[i] = table[i * width / width_];
        table = std::move(finer);
    }
    width_ = static_cast<std::uint32_t>(width);
}

}  // namespace lens
