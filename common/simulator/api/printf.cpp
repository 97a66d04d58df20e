/// @file
/// @brief `printf`, `puts` and `putchar`, as kernels and host code call them.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "../grid/block.hpp"
#include "../platform/platform.hpp"

namespace sim {

/// Prints two texts for the running thread.
static void print(std::string_view first, std::string_view second = "") {
    {
        const Block::InSimulator here(*running_block);
        running_block->grid().prints = true;
        platform::print(first, second);
    }
    running_block->stop_if_due();
}

static int print_values(const char* format, va_list values) {
    if (running_block == nullptr) return std::vprintf(format, values);
    int bytes = 0;
    {
        const Block::InSimulator here(*running_block);
        char* text = nullptr;
        bytes = vasprintf(&text, format, values);
        if (bytes < 0) return bytes;
        running_block->grid().prints = true;
        platform::print({text, static_cast<std::size_t>(bytes)}, "");
        std::free(text);
    }
    running_block->stop_if_due();
    return bytes;
}

}  // namespace sim

// These replace the C library's functions. A compiler may turn `printf` into `puts` or `putchar`.

extern "C" int printf(const char* format, ...) {
    va_list values;
    va_start(values, format);
    const int bytes = sim::print_values(format, values);
    va_end(values);
    return bytes;
}

/// `printf` where a compiler defines _FORTIFY_SOURCE, as Ubuntu's does.
extern "C" int checked_printf(int, const char* format, ...) __asm__("__printf_chk");
int checked_printf(int, const char* format, ...) {
    va_list values;
    va_start(values, format);
    const int bytes = sim::print_values(format, values);
    va_end(values);
    return bytes;
}

extern "C" int puts(const char* s) {
    if (sim::running_block == nullptr) return std::fputs(s, stdout) < 0 ? EOF : std::fputc('\n', stdout);
    sim::print(s, "\n");
    return 1;
}

/// `putchar`, which <cstdio> may define inline.
extern "C" int print_character(int c) __asm__("putchar");
int print_character(int c) {
    if (sim::running_block == nullptr) return std::fputc(c, stdout);
    const char text = static_cast<char>(c);
    sim::print({&text, 1});
    return c;
}
