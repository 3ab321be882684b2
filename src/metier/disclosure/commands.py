r"""Commands in the text of a skill: `` !`git log` ``, and blocks that begin with ```` ```! ````.

They are found here and run elsewhere, if at all. A command begins a line or follows white space, so `KEY=!`x`` is none;
inside of an ordinary block of code nothing is one. What an argument holds is never looked at.
"""

from __future__ import annotations

import re
from typing import NamedTuple


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

_FENCE = re.compile(r"(?m)^(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)\n(?P<body>(?:.*\n)*?)(?P=fence)[`~]*[ \t]*$")
_INLINE = re.compile(r"(?m)(?:^|(?<=\s))!`(?P<text>[^`\n]+)`")


def find_commands(body: str) -> list[Command]:
    """The commands of a text, in order."""
    if "!" not in body:
        return []
    found: list[Command] = []
    end = 0
    for block in _FENCE.finditer(body):
        found += _inline(body, end, block.start())
        if block["info"].strip() == "!":
            found.append(Command(block.start(), block.end(), block["body"].strip()))
        end = block.end()
    return [command for command in (*found, *_inline(body, end, len(body))) if command.text.strip()]


def _inline(body: str, start: int, end: int) -> list[Command]:
    return [Command(one.start(), one.end(), one["text"].strip()) for one in _INLINE.finditer(body, start, end)]
