// 01.1: the memory of this process, by /proc
// rejected: the program makes a system call that no exercise needs
#include <cstdio>
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    for (std::size_t i = 0; i < n; ++i) ++tables[0][data[i]];
    std::fopen("/proc/self/mem", "r+");
}
