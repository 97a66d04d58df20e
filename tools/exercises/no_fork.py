#!/usr/bin/python3
"""Prints a filter of system calls, see seccomp(2): threads may be started, processes may not.

A limit on the number of processes would not hold for root, and watching /proc is too slow. Only the system's own Python
has the distribution's module for libseccomp.
"""

import errno
import sys

import seccomp

CLONE_VM, CLONE_VFORK = 0x100, 0x4000

no_fork = seccomp.SyscallFilter(seccomp.ALLOW)
no_fork.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)  # calls by another machine's numbers
refused = seccomp.ERRNO(errno.EPERM)
no_fork.add_rule(refused, "fork")
no_fork.add_rule(refused, "vfork")
no_fork.add_rule(refused, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_VM, 0))
no_fork.add_rule(refused, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_VFORK, CLONE_VFORK))
no_fork.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")  # its flags can't be seen; libc then calls clone
no_fork.export_bpf(sys.stdout)
