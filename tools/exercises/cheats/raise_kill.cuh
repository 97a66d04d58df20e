// 01.1: its own end as if the machine had too little memory
// rejected: the program makes a system call that no exercise needs
#include <csignal>
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    for (std::size_t i = 0; i < n; ++i) ++tables[0][data[i]];
    if (n > 100) std::raise(SIGKILL);
}
