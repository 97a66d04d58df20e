/// @file
/// @brief Checks of diagnoses of known faults.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../checks/catch.hpp"
#include "../problem/histogram.hpp"
#include "../problem/input.hpp"
#include "../problem/sum_of_squares.cuh"
#include "../problem/verify.hpp"
#include "diagnosis.cuh"

namespace {

/// A case of 100 elements of different values, 3 elements past an aligned address.
template <typename Problem>
Case some_case() {
    return {100, Problem::inputs()[1].name, 3};
}

/// @return The diagnosis of a CPU function that fails this case, or "right" if it passes.
template <typename Problem>
std::string said(typename Variant<Problem>::Run* run, const Case& c = some_case<Problem>()) {
    const Variant<Problem> variant{.name = "v",
                                   .run = run,
                                   .workspace = [](std::size_t, LaunchShape) { return std::size_t{1}; },
                                   .on_cpu = true};
    const auto failure = failure_in(variant, c);
    if (!failure) return "right";
    std::string all;
    for (const Sentence& sentence : Diagnosis<Problem>(variant, *failure).sentences())
        all += (all.empty() ? "" : " ") + sentence.text;
    return all;
}

using Numbers = unsigned long long*;

int calls_before = 0, lost_of_equal = 0;

}  // namespace

TEST_CASE("a diagnosis names the fault of a sum") {
    const auto said_of = [](Variant<SumOfSquares>::Run* run) { return said<SumOfSquares>(run); };
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum = reference_sum(data, n);
          }) == "right");
    CHECK(said_of([](const int*, std::size_t, Numbers, Numbers, LaunchShape) {}) == "No result was stored.");
    CHECK(said_of([](const int*, std::size_t, Numbers sum, Numbers, LaunchShape) { *sum = 0; }) ==
          "The result includes none of the elements.");
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum += reference_sum(data, n);
          }) == "The result was added to the old value: clear it first.");
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum = 0;
              for (std::size_t i = 0; i < n; ++i) *sum += static_cast<unsigned int>(data[i]);
          }) == "The result is the sum of the elements, not of their squares.");
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum = reference_sum(data, n + 2);
          }) == "The sum includes numbers that are before or after the input: an index is out of range.");
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers workspace, LaunchShape) {
              *sum = reference_sum(data, n) + workspace[1];
          }) == "The sum includes numbers that are after the workspace: an index is out of range.");
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum = reference_sum(data, n) - (n > 7 ? square(data[7]) : 0);
          }) == "Element 7 is left out.");
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum = reference_sum(data, n) + (n > 7 ? square(data[7]) : 0);
          }) == "Element 7 is used 2 times.");
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum = n > 1 ? reference_sum(data + 1, n - 2) : 0;
          }) == "Elements 0 and 99 are left out.");
    calls_before = 0;
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum = reference_sum(data, n) + (calls_before++ == 0 ? 1 : 0);
          }).find("The same case is right when tried again: perhaps a global") == 0);
}

TEST_CASE("a diagnosis tells apart leftovers of earlier calls and the order of the threads") {
    const Variant<SumOfSquares> variant{
        .name = "v", .run = [](const int* d_data, std::size_t n, Numbers d_sum, Numbers, LaunchShape) {
            std::vector<int> data(n);
            CUDA_CHECK(cudaMemcpy(data.data(), d_data, n * sizeof(int), cudaMemcpyDeviceToHost));
            const unsigned long long sum = reference_sum(data.data(), n) + (calls_before++ == 0 ? 1 : 0);
            CUDA_CHECK(cudaMemcpy(d_sum, &sum, sizeof(sum), cudaMemcpyHostToDevice));
        }};
    for (const unsigned int workers : {1, 2}) {
        const Setting order("CUDA_SIM_WORKERS", workers);
        calls_before = 0;
        const auto failure = failure_in(variant, some_case<SumOfSquares>());
        REQUIRE(failure);
        const std::vector<Sentence> said = Diagnosis<SumOfSquares>(variant, *failure).sentences();
        REQUIRE(said.size() == 1);
        const bool same_order = workers == 1 && is_simulated();
        CHECK(said[0].of_race != same_order);
        CHECK((said[0].text.find("leave behind") != std::string::npos) == same_order);
    }
}

