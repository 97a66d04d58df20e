/// @file
/// @brief The definition of a correct variant: `check_variant(variant)`.
///
/// It must find no error in a chapter's variants, and an error in most of the faults of `broken/faults.md`.
/// Students' kernels are checked by the same function.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "../cuda/device.cuh"
#include "../cuda/device_buffer.cuh"
#include "../problem/input.hpp"
#include "../problem/prepared_variant.cuh"
#include "../problem/verify.hpp"
#include "failure.cuh"
#include "setting.hpp"

namespace check_detail {

/// An element that consists of equal bytes.
template <typename Element>
Element element_of(int byte) {
    Element element;
    std::memset(&element, byte, sizeof(element));
    return element;
}

/// A case's data.
template <typename Problem>
std::vector<typename Problem::Element> data_of(const Case& c) {
    for (const auto& input : Problem::inputs())
        if (c.input == input.name) return input.make(c.n, c.n + 1 + graders_seed());
    throw std::invalid_argument("no input " + c.input);
}

/// All cases in which a variant claims to be correct.
template <typename Problem>
std::vector<Case> cases_of(const Variant<Problem>& variant) {
    std::vector<Case> cases;
    const auto& inputs = Problem::inputs();
    // What a call leaves in the workspace hardly depends on the input, on the exact size of a large n, or on
    // where the data begin. If one case calls the variant three times, similar cases need only one call,
    // which takes a third of the time.
    const auto calls = [](bool is_first) { return is_first ? 3 : 1; };
    // None, one, around a warp, around a block, around two blocks.
    for (const std::size_t n : {0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 511, 512, 513})
        for (const auto& input : inputs) cases.push_back({n, input.name, 0, {}, calls(&input == &inputs[0])});
    // Around many blocks, then more elements than 16 bits count, in more than 256 blocks of 256 threads.
    for (const std::size_t more : {0, 1, 2})
        cases.push_back({32767 + more, inputs[more].name, 0, {}, calls(more == 0)});
    for (const auto& input : inputs) cases.push_back({65539, input.name, 0, {}, 1});
    // Many elements for each thread of a GPU's largest grid, or for each core.
    if (sizeof(typename Problem::Element) == 1) cases.push_back({1000003, inputs[0].name, 0, {}, 1});
    // At every offset, with one of two inputs.
    for (std::size_t offset = 1; offset < 16; ++offset)
        for (const std::size_t n : {0, 1, 3, 4, 5, 15, 16, 17, 1000, 4099})
            cases.push_back({n, inputs[(n + offset) % 2].name, offset, {}, 1});
    for (const unsigned int block : {1, 32, 33, 64, 96, 128, 256, 512, 992, 1000, 1024})
        for (const unsigned int grid : {0, 1, 2, 7, 64})
            if (variant.refusal({grid, block}).empty())
                cases.push_back({5003, inputs[1].name, grid % 4, {grid, block}, calls(grid < 64)});
    // Elements of one value, in one block: more than a float can count, in an exercise's first check.
    // Elsewhere, so many may take seconds. If there is always one block, its threads may also compute their
    // shares of the elements in float.
    const bool counts_many =
        sizeof(typename Problem::Element) == 1 && is_simulated() && is_set("CUDA_SIM_WORKERS", "1");
    const std::size_t in_one_block =
        counts_many || variant.most_blocks == 1 ? (1u << 24) + 1 : (1u << 20) + 3;
    if (variant.refusal({1, 256}).empty()) cases.push_back({in_one_block, inputs[2].name, 0, {1, 256}, 1});
    // More blocks than a last block of 1,024 threads can add up with one load per thread.
    if (variant.refusal({1500, 64}).empty()) cases.push_back({5003, inputs[1].name, 1, {1500, 64}, 1});
    return cases;
}

}  // namespace check_detail

/// @brief Runs a variant several times in the same memory, with poisoned results each time, and compares.
/// @return The first error; nothing if all calls were correct.
template <typename Problem>
std::optional<Failure> failure_in(const Variant<Problem>& variant, const Case& c) {
    using Element = typename Problem::Element;
    const std::vector<Element> data = check_detail::data_of<Problem>(c), zeros(c.n);
    const Results of_data = variant.expected(Problem::reference(data.data(), c.n));
    const Results of_zeros = variant.expected(Problem::reference(zeros.data(), c.n));
    // Reading the poison before or after the data changes the result. With an offset of 0 there is no poison:
    // reading past the end is then a fault, which the simulator and sanitizers find.
    std::vector<Element> moved(c.offset + c.n + c.offset, check_detail::element_of<Element>(kUnwritten));
    std::optional<Failure> wrong;
    // Makes the simulator report a barrier that threads skip by returning early. On a GPU, such a barrier
    // works, and one that is skipped by mistake often seems to.
    const Setting no_early_exit("CUDA_SIM_EARLY_EXIT", 0);
    try {
        const DeviceBuffer<Element> d_moved(variant.on_cpu ? 0 : moved.size());
        PreparedVariant<Problem> prepared(variant, c.n, c.shape);
        for (int call = 1; call <= c.calls && !wrong; ++call) {
            // Zeros in between: a call must not use what the previous call left in the workspace.
            const bool on_zeros = call % 2 == 0;
            const std::vector<Element>& used = on_zeros ? zeros : data;
            std::copy(used.begin(), used.end(), moved.begin() + static_cast<std::ptrdiff_t>(c.offset));
            if (!variant.on_cpu && !moved.empty())
                CUDA_CHECK(cudaMemcpy(d_moved.data(), moved.data(), d_moved.bytes(), cudaMemcpyHostToDevice));
            prepared.poison();
            prepared.call((variant.on_cpu ? moved.data() : d_moved.data()) + c.offset);
            const std::string later =
                call > 1 ? "call " + std::to_string(call) + (on_zeros ? ", on zeros: " : ": ") : "";
            if (const auto difference = first_difference(prepared.results(), on_zeros ? of_zeros : of_data))
                wrong = {Failure::Kind::result, c, later + difference->text(variant.results), difference,
                         call};
            else if (const auto overrun = prepared.overrun())
                wrong = {Failure::Kind::overrun, c, later + *overrun, {}, call};
        }
    } catch (const std::exception& error) {
        wrong = Failure::of(c, error);
    }
    return wrong;
}

