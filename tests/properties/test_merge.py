"""Which of several skills wins does not depend on luck."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metier import Policy, Root, Skill, State
from metier.catalog.candidate import Candidate, Found, as_candidate
from metier.catalog.merge import merge

ROOTS = [Root(path=f"/r{rank}", scope="project", rank=rank, label=f"r{rank}") for rank in range(3)]


def candidate(rank: int, folder: str, name: str, *, good: bool) -> Found:
    path = f"/r{rank}/{folder}/SKILL.md"
    if not good:
        return Candidate(path, ROOTS[rank], State.SKIPPED, reason="broken")
    skill = Skill(name, f"{rank} {folder}", ROOTS[rank], path)
    # A skill about which there is nothing to say stands for its candidate.
    return skill if folder in "ab" else Candidate(path, ROOTS[rank], State.LOADED, name, None, skill)


def unique(skill: Skill) -> str:
    return skill.path


CANDIDATES = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from("abcd"), st.sampled_from(["x", "y", "z"]), st.booleans()),
    max_size=12,
    unique_by=lambda entry: entry[:2],
)


@given(CANDIDATES, st.sampled_from(["first", "last", "keep"]))
def test_merging_gives_every_name_to_one_good_skill_and_loses_none(
    entries: list[tuple[int, str, str, bool]], duplicates: str
) -> None:
    ranked = [candidate(rank, folder, name, good=good) for rank, folder, name, good in sorted(entries)]
    policy = Policy.profile("default").but(duplicates=duplicates)
    merged = merge(ranked, policy, unique)
    assert [one.path for one in merged.found] == [one.path for one in ranked]
    again = merge(merged.found, policy, unique)
    assert again.found == merged.found
    for name in {one.name for one in ranked if one.name}:
        holders = [one for one in ranked if one.name == name]
        winners = [one for one in merged.found if one.name == name and as_candidate(one).state is State.LOADED]
        if duplicates == "keep":
            assert len(winners) == len(holders)
        else:
            (winner,) = winners
            assert winner.path == holders[0 if duplicates == "first" else -1].path
        assert len([one for one in merged.diagnostics if repr(name) in one.message]) == len(holders) - 1


def test_the_same_path_twice_and_no_path_at_all_are_settled_like_any_other() -> None:
    policy = Policy.profile("default")
    twice: list[Found] = [Skill("x", "d", ROOTS[0], "/r/x/SKILL.md"), Skill("x", "d", ROOTS[1], "/r/x/SKILL.md")]
    bare: list[Found] = [Skill("x", "first"), Skill("x", "second")]
    for found in (twice, bare):
        merged = merge(found, policy, id)
        assert [as_candidate(one).state for one in merged.found] == [State.LOADED, State.SHADOWED]
