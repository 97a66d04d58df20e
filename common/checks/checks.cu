/// @file
/// @brief Checks of the code that the chapters share.
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstdio>
#include <sstream>

#include "../bench/input.cuh"
#include "../bench/options.hpp"
#include "../bench/sweep.cuh"
#include "../bench/variant_bench.cuh"
#include "../bench/variants.hpp"
#include "../cuda/device_buffer.cuh"
#include "../cuda/error.cuh"
#include "../cuda/host_memory.hpp"
#include "../problem/histogram.hpp"
#include "../problem/sum_of_squares.cuh"
#include "catch.hpp"
#include "finding.cuh"
#include "folder.hpp"
#include "measuring.cuh"
#include "outputs.hpp"
#include "setting.hpp"
#include "verifying.cuh"

namespace {

Bins count(const std::vector<unsigned char>& data) { return reference_histogram(data.data(), data.size()); }

const NamedInput<unsigned char>& input(const std::string& name) {
    for (const auto& candidate : named_bytes())
        if (name == candidate.name) return candidate;
    throw std::invalid_argument(name);
}

/// Parses a command line given as words.
Options parse(std::vector<std::string> words, const std::vector<ExtraMode>& modes = {}) {
    std::vector<char*> argv{const_cast<char*>("program")};
    for (std::string& word : words) argv.push_back(&word[0]);
    argv.push_back(nullptr);
    optind = 0;  // restarts getopt
    return parse_options<Histogram>(static_cast<int>(argv.size()) - 1, argv.data(), modes);
}

std::string refusal(const std::vector<std::string>& words) {
    return thrown_by([&] { parse(words); });
}

}  // namespace

TEST_CASE("the same seed gives the same bytes on every platform") {
    const std::vector<unsigned char> block = big_random_block(20, 5489);
    // mt19937_64 with its default seed, 5489, begins with 14514284786278117030 = 0xC96D191CF6F6AEA6.
    const std::array<unsigned char, 8> first{0xA6, 0xAE, 0xF6, 0xF6, 0x1C, 0x19, 0x6D, 0xC9};
    for (std::size_t i = 0; i < first.size(); ++i)
        CHECK(static_cast<int>(block[i]) == static_cast<int>(first[i]));
    CHECK(block == big_random_block(20, 5489));
    CHECK(block != big_random_block(20, 5490));
    for (const char* name : {"uniform", "skewed", "one-hot", "bank-attack"})
        CHECK(input(name).make(20, 1) != input(name).make(20, (1ull << 32) + 1));
}

TEST_CASE("each named input is what its description says") {
    const std::size_t n = 1 << 20;
    const double mean = static_cast<double>(n) / kBins;
    for (const unsigned long long bin : count(input("uniform").make(n, 1))) {
        CHECK(static_cast<double>(bin) > 0.9 * mean);
        CHECK(static_cast<double>(bin) < 1.1 * mean);
    }
    const double zeros = static_cast<double>(count(input("skewed").make(n, 1))[0]) / n;
    CHECK(zeros > 0.33);
    CHECK(zeros < 0.36);
    CHECK(count(input("constant").make(n, 1))[7] == n);
    const std::vector<unsigned char> sorted = input("sorted").make(n, 1);
    CHECK(std::is_sorted(sorted.begin(), sorted.end()));
    CHECK(count(sorted) == Bins(kBins, n / kBins));
    const double hot = static_cast<double>(count(input("one-hot").make(n, 1))[7]) / n;
    CHECK(hot > 0.89);
    CHECK(hot < 0.91);
    const Bins attack = count(input("bank-attack").make(n, 1));
    for (std::size_t b = 0; b < kBins; ++b) CHECK((attack[b] != 0) == (b % 32 == 0));
    for (const auto& any : named_bytes())
        for (const std::size_t size : {0, 1, 7}) CHECK(any.make(size, 1).size() == size);

    const auto ints = [](std::size_t index, std::uint64_t seed) {
        return named_ints()[index].make(1001, seed);
    };
    CHECK(ints(0, 1) == generate_data(1001));
    const std::vector<int> random = ints(1, 1), alternating = ints(3, 1);
    CHECK(*std::max_element(random.begin(), random.end()) > INT_MAX / 2);
    CHECK(*std::min_element(random.begin(), random.end()) < INT_MIN / 2);
    CHECK(random != ints(1, (1ull << 32) + 1));
    CHECK(ints(2, 1) == std::vector<int>(1001, INT_MIN));
    for (std::size_t i = 0; i < alternating.size(); ++i)
        REQUIRE(alternating[i] == (i % 2 == 0 ? INT_MAX : -INT_MAX));
}

