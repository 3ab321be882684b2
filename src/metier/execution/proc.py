"""What the system tells of running processes, and how they are ended, wherever they have gone."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time

MARK = "METIER_CALL"
"""The variable by which everything that a call has started is known."""


def end_group(pid: int) -> None:
    """End a program and what has stayed in its process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def end_kindly(pid: int, patience_s: float = 2.0) -> None:
    """Ask a child of ours to end, and wait a while. It is left to be waited for."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        try:
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return
        except ChildProcessError:
            return
        time.sleep(0.002)


def wait_gone(pid: int, patience_s: float = 5.0) -> None:
    """Wait for the end of a process that is none of our children."""
    try:
        number = os.pidfd_open(pid)
    except OSError:  # gone already
        return
    try:
        poll = select.poll()
        poll.register(number, select.POLLIN)
        poll.poll(patience_s * 1000)
    finally:
        os.close(number)


def end_marked(mark: str) -> None:
    """End everything that carries a mark, also what has left its group and its session."""
    if not os.path.isdir("/proc/self"):
        return
    quiet = 0
    for _ in range(50):  # a bomb may start new ones while we look
        found = _marked(mark)
        # One that was being born while we looked is seen the second time.
        quiet = 0 if found else quiet + 1
        if quiet == 2:
            return
        for one in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one, signal.SIGKILL)
        time.sleep(0.002)


def _marked(mark: str) -> list[int]:
    """Processes that carry our mark and are not dead yet."""
    wanted = f"{MARK}={mark}".encode()
    found: list[int] = []
    with os.scandir("/proc") as entries:
        names = [entry.name for entry in entries if entry.name.isdigit()]
    for name in names:
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if wanted in file.read().split(b"\0") and not _is_dead(name):
                    found.append(int(name))
        except OSError:
            continue
    return found


def _is_dead(name: str) -> bool:
    with open(f"/proc/{name}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()[:1] in ([b"Z"], [b"X"])


def names_in(folder: str) -> list[str]:
    """The names in a folder of the system; none where it is closed."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def own_threads() -> int:
    """How many threads of this user there are, all programs together."""
    me, found = os.geteuid(), 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if os.stat(f"/proc/{name}").st_uid == me:
                    found += len(os.listdir(f"/proc/{name}/task"))
            except OSError:
                continue
    return found


def resident_bytes(pid: int, enough: int = 0) -> int:
    """Memory of a process and of all below it. Where that seems more than `enough`, what they share counts once."""
    everybody = _family(pid)
    total = sum(_resident(one) for one in everybody)
    return total if total <= enough else sum(_own_share(one) for one in everybody)


def _family(pid: int) -> list[int]:
    found, todo = [pid], [pid]
    while todo:
        one = todo.pop()
        try:
            with open(f"/proc/{one}/task/{one}/children", encoding="ascii") as file:
                children = [int(word) for word in file.read().split()]
        except (OSError, ValueError):
            continue
        found += children
        todo += children
    return found


def _resident(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _own_share(pid: int) -> int:
    """Its memory, and of what it shares only its part. Slow to ask for; a fork shares nearly everything at first."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            for line in file:
                if line.startswith("Pss:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return _resident(pid)
