/// @file
/// @brief The tables of all sites and paths.
#include "site.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <tuple>

#include "../platform/source_lines.hpp"

namespace lens {
namespace {

struct Tables {
    std::shared_mutex lock;
    std::map<std::tuple<std::uintptr_t, Path, Space, Kind, bool>, std::uint32_t> number;
    std::vector<Site> sites{Site{}};
    std::map<Call, Path> path;
    std::vector<Call> calls{Call{}};
};

Tables& tables() {
    static auto& all = *new Tables;
    return all;
}

/// The sites whose numbers fit in an `Epoch`; later sites share the number `kMostSite`. The array is read
/// without a lock, because a site is stored before any thread gets its number.
std::array<Site, kMostSite + 1> numbered{};

/// @return The addresses of the calls through which a site was reached, outermost first, and its own.
std::vector<std::uintptr_t> chain(const Site& site) {
    std::vector<std::uintptr_t> result{site.at};
    for (Path path = site.path; path != 0; path = tables().calls[path].from)
        result.push_back(tables().calls[path].at);
    std::reverse(result.begin(), result.end());
    return result;
}

}  // namespace

std::uint32_t number_of(const Site& site) {
    Tables& all = tables();
    const std::unique_lock lock(all.lock);
    const auto [found, is_new] =
        all.number.try_emplace({site.at, site.path, site.space, site.kind, site.of_block},
                               static_cast<std::uint32_t>(all.sites.size()));
    if (is_new) {
        all.sites.push_back(site);
        if (found->second < kMostSite) numbered[found->second] = site;
    }
    return found->second;
}

Path call(Path from, std::uintptr_t at) {
    Tables& all = tables();
    const std::unique_lock lock(all.lock);
    const auto [found, is_new] = all.path.try_emplace({from, at}, static_cast<Path>(all.calls.size()));
    if (is_new) all.calls.push_back({from, at});
    return found->second;
}

Call last_call(Path path) {
    const std::shared_lock lock(tables().lock);
    return tables().calls[path];
}

Site site(std::uint32_t number) {
    const std::shared_lock lock(tables().lock);
    return tables().sites[number];
}

bool are_atomic_together(std::uint32_t a, std::uint32_t b, bool of_one_block) {
    const Site &first = numbered[a], &second = numbered[b];
    const bool one_width =
        first.bytes == second.bytes || first.kind != Kind::atomic || second.kind != Kind::atomic;
    return one_width && (of_one_block || !(first.of_block || second.of_block));
}

std::vector<std::string> lines_of(std::uint32_t number) {
    const std::shared_lock lock(tables().lock);
    const std::vector<std::uintptr_t> at = chain(tables().sites[number]);
    std::vector<std::string> lines;
    for (auto innermost = at.rbegin(); innermost != at.rend(); ++innermost)
        for (std::string& line : sim::lines_of(*innermost - 1)) lines.push_back(std::move(line));
    return lines;
}

std::string line_of(std::uint32_t number) {
    const std::vector<std::string> lines = lines_of(number);
    return lines.empty() ? "" : lines.front();
}

std::vector<std::string> calls_of(std::uint32_t number, const std::string& launched_at) {
    std::vector<std::string> lines = lines_of(number);
    lines.erase(std::ranges::find_if(lines,
                                     [&](const std::string& line) {
                                         return line == launched_at || line.ends_with("/" + launched_at);
                                     }),
                lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()),
                lines.end());  // repeated for functions of the simulator's headers
    if (!lines.empty()) lines.erase(lines.begin());
    return lines;
}

bool is_before(std::uint32_t a, std::uint32_t b) {
    const std::shared_lock lock(tables().lock);
    return chain(tables().sites[a]) < chain(tables().sites[b]);
}

}  // namespace lens
