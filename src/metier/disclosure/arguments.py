r"""Filling arguments and folders into the instructions of a skill.

One pass from left to right: what an argument holds is never looked at again, so no argument can smuggle in a
placeholder. Everything that is not a placeholder stays as it was written, `` !`command` `` included.

    $ARGUMENTS                 everything that was given
    $ARGUMENTS[0], $0, $1 …    one word of it, quoted as in a shell, counted from 0; without such a word, left as it is
    $file                      the word in the place of `file` in the skill's `arguments` field, or nothing
    ${SKILL_DIR}, {baseDir}    the skill's folder; also ${CLAUDE_SKILL_DIR}
    ${CLAUDE_PROJECT_DIR}, ${CLAUDE_SESSION_ID}    where they are known
    \$0, \$ARGUMENTS, \$file   not a placeholder: the backslash goes and the rest stays
"""

from __future__ import annotations

import functools
import json
import re
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from metier.disclosure.commands import Inserted
from metier.value import Value, as_text
from metier.words import encodable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Arguments: TypeAlias = "str | Mapping[str, Any]"
Placeholders: TypeAlias = Literal["all", "arguments", "none", "folders"]
EmptyArguments: TypeAlias = Literal["blank", "keep"]

MAX_DIGITS = 9
MAX_NAMES = 64
"""Arguments that a skill can name. Authors need three; a stranger could name thousands."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


class Expanded(NamedTuple):
    """A text with its arguments filled in."""

    text: str
    used: bool
    """False when no placeholder asked for arguments."""


def as_argument_text(args: Arguments) -> str:
    """The arguments as one text; an object becomes JSON."""
    return encodable(args.strip() if isinstance(args, str) else json.dumps(args, ensure_ascii=False))


def declared_names(value: Value | None) -> tuple[str, ...]:
    """The names in a skill's `arguments` field: a list, or a text with spaces or commas."""
    texts = [as_text(item) for item in value] if isinstance(value, list) else re.split(r"[\s,]+", as_text(value))
    return tuple(text for text in texts if _NAME.fullmatch(text) and text != "ARGUMENTS")[:MAX_NAMES]


def fill(
    body: str,
    args: Arguments = "",
    *,
    names: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
    placeholders: Placeholders = "all",
    empty: EmptyArguments = "blank",
    inserted: Sequence[Inserted] = (),
) -> str:
    """The body with arguments filled in, or with a last line `ARGUMENTS: …` where nothing in it asks for them.

    What is `inserted` takes the place of parts of the body, and is not looked at.
    """
    parts: list[str] = []
    used, end = False, 0
    for one in (*inserted, Inserted(len(body), len(body), "")):
        piece = body[end : one.start] if inserted else body
        expanded = expand(piece, args, names=names, variables=variables, placeholders=placeholders, empty=empty)
        parts += (expanded.text, one.text)
        used, end = used or expanded.used, one.end
    filled = "".join(parts)
    if used or not args or placeholders == "none":
        return filled
    text = as_argument_text(args)
    return f"{filled}\n\nARGUMENTS: {text}" if text else filled


def expand(
    body: str,
    args: Arguments = "",
    *,
    names: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
    placeholders: Placeholders = "all",
    empty: EmptyArguments = "blank",
) -> Expanded:
    """The body with every placeholder replaced, in one pass."""
    text = as_argument_text(args)
    if placeholders == "none":
        return Expanded(body, used=False)
    if placeholders == "arguments":
        used = "$ARGUMENTS" in body
        return Expanded(body.replace("$ARGUMENTS", text) if text or empty == "blank" else body, used)
    if "$" not in body and not _has_base(body):
        return Expanded(body, used=False)
    filler = _Filler(args, text, names, variables or {}, empty, folders_only=placeholders == "folders")
    parts: list[str] = []
    end = 0
    for match in _placeholders(body, tuple(names)):
        before = body[end : match.start()]
        plain = before.rstrip("\\")
        parts += (plain, filler.replacement(match, len(before) - len(plain)))
        end = match.end()
    return Expanded("".join((*parts, body[end:])), filler.used)


def _has_base(body: str) -> bool:
    # The sign alone is looked for first because that costs next to nothing.
    return "{" in body and "{baseDir}" in body


def _placeholders(body: str, names: tuple[str, ...]) -> Iterator[re.Match[str]]:
    pattern = _pattern(names)
    if _has_base(body):
        yield from pattern.finditer(body)
        return
    # All others start with the same sign, and one sign is found much faster than a pattern.
    position = body.find("$")
    while position >= 0:
        match = pattern.match(body, position)
        if match is not None:
            yield match
        position = body.find("$", match.end() if match else position + 1)


@functools.lru_cache(maxsize=256)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    declared = "".join(f"|{re.escape(name)}(?![A-Za-z0-9_])" for name in sorted(names, key=len, reverse=True))
    return re.compile(
        rf"\$(?:(?P<word>ARGUMENTS(?![A-Za-z0-9_])|[0-9]+{declared})(?:(?<=ARGUMENTS)\[(?P<index>[0-9]+)\])?"
        r"|\{(?P<variable>[A-Z_]+)\})|\{baseDir\}"
    )


class _Filler:
    def __init__(
        self,
        args: Arguments,
        text: str,
        names: Sequence[str],
        variables: Mapping[str, str],
        empty: EmptyArguments,
        *,
        folders_only: bool,
    ) -> None:
        self.used = False
        self._folders_only = folders_only
        self._args = args
        self._text = text
        self._names = tuple(names)
        self._variables = variables
        self._empty = empty
        self._words: list[str] | None = None

    def replacement(self, match: re.Match[str], slashes: int) -> str:
        """What stands for a placeholder and the backslashes before it."""
        word = match["word"]
        if word is None:
            known = self._variables.get(match["variable"] or "SKILL_DIR")
            return "\\" * slashes + (match[0] if known is None else known)
        if self._folders_only:
            return "\\" * slashes + match[0]
        if slashes % 2:  # the last backslash belongs to the dollar sign
            return "\\" * (slashes // 2) + match[0]
        value = self._value(word, match["index"])
        if value is None:
            return "\\" * slashes + match[0]
        self.used = True
        return "\\" * (slashes // 2) + value

    def _value(self, word: str, index: str | None) -> str | None:
        if word == "ARGUMENTS" and index is None:
            return None if not self._text and self._empty == "keep" else self._text
        if word in self._names:
            return self._named(word)
        number = index if index is not None else word
        # Nobody gives a billion words; and Python refuses to read numbers of thousands of digits.
        return self._word(int(number)) if len(number) <= MAX_DIGITS else None

    def _named(self, name: str) -> str:
        if isinstance(self._args, Mapping):
            value = self._args.get(name, "")
            return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return self._word(self._names.index(name)) or ""

    def _word(self, number: int) -> str | None:
        if self._words is None:
            self._words = [] if isinstance(self._args, Mapping) else _split(self._text)
        return self._words[number] if number < len(self._words) else None


def words_of(args: Arguments) -> list[str]:
    """The words of the arguments, as `$0`, `$1` … count them."""
    return [] if isinstance(args, Mapping) else _split(as_argument_text(args))


def _split(text: str) -> list[str]:
    """The words of a text as a shell would read them; where a quote is left open, as they stand."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
