r"""Fast readers for simple headers, which most skills have.

They accept only what they can prove to read exactly as the YAML reader does, and answer `None` for all else:
`key: plain or quoted value` lines, one level of nested map or list, uniformly indented `>` and `|` blocks,
blank lines and comments between the keys. `tests/properties` holds them against the YAML reader.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from metier.value import Value

# Outside of ASCII these are line breaks to YAML, or refused by it. A header that holds one is not simple.
_ODD = r"[\x80-\x9f\u2028\u2029\ufeff\ufffe\uffff]"

_CONTROLS = bytes([*range(10), *range(11, 32), 127])

# `.` is by far the fastest thing to match; what a value must not hold is looked for afterwards.
_KEY = r"[A-Za-z_][A-Za-z0-9_-]{0,99}"
# What a plain value must not start with: a blank, or a sign that means something to YAML.
_SPECIAL = " -?:,[]{}#&*!|>'\"%@`"
_FIRST = rf"[^\n{re.escape(_SPECIAL)}]"


def _scalar_pattern(group: str) -> str:
    """A double-quoted, single-quoted or plain value to the end of its line; `group` opens each of the three."""
    return rf"""(?:"{group}.*)" *|'{group}.*)' *|{group}{_FIRST}.*))\n"""


_VALUE = _scalar_pattern("(")
_ANY = _scalar_pattern("(?:")
_LINE = r"[^ \n].*\n"


class _Patterns(NamedTuple):
    """Compiled when the first header is read: a process that starts from the cache never reads one."""

    entry: re.Pattern[str]
    pair: re.Pattern[str]
    item: re.Pattern[str]


@functools.cache
def _patterns() -> _Patterns:
    entry = (
        rf"({_KEY}):(?:"
        rf" +{_VALUE}"  # groups 2 to 4: the value on the line of its key
        rf"| +([>|])(-?) *\n(( +){_LINE}(?:\8{_LINE})*+)"  # 5 to 8: a block
        rf"| *\n(( +){_KEY}: +{_ANY}(?:\10{_KEY}: +{_ANY})*+)"  # 9, 10: a nested map
        rf"| *\n(( *)- +{_ANY}(?:\12- +{_ANY})*+)"  # 11, 12: a list
        r")"
    )
    return _Patterns(
        entry=re.compile(entry),
        pair=re.compile(rf" *({_KEY}): +{_VALUE}"),
        item=re.compile(rf" *- +{_VALUE}"),
    )


# One object for each common key, instead of one for each skill.
_COMMON = {
    key: key
    for key in (
        "name", "description", "license", "compatibility", "metadata", "allowed-tools", "version", "author",
        "tags", "category", "argument-hint", "when_to_use", "model", "user-invocable", "disable-model-invocation",
    )
}  # fmt: skip


def read_simple(header: str) -> dict[str, Value] | None:
    """The fields of a simple header, or `None` where only the full reader may judge.

    `header` ends with a newline and has no carriage returns.
    """
    data = header.encode("utf-8", "surrogatepass")
    if len(data.translate(None, _CONTROLS)) != len(data):
        return None
    if len(data) != len(header) and re.search(_ODD, header):
        return None
    return _read_plain_lines(header) or _read_lines(header)


def _read_plain_lines(header: str) -> dict[str, Value] | None:
    """The fields of a header in which every line is a well-known key with a plain value, as most are.

    Gives up sooner than it would have to: at any colon or hash in a value.
    """
    if "#" in header:
        return None
    fields: dict[str, Value] = {}
    for line in header[:-1].split("\n"):
        key, _, value = line.partition(": ")
        known = _COMMON.get(key)
        if known is None or known in fields or not value or value[0] in _SPECIAL or value[-1] == " " or ":" in value:
            return None
        fields[known] = value
    return fields


def _read_lines(header: str) -> dict[str, Value] | None:
    fields: dict[str, Value] = {}
    position, end = 0, len(header)
    while position < end:
        stop = header.index("\n", position)
        key, separator, text = header[position:stop].partition(": ")
        known = _COMMON.get(key)
        value: Value | None
        if known is not None and text and text[0] not in _SPECIAL:
            # A well-known key with a plain value, which most lines are.
            value, position = _plain(text), stop + 1
        elif not separator and (not key or key[0] == "#"):
            position = stop + 1
            continue
        else:
            known, value, position = _entry(header, position)
        if value is None or known in fields:
            return None
        fields[known] = value
    return fields or None


def _entry(header: str, position: int) -> tuple[str, Value | None, int]:
    """A key with a value of any simple form, and where the next one starts."""
    patterns = _patterns()
    match = patterns.entry.match(header, position)
    if match is None:
        return "", None, position
    key, double, single, plain, style, strip, block, indent, pairs, _, items, _ = match.groups()
    value: Value | None
    if plain is not None:
        value = _plain(plain)
    elif block is not None:
        value = _block(block, style, len(indent), strip)
    elif pairs is not None:
        value = _pairs(patterns.pair.findall(pairs))
    elif items is not None:
        value = _items(patterns.item.findall(items))
    else:
        value = _quoted(double, single)
    return _COMMON.get(key, key), value, match.end()


def _plain(text: str) -> str | None:
    """A plain value, unless it holds something that means more to YAML than the character itself."""
    # The single character is looked for first because that costs next to nothing.
    if "#" in text and " #" in text:
        return None
    if text[-1] == " ":
        text = text.rstrip(" ")
    return None if ":" in text and (": " in text or text[-1] == ":") else text


def _quoted(double: str | None, single: str | None) -> str | None:
    if double:
        return None if '"' in double or "\\" in double else double
    return None if single and "'" in single else single or ""


def _scalar(double: str, single: str, plain: str) -> str | None:
    return _plain(plain) if plain else _quoted(double, single)


def _block(block: str, style: str, indent: int, strip: str) -> str:
    lines = [line[indent:] for line in block.split("\n")[:-1]]
    text = (" " if style == ">" else "\n").join(lines)
    return text if strip else text + "\n"


def _pairs(found: list[tuple[str, str, str, str]]) -> dict[str, Value] | None:
    nested: dict[str, Value] = {}
    for key, *texts in found:
        value = _scalar(*texts)
        if value is None or key in nested:
            return None
        nested[_COMMON.get(key, key)] = value
    return nested


def _items(found: list[tuple[str, str, str]]) -> list[Value] | None:
    listed: list[Value] = []
    for texts in found:
        value = _scalar(*texts)
        if value is None:
            return None
        listed.append(value)
    return listed
