/// @file
/// @brief Chapter 03 put to work: the joint histogram of two columns, and sums of weights.
///
///     ./course run 03 -- --joint --file points.csv
///     ./course run 03 -- --weighted --file points.csv
///
/// ./course reads these lines: it starts this program for the first option in each.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "../../common/bench/program.cuh"
#include "../../common/cuda/host_memory.hpp"
#include "../../common/problem/file.hpp"
#include "measuring/measure_joint.cuh"
#include "measuring/measure_weighted.cuh"
#include "options.hpp"
#include "pairs/made_pairs.hpp"
#include "pairs/pairs.hpp"

namespace {

/// @throws BadOption if the file can't be read or does not contain two columns of numbers.
Pairs<double> read_pairs(const ApplicationOptions& options, const Device& device) {
    try {
        const std::vector<unsigned char> bytes = read_file(options.file, device.free_bytes);
        return parse_pairs(options.file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                           options.columns);
    } catch (const std::invalid_argument& error) {
        throw BadOption("--file accepts a CSV file: " + std::string(error.what()));
    }
}

/// The weights as integers; empty unless all of them are integers from -2^53 to 2^53.
std::vector<long long> as_integers(const std::vector<double>& weights) {
    const auto is_whole = [](double weight) {
        return std::nearbyint(weight) == weight && std::fabs(weight) <= 0x1p53;
    };
    if (!std::all_of(weights.begin(), weights.end(), is_whole)) return {};
    return {weights.begin(), weights.end()};
}

int run_file(const ApplicationOptions& options, const Device& device) {
    const Pairs<double> pairs = read_pairs(options, device);
    require_useful_grid(options.shape, pairs.first.size());
    try {
        if (options.joint) return run_joint(pairs, options, device);
        return run_weighted(pairs, as_integers(pairs.second), options, device);
    } catch (const std::invalid_argument& error) {  // no axis or no fixed point suits these values
        throw BadOption(options.file + ": " + error.what());
    }
}

int run_made(const ApplicationOptions& options, const Device& device) {
    // A pair takes 8 bytes, and so do its two weights. The simulator's device memory is the host's.
    const std::size_t most = std::min(device.free_bytes / 16, host_memory_bytes() / 32);
    if (options.n > most)
        throw BadOption("--n accepts at most " + std::to_string(most) +
                        " pairs, as many as fit in memory, not " + std::to_string(options.n));
    require_useful_grid(options.shape, options.n);
    Pairs<float> pairs = make_pairs(options.input, options.n, options.seed);
    if (options.joint) return run_joint(pairs, options, device);
    MadeWeights weights = make_weights(options.n, options.seed);
    pairs.second = std::move(weights.spread);
    pairs.second_name = "weight";
    return run_weighted(pairs, weights.whole, options, device);
}

}  // namespace

int main(int argc, char** argv) {
    return run_program([&] {
        const ApplicationOptions options = parse_application_options(argc, argv);
        const Device device = init_cuda();
        return options.file.empty() ? run_made(options, device) : run_file(options, device);
    });
}
