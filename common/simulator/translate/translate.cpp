/// @file
/// @brief Translates CUDA C++ files.
///
///     translate INPUT OUTPUT
///         translates one file to plain C++
///     translate --program INPUT FOLDER [INCLUDED_FOLDER...]
///         also translates the program's own headers, which may be in the included folders
///     translate --cuda INPUT FOLDER [INCLUDED_FOLDER...]
///         also translates the program's own headers, to CUDA C++ that clang can read
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
