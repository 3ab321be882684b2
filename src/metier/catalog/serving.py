"""Layer 3 from disk: the other files of a skill, and whatever else a policy lets a model read."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from metier.catalog.loading import MAX_NAMES, brief, elapsed_ms, find, shown_path, some
from metier.catalog.reading import read_regular
from metier.catalog.resources import list_files
from metier.errors import PathEscape
from metier.messages import say
from metier.parsing.document import decode
from metier.paths import is_inside, join_inside
from metier.result.answer import Code, Result, failed
from metier.words import encodable, one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.catalog.loading import Source
    from metier.disclosure.conversation import Trigger
    from metier.policy import Policy
    from metier.skill import Skill

MAX_FILE = 20 * 1024 * 1024
"""Bytes of a file that are read."""

_SNIFFED = 8_192


def read_resource(
    catalog: Source,
    name: object,
    path: object,
    offset: int = 0,
    *,
    trigger: Trigger = "user",
    tool: str = "skill_read",
) -> Result:
    """One file of a skill, as text."""
    start = time.perf_counter()
    skill = find(catalog, name, trigger, tool)
    if isinstance(skill, Result):
        return skill
    if not isinstance(path, str) or not path.strip():
        return failed(tool, Code.INVALID_PARAM, "path-missing")
    if not skill.path:
        return failed(tool, Code.NOT_FOUND, "file-missing", path=brief(path), files=say("none", catalog.policy.lang))
    try:
        file = join_inside(skill.dir, path)
    except PathEscape:
        return failed(tool, Code.ACCESS_DENIED, "path-outside", path=brief(path))
    if not skill.root.trusted and not is_inside(skill.root.boundary, file):
        return failed(tool, Code.ACCESS_DENIED, "path-outside", path=brief(path))
    text = read_text(file, path, tool, lambda: _names_of_files(skill, catalog.policy))
    if isinstance(text, Result):
        return text
    shown = os.path.relpath(file, skill.dir).replace(os.sep, "/")
    values = {"name": skill.name, "path": shown}
    return _part(text, offset, catalog, Result(tool=tool, key="file-read", data=values, values=values)).but(
        path=shown_path(file, catalog.project), time_ms=elapsed_ms(start)
    )


def read_file(catalog: Source, path: object, *, tool: str = "ReadFile") -> Result:
    """Any text file that the policy lets a model read, below the folder the catalog stands in."""
    start = time.perf_counter()
    policy = catalog.policy
    if not isinstance(path, str) or not path.strip():
        return failed(tool, Code.INVALID_PARAM, "path-missing.run")
    file = _allowed_path(catalog, path)
    if file is None:
        return failed(tool, Code.ACCESS_DENIED, "path-outside.run")
    allowed = policy.read_extensions
    if os.path.splitext(file)[1].lower() not in map(str.lower, allowed):
        return failed(tool, Code.INVALID_PARAM, "file-type.run", allowed=", ".join(allowed))
    text = read_text(file, path, tool, None)
    if isinstance(text, Result):
        return text
    shown = shown_path(file, catalog.project)
    answer = Result(tool=tool, key="file-read-plain", values={"path": shown}, data={"path": shown})
    return _part(text, 0, catalog, answer).but(path=shown, time_ms=elapsed_ms(start))


def _allowed_path(catalog: Source, path: str) -> str | None:
    """The file that a path means, if the policy's scope covers it. A catalog in memory stands nowhere."""
    if not catalog.project:
        return None
    try:
        file = join_inside(catalog.project, path)
        is_below = True
    except PathEscape:
        if "\0" in path or not os.path.isabs(path) or encodable(path) != path:
            return None
        file, is_below = os.path.normpath(os.path.join(catalog.project, path)), False
    scope = catalog.policy.read_scope
    if scope == "run_dir" or (scope == "skills+project" and is_below):
        return file if is_below else None
    inside = any(skill.path and is_inside(skill.dir, file) for skill in catalog.disclosed)
    return file if inside else None


def read_text(file: str, asked: str, tool: str, files: Callable[[], str] | None) -> _Text | Result:
    """The text of a file, or why there is none. `files` names those that are there, for a message."""
    path = brief(asked)
    try:
        data, status = read_regular(file, MAX_FILE)
    except (FileNotFoundError, NotADirectoryError):
        if files is None:
            return failed(tool, Code.NOT_FOUND, "file-missing.run")
        return failed(tool, Code.NOT_FOUND, "file-missing", path=path, files=files())
    except PermissionError:
        return failed(tool, Code.PERMISSION_DENIED, "file-denied", path=path)
    except OSError as error:
        if os.path.isdir(file):
            return failed(tool, Code.IS_DIRECTORY, "file-folder", path=path)
        return failed(tool, Code.EXECUTION_ERROR, "file-failed", path=path, reason=error.strerror or str(error))
    is_whole = status.st_size <= len(data)
    text = None if b"\0" in data[:_SNIFFED] else decode(data, file, is_whole=is_whole)
    if not isinstance(text, str):
        return failed(tool, Code.BINARY_FILE, "file-binary", path=path)
    return _Text(text, is_whole)


class _Text(NamedTuple):
    text: str
    is_whole: bool
    """False when the file goes on behind what is ever read of one."""


def _part(file: _Text, offset: int, catalog: Source, answer: Result) -> Result:
    """The part of a text that one answer may hold, from an offset on."""
    text, offset = file.text, max(0, offset)
    part = text[offset : offset + catalog.policy.read_chars]
    end = offset + len(part)
    if end >= len(text) and file.is_whole:
        values = {**answer.values, "chars": len(text)}
        return answer.but(values=values, data={**answer.data, "content": part})
    values = {**answer.values, "chars": len(text), "start": offset, "end": end}
    data = {**answer.data, "content": part, "truncated": True, "total_chars": len(text)}
    if end >= len(text):
        return answer.but(status="partial", key="file-too-large", values=values, data=data)
    key = "file-cut.run" if answer.tool == "ReadFile" else "file-cut"
    return answer.but(status="partial", key=key, values=values, data={**data, "next_offset": end})


def _names_of_files(skill: Skill, policy: Policy) -> str:
    return some([one_line(file.path) for file in list_files(skill.dir).files], MAX_NAMES, policy)


def list_resources(catalog: Source, name: object, *, trigger: Trigger = "user", tool: str = "skill_files") -> Result:
    """The files of a skill, by relative path."""
    start = time.perf_counter()
    skill = find(catalog, name, trigger, tool)
    if isinstance(skill, Result):
        return skill
    found = list_files(skill.dir) if skill.path else None
    files = [file.path for file in found.files] if found else []
    truncated = found is not None and found.truncated
    return Result(
        tool=tool,
        status="partial" if truncated else "success",
        key="files-listed-partly" if truncated else "files-listed",
        values={"name": skill.name, "count": len(files)},
        data={"name": skill.name, "files": files, **({"truncated": True} if truncated else {})},
        time_ms=elapsed_ms(start),
    )
