/// @file
/// @brief Fuzzes the reader of pairs, which must read finite numbers or refuse the text in one line.
#include <cctype>

#include "../../03_shared_privatized/applications/pairs/pairs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const char* const columns : {"", "y,x"}) {
        try {
            const Pairs<double> pairs = parse_pairs("file", text, columns);
            const auto finite = [](double value) { return std::isfinite(value); };
            if (pairs.first.size() != pairs.second.size() ||
                !std::all_of(pairs.first.begin(), pairs.first.end(), finite) ||
                !std::all_of(pairs.second.begin(), pairs.second.end(), finite))
                std::abort();
        } catch (const BadOption& error) {
            for (const char* c = error.what(); *c != 0; ++c)
                if (std::iscntrl(static_cast<unsigned char>(*c)) != 0) std::abort();
        }
    }
    return 0;
}
