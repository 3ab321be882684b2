"""The code of a Python skill, read and not run: its errors and its limits."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from metier.authoring.omega.gate import Finding, found
from metier.authoring.omega.path_flow import called, path_parameters, tool_functions
from metier.authoring.omega.wording import faults_of_error
from metier.messages import formatted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.authoring.omega.gate import CheckLang
    from metier.authoring.omega.registration import Source

_LIMIT_NAME = re.compile(r"max|limit|most|cut|shorten|truncat", re.IGNORECASE)


# ── errors ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def error_findings(sources: Sequence[Source], lang: CheckLang) -> Iterator[Finding]:
    """Every `ToolFailed(…)` whose problem or next step is missing, or that says what no model should read."""
    for source in sources:
        for node in ast.walk(source.tree or ast.Module([], [])):
            if isinstance(node, ast.Call) and called(node) == "ToolFailed":
                yield from _faults(node, source.path, lang)


def _faults(call: ast.Call, path: str, lang: CheckLang) -> Iterator[Finding]:
    if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
        return  # its texts stand elsewhere; the tests show them
    given: dict[str, ast.expr] = dict(zip(("problem", "value", "next_step"), call.args, strict=False))
    given.update({one.arg: one.value for one in call.keywords if one.arg})
    problem, step = _literal(given.get("problem")), _literal(given.get("next_step"))
    # A text that is made at run time is taken for good here.
    said = formatted("示例 sample" if problem is None else problem, "", "sample" if step is None else step)
    for fault in faults_of_error(said, lang):
        yield found(f"error-{fault}", path, call.lineno, text=said)


def _literal(node: ast.expr | None) -> str | None:
    """The text of an expression, with `…` where a value comes in; `None` where it is not written out."""
    if node is None:
        return ""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(one.value) if isinstance(one, ast.Constant) else "…x" for one in node.values)
    return None


# ── limits ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def limit_findings(sources: Sequence[Source]) -> Iterator[Finding]:
    """Code that reads files without a limit on their size, or answers without a limit on its output."""
    tools = tool_functions(sources)
    path = sources[0].path if sources else ""
    names = {name for source in sources for name in _names(source)}
    takes_paths = any(path_parameters(function) for _, function in tools)
    if takes_paths and not names & {"existing", "new", "getsize", "st_size"}:
        yield found("limit-size", path)
    if tools and not any(_LIMIT_NAME.search(name) for name in names) and not any(map(_has_slice, sources)):
        yield found("limit-output", path)


def _names(source: Source) -> Iterator[str]:
    for node in ast.walk(source.tree or ast.Module([], [])):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Name):
            yield node.id


def _has_slice(source: Source) -> bool:
    nodes = ast.walk(source.tree or ast.Module([], []))
    return any(
        isinstance(node, ast.Slice) and isinstance(node.upper, ast.Constant) and isinstance(node.upper.value, int)
        and node.upper.value >= 100
        for node in nodes
    )  # fmt: skip
