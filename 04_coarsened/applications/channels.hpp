/// @file
/// @brief What is computed from an image: the histogram of each channel, and the tables that equalize it.
///
/// Bin `channel × 256 + value` counts a channel's values.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "../../common/problem/histogram.hpp"
#include "../../common/problem/input.hpp"
#include "../../common/problem/verify.hpp"

/// A pixel's channels side by side, one byte each: grey; red, green and blue; or these and alpha.
template <unsigned int kChannels>
struct Pixel {
    unsigned char channel[kChannels];
};

/// What `Variant<Channels<kChannels>>` computes: `kChannels × 256` counts of `n` pixels.
template <unsigned int kChannels>
struct Channels {
    using Element = Pixel<kChannels>;  ///< what the input consists of
    static constexpr const char* kName = "channels";
    static constexpr std::size_t kResults = kChannels * kBins;
    static constexpr std::size_t kInputCopies = 1;

    /// Pixels made of the `named_bytes`.
    static const std::vector<NamedInput<Element>>& inputs() {
        static const auto inputs = [] {
            std::vector<NamedInput<Element>> of_pixels;
            for (const auto& of_bytes : named_bytes())
                of_pixels.push_back(
                    {of_bytes.name, of_bytes.what, [&of_bytes](std::size_t n, std::uint64_t seed) {
                         const std::vector<unsigned char> bytes = of_bytes.make(n * kChannels, seed);
                         std::vector<Element> pixels(n);
                         if (n > 0) std::memcpy(pixels.data(), bytes.data(), bytes.size());
                         return pixels;
                     }});
            return of_pixels;
        }();
        return inputs;
    }

    /// What is printed above a table.
    static std::string title(std::size_t n) {
        return "Histograms of " + std::to_string(n) + " pixels of " + std::to_string(kChannels) +
               (kChannels == 1 ? " channel" : " channels");
    }

    /// The plain loop, for comparison.
    static Bins reference(const Element* pixels, std::size_t n) {
        Bins bins(kResults, 0);
        for (std::size_t i = 0; i < n; ++i) add(bins, pixels[i], 1);
        return bins;
    }

    /// The fastest loop for one core. With several channels, the plain loop alternates between tables anyway.
    static Bins fast_on_cpu(const Element* pixels, std::size_t n) {
        if constexpr (kChannels == 1)
            return Histogram::fast_on_cpu(pixels->channel, n);
        else
            return reference(pixels, n);
    }

    /// Checks that the bins add up to one count per pixel and channel.
    static std::optional<std::string> verify(const Bins& bins, const Element*, std::size_t n) {
        return verify_by_sum(bins, n * kChannels);
    }

    static std::string verdict(const Bins&) { return "ok"; }  ///< the table's verdict on a correct result

    /// @copydoc Histogram::shortfall
    static std::string shortfall(const Bins& bins, std::size_t n) {
        return Histogram::shortfall(bins, n * kChannels);
    }

    /// Adds what `count` equal pixels contribute.
    static void add(Bins& bins, Element pixel, std::size_t count) {
        for (unsigned int c = 0; c < kChannels; ++c) bins[c * kBins + pixel.channel[c]] += count;
    }
};

/// The name of a channel in an image with `channels` channels.
inline const char* channel_name(std::size_t channels, std::size_t channel) {
    static const char* const names[] = {"red", "green", "blue", "alpha"};
    return channels == 1 ? "grey" : names[channel];
}

/// Whether equalizing leaves a channel unchanged: the fourth is alpha, which is not a brightness.
inline bool is_alpha(std::size_t channel) { return channel == 3; }

/// @brief The table that spreads a channel's values evenly over 0 to 255.
///
/// A value becomes the share of the values that are not greater, scaled so that the smallest value that
/// occurs becomes 0 and the greatest 255. A channel of one value stays as it is.
/// @param[in] counts 256 counts.
/// @par Source
/// The rule of OpenCV's `equalizeHist`, which gives the same tables.
inline std::array<unsigned char, kBins> equalizing_table(const unsigned long long* counts) {
    std::array<unsigned char, kBins> table{};
    unsigned long long total = 0, up_to = 0;
    for (unsigned int v = 0; v < kBins; ++v) total += counts[v];
    unsigned int smallest = 0;
    while (smallest < kBins && counts[smallest] == 0) ++smallest;
    if (smallest == kBins || counts[smallest] == total) {
        for (unsigned int v = 0; v < kBins; ++v) table[v] = static_cast<unsigned char>(v);
        return table;
    }
    const double scale = 255.0 / static_cast<double>(total - counts[smallest]);
    for (unsigned int v = smallest + 1; v < kBins; ++v) {
        up_to += counts[v];
        table[v] = static_cast<unsigned char>(std::lrint(static_cast<double>(up_to) * scale));
    }
    return table;
}

/// @brief The tables that equalize an image; the one for alpha changes nothing.
/// @param[in] bins     `channels × 256` counts.
/// @param[in] together Whether all colours have one table, which keeps grey grey. Otherwise each channel has
///                     its own, which also removes a colour cast, wanted or not.
/// @return `channels × 256` bytes.
inline std::vector<unsigned char> equalizing_tables(Bins bins, bool together) {
    const std::size_t channels = bins.size() / kBins;
    for (std::size_t v = 0; together && v < kBins; ++v) {
        unsigned long long sum = 0;
        for (std::size_t c = 0; c < channels && !is_alpha(c); ++c) sum += bins[c * kBins + v];
        for (std::size_t c = 0; c < channels; ++c) bins[c * kBins + v] = sum;
    }
    std::vector<unsigned char> tables;
    for (std::size_t c = 0; c < channels; ++c) {
        const auto table = equalizing_table(&bins[c * kBins]);
        for (std::size_t v = 0; v < kBins; ++v)
            tables.push_back(is_alpha(c) ? static_cast<unsigned char>(v) : table[v]);
    }
    return tables;
}
