/// @file
/// @brief Translates a CUDA C++ file to plain C++: `translate INPUT OUTPUT`. With the headers that it
/// includes by `#include "…"`: `translate --program INPUT FOLDER`.
#include <exception>
#include <iostream>
#include <string>

#include "programs/program.hpp"
#include "source_file.hpp"

int main(int argc, char** argv) {
    const bool program = argc == 4 && std::string(argv[1]) == "--program";
    if (argc != 3 && !program) {
        std::cerr << "usage: translate INPUT OUTPUT, or translate --program INPUT FOLDER\n";
        return 2;
    }
    try {
        if (program)
            Program(argv[3]).translate_with_rule(argv[2]);
        else
            write_source(argv[2], translated_source(argv[1], Tokens(Lexer(read_source(argv[1])).tokens())));
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
