"""What the programs of a skill want installed, read and never installed here."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING, cast

from metier.paths import is_inside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.tool import Tool

MAX_BYTES = 262_144


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
    beside = _read(os.path.join(folder, "requirements.txt"), folder)
    if beside is not None:
        wanted = any(line.strip() and not line.strip().startswith("#") for line in beside.splitlines())
        return beside if wanted else None
    header = _inline_metadata(_read(entry, folder) or "")
    if not header:
        return None
    import tomllib

    try:
        dependencies: object = tomllib.loads(header).get("dependencies")
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    named = cast("list[object]", dependencies) if isinstance(dependencies, list) else []
    return "\n".join(one for one in named if isinstance(one, str)) or None


def _inline_metadata(text: str) -> str:
    """The first `# /// script` block of a program, without its comment signs."""
    lines: list[str] | None = None
    for line in text.splitlines():
        if lines is None:
            lines = [] if line == "# /// script" else None
        elif line == "# ///":
            return "\n".join(lines)
        elif line.startswith("#"):
            lines.append(line[2:] if line.startswith("# ") else line[1:])
        else:
            return ""
    return ""


def node_packages(folder: str) -> tuple[str, ...]:
    """What a `package.json` names as needed at run time."""
    try:
        content: object = json.loads(_read(os.path.join(folder, "package.json"), folder) or "{}")
    except (ValueError, RecursionError):
        return ()
    wanted = cast("dict[str, object]", content).get("dependencies") if isinstance(content, dict) else None
    if not isinstance(wanted, dict):
        return ()
    return tuple(f"{name}@{version}" for name, version in cast("dict[str, object]", wanted).items())


def _read(path: str, folder: str) -> str | None:
    """A file of the skill, if it is one: no pipe that would never end, no link to somebody's secrets."""
    if not is_inside(folder, path):
        return None
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(number, "rb") as file:
        return file.read(MAX_BYTES).decode("utf-8", "replace") if stat.S_ISREG(os.fstat(number).st_mode) else None
