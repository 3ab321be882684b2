"""The protocol tried for real: good, bad and senseless requests, each answered by one line, in the sandbox."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from metier.authoring.examples import arguments_of, made_up
from metier.errors import PathEscape
from metier.execution.wire import request
from metier.paths import join_inside
from metier.result.answer import Result
from metier.words import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from metier.execution.process import Outcome
    from metier.execution.runner import Runner
    from metier.skill import Skill
    from metier.tool import Parameter, Tool

Sort: TypeAlias = Literal["good", "invalid", "odd", "long"]
"""`invalid` must be answered by an error; `odd` and `long` by an answer, whatever it says."""

LONG = 70_000
"""Characters of a request that a reader with a buffer of 64 KiB cannot take."""
PATIENCE_S = 10.0
"""How long a bad request may take: nothing has to be done for it."""
MAX_FILE = 20 * 1024 * 1024

_WRONG: dict[str, Any] = {"string": 5, "integer": "x", "number": "x", "boolean": "perhaps"}


class Try(NamedTuple):
    """One line to send."""

    sort: Sort
    line: bytes
    about: str
    """What it is, for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What a tool made of one line."""

    tried: Try
    outcome: Outcome

    @property
    def fault(self) -> str:
        """What is wrong with it as an answer; empty for one line of JSON and a good end."""
        outcome = self.outcome
        if outcome.ending != "exit":
            return outcome.ending
        if outcome.answers == 0:
            return "silent" if not outcome.log else "not-json"
        if outcome.answers > 1 or outcome.log:
            return "more-lines"
        return "status" if outcome.status else ""

    @property
    def error(self) -> str:
        """The error it answered with."""
        return self.outcome.answer.error if self.outcome.answer else ""

    @property
    def is_refusal(self) -> bool:
        """True for an answer that is an error and nothing else."""
        said = self.outcome.answer
        return said is not None and bool(said.error) and not said.output


def tries_of(tool: Tool) -> list[Try]:
    """The lines that a tool is tried with: its own examples first, then what nobody should send."""
    good = [arguments_of(tool, one.arguments) for one in tool.examples] or [made_up(tool)]
    tries = [Try("good", line, shortened(line.decode().strip(), 60)) for line in map(request, good)]
    tries.append(Try("invalid", b"not json\n", "not json"))
    if any(one.required for one in tool.parameters):
        tries.append(Try("invalid", request({}), '{"arguments": {}}'))
    tries += [Try("odd", f"{text}\n".encode(), text) for text in ("[]", "null", "{}", '{"arguments": []}')]
    for parameter in tool.parameters:
        for value in (_WRONG[parameter.type], [1], None):
            line = request({**good[0], parameter.name: value})
            tries.append(Try("odd", line, f"{parameter.name} = {json.dumps(value)}"))
    tries.append(Try("long", request(_stretched(tool.parameters, good[0])), f'"x" × {LONG:,}'))
    return tries


def _stretched(parameters: tuple[Parameter, ...], arguments: dict[str, Any]) -> dict[str, Any]:
    name = next((one.name for one in parameters if one.type == "string"), "padding")
    return {**arguments, name: "x" * LONG}


def try_out(start: Callable[[str], Runner], skill: Skill, tool: Tool, project: str) -> list[Tried] | Result:
    """Send a tool every line, each in a workspace of its own; a result says why it could not be started."""
    hasty = replace(tool, timeout_s=min(tool.timeout_s, PATIENCE_S))
    found: list[Tried] = []
    for one in tries_of(tool):
        with scratch_workspace(tool, skill.dir, project) as work:
            outcome = start(work).exchange(skill, tool if one.sort == "good" else hasty, one.line)
        if isinstance(outcome, Result):
            return outcome
        found.append(Tried(tried=one, outcome=outcome))
    return found


@contextmanager
def scratch_workspace(tool: Tool, folder: str, project: str) -> Generator[str]:
    """A workspace that may be spoilt, with the files that the tool's examples name.

    They are copied from the skill's folder `examples`, or else from the project.
    """
    with tempfile.TemporaryDirectory(prefix="metier-check-", ignore_cleanup_errors=True) as work:
        os.chmod(work, 0o755)  # noqa: S103 - whoever the tool runs as has to read it
        for place in tool.permissions.write:
            _make(work, place, 0o777)
        for example in tool.examples:
            for value in arguments_of(tool, example.arguments).values():
                if isinstance(value, str) and value and len(value) < 200:
                    _bring(value, [os.path.join(folder, "examples"), project], work)
        yield work


def _make(work: str, place: str, mode: int) -> None:
    try:
        path = join_inside(work, place)
    except PathEscape:
        return
    os.makedirs(path, exist_ok=True)
    os.chmod(path, mode)


def _bring(name: str, places: list[str], work: str) -> None:
    for place in places:
        try:
            source, target = join_inside(place, name), join_inside(work, name)
        except PathEscape:
            continue
        if os.path.isfile(source) and os.path.getsize(source) <= MAX_FILE:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(source, target)
            return
