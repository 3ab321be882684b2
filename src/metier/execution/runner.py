"""Calling the tools of skills: check the arguments, build the cell, run, and say what happened."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from typing import TYPE_CHECKING, Any

from metier.errors import PathEscape
from metier.execution.arguments import checked
from metier.execution.functions import call_function
from metier.execution.process import MARK, Outcome, Spawn, run_once
from metier.execution.runtimes import Command, command_of, needs_building
from metier.execution.sandbox import LEAST_FOR_STRANGERS, Cell, Sandbox, is_root, probe, somebody, wrapped
from metier.execution.seccomp import seccomp_filter
from metier.execution.wire import request
from metier.paths import join_inside
from metier.result.answer import Code, Result, failed

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from metier.policy import Policy
    from metier.skill import Skill
    from metier.tool import Tool

PATH = "/usr/local/bin:/usr/bin:/bin"


class Runner:
    """Runs tools for one project.

    Args:
        workspace: The folder that tools may read, and write where they declare it.
        policy: Says whose tools may be run.
        cache: Where built programs and environments are kept.
        environ: The host's environment; a tool sees of it only what it declares.
        trust: Treat every skill as trusted: the user has said so for this once.
        sandbox: What this machine offers; found out when it is not given.
    """

    def __init__(
        self,
        workspace: str,
        policy: Policy,
        *,
        cache: str,
        environ: Mapping[str, str],
        trust: bool = False,
        sandbox: Sandbox | None = None,
    ) -> None:
        self.workspace = workspace
        self.policy = policy
        self._cache = cache
        self._environ = environ
        self._trust = trust
        self._sandbox = sandbox

    @property
    def sandbox(self) -> Sandbox:
        """What this machine offers."""
        return self._sandbox or probe()

    def call(self, skill: Skill, tool: Tool, arguments: Mapping[str, Any], *, cancel: int | None = None) -> Result:
        """Run a tool once and wait for its answer. `cancel` is a descriptor that ends the call."""
        complete = checked(tool, arguments)
        if isinstance(complete, Result):
            return complete.but(params=dict(arguments))
        refused = self._refusal(skill, tool)
        if refused is not None:
            return refused.but(params=dict(arguments))
        if tool.function is not None:
            return call_function(tool, complete, self.workspace, self.policy.lang).but(params=dict(arguments))
        command = command_of(tool, skill.dir, self._cache)
        if isinstance(command, Result):
            return command.but(params=dict(arguments))
        user = somebody()
        with self._work_folder(user) as work:
            outcome = self._run(skill, tool, command, request(complete), work=work, user=user, cancel=cancel)
        return self._said(tool, command, outcome).but(params=dict(arguments))

    def exchange(self, skill: Skill, tool: Tool, line: bytes) -> Outcome | Result:
        """Send a tool one line as it is, be it a request or not; a result says why it was not started."""
        refused = self._refusal(skill, tool)
        if refused is not None:
            return refused
        command = command_of(tool, skill.dir, self._cache)
        if isinstance(command, Result):
            return command
        user = somebody()
        with self._work_folder(user) as work:
            return self._run(skill, tool, command, line, work=work, user=user, cancel=None)

    def may_run(self, skill: Skill, tool: Tool) -> bool:
        """True for a tool that would not be refused."""
        return self._refusal(skill, tool) is None

    def _refusal(self, skill: Skill, tool: Tool) -> Result | None:
        """Why the tool is not run at all, if so."""
        if self.policy.execution == "deny":
            return failed(tool.name, Code.ACCESS_DENIED, "tool-denied", name=tool.name)
        if self._trust or skill.root.trusted:
            return None
        if self.policy.execution == "trusted" or needs_building(tool, skill.dir):
            return failed(tool.name, Code.ACCESS_DENIED, "tool-untrusted", name=skill.name)
        if self.sandbox.tier not in LEAST_FOR_STRANGERS:
            found = self.sandbox
            return failed(tool.name, Code.ACCESS_DENIED, "tool-weak-sandbox", tier=found.tier, hint=found.hint)
        return None

    @contextlib.contextmanager
    def _work_folder(self, user: int) -> Generator[str]:
        """A folder of its own for one call, gone afterwards."""
        work = tempfile.mkdtemp(prefix=f"metier-call-{os.getpid()}-")
        try:
            if is_root() and self.sandbox.tier == "T3":
                os.chown(work, user, user)
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def _run(
        self, skill: Skill, tool: Tool, command: Command, line: bytes, *, work: str, user: int, cancel: int | None
    ) -> Outcome:
        mark = secrets.token_hex(12)
        env = self._variables(skill, tool, work, mark)
        writable = [work, *self._writable(tool)]
        readable = dict.fromkeys((self.workspace, *self._readable(tool), skill.dir, *command.readable))
        cell = Cell(
            readable=[path for path in readable if path],
            writable=writable,
            cwd=skill.dir,
            env=env,
            network=tool.permissions.network,
            user=user,
            bounds=tool.bounds,
        )
        tier = self.sandbox.tier
        filter_fd = _filter_fd() if tier == "T3" else None
        try:
            argv = wrapped(command.argv, cell, tier, filter_fd)
            spawn = Spawn(argv=argv, env=env, cwd=skill.dir, files=() if filter_fd is None else (filter_fd,))
            return run_once(spawn, line, timeout_s=tool.timeout_s, cancel=cancel)
        finally:
            if filter_fd is not None:
                os.close(filter_fd)

    def _variables(self, skill: Skill, tool: Tool, work: str, mark: str) -> dict[str, str]:
        declared = {name: self._environ[name] for name in tool.env if name in self._environ}
        return {
            **declared,
            "PATH": PATH,
            "HOME": work,
            "TMPDIR": "/tmp" if self.sandbox.tier == "T3" else work,  # noqa: S108 - the sandbox's own
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "PYTHONUTF8": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "METIER_SKILL_DIR": skill.dir,
            "METIER_WORKSPACE": self.workspace,
            "METIER_WORK_DIR": work,
            MARK: mark,
        }

    def _readable(self, tool: Tool) -> list[str]:
        return [path for path in tool.permissions.read if os.path.isabs(path) and os.path.exists(path)]

    def _writable(self, tool: Tool) -> list[str]:
        found: list[str] = []
        for path in tool.permissions.write:
            with contextlib.suppress(PathEscape):
                place = join_inside(self.workspace, path)
                if os.path.exists(place):
                    found.append(place)
        return found

    def _said(self, tool: Tool, command: Command, outcome: Outcome) -> Result:
        """What happened, as a result. What a program says to people goes into the log, never to the model."""
        log = "\n".join(filter(None, (command.log, *outcome.log, outcome.stderr.rstrip("\n"))))
        extra = max(0, outcome.answers - 1)
        if extra:
            log = f"{log}\n{extra} more answers were printed and not used".strip()
        data: dict[str, Any] = {"tool": tool.name, "tier": self.sandbox.tier, **({"log": log} if log else {})}
        result = self._judged(tool, outcome)
        return result.but(data={**result.data, **data}, time_ms=outcome.time_ms)

    def _judged(self, tool: Tool, outcome: Outcome) -> Result:
        name = tool.name
        if outcome.ending != "exit":
            code = Code.TIMEOUT if outcome.ending == "timeout" else Code.EXECUTION_ERROR
            values = {"name": name, "reason": outcome.reason, "seconds": f"{tool.timeout_s:g}"}
            return failed(name, code, f"tool-{outcome.ending}", **values)
        said = outcome.answer
        if said is not None and said.error:
            return failed(name, Code.EXECUTION_ERROR, "tool-said", text=said.error)
        if outcome.status != 0:
            return failed(name, Code.EXECUTION_ERROR, "tool-exit", name=name, status=outcome.status)
        if said is None:
            return failed(name, Code.EXECUTION_ERROR, "tool-silent", name=name, status=outcome.status)
        values = {"name": name, "chars": len(said.output)}
        return Result(tool=name, key="tool-done", values=values, data={"content": said.output})


def _filter_fd() -> int | None:
    """A file that holds the filter of system calls, for the sandbox to read."""
    program = seccomp_filter()
    if program is None:
        return None
    number = os.memfd_create("metier-filter", 0)
    os.write(number, program)
    os.lseek(number, 0, os.SEEK_SET)
    return number
