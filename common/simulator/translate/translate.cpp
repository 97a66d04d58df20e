/// @file
/// @brief Translates a CUDA C++ file to plain C++: `translate INPUT OUTPUT`. With the headers of its own that
/// it includes, which may also be in folders: `translate --program INPUT FOLDER [INCLUDED_FOLDER...]`; with
/// `--cuda`, to CUDA C++ that clang reads.
#include <exception>
#include <iostream>
#include <string>

#include "programs/program.hpp"
#include "source_file.hpp"

int main(int argc, char** argv) {
    const std::string what = argv[argc > 1];
    const bool cuda = what == "--cuda", program = argc >= 4 && (cuda || what == "--program");
    if (argc != 3 && !program) {
        std::cerr << "usage: translate INPUT OUTPUT, or translate --program|--cuda INPUT FOLDER "
                     "[INCLUDED_FOLDER...]\n";
        return 2;
    }
    try {
        if (program)
            Program(cuda ? Program::To::cuda : Program::To::cpp, argv[3], {argv + 4, argv + argc})
                .translate_with_rule(argv[2]);
        else
            write_source(argv[2], translated_source(argv[1], Tokens(Lexer(read_source(argv[1])).tokens())));
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
