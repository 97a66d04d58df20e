/// @file
/// @brief Chapter 01: the histogram on a CPU, carefully timed.
///
///     nvcc -std=c++20 -O3 01_cpu_baseline/main.cu -o histogram && ./histogram
#include "../common/bench/input.cuh"
#include "../common/bench/program.cuh"
#include "../common/bench/variant_table.cuh"
#include "../common/bench/variants.hpp"
#include "kernels.cuh"

int main(int argc, char** argv) {
    return run_program([&] {
        const Options options = parse_options<Histogram>(argc, argv);
        if (options.list) return print_variants(kVariants), 0;
        const std::vector<Variant<Histogram>> chosen = choose_variants(kVariants, options);

        const std::vector<unsigned char> data = make_input<Histogram>(options, nullptr);

        VariantTable<Histogram> table("01_cpu_baseline", options, nullptr, data, nullptr);
        for (const Variant<Histogram>& variant : chosen) table.add(variant);
        table.compare_with("sequential", "all cores");
        return table.measure_and_print();
    });
}
