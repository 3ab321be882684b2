"""What a Python project registers in its pyproject.toml, and where the code of it lies."""

from __future__ import annotations

import ast
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from metier.catalog.reading import read_bytes
from metier.catalog.resources import list_files
from metier.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUP = "metier.skills"
"""The group of entry points in which a project registers its skills."""
MAX_SOURCE = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One Python file, parsed; without a tree where it is not Python."""

    path: str
    text: str
    tree: ast.Module | None

    def functions(self) -> Iterator[ast.FunctionDef]:
        """Every plain function in it, at any depth."""
        return (node for node in ast.walk(self.tree or ast.Module([], [])) if isinstance(node, ast.FunctionDef))


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """One entry point of the group `metier.skills`."""

    project: str
    name: str
    target: str
    """`package.module:object`."""
    line: int
    comment: str
    """The comment above the entry, or above the group it stands in, and behind it."""

    @property
    def manifest(self) -> str:
        """The pyproject.toml that registers it."""
        return os.path.join(self.project, "pyproject.toml")

    @property
    def module(self) -> str:
        """The dotted name of the module."""
        return self.target.partition(":")[0].strip()

    @property
    def file(self) -> str:
        """The file of the module; empty where there is none."""
        parts = self.module.split(".")
        for base in ("src", ""):
            place = os.path.join(self.project, base, *parts)
            for file in (os.path.join(place, "__init__.py"), f"{place}.py"):
                if os.path.isfile(file):
                    return file
        return ""

    @property
    def docs(self) -> str:
        """Where its documentation belongs."""
        return os.path.join(self.project, "docs", "skills", f"{self.name}.md")

    @property
    def switch(self) -> str:
        """The variable that switches it off."""
        return f"SKILL_{re.sub(r'[^A-Za-z0-9]', '_', self.name).upper()}_ENABLED"

    def sources(self) -> list[Source]:
        """Its code: the module, or all of its package."""
        if not self.file:
            return []
        if os.path.basename(self.file) != "__init__.py":
            return [parsed(self.file)]
        folder = os.path.dirname(self.file)
        return [parsed(os.path.join(folder, one.path)) for one in list_files(folder).files if one.path.endswith(".py")]

    def tests(self) -> list[Source]:
        """The files below tests/ that are named after it or import it, and the conftest files beside them."""
        folder = os.path.join(self.project, "tests")
        paths = [one.path for one in list_files(folder).files if one.path.endswith(".py")]
        files = [parsed(os.path.join(folder, path)) for path in paths if _is_test(path)]
        word = self.name.replace("-", "_")
        return [
            one for one in files if word in os.path.basename(one.path) or re.search(_imports(self.module), one.text)
        ]

    def fixtures(self) -> list[Source]:
        """The conftest.py files below tests/."""
        folder = os.path.join(self.project, "tests")
        paths = [one.path for one in list_files(folder).files if os.path.basename(one.path) == "conftest.py"]
        return [parsed(os.path.join(folder, path)) for path in paths]


def _is_test(path: str) -> bool:
    name = os.path.basename(path)
    return name.startswith("test_") or name.endswith("_test.py")


def _imports(module: str) -> str:
    package, _, last = module.rpartition(".")
    also = rf"|from\s+{re.escape(package)}\s+import\s+[^\n]*\b{re.escape(last)}\b" if package else ""
    return rf"(?m)^\s*(?:from|import)\s+{re.escape(module)}\b{also}"


def parsed(path: str) -> Source:
    """A Python file with its tree. What cannot be read is empty."""
    read = read_bytes(path, MAX_SOURCE)
    text = read[0].decode("utf-8", "replace") if isinstance(read, tuple) else ""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        tree = None
    return Source(path=path, text=text, tree=tree)


def registered_in(folder: str) -> list[Registered]:
    """What the project in a folder, or of a pyproject.toml, registers; nothing where it is no Python project.

    Raises:
        ConfigError: for a pyproject.toml that is not TOML.
    """
    import tomllib

    if os.path.basename(folder) == "pyproject.toml":
        folder = os.path.dirname(folder)
    path = os.path.join(folder, "pyproject.toml")
    read = read_bytes(path, MAX_SOURCE) if os.path.isdir(folder) else None
    if not isinstance(read, tuple):
        return []
    text = read[0].decode("utf-8", "replace")
    try:
        fields = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(path, f"is not TOML: {error}", "mend the file, then check again") from None
    group = cast("object", fields)
    for key in ("project", "entry-points", GROUP):
        group = cast("dict[str, object]", group).get(key) if isinstance(group, dict) else None
    entries = cast("dict[str, object]", group) if isinstance(group, dict) else {}
    found: list[Registered] = []
    for name, target in entries.items():
        line, comment = _place(text.splitlines(), name)
        found.append(Registered(project=folder, name=name, target=str(target), line=line, comment=comment))
    return found


def _place(lines: list[str], name: str) -> tuple[int, str]:
    """The line of an entry, counted from 1, and the comment on it."""
    group = next((number for number, line in enumerate(lines) if GROUP in line and line.lstrip().startswith("[")), 0)
    entry = re.compile(rf"""\s*["']?{re.escape(name)}["']?\s*=""")
    for number in range(group, len(lines)):
        if entry.match(lines[number]):
            behind = lines[number].partition("#")[2]
            above = _above(lines, number) or _above(lines, group)
            return number + 1, " ".join(filter(None, (above, behind.strip())))
    return group + 1, _above(lines, group)


def _above(lines: list[str], number: int) -> str:
    """The comment directly above a line."""
    found: list[str] = []
    while number > 0 and lines[number - 1].lstrip().startswith("#"):
        number -= 1
        found.insert(0, lines[number].lstrip("# ").rstrip())
    return " ".join(found)
