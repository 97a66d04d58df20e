/// @file
/// @brief Checks of the command line: options, numbers, names of variants.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../../bench/input.cuh"
#include "../../bench/options.hpp"
#include "../../bench/sweep.cuh"
#include "../../bench/variants.hpp"
#include "../../problem/histogram.hpp"
#include "../catch.hpp"
#include "finding.cuh"
#include "outputs.hpp"

namespace options_checks {

/// Parses a command line given as words.
inline Options parse(std::vector<std::string> words, const std::vector<ExtraMode>& modes = {}) {
    std::vector<char*> argv{const_cast<char*>("program")};
    for (std::string& word : words) argv.push_back(&word[0]);
    argv.push_back(nullptr);
    optind = 0;  // restarts getopt
    return parse_options<Histogram>(static_cast<int>(argv.size()) - 1, argv.data(), modes);
}

inline std::string refusal(const std::vector<std::string>& words) {
    return thrown_by([&] { parse(words); });
}

TEST_CASE("options are read, with binary suffixes") {
    CHECK(parse({}).n == std::size_t{100} << 20);
    CHECK(parse({"--n", "64K"}).n == 65536);
    CHECK(parse({"--n=1G"}).n == std::size_t{1} << 30);
    CHECK(parse({"--n", "0"}).n == 0);
    CHECK(parse({"--n", "8G"}).n == std::size_t{8} << 30);
    CHECK(parse({"--seed", "18446744073709551615"}).seed == ~std::uint64_t{0});
    CHECK(parse({"--file", "x"}).file == "x");
    CHECK(parse({"--input", "bank-attack"}).input == "bank-attack");
    const LaunchShape shape = parse({"--grid", "7", "--block", "1024"}).shape;
    CHECK(shape.grid == 7);
    CHECK(shape.block == 1024);
    CHECK_FALSE(parse({"--no-heading"}).heading);
    CHECK(parse({"--sweep"}, {kSweepMode}).mode == "sweep");
}

TEST_CASE("numbers are read up to their limits, and not past them") {
    const auto number = [](const char* text, std::uint64_t least, std::uint64_t most, bool suffixes = false) {
        return parse_number("x", text, least, most, suffixes);
    };
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    CHECK(number("18446744073709551615", 0, kMost) == kMost);
    CHECK_THROWS_AS(number("18446744073709551616", 0, kMost), BadOption);
    CHECK_THROWS_AS(number("18446744073709551620", 0, kMost), BadOption);
    CHECK(number("1024", 1, 1024) == 1024);
    CHECK(number("1", 1, 1024) == 1);
    CHECK(number("0009", 1, 9) == 9);
    for (const char* text : {"0", "1025", "", "K", "1K", "-1", " 1", "1 ", "0x1"})
        CHECK_THROWS_AS(number(text, 1, 1024), BadOption);
    CHECK(number("3M", 0, kMost, true) == 3 << 20);
    CHECK(number("16777215T", 0, kMost, true) == std::uint64_t{16777215} << 40);
    CHECK(number("4K", 0, 4096, true) == 4096);
    CHECK(number("4096", 0, 4096, true) == 4096);
    for (const char* text : {"16777216T", "1KK", "1KB", "K", "1P"})
        CHECK_THROWS_AS(number(text, 0, kMost, true), BadOption);
    CHECK_THROWS_AS(number("5K", 0, 4096, true), BadOption);
}

TEST_CASE("invalid options are rejected by name") {
    CHECK(refusal({"--n", "12Q"}).find("--n accepts") == 0);
    CHECK(refusal({"--n", "18446744073709551616"}).find("--n accepts") == 0);
    CHECK(refusal({"--n", "9007199254740992K"}).find("--n accepts") == 0);
    CHECK(refusal({"--block", "1025"}) == "--block accepts a whole number from 1 to 1024, not '1025'");
    CHECK(refusal({"--block", "+5"}).find("--block accepts") == 0);
    CHECK(refusal({"--grid", "0"}).find("--grid accepts") == 0);
    CHECK(refusal({"--input", "zipf"}).find("uniform, skewed, constant, sorted, one-hot, bank-attack") !=
          std::string::npos);
    CHECK(refusal({"--sweep"}).find("unknown option '--sweep'") == 0);
    CHECK(refusal({"--n"}).find("--n needs a value") == 0);
    CHECK(refusal({"--variant", ""}).find("--variant needs a value, not ''") == 0);
    CHECK(refusal({"--n", "1", "5"}).find("unknown argument '5'") == 0);
    CHECK_THROWS_AS(parse({"--sweep", "--bins", "-"}, {kSweepMode}), BadOption);
    CHECK_THROWS_AS(parse({"--sweep", "--variant", "x"}, {kSweepMode}), BadOption);
    CHECK_THROWS_AS(parse({"--cost", "--csv", "x"}, {{"cost", "", false}}), BadOption);
    CHECK(refusal({"--file", "x", "--seed", "2"}).find("--file reads the whole file") == 0);
}

TEST_CASE("--help and -h print the usage, each option and what it accepts") {
    const auto help = [](const std::string& option) {
        return outputs_detail::printed(stdout, [&] {
            parse({option});
            _exit(3);
        });
    };
    const std::string printed = help("--help");
    CHECK(printed.find("usage: program [options]\n\n  --") == 0);
    CHECK(printed.find("\n  --seed ") != std::string::npos);
    CHECK(printed.find("\n" + std::string(21, ' ') + "bank-attack     ") != std::string::npos);
    CHECK(printed.find("\n  --help           print this help\n") != std::string::npos);
    CHECK(help("-h") == printed);
}

TEST_CASE("variants are chosen by name and by launch shape") {
    const std::vector<Variant<Histogram>> all{{.name = "fixed", .run = nullptr, .only_block = 256},
                                              {.name = "follows", .run = nullptr, .grid_follows_n = true}};
    CHECK(choose_variants(all, parse({})).size() == 2);
    CHECK(choose_variants(all, parse({"--block", "128"})).size() == 1);
    CHECK(choose_variants(all, parse({"--variant", "follows"})).size() == 1);
    CHECK_THROWS_AS(choose_variants(all, parse({"--variant", "other"})), BadOption);
    CHECK_THROWS_AS(choose_variants(all, parse({"--variant", "fixed", "--block", "128"})), BadOption);
    CHECK(thrown_by([&] {
              choose_variants(all, parse({"--variant", "follows", "--grid", "2"}));
          }) == "--grid follows from --n and --block, for the variant 'follows'");
}

TEST_CASE("a large grid of mostly idle blocks is rejected") {
    CHECK_NOTHROW(require_useful_grid({4096, 1024}, 5));
    CHECK_THROWS_AS(require_useful_grid({4097, 0}, 5), BadOption);
    CHECK_NOTHROW(require_useful_grid({10000, 0}, 10000 * 256 - 1));
    CHECK_THROWS_AS(require_useful_grid({10000, 0}, 9999 * 256 - 1), BadOption);
    CHECK_NOTHROW(require_useful_grid({0x7fffffff, 1}, 0x7fffffff));
    CHECK_NOTHROW(require_useful_grid({10000, 100}, 1000000));
    CHECK_THROWS_AS(require_useful_grid({10002, 100}, 1000000), BadOption);
    Options options = parse({"--n", "1K", "--grid", "4097"});
    CHECK_THROWS_AS(make_input<Histogram>(options, nullptr), BadOption);
    options.file = "/proc/self/maps";
    CHECK_THROWS_AS(make_input<Histogram>(options, nullptr), BadOption);
}

TEST_CASE("the input must fit in the memory of the GPU and in that of the host") {
    Device gpu{};
    Options options = parse({"--n", "1T"});
    const auto refusal = [&](const Device* device) {
        return thrown_by([&] { make_input<Histogram>(options, device); });
    };
    gpu.free_bytes = std::size_t{1} << 60;
    CHECK(refusal(&gpu).find(", as many as fit in the host's memory, not 1099511627776") !=
          std::string::npos);
    CHECK(refusal(nullptr).find(", as many as fit in the host's memory, not ") != std::string::npos);
    options.n = 1000;
    gpu.free_bytes = 999;
    CHECK(refusal(&gpu) == "--n accepts at most 999 bytes, as many as fit in the GPU's memory, not 1000");
    gpu.free_bytes = 1000;
    CHECK(refusal(&gpu) == "");
    gpu.simulated = true;  // a simulated GPU's memory is the host's
    gpu.free_bytes = 999;
    CHECK(refusal(&gpu) == "");
}

}  // namespace options_checks
