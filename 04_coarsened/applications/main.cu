/// @file
/// @brief Chapter 04 at work: counts the channels of an image and equalizes it.
///
///     ./course run 04 -- --image photo.jpg --equalize out.png
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>

#include "../../common/bench/bench.cuh"
#include "../../common/bench/histogram_input.cuh"
#include "../../common/bench/histogram_report.hpp"
#include "../../common/bench/picture.hpp"
#include "../../common/bench/program.cuh"
#include "../../common/problem/verify.hpp"
#include "channels.cuh"
#include "cub_channels.cuh"
#include "image.hpp"

namespace {

/// What the command line asks for, besides what all programs that measure have.
struct Request {
    std::string image;                        ///< file to read
    std::size_t width = 4000, height = 3000;  ///< of an image that is made instead
    unsigned int channels = 3;                ///< of the same
    bool made = false;                        ///< whether anything was said of it
    std::string equalize, picture, bins;      ///< files to write
    bool together = false;
    Options measuring;
};

Request parse(int argc, char** argv) {
    Request request;
    Options& measuring = request.measuring;
    measuring.input = "uniform";
    CommandLine line;
    line.text("image", "PATH", "the PNG or JPEG image to count", request.image);
    line.text("equalize", "PATH", "write it equalized, as .png or .jpg", request.equalize);
    line.flag("together", "equalize by one table for all colours, which keeps grey grey", request.together);
    line.text("picture", "PATH", "draw the histograms, as .svg or .png", request.picture);
    line.text("bins", "PATH", "write them as lines of channel,value,count ('-': to standard output)",
              request.bins);
    line.add({"made", "WxH", "instead of a file, make an image of this size (default 4000x3000)",
              [&](const std::string& size) {
                  const std::size_t x = size.find('x');
                  if (x == std::string::npos)
                      throw BadOption("--made takes a width and a height, such as 4000x3000, not '" + size +
                                      "'");
                  request.width = parse_number("made", size.substr(0, x), 1, 1u << 24);
                  request.height = parse_number("made", size.substr(x + 1), 1, 1u << 24);
                  request.made = true;
              }});
    line.add(
        {"channels", "NUMBER", "1, 3 or 4 bytes a pixel of it (default 3)", [&](const std::string& given) {
             if (given != "1" && given != "3" && given != "4")
                 throw BadOption("--channels takes 1, 3 or 4, not '" + given + "'");
             request.channels = static_cast<unsigned int>(given[0] - '0');
             request.made = true;
         }});
    const ProgramKind kind = histogram_programs();
    line.add(input_option(kind, measuring, request.made));
    line.number("seed", "NUMBER", "another seed, another image (default 1)", measuring.seed, 0,
                std::numeric_limits<std::uint64_t>::max());
    add_measuring_options(line, measuring);
    line.parse(argc, argv);

    if (!request.image.empty() && request.made)
        throw BadOption("--image takes the whole file: leave out --made, --channels and --input");
    if (request.together && request.equalize.empty())
        throw BadOption("--together says how to equalize: give --equalize a file, too");
    if (!request.equalize.empty() && image_format(request.equalize).empty())
        throw BadOption("--equalize takes a file name that ends in .png or .jpg, not '" + request.equalize +
                        "'");
    if (!request.picture.empty()) require_picture("picture", request.picture);
    return request;
}

/// @throws BadOption if there is no such image, or no memory for it.
Image read_or_make(const Request& request, const Device& device) {
    // On the simulator, device memory is the host's, and the image is there three times.
    const std::size_t most = device.simulated ? device.free_bytes / 3 : device.free_bytes / 2;
    if (!request.image.empty()) {
        try {
            return read_image(request.image, most);
        } catch (const std::invalid_argument& error) {
            throw BadOption("--image takes a PNG or JPEG image: " + std::string(error.what()));
        }
    }
    Image image{request.width, request.height, request.channels, {}};
    const std::size_t bytes = image.pixel_count() * image.channels;
    if (bytes > most)
        throw BadOption("--made takes at most " + std::to_string(most / image.channels) +
                        " pixels, for which this device has memory, not " +
                        std::to_string(image.pixel_count()));
    for (const NamedInput& input : named_inputs())
        if (request.measuring.input == input.name) image.pixels = input.make(bytes, request.measuring.seed);
    return image;
}

const char* channel_name(unsigned int channels, unsigned int channel) {
    static const char* const names[] = {"red", "green", "blue", "alpha"};
    return channels == 1 ? "grey" : names[channel];
}

/// The plain loop, to compare with.
Bins reference_channels(const Image& image) {
    Bins bins(image.channels * kBins, 0);
    std::size_t i = 0;
    for (std::size_t pixel = 0; pixel < image.pixel_count(); ++pixel)
        for (unsigned int c = 0; c < image.channels; ++c) ++bins[c * kBins + image.pixels[i++]];
    return bins;
}

/// @brief Times and verifies every variant, and prints the rows.
/// @param[in,out] bins The counts to expect; those of the last variant afterwards.
/// @return Whether all were right.
bool count(const Image& image, const unsigned char* d_pixels, Bins& bins, const Options& options,
           const Device& device, const std::string& what, double copy_seconds) {
    const std::vector<ChannelVariant> variants = channel_variants(image.channels);
    const DeviceBuffer<unsigned long long> d_bins(bins.size());
    std::vector<std::string> wrong(variants.size());
    Bins counted;
    std::vector<Job> jobs;
    for (std::size_t v = 0; v < variants.size(); ++v) {
        Job job;
        job.name = variants[v].name;
        job.before = [&] { CUDA_CHECK(cudaMemset(d_bins.data(), 0xA5, d_bins.bytes())); };
        job.run = [&, v] { variants[v].run(d_pixels, image.pixel_count(), d_bins.data(), options.shape); };
        job.after = [&, v] {
            counted = d_bins.to_host();
            if (const auto difference = verify_bin_by_bin(counted, bins)) wrong[v] = *difference;
        };
        jobs.push_back(job);
    }
    Yardsticks yardsticks;
    yardsticks.cpu_sequential = [&] { bins = reference_channels(image); };
    if (!device.simulated) {
        yardsticks.read_ceiling = [reader = std::make_shared<Reader>(d_pixels, image.pixels.size())] {
            reader->read_once();
        };
        yardsticks.cub = cub_channels(d_pixels, image.pixel_count(), bins);
    }
    Row blank = common_row("04_coarsened", options, image.pixel_count(), image.pixels.size(), copy_seconds);
    blank.input = what;
    std::vector<Row> rows = measure_rows(jobs, yardsticks, blank, options, &device);
    for (std::size_t v = 0; v < variants.size(); ++v)
        rows[v].verdict = wrong[v].empty() ? "ok" : "WRONG: " + wrong[v];

    for (const Row& row : rows) print_row(row);
    write_rows(rows, options.csv, options.json);
    bins = counted;
    return std::all_of(wrong.begin(), wrong.end(), [](const std::string& w) { return w.empty(); });
}

/// Prints a chart of each channel, four values a column.
void print_histograms(const Bins& bins) {
    constexpr std::size_t kColumns = 64, kRows = 4, kSteps = 8;
    static const char* const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const auto channels = static_cast<unsigned int>(bins.size() / kBins);
    for (unsigned int c = 0; c < channels; ++c) {
        std::array<unsigned long long, kColumns> columns{};
        for (std::size_t v = 0; v < kBins; ++v) columns[v * kColumns / kBins] += bins[c * kBins + v];
        const unsigned long long highest = *std::max_element(columns.begin(), columns.end());
        std::printf("\n%s, up to %llu pixels a column of 4 values\n", channel_name(channels, c), highest);
        for (std::size_t row = kRows; row-- > 0;) {
            std::string line = "  ";
            for (const unsigned long long count : columns) {
                const double height =
                    static_cast<double>(count) / static_cast<double>(highest) * kRows * kSteps;
                // What occurs at all is seen.
                const auto steps = count == 0 ? 0 : std::max<std::size_t>(1, std::lround(height));
                line += blocks[steps <= row * kSteps ? 0 : std::min(steps - row * kSteps, kSteps)];
            }
            std::printf("%s\n", line.c_str());
        }
        std::printf("  0%*s\n", static_cast<int>(kColumns) - 1, "255");
    }
}

void write_bins_of_channels(const std::string& path, const Bins& bins) {
    const auto channels = static_cast<unsigned int>(bins.size() / kBins);
    std::string text = "channel,value,count\n";
    for (std::size_t b = 0; b < bins.size(); ++b)
        text += std::string(channel_name(channels, static_cast<unsigned int>(b / kBins))) + "," +
                std::to_string(b % kBins) + "," + std::to_string(bins[b]) + "\n";
    write_text(path, text);
}

/// Draws a line for each channel, in its colour.
void draw_histograms(const std::string& path, const Bins& bins, const std::string& what) {
    const auto channels = static_cast<unsigned int>(bins.size() / kBins);
    static const char* const colors[] = {"#d02020", "#209020", "#2040d0", "#808080"};
    std::string script = "$counts << EOD\n";
    for (std::size_t v = 0; v < kBins; ++v) {
        script += std::to_string(v);
        for (unsigned int c = 0; c < channels; ++c) script += " " + std::to_string(bins[c * kBins + v]);
        script += "\n";
    }
    script += "EOD\nset title " + gnuplot_quoted(what) +
              "\nset xlabel 'value'\nset ylabel 'pixels'\nset xrange [0:256]\nset xtics 32\nset yrange [0:]\n"
              "set format y '%.0f'\nset grid lc rgb '#e0e0e0'\nset key top right\nplot ";
    for (unsigned int c = 0; c < channels; ++c)
        script += std::string(c == 0 ? "" : ", ") + "$counts using 1:" + std::to_string(c + 2) +
                  " with lines lw 1.5 lc rgb '" + colors[channels == 1 ? 3 : c] + "' title '" +
                  channel_name(channels, c) + "'";
    draw_picture(path, 800, 400, script);
}

/// @brief Equalizes the image on the device, compares with the CPU, and writes it.
/// @return Whether it was right.
bool equalize(Image image, const DeviceBuffer<unsigned char>& d_pixels, const Bins& bins,
              const Request& request, const Device& device) {
    const std::vector<unsigned char> tables = equalizing_tables(bins, request.together);
    const DeviceBuffer<unsigned char> d_tables(tables.size());
    CUDA_CHECK(cudaMemcpy(d_tables.data(), tables.data(), tables.size(), cudaMemcpyHostToDevice));
    EventTimer timer;
    timer.start();
    map_channels(d_pixels.data(), image.pixel_count(), image.channels, d_tables.data());
    const double seconds = timer.stop();

    std::vector<unsigned char> expected = std::move(image.pixels);
    for (std::size_t i = 0; i < expected.size(); ++i)
        expected[i] = tables[i % image.channels * kBins + expected[i]];
    image.pixels = d_pixels.to_host();
    const bool right = image.pixels == expected;
    std::printf("\nEqualized in %s%s: %s\n", format_seconds(seconds).c_str(), device.simulated ? " sim" : "",
                right ? "ok" : "WRONG: not what the CPU makes of it");
    write_image(request.equalize, image);
    return right;
}

}  // namespace

