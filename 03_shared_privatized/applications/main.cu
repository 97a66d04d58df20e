/// @file
/// @brief Chapter 03 put to work: the joint histogram of two columns, and sums of weights.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "../../common/bench/program.cuh"
#include "../../common/cuda/host_memory.hpp"
#include "../../common/problem/input.hpp"
#include "joint_report.cuh"
#include "made_pairs.hpp"
#include "options.hpp"
#include "pairs.hpp"
#include "weighted_report.cuh"

namespace {

/// @throws BadOption if the file can't be had, or holds something else than two columns of numbers.
Pairs<double> read_pairs(const ApplicationOptions& options, const Device& device) {
    try {
        return parse_pairs(options.file, read_file(options.file, device.free_bytes), options.format);
    } catch (const std::invalid_argument& error) {
        throw BadOption("--file takes a CSV file: " + std::string(error.what()));
    }
}

void require_memory(const ApplicationOptions& options, const Device& device) {
    // A pair takes 8 bytes, and so do its weights of two kinds; the simulator's device memory is the host's.
    const std::size_t most = std::min(device.free_bytes / 16, host_memory_bytes() / 32);
    if (options.n > most)
        throw BadOption("--n takes at most " + std::to_string(most) +
                        " pairs, for which there is memory, not " + std::to_string(options.n));
}

int run_joint(const ApplicationOptions& options, const Device& device) {
    if (!options.file.empty()) return JointReport<double>(read_pairs(options, device), options, device).run();
    return JointReport<float>(make_pairs(options.input, options.n, options.seed), options, device).run();
}

int run_weighted(const ApplicationOptions& options, const Device& device) {
    if (!options.file.empty()) {
        const Pairs<double> pairs = read_pairs(options, device);
        std::vector<long long> whole;
        const auto is_whole = [](double weight) {
            return std::nearbyint(weight) == weight && std::fabs(weight) <= 0x1p53;
        };
        if (std::all_of(pairs.second.begin(), pairs.second.end(), is_whole))
            whole.assign(pairs.second.begin(), pairs.second.end());
        return WeightedReport<double>(pairs, whole, options, device).run();
    }
    Pairs<float> pairs = make_pairs(options.input, options.n, options.seed);
    MadeWeights weights = make_weights(options.n, options.seed);
    pairs.second = std::move(weights.spread);
    pairs.second_name = "weight";
    return WeightedReport<float>(pairs, weights.whole, options, device).run();
}

}  // namespace

int main(int argc, char** argv) {
    return run_program([&] {
        const ApplicationOptions options = parse_application_options(argc, argv);
        const Device device = init_cuda();
        if (options.file.empty()) require_memory(options, device);
        return options.weighted ? run_weighted(options, device) : run_joint(options, device);
    });
}
