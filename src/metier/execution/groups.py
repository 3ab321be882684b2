"""Control groups: limits on all processes of a program together, where the kernel lets us set them.

The limits of a process are inherited, not shared: six children may each use what one may. Only a group bounds the sum.
Both generations are served; where neither can be written, as for most ordinary users, there is none, and `metier
doctor` says so.
"""

from __future__ import annotations

import contextlib
import functools
import os
import secrets
import signal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.execution.proc import names_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.tool import Bounds

OURS = 8
"""Processes of our own in a group: bubblewrap and what stands before the program."""

_ENTER = 'while [ "$1" != -- ]; do echo 0 > "$1" || exit 125; shift; done; shift; exec "$@"'
"""Goes into the groups named before `--`, and becomes the command after it. A fixed text: nothing is put into it."""


@dataclass(frozen=True, slots=True)
class Group:
    """The folders of one group, one for each hierarchy."""

    folders: tuple[str, ...]

    def entered(self, argv: Sequence[str]) -> list[str]:
        """The command line that runs a program inside of the group."""
        doors = [os.path.join(folder, "cgroup.procs") for folder in self.folders]
        return ["/bin/sh", "-c", _ENTER, "sh", *doors, "--", *argv]

    def ran_out(self) -> bool:
        """True when the kernel has ended a process because the group had used up its memory."""
        for folder in self.folders:
            for name in ("memory.oom_control", "memory.events"):
                for line in _read(os.path.join(folder, name)).splitlines():
                    key, _, count = line.partition(" ")
                    if key == "oom_kill" and count.strip() != "0":
                        return True
        return False

    def used_bytes(self) -> int:
        """Memory that the group uses now, without what the system would give back at once: files that were read."""
        for folder in self.folders:
            for name in ("memory.usage_in_bytes", "memory.current"):
                text = _read(os.path.join(folder, name)).strip()
                if text.isdigit():
                    return max(0, int(text) - _spare_bytes(folder))
        return 0

    def end(self) -> None:
        """End every process of the group, wherever it has gone."""
        for _ in range(100):  # a bomb may start new ones while we look
            found = {int(pid) for folder in self.folders for pid in _read(f"{folder}/cgroup.procs").split()}
            if not found:
                return
            for pid in found:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.001)

    def close(self) -> None:
        """Forget the group. Its processes are gone; the kernel may need a moment to notice."""
        for folder in self.folders:
            for _ in range(100):
                try:
                    os.rmdir(folder)
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.002)
                else:
                    break


def _spare_bytes(folder: str) -> int:
    found = dict(line.split(" ", 1) for line in _read(os.path.join(folder, "memory.stat")).splitlines() if " " in line)
    return int(found.get("total_inactive_file", found.get("inactive_file", "0")))


def can_group() -> bool:
    """Whether groups can be made here at all."""
    return bool(_parents())


def make_group(bounds: Bounds) -> Group | None:
    """A group with these limits, or `None` where there can be none."""
    parents = _parents()
    if not parents:
        return None
    name = f"metier-{os.getpid()}-{secrets.token_hex(6)}"
    made: list[str] = []
    try:
        for kind, parent in parents:
            folder = os.path.join(parent, name)
            os.mkdir(folder)
            made.append(folder)
            for file, value in _settings(kind, bounds):
                with open(os.path.join(folder, file), "w", encoding="ascii") as stream:
                    stream.write(str(value))
    except OSError:
        Group(tuple(made)).close()
        return None
    return Group(tuple(made))


def _settings(kind: str, bounds: Bounds) -> list[tuple[str, int]]:
    memory, processes = bounds.memory_mb * 1024 * 1024, bounds.processes + OURS
    if kind == "memory":
        return [("memory.limit_in_bytes", memory)]
    if kind == "pids":
        return [("pids.max", processes)]
    return [("memory.max", memory), ("memory.swap.max", 0), ("pids.max", processes)]


@functools.cache
def _parents() -> tuple[tuple[str, str], ...]:
    """Where groups can be made: the memory hierarchy, and that of processes; found by trying."""
    mounted = _mounted()
    own: dict[str, str] = {}
    for line in _read("/proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        own |= dict.fromkeys(controllers.split(","), path)
    unified = os.path.normpath(mounted.get("", "") + "/" + own.get("", "/").lstrip("/"))
    if {"memory", "pids"} <= set(_read(os.path.join(unified, "cgroup.subtree_control")).split()):
        found = [("unified", unified)]
    else:
        found = [
            (kind, os.path.normpath(mounted[kind] + "/" + own[kind].lstrip("/")))
            for kind in ("memory", "pids")
            if kind in mounted and kind in own
        ]
    usable = tuple(pair for pair in found if _can_be_written(pair[1]))
    if not usable or usable[0][0] == "pids":  # without memory there is nothing to bound together
        return ()
    for _, parent in usable:
        _sweep(parent)
    return usable


def _mounted() -> dict[str, str]:
    """Mount points by controller; the newer generation, which has them all in one, by the empty name."""
    found: dict[str, str] = {}
    for line in _read("/proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.partition(" ")
        place = before.split(" ")[4]
        if kind == "cgroup2":
            found[""] = place
        elif kind == "cgroup":
            found |= dict.fromkeys(options.rpartition(" ")[2].split(","), place)
    return found


def _sweep(parent: str) -> None:
    """Groups of hosts that were killed stay behind, empty. Whoever comes next takes them away."""
    for name in names_in(parent):
        owner = name.removeprefix("metier-").partition("-")[0]
        if name.startswith("metier-") and owner.isdigit() and not os.path.exists(f"/proc/{owner}"):
            with contextlib.suppress(OSError):
                os.rmdir(os.path.join(parent, name))


def _can_be_written(parent: str) -> bool:
    folder = os.path.join(parent, f"metier-probe-{os.getpid()}")
    try:
        os.mkdir(folder)
    except OSError:
        return False
    with contextlib.suppress(OSError):
        os.rmdir(folder)
    return True


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
