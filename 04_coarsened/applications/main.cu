/// @file
/// @brief Chapter 04 at work: counts the channels of an image and equalizes it.
///
///     ./course run 04 -- --image photo.jpg --equalize out.png
///     ./course run 04 -- --made 4000x3000
///
/// ./course reads these lines: it starts this program for the first option in each.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "../../common/bench/histogram_report.hpp"
#include "../../common/bench/program.cuh"
#include "../../common/bench/variant_table.cuh"
#include "../../common/cuda/host_memory.hpp"
#include "channels.cuh"
#include "cub_channels.cuh"
#include "image.hpp"

namespace {

/// The program's own options and, in `measuring`, those of all programs that measure.
struct Request {
    std::string image;                        ///< file to read
    std::size_t width = 4000, height = 3000;  ///< the size of an image that is generated instead
    unsigned int channels = 3;                ///< how many the generated image has
    std::string equalize, bins;               ///< files to write
    bool together = false;
    Options measuring;
};

Request parse(int argc, char** argv) {
    Request request;
    Options& measuring = request.measuring;
    CommandLine line;
    line.text("image", "PATH", "the PNG or JPEG image to count", request.image);
    line.text("equalize", "PATH", "write the image equalized, as .png or .jpg", request.equalize);
    line.flag("together", "equalize with one table for all colours, which keeps grey grey", request.together);
    line.text("bins", "PATH",
              "write the histograms as lines of channel,value,count ('-': to standard output)", request.bins);
    line.add({"made", "WxH", "instead of reading a file, generate an image of this size (default 4000x3000)",
              [&](const std::string& size) {
                  const std::size_t x = size.find('x');
                  if (x == std::string::npos)
                      throw BadOption("--made accepts a width and a height, such as 4000x3000, not '" + size +
                                      "'");
                  request.width = parse_number("made", size.substr(0, x), 1, 1u << 24);
                  request.height = parse_number("made", size.substr(x + 1), 1, 1u << 24);
              }});
    line.add({"channels", "NUMBER", "bytes per pixel of the generated image: 1, 3 or 4 (default 3)",
              [&](const std::string& given) {
                  if (given != "1" && given != "3" && given != "4")
                      throw BadOption("--channels accepts 1, 3 or 4, not '" + given + "'");
                  request.channels = static_cast<unsigned int>(given[0] - '0');
              }});
    add_input_options(line, program_kind<Histogram>(), measuring);
    add_measuring_options(line, measuring);
    line.parse(argc, argv);

    if (!request.image.empty() && line.has_any({"made", "channels", "input", "seed"}))
        throw BadOption("--image reads the whole file: leave out --made, --channels, --input and --seed");
    if (request.together && request.equalize.empty())
        throw BadOption("--together changes how --equalize works: add --equalize and a file name");
    if (!request.equalize.empty() && image_format(request.equalize).empty())
        throw BadOption("--equalize accepts a file name that ends in .png or .jpg, not '" + request.equalize +
                        "'");
    require_outputs({{"csv", measuring.csv}, {"bins", request.bins}, {"equalize", request.equalize}},
                    {"image", request.image});
    return request;
}

/// @throws BadOption if there is no such image, or no memory for it.
Image read_or_make(const Request& request, const Device& device) {
    // The host has up to three copies of the image, and the simulator's device memory is also the host's.
    const std::size_t most = std::min(device.free_bytes / 2, host_memory_bytes() / 4);
    if (!request.image.empty()) {
        try {
            return read_image(request.image, most);
        } catch (const std::invalid_argument& error) {
            throw BadOption("--image accepts a PNG or JPEG image: " + std::string(error.what()));
        }
    }
    Image image{request.width, request.height, request.channels, {}};
    const std::size_t bytes = image.pixel_count() * image.channels;
    if (bytes > most)
        throw BadOption("--made accepts at most " + std::to_string(most / image.channels) +
                        " pixels, as many as fit in memory, not " + std::to_string(image.pixel_count()));
    for (const auto& input : named_bytes())
        if (request.measuring.input == input.name) image.pixels = input.make(bytes, request.measuring.seed);
    return image;
}

/// Prints a chart of each channel, four values per column.
void print_histograms(const Bins& bins) {
    constexpr std::size_t kColumns = 64, kRows = 4, kSteps = 8;
    static const char* const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    for (std::size_t first = 0; first < bins.size(); first += kBins) {
        std::array<unsigned long long, kColumns> columns{};
        for (std::size_t v = 0; v < kBins; ++v) columns[v * kColumns / kBins] += bins[first + v];
        const unsigned long long highest = *std::max_element(columns.begin(), columns.end());
        std::printf("\n%s, up to %llu pixels per column of 4 values\n",
                    channel_name(bins.size() / kBins, first / kBins), highest);
        for (std::size_t row = kRows; row-- > 0;) {
            std::printf("  ");
            for (const unsigned long long count : columns) {
                const double height =
                    static_cast<double>(count) / static_cast<double>(highest) * kRows * kSteps;
                // Every value that occurs is visible.
                const auto steps = count == 0 ? 0 : std::max<std::size_t>(1, std::lround(height));
                std::printf("%s", blocks[steps <= row * kSteps ? 0 : std::min(steps - row * kSteps, kSteps)]);
            }
            std::printf("\n");
        }
        std::printf("  0%*s\n", static_cast<int>(kColumns) - 1, "255");
    }
}

void write_bins_of_channels(const std::string& path, const Bins& bins) {
    std::string text = "channel,value,count\n";
    for (std::size_t b = 0; b < bins.size(); ++b)
        text += std::string(channel_name(bins.size() / kBins, b / kBins)) + "," + std::to_string(b % kBins) +
                "," + std::to_string(bins[b]) + "\n";
    write_output(path, text);
}

/// @brief Equalizes the image on the device, compares the result with the CPU's, and writes the image.
/// @param[in,out] image The image; equalized afterwards.
/// @return Whether the result was right.
template <unsigned int kChannels>
bool equalize(Image& image, const DeviceBuffer<Pixel<kChannels>>& d_pixels, const Bins& bins,
              const Request& request, const Device& device) {
    const std::vector<unsigned char> tables = equalizing_tables(bins, request.together);
    const DeviceBuffer<unsigned char> d_tables(tables.size());
    CUDA_CHECK(cudaMemcpy(d_tables.data(), tables.data(), tables.size(), cudaMemcpyHostToDevice));
    EventTimer timer;
    timer.start();
    map_channels(d_pixels.data(), d_pixels.size(), d_tables.data());
    const double seconds = timer.stop();

    std::vector<unsigned char> equalized(d_pixels.bytes());
    CUDA_CHECK(cudaMemcpy(equalized.data(), d_pixels.data(), equalized.size(), cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < equalized.size(); ++i)
        image.pixels[i] = tables[i % kChannels * kBins + image.pixels[i]];
    const bool right = image.pixels == equalized;
    image.pixels = std::move(equalized);
    std::printf("\nEqualized in %s%s: %s\n", format_seconds(seconds).c_str(), device.simulated ? " sim" : "",
                right ? "ok" : "WRONG: it differs from the CPU's result");
    write_image(request.equalize, image);
    return right;
}

/// Measures every variant on the image, and prints and writes what the options request.
/// @return The program's exit status: 1 if a result is wrong.
template <unsigned int kChannels>
int run(Image image, const Request& request, const Device& device) {
    std::vector<Pixel<kChannels>> pixels(image.pixel_count());
    std::memcpy(pixels.data(), image.pixels.data(), image.pixels.size());
    const DeviceBuffer<Pixel<kChannels>> d_pixels(pixels.size());
    Pinned pinned(pixels);
    CUDA_CHECK(cudaMemcpy(d_pixels.data(), pixels.data(), d_pixels.bytes(), cudaMemcpyHostToDevice));

    Options options = request.measuring;
    if (!request.image.empty()) options.input = request.image;
    VariantTable<Channels<kChannels>> table("04_coarsened", options, &device, pixels, d_pixels.data());
    for (const auto& variant : kChannelVariants<kChannels>) table.add(variant);
    table.add_cpu_baselines();
    table.add_copies(pinned, d_pixels.data());
    table.add_read_ceiling();
    table.add_cub();
    int status = table.measure_and_print();

    const Bins& bins = table.last_results();
    print_histograms(bins);
    if (!request.bins.empty()) write_bins_of_channels(request.bins, bins);
    if (!request.equalize.empty() && !equalize(image, d_pixels, bins, request, device)) status = 1;
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    return run_program([&] {
        const Request request = parse(argc, argv);
        const Device device = init_cuda();
        Image image = read_or_make(request, device);
        require_useful_grid(request.measuring.shape, image.pixel_count());
        switch (image.channels) {
            case 1: return run<1>(std::move(image), request, device);
            case 3: return run<3>(std::move(image), request, device);
            default: return run<4>(std::move(image), request, device);
        }
    });
}
