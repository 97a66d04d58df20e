/// @file
/// @brief The counts and findings of one part of a check, for the checks to inspect.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "../../lens/lens.hpp"

namespace lens_checks {

/// The counts and the findings of the kernels that a piece of code has launched.
struct Seen {
    lens::LaunchCounts counts;
    std::vector<lens::Finding> findings;

    lens::SiteCounts sum(lens::Space space, lens::Kind kind) const {
        lens::SiteCounts result;
        for (std::uint32_t i = 0; i < counts.sites.size(); ++i)
            if (counts.sites[i].requests != 0 && lens::site(i).space == space && lens::site(i).kind == kind)
                result.add(counts.sites[i]);
        return result;
    }
    lens::SiteCounts global_loads() const { return sum(lens::Space::global, lens::Kind::load); }

    bool has_race() const { return has(lens::Problem::race); }
    bool has_race_for_lack_of_a_fence() const {
        return std::ranges::any_of(findings, [](const auto& finding) { return finding.lacks_fence; });
    }
    bool has_unwritten() const { return has(lens::Problem::unwritten); }
    bool has(lens::Problem problem) const {
        for (const lens::Finding& finding : findings)
            if (finding.problem == problem) return true;
        return false;
    }
};

/// @return The counts and findings of the kernels that `run` launches.
template <typename Run>
Seen seen(const Run& run) {
    lens::the_lens().forget();
    run();
    Seen all;
    for (auto [shape, counts] : lens::the_lens().launches()) {
        scale(counts);
        all.counts.add(counts);
    }
    join_sites(all.counts);
    for (const auto& [key, finding] : lens::the_lens().findings()) all.findings.push_back(finding);
    return all;
}

}  // namespace lens_checks
