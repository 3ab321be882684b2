"""Reading a header that is almost YAML, and saying what was assumed.

What authors really get wrong is one value: an unquoted `: `, a leading `*`, `[`, `@` or backtick, a quote
inside quotes, text after `|`, a tab. So the header is cut at its keys, every piece is read by itself, and only
a piece that YAML refuses is taken literally. The other fields stay exactly what YAML says they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metier.parsing.yaml_events import Mark, YamlProblem, read_yaml

if TYPE_CHECKING:
    from metier.value import Value

MAX_REPAIR_DEPTH = 8

# `key: value`, `key:` and, because it is a common slip, `key:value` unless that looks like an address.
_KEY_LINE = re.compile(r"""(["']?)([^\W\d][\w.-]*)\1[ \t]*:(?:[ \t]+|$|(?=[^\s/:]))""")
# A line that is indented by mistake is still a field when its key is one that everybody uses.
_STRAY_KEY = re.compile(r"[ ]+(?=(?:name|description|license|compatibility|metadata|allowed-tools):(?:\s|$))")
_ITEM_LINE = re.compile(r"-(?:[ \t]+|$)")
_BLOCK_HEAD = re.compile(r"([|>])[+-]?\d?[+-]?(?:[ \t]+|$)")

# These say that the header must not be read at all, however it is cut.
_FATAL = frozenset({"yaml-alias-bomb", "yaml-too-deep"})


@dataclass(slots=True)
class Repaired:
    """The fields, and for each one that was not valid YAML: its name, its line, and what was assumed."""

    fields: dict[str, Value] = field(default_factory=dict[str, "Value"])
    assumptions: list[tuple[str, Mark, str]] = field(default_factory=list[tuple[str, Mark, str]])
    duplicates: list[tuple[str, Mark]] = field(default_factory=list[tuple[str, Mark]])


@dataclass(slots=True)
class _Piece:
    key: str
    line: int  # of the key, counted from 1
    value: str  # what stands after the colon on that line
    slip: str = ""  # what was wrong with the line of the key itself
    more: list[str] = field(default_factory=list[str])  # the lines below, up to the next key


def repair(header: str) -> Repaired | None:
    """The header read piece by piece; `None` where not even a key can be found.

    Raises:
        YamlProblem: for what is refused on purpose, such as an alias bomb.
    """
    lines = [_spaced(line) for line in header.split("\n")]
    # A header that is indented as a whole is one that was pasted so.
    margin = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    result = _read_lines([line[margin:] for line in lines], 1, 0)
    if result is not None and not result.assumptions:
        tabbed = next((n for n, line in enumerate(header.split("\n")) if line != lines[n]), None)
        assumed = "each field was read by itself" if tabbed is None else "tabs were read as two blanks each"
        result.assumptions.append((list(result.fields)[-1], Mark((tabbed or 0) + 1, 1), assumed))
    return result


def _spaced(line: str) -> str:
    """The line with its indentation in spaces: YAML forbids tabs there."""
    stripped = line.lstrip(" \t")
    indent = line[: len(line) - len(stripped)]
    return indent.replace("\t", "  ") + stripped if "\t" in indent else line


def _read_lines(lines: list[str], first_line: int, depth: int) -> Repaired | None:
    pieces = _cut(lines, first_line)
    if pieces is None:
        return None
    result = Repaired()
    for piece in pieces:
        if piece.key in result.fields:
            result.duplicates.append((piece.key, Mark(piece.line, 1)))
        if piece.slip:
            result.assumptions.append((piece.key, Mark(piece.line, 1), piece.slip))
        result.fields[piece.key] = _read_piece(piece, result, depth)
    return result


def _cut(lines: list[str], first_line: int) -> list[_Piece] | None:
    pieces: list[_Piece] = []
    for number, line in enumerate(lines, first_line):
        stray = _STRAY_KEY.match(line) if not pieces or pieces[-1].value[:1] not in ("", "|", ">") else None
        match = _KEY_LINE.match(line, stray.end() if stray else 0)
        if match:
            slip = "its indentation was ignored" if stray else ""
            value = line[match.end() :].rstrip()
            if value and line[match.end() - 1] == ":":
                slip = "a blank was added after its colon"
            pieces.append(_Piece(match[2], number, value, slip))
        elif line.startswith("#"):
            continue
        elif pieces:
            pieces[-1].more.append(line)
        elif line.strip():
            return None
    return pieces or None


def _read_piece(piece: _Piece, result: Repaired, depth: int) -> Value:
    source = "\n".join([f"x: {piece.value}", *piece.more, ""])
    try:
        tree = read_yaml(source)
    except YamlProblem as problem:
        if problem.code in _FATAL:
            raise
    else:
        if isinstance(tree.value, dict) and "x" in tree.value and len(tree.value) == 1:
            result.duplicates += [
                (f"{piece.key}.{key}", Mark(piece.line + mark.line - 1, mark.column)) for key, mark in tree.duplicates
            ]
            return tree.value["x"]
    nested = _read_nested(piece, result, depth)
    if nested is not None:
        return nested
    text = _literal(piece)
    result.assumptions.append((piece.key, Mark(piece.line, 1), f"it was read as the text {shown(text)}"))
    return text


def _read_nested(piece: _Piece, result: Repaired, depth: int) -> Value | None:
    """The lines below a bare `key:` as a map or a list, when they look like one."""
    more = [line for line in piece.more if line.strip()]
    if piece.value or not more or depth >= MAX_REPAIR_DEPTH:
        return None
    indent = min(len(line) - len(line.lstrip(" ")) for line in more)
    lines = [line[indent:] for line in piece.more]
    if _ITEM_LINE.match(more[0][indent:]):
        return _read_items(lines, piece, result)
    inner = _read_lines(lines, piece.line + 1, depth + 1) if indent else None
    if inner is None:
        return None
    result.assumptions += [(f"{piece.key}.{name}", mark, text) for name, mark, text in inner.assumptions]
    result.duplicates += [(f"{piece.key}.{name}", mark) for name, mark in inner.duplicates]
    return inner.fields


def _read_items(lines: list[str], piece: _Piece, result: Repaired) -> list[Value]:
    items: list[_Piece] = []
    for number, line in enumerate(lines, piece.line + 1):
        match = _ITEM_LINE.match(line)
        if match:
            items.append(_Piece(f"{piece.key}[{len(items)}]", number, line[match.end() :].rstrip()))
        elif items:
            items[-1].more.append(line)
    return [_read_piece(item, result, MAX_REPAIR_DEPTH) for item in items]


def _literal(piece: _Piece) -> str:
    """The piece as one text: its lines joined, block signs and outer quotes taken off."""
    block = _BLOCK_HEAD.match(piece.value)
    head = piece.value[block.end() :] if block else piece.value
    join = "\n" if block and block[1] == "|" else " "
    text = join.join(part for part in (head, *(line.strip() for line in piece.more)) if part)
    for quote in "\"'":
        if len(text) > 1 and text.startswith(quote) and text.endswith(quote):
            return text[1:-1]
    return text


def shown(text: str) -> str:
    """The start of a text, for a message."""
    return repr(text if len(text) <= 60 else text[:57] + "…")
