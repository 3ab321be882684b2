"""How far a program is kept from the machine: tiers, found by trying, and said in every result.

    T3  bubblewrap: own files, processes, network and users; a filter of system calls; limits
    T2  Landlock: the machine's files and processes, of which it may use only its own; no sockets; the same filter
    T1  no new privileges, limits; but it sees the same files and the same network
    T0  nothing at all

In each of the first three, where control groups can be made, limits on all processes together. An untrusted skill does
not run below T2.
"""

from __future__ import annotations

import functools
import json
import os
import secrets
import shutil
import subprocess
import sys
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from metier.execution import confine
from metier.execution.groups import can_group
from metier.execution.proc import own_threads
from metier.execution.seccomp import seccomp_filter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.tool import Bounds

Tier: TypeAlias = Literal["T3", "T2", "T1", "T0"]

LEAST_FOR_STRANGERS: tuple[Tier, ...] = ("T3", "T2")
"""Tiers in which the tools of a skill run that the user has not trusted."""

FIRST_NOBODY, NOBODIES = 61_001, 2_000
"""Who a program is when we are root: somebody else at each call, since the system counts the processes of a user."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/opt")
_SETTINGS = (
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime",
    "/etc/mime.types", "/etc/ssl/openssl.cnf", "/etc/python3", "/etc/python3.11", "/etc/timezone",
)  # fmt: skip
# Certificates of others, and nothing else of these folders: the machine's own keys lie beside them.
_NETWORK = (
    "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl/certs", "/etc/ssl/cert.pem",
    "/etc/ca-certificates", "/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted",
)  # fmt: skip
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/full")
_TOGETHER = "memory and number of all processes together"
_PROBE_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """What this machine offers."""

    tier: Tier
    enforced: tuple[str, ...]
    missing: tuple[str, ...]
    hint: str = ""
    """What to install for more."""
    has_groups: bool = False
    """Whether all processes of a program can be bounded together."""

    def as_json(self) -> dict[str, object]:
        """The stable JSON shape."""
        return {"tier": self.tier, "enforced": list(self.enforced), "missing": list(self.missing), "hint": self.hint}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What a program may see and do."""

    readable: Sequence[str] = ()
    writable: Sequence[str] = ()
    own: str
    """A folder to work in."""
    cwd: str
    network: bool = False
    user: int = FIRST_NOBODY
    bounds: Bounds


def somebody(keeps_for: str = "") -> int:
    """A user for one call; where it writes what stays, always the same one for the same skill."""
    if not keeps_for:
        return FIRST_NOBODY + secrets.randbelow(NOBODIES)
    return FIRST_NOBODY + NOBODIES + zlib.crc32(os.fsencode(keeps_for)) % NOBODIES


@functools.cache
def probe() -> Sandbox:
    """The best tier that works here, found by running something in it."""
    missing: list[str] = []
    if sys.platform != "linux":
        return Sandbox(tier="T0", enforced=(), missing=("any sandbox: only Linux has one so far",))
    has_groups = can_group()
    together = (_TOGETHER,) if has_groups else ()
    if not has_groups:
        missing.append(f"{_TOGETHER}: control groups cannot be made here")
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        missing.append("bubblewrap is not installed")
    elif not _works(bubblewrap):
        missing.append("bubblewrap does not work here: it may lack the right to make namespaces")
    else:
        enforced = ["files", "processes", "network", "environment", "limits", "privileges", *together]
        if seccomp_filter() is None:
            missing.append("a filter of system calls for this kind of machine")
        else:
            enforced.append("system calls")
        return Sandbox(tier="T3", enforced=tuple(enforced), missing=tuple(missing), has_groups=has_groups)
    hint = "install bubblewrap (on Debian: apt-get install bubblewrap)"
    if shutil.which("setpriv") and shutil.which("prlimit"):
        return _without_bubblewrap(together, missing, hint)
    return Sandbox(tier="T0", enforced=("environment",), missing=(*missing, "setpriv and prlimit"), hint=hint)


def _without_bubblewrap(together: tuple[str, ...], missing: list[str], hint: str) -> Sandbox:
    common = ("environment", "limits", "privileges", *together)
    if confine.landlock_abi() >= confine.LEAST_ABI and seccomp_filter() is not None:
        enforced = ("files", "network", "system calls", *common)
        missing = [*missing, "other processes can be seen, though not touched"]
        return Sandbox(tier="T2", enforced=enforced, missing=tuple(missing), hint=hint, has_groups=bool(together))
    missing = [*missing, "files", "processes", "network", "system calls"]
    return Sandbox(tier="T1", enforced=common, missing=tuple(missing), hint=hint, has_groups=bool(together))


