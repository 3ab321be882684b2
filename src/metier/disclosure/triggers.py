r"""Skills that a user asks for by name, in their own words.

    $code-review                     anywhere, unless escaped as \$ or written like a variable ($PATH, $HOME_DIR)
    /code-review src/a.py            at the start of the text or of a line; several in a row share what follows
    use skill code-review            also `load skill`, `use the skill`, `use the code-review skill`
    --skill code-review              also `--skill=code-review`

A name is a whole word; punctuation around it does not count. What looks like a request for a skill that does not exist
is reported, never guessed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from metier.parsing.names import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Form: TypeAlias = Literal["$name", "/name", "use skill", "--skill"]

MAX_STACKED = 6
"""Skills that one line of slashes may ask for."""

# What may stand right after a name, besides the end: not a letter, and nothing that would make it part of a path.
_PLAIN_WORD = r"[^\s\"'`“”‘’<>()\[\]{}|\\/,;!?，。；！？、—–…$=]+"
_QUOTE = r"[\"'`“”‘’]?"
_WORDS = re.compile(
    rf"(?<![\w-])(?:use|load)\s+(?:the\s+|a\s+)?skills?:?\s+{_QUOTE}(?P<after>{_PLAIN_WORD})"
    rf"|(?<![\w-])(?:use|load)\s+(?:the\s+|my\s+)?(?P<quote>{_QUOTE})(?P<before>{_PLAIN_WORD}){_QUOTE}\s+skill(?![\w-])"
    rf"|(?<![\w-])--skill(?:=|\s+){_QUOTE}(?P<option>{_PLAIN_WORD})",
    re.IGNORECASE,
)
_DOLLAR = re.compile(rf"(?<![A-Za-z0-9_\\$/])\$(?P<name>{_PLAIN_WORD})")
_SLASH = re.compile(rf"[ \t]*/(?P<name>{_PLAIN_WORD})(?=\s|$|[,;.!?，。；！？、])")
_VARIABLE = re.compile(r"[A-Z0-9_]+|[0-9].*|.*_.*")
_PUNCTUATION = ".:·*_~"
_SMALL_WORDS = frozenset({"to", "for", "that", "which", "if", "when", "and", "or", "the", "it", "in", "on", "with"})
_ASCII_START = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:_-]*")


class Trigger(NamedTuple):
    """One request for a skill."""

    name: str
    form: Form
    args: str = ""
    start: int = 0


class Triggers(NamedTuple):
    """What a text asks for: skills that exist, in order and each once, and names that no skill has."""

    found: tuple[Trigger, ...] = ()
    unknown: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.found)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the skills that were asked for."""
        return tuple(trigger.name for trigger in self.found)


def find_triggers(text: str, names: Sequence[str]) -> Triggers:
    """The skills that a text asks for. `names` are those that exist."""
    known = {canonical(name).casefold(): name for name in reversed(names)}
    hits = sorted((*_slashes(text, known), *_dollars(text, known), *_words(text, known)), key=lambda hit: hit.start)
    found: dict[str, Trigger] = {}
    unknown: dict[str, None] = {}
    for hit in hits:
        if hit.name in known.values():
            old = found.get(hit.name)
            found[hit.name] = hit if old is None or (hit.args and not old.args) else old
        else:
            unknown[hit.name] = None
    return Triggers(tuple(found.values()), tuple(unknown))


def _resolved(token: str, known: Mapping[str, str]) -> str | None:
    """The skill that a word names, with and without the punctuation at its end."""
    # In Chinese the next word follows without a blank.
    start = _ASCII_START.match(token)
    for text in (token, token.rstrip(_PUNCTUATION), start[0].rstrip(_PUNCTUATION) if start else ""):
        name = known.get(canonical(text).casefold()) if text else None
        if name is not None:
            return name
    return None


def _dollars(text: str, known: Mapping[str, str]) -> Iterator[Trigger]:
    for match in _DOLLAR.finditer(text):
        token = match["name"]
        name = _resolved(token, known)
        if name is not None and not (token.isupper() and name != token.rstrip(_PUNCTUATION)):
            yield Trigger(name, "$name", "", match.start())
        elif name is None and not _VARIABLE.fullmatch(token.rstrip(_PUNCTUATION)) and _is_name_like(token):
            yield Trigger(token.rstrip(_PUNCTUATION), "$name", "", match.start())


def _is_name_like(token: str) -> bool:
    word = token.rstrip(_PUNCTUATION)
    return bool(word) and word[0].isalpha() and not any(sign in word for sign in "@#%^&*+~.")


def _slashes(text: str, known: Mapping[str, str]) -> Iterator[Trigger]:
    """Lines that start with `/name`. The skills of one line share the words after the last of them."""
    start = 0
    for line in text.splitlines(keepends=True):
        yield from _slash_line(line, start, known)
        start += len(line)


def _slash_line(line: str, start: int, known: Mapping[str, str]) -> Iterator[Trigger]:
    stacked: list[tuple[str, int]] = []
    position = 0
    while len(stacked) < MAX_STACKED:
        match = _SLASH.match(line, position)
        if match is None:
            break
        name = _resolved(match["name"], known)
        if name is None:
            if not stacked and start == 0 and _is_name_like(match["name"]):
                yield Trigger(match["name"].rstrip(_PUNCTUATION), "/name", "", start)
            break
        stacked.append((name, start + match.start("name") - 1))
        position = match.end()
    rest = line[position:].lstrip(" \t,;.!?，。；！？、").strip()
    for name, place in stacked:
        yield Trigger(name, "/name", rest, place)


def _words(text: str, known: Mapping[str, str]) -> Iterator[Trigger]:
    for match in _WORDS.finditer(text):
        form: Form = "--skill" if match["option"] is not None else "use skill"
        token = match["option"] or match["after"] or match["before"]
        name = _resolved(token, known)
        if name is not None:
            yield Trigger(name, form, "", match.start())
        elif token.lower() not in _SMALL_WORDS and (match["before"] is None or match["quote"] or "-" in token):
            # "use your skill" asks for nothing; "use code-reveiw skill" does.
            yield Trigger(token.rstrip(_PUNCTUATION), form, "", match.start())
