"""Which descriptions are shown when not all of them fit.

Everything if it fits; else every name is kept and the descriptions are shortened alike, those of pinned and recently
used skills last; else names alone; else as many names as fit. Never more than the budget, in characters and in tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from metier.words import estimate_tokens, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

USEFUL = 20
"""Characters of a description below which it says nothing; then it is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How long a listing may be; `None` for as long as it gets."""

    chars: int | None = None
    tokens: int | None = None

    def room(self, text: str) -> bool:
        """True when the text fits."""
        if self.chars is not None and len(text) > self.chars:
            return False
        return self.tokens is None or estimate_tokens(text) <= self.tokens

    @property
    def most_chars(self) -> int | None:
        """Characters that can fit at best."""
        found = [limit for limit in (self.chars, None if self.tokens is None else self.tokens * 4) if limit is not None]
        return min(found, default=None)


class Entry(NamedTuple):
    """One line of a listing. The place is that of its skill among all skills."""

    place: int
    description: str


Write: TypeAlias = "Callable[[Sequence[Entry], int], str]"
"""Makes the whole text from the entries that are shown and the number of those that are not."""


class Fitted(NamedTuple):
    """What of each skill is shown."""

    entries: list[Entry]
    shortened: list[int]
    """The places of skills whose description was cut or left out."""
    omitted: list[int]


def fit(
    names: Sequence[str],
    describe: Callable[[], Sequence[str]],
    budget: Budget,
    write: Write,
    favoured: Sequence[int] = (),
) -> Fitted:
    """Choose what is shown. `favoured` are places in order of preference; their descriptions are the last to go.

    Descriptions are asked for only if there is room for all names: of ten thousand skills there hardly ever is.
    """
    most = budget.most_chars
    if most is not None and sum(map(len, names)) + len(names) > most:
        return _names_that_fit(names, favoured, most, budget, write)
    entries = [Entry(place, description) for place, description in enumerate(describe())]
    if most is None or (_least(names, entries) <= most and budget.room(write(entries, 0))):
        return Fitted(entries, [], [])
    if budget.room(write(_cut(entries, frozenset(), 0), 0)):
        # As many of the favoured keep theirs as leave room for the names of the others.
        first = list(dict.fromkeys(favoured))
        number = last_that_fits(
            len(first), lambda number: budget.room(write(_cut(entries, frozenset(first[:number]), 0), 0))
        )
        kept = frozenset(first[:number])
        shown = _cut(entries, kept, _widest(entries, kept, budget, write))
        cut = [old.place for old, new in zip(entries, shown, strict=True) if old is not new]
        return Fitted(shown, cut, [])
    return _names_that_fit(names, favoured, most, budget, write)


def _least(names: Sequence[str], entries: list[Entry]) -> int:
    """Characters that the entries take at least, whatever the style."""
    return sum(map(len, names)) + sum(len(entry.description) for entry in entries)


def _cut(entries: list[Entry], kept: frozenset[int], width: int) -> list[Entry]:
    width = width if width >= USEFUL else 0
    return [
        entry
        if entry.place in kept or len(entry.description) <= width
        else Entry(entry.place, shortened(entry.description, width))
        for entry in entries
    ]


def _widest(entries: list[Entry], kept: frozenset[int], budget: Budget, write: Write) -> int:
    """The most characters that every description may have."""
    most = max(len(entry.description) for entry in entries)
    return last_that_fits(most, lambda width: budget.room(write(_cut(entries, kept, width), 0)))


def _names_that_fit(names: Sequence[str], favoured: Sequence[int], most: int, budget: Budget, write: Write) -> Fitted:
    """Names alone, the favoured ones first, then in order; as many as there is room for."""
    first = list(dict.fromkeys(favoured))
    candidates: list[Entry] = []
    length = 0
    chosen = frozenset(first)
    shortest = min(map(len, names))
    for place in chain(first, (place for place in range(len(names)) if place not in chosen)):
        if length + shortest + 1 > most:
            break
        if length + len(names[place]) + 1 > most:
            continue  # a shorter one may still fit
        length += len(names[place]) + 1
        candidates.append(Entry(place, ""))

    def bare(number: int) -> list[Entry]:
        return sorted(candidates[:number])

    number = last_that_fits(len(candidates), lambda number: budget.room(write(bare(number), len(names) - number)))
    entries = bare(number)
    shown = frozenset(entry.place for entry in entries)
    return Fitted(entries, sorted(shown), [place for place in range(len(names)) if place not in shown])


def last_that_fits(most: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to `most` that fits, where smaller ones fit too; 0 is taken to fit."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low