def _works(bubblewrap: str) -> bool:
    command = [bubblewrap, *_namespaces(network=False), *_system_binds(), "--", "/usr/bin/env", "true"]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=_PROBE_S, check=False, env={"PATH": "/usr/bin:/bin"}
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def is_root() -> bool:
    """True when we are root, who has to become somebody else before a stranger's program is started."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def wrapped(
    argv: Sequence[str], cell: Cell, tier: Tier, filter_fd: int | None = None, info_fd: int | None = None
) -> list[str]:
    """The command line that runs a program in its cell.

    In the strongest one the filter of system calls is read from a descriptor, and who is its first process is told by
    another one.
    """
    if tier == "T0":
        return list(argv)
    limits = _limits(cell.bounds, counted=tier == "T3" or is_root())
    if tier == "T1":
        return ["setpriv", "--no-new-privs", "--", *limits, *argv]
    if tier == "T2":
        return _behind_landlock([*_no_rights(), *limits, *argv], cell)
    command = ["bwrap", *_namespaces(network=cell.network), *_system_binds(network=cell.network)]
    room = str(cell.bounds.temp_mb * 1024 * 1024)
    command += ["--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", room, "--tmpfs", "/dev/shm"]  # noqa: S108
    command += ["--remount-ro", "/dev", "--perms", "1777", "--size", room, "--tmpfs", "/tmp"]  # noqa: S108 - its own
    command += ["--perms", "0777", "--dir", cell.own]
    for parent in _parents((*cell.readable, *cell.writable)):
        # Otherwise only root could pass through them.
        command += ["--perms", "0755", "--dir", parent]
    for path in cell.readable:
        command += ["--ro-bind", path, path]
    for path in cell.writable:
        command += ["--bind", path, path]
    # Its variables it has from us: on a command line everybody could read them.
    command += ["--remount-ro", "/", "--chdir", cell.cwd]
    if filter_fd is not None:
        command += ["--seccomp", str(filter_fd)]
    if info_fd is not None:
        command += ["--info-fd", str(info_fd)]
    return [*command, "--", *_somebody_else(cell.user), *limits, *argv]


def _behind_landlock(argv: Sequence[str], cell: Cell) -> list[str]:
    """The program as it is started by `confine`, which stays outside and cleans up after it."""
    shared = (*_SYSTEM, *_SETTINGS, *(_NETWORK if cell.network else ()), *_DEVICES)
    program = seccomp_filter(sockets=cell.network, local_sockets=False, namespaces=False) or b""
    allowed = {
        "read": [*shared, *cell.readable],
        "write": ["/dev/null", cell.own, *cell.writable],
        "filter": program.hex(),
    }
    python = getattr(sys, "_base_executable", None) or sys.executable
    return [python, "-I", "-S", os.path.abspath(confine.__file__), json.dumps(allowed), "--", *argv]


def _no_rights() -> list[str]:
    """Root without what makes it root; others have nothing to lose."""
    if not is_root():
        return []
    return ["setpriv", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"]


def _parents(paths: Sequence[str]) -> list[str]:
    """The folders on the way to the paths, from the top, without those of the system."""
    found: dict[str, None] = {}
    for path in paths:
        parts = path.strip("/").split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            parent = "/" + "/".join(parts[:depth])
            if not parent.startswith(_SYSTEM) and parent != "/tmp":  # noqa: S108 - it is there already
                found[parent] = None
    return list(found)


def _namespaces(*, network: bool) -> list[str]:
    options = ["--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    options += ["--unshare-cgroup-try"] if network else ["--unshare-cgroup-try", "--unshare-net"]
    if is_root():
        # Root needs no user namespace; it keeps just what it takes to become somebody else inside.
        kept = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_DAC_READ_SEARCH")
        return [*options, "--cap-drop", "ALL", *(word for name in kept for word in ("--cap-add", name))]
    return [*options, "--unshare-user", "--disable-userns", "--cap-drop", "ALL"]


def _somebody_else(user: int) -> list[str]:
    if not is_root():
        return []
    who = str(user)
    # Root's own files may be private; the program sees none but those of its skill and its workspace, and may read them
    # as it may read those of an ordinary user. The one call by which this right leads further is among those denied.
    right = "+dac_read_search" if seccomp_filter() is not None else "-all"
    return [
        "setpriv", "--reuid", who, "--regid", who, "--clear-groups", f"--inh-caps=-all,{right}",
        f"--ambient-caps=-all,{right}", f"--bounding-set=-all,{right}", "--no-new-privs", "--",
    ]  # fmt: skip


@functools.cache
def _system_binds(*, network: bool = False) -> tuple[str, ...]:
    """Programs and libraries of the system, read-only; of its settings only what they need."""
    found: list[str] = []
    for path in _SYSTEM:
        if os.path.islink(path):
            found += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            found += ["--ro-bind", path, path]
    settings = [path for path in (*_SETTINGS, *(_NETWORK if network else ())) if os.path.exists(path)]
    for parent in _parents(settings):
        found += ["--perms", "0755", "--dir", parent]
    for path in settings:
        found += ["--ro-bind", os.path.realpath(path), path]
    return tuple(found)


def _limits(bounds: Bounds, *, counted: bool) -> list[str]:
    # Where the program is the same user as we are, its processes are counted with all of ours.
    processes = bounds.processes if counted else bounds.processes + own_threads()
    time = [f"--cpu={bounds.cpu_s}:{bounds.cpu_s + 1}"] if bounds.cpu_s else []
    return [
        "prlimit",
        f"--nproc={processes}",
        f"--data={bounds.memory_mb * 1024 * 1024}",
        f"--fsize={bounds.file_mb * 1024 * 1024}",
        *time,
        "--nofile=256",
        "--core=0",
        "--",
    ]
