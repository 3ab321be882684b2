r"""The protocol of tools: one line of JSON in, one line of JSON out, UTF-8, each ended by a line feed.

    → {"arguments": {"path": "data.csv"}}
    ← {"output": "3 rows", "error": ""}

A worker, which answers many calls, gets an `id` with each request and gives it back with the answer. Line feeds inside
of texts are escaped by JSON, so a line is a message. What a program prints besides its answer is not the protocol: such
lines are kept for people.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_LINE = 16 * 1024 * 1024
"""Bytes of one message."""


class Answer(NamedTuple):
    """What a tool said."""

    output: str
    error: str = ""
    id: int | str | None = None


class LineTooLongError(ValueError):
    """A message that never ends. Not for users: the caller says it in its own words."""


def request(arguments: Mapping[str, Any], id: int | str | None = None) -> bytes:  # noqa: A002 - the protocol's word
    """The line that asks a tool to work."""
    message: dict[str, Any] = {"arguments": dict(arguments)} if id is None else {"id": id, "arguments": dict(arguments)}
    try:
        return json.dumps(message, ensure_ascii=False).encode("utf-8") + b"\n"
    except UnicodeEncodeError:  # half of a character: only an escape can say it
        return json.dumps(message).encode("ascii") + b"\n"


def answer(line: bytes) -> Answer | None:
    """What a line says, or `None` if it is not an answer but something the program printed."""
    try:
        message: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or not ("output" in message or "error" in message):
        return None
    fields = cast("dict[str, object]", message)
    id_ = fields.get("id")
    return Answer(
        output=_text(fields.get("output")),
        error=_text(fields.get("error")),
        id=id_ if isinstance(id_, int | str) and not isinstance(id_, bool) else None,
    )


def _text(value: object) -> str:
    """A field as text: authors forget that it should be one."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode("utf-8")


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
        lines = [self._take(part) for part in ended]
        self._add(rest)
        return lines

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
