"""Layer 1: the list of skills, in the style that the reader knows."""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from metier.disclosure.budget import Budget, Entry, fit, last_that_fits
from metier.messages import say
from metier.skill import Visibility
from metier.value import as_text
from metier.words import estimate_tokens, lines, one_line, shortened, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from metier.messages import Lang
    from metier.policy import Policy, Style
    from metier.skill import Skill


MAX_LABEL = 64
"""Characters of an author's label or kind, which no budget counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What became of every skill in a listing."""

    total: int
    listed: int
    shortened: int
    """Listed with less than their whole description."""
    omitted: tuple[str, ...]
    """Names that are not in the text at all."""
    chars: int
    tokens: int
    """An estimate."""
    budget: Budget

    def as_json(self) -> dict[str, Any]:
        """The stable JSON shape."""
        return {
            "total": self.total,
            "listed": self.listed,
            "shortened": self.shortened,
            "omitted": list(self.omitted),
            "chars": self.chars,
            "tokens": self.tokens,
            "budget": {"chars": self.budget.chars, "tokens": self.budget.tokens},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The text about all visible skills that goes into a prompt. Equal skills and rules give equal bytes."""

    text: str
    report: Report

    def __bool__(self) -> bool:
        return bool(self.text)


def make_listing(
    skills: Sequence[Skill],
    policy: Policy,
    *,
    budget: Budget | None = None,
    style: Style | None = None,
    favoured: Collection[str] = (),
    lang: Lang | None = None,
) -> Listing:
    """The listing of the given skills.

    Args:
        skills: Those a model may see, in the order of the listing.
        policy: Gives style, budget and language unless they are given here.
        budget: How long the text may be.
        style: Another style than the policy's.
        favoured: Names whose descriptions are the last to be shortened, the dearest first: recently used skills.
            Those that the policy pins come before them.
        lang: The language of what is not a skill's own words.
    """
    limit = Budget(chars=policy.budget_chars, tokens=policy.budget_tokens) if budget is None else budget
    writer = _Writer(skills, style or policy.style, policy, limit, lang or policy.lang)
    if not skills:
        return Listing(text=policy.empty, report=writer.report(policy.empty, 0, 0, ()))
    names = [skill.name for skill in skills]
    if policy.overflow == "stop":
        return writer.until_full()
    places = {name: place for place, name in reversed(list(enumerate(names)))} if policy.pinned or favoured else {}
    loved = [places[name] for name in dict.fromkeys((*policy.pinned, *favoured)) if name in places]
    fitted = fit(names, writer.descriptions, limit, writer.write, loved)
    text = writer.write(fitted.entries, len(fitted.omitted))
    if not limit.room(text):  # not even the note that there are skills
        text = ""
    omitted = tuple(names[place] for place in fitted.omitted)
    return Listing(text=text, report=writer.report(text, len(fitted.entries), len(fitted.shortened), omitted))


class _Writer:
    """Writes entries in one style."""

    def __init__(self, skills: Sequence[Skill], style: Style, policy: Policy, budget: Budget, lang: Lang) -> None:
        self._skills = skills
        self._style: Style = style
        self._policy = policy
        self._budget = budget
        self._lang: Lang = lang
        self._line = _LINES[style]
        self._lines: dict[Entry, str] = {}
        self.capped = 0
        """Descriptions that were longer than any may be."""

    def descriptions(self) -> list[str]:
        clean = lines if self._style == "xml" else one_line
        return [self._description(skill, clean) for skill in self._skills]

    def _description(self, skill: Skill, clean: Callable[[str], str]) -> str:
        if skill.visibility is Visibility.NAME_ONLY:
            return ""
        text, fields = skill.description, skill.fields
        if self._policy.joins_when_to_use and ("when_to_use" in fields or "when-to-use" in fields):
            text = f"{text} {skill.when_to_use}"
        text = clean(text)
        cap = self._policy.entry_chars
        if cap is None or len(text) <= cap:
            return text
        self.capped += 1
        return shortened(text, cap)

    def write(self, entries: Sequence[Entry], missing: int) -> str:
        """The whole text."""
        if self._style == "xml":
            return self._xml(entries, missing)
        rows = [self._lines.get(entry) or self._written(entry) for entry in entries]
        if missing:
            rows.append(self._more(missing))
        return "\n".join(rows)

    def _written(self, entry: Entry) -> str:
        """The line of an entry, kept: while a budget is fitted, the same lines are written again and again."""
        line = self._line(self._skills[entry.place], entry.description)
        self._lines[entry] = line
        return line

    def _more(self, missing: int) -> str:
        searchable = "skill_search" in self._policy.offers
        return say("listing-more" if searchable else "listing-more.plain", self._lang, count=missing)

    def _xml(self, entries: Sequence[Entry], missing: int) -> str:
        found = [self._skills[entry.place] for entry in entries]
        rows = [_xml_entry(skill, entry.description, skill.path) for skill, entry in zip(found, entries, strict=True)]
        text = _xml_block(rows, self._more(missing) if missing else "")
        if self._budget.room(text):
            return text
        # Paths below the same roots repeat themselves: a name for each root is used where that is shorter.
        roots = {path: f"r{number}" for number, path in enumerate(dict.fromkeys(_root_of(skill) for skill in found))}
        rows = [
            _xml_entry(skill, entry.description, roots[_root_of(skill)] + skill.path[len(_root_of(skill)) :])
            for skill, entry in zip(found, entries, strict=True)
        ]
        table = [
            f'<root name="{name}">\n{one_line(path).replace("<", "&lt;")}\n</root>'
            for path, name in roots.items()
            if path
        ]
        aliased = _xml_block([*table, *rows], self._more(missing) if missing else "")
        text = aliased if len(aliased) < len(text) else text
        if self._budget.room(text) or any(entry.description for entry in entries):
            return text
        # Before a name goes, its path does: the skill can still be loaded by name.
        return _xml_block([_xml_entry(skill, "", "") for skill in found], self._more(missing) if missing else "")

    def until_full(self) -> Listing:
        """Entries in order until the next one does not fit: what the first design asks for."""
        entries = [Entry(place, description) for place, description in enumerate(self.descriptions())]
        number = last_that_fits(len(entries), lambda number: self._budget.room(self.write(entries[:number], 0)))
        kept = entries[:number]
        text = self.write(kept, 0) if kept else self._policy.empty
        omitted = tuple(skill.name for skill in self._skills[len(kept) :])
        return Listing(text=text, report=self.report(text, len(kept), 0, omitted))

    def report(self, text: str, listed: int, cut: int, omitted: tuple[str, ...]) -> Report:
        return Report(
            total=len(self._skills),
            listed=listed,
            shortened=max(cut, min(self.capped, listed)),
            omitted=omitted,
            chars=len(text),
            tokens=estimate_tokens(text),
            budget=self._budget,
        )


def _root_of(skill: Skill) -> str:
    """The path that a table of roots can stand for; empty for a skill in memory."""
    root = skill.root.path.rstrip(os.sep)
    return root if root and skill.path.startswith(root + os.sep) else ""


def _bullet(skill: Skill, description: str) -> str:
    return f"- {visible(skill.name)}: {description}" if description else f"- {visible(skill.name)}"


def _id_name_desc(skill: Skill, description: str) -> str:
    """The id is the folder's name, which is what tools ask for; the name is the author's label."""
    label = shortened(one_line(skill.title), MAX_LABEL)
    return f"- {visible(skill.name)}: {label} — {description}" if description else f"- {visible(skill.name)}: {label}"


def _planner(skill: Skill, description: str) -> str:
    kind = shortened(one_line(as_text(skill.fields.get("type"))), MAX_LABEL) or "context"
    return (
        f"- **{visible(skill.name)}** ({kind}): {description}"
        if description
        else f"- **{visible(skill.name)}** ({kind})"
    )


def _xml_entry(skill: Skill, description: str, location: str) -> str:
    rows = ["<skill>", "<name>", escape(visible(skill.name)), "</name>"]
    if description:
        rows += ["<description>", escape(description), "</description>"]
    if location:
        # A path is for use as it stands; it only must not end the element.
        rows += ["<location>", one_line(location).replace("<", "&lt;"), "</location>"]
    return "\n".join([*rows, "</skill>"])


def _xml_block(rows: list[str], note: str) -> str:
    notes = [f"<note>{escape(note)}</note>"] if note else []
    return "\n".join(["<available_skills>", *rows, *notes, "</available_skills>"])


_LINES: dict[Style, Callable[[Skill, str], str]] = {
    "bullets": _bullet,
    "id_name_desc": _id_name_desc,
    "planner": _planner,
    "xml": lambda skill, description: _xml_entry(skill, description, skill.path),
}
