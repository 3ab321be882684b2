"""What commands print: tables for a terminal, plain lines for a pipe, JSON for machines."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any

import click

from metier.diagnostic import Diagnostic, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Control characters, line separators, and what turns the direction of writing or hides in it.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")
_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def print_json(value: Any) -> None:
    """One JSON document, readable and without escapes."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def one_line(text: str) -> str:
    """A text from a skill made safe for a terminal: one line, and no characters that could steer it."""
    return _CONTROL.sub(lambda match: " " if match[0] in "\n\r\t" else _shown(match[0]), text).strip()


def many_lines(text: str) -> str:
    """The same for a text that may keep its lines and tabs."""
    return _CONTROL.sub(lambda match: match[0] if match[0] in "\n\t" else _shown(match[0]), text)


def for_terminal(text: str) -> str:
    """A text of a skill as it is in a pipe or a file; on a terminal, without what could steer it."""
    return many_lines(text) if sys.stdout.isatty() else text


def _shown(character: str) -> str:
    return f"\\x{ord(character):02x}" if ord(character) < 256 else f"\\u{ord(character):04x}"


def shorten(text: str, width: int) -> str:
    """At most `width` characters, with an ellipsis where something was cut."""
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, stretch: int | None = None) -> None:
    """A table on a terminal; in a pipe, one line a row with tabs between, and no heading."""
    clean = [[one_line(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for row in clean:
            click.echo("\t".join(row))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for number, title in enumerate(columns):
        table.add_column(title, overflow="fold", no_wrap=False, ratio=1 if number == stretch else None)
    for row in clean:
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)


def say(text: str) -> None:
    """Talk: it goes to standard error, so that standard output stays data. Colours are for `click` to strip."""
    click.echo(text, err=True)


def problem_text(one: Diagnostic, base: str) -> str:
    """A diagnostic on one line, with its hint on the next."""
    place = shown_path(one.path, base)
    if one.line is not None:
        place += f":{one.line}" + (f":{one.column}" if one.column is not None else "")
    grade = click.style(one.severity.value, fg=_COLOURS[one.severity], bold=True)
    text = f"{one_line(place)}: {grade}: {one_line(one.message)} [{one.code}]"
    return f"{text}\n    hint: {one_line(one.hint)}" if one.hint else text


def shown_path(path: str, base: str) -> str:
    """A path as short as it can be without being unclear, and safe to show.

    Relative inside the project, `~` inside the home.
    """
    home = os.path.expanduser("~")
    if path == base or path.startswith(base.rstrip(os.sep) + os.sep):
        path = os.path.relpath(path, base)
    elif path.startswith(home + os.sep):
        path = "~" + path[len(home) :]
    return one_line(path)


def count(number: int, word: str) -> str:
    """`1 skill`, `2 skills`."""
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def summary_of(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`; empty when there is nothing to tell."""
    found = [one.severity for one in diagnostics]
    parts = [(found.count(Severity.ERROR), "error"), (found.count(Severity.WARNING), "warning")]
    return ", ".join(count(number, word) for number, word in parts if number)
