"""Where the path parameters of a Python skill go: to a `Workspace` first, and to nothing that opens files before that.

The code is read, not run. A parameter is followed through assignments and into functions of the same package; what a
`Workspace` gives back is good, everything else that was made of a raw path is still raw.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from metier.authoring.omega.gate import Finding, found

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.authoring.omega.registration import Source

_PATH_NAME = re.compile(r"(?:^|_)(?:path|file|filename|folder|dir|directory|source|target)s?(?:_|$)")
_PATH_TEXT = re.compile(r"\bpath\b|路径|\bfile\b.*\bworkspace\b|文件.*工作区", re.IGNORECASE)

_RESOLVERS = frozenset({"existing", "new"})
_OPENERS = frozenset(
    {
        *("open", "Path", "load", "save", "ZipFile", "TarFile", "connect", "load_workbook", "imread", "imwrite"),
        *(
            "read_csv",
            "read_excel",
            "read_json",
            "read_parquet",
            "to_csv",
            "to_excel",
            "fromfile",
            "loadtxt",
            "savetxt",
        ),
        *("remove", "unlink", "rename", "rmdir", "mkdir", "makedirs", "listdir", "scandir", "walk", "stat", "lstat"),
        *("exists", "isfile", "isdir", "getsize", "copy", "copyfile", "copytree", "move", "rmtree"),
        *("read_text", "write_text", "read_bytes", "write_bytes"),
    }
)
"""Calls that touch the disk when they are given a path."""


class Place(NamedTuple):
    """One function of the package, where it stands."""

    source: Source
    function: ast.FunctionDef


def tool_functions(sources: Sequence[Source]) -> list[Place]:
    """The functions that are declared as tools, by `@skill.tool(…)`."""
    return [
        Place(source, function)
        for source in sources
        for function in source.functions()
        if any(_is_tool(decorator) for decorator in function.decorator_list)
    ]


def _is_tool(decorator: ast.expr) -> bool:
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(node, ast.Attribute) and node.attr == "tool"


def called(call: ast.Call) -> str:
    """The last name of what is called: `load_workbook` for `openpyxl.load_workbook(…)`."""
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def path_parameters(function: ast.FunctionDef) -> list[str]:
    """The parameters that are paths, by their name or their description."""
    return [one.arg for one in _arguments(function) if _is_path(one)]


def _arguments(function: ast.FunctionDef) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _is_path(argument: ast.arg) -> bool:
    nodes = list(ast.walk(argument.annotation)) if argument.annotation is not None else []
    if not any(isinstance(node, ast.Name) and node.id == "str" for node in nodes):
        return False
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return bool(_PATH_NAME.search(argument.arg)) or any(_PATH_TEXT.search(text) for text in texts)


def path_findings(sources: Sequence[Source]) -> Iterator[Finding]:
    """Path parameters of tools that never reach a `Workspace`, or reach a file before it."""
    known = {function.name: Place(source, function) for source in sources for function in source.functions()}
    for place in tool_functions(sources):
        for name in path_parameters(place.function):
            at = (place.source.path, place.function.lineno)
            if not any(_is_workspace(one) for one in _arguments(place.function)):
                yield found("path-no-workspace", *at, tool=place.function.name, name=name)
                continue
            flow = _Flow(known)
            flow.follow(place, name)
            yield from (
                found("path-leak", path, line, tool=place.function.name, name=name, opener=opener)
                for path, line, opener in flow.leaks
            )
            if not flow.is_resolved and not flow.leaks:
                yield found("path-unresolved", *at, tool=place.function.name, name=name)


def _is_workspace(argument: ast.arg) -> bool:
    nodes = ast.walk(argument.annotation) if argument.annotation is not None else iter(())
    return any(
        (isinstance(node, ast.Name) and node.id == "Workspace")
        or (isinstance(node, ast.Attribute) and node.attr == "Workspace")
        or (isinstance(node, ast.Constant) and node.value == "Workspace")
        for node in nodes
    )


class _Flow:
    """One raw path on its way through the functions of a package."""

    def __init__(self, known: dict[str, Place]) -> None:
        self._known = known
        self._seen: set[tuple[str, str]] = set()
        self.leaks: list[tuple[str, int, str]] = []
        self.is_resolved = False

    def follow(self, place: Place, name: str) -> None:
        """Follow one parameter of a function, and of those that it is passed on to."""
        if (place.function.name, name) in self._seen:
            return
        self._seen.add((place.function.name, name))
        raw = self._raw_names(place.function, name)
        for node in ast.walk(place.function):
            if not isinstance(node, ast.Call) or not _given(node, raw):
                continue
            last = called(node)
            if last in _RESOLVERS and isinstance(node.func, ast.Attribute):
                self.is_resolved = True
            elif last in self._known:
                self._enter(self._known[last], node, raw)
            elif last in _OPENERS:
                self.leaks.append((place.source.path, node.lineno, last))

    def _enter(self, place: Place, call: ast.Call, raw: set[str]) -> None:
        names = [one.arg for one in _arguments(place.function)]
        passed = dict(zip(names, call.args, strict=False))
        passed.update({one.arg: one.value for one in call.keywords if one.arg})
        for name, value in passed.items():
            if isinstance(value, ast.Name) and value.id in raw:
                self.follow(place, name)

    def _raw_names(self, function: ast.FunctionDef, name: str) -> set[str]:
        """The parameter, and what is made of it without a look at the workspace."""
        raw = {name}
        assignments = [node for node in ast.walk(function) if isinstance(node, ast.Assign | ast.AnnAssign)]
        for _ in assignments:  # a chain is at most as long as there are assignments
            before = len(raw)
            for node in assignments:
                if node.value is not None and self._is_raw(node.value, raw):
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    raw |= {one.id for one in targets if isinstance(one, ast.Name)}
            if len(raw) == before:
                break
        return raw

    def _is_raw(self, value: ast.expr, raw: set[str]) -> bool:
        if not any(isinstance(node, ast.Name) and node.id in raw for node in ast.walk(value)):
            return False
        return not any(isinstance(node, ast.Call) and self._resolves(node) for node in ast.walk(value))

    def _resolves(self, call: ast.Call) -> bool:
        """True for a call of the workspace, and for one of a function that asks it."""
        last = called(call)
        if last in _RESOLVERS:
            return True
        inner = self._known.get(last)
        return inner is not None and any(
            isinstance(node, ast.Call) and called(node) in _RESOLVERS for node in ast.walk(inner.function)
        )


def _given(call: ast.Call, raw: set[str]) -> bool:
    """True when a raw path is among the arguments, by itself or within an expression such as `base / path`."""
    given = (*call.args, *(one.value for one in call.keywords))
    return any(
        isinstance(node, ast.Name) and node.id in raw
        for one in given
        if not isinstance(one, ast.Call)
        for node in ast.walk(one)
    )
