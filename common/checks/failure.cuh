/// @file
/// @brief What is wrong with a variant, as data and in words.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>

#include "../cuda/error.cuh"
#include "../cuda/launch_shape.hpp"
#include "../problem/prepared_variant.cuh"
#include "../problem/verify.hpp"
#include "record.hpp"
#ifndef __CUDACC__
#include <simulator/fault.h>
#endif

/// A case in which a variant must be correct.
struct Case {
    std::size_t n;
    std::string
        input{};  ///< the name of one of the problem's inputs; empty for one that a check makes itself
    std::size_t offset = 0;  ///< elements from an aligned address to the data; as many follow the data
    LaunchShape shape{};
    int calls = 3;  ///< in the same memory, every second call with other data
};

#ifndef __CUDACC__
/// An error that comes with a kernel's fault, because the kernel ran in another process.
struct FaultElsewhere {
    sim::Fault fault{};
};
#endif

/// The first case in which a variant is wrong, and how.
struct Failure {
    /// How it is wrong.
    enum class Kind {
        result,     ///< a result is wrong: `difference`
        overrun,    ///< the call has written past the end of the results or the workspace
        launch,     ///< the call does not report a launch that was bound to fail
        unchecked,  ///< a launch has failed, and the variant has not noticed
        error       ///< a call has failed, perhaps because of a kernel's fault
    };
    Kind kind;
    Case c;
    std::string what;  ///< in words, without the variant's name and the case
    std::optional<Difference> difference{};
    int call = 1;  ///< the call's number, from 1, among those in the same memory
#ifndef __CUDACC__
    sim::Fault fault{};  ///< a kernel's, as the simulator knows it
#endif

    /// A failed call. The kernel's fault is forgotten, since later calls would return it again.
    static Failure of(const Case& c, const std::exception& error) {
        const bool unchecked = dynamic_cast<const UnnoticedError*>(&error) != nullptr;
        Failure failure{unchecked ? Kind::unchecked : Kind::error, c, error.what()};
#ifndef __CUDACC__
        const auto* const elsewhere = dynamic_cast<const FaultElsewhere*>(&error);
        failure.fault = elsewhere != nullptr ? elsewhere->fault : sim::fault();
#endif
        forget_fault();
        return failure;
    }

    /// Adds its kind and its data, without message and case, to an object of JSON.
    void write(Json& json) const {
        constexpr const char* kKinds[] = {"result", "overrun", "launch", "unchecked", "error"};
        json.add("kind", kKinds[static_cast<int>(kind)]);
        if (difference)
            json.add("index", difference->index, "got", difference->got, "expected", difference->expected)
                .add("has_poison", includes_poison(difference->got, difference->expected), "has_unset",
                     includes_unset(difference->got, difference->expected));
#ifndef __CUDACC__
        if (!fault.message.empty()) json.object("fault", [&](Json& its) { fault.write(its); });
#endif
    }

    /// What a chapter's checks print about it.
    std::string text(const std::string& variant) const {
        if (kind == Kind::launch) return variant + " " + what;
        std::string where = "n = " + std::to_string(c.n);
        const auto number = [](unsigned int k) { return k != 0 ? std::to_string(k) : "default"; };
        if (!c.input.empty())
            where += ", input " + c.input + ", offset " + std::to_string(c.offset) + ", grid " +
                     number(c.shape.grid) + ", block " + number(c.shape.block);
        return variant + ", " + where + ": " + what;
    }
};

/// @brief Records a variant's failure. @return The message about it; empty if there is none.
inline std::optional<std::string> text_of(const std::string& variant, const std::optional<Failure>& failure) {
    if (!failure) return std::nullopt;
    const std::string text = failure->text(variant);
    record(text, [&](Json& json) {
        failure->write(json);
        json.add("n", failure->c.n);
    });
    return text;
}
