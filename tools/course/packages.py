"""Finds the packages that a command needs, and installs the missing ones with apt."""

import glob
import os
import shlex
import shutil
import subprocess
import sys

from console import ROOT, fail, say

LIST = ROOT / "tools" / "course" / "packages.txt"


def is_there(sign):
    """Whether a command, a header or a library is available, from a package or from elsewhere."""
    compiler = shlex.split(os.environ.get("CXX", "")) or ["c++"]

    def said(*command, **options):
        try:
            return subprocess.run(command, capture_output=True, text=True, check=False, **options)
        except OSError:
            return None

    if "|" in sign:
        return any(map(is_there, sign.split("|")))
    if sign.startswith("/"):
        return bool(glob.glob(sign))
    if sign.endswith((".h", ".hpp")):
        done = said(*compiler, "-E", "-xc++", "-", input=f"#if !__has_include(<{sign}>)\n#error\n#endif\n")
        return done is not None and done.returncode == 0
    if sign.startswith("libclang_rt."):
        done = said("clang", "-print-runtime-dir")
        return done is not None and bool(glob.glob(f"{glob.escape(done.stdout.strip())}/{sign}*"))
    if sign.endswith(".so"):
        done = said(*compiler, f"-print-file-name={sign}")
        return done is not None and os.path.exists(done.stdout.strip())
    return shutil.which(compiler[0] if sign == "c++" else sign) is not None


def missing(users):
    """The missing packages among those that any of `users` needs; of all if there is no `users`."""
    try:
        rows = [line.split() for line in LIST.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    except OSError:
        fail(1, "there is no tools/course/packages.txt: get the whole repository")
    return [package for package, names, *signs in filter(None, rows)
            if (not users or users & set(names.split(","))) and not all(map(is_there, signs))]


def can_become_root():
    if os.geteuid() == 0 or shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0:
        return True
    # It asks for the password.
    return bool(shutil.which("sudo")) and sys.stdin.isatty() and subprocess.run(["sudo", "-v"], check=False).returncode == 0


def apt_get(*words):
    root = [] if os.geteuid() == 0 else ["sudo"]
    return subprocess.run([*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "--no-install-recommends", "-o",
                           "DPkg::Lock::Timeout=300", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)


def set_up(users, may_install):
    """Installs what is missing; where it may not, it only says how to."""
    packages = missing(users)
    if not packages:
        return
    say("Missing:", *packages)
    if not shutil.which("apt-get"):
        fail(1, "without apt-get, install them by hand (the names are Debian's)")
    if not may_install or not can_become_root():
        by_hand = f"apt-get update && apt-get install -y {' '.join(packages)}"
        if os.geteuid() != 0:
            by_hand = f"{'sudo sh' if shutil.which('sudo') else 'su'} -c '{by_hand}'"
        fail(1, f"nothing was installed; to install them, type\n  {by_hand}")
    say("Installing with apt-get (a minute or two) ...")
    log = apt_get("update").stdout  # without one of several sources, the packages may still be found
    done = apt_get("install", *packages)
    if done.returncode != 0:
        say(log + done.stdout)
        fail(1, "apt-get could not install them; its log is above")
    if packages := missing(users):
        fail(1, "installed, but still not found:", *packages)
