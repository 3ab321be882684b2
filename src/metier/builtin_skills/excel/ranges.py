"""The cells that an argument means, as numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from metier.builtin_skills.excel.messages import failure

if TYPE_CHECKING:
    from metier.messages import Lang

MAX_ROWS = 1_048_576
MAX_COLUMNS = 16_384
"""What a sheet of Excel can hold."""

_CORNER = r"\$?([A-Za-z]{0,3})\$?([0-9]{0,7})"
_RANGE = re.compile(rf"{_CORNER}(?::{_CORNER})?")


class Range(NamedTuple):
    """A block of cells; rows and columns count from 1. The end may lie behind the last cell of a sheet."""

    top: int = 1
    left: int = 1
    bottom: int = MAX_ROWS
    right: int = MAX_COLUMNS

    def __str__(self) -> str:
        return f"{column_name(self.left)}{self.top}:{column_name(self.right)}{self.bottom}"


def parsed(text: str, lang: Lang) -> Range:
    """The block that `A1:D20`, `B7`, `A:D` or `5:20` means; all cells for an empty text.

    Raises:
        ToolFailed: for anything else.
    """
    wanted = text.strip()
    if not wanted:
        return Range()
    match = _RANGE.fullmatch(wanted)
    if match is None:
        raise failure("range-form", lang, range=wanted)
    start, end = (match[1], match[2]), (match[3], match[4])
    if match[3] is None:
        end = start
    # Both ends are cells, or both are columns, or both are rows; one cell stands for itself.
    is_alike = bool(start[0]) == bool(end[0]) and bool(start[1]) == bool(end[1]) and any(start)
    if not is_alike or (match[3] is None and not all(start)):
        raise failure("range-form", lang, range=wanted)
    columns = sorted(column_number(one[0]) for one in (start, end)) if start[0] else [1, MAX_COLUMNS]
    rows = sorted(int(one[1]) for one in (start, end)) if start[1] else [1, MAX_ROWS]
    if rows[0] < 1 or rows[1] > MAX_ROWS or columns[1] > MAX_COLUMNS:
        raise failure("range-form", lang, range=wanted)
    return Range(rows[0], columns[0], rows[1], columns[1])


def column_number(letters: str) -> int:
    """1 for A, 27 for AA."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def column_name(number: int) -> str:
    """A for 1, AA for 27."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