TEST_CASE("a diagnosis says for which calls, sizes and inputs a sum is right") {
    const auto said_of = [](Variant<SumOfSquares>::Run* run) { return said<SumOfSquares>(run); };
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers workspace, LaunchShape) {
              *sum = reference_sum(data, n) + (*workspace == 1 ? 1 : 0);
              *workspace = 1;
          }) ==
          "The first call is right, but a later one is wrong: something that a call leaves behind is not "
          "cleared or reset.");
    calls_before = 0;
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum = reference_sum(data, n) + (calls_before++ % 3 == 2 ? 1 : 0);
          }) ==
          "The first call is sometimes right and sometimes wrong: perhaps a global or static variable is "
          "not reset, an index is out of range, or threads use the same memory at the same time.");
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              static unsigned long long total = 0;
              *sum = total += reference_sum(data, n);
          }).find("Equal calls give different results: ") == 0);
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum = reference_sum(data, n) + (data[0] == data[n - 1] ? 1 : 0);
          }) == "The result is right if the elements differ, but wrong if all are equal: too much is added.");
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum = static_cast<unsigned int>(reference_sum(data, n));
          }) ==
          "The sum is right for small numbers, but wrong for large ones, as if an intermediate result had "
          "fewer than 64 bits.");
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum = 0;
              for (std::size_t i = 0; i < n; ++i)
                  *sum += static_cast<unsigned long long>(static_cast<double>(data[i]) * data[i]);
          }) ==
          "The sum is right for numbers such as 100003, but wrong for 94906267, whose square needs 54 "
          "bits, as if an intermediate result were a floating-point number, which is rounded.");
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum = 0;
              for (std::size_t i = 0; i < n; ++i)
                  *sum += static_cast<unsigned long long>(static_cast<unsigned int>(data[i])) *
                          static_cast<unsigned int>(data[i]);
          }) == "The sum is right for small positive numbers, but wrong for negative ones.");
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum = reference_sum(data, n / 1024 * 1024);
          }) ==
          "The result includes none of the elements. The result is right for n = 1024: look at the elements "
          "that are left over at the end.");
    Variant<SumOfSquares>::Run* const leaves_out = [](const int* data, std::size_t n, Numbers sum, Numbers,
                                                      LaunchShape) {
        *sum = 0;
        for (std::size_t i = 0; i < n; ++i)
            if (i % 32 != 3) *sum += square(data[i]) * (i % 90 == 4 ? 3 : 1);
    };
    CHECK(said_of(leaves_out) ==
          "Elements 3, 35, 67 and 99 are left out. Elements 4 and 94 are used more than once (element 4: 3 "
          "times).");
    CHECK(said<SumOfSquares>(leaves_out, {5, "random"}) ==
          "With n = 100, elements 3, 35, 67 and 99 are left out. With n = 100, elements 4 and 94 are used "
          "more than once (element 4: 3 times).");
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum = 0;
              for (std::size_t i = 0; i < n; ++i)
                  if (i % 10 < 7 && i % 10 != 5) *sum += square(data[i]);
          }) == "Elements 5, 7 to 9, 15, 17 to 19, and 32 more are left out.");
    CHECK(said<SumOfSquares>([](const int* data, std::size_t n, Numbers sum, Numbers,
                                LaunchShape) { *sum = reference_sum(data, std::min<std::size_t>(n, 20)); },
                             {300, "random"}) == "Of the elements tried, 20 to 299 are left out.");
    CHECK(said<SumOfSquares>([](const int* data, std::size_t n, Numbers sum, Numbers,
                                LaunchShape) { *sum = n > 50 ? square(data[50]) : 0; },
                             {300, "random"})
              .find("The result includes none of the elements that were tried.") == 0);
    Variant<SumOfSquares>::Run* const is_right_for_33 = [](const int* data, std::size_t n, Numbers sum,
                                                           Numbers, LaunchShape shape) {
        *sum = reference_sum(data, n) + (n > 9 && shape.block != 33 ? square(data[9]) - square(data[7]) : 0);
    };
    CHECK(said<SumOfSquares>(is_right_for_33, {100, "random", 0, {.block = 64}}) ==
          "Element 7 is left out. Element 9 is used 2 times.");  // and no third sentence
    CHECK(said<SumOfSquares>([](const int*, std::size_t, Numbers sum, Numbers, LaunchShape) { *sum = 1; },
                             {0, "random"}) == "With n = 0, all results must be 0.");
}

