// 01.1: another program in place of this one
// rejected: the program makes a system call that no exercise needs
#include <unistd.h>
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    for (std::size_t i = 0; i < n; ++i) ++tables[0][data[i]];
    execl("/usr/bin/true", "true", static_cast<char*>(nullptr));
}
