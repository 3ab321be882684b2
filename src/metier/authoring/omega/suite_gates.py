"""The tests of a Python skill, read and not run: which error paths they try, and whether one uses a real file."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from metier.authoring.omega.gate import Finding, found

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.authoring.omega.registration import Source

ERROR_PATHS: dict[str, re.Pattern[str]] = {
    "empty": re.compile(
        r"empty|blank|without_(?:a_|an_|any_)?\w*(?:argument|path|name)|missing_argument|required|空", re.I
    ),
    "escape": re.compile(r"escape|outside|out_of|leads?_out|travers|逃逸|越界", re.I),
    "absent": re.compile(r"missing|not_exist|nonexistent|no_such|not_found|absent|not_there|不存在", re.I),
    "excess": re.compile(r"too_(?:large|big|long|many)|over_?(?:size|limit)|exceed|limit|larger|超限|过大", re.I),
}
"""The four error paths that tests have to try, by the words of a test's name or docstring that tell them."""

_WINDOWS = re.compile(
    r"\b(?:webbrowser\.open|os\.startfile|tkinter|QApplication|xdg-open|plt\.show|pyautogui|\.showwindow)",
    re.IGNORECASE,
)
_REPLACED = re.compile(r"monkeypatch|\bpatch\b|\bmock\b|no_?op", re.IGNORECASE)
_TEMPORARY = frozenset({"tmp_path", "tmpdir", "tmp_path_factory", "tmpdir_factory"})


def test_functions(tests: Sequence[Source]) -> list[ast.FunctionDef]:
    """Every function that pytest would call a test."""
    return [function for source in tests for function in source.functions() if function.name.startswith("test")]


def error_path_findings(tests: Sequence[Source], path: str) -> Iterator[Finding]:
    """The error paths that no test is named after."""
    said = [f"{function.name} {ast.get_docstring(function) or ''}" for function in test_functions(tests)]
    for name, pattern in ERROR_PATHS.items():
        if not any(pattern.search(text) for text in said):
            yield found(f"untested-{name}", path)


def real_file_findings(
    tests: Sequence[Source], fixtures: Sequence[Source], tools: Sequence[str], path: str
) -> list[Finding]:
    """Nothing, if some test calls a tool with a file on disk and looks at what comes back."""
    made = _file_makers([*tests, *fixtures])
    helpers = _callers([*tests, *fixtures], tools)
    for function in test_functions(tests):
        wanted = {one.arg for one in function.args.args}
        asserts = any(isinstance(node, ast.Assert) for node in ast.walk(function))
        if asserts and wanted & made and _mentions(function, helpers) and not _expects_failure(function):
            return []
    return [found("no-real-file", path)]


def _file_makers(sources: Sequence[Source]) -> set[str]:
    """Fixtures that stand for a folder or file on disk: pytest's own, and those made of them."""
    made = set(_TEMPORARY)
    fixtures = [
        function
        for source in sources
        for function in source.functions()
        if any("fixture" in ast.unparse(decorator) for decorator in function.decorator_list)
    ]
    for _ in fixtures:
        made |= {one.name for one in fixtures if {argument.arg for argument in one.args.args} & made}
    return made


def _callers(sources: Sequence[Source], tools: Sequence[str]) -> set[str]:
    """The tools, and functions of the tests that call one for others."""
    names = set(tools)
    helpers = [
        function for source in sources for function in source.functions() if not function.name.startswith("test")
    ]
    for _ in range(2):
        names |= {function.name for function in helpers if _mentions(function, names)}
    return names | ({"call", "call_blocking"} if tools else set())


def _mentions(function: ast.FunctionDef, names: set[str]) -> bool:
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in names:
            return True
        if isinstance(node, ast.Attribute) and node.attr in names:
            return True
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names:
            return True
    return False


def _expects_failure(function: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.Call) and ast.unparse(node.func).endswith("raises") for node in ast.walk(function))


def window_findings(sources: Sequence[Source], tests: Sequence[Source], path: str) -> list[Finding]:
    """Code that opens windows, and tests that do not replace that."""
    opener = next((match[0] for source in sources for match in _WINDOWS.finditer(source.text)), "")
    if not opener or any(_REPLACED.search(source.text) for source in tests):
        return []
    return [found("window-opened", path, opener=opener)]
