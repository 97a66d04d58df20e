/// @file
/// @brief Checks of what a diagnosis says about faults that are known.
#include <string>
#include <vector>

#include "../checks/catch.hpp"
#include "../problem/histogram.hpp"
#include "../problem/input.hpp"
#include "../problem/sum_of_squares.cuh"
#include "diagnosis.cuh"

namespace {

/// An input whose elements differ, on one block.
template <typename Problem>
Case some_case() {
    return {100, Problem::inputs()[1].name, 3};
}

/// @return What is said first of a function that is wrong for this case, on the CPU.
template <typename Problem>
std::string said(typename Variant<Problem>::Run* run, const Case& c = some_case<Problem>()) {
    const Variant<Problem> variant{.name = "v",
                                   .run = run,
                                   .workspace = [](std::size_t, LaunchShape) { return std::size_t{1}; },
                                   .on_cpu = true};
    const auto wrong = check_case(variant, c);
    if (!wrong) return "right";
    const auto sentences = Diagnosis<Problem>(variant, {c, *wrong}).sentences();
    return sentences.empty() ? "" : sentences[0];
}

using Numbers = unsigned long long*;

int calls_before = 0;

}  // namespace

TEST_CASE("a diagnosis names the fault of a sum") {
    const auto said_of = [](Variant<SumOfSquares>::Run* run) { return said<SumOfSquares>(run); };
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum = reference_sum(data, n);
          }) == "right");
    CHECK(said_of([](const int*, std::size_t, Numbers, Numbers, LaunchShape) {}) == "Nothing was stored.");
    CHECK(said_of([](const int*, std::size_t, Numbers sum, Numbers, LaunchShape) { *sum = 0; }) ==
          "No element is used at all.");
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
    calls_before = 0;
    CHECK(said_of([](const int* data, std::size_t n, Numbers sum, Numbers, LaunchShape) {
              *sum = reference_sum(data, n) + (calls_before++ == 0 ? 1 : 0);
          }).find("The same case is right when tried again: ") == 0);
}

TEST_CASE("a diagnosis names the fault of a histogram") {
    CHECK(said<Histogram>([](const unsigned char* data, std::size_t n, Numbers bins, Numbers, LaunchShape) {
              for (std::size_t b = 0; b < kBins; ++b) bins[b] = 0;
              for (std::size_t i = 0; i < n; ++i) ++bins[(data[i] + 1) % kBins];
          }) == "All elements are counted, but in the wrong bins.");
}