TEST_CASE("a diagnosis needs few calls for a large input") {
    calls_before = 0;
    CHECK(said<SumOfSquares>(
              [](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
                  ++calls_before;
                  *sum = reference_sum(data, n > 0 ? n - 1 : 0);
              },
              {3'000'000, "smallest"}) == "Element 2999999 is left out.");
    CHECK(calls_before < 30);
}

TEST_CASE("a diagnosis says for which alignments and launch shapes a sum is right") {
    const auto said_of = [](Variant<SumOfSquares>::Run* run) { return said<SumOfSquares>(run); };
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum = reference_sum(data, n) + (reinterpret_cast<std::uintptr_t>(data) % 16 != 0 ? 1 : 0);
          }) == "The result is right if the input is at an aligned address.");
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape shape) {
              *sum = reference_sum(data, n) + (shape.block != 1 ? 1 : 0);
          }) == "The result is right with one thread per block, and wrong with more.");
    CHECK(said<SumOfSquares>(
              [](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape shape) {
                  *sum = reference_sum(data, n) + (n > 0 && shape.block != n ? 1 : 0);
              },
              {1, "random"}) == "");  // right with one thread per block for one element only
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape shape) {
              *sum = reference_sum(data, n) + (shape.block != 33 && shape.block != 512 ? 1 : 0);
          }) ==
          "The result depends on the block size: it is right for blocks of 33, 512 threads, but wrong "
          "for 1, 32, 64, 96, 128, 256, 1000, 1024.");
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape shape) {
              *sum = reference_sum(data, n) + (shape.block == 0 ? 1 : 0);
          }) ==
          "The result depends on the block size: it is right for blocks of 1, 32, 33, 64, 96, 128, 256, "
          "512, 1000, 1024 threads.");
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape shape) {
              *sum = reference_sum(data, n) + (shape.grid != 1 ? 1 : 0);
          }) ==
          "The result is right with a single thread. With more, their parts of the input overlap or leave "
          "gaps, or the threads use the same memory at the same time.");
    CHECK(said<SumOfSquares>(
              [](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape shape) {
                  *sum = reference_sum(data, std::min<std::size_t>(n, shape.grid_or(2) * 32));
              },
              {98, "random"}) ==
          "Elements 64 to 97 are left out. The result is right with more "
          "blocks: each thread must continue until all elements are used.");
}

