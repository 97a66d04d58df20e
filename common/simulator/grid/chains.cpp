/// @file
/// @brief Follows the steps of reductions by shuffles.
#include "chains.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace sim {
namespace {

bool has(unsigned int lanes, unsigned int lane) { return (lanes >> lane & 1) != 0; }

/// Whether a warp's values seem not to contribute to a result: all are equal and, in a sum, 0. An example is
/// a block in which every warp adds up the partial sums, but only the first warp has any.
bool are_neutral(const WarpValues& all, char fold) {
    unsigned int lane = static_cast<unsigned int>(__builtin_ctz(all.lanes));
    const std::uint64_t value = all.value[lane];
    for (; lane < warpSize; ++lane)
        if (has(all.lanes, lane) && all.value[lane] != value) return false;
    return value == 0 || (fold != '+' && fold != '-');
}

}  // namespace

/// Whether a shuffle continues a chain. In a reduction, each distance is half or twice the one before.
bool Chains::continues(const Chain& chain, unsigned int lanes, unsigned int distance) {
    if (chain.lanes != lanes || distance == 0) return false;
    if (chain.steps > 1)
        return chain.halves ? distance * 2 == chain.distance : distance == chain.distance * 2;
    return distance * 2 == chain.distance || distance == chain.distance * 2;
}

std::optional<UndefinedLane> Chains::step(const Threads& threads, unsigned int first, const WarpValues& all) {
    const Thread* const warp = &threads.all[first];
    const auto lowest = static_cast<unsigned int>(__builtin_ctz(all.lanes)),
               highest = 31 - static_cast<unsigned int>(__builtin_clz(all.lanes));
    for (unsigned int i = lowest; i <= highest; ++i)
        if (has(all.lanes, i) && (warp[i].chain == nullptr || !(warp[i].site == warp[lowest].site)))
            return {};
    const Chained& statement = *warp[lowest].chain;
    const std::string_view function = warp[lowest].function;

    if (statement.fold == '=') {  // a broadcast, if all lanes read from the same lane
        const unsigned int source = warp[lowest].source;
        if (lowest == highest || has(all.lanes, source)) return {};
        for (unsigned int i = lowest; i <= highest; ++i)
            if (has(all.lanes, i) && warp[i].source != source) return {};
        return UndefinedLane{first + lowest, lowest, source};
    }

    const bool goes_up = function.find("_up") != function.npos;
    const unsigned int end = goes_up ? highest : lowest, source = warp[end].source;
    const unsigned int distance = goes_up                                  ? end - source
                                  : function.find("_xor") != function.npos ? end ^ source
                                                                           : source - end;
    any_ = true;
    Warp& of_warp = warps_[first / warpSize];
    Chain* const chains = of_warp.chains.data();
    auto* found = std::find_if(chains, chains + kMost, [&](const Chain& chain) {
        return chain.variable != nullptr && std::strcmp(chain.variable, statement.variable) == 0;
    });
    if (found == chains + kMost) found = &chains[of_warp.next++ % kMost];
    Chain& chain = *found;
    if (!continues(chain, all.lanes, distance)) {
        chain = {};
        chain.variable = statement.variable;
        chain.lanes = all.lanes;
        chain.is_neutral = first != 0 && are_neutral(all, statement.fold);
    }
    const Chain before = chain;
    for (unsigned int i = lowest; i <= highest; ++i) {
        if (!has(all.lanes, i) || has(before.undefined, i)) continue;
        const unsigned int from = warp[i].source;
        const bool is_read = !has(all.lanes, from);
        if (!is_read && !has(before.undefined, from)) continue;
        chain.undefined |= 1u << i;
        chain.why[i] = is_read ? Chain::Read{static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(from)}
                               : before.why[from];
    }
    chain.halves = distance < chain.distance;
    chain.distance = distance;
    chain.sum += distance;
    ++chain.steps;
    // A reduction has at least eight lanes here. A shorter chain may also be a moving sum, whose last lanes
    // are not used.
    const bool is_last = chain.sum == warpSize - 1 || (chain.halves && distance == 1 && chain.steps >= 3);
    if (!is_last || chain.is_neutral || !has(chain.undefined, end)) return {};
    return UndefinedLane{first + end, chain.why[end].reader, chain.why[end].source};
}

bool Chains::is_undefined(unsigned int thread) const {
    const auto& chains = warps_[thread / warpSize].chains;
    return any_ && std::any_of(chains.begin(), chains.end(),
                               [&](const Chain& chain) { return has(chain.undefined, thread % warpSize); });
}

}  // namespace sim