TEST_CASE("with glibc, the article's squares add up to the article's 29909398, whenever they are made") {
#ifdef __GLIBC__
    for (int time = 0; time < 2; ++time) {
        const std::vector<int> data = generate_data(1048576);
        CHECK(reference_sum(data.data(), data.size()) == 29909398);
    }
#else
    skip_check("another C library, other numbers");
#endif
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

TEST_CASE("times and ratios are printed with three significant digits") {
    CHECK(format_seconds(1.5) == "1.50 s");
    CHECK(format_seconds(0.0123) == "12.3 ms");
    CHECK(format_seconds(0.9999) == "1.00 s");
    CHECK(format_seconds(4.56e-4) == "456 us");
    CHECK(format_seconds(0.9995) == "1.00 s");
    CHECK(format_seconds(2e-9) == "2.00 ns");
    CHECK(format_seconds(1e-11) == "0.01 ns");
    CHECK(format_ratio(9.995) == "10.0");
    CHECK(format_ratio(99.95) == "100");
    CHECK(format_ratio(98.54) == "98.5");
    CHECK(format_ratio(NAN) == "-");
    CHECK(format_ratio(INFINITY) == "-");
}

TEST_CASE("a row's numbers are below their headings") {
    Row row{.chapter = "02_naive_atomic", .variant = "one per element", .simulated = true};
    row.timing = {0.0123, 0, 0, 1};
    row.gigabytes_per_second = 3.25;
    row.of_ceiling = 0.5;
    row.times_cpu_sequential = 4;
    row.times_cpu_all_cores = 0.25;
    row.times_cub = 0.125;
    row.verdict = "ok";
    CHECK(outputs_detail::printed(stdout,
                                  [&] {
                                      print_heading();
                                      print_row(row);
                                      row.timing.samples = 0;
                                      print_row(row);
                                  }) ==
          "                                                   % of    x one     x all          \n"
          "ch  variant                       time    GB/s  ceiling CPU core CPU cores   x CUB  verdict\n"
          "02  one per element        12.3 ms sim    3.25     50.0     4.00      0.25    0.12  ok\n"
          "02  one per element            12.3 ms    3.25     50.0     4.00      0.25    0.12  ok\n");
}

TEST_CASE("rows go to CSV, and a file gets one heading") {
    const Folder folder;
    const std::string path = folder / "rows.csv";
    Row row;
    row.chapter = "02_naive_atomic";
    row.problem = "histogram";
    row.variant = "say \"hi\"";
    row.n = 5;
    append_csv(path, {row});
    append_csv(path, {row, row});
    append_csv("", {row});
    std::istringstream csv(folder.read("rows.csv"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(csv, line);) lines.push_back(line);
    REQUIRE(lines.size() == 4);
    CHECK(lines[0].find("chapter,problem,variant,device") == 0);
    CHECK(lines[1].find(
              R"("02_naive_atomic","histogram","say ""hi""","",false,"","",5,0,0,0,0,0,0,0,,,,,,"",)") == 0);
    CHECK(lines[1] == lines[3]);
    const std::string date = lines[1].substr(lines[1].size() - 22);
    CHECK((date.front() == '"' && date[11] == 'T' && date.substr(20) == "Z\""));
    CHECK(lines[0].find(",driver,cuda_driver,cuda_runtime,host_cpus,commit,date") != std::string::npos);
    CHECK(lines[1].find("\"unknown\",\"20") != std::string::npos);  // checks are linked without a commit
    CHECK_THROWS_AS(append_csv("/nowhere/at/all", {row}), std::runtime_error);
    int driver = 0, runtime = 0;
    CUDA_CHECK(cudaDriverGetVersion(&driver));
    CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(provenance().cuda_driver == provenance_detail::cuda_version(driver));
    CHECK(provenance().cuda_runtime == provenance_detail::cuda_version(runtime));
    CHECK(provenance_detail::cuda_version(13000) == "13.0");
    CHECK(provenance_detail::cuda_version(12990) == "12.99");
    CHECK(provenance_detail::cuda_version(0) == "");
}

TEST_CASE("shapes that a launch can't have are rejected") {
    CHECK(blocks_for(0, 256) == 0);
    CHECK(blocks_for(256, 256) == 1);
    CHECK(blocks_for(257, 256) == 2);
    CHECK(blocks_for(0x7fffffffull * 1024, 1024) == 0x7fffffffu);
    CHECK_THROWS_AS(blocks_for(0x7fffffffull * 1024 + 1, 1024), std::invalid_argument);
    CHECK_THROWS_AS(blocks_for(1ull << 32, 1), std::invalid_argument);
    CHECK(LaunchShape{1, 1}.grid_or(5) == 1);
    CHECK(LaunchShape{1, 1}.block_or(5) == 1);
    CHECK(LaunchShape{}.grid_or(5) == 5);
    CHECK(LaunchShape{}.block_or(5) == 5);
    const std::size_t most = UINT32_MAX;
    CHECK_NOTHROW(require_32_bit_counters(most * 7 + 6, 7, 0));
    CHECK_THROWS_AS(require_32_bit_counters(most * 7 + 7, 7, 0), std::invalid_argument);
    CHECK_NOTHROW(require_32_bit_counters((most - 5) * 7, 7, 5));
    CHECK_THROWS_AS(require_32_bit_counters((most - 5) * 7, 7, 6), std::invalid_argument);
    CHECK_THROWS_AS(require_32_bit_counters(0, 7, most + 1), std::invalid_argument);
}

TEST_CASE("a CUDA error names the call, the place and CUDA's description") {
    try {
        CUDA_CHECK(cudaSetDevice(12345));
        FAIL("no exception");
    } catch (const CudaError& error) {
        const std::string what = error.what();
        CHECK(what.find("cudaSetDevice(12345)") != std::string::npos);
        CHECK(what.find("checks.cu:") != std::string::npos);
        CHECK(what.find("invalid device ordinal") != std::string::npos);
        CHECK(error.code() == cudaErrorInvalidDevice);
    }
    cudaGetLastError();
}

TEST_CASE("the selected device and the memory that is available are those that the system reports") {
    const Setting devices("CUDA_SIM_DEVICES", 2);
    int count = 0, current = 0;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    CHECK(init_cuda(count - 1).free_bytes > 0);
    CUDA_CHECK(cudaGetDevice(&current));
    CHECK(current == count - 1);
    CHECK(init_cuda().free_bytes > 0);
    const auto pages = [](int which) { return static_cast<std::size_t>(sysconf(which)); };
    const std::size_t bytes = host_memory_bytes();
    CHECK(bytes % 1024 == 0);
    CHECK(bytes < pages(_SC_PHYS_PAGES) * pages(_SC_PAGESIZE));
    CHECK(bytes > pages(_SC_AVPHYS_PAGES) * pages(_SC_PAGESIZE) / 2);
}

TEST_CASE("device buffers can be moved, and copied to the host") {
    DeviceBuffer<int> a(3);
    CUDA_CHECK(cudaMemset(a.data(), 0, a.bytes()));
    DeviceBuffer<int> b(std::move(a));
    CHECK(b.to_host() == std::vector<int>{0, 0, 0});
    DeviceBuffer<int> c;
    c = std::move(b);
    CHECK(c.size() == 3);
    CHECK(DeviceBuffer<int>(0).to_host().empty());
}

TEST_CASE("an exception in a thread of on_cores arrives after all others are done") {
    std::atomic<int> done = 0;
    const auto work = [&](std::size_t first, std::size_t) {
        if (first == 0) throw std::bad_alloc();
        usleep(10000);
        return ++done;
    };
    CHECK_THROWS_AS(on_cores(3, 30, work), std::bad_alloc);
    CHECK(done == 2);
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

TEST_CASE("ratios are to the baselines, and a simulated time has none") {
    const auto spend = [](int milliseconds) {
        return [milliseconds] { usleep(static_cast<useconds_t>(milliseconds) * 1000); };
    };
    Options options;
    options.rounds = 1;
    Bench bench({.bytes = 4000000}, options, nullptr);
    bench.add({.name = kOneCore, .run = spend(40), .on_cpu = true});
    bench.add({.name = "variant", .run = spend(4), .on_cpu = true});
    const std::vector<Row> rows = bench.run();
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].times_cpu_sequential == 1);
    CHECK(rows[1].times_cpu_sequential == Approx(rows[0].timing.median / rows[1].timing.median));
    CHECK(rows[1].gigabytes_per_second == Approx(4e-3 / rows[1].timing.median));
    CHECK(std::isnan(rows[1].times_cub));
    CHECK(std::isnan(rows[1].of_ceiling));

    for (const int first : {4, 200}) {
        Bench faster_ceiling({.bytes = 4000000}, options, nullptr);
        faster_ceiling.add({.name = "variant", .run = spend(8), .on_cpu = true});
        faster_ceiling.add({.name = kReadCeiling, .run = spend(first), .on_cpu = true});
        faster_ceiling.add({.name = kReadCeiling, .run = spend(204 - first), .on_cpu = true});
        faster_ceiling.compare_with("variant", kAllCores);
        const std::vector<Row> one_ceiling = faster_ceiling.run();
        REQUIRE(one_ceiling.size() == 2);
        CHECK(one_ceiling[0].times_cpu_sequential == 1);
        CHECK(one_ceiling[1].variant == kReadCeiling);
        CHECK(one_ceiling[1].timing.median < 0.15);
    }

    Device simulated{};
    simulated.simulated = true;
    Bench on_simulator({.bytes = 4000000}, options, &simulated);
    on_simulator.add({.name = "variant", .run = spend(4)});
    on_simulator.add({.name = kOneCore, .run = spend(40), .on_cpu = true});
    on_simulator.add_read_ceiling(nullptr, 0);
    const std::vector<Row> simulated_rows = on_simulator.run();
    REQUIRE(simulated_rows.size() == 2);
    CHECK(simulated_rows[0].simulated);
    CHECK(simulated_rows[0].cache.empty());
    CHECK(std::isnan(simulated_rows[0].gigabytes_per_second));
    CHECK(std::isnan(simulated_rows[0].times_cpu_sequential));

    Bench of_nothing({.bytes = 0}, options, nullptr);
    of_nothing.add({.name = kOneCore, .run = spend(1), .on_cpu = true});
    CHECK(std::isnan(of_nothing.run()[0].times_cpu_sequential));
}

TEST_CASE("a long run on the simulator is announced") {
    const std::vector<Job> jobs{{.name = "a", .run = [] {}},
                                {.name = "b", .run = [] {}},
                                {.name = kOneCore, .run = [] {}, .on_cpu = true}};
    const std::size_t minute = 60'000'000'000 / 24 / 2 * core_count();  // elements per minute, for two jobs
    CHECK(long_run_warning(jobs, minute / 3, true) == "");
    CHECK(long_run_warning(jobs, minute, false) == "on the simulator this takes about a minute");
    CHECK(long_run_warning(jobs, 3 * minute, true) ==
          "on the simulator this takes about 3 minutes; --n 1M takes seconds");
}

TEST_CASE("squares and sums keep what 64 bits can hold") {
    CHECK(square(INT_MIN) == 1ull << 62);
    CHECK(square(INT_MAX) == square(-INT_MAX));
    const std::vector<int> data(4, INT_MIN);
    CHECK(reference_sum(data.data(), 3) == 3ull << 62);
    CHECK(reference_sum(data.data(), 4) == 0);  // 2^64, modulo 2^64
    CHECK(on_all_cores<SumOfSquares>(data.data(), 3) == Results{3ull << 62});

    const DeviceBuffer<unsigned long long> d_partials(3), d_sum(1);
    const Results partials{1ull << 40, 2ull << 40, 5};
    CUDA_CHECK(cudaMemcpy(d_partials.data(), partials.data(), d_partials.bytes(), cudaMemcpyHostToDevice));
    add_partials_on_cpu(d_partials.data(), 3, d_sum.data());
    CHECK(d_sum.to_host() == Results{(3ull << 40) + 5});
    clear_sum(d_sum.data());
    CHECK(d_sum.to_host() == Results{0});
}

TEST_CASE("the CPU's fastest loop on all cores counts as the reference does") {
    const std::vector<unsigned char> data = big_random_block(1003, 1);
    for (std::size_t n = 0; n <= data.size(); n += n < 9 ? 1 : 71)
        CHECK(on_all_cores<Histogram>(data.data(), n) == reference_histogram(data.data(), n));
}

TEST_CASE("variants refuse launch shapes that they don't support") {
    using Shaped = Variant<SumOfSquares>;
    const Shaped any{.name = "any", .run = nullptr}, fixed{.name = "", .run = nullptr, .fixed_shape = true},
        follows{.name = "", .run = nullptr, .grid_follows_n = true},
        one_block{.name = "", .run = nullptr, .only_block = 32},
        few_blocks{.name = "", .run = nullptr, .most_blocks = 7},
        powers{.name = "", .run = nullptr, .power_of_two_block = true},
        warps{.name = "", .run = nullptr, .whole_warps = true};
    const std::vector<std::pair<const Shaped*, LaunchShape>> refused{
        {&few_blocks, {8, 33}}, {&one_block, {7, 33}}, {&follows, {7, 32}}, {&powers, {0, 96}},
        {&powers, {0, 16}},     {&warps, {0, 33}},     {&fixed, {0, 64}},   {&fixed, {1, 0}}};
    const std::vector<std::pair<const Shaped*, LaunchShape>> taken{
        {&any, {7, 33}},     {&few_blocks, {7, 33}}, {&one_block, {7, 32}}, {&one_block, {7, 0}},
        {&follows, {0, 32}}, {&powers, {0, 64}},     {&warps, {0, 96}},     {&fixed, {}},
        {&powers, {0, 32}},  {&powers, {}}};
    for (const auto& [variant, shape] : refused) CHECK(variant->refusal(shape) != "");
    for (const auto& [variant, shape] : taken) CHECK(variant->refusal(shape) == "");
    CHECK(few_blocks.refusal({8, 33}) == "--grid must be at most 7");
}