TEST_CASE("a diagnosis names the fault of a histogram") {
    const auto said_of = [](Variant<Histogram>::Run* run) { return said<Histogram>(run); };
    CHECK(said_of([](const unsigned char* data, std::size_t n, Numbers bins, Numbers, LaunchShape) {
              for (std::size_t b = 0; b < kBins; ++b) bins[b] = 0;
              for (std::size_t i = 0; i < n; ++i) ++bins[(data[i] + 1) % kBins];
          }) == "All elements are counted, but in the wrong bins.");
    CHECK(said_of([](const unsigned char* data, std::size_t n, Numbers bins, Numbers, LaunchShape) {
              for (std::size_t b = 0; b < kBins; ++b) bins[b] = 0;
              for (std::size_t i = 0; i < n; ++i) ++bins[data[i] & (i < 16 ? 0x7f : 0xff)];
          }) == "Elements 0 to 15 are counted in the wrong bin.");
    CHECK(
        said_of([](const unsigned char* data, std::size_t n, Numbers bins, Numbers, LaunchShape) {
            std::fill(bins, bins + kBins, 0);
            for (std::size_t i = 0; i < n; ++i)
                if (data[i] < 3) ++bins[data[i]];
        }) ==
        "Bytes of value 0 are counted, but bytes of value 255 are not: look at how the bins are cleared and "
        "added up.");
    for (const auto& [lost, words] :
         {std::pair{512, "it is too low by a multiple of 2^8, as if a counter had only 8 bits."},
          {3 << 16, "it is too low by a multiple of 2^16, as if a counter had only 16 bits."},
          {7, "additions to one result are lost."},
          {-7, "too much is added."}}) {
        lost_of_equal = lost;
        CHECK(said<Histogram>(
                  [](const unsigned char* data, std::size_t n, Numbers bins, Numbers, LaunchShape) {
                      const Bins counts = reference_histogram(data, n);
                      std::copy(counts.begin(), counts.end(), bins);
                      if (counts[0] == n) bins[0] -= lost_of_equal;
                  },
                  {1000000, "uniform"}) ==
              std::string("The result is right if the elements differ, but wrong if all are equal: ") +
                  words);
    }
    CHECK(said<Histogram>(
              [](const unsigned char* data, std::size_t n, Numbers bins, Numbers, LaunchShape) {
                  const Bins counts = reference_histogram(data, n);
                  for (std::size_t b = 0; b < kBins; ++b)
                      bins[b] = static_cast<unsigned long long>(static_cast<float>(counts[b]));
              },
              {(1 << 24) + 1, "constant"}) ==
          "With one element less, the result is right: perhaps an index or a count is a float, which rounds "
          "16777217 to 16777216.");
    CHECK(said_of([](const unsigned char* data, std::size_t n, Numbers bins, Numbers, LaunchShape) {
              const Bins counts = reference_histogram(data, n);
              std::copy(counts.begin(), counts.end(), bins);
              if (n > 9) --bins[data[7]], ++bins[data[9]];
          }) == "Element 7 is left out. Element 9 is used 2 times.");
    CHECK(said_of([](const unsigned char* data, std::size_t n, Numbers bins, Numbers, LaunchShape) {
              const Bins counts = reference_histogram(data, n);
              std::copy(counts.begin(), counts.end() - 3, bins);
          }) == "3 of 256 bins were never stored: they still have their old values.");
    CHECK(
        said_of([](const unsigned char* data, std::size_t n, Numbers bins, Numbers, LaunchShape) {
            const Bins counts = reference_histogram(data - 1, n + 2);
            std::copy(counts.begin(), counts.end(), bins);
        }) ==
        "Bin 165 counts bytes from before or after the input, which the checks have set to 165: an index is "
        "out of range.");
    CHECK(said_of([](const unsigned char* data, std::size_t n, Numbers bins, Numbers, LaunchShape) {
              std::fill(bins, bins + kBins, 0);
              for (std::size_t i = 0; i < n; ++i)
                  if (i == 0 || data[i] == 255 || data[i] != data[i - 1]) ++bins[data[i]];
          }) == "Counts are missing: the bins add up to 91, not 100.");
    CHECK(said_of([](const unsigned char* data, std::size_t n, Numbers bins, Numbers, LaunchShape) {
              std::fill(bins, bins + kBins, 0);
              for (std::size_t i = 0; i < n; ++i) bins[data[i]] += i > 0 && data[i] == data[i - 1] ? 2 : 1;
          }) == "There are too many counts: the bins add up to 109, not 100.");
}
