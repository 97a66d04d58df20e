/// @file
/// @brief Translates a CUDA C++ file to plain C++20: `translate INPUT OUTPUT`.
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "translator.hpp"

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: translate INPUT OUTPUT\n";
        return 2;
    }
    const std::string input_path = argv[1], output_path = argv[2];
    std::ifstream input(input_path, std::ios::binary);
    if (!input) {
        std::cerr << input_path << ": cannot be read\n";
        return 2;
    }
    const std::string source{std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
    try {
        const std::string translated = Translator(Lexer(source).tokens()).translate();
        std::ofstream output(output_path, std::ios::binary);
        output << "#line 1 " << std::quoted(input_path) << "\n" << translated;
        if (!output.flush()) throw std::runtime_error(" " + output_path + " cannot be written");
    } catch (const std::exception& error) {
        std::cerr << input_path << ":" << error.what() << "\n";
        return 1;
    }
}
