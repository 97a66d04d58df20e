// 01.1: its own end as if the machine had too little memory, by a number with 64 bits
// rejected: the program makes a system call that no exercise needs
#include <syscall.h>
#include <unistd.h>
inline void count_in_turn(const unsigned char*, std::size_t, Tables&) {
    syscall(SYS_tgkill, getpid(), gettid(), (1L << 32) + 9);
}
