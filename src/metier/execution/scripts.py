"""Scripts that belong to a skill, and commands in its text: run through the same door as its tools.

A script has no manifest, so it gets nothing but to read the workspace and its skill, unless whoever calls says more. It
starts in the workspace, where the files are that it is called with.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from metier.errors import PathEscape
from metier.execution.launch import Job
from metier.execution.runtimes import Command
from metier.paths import join_inside
from metier.result.answer import Code, Result, failed
from metier.tool import Permissions, Tool
from metier.words import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.execution.process import Outcome
    from metier.execution.runner import Runner
    from metier.skill import Skill
    from metier.tool import Runtime

SCRIPT_S = 120.0
"""How long a script or a command may take where nobody says."""
MAX_STDERR = 2_000
"""Characters of what a failed script said that a model gets, the last ones."""

_RUNTIMES: dict[str, Runtime] = {
    ".py": "python",
    ".js": "node",
    ".mjs": "node",
    ".cjs": "node",
    ".ts": "node",
    ".mts": "node",
}
_SHELLS = {".sh": "sh", ".bash": "bash"}
# The workspace belongs to somebody else than who the script runs as; git would not touch it.
_GIT = (("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "safe.directory"), ("GIT_CONFIG_VALUE_0", "*"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """What a script may do besides reading."""

    write: tuple[str, ...] = ()
    """Paths in the workspace that it may write, relative to it."""
    network: bool = False
    timeout_s: float = SCRIPT_S


def run_script(
    runner: Runner,
    skill: Skill,
    path: str,
    args: Sequence[str] = (),
    *,
    stdin: str = "",
    leave: Leave | None = None,
    cancel: int | None = None,
) -> Result:
    """Run a script of a skill with arguments. Its output, what it said, and its exit status are told apart."""
    shown = one_line(path)[:100]
    name = f"{skill.name}/{shown}"
    if isinstance(args, str) or not all(isinstance(word, str) for word in cast("Sequence[object]", args or ())):
        shown_args = one_line(repr(args))[:100]
        return failed(
            name, Code.INVALID_PARAM, "parameter-wrong", name="args", value=shown_args, wanted="a list of texts"
        )
    args = args or ()
    params: dict[str, Any] = {"name": skill.name, "path": path, "args": list(args)}
    tool = _as_tool(skill, path, name)
    if isinstance(tool, Result):
        return tool.but(params=params)
    refused = runner.refusal(skill, tool)
    if refused is not None:
        return refused.but(params=params)
    job = _job(runner, skill, tool, leave or Leave())
    if isinstance(job, Result):
        return job.but(params=params)
    lost = runner.launcher.lost(job)
    if lost:
        return failed(name, Code.INVALID_PARAM, "write-missing", path=one_line(lost[0])[:100]).but(params=params)
    command = replace(job.command, argv=(*job.command.argv, *args))
    job = replace(job, command=command, cwd=runner.workspace or skill.dir, more_env=_GIT)
    outcome = runner.run(job, stdin.encode("utf-8", "replace"), cancel=cancel, keeps_text=True)
    return _said(name, outcome, job, runner).but(params=params)


def run_command(runner: Runner, skill: Skill, command: str, args: str, words: Sequence[str]) -> Outcome:
    """Run a command of a skill's text with the shell. Its arguments are the shell's own, never part of its text."""
    shell = shutil.which("bash") or "/bin/sh"
    variables = {
        "ARGUMENTS": args,
        "SKILL_DIR": skill.dir,
        "CLAUDE_SKILL_DIR": skill.dir,
        "CLAUDE_PROJECT_DIR": runner.workspace,
    }
    job = Job(
        command=Command(argv=(shell, "-c", command, *(words or ("",)))),
        skill_dir=skill.dir,
        cwd=runner.workspace or skill.dir,
        timeout_s=SCRIPT_S,
        more_env=(*_GIT, *variables.items()),
    )
    return runner.run(job, b"", keeps_text=True)


def _as_tool(skill: Skill, path: str, name: str) -> Tool | Result:
    """The script as something that can be started."""
    try:
        place = join_inside(skill.dir, path) if skill.path and path.strip() else ""
    except PathEscape:
        return failed(name, Code.ACCESS_DENIED, "path-outside", path=one_line(path)[:100])
    if not place or not os.path.isfile(place):
        return failed(name, Code.NOT_FOUND, "script-missing", path=one_line(path)[:100], name=skill.name)
    entry = os.path.relpath(place, os.path.realpath(skill.dir)).replace(os.sep, "/")
    return Tool(name=name, description="", runtime=_RUNTIMES.get(_suffix(place), "binary"), entry=entry)


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()


def _job(runner: Runner, skill: Skill, tool: Tool, leave: Leave) -> Job | Result:
    suffix = _suffix(tool.entry)
    permissions = Permissions(network=leave.network, write=leave.write)
    if suffix in _SHELLS:
        shell = shutil.which(_SHELLS[suffix]) or "/bin/sh"
        entry = os.path.join(skill.dir, *tool.entry.split("/"))
        command = Command(argv=(shell, entry))
        job = Job(command=command, skill_dir=skill.dir, cwd=skill.dir, timeout_s=leave.timeout_s)
    else:
        made = runner.job(skill, tool)
        if isinstance(made, Result):
            return made
        job = made
    return replace(job, permissions=permissions, timeout_s=leave.timeout_s)


def _said(name: str, outcome: Outcome, job: Job, runner: Runner) -> Result:
    data: dict[str, Any] = {
        "content": outcome.text,
        "stdout": outcome.text,
        "stderr": outcome.stderr,
        "exit_status": outcome.status,
        "tier": runner.sandbox.tier,
    }
    if outcome.ending != "exit":
        code = Code.TIMEOUT if outcome.ending == "timeout" else Code.EXECUTION_ERROR
        values = {
            "name": name,
            "reason": outcome.reason,
            "seconds": f"{job.timeout_s:g}",
            "mb": job.bounds.memory_mb,
        }
        return failed(name, code, f"tool-{outcome.ending}", **values).but(data=data, time_ms=outcome.time_ms)
    if outcome.status == 0:
        values = {"name": name, "chars": len(outcome.text)}
        return Result(tool=name, key="tool-done", values=values, data=data, time_ms=outcome.time_ms)
    # What a script says when it fails is what the model has to know.
    said = outcome.stderr.strip()[-MAX_STDERR:]
    data["content"] = "\n".join(filter(None, (outcome.text.rstrip("\n"), f"[stderr]\n{said}" if said else "")))
    key = "script-modules" if "ModuleNotFoundError" in said else "script-exit"
    values = {"name": name, "status": outcome.status}
    return Result(tool=name, key=key, values=values, status="partial", data=data, time_ms=outcome.time_ms)
