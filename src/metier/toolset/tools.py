"""The tools of skills, callable: found in a catalog, run in the sandbox, once or by workers that stay."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from typing import TYPE_CHECKING, Any

from metier.catalog.cache import tools_path
from metier.catalog.loading import find
from metier.catalog.resources import newest_change
from metier.diagnostic import problem
from metier.disclosure.arguments import as_argument_text, words_of
from metier.disclosure.commands import PLACEHOLDER, Inserted
from metier.execution.background import Background
from metier.execution.pool import Pool, Terms, Work
from metier.execution.runner import Runner
from metier.execution.scripts import run_command, run_script
from metier.parsing.names import suggestions
from metier.result import Code, Result, failed
from metier.store.trust import Trust
from metier.words import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.catalog.catalog import Catalog
    from metier.diagnostic import Diagnostic
    from metier.disclosure.arguments import Arguments
    from metier.disclosure.commands import Command
    from metier.execution.sandbox import Sandbox
    from metier.execution.scripts import Leave
    from metier.skill import Skill
    from metier.tool import Tool

MAX_NAMES = 20
LOOK_S = 0.02
"""How long a look at a worker's program counts."""


class Tools:
    """The tools of all skills in a catalog. Close it, or use it in a `with` statement, to end its workers.

    Args:
        catalog: Where they come from. Its policy says whose tools may be run.
        trust: Treat every skill as trusted; the user has said so.
        environ: The host's environment; a tool sees of it only what it declares.
        sandbox: What this machine offers; found out when it is not given.
        terms: How long workers are kept, and how many.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        trust: bool = False,
        environ: Mapping[str, str] | None = None,
        sandbox: Sandbox | None = None,
        terms: Terms | None = None,
    ) -> None:
        environment = os.environ if environ is None else environ
        self.catalog = catalog
        self._trust = Trust.of(environment)
        self.runner = Runner(
            catalog.project,
            catalog.policy,
            cache=tools_path(environment),
            environ=environment,
            trust=trust,
            approvals=self._trust,
            sandbox=sandbox,
        )
        self._terms = terms
        self._background = Background()
        self._stations: dict[asyncio.AbstractEventLoop, _Station] = {}
        self._unbuilt: dict[tuple[str, str], Diagnostic] = {}
        self._works: dict[str, tuple[float, Tool, Work]] = {}
        self._known: tuple[tuple[Skill, ...], dict[str, tuple[Skill, Tool]]] = ((), {})
        self._decided: tuple[float, object] = (0.0, None)

    def __enter__(self) -> Tools:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def sandbox(self) -> Sandbox:
        """What this machine offers."""
        return self.runner.sandbox

    @property
    def offered(self) -> tuple[tuple[Skill, Tool], ...]:
        """Every tool that may be run, with its skill; of two with one name, the one of the skill that ranks first."""
        found = self._by_name()
        return tuple(found[name] for name in sorted(found))

    @property
    def workers(self) -> tuple[int, ...]:
        """The process ids of the workers that are there now."""
        return tuple(worker.process.pid for one in self._stations.values() for worker in one.pool.workers)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The tools that could not be built, each with what the compiler said. They are not offered."""
        return tuple(self._unbuilt[tool] for tool in sorted(self._unbuilt))

    def prepare(self, skills: Sequence[Skill] | None = None) -> tuple[Diagnostic, ...]:
        """Build what has to be built, of all skills but metier's own, or of these.

        Returns the problems: a tool that does not build is no longer offered, unless an older build of it is there.
        """
        chosen = [skill for skill in self.catalog.skills if not skill.is_system] if skills is None else skills
        found: list[Diagnostic] = []
        for skill in chosen:
            for tool in skill.tools:
                if tool.runtime == "go" and self.runner.may_run(skill, tool):
                    found += self._prepare(skill, tool)
        self._known = ((), {})
        return tuple(found)

    def _prepare(self, skill: Skill, tool: Tool) -> list[Diagnostic]:
        made = self.runner.job(skill, tool)
        self._unbuilt.pop((skill.dir, tool.name), None)
        trouble = str(made.data.get("log") or made.summary()) if isinstance(made, Result) else made.command.log
        if not trouble:
            return []
        one = problem("tool-build", skill.path, name=tool.name, reason=trouble)
        if isinstance(made, Result):
            self._unbuilt[skill.dir, tool.name] = one
        return [one]

    def _by_name(self) -> dict[str, tuple[Skill, Tool]]:
        skills, now = self.catalog.skills, time.monotonic()
        looked, version = self._decided
        if now - looked > LOOK_S:
            self._decided = (now, self._trust.version)
            if self._decided[1] != version:
                self._known = ((), {})
        if self._known[0] is not skills:
            found: dict[str, tuple[Skill, Tool]] = {}
            for skill in sorted((one for one in skills if one.tools), key=lambda skill: skill.root.rank):
                for tool in skill.tools:
                    is_built = (skill.dir, tool.name) not in self._unbuilt
                    if tool.name not in found and is_built and self.runner.may_run(skill, tool):
                        found[tool.name] = (skill, tool)
            self._known = (skills, found)
        return self._known[1]

    def has(self, name: str) -> bool:
        """Whether there is such a tool that may be run now."""
        return name in self._by_name()

    def _find(self, name: str) -> tuple[Skill, Tool] | Result:
        found = self._by_name().get(name)
        if found is None:
            self.catalog.look()
            found = self._by_name().get(name)
        if found is not None:
            return found
        for skill in self.catalog.skills:
            for tool in skill.tools:
                refused = self.runner.refusal(skill, tool) if tool.name == name else None
                if refused is not None:
                    return refused
        known = sorted(self._by_name())
        near = suggestions(name, known) or tuple(known)[:MAX_NAMES]
        shown = ", ".join(near) or "none"
        return failed("tool", Code.NOT_FOUND, "tool-missing", name=one_line(name)[:100], known=shown)

    def call_blocking(self, name: str, arguments: Mapping[str, Any], *, cancel: int | None = None) -> Result:
        """Call a tool and wait for its answer. What goes wrong is in the result."""
        found = self._find(name)
        return found if isinstance(found, Result) else self.call_of(*found, arguments, cancel=cancel)

    def call_of(self, skill: Skill, tool: Tool, arguments: Mapping[str, Any], *, cancel: int | None = None) -> Result:
        """The same for a tool that one has already, be it offered or not."""
        if tool.mode != "worker":
            return self.runner.call(skill, tool, arguments, cancel=cancel)
        try:
            return self._background.run(lambda: self._by_worker(skill, tool, arguments), cancel)
        except asyncio.CancelledError:
            code = Code.EXECUTION_ERROR
            return failed(tool.name, code, "tool-cancelled", name=tool.name).but(params=dict(arguments))

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Result:
        """Call a tool. When the caller is cancelled, the program and all it has started are ended first."""
        found = self._by_name().get(name) or self._find(name)
        if isinstance(found, Result):
            return found
        skill, tool = found
        if tool.mode == "worker":
            return await self._by_worker(skill, tool, arguments)
        async with self._station().runs:
            return await _in_thread(self.runner, skill, tool, arguments)

    def run_script(
        self,
        name: str,
        path: str,
        args: Sequence[str] = (),
        *,
        stdin: str = "",
        leave: Leave | None = None,
        cancel: int | None = None,
    ) -> Result:
        """Run a script of a skill, such as `scripts/check.py`, and wait for its end. What goes wrong is in the result.

        Args:
            name: The skill's.
            path: Of the script, relative to the skill's folder.
            args: Its command line.
            stdin: What it reads.
            leave: What it may do besides reading the workspace.
            cancel: A descriptor that ends it.
        """
        skill = find(self.catalog, name, "user", "skill_run")
        if isinstance(skill, Result):
            return skill
        return run_script(self.runner, skill, path, args, stdin=stdin, leave=leave, cancel=cancel)

    def run_commands(self, skill: Skill, commands: Sequence[Command], args: Arguments) -> Sequence[Inserted] | Result:
        """What the commands in a skill's text print, in their places. The first that fails ends it all."""
        if not self.runner.is_trusted(skill):
            return [Inserted(one.start, one.end, PLACEHOLDER) for one in commands]
        found: list[Inserted] = []
        for one in commands:
            outcome = run_command(self.runner, skill, one.text, as_argument_text(args), words_of(args))
            if outcome.ending != "exit" or outcome.status != 0:
                reason = outcome.reason or (outcome.ending if outcome.ending != "exit" else f"status {outcome.status}")
                values = {"name": skill.name, "command": one_line(one.text)[:100], "reason": reason}
                log = f"{outcome.text}{outcome.stderr}".strip()
                return failed("Skill", Code.EXECUTION_ERROR, "command-failed", **values).but(data={"log": log})
            printed = f"{outcome.text}{outcome.stderr}".rstrip("\n")
            limit = self.catalog.policy.output_chars
            cut = f"{printed[:limit]}\n[cut after {limit:,} of {len(printed):,} characters]"
            found.append(Inserted(one.start, one.end, printed if len(printed) <= limit else cut))
        return found

    async def _by_worker(self, skill: Skill, tool: Tool, arguments: Mapping[str, Any]) -> Result:
        complete = self.runner.allowed(skill, tool, arguments)
        if isinstance(complete, Result):
            return complete
        outcome = await self._station().pool.call(self._work(skill, tool), complete, tool.timeout_s)
        return outcome if isinstance(outcome, Result) else self.runner.said(tool, arguments, outcome)

    def _work(self, skill: Skill, tool: Tool) -> Work:
        """What a worker is for. Its file is looked at again only after a moment: calls come in thousands."""
        now = time.monotonic()
        looked, known, work = self._works.get(tool.name, (0.0, None, None))
        if work is not None and known is tool and now - looked < LOOK_S:
            return work
        folder = skill.dir
        try:
            status = os.stat(os.path.join(folder, tool.entry))
            entry = (status.st_mtime_ns, status.st_size, status.st_ino)
        except OSError:  # said by the job
            entry = None
        version = (tool, entry)
        if work is None or work.version != version or work.folder != folder:
            work = Work(
                key=(folder, tool.name), version=version, folder=folder, job=lambda: self.runner.job(skill, tool)
            )
        self._works[tool.name] = (now, tool, work)
        return work

    def _station(self) -> _Station:
        """What belongs to the running event loop. Of loops that have ended, the workers are ended too."""
        loop = asyncio.get_running_loop()
        station = self._stations.get(loop)
        if station is None:
            for old in [one for one in self._stations if one.is_closed()]:
                self._stations.pop(old).pool.close()
            station = self._stations[loop] = _Station(self.runner, self._terms)
        return station

    def retire_outdated(self) -> None:
        """Let workers go whose skills have a file that is younger than they are."""
        for station in list(self._stations.values()):
            if station.pool.loop.is_closed():
                continue
            for folder, started in station.pool.folders.items():
                if newest_change(folder) > started:
                    station.pool.loop.call_soon_threadsafe(station.pool.retire, folder)

    def close(self) -> None:
        """End all workers."""
        self._background.close(self._leave)
        for loop in list(self._stations):
            pool = self._stations.pop(loop).pool
            if loop.is_running() and loop is not _loop_here():
                done = threading.Event()
                loop.call_soon_threadsafe(lambda pool=pool, done=done: (pool.close(), done.set()))
                done.wait(10)
            else:
                pool.close()

    def _leave(self) -> None:
        station = self._stations.pop(asyncio.get_running_loop(), None)
        if station is not None:
            station.pool.close()


def _loop_here() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


class _Station:
    """What belongs to one event loop."""

    def __init__(self, runner: Runner, terms: Terms | None) -> None:
        cores = os.cpu_count() or 1
        # More processes being started at once than there are cores only make each of them slower.
        self.starts = asyncio.Semaphore(cores)
        # Running ones may wait for something else than a processor, and must not keep others from their turn.
        self.runs = asyncio.Semaphore(8 * cores)
        self.pool = Pool(runner.launcher, self.starts, terms)


async def _in_thread(runner: Runner, skill: Skill, tool: Tool, arguments: Mapping[str, Any]) -> Result:
    """One process for one call. It is waited for also by who is cancelled, so that nothing is left behind."""
    reading, writing = os.pipe()
    work = asyncio.ensure_future(asyncio.to_thread(runner.call, skill, tool, arguments, cancel=reading))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        os.close(writing)
        writing = -1
        await asyncio.wait([work])
        raise
    finally:
        for number in (reading, writing):
            if number >= 0:
                os.close(number)
