"""Calling the tools of skills: check the arguments, decide, start, and say what happened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, cast

from metier.execution.arguments import checked
from metier.execution.functions import call_function
from metier.execution.launch import Job, Launcher, for_stranger
from metier.execution.process import Outcome, not_started, run_once
from metier.execution.runtimes import command_of, needs_building
from metier.execution.sandbox import LEAST_FOR_STRANGERS
from metier.execution.wire import request
from metier.result.answer import Code, Result, failed
from metier.words import one_line

if TYPE_CHECKING:
    from metier.execution.sandbox import Sandbox
    from metier.policy import Policy
    from metier.skill import Skill
    from metier.tool import Tool


class Approvals(Protocol):
    """What the user has decided about single skills."""

    def allows(self, skill: Skill, /) -> bool:
        """Whether it is trusted as it is now."""
        ...

    def knows(self, skill: Skill, /) -> bool:
        """Whether it was trusted once."""
        ...


class Runner:
    """Runs tools for one project.

    Args:
        workspace: The folder that tools may read, and write where they declare it.
        policy: Says whose tools may be run.
        cache: Where built programs and environments are kept.
        environ: The host's environment; a tool sees of it only what it declares.
        trust: Treat every skill as trusted: the user has said so for this once.
        approvals: What the user has decided about single skills.
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
        approvals: Approvals | None = None,
        sandbox: Sandbox | None = None,
    ) -> None:
        self.workspace = workspace
        self.policy = policy
        self.launcher = Launcher(workspace, environ, sandbox)
        self._cache = cache
        self._trust = trust
        self._approvals = approvals

    @property
    def sandbox(self) -> Sandbox:
        """What this machine offers."""
        return self.launcher.sandbox

    def call(self, skill: Skill, tool: Tool, arguments: Mapping[str, Any], *, cancel: int | None = None) -> Result:
        """Run a tool once and wait for its answer. `cancel` is a descriptor that ends the call."""
        complete = self.allowed(skill, tool, arguments)
        if isinstance(complete, Result):
            return complete
        if tool.function is not None:
            return call_function(tool, complete, self.workspace, self.policy.lang).but(params=dict(arguments))
        job = self.job(skill, tool)
        if isinstance(job, Result):
            return job.but(params=dict(arguments))
        outcome = self.run(job, request(complete), cancel=cancel)
        return self.said(tool, arguments, outcome, job.command.log)

    def allowed(self, skill: Skill, tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any] | Result:
        """The arguments with defaults filled in, or why the call is not made. Nothing is started or built for that."""
        # The plain question first: it is asked for every call, and the other one is slow.
        if type(cast("object", arguments)) is not dict and not isinstance(cast("object", arguments), Mapping):
            shown = one_line(repr(arguments))[:80]
            values = {"name": "arguments", "value": shown, "wanted": "an object"}
            return failed(tool.name, Code.INVALID_PARAM, "parameter-wrong", **values)
        complete = checked(tool, arguments)
        if isinstance(complete, Result):
            return complete.but(params=dict(arguments))
        refused = self.refusal(skill, tool)
        return complete if refused is None else refused.but(params=dict(arguments))

    def exchange(self, skill: Skill, tool: Tool, line: bytes) -> Outcome | Result:
        """Send a tool one line as it is, be it a request or not; a result says why it was not started."""
        refused = self.refusal(skill, tool)
        if refused is not None:
            return refused
        job = self.job(skill, tool)
        return job if isinstance(job, Result) else self.run(job, line)

    def may_run(self, skill: Skill, tool: Tool) -> bool:
        """True for a tool that would not be refused."""
        return self.refusal(skill, tool) is None

    def is_trusted(self, skill: Skill) -> bool:
        """Whether the user has said that its programs may be run."""
        if self.policy.execution == "deny":
            return False
        return self._trust or skill.root.trusted or (self._approvals is not None and self._approvals.allows(skill))

    def refusal(self, skill: Skill, tool: Tool) -> Result | None:
        """Why the tool is not run at all, if so."""
        if self.policy.execution == "deny":
            return failed(tool.name, Code.ACCESS_DENIED, "tool-denied", name=tool.name)
        if self.is_trusted(skill):
            return None
        if self.policy.execution == "trusted" or needs_building(tool, skill.dir):
            has_changed = self._approvals is not None and self._approvals.knows(skill)
            key = "tool-changed" if has_changed else "tool-untrusted"
            return failed(tool.name, Code.ACCESS_DENIED, key, name=skill.name)
        if self.sandbox.tier not in LEAST_FOR_STRANGERS:
            found = self.sandbox
            return failed(tool.name, Code.ACCESS_DENIED, "tool-weak-sandbox", tier=found.tier, hint=found.hint)
        return None

    def job(self, skill: Skill, tool: Tool) -> Job | Result:
        """What has to be started for a tool. Builds what has to be built."""
        trusted = self.is_trusted(skill)
        try:
            command = command_of(tool, skill.dir, self._cache, may_build=trusted)
        except OSError as error:
            reason = f"{error.filename or ''} {error.strerror or error}".strip()
            return failed(tool.name, Code.EXECUTION_ERROR, "tool-not-started", name=tool.name, reason=reason)
        if isinstance(command, Result):
            return command
        job = Job(
            command=command,
            skill_dir=skill.dir,
            cwd=skill.dir,
            timeout_s=tool.timeout_s,
            permissions=tool.permissions,
            bounds=tool.bounds,
            env=tool.env,
            more_env=(("METIER_TOOL", tool.name),),
        )
        return job if trusted else for_stranger(job)

    def run(self, job: Job, line: bytes, *, cancel: int | None = None, keeps_text: bool = False) -> Outcome:
        """Start a program, pass it the line, and wait for its end."""
        try:
            launch = self.launcher.prepare(job)
        except OSError as error:
            return not_started(error)
        try:
            outcome = run_once(
                launch.spawn,
                line,
                timeout_s=job.timeout_s,
                end=launch.end,
                cancel=cancel,
                keeps_text=keeps_text,
                most_bytes=launch.most_bytes,
            )
            if outcome.status != 0 and launch.ran_out():
                outcome.ending = "memory"
            outcome.log += launch.notes
            return outcome
        finally:
            launch.close()

    def said(self, tool: Tool, given: Mapping[str, Any], outcome: Outcome, built: str = "") -> Result:
        """What happened, as a result. What a program says to people goes into the log, never to the model."""
        said, name = outcome.answer, tool.name
        data: dict[str, Any] = {"tool": name, "tier": self.sandbox.tier}
        if built or outcome.log or outcome.stderr or outcome.answers > 1:
            data["log"] = _log(outcome, built)
        if said is None or said.error or outcome.status or outcome.ending != "exit":
            return _trouble(tool, outcome).but(data=data, time_ms=outcome.time_ms, params=dict(given))
        data["content"] = said.output
        values = {"name": name, "chars": len(said.output)}
        # By position: this is the one place that a busy worker passes through for every call.
        return Result(name, "tool-done", values, "success", None, None, data, dict(given), "", outcome.time_ms)


def _log(outcome: Outcome, built: str) -> str:
    lines = [built, *outcome.log, outcome.stderr.rstrip("\n")]
    if outcome.answers > 1:
        lines.append(f"{outcome.answers - 1} more answers were printed and not used")
    return "\n".join(filter(None, lines))


def _trouble(tool: Tool, outcome: Outcome) -> Result:
    """What went wrong."""
    name = tool.name
    if outcome.ending != "exit":
        code = Code.TIMEOUT if outcome.ending == "timeout" else Code.EXECUTION_ERROR
        values = {"name": name, "reason": outcome.reason, "seconds": f"{tool.timeout_s:g}", "mb": tool.bounds.memory_mb}
        return failed(name, code, f"tool-{outcome.ending}", **values)
    said = outcome.answer
    if said is not None and said.error:
        return failed(name, Code.EXECUTION_ERROR, "tool-said", text=said.error)
    if outcome.status != 0:
        return failed(name, Code.EXECUTION_ERROR, "tool-exit", name=name, status=outcome.status)
    key = "tool-garbage" if outcome.log else "tool-silent"
    return failed(name, Code.EXECUTION_ERROR, key, name=name, status=outcome.status)
