/// @file
/// @brief A chapter's variants: listed, found by name, chosen by the command line.
#pragma once

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "../problem/variant.hpp"
#include "options.hpp"

/// The chapter's variants and the added ones.
template <typename Problem>
std::vector<Variant<Problem>> with_added(std::vector<Variant<Problem>> variants) {
    for (const Variant<Problem>& added : added_variants<Problem>) variants.push_back(added);
    return variants;
}

/// Prints the variants and their ideas: `--list`.
template <typename Problem>
void print_variants(const std::vector<Variant<Problem>>& variants) {
    for (const Variant<Problem>& variant : with_added(variants)) {
        std::printf("%-22s %s\n", variant.name, variant.idea);
        if (variant.wrong_because != nullptr)
            std::printf("%-22s wrong on purpose: %s\n", "", variant.wrong_because);
    }
}

/// @return The variant with that name, which must exist.
template <typename Problem>
const Variant<Problem>& variant_named(const std::vector<Variant<Problem>>& variants, const char* name) {
    for (const Variant<Problem>& variant : variants)
        if (std::strcmp(name, variant.name) == 0) return variant;
    throw std::logic_error(std::string("no variant is called ") + name);
}

/// @brief The variants that the command line selects among the chapter's and the added ones.
///
/// A variant that doesn't accept the launch shape is skipped, with the reason on standard error.
/// @throws BadOption if none is left.
template <typename Problem>
std::vector<Variant<Problem>> choose_variants(const std::vector<Variant<Problem>>& variants,
                                              const Options& options) {
    std::vector<Variant<Problem>> chosen;
    std::string left_out;
    for (const Variant<Problem>& variant : with_added(variants)) {
        if (!options.variant.empty() && options.variant != variant.name) continue;
        const std::string refusal = variant.refusal(options.shape);
        if (refusal.empty()) {
            chosen.push_back(variant);
            continue;
        }
        left_out = refusal + ", for the variant '" + variant.name + "'";
        if (options.variant.empty()) std::fprintf(stderr, "skipped: %s\n", left_out.c_str());
    }
    if (!chosen.empty()) return chosen;
    if (!left_out.empty()) throw BadOption(left_out);
    throw BadOption("--variant accepts one of the names that --list gives, not '" + options.variant + "'");
}
