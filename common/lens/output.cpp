/// @file
/// @brief Writes everything that was counted and found, as JSON: `tools/lens` makes texts and pages of it.
#include <cstdio>
#include <cstdlib>

#include "lens.hpp"

namespace lens {
namespace {

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof(escape), "\\u%04x", c);
            result += escape;
        } else {
            result += c;
        }
    }
    return result + "\"";
}

/// Objects and lists of JSON, written one member after the other.
class Json {
 public:
    template <typename T>
    Json& add(const char* name, T value) {
        separate();
        text += quoted(name) + ":";
        if constexpr (std::is_convertible_v<T, std::string>)
            text += quoted(value);
        else
            text += std::to_string(value);
        return *this;
    }
    /// Objects, each of which `write` fills.
    template <typename Range, typename Write>
    Json& list(const char* name, const Range& range, const Write& write) {
        return items(name, range, [&](const auto& item) {
            Json object;
            write(object, item);
            return object.end() + "\n";
        });
    }
    template <typename Range>
    Json& numbers(const char* name, const Range& range) {
        return items(name, range, [](auto number) { return std::to_string(number); });
    }
    std::string end() const { return text + "}"; }
    std::string text = "{";

 private:
    template <typename Range, typename Text>
    Json& items(const char* name, const Range& range, const Text& text_of) {
        separate();
        text += quoted(name) + ":[";
        const char* between = "";
        for (const auto& item : range) {
            text += between + text_of(item);
            between = ",";
        }
        text += "]";
        return *this;
    }
    void separate() {
        if (text != "{") text += ",";
    }
};

constexpr const char* kSpaces[] = {"global", "shared"};
constexpr const char* kKinds[] = {"load", "store", "atomic"};

std::vector<std::uintptr_t> addresses(const Request& request) {
    std::vector<std::uintptr_t> result;
    for (unsigned int lane = 0; lane < kLanes; ++lane)
        if ((request.lanes >> lane & 1) != 0) result.push_back(request.address[lane]);
    return result;
}

void write_site(Json& json, std::uint32_t number, const SiteCounts& counts) {
    const Site at = site(number);
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
        .numbers("worst_addresses", addresses(counts.worst));
}

void write_finding(Json& json, const Finding& finding) {
    constexpr const char* kProblems[] = {"race", "unwritten", "copied"};
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
    const bool same_block = (finding.block & 0xfffff) == finding.other_block;
    json.add("other_line", finding.other == kMostSite ? "" : line_of(finding.other))
        .add("other_kind",
             finding.other == kMostSite ? "" : kKinds[static_cast<int>(site(finding.other).kind)])
        .add("other_block", finding.other_block)
        .add("other_thread", finding.other_thread)
        .add("distance", !same_block                                        ? "blocks"
                         : finding.thread / 32 == finding.other_thread / 32 ? "lanes"
                                                                            : "warps");
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
    Json json;
    json.add("fault", sim::last_fault());
    json.list("launches", order_, [&](Json& launch, const Shape& shape) {
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
    std::FILE* const file = std::fopen(path, "w");
    if (file == nullptr || std::fputs(json.end().c_str(), file) < 0 || std::fputc('\n', file) < 0 ||
        std::fclose(file) != 0)
        std::fprintf(stderr, "lens: %s could not be written\n", path);
}

}  // namespace lens