/// Checks one case. @return A description of the first error; nothing if all calls were correct.
template <typename Problem>
std::optional<std::string> check_case(const Variant<Problem>& variant, const Case& c) {
    return text_of(variant.name, failure_in(variant, c));
}

/// Checks that a variant reports a refused launch. @return The error; nothing if there is none.
template <typename Problem>
std::optional<Failure> failure_of_launch(const Variant<Problem>& variant) {
    using Element = typename Problem::Element;
    if (variant.on_cpu || variant.fixed_shape) return std::nullopt;
    const Case c{1, "", 0, {0, 2048}, 1};
    const auto failure = [&](const std::string& what) { return Failure{Failure::Kind::launch, c, what}; };
    const DeviceBuffer<Element> d_data(1);
    CUDA_CHECK(cudaMemset(d_data.data(), 1, d_data.bytes()));
    PreparedVariant<Problem> prepared(variant, c.n, c.shape);
    prepared.fill(0);
    try {
        prepared.call(d_data.data());
    } catch (const UnnoticedError& error) {
        return failure(
            std::string("does not check whether a launch failed, here with blocks of 2048 threads: ") +
            error.what());
    } catch (const CudaError&) {
        try {
            if (prepared.results() == Results(variant.results, 0)) return std::nullopt;
        } catch (const CudaError&) {  // the launch was not refused, and the kernel failed
            forget_fault();
            return std::nullopt;
        }
        return failure("continues after a launch with blocks of 2048 threads has failed");
    }
    const std::vector<Element> data = d_data.to_host();
    const auto wrong =
        verify_one_by_one(prepared.results(), variant.expected(Problem::reference(data.data(), 1)));
    if (!wrong) return std::nullopt;  // the variant has chosen another block size
    return failure("does not report that blocks of 2048 threads can't be launched: " + *wrong);
}

/// Checks how a variant reports a launch that fails. @return As `check_variant`.
template <typename Problem>
std::optional<std::string> check_launch_error(const Variant<Problem>& variant) {
    return text_of(variant.name, failure_of_launch(variant));
}

/// @brief Checks a variant in all cases in which it claims to be correct.
/// @return A description of the first failure; nothing if there was none.
template <typename Problem>
std::optional<std::string> check_variant(const Variant<Problem>& variant) {
    for (const Case& c : check_detail::cases_of(variant))
        if (const auto wrong = check_case(variant, c)) return wrong;
    return check_launch_error(variant);
}

/// @brief Checks a variant on more elements than 31 or 32 bits can count, made in device memory.
///
/// All bytes are 7, except those of a few elements at the start, on both sides of 2^31, and at the end.
/// @param[in] n At least 1000.
/// @return A description of the error; nothing if the results are correct.
template <typename Problem>
std::optional<std::string> check_large_case(const Variant<Problem>& variant, std::size_t n) {
    using Element = typename Problem::Element;
    struct Piece {
        std::size_t first, count;
        unsigned char byte;
    };
    const std::size_t middle = std::size_t{1} << 31;
    std::vector<Piece> pieces{{0, n, 7}, {0, 5, 1}, {n - 3, 3, 3}};
    if (n > middle + 10) pieces.push_back({middle - 1, 2, 2});

    const DeviceBuffer<Element> d_data(n);
    Results reference(Problem::kResults, 0);
    for (const Piece& piece : pieces) {
        CUDA_CHECK(cudaMemset(d_data.data() + piece.first, piece.byte, piece.count * sizeof(Element)));
        Problem::add(reference, check_detail::element_of<Element>(piece.byte), piece.count);
        if (piece.count < n) Problem::add(reference, check_detail::element_of<Element>(7), -piece.count);
    }
    PreparedVariant<Problem> prepared(variant, n, {});
    prepared.call(d_data.data());
    if (const auto wrong = verify_one_by_one(prepared.results(), variant.expected(reference)))
        return std::string(variant.name) + ", n = " + std::to_string(n) + ": " + *wrong;
    return std::nullopt;
}

/// Sizes that reveal indices and counts of 31 or 32 bits.
constexpr std::size_t kLargeSizes[] = {(1ull << 31) - 1, (1ull << 31) + 1, (1ull << 32) + 3};

/// @return Whether `n` elements can be tried here: only on a GPU with enough memory, where it takes seconds.
template <typename Problem>
bool has_room_for(std::size_t n) {
    const Device device = init_cuda();
    const std::size_t bytes = n * sizeof(typename Problem::Element) * Problem::kInputCopies;
    return !device.simulated && device.free_bytes > bytes + (std::size_t{1} << 30);
}

/// Checks a variant on each of the `kLargeSizes` that fit in memory. @return As `check_large_case`.
template <typename Problem>
std::optional<std::string> check_large(const Variant<Problem>& variant) {
    for (const std::size_t n : kLargeSizes)
        if (has_room_for<Problem>(n))
            if (const auto wrong = check_large_case(variant, n)) return wrong;
    return std::nullopt;
}
