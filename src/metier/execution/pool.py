"""Workers, kept between calls: started when they are needed, ended when they are not.

A lane is for one version of one tool. Callers are served in the order they came. A lane has one worker while that keeps
up, and up to as many as there are cores where it does not. A pool belongs to one event loop.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import weakref
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from metier.execution.proc import resident_bytes
from metier.execution.process import Outcome, bury, not_started, start
from metier.execution.worker import Pending, Worker
from metier.result.answer import Result

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Awaitable, Callable, Hashable, Mapping

    from metier.execution.launch import Job, Launch, Launcher

    _Made: TypeAlias = tuple[subprocess.Popen[bytes], Launch] | Outcome

LOOK_S = 0.5
"""How often workers are looked at."""

_host = os.getpid()
_alive: weakref.WeakSet[Worker] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    """Nothing of ours outlives the host. A fork of it has workers that are not its own."""
    if os.getpid() != _host:
        return
    for worker in list(_alive):
        worker.kill()


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How long workers are kept, and how failures are met."""

    most: int = max(1, os.cpu_count() or 1)
    """Workers of one lane."""
    idle_s: float = 60.0
    """How long one may have nothing to do."""
    most_calls: int = 100_000
    """After so many calls a fresh one takes over: what leaks, leaks no further."""
    memory_share: float = 0.8
    """As much of the memory it may use, and a fresh one takes over."""
    tries: int = 3
    """Ends without a single answer before callers are told at once that it does not work."""
    backoff_s: float = 0.5
    """How long they are told so; doubled with every further failure."""
    most_backoff_s: float = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a lane is for."""

    key: Hashable
    version: object
    """Another one means that running workers are outdated."""
    folder: str
    """The skill's."""
    job: Callable[[], Job | Result]
    """What to start. Called in a thread: it may have to build something first."""


