"""Skills that wait until a certain file is worked on: the `paths` field.

A pattern is a glob as in `.gitignore`, without its exceptions: `*` and `?` stay within a folder, `**` does not,
`{a,b}` is either, `[a-z]` is one of. A pattern without a slash fits at any depth. Patterns come from strangers, so the
alternatives they spell out are counted for each skill, and each takes no longer than its length times that of the path.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, TypeAlias

from metier.value import as_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.skill import Skill

MAX_ALTERNATIVES = 32
"""Patterns of one skill, with their braces spelled out."""
MAX_PATTERN = 128
MAX_PATH = 1_024


def patterns_of(skill: Skill) -> tuple[str, ...]:
    """The patterns of a skill's `paths` field; none for a skill that does not wait."""
    value = skill.fields.get("paths")
    if value is None:
        return ()
    texts = [as_text(item) for item in value] if isinstance(value, list) else _split(as_text(value))
    return tuple(text.strip() for text in texts if text.strip())[:MAX_ALTERNATIVES]


def _split(text: str) -> list[str]:
    """The parts of a text between commas, except commas in braces."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "{") - (character == "}" and depth > 0)
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def is_open(skill: Skill, touched: Iterable[str]) -> bool:
    """True for a skill that waits for nothing, or for a file that has been touched (relative to the project)."""
    if "paths" not in skill.fields:
        return True
    patterns = patterns_of(skill)
    return not patterns or any(fits(patterns, path) for path in touched)


def fits(patterns: tuple[str, ...], path: str) -> bool:
    """True when a path, relative and with slashes, is one that a pattern means."""
    if len(path) > MAX_PATH:
        return False
    parts = path.replace("\\", "/").removeprefix("./").split("/")
    return any(_parts_fit(one, parts) for one in _compiled(patterns))


_ANY_FOLDERS = ("**",)

_Sign: TypeAlias = "str | re.Pattern[str]"
"""One character of a name: itself, `?` for any, `*` for any number of any, or a class."""


@functools.lru_cache(maxsize=1_024)
def _compiled(patterns: tuple[str, ...]) -> tuple[tuple[tuple[_Sign, ...], ...], ...]:
    """The signs of each name in each alternative; without patterns that are too long to be meant."""
    spelled = [one for pattern in patterns if len(pattern) <= MAX_PATTERN for one in _alternatives(pattern)]
    return tuple(tuple(map(_tokens, _names(one))) for one in spelled[:MAX_ALTERNATIVES])


def _names(pattern: str) -> list[str]:
    if "/" not in pattern.rstrip("/"):
        pattern = f"**/{pattern}"
    pattern = pattern.removeprefix("./").removeprefix("/")
    return f"{pattern}**".split("/") if pattern.endswith("/") else pattern.split("/")


def _alternatives(pattern: str) -> list[str]:
    """The pattern with its braces spelled out, unless that gives too many."""
    done: list[str] = []
    todo = [pattern]
    while todo and len(done) + len(todo) <= MAX_ALTERNATIVES:
        one = todo.pop()
        match = re.search(r"\{([^{}]*,[^{}]*)\}", one)
        if match is None:
            done.append(one)
        else:
            todo += [one[: match.start()] + choice + one[match.end() :] for choice in match[1].split(",")]
    return [] if todo else done


def _tokens(name: str) -> tuple[_Sign, ...]:
    if name == "**":
        return _ANY_FOLDERS
    found: list[_Sign] = []
    position = 0
    while position < len(name):
        match = re.compile(r"\[(!|\^)?([^\]\\[]+)\]").match(name, position)
        if match:
            found.append(re.compile(f"[{'^' if match[1] else ''}{_class(match[2])}]", re.DOTALL))
            position = match.end()
        else:
            found.append(name[position])
            position += 1
    return tuple(found)


def _class(text: str) -> str:
    """The inside of a character class in which a range that runs backwards is three characters."""
    safe = re.sub(r"([\^\]\\&~|\[])", r"\\\1", text)
    return re.sub(r"(.)-(.)", lambda match: match[0] if match[1] <= match[2] else rf"{match[1]}\-{match[2]}", safe)


def _parts_fit(names: tuple[tuple[_Sign, ...], ...], parts: list[str]) -> bool:
    """Whether the names fit the parts of a path, `**` standing for any number of them."""
    # `reached` holds how many parts may be used up by the names so far.
    reached = {0}
    for name in names:
        if name == _ANY_FOLDERS:
            reached = set(range(min(reached, default=len(parts) + 1), len(parts) + 1))
        else:
            reached = {used + 1 for used in reached if used < len(parts) and _name_fits(name, parts[used])}
    return len(parts) in reached


def _name_fits(tokens: tuple[_Sign, ...], text: str) -> bool:
    """Whether tokens fit a name. Goes back to the last star only, so it takes no longer than their product."""
    token = place = 0
    star, after = -1, 0
    while place < len(text):
        if token < len(tokens) and tokens[token] == "*":
            star, after, token = token, place, token + 1
        elif token < len(tokens) and _is_one(tokens[token], text[place]):
            token, place = token + 1, place + 1
        elif star >= 0:
            after += 1
            token, place = star + 1, after
        else:
            return False
    return all(one == "*" for one in tokens[token:])


def _is_one(token: _Sign, character: str) -> bool:
    if isinstance(token, str):
        return token in ("?", character)
    return token.fullmatch(character) is not None
