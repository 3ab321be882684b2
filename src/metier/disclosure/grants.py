"""What the skills in use may do without asking.

A skill's `allowed-tools` is a wish. It counts for the turn in which the skill was loaded, only if the skill comes from
a place that the user trusts, never against what the host says, and never for a tool that asks the user something.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

Decision: TypeAlias = Literal["allow", "ask", "deny"]

INTERACTIVE = frozenset({"AskUserQuestion", "AskUser", "ExitPlanMode", "EnterPlanMode"})
"""Tools whose point is to ask the user; a host names its own in addition."""

_RULE = re.compile(r"(?P<tool>[^()\s]+)(?:\((?P<argument>.*)\))?", re.DOTALL)


def decide(
    tool: str,
    argument: str,
    rules: Iterable[str],
    *,
    host: Decision | None = None,
    interactive: Collection[str] = INTERACTIVE,
) -> Decision:
    """Whether a call may go ahead. `host` is what the host itself says about it, if anything: that prevails."""
    if host is not None:
        return host
    if tool in interactive or tool in INTERACTIVE:
        return "ask"
    return "allow" if any(_covers(rule, tool, argument) for rule in rules) else "ask"


def _covers(rule: str, tool: str, argument: str) -> bool:
    """`Bash` covers every call of the tool, `Bash(git add *)` those that start so, `Bash(git status)` that one."""
    match = _RULE.fullmatch(rule.strip())
    if match is None or match["tool"] != tool:
        return False
    wanted = match["argument"]
    if wanted is None or wanted.strip() == "*":
        return True
    if not wanted.endswith("*"):
        return argument == wanted
    # What a shell would read as the start of another command is not part of this one.
    if re.search(r"[;&|`\n<>]|\$\(", argument):
        return False
    # Nor does a path stay below a folder that it leaves again.
    if ".." in re.split(r"[/\\\s=]+", argument):
        return False
    prefix = wanted.removesuffix(":*") + " " if wanted.endswith(":*") else wanted.removesuffix("*")
    return argument == prefix.rstrip() or argument.startswith(prefix)
