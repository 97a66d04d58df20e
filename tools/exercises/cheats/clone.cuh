// 01.1: a child process, by the system call clone
// rejected: the program makes a system call that no exercise needs
#include <syscall.h>
#include <unistd.h>
#include <csignal>
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    for (std::size_t i = 0; i < n; ++i) ++tables[0][data[i]];
    if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0) _exit(0);
}
