"""What a skill may be called."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from metier.diagnostic import Diagnostic, problem

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_NAME = 64

_ASCII_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def canonical(name: str) -> str:
    """The form in which names are compared: compatibility characters folded, white space single."""
    if name.isascii() and " " not in name and "\t" not in name and "\n" not in name:
        return name
    import unicodedata

    return " ".join(unicodedata.normalize("NFKC", name).split())


def is_plain_name(name: str) -> bool:
    """True for the names that every reading of the standard accepts, checked fast."""
    return len(name) <= MAX_NAME and _ASCII_NAME.fullmatch(name) is not None


def name_problems(name: str, path: str, line: int | None, *, ascii_only: bool = False) -> Iterator[Diagnostic]:
    """What the standard has against a canonical name."""
    if len(name) > MAX_NAME:
        yield problem("name-too-long", path, line, length=len(name), limit=MAX_NAME)
    if name != name.lower():
        yield problem("name-not-lowercase", path, line, name=name)
    if name.startswith("-") or name.endswith("-") or "--" in name:
        yield problem("name-hyphens", path, line, name=name)
    wrong = "".join(sorted({character for character in name if not _is_allowed(character, ascii_only)}))
    if wrong:
        yield problem("name-characters", path, line, name=name, characters=wrong)


def _is_allowed(character: str, ascii_only: bool) -> bool:
    if character == "-":
        return True
    if ascii_only:
        return character.isascii() and character.isalnum()
    import unicodedata

    # A vowel sign is no letter by itself, but Hindi and Thai cannot be written without it.
    return character.isalnum() or unicodedata.category(character) in ("Mn", "Mc")


def suggestions(name: str, known: list[str]) -> tuple[str, ...]:
    """The known names nearest to a wrong one."""
    import difflib

    found: list[Any] = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    return tuple(found)
