// Stand-ins for what the checks call and WebAssembly lacks: processes, pipes, signal handlers and mappings.
// Each call fails.
#pragma once

#ifdef __cplusplus
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <setjmp.h>
#include <unistd.h>

enum {
    PROT_NONE,
    PROT_READ,
    PROT_WRITE,
    MAP_PRIVATE = 0,
    MAP_ANONYMOUS = 0,
    MAP_NORESERVE = 0,
    RUSAGE_THREAD = 1
};
#define MAP_FAILED (reinterpret_cast<void*>(-1))
#define CLOCK_PROCESS_CPUTIME_ID CLOCK_MONOTONIC
#define CLOCK_THREAD_CPUTIME_ID CLOCK_MONOTONIC
#define WIFEXITED(status) ((status) == 0)
#define WEXITSTATUS(status) (status)
#define WTERMSIG(status) (status)

struct rusage {
    long ru_nvcsw, ru_nivcsw;
};
struct rlimit {
    unsigned long long rlim_cur, rlim_max;
};
enum { RLIMIT_AS };
struct siginfo_t {
    void* si_addr;
};
struct sigaction {
    void (*sa_handler)(int);
    void (*sa_sigaction)(int, siginfo_t*, void*);
    int sa_flags;
};
enum { SA_SIGINFO = 1, SA_ONSTACK = 2, SA_NODEFER = 4, SA_RESETHAND = 8 };

#undef sigsetjmp
#define sigsetjmp(environment, mask) 0
#define siglongjmp(environment, value) std::abort()
#define getpid() 1
inline std::FILE* stderr_of_checks = stderr;
#undef stderr
#define stderr stderr_of_checks

inline int not_here() { return errno = ENOSYS, -1; }
inline void* mmap(void*, std::size_t, int, int, int, long long) { return not_here(), MAP_FAILED; }
inline int munmap(void*, std::size_t) { return not_here(); }
inline int mprotect(void*, std::size_t, int) { return not_here(); }
inline int fork() { return not_here(); }
inline int pipe(int*) { return not_here(); }
inline int dup2(int, int) { return not_here(); }
inline int waitpid(int, int*, int) { return not_here(); }
inline int getrusage(int, rusage*) { return not_here(); }
inline int getrlimit(int, rlimit*) { return not_here(); }
inline int setrlimit(int, const rlimit*) { return not_here(); }
inline int sigaction(int, const struct sigaction*, struct sigaction*) { return not_here(); }
inline std::FILE* popen(const char*, const char*) { return not_here(), nullptr; }
inline std::FILE* fopencookie(void*, const char*, cookie_io_functions_t) { return not_here(), nullptr; }
inline unsigned int alarm(unsigned int) { return 0; }
inline int kill(int, int) { return not_here(); }
template <typename... Words>
int execl(Words...) {
    return not_here();
}
extern "C" inline int flock(int, int) { return not_here(); }
extern "C" inline const char* course_commit() {
    return "unknown";
}  // elsewhere, the build generates this function
inline int pclose(std::FILE*) { return not_here(); }
#endif
