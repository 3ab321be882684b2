"""What the programs of a skill want installed, read and never installed here."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.tool import Tool

MAX_BYTES = 262_144
_PEP_723 = re.compile(r"(?m)^# /// script$\s(?P<content>(?:^#(?:| .*)$\s)+)^# ///$")


def dependencies_of(folder: str, tools: Sequence[Tool]) -> tuple[str, ...]:
    """The packages that the tools of a skill ask for, each once."""
    found: dict[str, None] = {}
    for tool in tools:
        if tool.runtime == "python":
            text = python_requirements(os.path.join(folder, *tool.entry.split("/")), folder) or ""
            lines = (line.partition(" #")[0].strip() for line in text.splitlines())
            found |= dict.fromkeys(line for line in lines if line and not line.startswith(("#", "-")))
        elif tool.runtime == "node":
            found |= dict.fromkeys(node_packages(folder))
    return tuple(found)


def python_requirements(entry: str, folder: str) -> str | None:
    """What a Python program wants, as the text of a requirements file; `None` for nothing."""
    beside = _read(os.path.join(folder, "requirements.txt"))
    if beside is not None:
        wanted = any(line.strip() and not line.strip().startswith("#") for line in beside.splitlines())
        return beside if wanted else None
    match = _PEP_723.search(_read(entry) or "")
    if match is None:
        return None
    import tomllib

    lines = (line[2:] if line.startswith("# ") else line[1:] for line in match["content"].splitlines())
    try:
        dependencies: object = tomllib.loads("\n".join(lines)).get("dependencies")
    except tomllib.TOMLDecodeError:
        return None
    named = cast("list[object]", dependencies) if isinstance(dependencies, list) else []
    return "\n".join(map(str, named)) or None


def node_packages(folder: str) -> tuple[str, ...]:
    """What a `package.json` names as needed at run time."""
    try:
        content: object = json.loads(_read(os.path.join(folder, "package.json")) or "{}")
    except (ValueError, RecursionError):
        return ()
    wanted = cast("dict[str, object]", content).get("dependencies") if isinstance(content, dict) else None
    if not isinstance(wanted, dict):
        return ()
    return tuple(f"{name}@{version}" for name, version in cast("dict[str, object]", wanted).items())


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(MAX_BYTES)
    except OSError:
        return None
