// 01.1: a loop that ignores the end of its CPU time
// rejected: stopped after 30 seconds of CPU time
#include <csignal>
inline void count_in_turn(const unsigned char*, std::size_t, Tables&) {
    std::signal(SIGXCPU, SIG_IGN);
    for (;;) {}
}
