"""`metier check --fix`: mending what can be mended without guessing. Only the frontmatter is ever touched."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.catalog.reading import read_bytes
from metier.diagnostic import Diagnostic
from metier.errors import FileFailed
from metier.parsing.document import decode, read_fields
from metier.parsing.frontmatter import Split, normalised, split
from metier.parsing.names import canonical, name_problems
from metier.parsing.repair import repair
from metier.skill import tool_rules
from metier.value import as_text

if TYPE_CHECKING:
    from metier.value import Value

MAX_FIXED = 16 * 1024 * 1024

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """The new text of a file and what was done to it."""

    path: str
    text: str
    done: tuple[str, ...]


def plan_fix(path: str, *, may_rename: bool = True) -> Fix | None:
    """What `apply_fix` would write; `None` when there is nothing that is safe to mend.

    `may_rename` is false where the folder has no say in the skill's name.
    """
    read = read_bytes(path, MAX_FIXED)
    if os.path.basename(path) not in ("SKILL.md", "skill.md") or not isinstance(read, tuple):
        return None
    raw = decode(read[0], path)
    if isinstance(raw, Diagnostic):
        return None
    done: list[str] = []
    if raw.startswith("\ufeff"):
        raw = raw[1:]
        done.append("removed the byte-order mark")
    parts = split(normalised(raw), path)
    if not isinstance(parts, Diagnostic):
        header = _quoted(parts.header, path, done)
        header = _tools_as_text(header, path, done)
        if may_rename:
            header = _named_like_folder(header, path, done)
        raw = _with_header(raw, parts, header)
    return Fix(path=path, text=raw, done=tuple(done)) if done else None


def _with_header(raw: str, parts: Split, header: str) -> str:
    """The text with other header lines; its fences, its body and all its line ends stay what they are."""
    lines = _LINE.findall(raw)
    first = parts.header_line - 1
    last = first + parts.header.count("\n")
    ending = re.sub(r"[^\r\n]", "", lines[first]) or "\n"
    return "".join([*lines[:first], header.replace("\n", ending), *lines[last:]])


def apply_fix(fix: Fix) -> None:
    """Write the mended text in one step: the file holds the old text or the new one, never a part.

    Raises:
        FileFailed: when the folder or the file cannot be written.
    """
    folder = os.path.dirname(fix.path)
    try:
        mode = os.stat(fix.path).st_mode
        descriptor, staged = tempfile.mkstemp(dir=folder, prefix=".metier-")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(fix.text)
            os.chmod(staged, mode & 0o7777)
            os.replace(staged, os.path.realpath(fix.path))
        except BaseException:
            os.unlink(staged)
            raise
    except OSError as error:
        raise FileFailed(fix.path, error.strerror or str(error)) from error


def _quoted(header: str, path: str, done: list[str]) -> str:
    """Values that YAML refuses, put in quotes; kept only if the result reads as what was assumed before."""
    before, found = read_fields(header, path)
    if before is None or not any(one.code == "yaml-repaired" for one in found):
        return header
    repaired = repair(header)
    assumed = repaired.fields if repaired is not None else before
    lines = header.split("\n")
    names = [key for key, value in assumed.items() if isinstance(value, str)]
    for key in names:
        lines = _with_quotes(lines, key, as_text(assumed[key]))
    mended = "\n".join(lines)
    after, left = read_fields(mended, path)
    if after != before or any(one.code == "yaml-repaired" for one in left):
        return header
    done.append("put values in quotes that YAML could not read")
    return mended


def _with_quotes(lines: list[str], key: str, text: str) -> list[str]:
    """The lines with the value of `key` in quotes, if that value is what YAML trips over."""
    pattern = re.compile(rf"{re.escape(key)}[ \t]*:")
    number = next((n for n, line in enumerate(lines) if pattern.match(line)), None)
    if number is None:
        return lines
    last = number + 1
    while (
        last < len(lines) - 1
        and not lines[last].startswith("#")
        and (lines[last][:1] in (" ", "\t") or ":" not in lines[last])
    ):
        last += 1
    own = "\n".join([*lines[number:last], ""])
    fields, found = read_fields(own, "")
    if fields is not None and not found:
        return lines
    return [*lines[:number], f"{key}: {quoted(text)}", *lines[last:]]


def quoted(text: str) -> str:
    """A text as a double-quoted YAML scalar on one line."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def _tools_as_text(header: str, path: str, done: list[str]) -> str:
    fields, found = read_fields(header, path)
    value = (fields or {}).get("allowed-tools")
    if not isinstance(value, list) or any(one.code == "yaml-repaired" for one in found):
        return header
    text = " ".join(tool_rules(value))
    mended = _replaced(header, "allowed-tools", text)
    if not text or not _says(mended, {**(fields or {}), "allowed-tools": text}, path):
        return header
    done.append("wrote allowed-tools as one text")
    return mended


def _named_like_folder(header: str, path: str, done: list[str]) -> str:
    fields, _ = read_fields(header, path)
    folder = canonical(os.path.basename(os.path.dirname(os.path.abspath(path))))
    if fields is None or canonical(as_text(fields.get("name"))) == folder or any(name_problems(folder, path, None)):
        return header
    mended = _replaced(header, "name", folder) if "name" in fields else f"name: {folder}\n{header}"
    if not _says(mended, {**fields, "name": folder}, path):
        return header
    done.append(f"named the skill {folder!r}, like its folder")
    return mended


def _replaced(header: str, key: str, text: str) -> str:
    """The header with the value of a top-level key, however many lines it takes, replaced by one text.

    Unchanged where a comment would be lost.
    """
    value = text if read_fields(f"{key}: {text}\n", "")[0] == {key: text} else quoted(text)
    pattern = re.compile(rf"^{re.escape(key)}[ \t]*:.*\n(?:[ \t]+.*\n|- .*\n|\n(?=[ \t]))*", re.MULTILINE)
    return pattern.sub(lambda match: match[0] if "#" in match[0] else f"{key}: {value}\n", header, count=1)


def _says(header: str, wanted: dict[str, Value], path: str) -> bool:
    """True when a mended header reads as just what was wanted, without any repair."""
    after, found = read_fields(header, path)
    return after == wanted and not any(one.code in ("yaml-repaired", "yaml-duplicate-key") for one in found)
