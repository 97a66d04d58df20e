"""Finds the packages that a command needs, and installs missing packages with apt or dnf."""

import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
from typing import NamedTuple

from console import ROOT, fail, say
from terminal import COLUMNS, filled

LIST = ROOT / "tools" / "course" / "packages.txt"
INSTALLS = {"apt-get": "apt-get install -y", "dnf": "dnf install -y", "pacman": "pacman -S --needed", "brew": "brew install"}
# Debian's names, and the names in sources.cmake, of packages that can be built where nothing can be installed.
FROM_SOURCE = {"catch2": "Catch2", "libcsv-dev": "libcsv", "ninja-build": "ninja"}


class Package(NamedTuple):
    names: list  # for each of INSTALLS; "-": there is none
    users: set  # what needs it: commands, and words such as "build" (packages.txt)
    signs: list  # commands, headers and libraries; the package is there if all are

    def name(self):
        """The package's name for this machine's package manager; Debian's name if there is none."""
        by_manager = self.names[list(INSTALLS).index(manager())] if manager() else "-"
        return by_manager if by_manager != "-" else self.names[0]


def manager():
    return next(filter(shutil.which, INSTALLS), None)


def place(sign):
    """Where a command, a header or a library is, from a package or from elsewhere; nothing if it is missing."""
    compiler = shlex.split(os.environ.get("CXX", "")) or ["c++"]

    def said(*command, stderr=subprocess.DEVNULL):
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, text=True, check=False)
            return done.stdout if done.returncode == 0 else ""
        except OSError:
            return ""

    if "|" in sign:
        return next(filter(None, map(place, sign.split("|"))), None)
    if sign.startswith("/"):
        return next(iter(glob.glob(sign)), None)
    if sign.endswith((".h", ".hpp")):
        folders = re.findall(r"^ (.+)$", said(*compiler, "-E", "-v", "-xc++", "-", stderr=subprocess.STDOUT), re.MULTILINE)
        return next(filter(os.path.exists, (f"{folder}/{sign}" for folder in folders)), None)
    if sign.startswith("libclang_rt."):
        return next(iter(glob.glob(f"{glob.escape(said('clang', '-print-runtime-dir').strip())}/{sign}*")), None)
    if sign.endswith(".so"):
        path = said(*compiler, f"-print-file-name={sign}").strip()
        return path if os.path.exists(path) else None
    return shutil.which(compiler[0] if sign == "c++" else sign)


