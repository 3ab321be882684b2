"""Which test proves which row, read from the sources, so that it is known without running anything."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).parent.parent


def proofs() -> dict[str, list[str]]:
    """Row id to the tests that are marked with it."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                for row in _marked(node):
                    found.setdefault(row, []).append(f"{path.relative_to(TESTS).as_posix()}::{node.name}")
    return found


def _marked(function: ast.FunctionDef) -> list[str]:
    rows: list[str] = []
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.proves":
            rows += [ast.literal_eval(argument) for argument in decorator.args]
    return rows