class Pool:
    """The workers of one event loop.

    Args:
        launcher: Makes their surroundings.
        starts: Bounds how many programs are being started at once, with whoever else shares it.
        terms: How long they are kept.
    """

    def __init__(self, launcher: Launcher, starts: asyncio.Semaphore, terms: Terms | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        self.launcher = launcher
        self.starts = starts
        self.terms = terms or Terms()
        self.threads = ThreadPoolExecutor(self.terms.most, "metier-start")
        self._lanes: dict[Hashable, _Lane] = {}
        self._retired: set[_Lane] = set()

    def call(self, work: Work, arguments: Mapping[str, Any], timeout_s: float) -> Awaitable[Outcome | Result]:
        """Have a call answered by a worker. Those of an older version finish what they do, and end."""
        lane = self._lanes.get(work.key)
        if lane is None or (lane.work is not work and lane.work.version != work.version):
            if lane is not None:
                self._retire(lane)
            lane = self._lanes[work.key] = _Lane(self, work)
        return lane.call(arguments, timeout_s)

    def retire(self, folder: str) -> None:
        """Let the workers of a skill finish what they do, and end: its files are others by now."""
        for key in [key for key, lane in self._lanes.items() if lane.work.folder == folder]:
            self._retire(self._lanes.pop(key))

    def _retire(self, lane: _Lane) -> None:
        """Its workers finish what they do; until then it has to be known."""
        lane.retire()
        self._retired = {one for one in (*self._retired, lane) if one.is_busy}

    @property
    def folders(self) -> dict[str, float]:
        """The skills that have workers, and when the first of these was started, in seconds of the clock."""
        found: dict[str, float] = {}
        for lane in self._lanes.values():
            for worker in lane.workers:
                found[lane.work.folder] = min(worker.started, found.get(lane.work.folder, worker.started))
        return found

    @property
    def workers(self) -> tuple[Worker, ...]:
        """Those that are there now."""
        return tuple(worker for lane in (*self._lanes.values(), *self._retired) for worker in lane.workers)

    def close(self) -> None:
        """End all workers at once. Who still waits is told that the call was cancelled."""
        for lane in (*self._lanes.values(), *self._retired):
            lane.close()
        self._lanes.clear()
        self._retired.clear()
        self.threads.shutdown(wait=False)


class _Lane:
    """The workers of one key, and who waits for them."""

    def __init__(self, pool: Pool, work: Work) -> None:
        self.work = work
        self.workers: list[Worker] = []
        self._pool = pool
        self._waiting: deque[Pending] = deque()
        self._starting: set[asyncio.Task[None]] = set()
        self._failures = 0
        self._closed_until = 0.0
        self._is_closed = False
        self._sweeper: asyncio.TimerHandle | None = None
        self._memory = 0
        self._refusal: Result | None = None

    @property
    def is_busy(self) -> bool:
        """Whether it has processes or callers left."""
        return bool(self.workers or self._waiting or self._starting)

    async def call(self, arguments: Mapping[str, Any], timeout_s: float) -> Outcome | Result:
        loop = self._pool.loop
        if self._closed_until and self._closed_until > loop.time():
            left = self._closed_until - loop.time()
            return Outcome(ending="broken", reason=f"{self._failures} times, next try in {left:.1f} s")
        pending = Pending(arguments, timeout_s, loop.create_future())
        worker = None if self._waiting else self._with_room()
        if worker is not None:
            worker.send(pending)
        else:
            self._waiting.append(pending)
            self._dispatch()
        try:
            outcome = await pending.future
        except asyncio.CancelledError:
            self._forget(pending)
            raise
        return self._refusal or outcome if outcome.ending == "not-started" else outcome

    def _forget(self, pending: Pending) -> None:
        if pending in self._waiting:
            self._waiting.remove(pending)
        elif pending.worker is not None:
            pending.worker.forget(pending)

    def _dispatch(self) -> None:
        """Give to workers what they have room for; start one more where that is not enough."""
        while self._waiting:
            worker = self._with_room()
            if worker is None:
                break
            worker.send(self._waiting.popleft())
        if not self._waiting:
            return
        starting = len(self._starting)
        if len(self._waiting) > starting and len(self.workers) + starting < self._pool.terms.most:
            task = self._pool.loop.create_task(self._start())
            self._starting.add(task)
            task.add_done_callback(self._starting.discard)

    def _with_room(self) -> Worker | None:
        """The one with the least to do. Who has done nothing for a while may have died meanwhile."""
        best: Worker | None = None
        for worker in self.workers:
            if worker.has_room and (best is None or worker.load < best.load):
                best = worker
        if best is None or best.load or best.is_alive:
            return best
        best.retire()
        return self._with_room()

    async def _start(self) -> None:
        async with self._pool.starts:
            try:
                made = await self._made()
            except (OSError, RuntimeError) as error:  # no room for it, or the pool was closed meanwhile
                made = Outcome("not-started", reason=str(error))
        if self._is_closed:
            _throw_away(made)
            return
        if isinstance(made, Outcome):
            self._failures += 1
            self._back_off()
            self._tell_all(made)
            return
        most_calls = self._pool.terms.most_calls
        process, launch = made
        worker = Worker(
            process,
            launch,
            self._pool.loop,
            most_calls,
            waiting=self._waiting,
            on_room=self._dispatch,
            on_end=self._ended,
        )
        _alive.add(worker)
        self.workers.append(worker)
        self._dispatch()
        self._keep_sweeping()

    async def _made(self) -> _Made:
        """What `_make` makes, in a thread; thrown away where nobody waits for it any more."""
        work = self._pool.threads.submit(self._make)
        try:
            return await asyncio.wrap_future(work)
        except asyncio.CancelledError:
            work.add_done_callback(lambda done: None if done.cancelled() else _throw_away(done.result()))
            raise

    def _make(self) -> _Made:
        """Build what has to be built, and start it."""
        job = self.work.job()
        self._refusal = job if isinstance(job, Result) else None
        if isinstance(job, Result):
            return Outcome(ending="not-started")
        self._memory = job.bounds.memory_mb * 1024 * 1024
        try:
            launch = self._pool.launcher.prepare(job, stays=True)
        except OSError as error:
            return not_started(error)
        try:
            return start(launch.spawn), launch
        except (OSError, ValueError) as error:
            launch.close()
            return not_started(error)

    def _ended(self, worker: Worker, unbegun: list[Pending]) -> None:
        """A worker has ended; what it had not begun goes back to the front."""
        if worker in self.workers:
            self.workers.remove(worker)
        if worker.answered:
            self._failures = 0
        elif worker.ending in ("exit", "no-id", "too-much"):
            self._failures += 1
        self._waiting.extendleft(reversed(unbegun))
        self._back_off()
        if self._closed_until > self._pool.loop.time():
            left = self._closed_until - self._pool.loop.time()
            self._tell_all(Outcome(ending="broken", reason=f"{self._failures} times, next try in {left:.1f} s"))
        if not self._is_closed:
            self._dispatch()

    def _back_off(self) -> None:
        terms = self._pool.terms
        over = max(0, self._failures - terms.tries)
        if self._failures >= terms.tries:
            self._closed_until = self._pool.loop.time() + min(terms.most_backoff_s, terms.backoff_s * 2**over)

    def _tell_all(self, outcome: Outcome) -> None:
        while self._waiting:
            self._waiting.popleft().settle(outcome)

    # ── keeping house ────────────────────────────────────────────────────────────────────────────────────────────────

    def _keep_sweeping(self) -> None:
        if self._sweeper is None and self.workers:
            terms = self._pool.terms
            self._sweeper = self._pool.loop.call_later(min(terms.idle_s / 2, LOOK_S), self._sweep)

    def _sweep(self) -> None:
        """Send home who has had nothing to do, or has grown too large."""
        self._sweeper = None
        terms, now = self._pool.terms, self._pool.loop.time()
        for worker in list(self.workers):
            used = self._used(worker)
            if worker.launch.most_bytes and used > worker.launch.most_bytes:
                worker.stop()
            elif used > self._memory * terms.memory_share or (
                not worker.load and now - worker.idle_since >= terms.idle_s
            ):
                worker.retire()
        self._keep_sweeping()

    def _used(self, worker: Worker) -> int:
        group = worker.launch.group
        return group.used_bytes() if group is not None else resident_bytes(worker.process.pid, self._memory)

    def retire(self) -> None:
        """Its workers end when they have answered what they have."""
        for worker in list(self.workers):
            worker.retire()

    def close(self) -> None:
        """End everything now."""
        self._is_closed = True
        if self._sweeper is not None:
            self._sweeper.cancel()
        self._tell_all(Outcome(ending="cancelled"))
        for worker in list(self.workers):
            worker.kill()
        self.workers.clear()


def _throw_away(made: _Made) -> None:
    """End a program that was started for nobody."""
    if not isinstance(made, Outcome):
        process, launch = made
        bury(process, launch.end)
        launch.close()
