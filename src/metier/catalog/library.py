"""What several catalogs may share: the state of the disk as last seen, and how to look again."""

from __future__ import annotations

import contextlib
import gc
import os
import time
from dataclasses import replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from metier.catalog.candidate import Candidate, State, as_candidate, build_candidates, build_tool_candidate
from metier.catalog.discovery import Scan, scan
from metier.catalog.merge import merge, ordered
from metier.catalog.reading import read_bytes
from metier.catalog.resources import list_files
from metier.catalog.visibility import Visibilities
from metier.diagnostic import Diagnostic, problem
from metier.parsing.document import decode
from metier.parsing.frontmatter import MAX_HEADER, field_lines
from metier.skill import Skill, Visibility

if TYPE_CHECKING:
    from collections.abc import Generator, Hashable, Mapping, Sequence

    from metier.catalog.cache import Cache
    from metier.catalog.candidate import Found
    from metier.policy import Policy
    from metier.skill import Root

MANY_OBJECTS = 5_000
"""As many as a catalog of some thousand skills makes."""

RECENT_S = 0.2
"""How long a look at all skills serves for loading one of them, whose own file is looked at in any case."""

MAX_DOCUMENT = 64 * 1024 * 1024
"""Bytes of a file that are read when it is asked for whole."""


class Delta(NamedTuple):
    """What a refresh changed among the skills that are offered."""

    added: tuple[Skill, ...] = ()
    changed: tuple[Skill, ...] = ()
    removed: tuple[Skill, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


class View:
    """One consistent state of the library; replaced as a whole by a refresh."""

    def __init__(
        self,
        found: Sequence[Found] = (),
        diagnostics: tuple[Diagnostic, ...] = (),
        offered: tuple[Skill, ...] = (),
    ) -> None:
        self.diagnostics = diagnostics
        self.offered = offered
        self._found = found

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """Every file that might be a skill. Made when asked for: who only lists skills needs none of them."""
        return tuple(map(as_candidate, self._found))

    @cached_property
    def names(self) -> dict[str, str]:
        """What skills that share a name with others are called where that has to be unambiguous, by place."""
        shared = {name: skills for name, skills in self.named.items() if len(skills) > 1}
        return {place_of(skill): unambiguous(skill, skills) for skills in shared.values() for skill in skills}

    @cached_property
    def disclosed(self) -> tuple[Skill, ...]:
        """The offered skills, each under a name that means it alone."""
        if not self.names:
            return self.offered
        return tuple(skill._replace(name=self.names.get(place_of(skill), skill.name)) for skill in self.offered)

    @cached_property
    def has_waiting(self) -> bool:
        """True when a skill waits for a file that is worked on."""
        return any("paths" in skill.fields for skill in self.offered)

    @cached_property
    def named(self) -> dict[str, list[Skill]]:
        """The skills that are loaded, by name."""
        index: dict[str, list[Skill]] = {}
        for one in self._found:
            skill = one if isinstance(one, Skill) else one.skill if one.state is State.LOADED else None
            if skill is not None:
                index.setdefault(skill.name, []).append(skill)
        return index


class Library:
    """The mutable part that several catalogs may share: what was last seen, and how to look again."""

    def __init__(
        self,
        project: str,
        policy: Policy,
        environ: Mapping[str, str],
        *,
        roots: tuple[Root, ...] = (),
        skills: Sequence[Skill] = (),
        packages: Sequence[Candidate] = (),
        cache: Cache | None = None,
        notes: Sequence[Diagnostic] = (),
    ) -> None:
        self.project = project
        self.policy = policy
        self.environ = environ
        self.roots = roots
        self.cache = cache
        self.view = View()
        self._skills = tuple(skills)
        self._packages = tuple(packages)
        self._notes = tuple(notes)
        self._scans: dict[Root, Scan] = {}
        self._seen_links: dict[str, str] = {}
        self._looked = False
        self._looked_at = 0.0

    def add_roots(self, roots: Sequence[Root]) -> bool:
        """Rank new roots behind those there are; false when all of them are known or missing."""
        known = {(root.path, root.single) for root in self.roots}
        fresh = [root for root in roots if (root.path, root.single) not in known and os.path.isdir(root.path)]
        first = len(self.roots)
        self.roots += tuple(replace(root, rank=first + n) for n, root in enumerate(fresh))
        return bool(fresh)

    def is_recent(self) -> bool:
        """True when all skills were looked at a moment ago."""
        return time.monotonic() - self._looked_at < RECENT_S

    def refresh(self) -> None:
        """Look at the disk again. Costs a stat for each skill that has not changed."""
        self._looked_at = time.monotonic()
        if self._looked:
            self._refresh()
        else:
            with _collector_paused():
                self._refresh()

    def _refresh(self) -> None:
        visited: dict[str, str] = {}
        scans: dict[Root, Scan] = {}
        changed = not self._looked
        for root in self.roots:
            known = self._scans.get(root)
            if known is None:
                changed = True
                known = Scan()
                if self.cache is not None and not root.single and os.path.isdir(root.path):
                    known = self.cache.load(root, self.policy)
            found = scan(root, self.policy, known, visited)
            if self.cache is None or root.single or self.cache.save(root, self.policy, found):
                found.rewritten.clear()
            changed = changed or found.changed
            scans[root] = found
        self._scans = scans
        self._looked = True
        if changed:
            self.view = self._build()

    def _build(self) -> View:
        policy = self.policy
        candidates, problems = self._candidates()
        merged = merge(candidates, policy, _fingerprint)
        found = [*self._notes, *problems, *merged.diagnostics]
        offered = [one for one in merged.found if isinstance(one, Skill)]
        if len(offered) < len(merged.found):
            candidates = [one for one in merged.found if isinstance(one, Candidate)]
            found += [_located(one) for candidate in candidates for one in candidate.diagnostics]
            offered = [skill for skill in map(_offered, merged.found) if skill]
        found.sort(key=lambda one: (one.path, one.line or 0, one.code))
        return View(
            found=merged.found,
            diagnostics=tuple(dict.fromkeys(found)),
            offered=ordered(offered, policy),
        )

    def _candidates(self) -> tuple[list[Found], list[Diagnostic]]:
        """The candidates of all roots in order of rank, then of path, and what was odd about the folders."""
        visibilities = Visibilities(self.policy, self.environ, self.project)
        problems: list[Diagnostic] = []
        waiting = 0
        self._seen_links.clear()
        found: list[Found] = [self._shown(as_candidate(skill), visibilities) for skill in self._skills]
        for root, looked in self._scans.items():
            problems += looked.problems
            own = self._candidates_of(root, looked, problems)
            if visibilities.has_rules:
                own = [self._shown(one, visibilities) for one in own]
            if self.policy.project_reading == "after-trust" and not root.trusted:
                waiting += sum(as_candidate(one).skill is not None for one in own)
                own = [_withheld(as_candidate(one)) for one in own]
            found += own
        # Whatever lies on disk was put there for this project or this user, so it takes the name from a package.
        packaged = [self._shown(one, visibilities) for one in self._packages]
        found = [*packaged, *found] if self.policy.duplicates == "last" else [*found, *packaged]
        if waiting:
            problems.append(problem("project-untrusted", self.project, count=waiting))
        problems += [problem("root-missing", root.path) for root in self.roots if root.named and not _is_there(root)]
        return found, problems

    def _candidates_of(self, root: Root, looked: Scan, problems: list[Diagnostic]) -> list[Found]:
        same = self._links_to_others(looked)
        own = build_candidates(looked, root, self.policy)
        if same:
            own = [one for one in own if os.path.dirname(one.path) not in same]
        alone = looked.manifests.keys() - looked.instructions.keys() - same.keys()
        own += [build_tool_candidate(folder, looked, root) for folder in alone]
        own += [_copy(folder, first, looked, root) for folder, first in same.items()]
        for group in looked.groups.values():
            problems += group.problems
            own += [_refused(one, root) for one in group.problems if one.code in _REFUSALS]
        if len(own) > len(looked.instructions) - len(same):
            own.sort(key=attrgetter("path"))
        return own

    def _links_to_others(self, looked: Scan) -> dict[str, str]:
        """Linked skills that are loaded already under another path: (path, that path). A real folder beats a link."""
        same: dict[str, str] = {}
        for folder, real in looked.linked.items():
            if looked.is_skill(folder):
                first = self._real_folder(real) or self._seen_links.setdefault(real, folder)
                if first != folder:
                    same[folder] = first
        return same

    def _real_folder(self, real: str) -> str | None:
        """The path under which a real folder was found without a link, if it was."""
        for root, looked in self._scans.items():
            top = os.path.realpath(root.path)
            path = root.path + real[len(top) :]
            if real.startswith(top + os.sep) and path not in looked.linked and looked.is_skill(path):
                return path
        return None

    def _shown(self, one: Found, visibilities: Visibilities) -> Found:
        candidate = as_candidate(one)
        skill = candidate.skill
        if skill is None:
            return candidate
        visibility, reason = visibilities.of(skill)
        if visibility is skill.visibility:
            return one
        state = State.HIDDEN if visibility is Visibility.OFF else candidate.state
        return candidate._replace(skill=skill._replace(visibility=visibility), state=state, reason=reason)


@contextlib.contextmanager
def _collector_paused() -> Generator[None]:
    """What the first look at the disk creates stays alive; the garbage collector would search it again and again.

    Freezing and thawing moves the new objects to the oldest generation without a search. It also sets the collector's
    counters back, so it is done only where there is much to move, and not where the program has frozen its own.
    """
    was_enabled = gc.isenabled()
    before = gc.get_count()[0]
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if gc.get_count()[0] - before > MANY_OBJECTS and gc.get_freeze_count() == 0:
                gc.freeze()
                gc.unfreeze()
            gc.enable()


_KEPT_FROM_MODEL = frozenset({Visibility.USER_ONLY, Visibility.OFF})
_REFUSALS = frozenset(
    {"file-name-case", "manifest-name", "folder-hidden", "link-broken", "link-escapes", "root-is-skill"}
)


def _offered(one: Found) -> Skill | None:
    if isinstance(one, Skill):
        return one
    return (
        one.skill if one.state is State.LOADED and one.skill and one.skill.visibility not in _KEPT_FROM_MODEL else None
    )


def _refused(one: Diagnostic, root: Root) -> Candidate:
    """What was not even opened, as a candidate, so that `doctor` lists it too."""
    state = State.HIDDEN if one.code == "folder-hidden" else State.SKIPPED
    return Candidate(path=one.path, root=root, state=state, reason=one.message)


def _copy(folder: str, first: str, looked: Scan, root: Root) -> Candidate:
    seen = looked.instructions.get(folder) or looked.manifests[folder]
    return Candidate(seen.path, root, State.SHADOWED, None, f"the same folder as {first}")


def _withheld(candidate: Candidate) -> Candidate:
    if candidate.skill is None:
        return candidate
    return candidate._replace(state=State.HIDDEN, reason="its project is not trusted")


def place_of(skill: Skill) -> str:
    """What no two skills have in common: the path, or the qualified name of one without a file."""
    return skill.path or skill.qualified_name


def unambiguous(skill: Skill, holders: Sequence[Skill]) -> str:
    """What to call one of several skills with the same name."""
    same = sum(other.root.label == skill.root.label for other in holders)
    return skill.qualified_name if same == 1 else place_of(skill)


def _is_there(root: Root) -> bool:
    return os.path.isdir(root.path)


def _located(one: Diagnostic) -> Diagnostic:
    """A diagnostic about a field with the line of that field; only files with something wrong are read for it."""
    field = one.code.partition("-")[0]
    if one.line is not None or field not in ("name", "description") or one.path.endswith(".yaml"):
        return one
    return replace(one, line=_line_of(one.path, field))


def _line_of(path: str, field: str) -> int:
    """Where a field stands in a file; a missing one is missed on the first line."""
    read = read_bytes(path, MAX_HEADER)
    text = decode(read[0], path, is_whole=False) if isinstance(read, tuple) else ""
    return field_lines(text).get(field, 1) if isinstance(text, str) else 1


def _fingerprint(skill: Skill) -> Hashable:
    """Equal for copies: the defining files to the byte, all others by name and size. One of a kind in memory."""
    if not skill.path:
        return id(skill)
    names = dict.fromkeys((os.path.basename(skill.path), "skill.yaml"))
    return (tuple(_bytes_of(skill.dir, name) for name in names), list_files(skill.dir).files)


def _bytes_of(folder: str, name: str) -> bytes | None:
    read = read_bytes(os.path.join(folder, name), MAX_DOCUMENT)
    return read[0] if isinstance(read, tuple) else None


def _has_changed(old: Skill, new: Skill) -> bool:
    """Other fields, or the same ones read from other bytes: then the instructions are others."""
    return old != new or old.fields is not new.fields


def difference(old: tuple[Skill, ...], new: tuple[Skill, ...]) -> Delta:
    """What has to be told to somebody who knows the old skills."""
    if old is new:
        return Delta()
    before = {(skill.name, skill.path): skill for skill in old}
    after = {(skill.name, skill.path): skill for skill in new}
    return Delta(
        added=tuple(skill for key, skill in after.items() if key not in before),
        changed=tuple(skill for key, skill in after.items() if key in before and _has_changed(before[key], skill)),
        removed=tuple(skill for key, skill in before.items() if key not in after),
    )
