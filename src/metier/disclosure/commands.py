r"""Commands in the text of a skill: `` !`git log` ``, and blocks that begin with ```` ```! ````.

They are found here and run elsewhere, if at all. A command begins a line or follows white space, so `KEY=!`x`` is none;
inside of an ordinary block of code nothing is one. What an argument holds is never looked at.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Command(NamedTuple):
    """One command and its place in the text."""

    start: int
    end: int
    text: str


class Inserted(NamedTuple):
    """What takes the place of a part of a text."""

    start: int
    end: int
    text: str


PLACEHOLDER = "[shell command execution disabled by policy]"
"""What stands where a command would, in the words that skills were written for."""

_FENCE = re.compile(r"(?m)^ {0,3}(`{3,}(?=[^`\n]*$)|~{3,})([^\n]*)$")
_QUOTED = re.compile(r"(?<!`)(`{2,})(?!`)[^\n]*?(?<!`)\1(?!`)")
"""Code in the middle of a line, set in several signs so that it may hold single ones."""
_INLINE = re.compile(r"(?m)(?:^|(?<=\s))!`(?P<text>[^`\n]+)`")


def find_commands(body: str) -> list[Command]:
    """The commands of a text, in order. A block that is never closed is text."""
    if "!" not in body:
        return []
    found: list[Command] = []
    end = 0
    for start, stop, info, inside in _blocks(body):
        found += _inline(body, end, start)
        if info == "!":
            found.append(Command(start, stop, inside.strip()))
        end = stop
    return [command for command in (*found, *_inline(body, end, len(body))) if command.text.strip()]


def _blocks(body: str) -> Iterator[tuple[int, int, str, str]]:
    """The blocks of code, by one look at each line with a fence: where they lie, what they are, what they hold."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(body):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and not fence[2].strip():
            yield opened.start(), fence.end(), opened[2].strip(), body[opened.end() : fence.start()]
            opened = None


def _inline(body: str, start: int, end: int) -> list[Command]:
    found = [Command(one.start(), one.end(), one["text"].strip()) for one in _INLINE.finditer(body, start, end)]
    quoted = [one.span() for one in _QUOTED.finditer(body, start, end)] if found else []
    return [one for one in found if not any(first <= one.start < last for first, last in quoted)]
