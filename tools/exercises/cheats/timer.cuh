// 01.1: its own end as if the machine had too little memory, by a timer
// rejected: the program was ended by SIGKILL
#include <csignal>
#include <ctime>
inline void count_in_turn(const unsigned char*, std::size_t, Tables&) {
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGKILL;
    timer_t timer;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    itimerspec soon{};
    soon.it_value.tv_nsec = 1;
    timer_settime(timer, 0, &soon, nullptr);
    for (;;) {}
}
