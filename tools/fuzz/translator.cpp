/// @file
/// @brief Fuzzes the translator, which must keep every line of any source or refuse the source.
#include "../../common/simulator/translate/translator.hpp"

#include <algorithm>
#include <cstdlib>

#include "../../common/simulator/translate/programs/program.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string source(data, data + size);
    const std::vector<Token> tokens = Lexer(source).tokens();
    for (const bool from_elsewhere : {false, true}) {
        try {
            Tokens all = from_elsewhere ? Program(Program::To::cpp, "", {}).prepare(tokens) : Tokens(tokens);
            const std::string translated = Translator(std::move(all)).translate();
            if (std::count(translated.begin(), translated.end(), '\n') !=
                std::count(source.begin(), source.end(), '\n'))
                std::abort();
        } catch (const std::runtime_error&) {  // the source is refused
        }
    }
    return 0;
}
