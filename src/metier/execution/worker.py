"""A program that stays and answers one call after the other, on one event loop.

Requests carry an `id`, and are answered in the order they came. The first one in flight is the one it works on, the
others wait in its pipe: so it is known what a worker that dies has begun, and what can safely be given to another.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import subprocess
import time
from collections import deque
from typing import IO, TYPE_CHECKING, Any

from metier.execution.process import MAX_LOG, MAX_OUTPUT, MAX_STDERR, Ending, Outcome, bury
from metier.execution.wire import Answer, Lines, LineTooLongError, answer, request

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from metier.execution.launch import Launch

CHUNK = 65_536
"""What a pipe holds. More would have the system map memory for every read."""
QUICK_S = 0.002
"""A worker that answers faster than this gets several calls at once, so that it need not wait for us."""
DEPTH = 32
"""How many."""
MAX_IDLE = 1_048_576
"""Bytes that one may print while nobody has asked it anything."""
PATIENCE_S = 1.0
"""How long one that has nothing more to do may take to end by itself."""


class Pending:
    """A call that waits for its answer."""

    __slots__ = ("arguments", "future", "number", "timeout_s", "worker")

    def __init__(self, arguments: Mapping[str, Any], timeout_s: float, future: asyncio.Future[Outcome]) -> None:
        self.arguments = arguments
        self.timeout_s = timeout_s
        self.future = future
        self.number = 0
        """The id that its worker knows it by."""
        self.worker: Worker | None = None
        """Who has it."""

    def settle(self, outcome: Outcome) -> None:
        """Answer the caller, if it still waits."""
        if not self.future.done():
            self.future.set_result(outcome)


class Worker:
    """One process with its pipes.

    Args:
        process: The program, started.
        launch: Its surroundings, closed with it.
        loop: The event loop that everything happens on.
        most_calls: How many it may answer.
        waiting: Calls that wait for somebody to have room.
        on_room: Called when there is room and somebody waits.
        on_end: Called at its end with the calls that it has not begun.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        launch: Launch,
        loop: asyncio.AbstractEventLoop,
        most_calls: int,
        *,
        waiting: deque[Pending],
        on_room: Callable[[], None],
        on_end: Callable[[Worker, list[Pending]], None],
    ) -> None:
        self.process = process
        self.launch = launch
        self.answered = 0
        self.idle_since = loop.time()
        self.started = time.time()
        self.ending: Ending | None = None
        self.is_leaving = False
        self._most_calls = most_calls
        self._is_retired = False
        self._has_run_out = False
        self._loop = loop
        self._waiting = waiting
        self._on_room = on_room
        self._on_end = on_end
        self._flying: deque[Pending] = deque()
        self._next_id = 1
        self._printed = 0
        self._head_since = 0.0
        self._depth = 1
        self._in_order = True
        self._lines = Lines()
        self._unsent = bytearray()
        self._log: list[str] = []
        self._stderr = bytearray()
        self._timer: asyncio.TimerHandle | None = None
        self._burial: asyncio.Task[None] | None = None
        self._stdin, self._stdout, self._errors = (_number(s) for s in (process.stdin, process.stdout, process.stderr))
        for number in (self._stdin, self._stdout, self._errors):
            os.set_blocking(number, False)
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN)
        loop.add_reader(self._stdout, self._read)
        loop.add_reader(self._errors, self._hear)

    # ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def has_room(self) -> bool:
        """Whether it can take a call now."""
        waiting = len(self._flying)
        if waiting >= self._depth or self.is_leaving or self._is_retired:
            return False
        # Behind a call that turns out to be slow nobody is made to wait.
        return not waiting or self._loop.time() - self._head_since < QUICK_S

    @property
    def load(self) -> int:
        """How many calls it has."""
        return len(self._flying)

    @property
    def is_alive(self) -> bool:
        """False for one whose end we have not been told of yet, but can see."""
        if self.is_leaving:
            return False
        seen = self._poll.poll(0)
        return not seen or not seen[0][1] & (select.POLLHUP | select.POLLERR)

    def send(self, call: Pending) -> None:
        """Give it a call."""
        call.worker, call.number = self, self._next_id
        self._next_id += 1
        if not self._flying:
            self._begin(call)
        self._flying.append(call)
        self._write(request(call.arguments, call.number))

    def forget(self, call: Pending) -> None:
        """Its caller has gone. What is being worked on ends with the process; what waits is answered to nobody."""
        if self._flying and self._flying[0] is call:
            self._end("cancelled")

    def _begin(self, call: Pending) -> None:
        """It works on this one from now on: the clock starts."""
        self._head_since = now = self._loop.time()
        if self._timer is None:
            self._timer = self._loop.call_at(now + call.timeout_s, self._ring)

    def _ring(self) -> None:
        """One timer for all calls: it is set again where the call it was meant for is long answered."""
        self._timer = None
        if not self._flying or self.is_leaving:
            return
        until = self._head_since + self._flying[0].timeout_s
        if self._loop.time() >= until:
            self._end("timeout")
        else:
            self._timer = self._loop.call_at(until, self._ring)

    # ── bytes ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _write(self, line: bytes) -> None:
        if self._unsent:
            self._unsent += line
            return
        try:
            sent = os.write(self._stdin, line)
        except BlockingIOError:
            sent = 0
        except OSError:  # it has closed its input; its end is told by its output
            return
        if sent < len(line):
            self._unsent += line[sent:]
            self._loop.add_writer(self._stdin, self._flush)

    def _flush(self) -> None:
        try:
            sent = os.write(self._stdin, self._unsent)
        except BlockingIOError:
            return
        except OSError:
            sent = len(self._unsent)
        del self._unsent[:sent]
        if not self._unsent:
            self._loop.remove_writer(self._stdin)

    def _read(self) -> None:
        try:
            data = os.read(self._stdout, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            rest = self._lines.rest()
            if rest.strip():
                self._take(rest)  # its last line may lack an end
            self._end("exit")
            return
        self._printed += len(data)
        if self._printed > (MAX_OUTPUT if self._flying else MAX_IDLE):
            self._end("too-much")
            return
        try:
            lines = self._lines.feed(data)
        except LineTooLongError:
            self._end("too-much")
            return
        for line in lines:
            self._take(line)
        if self.answered >= self._most_calls or self._is_retired:
            self.retire()
        elif self._waiting and self.has_room:
            self._on_room()

    def _hear(self) -> None:
        try:
            data = os.read(self._errors, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._loop.remove_reader(self._errors)
        self._stderr += data
        del self._stderr[:-MAX_STDERR]

    def _take(self, line: bytes) -> None:
        said = answer(line)
        call = self._asked(said) if said is not None else None
        if said is None or call is None:
            if line.strip() and len(self._log) < MAX_LOG:
                self._log.append(line[:1_000].decode("utf-8", "replace"))
            return
        now = self._loop.time()
        elapsed = now - self._head_since
        self.answered += 1
        self._printed = 0
        self._depth = DEPTH if elapsed < QUICK_S else 1
        self._head_since = self.idle_since = now
        if self._flying:
            self._begin(self._flying[0])
        if not call.future.done():
            outcome = Outcome("exit", 0, said, 1, round(elapsed * 1000))
            call.future.set_result(self._with_log(outcome) if self._log or self._stderr else outcome)

    def _asked(self, said: Answer) -> Pending | None:
        """The call that an answer is for, which is no longer in flight then."""
        flying = self._flying
        if not flying:
            return None
        if flying[0].number == said.id:
            return flying.popleft()
        if said.id is None:  # for whom is it? Nobody may get another's answer.
            self._end("no-id")
            return None
        found = next((call for call in flying if call.number == said.id), None)
        if found is not None:
            self._in_order = False
            flying.remove(found)
        return found

    def _with_log(self, outcome: Outcome) -> Outcome:
        """The same with what was said to people since the last one."""
        outcome.log, self._log = self._log, []
        outcome.stderr = self._stderr.decode("utf-8", "replace")
        self._stderr.clear()
        return outcome

    # ── the end ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def stop(self) -> None:
        """It uses more memory than it may: end it at once."""
        self._end("memory")

    def retire(self) -> None:
        """No new calls; it ends when it has answered those it has."""
        self._is_retired = True
        if not self._flying:
            self._end("exit")

    def _end(self, ending: Ending) -> None:
        if not self.is_leaving:
            self.is_leaving = True
            self.ending = ending
            self._burial = self._loop.create_task(self._bury(ending))

    async def _bury(self, ending: Ending) -> None:
        self._deafen()
        status = await asyncio.to_thread(self._gone, PATIENCE_S if ending == "exit" else 0.0)
        ending = "memory" if self._has_run_out and ending == "exit" else ending
        flying = list(self._flying)
        self._flying.clear()
        time_ms = round(max(0.0, self._loop.time() - self._head_since) * 1000)
        if flying and ending != "cancelled":
            flying[0].settle(self._with_log(Outcome(ending=ending, status=status, time_ms=time_ms)))
        again = flying[1:]
        if not self._in_order:  # any of them may have been begun
            for call in again:
                call.settle(Outcome(ending=ending, status=status, time_ms=time_ms))
            again = []
        self._on_end(self, [call for call in again if not call.future.done()])

    def _deafen(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._hear()
            for number in (self._stdout, self._errors):
                self._loop.remove_reader(number)
            self._loop.remove_writer(self._stdin)
        if self._timer is not None:
            self._timer.cancel()

    def _gone(self, patience_s: float) -> int:
        """End the process and everything around it; its exit status. May be called from any thread."""
        if patience_s:
            with contextlib.suppress(OSError):
                if self.process.stdin is not None:
                    self.process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(patience_s)
        status = bury(self.process, self.launch.end)
        self._has_run_out = self.launch.ran_out()
        self.launch.close()
        return status

    def kill(self) -> None:
        """End it at once, without the loop: for a host that leaves."""
        if not self.is_leaving:
            self.is_leaving = True
            self._deafen()
            self._gone(0.0)
        for call in self._flying:
            call.settle(Outcome("cancelled"))
        self._flying.clear()


def _number(stream: IO[bytes] | None) -> int:
    if stream is None:
        raise ValueError("a worker needs all three pipes")
    return stream.fileno()
