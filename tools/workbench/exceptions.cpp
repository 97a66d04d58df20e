// What LLVM's sources for exceptions need from their library: memory, and the state of the exceptions that
// are being handled. A module has only one thread, and therefore only one such state.
#include <cstddef>
#include <cstdlib>

namespace __cxxabiv1 {
void* __aligned_malloc_with_fallback(std::size_t bytes) { return std::malloc(bytes); }
void __aligned_free_with_fallback(void* memory) { std::free(memory); }
void* __calloc_with_fallback(std::size_t count, std::size_t bytes) { return std::calloc(count, bytes); }
void __free_with_fallback(void* memory) { std::free(memory); }
}  // namespace __cxxabiv1

extern "C" void* __cxa_get_globals() {
    static void* globals[4];
    return globals;
}
extern "C" void* __cxa_get_globals_fast() { return __cxa_get_globals(); }
