/// @file
/// @brief Writes everything that was counted and found, as JSON: `tools/lens` makes texts and pages of it.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iomanip>

#include "lens.hpp"

namespace lens {
namespace {

/// An object of JSON, written one member after the other.
class Json {
 public:
    explicit Json(std::ostream& out) : out_(out) { out_ << "{"; }
    void end() { out_ << "}\n"; }
    template <typename T>
    Json& add(const char* name, const T& value) {
        begin(name);
        if constexpr (std::is_convertible_v<T, std::string>)
            out_ << std::quoted(std::string(value));  // control characters stay: Python reads them
        else
            out_ << value;
        return *this;
    }
    template <typename Range>
    Json& numbers(const char* name, const Range& range) {
        return items(name, range, [&](auto number) { out_ << number; });
    }
    /// Objects, each of which `write` fills.
    template <typename Range, typename Write>
    Json& list(const char* name, const Range& range, const Write& write) {
        return items(name, range, [&](const auto& item) {
            Json object(out_);
            write(object, item);
            object.end();
        });
    }

 private:
    void begin(const char* name) {
        out_ << (is_empty_ ? "" : ",") << std::quoted(name) << ":";
        is_empty_ = false;
    }
    template <typename Range, typename Write>
    Json& items(const char* name, const Range& range, const Write& write) {
        begin(name);
        const char* before = "[";
        for (const auto& item : range) {
            out_ << before;
            write(item);
            before = ",";
        }
        out_ << (*before == '[' ? "[]" : "]");
        return *this;
    }
    std::ostream& out_;
    bool is_empty_ = true;
};

constexpr const char* kSpaces[] = {"global", "shared"};
constexpr const char* kKinds[] = {"load", "store", "atomic"};

void write_site(Json& json, std::uint32_t number, const SiteCounts& counts) {
    const Site& at = counts.at;
    std::vector<std::uintptr_t> addresses;
    for (unsigned int lane = 0; lane < kLanes; ++lane)
        if ((counts.worst.lanes >> lane & 1) != 0) addresses.push_back(counts.worst.address[lane]);
    json.add("line", line_of(number))
        .add("space", kSpaces[static_cast<int>(at.space)])
        .add("kind", kKinds[static_cast<int>(at.kind)])
        .add("bytes_per_lane", counts.bytes_per_lane)
        .add("requests", counts.requests)
        .add("lanes", counts.lanes)
        .add("sectors", counts.sectors)
        .add("bytes", counts.bytes)
        .add("wavefronts", counts.wavefronts)
        .add("most_lanes_on_address", counts.most_lanes_on_address)
        .add("worst_cost", counts.worst_cost)
        .add("worst_bank", counts.worst_bank)
        .add("worst_words", counts.worst_words)
        .add("worst_lanes", counts.worst.lanes)
        .numbers("worst_addresses", addresses);
}

void write_finding(Json& json, const Finding& finding) {
    constexpr const char* kProblems[] = {"race", "unwritten", "copied"};
    constexpr const char* kDistances[] = {"lanes", "warps", "blocks"};
    const Site at = site(finding.site);
    json.add("problem", kProblems[static_cast<int>(finding.problem)])
        .add("kernel", finding.kernel)
        .add("array", finding.text)
        .add("space", kSpaces[finding.is_global ? 0 : 1])
        .add("offset", finding.offset)
        .add("line", finding.problem == Problem::copied ? finding.line : line_of(finding.site))
        .add("kind", kKinds[static_cast<int>(at.kind)])
        .add("block", finding.block)
        .add("thread", finding.thread)
        .add("count", finding.count);
    if (finding.problem != Problem::race) return;
    json.add("other_line", finding.other == kMostSite ? "" : line_of(finding.other))
        .add("other_kind",
             finding.other == kMostSite ? "" : kKinds[static_cast<int>(site(finding.other).kind)])
        .add("other_block", finding.other_block)
        .add("other_thread", finding.other_thread)
        .add("distance", kDistances[finding.distance()]);
}

std::uint64_t most(const std::unordered_map<std::uintptr_t, std::uint64_t>& counts) {
    std::uint64_t result = 0;
    for (const auto& [place, count] : counts) result = std::max(result, count);
    return result;
}

}  // namespace

void Lens::write() const {
    const char* const path = std::getenv("LENS_OUTPUT");
    if (path == nullptr || sim::running_worker != nullptr) return;
    std::ofstream file(path);
    Json json(file);
    json.add("fault", sim::last_fault()).list("launches", order_, [&](Json& launch, const Shape& shape) {
        LaunchCounts counts = launches_.at(shape);
        join_sites(counts);
        launch.add("kernel", shape.kernel)
            .add("launched_at", shape.launched_at)
            .numbers("grid", shape.grid)
            .numbers("block", shape.block)
            .add("dynamic_shared_bytes", shape.dynamic_shared_bytes)
            .add("launches", counts.launches)
            .add("blocks", counts.blocks)
            .add("touched_sectors", counts.touched)
            .add("warp_functions", counts.shuffles)
            .add("busiest_line", most(counts.lines))
            .add("hottest_address", most(counts.atomics));
        std::vector<std::uint32_t> numbers;
        for (std::uint32_t i = 0; i < counts.sites.size(); ++i)
            if (counts.sites[i].requests != 0) numbers.push_back(i);
        launch.list("sites", numbers,
                    [&](Json& one, std::uint32_t i) { write_site(one, i, counts.sites[i]); });
        launch.list("barriers", counts.barriers, [](Json& one, const auto& barrier) {
            one.add("line", barrier.first)
                .add("count", barrier.second.count)
                .add("requests", barrier.second.requests)
                .add("most_requests", barrier.second.most_requests);
        });
    });
    json.list("findings", findings_,
              [](Json& one, const auto& finding) { write_finding(one, finding.second); });
    json.end();
    if (!file.flush()) std::fprintf(stderr, "lens: %s could not be written\n", path);
}

}  // namespace lens
