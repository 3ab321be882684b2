"""Many candidates, one catalog: which of several skills with one name is meant by it."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from metier.catalog.candidate import State, as_candidate
from metier.diagnostic import Diagnostic, problem
from metier.skill import Skill

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from metier.catalog.candidate import Candidate, Found
    from metier.policy import Policy

_SCOPES = {"project": 0, "user": 1, "system": 2}


class Merged(NamedTuple):
    """Candidates with their final states, and what is to be said about clashes."""

    found: list[Found]
    diagnostics: tuple[Diagnostic, ...]


def merge(found: list[Found], policy: Policy, fingerprint: Callable[[Skill], Hashable]) -> Merged:
    """Give each name to one candidate, by the policy. Candidates come in order of rank, then of path.

    A name is taken only by a skill that was read well and is not hidden: a broken copy hides nothing. Skills with the
    same fingerprint are copies of each other; it is asked for only where names clash.
    """
    names = [one.name for one in found if isinstance(one, Skill) or one.state is State.LOADED]
    if len(set(names)) == len(names):
        return Merged(found, ())
    merged = [*found]
    holders: dict[str, list[int]] = {}
    for position, one in enumerate(found):
        if one.name is not None and (isinstance(one, Skill) or one.state is State.LOADED):
            holders.setdefault(one.name, []).append(position)
    problems: list[Diagnostic] = []
    for positions in holders.values():
        if len(positions) > 1:
            problems += _settle(merged, positions, policy, fingerprint)
    return Merged(merged, tuple(problems))


def _settle(
    merged: list[Found], positions: list[int], policy: Policy, fingerprint: Callable[[Skill], Hashable]
) -> list[Diagnostic]:
    first = positions[-1 if policy.duplicates == "last" else 0]
    winner = as_candidate(merged[first])
    kept = {fingerprint(winner.skill): winner} if winner.skill else {}
    found: list[Diagnostic] = []
    labels = [merged[position].root.label for position in positions]
    for position in positions:
        loser = as_candidate(merged[position])
        if position == first or loser.skill is None or winner.skill is None:
            continue
        own = fingerprint(loser.skill)
        twin = kept.get(own)
        if twin is not None:
            # What is wrong with it is wrong with its twin, and told there.
            reason = f"an identical copy of {_place(twin)}"
            merged[position] = loser._replace(state=State.SHADOWED, reason=reason, diagnostics=())
            continue
        qualified = loser.skill.qualified_name if labels.count(loser.root.label) == 1 else loser.path
        if policy.duplicates == "keep":
            kept[own] = loser
            values = {"name": loser.name, "other": _place(winner), "qualified": qualified}
            found.append(problem("name-shared", _place(loser), **values))
        else:
            values = {"name": loser.name, "winner": _place(winner), "qualified": qualified}
            found.append(problem("name-shadowed", _place(loser), **values))
            merged[position] = loser._replace(state=State.SHADOWED, reason=found[-1].message)
    return found


def _place(one: Candidate) -> str:
    """Where a candidate is: its file, or what a skill without one answers to."""
    return one.path or f"{one.root.label}:{one.name}"


def ordered(skills: list[Skill], policy: Policy) -> tuple[Skill, ...]:
    """The skills in the order in which they are listed. They come in order of rank, then of path."""
    if policy.order != "discovery":
        skills.sort(key=attrgetter("name"))
    if policy.order == "scope":
        skills.sort(key=lambda skill: _SCOPES[skill.root.scope])
    return tuple(skills)
