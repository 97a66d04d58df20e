#!/usr/bin/python3
"""Prints a filter of system calls, see seccomp(2), for a process that runs a student's code (common/exercise/lock.cpp).

The process may compute, use private memory, start threads, read files, and use descriptors that are already open. Any other
call ends it. This runs with the system's own Python, which alone has the distribution's module for libseccomp.
"""

import errno
import fcntl
import os
import signal
import sys

import seccomp

ALLOWED = """
    read write readv writev pread64 lseek close fstat newfstatat stat lstat access faccessat readlink readlinkat getdents64 getcwd
    munmap mprotect madvise mincore brk rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack
    sched_yield sched_getaffinity nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday futex set_robust_list rseq
    gettid getpid getppid getuid geteuid getgid getegid uname sysinfo getrandom arch_prctl set_tid_address membarrier
    timer_create timer_settime timer_delete alarm setitimer getrlimit restart_syscall pipe pipe2""".split()
CLONE_THREAD, CLONE_VFORK = 0x10000, 0x4000
MAP_TYPE, MAP_PRIVATE = 0xf, 2
PR_SET_NAME = 15
INT = 0xffffffff  # the bits of an argument that the kernel reads as an int
OWN_PROCESS = 0x504944  # common/exercise/lock.cpp replaces it by the process's id; no process can have this one
# Signals by which the C++ library, the simulator or a sanitizer ends its process. Not SIGKILL: it counts as too little memory.
OWN_SIGNALS = (signal.SIGABRT, signal.SIGFPE, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGTRAP, signal.SIGXCPU)

calls = seccomp.SyscallFilter(seccomp.KILL_PROCESS)
calls.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)  # calls by another architecture's numbers
for name in ALLOWED:
    calls.add_rule(seccomp.ALLOW, name)
for name in ("open", "openat"):  # for reading
    writes = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    calls.add_rule(seccomp.ALLOW, name, seccomp.Arg(int(name == "openat") + 1, seccomp.MASKED_EQ, writes, os.O_RDONLY))
calls.add_rule(seccomp.ALLOW, "mmap", seccomp.Arg(3, seccomp.MASKED_EQ, MAP_TYPE, MAP_PRIVATE))  # no limit counts shared memory
calls.add_rule(seccomp.ALLOW, "mremap", seccomp.Arg(1, seccomp.NE, 0))  # a size of 0 maps the same memory twice
calls.add_rule(seccomp.ALLOW, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_THREAD | CLONE_VFORK, CLONE_THREAD))
calls.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")  # a filter can't see its flags; libc then calls clone
calls.add_rule(seccomp.ALLOW, "prlimit64", seccomp.Arg(2, seccomp.EQ, 0))  # may only read the limits
for command in (fcntl.F_GETFL, fcntl.F_GETFD, fcntl.F_SETFD):
    calls.add_rule(seccomp.ALLOW, "fcntl", seccomp.Arg(1, seccomp.MASKED_EQ, INT, command))
for number in OWN_SIGNALS:
    calls.add_rule(seccomp.ALLOW, "tgkill", seccomp.Arg(0, seccomp.MASKED_EQ, INT, OWN_PROCESS), seccomp.Arg(2, seccomp.MASKED_EQ, INT, number))
for name in ("exit", "exit_group"):
    calls.add_rule(seccomp.ALLOW, name, seccomp.Arg(0, seccomp.MASKED_EQ, 128, 0))  # more is bubblewrap's status for a signal
calls.add_rule(seccomp.ALLOW, "prctl", seccomp.Arg(0, seccomp.EQ, PR_SET_NAME))
for name in ("prctl", "ioctl"):  # libraries call these to name memory, or to see if standard output is a terminal, and accept failure
    calls.add_rule(seccomp.ERRNO(errno.EPERM), name, *[seccomp.Arg(0, seccomp.NE, PR_SET_NAME)] * (name == "prctl"))
calls.export_bpf(sys.stdout)
