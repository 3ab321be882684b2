"""Starts a program behind Landlock, where bubblewrap is missing. Run as a script, outside of metier's own process.

    python -I -S confine.py '{"read": [...], "write": [...], "filter": "hex"}' -- COMMAND...

The parent stays outside, adopts whatever the program leaves behind, and ends it: without a namespace of processes a
daemon would survive. It imports nothing of metier, so that it starts in a moment.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import struct
import sys
from typing import Any

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_EVERYTHING = (1 << 16) - 1
_READ = 1 << 0 | 1 << 2 | 1 << 3
"""Execute, read a file, read a folder."""
_OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
"""What can be said about a single file."""
_SCOPED = 0b11
"""No signals to, and no abstract sockets of, anybody outside."""
_NO_NEW_PRIVS, _SECCOMP, _FILTER, _SUBREAPER, _PDEATHSIG = 38, 22, 2, 36, 1
LEAST_ABI = 6
"""The first that keeps signals in, of Linux 6.12."""


def landlock_abi() -> int:
    """Which generation of Landlock the kernel has; 0 for none."""
    with contextlib.suppress(OSError, AttributeError):
        return max(0, ctypes.CDLL(None, use_errno=True).syscall(_CREATE, None, ctypes.c_size_t(0), 1))
    return 0


def _called(result: int, what: str) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), what)
    return result


def _confine(allowed: dict[str, Any]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    wanted = struct.pack("=QQQ", _EVERYTHING, 0, _SCOPED)
    rules = _called(libc.syscall(_CREATE, wanted, ctypes.c_size_t(len(wanted)), 0), "landlock_create_ruleset")
    for rights, paths in ((_READ, allowed["read"]), (_EVERYTHING, allowed["write"])):
        for path in paths:
            try:
                number = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            fitting = rights if os.path.isdir(path) else rights & _OF_FILES
            rule = struct.pack("=Qi", fitting, number)
            _called(libc.syscall(_ADD, rules, 1, rule, 0), f"landlock_add_rule {path}")
            os.close(number)
    _called(libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")
    _called(libc.syscall(_RESTRICT, rules, 0), "landlock_restrict_self")
    os.close(rules)
    program = bytes.fromhex(allowed["filter"])
    if program:
        kept = ctypes.create_string_buffer(program, len(program))
        shown = struct.pack("@HP", len(program) // 8, ctypes.addressof(kept))
        _called(libc.prctl(_SECCOMP, _FILTER, shown, 0, 0), "seccomp")


def _descendants() -> list[int]:
    """Everybody below us; who has lost a parent is our own child by now."""
    found: list[int] = []
    todo = [os.getpid()]
    while todo:
        try:
            with open(f"/proc/{todo[-1]}/task/{todo.pop()}/children", encoding="ascii") as file:
                children = [int(word) for word in file.read().split()]
        except OSError:
            continue
        found += children
        todo += children
    return found


def _end_all() -> None:
    while True:
        for pid in _descendants():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _leave(number: int, frame: object) -> None:
    del frame
    sys.exit(128 + number)


def main(arguments: list[str]) -> int:
    """Start the program, wait for it, and leave nothing of it behind."""
    allowed, command = json.loads(arguments[0]), arguments[2:]
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_SUBREAPER, 1, 0, 0, 0)
    # Ended by the host, or with it.
    signal.signal(signal.SIGTERM, _leave)
    libc.prctl(_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    program = os.fork()
    if program == 0:
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            _confine(allowed)
            os.execvp(command[0], command)  # noqa: S606 - there is no shell on purpose
        except OSError as error:
            os.write(2, f"cannot be confined or started: {error}\n".encode())
        os._exit(126)
    # Its ends of the pipes are the program's alone, or nobody would see it close them.
    for number in (0, 1):
        os.close(number)
    try:
        while True:
            pid, status = os.waitpid(-1, 0)
            if pid == program:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
    finally:
        _end_all()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
