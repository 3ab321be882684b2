"""A budget is never exceeded, and no name is lost while names fit."""

from __future__ import annotations

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from metier import Policy, Skill
from metier.disclosure.budget import Budget
from metier.disclosure.listing import make_listing
from metier.policy import Style

STYLES: st.SearchStrategy[Style] = st.sampled_from(get_args(Style))
POLICY = Policy.profile("default").but(entry_chars=None)
DESCRIPTIONS = st.text(min_size=1, max_size=300).filter(lambda text: bool(text.strip()))
NAMES = st.lists(
    st.from_regex(r"[a-z0-9]{1,12}(-[a-z0-9]{1,8})?", fullmatch=True), min_size=1, max_size=30, unique=True
)


@st.composite
def catalogs(draw: st.DrawFn) -> list[Skill]:
    return [Skill.inline(name=name, description=draw(DESCRIPTIONS)) for name in sorted(draw(NAMES))]


@given(
    catalogs(),
    st.integers(0, 4_000),
    STYLES,
    st.booleans(),
    st.data(),
)
def test_a_listing_never_exceeds_its_budget_and_loses_nothing_unsaid(
    skills: list[Skill],
    limit: int,
    style: Style,
    in_tokens: bool,
    data: st.DataObject,
) -> None:
    budget = Budget(tokens=limit // 4) if in_tokens else Budget(chars=limit)
    favoured = data.draw(st.lists(st.sampled_from([skill.name for skill in skills]), max_size=3))
    listing = make_listing(skills, POLICY, budget=budget, style=style, favoured=favoured)
    assert budget.room(listing.text)
    report = listing.report
    assert report.total == len(skills)
    assert report.listed + len(report.omitted) == len(skills)
    bare = [Skill.inline(name=skill.name, description="x") for skill in skills]
    named = POLICY.but(style=style, joins_when_to_use=False)
    shortest = make_listing([one._replace(description="", path="") for one in bare], named, budget=Budget())
    if budget.room(shortest.text):
        assert report.omitted == ()
    whole = make_listing(skills, POLICY, budget=Budget(), style=style)
    if budget.room(whole.text):
        assert listing.text == whole.text
        assert report.shortened == 0


@given(st.lists(st.integers(1, 300), min_size=2, max_size=20), st.integers(50, 3_000))
def test_descriptions_share_what_room_there_is(lengths: list[int], limit: int) -> None:
    skills = [Skill.inline(name=f"s{place:02}", description="d" * length) for place, length in enumerate(lengths)]
    listing = make_listing(skills, POLICY, budget=Budget(chars=limit))
    shown = [line.partition(": ")[2] for line in listing.text.split("\n")]
    cut = {len(text) for text in shown if text.endswith("…")}
    if listing.report.omitted or not cut:
        return
    # All that are cut are cut alike, and no other is longer than they are.
    (width,) = cut
    assert all(len(text) == min(length, width) for text, length in zip(shown, lengths, strict=True))
    assert not Budget(chars=limit).room("\n".join(f"- s00: {'d' * min(length, width + 1)}" for length in lengths))
