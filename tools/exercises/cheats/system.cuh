// 01.1: a shell command
// rejected: the program makes a system call that no exercise needs
#include <cstdlib>
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    for (std::size_t i = 0; i < n; ++i) ++tables[0][data[i]];
    static_cast<void>(std::system("touch /tmp/pwned"));
}