int main(int argc, char** argv) {
    return run_program([&] {
        const Request request = parse(argc, argv);
        const Device device = init_cuda();
        const Image image = read_or_make(request, device);
        const std::string what = request.image.empty() ? request.measuring.input : request.image;

        const DeviceBuffer<unsigned char> d_pixels(image.pixels.size());
        EventTimer copy;
        copy.start();
        CUDA_CHECK(
            cudaMemcpy(d_pixels.data(), image.pixels.data(), d_pixels.bytes(), cudaMemcpyHostToDevice));
        const double copy_seconds = copy.stop();

        std::printf("\nHistograms of %zu x %zu pixels of %u channel%s (%s), %s\n", image.width, image.height,
                    image.channels, image.channels == 1 ? "" : "s", what.c_str(), device.name.c_str());
        print_table_heading(copy_seconds, &device);
        Bins bins = reference_channels(image);
        bool right = count(image, d_pixels.data(), bins, request.measuring, device, what, copy_seconds);
        print_histograms(bins);
        if (!request.bins.empty()) write_bins_of_channels(request.bins, bins);
        if (!request.picture.empty()) draw_histograms(request.picture, bins, what);
        if (!request.equalize.empty()) right = equalize(image, d_pixels, bins, request, device) && right;
        return right ? 0 : 1;
    });
}
