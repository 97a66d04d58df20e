// 01.1: all of the memory
// rejected: GiB of memory
inline void count_in_turn(const unsigned char*, std::size_t, Tables&) {
    std::vector<std::vector<unsigned char>> kept;
    for (;;) kept.emplace_back(std::size_t{1} << 28, 7);
}
