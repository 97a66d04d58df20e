/// @file
/// @brief Checks of rows of results: their numbers, the table, CSV.
#pragma once

#include <unistd.h>

#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "../../bench/variant_table.cuh"
#include "../../cuda/error.cuh"
#include "../catch.hpp"
#include "../folder.hpp"
#include "outputs.hpp"

namespace rows_checks {

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
    row.timing = {.median = 0.0123, .p10 = 0, .p90 = 0, .fastest = 0, .samples = 1};
    row.gigabytes_per_second = 3.25;
    row.of_ceiling = 0.5;
    row.times_cpu_sequential = 4;
    row.times_cpu_all_cores = 0.25;
    row.times_cub = 0.125;
    row.verdict = verdict_of(std::nullopt);
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

TEST_CASE("a line of the table has at most 100 columns, whatever its verdict says, and no word is cut") {
    Row row{.chapter = "02_naive_atomic", .variant = "tree in global memory"};
    for (const Verdict& verdict :
         {Verdict{Verdict::Kind::wrong_on_purpose, "wrong on purpose: lost 104715923"},
          verdict_of("kernel (launched at 02_naive_atomic/kernels.cuh:78), block (0, 0, 0): thread (0, 0, 0) "
                     "uses index 256 of an array of type unsigned int[256], as do the threads after it"),
          verdict_of(std::nullopt, "18446744073709551615 ok")}) {
        row.verdict = verdict;
        const std::string printed = outputs_detail::printed(stdout, [&] { print_row(row); });
        std::istringstream lines(printed);
        for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
        std::istringstream words(verdict.words);
        std::size_t at = 0;
        for (std::string word; words >> word; at += word.size()) {
            word.resize(word.find_last_not_of(":,") + 1);  // at the end of a line, there is none
            at = printed.find(word, at);
            REQUIRE(at != std::string::npos);
        }
    }
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
              R"("02_naive_atomic","histogram","say ""hi""","",false,"","",5,0,0,0,0,0,0,0,0,,,,,,"",)") ==
          0);
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

TEST_CASE("ratios are to the baselines, and a simulated time has none") {
    const auto spend = [](int milliseconds) {
        return [milliseconds] { usleep(static_cast<useconds_t>(milliseconds) * 1000); };
    };
    Options options;
    options.rounds = 1;
    const Row common{.bytes = 4000000};
    const std::vector<Job> jobs{{.name = kOneCore, .work = spend(40), .on_cpu = true},
                                {.name = "variant", .work = spend(4), .on_cpu = true}};
    const std::vector<Row> rows = measure(jobs, common, options, nullptr);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].times_cpu_sequential == 1);
    CHECK(rows[1].times_cpu_sequential == Approx(rows[0].timing.fastest / rows[1].timing.fastest));
    CHECK(rows[1].gigabytes_per_second == Approx(4e-3 / rows[1].timing.fastest));
    CHECK(std::isnan(rows[1].times_cub));
    CHECK(std::isnan(rows[1].of_ceiling));

    for (const int first : {4, 200}) {
        const std::vector<Row> one_ceiling =
            measure({{.name = "variant", .work = spend(8), .on_cpu = true},
                     {.name = kReadCeiling, .work = spend(first), .on_cpu = true},
                     {.name = kReadCeiling, .work = spend(204 - first), .on_cpu = true}},
                    common, options, nullptr, "variant");
        REQUIRE(one_ceiling.size() == 2);
        CHECK(one_ceiling[0].times_cpu_sequential == 1);
        CHECK(one_ceiling[1].variant == kReadCeiling);
        CHECK(one_ceiling[1].timing.median < 0.15);
    }

    Device simulated{};
    simulated.simulated = true;
    CHECK(read_ceiling_jobs(nullptr, 0, &simulated).empty());
    const std::vector<Row> simulated_rows = measure(
        {{.name = "variant", .work = spend(4)}, {.name = kOneCore, .work = spend(40), .on_cpu = true}},
        common, options, &simulated);
    REQUIRE(simulated_rows.size() == 2);
    CHECK(simulated_rows[0].simulated);
    CHECK(simulated_rows[0].cache.empty());
    CHECK(std::isnan(simulated_rows[0].gigabytes_per_second));
    CHECK(std::isnan(simulated_rows[0].times_cpu_sequential));

    CHECK(std::isnan(measure(jobs, {}, options, nullptr)[0].times_cpu_sequential));
}

}  // namespace rows_checks
