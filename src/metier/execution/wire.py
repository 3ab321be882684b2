r"""The protocol of tools: one line of JSON in, one line of JSON out, UTF-8, each ended by a line feed.

    → {"arguments": {"path": "data.csv"}}
    ← {"output": "3 rows", "error": ""}

A worker, which answers many calls, gets an `id` with each request and gives it back with the answer. Line feeds inside
of texts are escaped by JSON, so a line is a message. What a program prints besides its answer is not the protocol: such
lines are kept for people.
"""

from __future__ import annotations

import json
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_IDS = (int, str)
MAX_LINE = 16 * 1024 * 1024
"""Bytes of one message."""


_quoted = cast("Callable[[object], str]", encode_basestring)
_encode = json.JSONEncoder(ensure_ascii=False).encode
_decode = json.JSONDecoder().raw_decode


class Answer(NamedTuple):
    """What a tool said."""

    output: str
    error: str = ""
    id: int | str | None = None


class LineTooLongError(ValueError):
    """A message that never ends. Not for users: the caller says it in its own words."""


def request(arguments: Mapping[str, Any], id: int | str | None = None) -> bytes:  # noqa: A002 - the protocol's word
    """The line that asks a tool to work."""
    head = "" if id is None else f'"id": {id if type(id) is int else _written(id)}, '
    pairs = ", ".join(
        [
            # Nearly all are texts; the call of a function costs more than the writing.
            f"{_quoted(name)}: {_quoted(value) if type(value) is str else _written(value)}"
            for name, value in arguments.items()
        ]
    )
    try:
        return f'{{{head}"arguments": {{{pairs}}}}}\n'.encode()
    except UnicodeEncodeError:  # half of a character: only an escape can say it
        message = {"arguments": dict(arguments)} if id is None else {"id": id, "arguments": dict(arguments)}
        return json.dumps(message).encode("ascii") + b"\n"


def _written(value: object) -> str:
    """One value. Nearly all are texts and whole numbers, for which the library's way round is ten times as long."""
    kind = type(value)
    return _quoted(value) if kind is str else repr(value) if kind is int else _encode(value)


def answer(line: bytes) -> Answer | None:
    """What a line says, or `None` if it is not an answer but something the program printed."""
    try:
        text = line.decode("utf-8").strip()
        message, end = _decode(text)
    except (ValueError, RecursionError):
        return None
    if end != len(text) or not isinstance(message, dict) or not ("output" in message or "error" in message):
        return None
    fields = cast("dict[str, object]", message)
    id_ = fields.get("id")
    known = id_ if type(id_) in _IDS else None  # not isinstance: true and false are integers to that
    output, error = fields.get("output"), fields.get("error")
    if not (type(output) is str and type(error) is str and output.isascii() and error.isascii()):
        try:
            output, error = _text(output), _text(error)
        except RecursionError:  # deeper than we can write, though not than we can read
            return None
    return Answer(output, error, cast("int | str | None", known))


def _text(value: object) -> str:
    """A field as text: authors forget that it should be one."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


class Lines:
    """Bytes as they arrive, cut into lines."""

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._length = 0

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that end in this data, without their line feeds.

        Raises:
            LineTooLongError: when a line exceeds the limit.
        """
        *ended, rest = data.split(b"\n")
        if ended and self._parts:
            ended[0] = self._take(ended[0])
        if len(data) > self._limit and any(len(line) > self._limit for line in ended):
            raise LineTooLongError(f"a line is longer than {self._limit:,} bytes")
        if rest:
            self._add(rest)
        return ended

    def rest(self) -> bytes:
        """What came after the last line feed: a program may forget to end its last line."""
        line = b"".join(self._parts)
        self._parts.clear()
        self._length = 0
        return line

    def _take(self, part: bytes) -> bytes:
        self._add(part)
        return self.rest()

    def _add(self, part: bytes) -> None:
        self._length += len(part)
        if self._length > self._limit:
            raise LineTooLongError(f"a line is longer than {self._limit:,} bytes")
        if part:
            self._parts.append(part)
