/// @file
/// @brief Tells the simulator whether a program's kernels and the host use memory at the same time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../lexer.hpp"

/// A program whose kernels and host use memory at the same time polls a flag, or orders its accesses by
/// system-wide fences and atomics.
/// @return What to write before a file that contains a word of such code; empty for any other file.
inline std::string memory_sharing(const std::vector<Token>& tokens) {
    constexpr std::string_view kWords[] = {"volatile", "atomic", "atomic_ref", "__threadfence_system",
                                           "thread_scope_system"};
    constexpr std::string_view kEnds = "_system", kBegins = "__atomic_";
    for (const Token& token : tokens) {
        if (token.kind != Token::word) continue;
        const std::string_view word = token.text;
        const bool is_atomic = word.starts_with("atomic") && word.ends_with(kEnds);
        bool shares = is_atomic || word.starts_with(kBegins);
        for (const std::string_view each : kWords) shares = shares || word == each;
        if (shares)
            return "#ifndef SIM_SHARES_MEMORY\n#define SIM_SHARES_MEMORY\n"
                   "inline const bool sim_shares_memory = ::sim::share_memory();\n#endif\n";
    }
    return {};
}
