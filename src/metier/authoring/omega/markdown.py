"""The parts of a Markdown page that the checklist asks for: sections, tables, lists, blocks of code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_FENCE = re.compile(r" {0,3}(```+|~~~+)\s*(\S*)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(\S.*)")
_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$")


class Line(NamedTuple):
    """One line of a page."""

    number: int
    text: str
    is_code: bool
    """It stands inside of a block of code."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it, up to the next one of its level."""

    title: str
    level: int
    number: int
    lines: tuple[Line, ...]

    @property
    def prose(self) -> str:
        """Its text without code, tables, lists and headings."""
        kept = (
            line.text.strip()
            for line in self.lines
            if not line.is_code and not _ITEM.match(line.text) and not line.text.lstrip().startswith(("|", "#", "<!--"))
        )
        return " ".join(filter(None, kept))

    @property
    def text(self) -> str:
        """All of it, as written."""
        return "\n".join(line.text for line in self.lines)

    @property
    def items(self) -> list[str]:
        """The items of its lists."""
        return [item for line in self.lines if not line.is_code and (item := item_of(line.text))]

    @property
    def tables(self) -> list[list[list[str]]]:
        """Its tables that hold something: rows of cells, the heading first."""
        return list(_tables([line for line in self.lines if not line.is_code]))

    @property
    def blocks(self) -> list[tuple[str, str]]:
        """Its blocks of code: the language and the text."""
        return list(_blocks(self.lines))

    def below(self) -> list[Section]:
        """The sections one level down."""
        return sections(self.lines, self.level + 1)


def item_of(line: str) -> str:
    """What a line says as an item of a list; empty where it is none."""
    match = _ITEM.match(line)
    return match[1] if match else ""


def lines_of(text: str) -> list[Line]:
    """A page line by line, with the fences of code as code."""
    found: list[Line] = []
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        match = _FENCE.match(line)
        opens = bool(match) and not fence
        found.append(Line(number, line, bool(fence) or opens))
        if match and opens:
            fence = match[1]
        elif match and match[1].startswith(fence) and not match[2]:
            fence = ""
    return found


def sections(lines: Sequence[Line], level: int = 2) -> list[Section]:
    """The sections of a level, in the order of the page."""
    found: list[Section] = []
    title, number, below = "", 0, list[Line]()
    for line in lines:
        match = None if line.is_code else _HEADING.match(line.text)
        if match and len(match[1]) <= level:
            if title:
                found.append(Section(title, level, number, tuple(below)))
            title, number, below = (match[2] if len(match[1]) == level else ""), line.number, []
        elif title:
            below.append(line)
    if title:
        found.append(Section(title, level, number, tuple(below)))
    return found


def _tables(lines: Sequence[Line]) -> Iterator[list[list[str]]]:
    rows: list[list[str]] = []
    for line in [*lines, Line(0, "", is_code=False)]:
        if "|" not in line.text:
            if any(cell for row in rows[1:] for cell in row):
                yield rows
            rows = []
        elif not _RULE.match(line.text):
            rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line.text.strip().strip("|"))])


def _blocks(lines: Sequence[Line]) -> Iterator[tuple[str, str]]:
    language, text, fence = "", list[str](), ""
    for line in lines:
        match = _FENCE.match(line.text) if line.is_code else None
        if match and not fence:
            language, fence, text = match[2].lower(), match[1], []
        elif match and match[1].startswith(fence) and not match[2]:
            yield language, "\n".join(text)
            fence = ""
        elif fence:
            text.append(line.text)
