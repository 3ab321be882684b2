"""The one place that starts programs: one request in, one answer out, and nothing left behind.

A plain function that waits, so that it can be read from top to bottom; who must not wait calls it in a thread and ends
it by closing a pipe. No shell, no inherited environment, no inherited files. Its process group is not enough to end it:
what it started and left is ended by who has made its surroundings, or found by a mark in the environment.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import time
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Literal, TypeAlias

from metier.execution.proc import resident_bytes
from metier.execution.wire import Answer, Lines, LineTooLongError, answer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Ending: TypeAlias = Literal["exit", "timeout", "cancelled", "too-much", "not-started", "no-id", "broken", "memory"]

MAX_OUTPUT = 64 * 1024 * 1024
"""Bytes that a program may print altogether."""
MAX_STDERR = 65_536
"""Bytes of what it says to people that are kept, the last ones."""
MAX_LOG = 100
"""Lines besides the answer that are kept."""
MAX_TEXT = 16 * 1024 * 1024
"""Bytes of a script's output that are kept."""
CHUNK = 65_536
LOOK_S = 0.05
"""How often we look at the memory of a program that nobody else bounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spawn:
    """A program to start."""

    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: str
    files: Sequence[int] = ()
    """Descriptors that it inherits besides the standard three."""


@dataclass(slots=True)
class Outcome:
    """What became of it."""

    ending: Ending = "exit"
    status: int = 0
    """The exit status; negative for a signal."""
    answer: Answer | None = None
    answers: int = 0
    time_ms: int = 0
    text: str = ""
    """What it printed, where that is no protocol."""
    log: list[str] = field(default_factory=list[str])
    """Lines that were no answer."""
    stderr: str = ""
    reason: str = ""
    """Why it could not be started."""


def start(spawn: Spawn) -> subprocess.Popen[bytes]:
    """Start a program with three pipes, in a session of its own.

    Raises:
        OSError, ValueError: when it cannot be started.
    """
    return subprocess.Popen(
        list(spawn.argv),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=spawn.cwd,
        env=dict(spawn.env),
        pass_fds=tuple(spawn.files),
        start_new_session=True,
        bufsize=0,
    )


def not_started(error: OSError | ValueError) -> Outcome:
    """What became of a program that could not be started."""
    return Outcome(ending="not-started", reason=getattr(error, "strerror", None) or str(error))


def bury(process: subprocess.Popen[bytes], end: Callable[[int], None]) -> int:
    """End a program and what it has started, close its pipes, and return its exit status."""
    end(process.pid)
    status = process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    return status


def run_once(
    spawn: Spawn,
    request: bytes,
    *,
    timeout_s: float,
    end: Callable[[int], None],
    cancel: int | None = None,
    keeps_text: bool = False,
    most_bytes: int | None = None,
) -> Outcome:
    """Start a program, give it one request, wait for its end, and return what it said.

    `end` ends everything that it has started. `cancel` is a descriptor; when it becomes readable, or its other end is
    closed, the program is ended. With `keeps_text` what it prints is no protocol but its output. With `most_bytes` we
    look from time to time how much memory it and its children use, where nobody else does.
    """
    since = time.monotonic()
    outcome = Outcome()
    try:
        process = start(spawn)
    except (OSError, ValueError) as error:
        return not_started(error)
    try:
        exchange = _Exchange(process, request, outcome, cancel, keeps_text=keeps_text, most_bytes=most_bytes)
        exchange.run(since + timeout_s)
    finally:
        outcome.status = bury(process, end)
    outcome.time_ms = round((time.monotonic() - since) * 1000)
    return outcome


class _Exchange:
    """Everything that moves between us and the program, in one loop."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        request: bytes,
        outcome: Outcome,
        cancel: int | None,
        *,
        keeps_text: bool,
        most_bytes: int | None,
    ) -> None:
        self._process = process
        self._pending = memoryview(request)
        self._outcome = outcome
        self._cancel = cancel
        self._most_bytes = most_bytes
        self._next_look = time.monotonic() + LOOK_S
        self._lines = Lines()
        self._text = bytearray() if keeps_text else None
        self._printed = 0
        self._stderr = bytearray()
        self._selector = selectors.DefaultSelector()

    def run(self, deadline: float) -> None:
        process, selector = self._process, self._selector
        pidfd = _pidfd(process.pid)
        try:
            for stream, event in (
                (process.stdin, selectors.EVENT_WRITE),
                (process.stdout, selectors.EVENT_READ),
                (process.stderr, selectors.EVENT_READ),
            ):
                if stream is not None:
                    os.set_blocking(stream.fileno(), False)
                    selector.register(stream, event)
            for number in (pidfd, self._cancel):
                if number is not None:
                    selector.register(number, selectors.EVENT_READ)
            self._loop(deadline, pidfd)
        except LineTooLongError:
            self._outcome.ending = "too-much"
        finally:
            selector.close()
            if pidfd is not None:
                os.close(pidfd)
            self._outcome.stderr = bytes(self._stderr).decode("utf-8", "replace")
            if self._text is not None:
                self._outcome.text = bytes(self._text).decode("utf-8", "replace")

    def _loop(self, deadline: float, pidfd: int | None) -> None:
        process = self._process
        # Without a descriptor for its end, or a group for its memory, we have to look from time to time.
        patience = 0.01 if pidfd is None else LOOK_S if self._most_bytes else deadline
        while True:
            now = time.monotonic()
            if now >= deadline:
                self._outcome.ending = "timeout"
                return
            if self._is_too_large(now):
                self._outcome.ending = "memory"
                return
            for key, _ in self._selector.select(min(deadline - now, patience)):
                if key.fileobj == self._cancel:
                    self._outcome.ending = "cancelled"
                    return
                self._move(key.fileobj)
            if self._printed > MAX_OUTPUT:
                self._outcome.ending = "too-much"
                return
            if process.poll() is not None:
                self._drain()
                return

    def _is_too_large(self, now: float) -> bool:
        if self._most_bytes is None or now < self._next_look:
            return False
        self._next_look = now + LOOK_S
        return resident_bytes(self._process.pid, self._most_bytes) > self._most_bytes

    def _move(self, ready: object) -> None:
        process = self._process
        if ready is process.stdin:
            self._write(process.stdin)
        elif ready is process.stdout:
            self._read(process.stdout)
        elif ready is process.stderr:
            self._hear(process.stderr)

    def _write(self, stream: IO[bytes] | None) -> None:
        """Pass on what fits. A program that closes its input does not want to hear more."""
        if stream is None:
            return
        try:
            self._pending = self._pending[os.write(stream.fileno(), self._pending[:CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:
            self._pending = memoryview(b"")
        if not self._pending:
            self._selector.unregister(stream)
            with contextlib.suppress(OSError):
                stream.close()

    def _read(self, stream: IO[bytes] | None) -> bool:
        data = self._chunk(stream)
        if not data:
            return False
        self._printed += len(data)
        if self._text is not None:
            self._text += data[: max(0, MAX_TEXT - len(self._text))]
            return True
        for line in self._lines.feed(data):
            self._take(line)
        return True

    def _hear(self, stream: IO[bytes] | None) -> bool:
        data = self._chunk(stream)
        if not data:
            return False
        self._stderr += data
        del self._stderr[:-MAX_STDERR]
        return True

    def _chunk(self, stream: IO[bytes] | None) -> bytes:
        """What is there now; nothing at the end, where the stream is no longer listened to."""
        if stream is None or stream.closed:
            return b""
        try:
            data = os.read(stream.fileno(), CHUNK)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            with contextlib.suppress(KeyError):
                self._selector.unregister(stream)
        return data

    def _drain(self) -> None:
        """Take what the program left in the pipes. Who still holds them open, such as a daemon, is not waited for."""
        while self._printed <= MAX_OUTPUT and self._read(self._process.stdout):
            pass
        while self._hear(self._process.stderr):
            pass
        rest = self._lines.rest()
        if rest.strip():
            self._take(rest)

    def _take(self, line: bytes) -> None:
        if not line.strip():
            return
        said = answer(line)
        if said is None:
            if len(self._outcome.log) < MAX_LOG:
                self._outcome.log.append(line[:1_000].decode("utf-8", "replace"))
            return
        self._outcome.answers += 1
        if self._outcome.answer is None:
            self._outcome.answer = said


def _pidfd(pid: int) -> int | None:
    opener = getattr(os, "pidfd_open", None)
    try:
        return opener(pid) if opener else None
    except OSError:
        return None
