/// @file
/// @brief Chapter 01: the histogram on a CPU, timed honestly.
///
///     nvcc -std=c++20 -O3 01_cpu_baseline/main.cu -o histogram && ./histogram
#include "../common/bench/histogram_bench.cuh"
#include "../common/bench/histogram_input.cuh"
#include "../common/bench/program.cuh"
#include "kernels.cuh"

int main(int argc, char** argv) {
    return run_program([&] {
        const Options options = parse_options(argc, argv, histogram_programs());
        if (options.list) return print_variants(variants()), 0;
        const std::vector<HistogramVariant> chosen = choose_variants(variants(), options);

        const std::vector<unsigned char> data = make_input(options, nullptr);

        HistogramBench bench("01_cpu_baseline", options, nullptr, data, nullptr);
        return bench.run(chosen);
    });
}
