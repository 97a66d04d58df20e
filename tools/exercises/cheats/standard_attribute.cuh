// 01.1: an attribute behind one that is allowed
// rejected: this attribute is not allowed in an exercise
[[maybe_unused, gnu::section(".preinit_array")]] static void (*const kFirst)() = nullptr;
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    for (std::size_t i = 0; i < n; ++i) ++tables[0][data[i]];
}