def listed():
    """The packages in packages.txt."""
    try:
        rows = [line.split() for line in LIST.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    except OSError:
        fail(1, "tools/course/packages.txt is missing: clone the whole repository")
    count = len(INSTALLS)
    return [Package(row[:count], set(row[count].split(",")), row[count + 1:]) for row in filter(None, rows)]


def missing(users, headers=()):
    """The missing packages among those that any of `users` needs, or that applications which include `headers` need; among all
    packages if `users` is empty."""
    needed = [package for package in listed() if not users or users & package.users
              or "applications" in package.users and package.signs[0] in headers]
    return [package for package in needed if not all(map(place, package.signs))]


def can_become_root(may_ask=True):
    if os.geteuid() == 0 or shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0:
        return True
    # sudo -v asks for the password.
    return may_ask and bool(shutil.which("sudo")) and sys.stdin.isatty() and subprocess.run(["sudo", "-v"], check=False).returncode == 0


def as_root(*words):
    root = [] if os.geteuid() == 0 else ["sudo"]
    return subprocess.run([*root, "env", "DEBIAN_FRONTEND=noninteractive", *words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)


def offered(names):
    """The packages among `names` that apt knows; all of them if apt knows none, as before its first update. A release of Debian
    or Ubuntu may lack a package, and apt installs nothing if it doesn't know one of the names."""
    if manager() != "apt-get":
        return names
    shown = subprocess.run(["apt-cache", "show", "--no-all-versions", *names], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True, errors="replace", check=False).stdout
    known = set(re.findall(r"^Package: (.+)$", shown, re.MULTILINE))
    return [name for name in names if name in known] or names


def install(names):
    """Installs packages with apt or dnf. If that fails, shows its log and ends ./course."""
    say(f"Installing with {manager()} (a minute or two) ...")
    apt = ["apt-get", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"]
    log = as_root(*apt, "update").stdout if manager() == "apt-get" else ""  # even if one source fails, the packages may be found
    done = as_root(*apt, "install", *offered(names)) if manager() == "apt-get" else as_root("dnf", "install", "-y", *names)
    if done.returncode != 0:
        say(log + done.stdout)
        fail(1, f"{manager()} could not install these packages; its log is above")


def by_hand(names):
    """What to type to install packages."""
    words = f"{INSTALLS[manager() or 'apt-get']} {' '.join(offered(list(names)))}"
    if manager() == "apt-get":
        words = f"apt-get update && {words}"
    if os.geteuid() != 0 and manager() != "brew":
        words = f"{'sudo sh' if shutil.which('sudo') else 'su'} -c '{words}'"
    return words


def set_up(users, may_install, headers=(), optional=()):
    """Installs missing packages. If that is not allowed, returns the names of what must be built from source, or says how to
    install the packages. Libraries of `optional` headers may stay missing: the applications that include them are then not built."""
    required, wanted = missing(users, headers), missing({"-"}, optional)
    names = list(dict.fromkeys(package.name() for package in [*required, *wanted]))
    if not names:
        return set()
    if manager() in ("apt-get", "dnf") and may_install and can_become_root(may_ask=bool(required)):
        say("Missing:", *names)
        install(names)
        if lacking := missing(users, headers):
            fail(1, "still missing after the installation:", *(package.name() for package in lacking))
        return set()
    has_source = [package for package in wanted
                  if any(ROOT.glob(f"build/sources/{FROM_SOURCE.get(package.names[0])}-*[0-9]"))]
    from_source = {FROM_SOURCE.get(package.names[0]) if users else None for package in [*required, *has_source]}
    if None in from_source:
        names = [package.name() for package in required]
        say("Missing:", *names)
        if not manager():
            fail(1, "no supported package manager was found: install these packages by hand (the names are Debian's)")
        fail(1, f"nothing was installed; to install the missing packages, type\n  {by_hand(names)}")
    if names := [package.name() for package in wanted if package not in has_source]:
        say("Not built: applications that need", *names, "(./course install --check says how to install them).")
    return from_source


def how_to_get(package):
    """How to get a missing package: its name for this machine's package manager, or for all managers if none is known, and
    whether it can be built from source."""
    names = [f"{each.removesuffix('-get')}: {name}" for each, name in zip(INSTALLS, package.names)
             if name != "-" and manager() in (each, None)] or [f"{manager()} has no such package"]
    return f"missing ({', '.join(names)}{'; without root: from source' * (package.names[0] in FROM_SOURCE)})"


def check():
    """Prints which packages are installed, and how to install the missing ones. Returns whether none is missing."""
    rows, lacking = [], []
    for package in listed():
        places = [place(sign) for sign in package.signs]
        if not all(places):
            lacking.append(package)
        rows.append((package.name(), ", ".join(sorted(package.users)), places[0] if all(places) else how_to_get(package)))
    rows = [("package", "needed by", "found"), *rows]
    widths = [max(len(row[k]) for row in rows) for k in range(2)]
    for name, users, found in rows:
        line = f"{name:{widths[0]}}  {users:{widths[1]}}  {found}"
        print(line if len(line) <= COLUMNS else f"{name:{widths[0]}}  {users}\n" + filled(f"    {found}", " " * 4))
    at = list(INSTALLS).index(manager()) if manager() else None
    if names := [package.name() for package in lacking if at is not None and package.names[at] != "-"]:
        print(f"\nTo install what is missing, type\n  {by_hand(dict.fromkeys(names))}")
    return not lacking
