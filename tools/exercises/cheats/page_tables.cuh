// 01.1: page tables for untouched memory, instead of the memory
// rejected: GiB of memory
inline void count_in_turn(const unsigned char*, std::size_t, Tables&) {
    constexpr std::size_t kBytes = std::size_t{1} << 33, kBytesOfTable = std::size_t{1} << 21;
    for (;;) {
        const volatile char* const block = new char[kBytes];
        for (std::size_t i = 0; i < kBytes; i += kBytesOfTable) (void)block[i];
    }
}
