"""Where the frontmatter starts and ends. Only whole lines `---` are fences; `---` elsewhere is text."""

from __future__ import annotations

import re
from typing import NamedTuple

from metier.diagnostic import Diagnostic, problem

MAX_HEADER = 65_536
"""Bytes in which the frontmatter must end. Listing skills never reads further than this into a file."""

MAX_MANIFEST = 262_144
"""Bytes of a `skill.yaml` that are read."""

_FENCE = re.compile(r"---[ \t]*(?:#.*)?$", re.MULTILINE)
_NEARLY_A_FENCE = re.compile(r"^[ \t]*-{3,}[ \t]*$", re.MULTILINE)
_LEADING_BLANK = re.compile(r"[ \t\n]*\n(?=---)")
_FIELD = re.compile(r"[\"']?([^\W\d][\w.-]*)[\"']?[ \t]*:")
_HTML_COMMENT = re.compile(r"\s*<!--")


class Split(NamedTuple):
    """A text cut at its fences."""

    header: str
    header_line: int
    """The line of the file on which the header's first line stands."""
    body_start: int
    diagnostics: tuple[Diagnostic, ...] = ()


def normalised(text: str) -> str:
    """The text with single line feeds as line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def split(text: str, path: str, *, is_whole: bool = True) -> Split | Diagnostic:
    """Cut a text at its fences, or say why that cannot be done. Expects a normalised text."""
    if text.startswith("---\n"):
        start, line, found = 4, 2, ()
    else:
        opening = _opening(text, path)
        if isinstance(opening, Diagnostic):
            return opening
        start, line, found = opening
    end = text.find("\n---", start - 1)
    while end >= 0:
        closing = text.find("\n", end + 1)
        body = len(text) if closing < 0 else closing + 1
        rest = text[end + 4 : body].strip(" \t\n")
        if not rest or (rest[0] == "#" and text[end + 4] in " \t"):
            break
        end = text.find("\n---", end + 1)
    else:
        return _unclosed(text, path, line - 1, is_whole=is_whole)
    if len(text[start : end + 1].encode("utf-8", "surrogatepass")) > MAX_HEADER:
        return problem("header-too-large", path, line - 1, limit=MAX_HEADER)
    return Split(text[start : end + 1], line, body, found)


def split_nearly(text: str, path: str) -> Split | None:
    """The same for a text whose header ends with a line that is almost a fence, such as `----`."""
    opening = (4, 2, ()) if text.startswith("---\n") else _opening(text, path)
    if isinstance(opening, Diagnostic):
        return None
    start, line, found = opening
    closing = _NEARLY_A_FENCE.search(text, start)
    if closing is None or closing.start() - start > MAX_HEADER:
        return None
    at = text.count("\n", 0, closing.start()) + 1
    found += (problem("frontmatter-fence", path, at, found=closing[0]),)
    return Split(text[start : closing.start()], line, min(closing.end() + 1, len(text)), found)


def _opening(text: str, path: str) -> tuple[int, int, tuple[Diagnostic, ...]] | Diagnostic:
    """Offset and line of the header behind an opening fence that is not simply the first line."""
    found: list[Diagnostic] = []
    start = 0
    if text.startswith("\ufeff"):
        found.append(problem("byte-order-mark", path, 1, 1))
        start = 1
    blank = _LEADING_BLANK.match(text, start)
    if blank:
        found.append(problem("frontmatter-not-first", path, 1))
        start = blank.end()
    fence = _FENCE.match(text, start)
    if fence is None:
        return problem("frontmatter-missing", path, 1, reason=_why_missing(text[start:]))
    return fence.end() + 1, text.count("\n", 0, start) + 2, tuple(found)


def field_lines(text: str) -> dict[str, int]:
    """The line of the file on which each field of its frontmatter starts."""
    text = normalised(text)
    parts = split(text, "")
    if isinstance(parts, Diagnostic):
        return {}
    lines: dict[str, int] = {}
    for number, line in enumerate(parts.header.split("\n"), parts.header_line):
        match = _FIELD.match(line)
        if match:
            lines.setdefault(match[1], number)
    return lines


def _why_missing(text: str) -> str:
    if not text.strip():
        return "the file is empty"
    if _HTML_COMMENT.match(text):
        return "a comment stands above it, and it must come first"
    if text.lstrip().startswith("```") and "\n---" in text:
        return "it stands inside a code block"
    first = text.strip().split("\n", 1)[0][:40]
    return f"the first line is {first!r}, not '---'"


def _unclosed(text: str, path: str, line: int, *, is_whole: bool) -> Diagnostic:
    if is_whole and len(text) <= MAX_HEADER:
        return problem("frontmatter-unclosed", path, line)
    return problem("header-too-large", path, line, limit=MAX_HEADER)
