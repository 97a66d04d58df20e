// 01.1: a status that bubblewrap has for a process that was killed
// rejected: the program makes a system call that no exercise needs
#include <cstdlib>
inline void count_in_turn(const unsigned char*, std::size_t, Tables&) { std::exit(137); }
