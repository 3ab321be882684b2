"""Looking for skills below one root. The only module that searches for them.

One walk serves the first look, the start with a cache and every refresh: it goes through the folders that it knew
before, compares signatures, and lists or reads again only what has changed.

A folder is first taken for a skill: its SKILL.md is opened without looking whether it is there. Only where that
fails is the folder listed, so a root of ten thousand skills costs ten thousand opens and one listing.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from operator import eq
from typing import TYPE_CHECKING

from metier.catalog.reading import Reader, first_look
from metier.catalog.sighting import (
    INSTRUCTIONS,
    MANIFEST,
    SETTLED_NS,
    Group,
    Sight,
    alike,
    missing_files,
    say_the_same,
    settled,
    signature_of,
)
from metier.diagnostic import Diagnostic, problem
from metier.paths import is_inside

if TYPE_CHECKING:
    from metier.policy import Policy
    from metier.skill import Root

_INSTRUCTIONS_TAIL = os.sep + INSTRUCTIONS
_MANIFEST_TAIL = os.sep + MANIFEST
SKIPPED = frozenset({"node_modules", "__pycache__"})


@dataclass(slots=True)
class Scan:
    """What one look at a root found, by path of the folder. A skill has instructions, a manifest, or both."""

    instructions: dict[str, Sight] = field(default_factory=dict[str, Sight])
    manifests: dict[str, Sight] = field(default_factory=dict[str, Sight])
    missing: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Files that the tools of a manifest need and that are not in its folder."""
    groups: dict[str, Group] = field(default_factory=dict[str, Group])
    linked: dict[str, str] = field(default_factory=dict[str, str])
    """Folders that are links, with their real paths."""
    spelled_otherwise: set[str] = field(default_factory=set[str])
    """Folders whose instructions are not called SKILL.md, so that a better file may join them."""
    problems: list[Diagnostic] = field(default_factory=list[Diagnostic])
    rewritten: set[str] = field(default_factory=set[str])
    """Folders that differ from what was known, if only in their signature, or are gone: the cache writes these."""
    changed: bool = False

    def is_skill(self, folder: str) -> bool:
        """True for a folder that holds, or claims to hold, a skill."""
        return folder in self.instructions or folder in self.manifests


def scan(root: Root, policy: Policy, known: Scan, visited: dict[str, str]) -> Scan:
    """Look at a root. `known` is what the last look saw; `visited` collects the groups of all roots, by real path."""
    walk = _Walk(root, policy, known, visited)
    walk.run()
    found = walk.found
    found.rewritten |= known.rewritten  # what could not be saved the last time
    for now, before in (
        (found.instructions, known.instructions),
        (found.manifests, known.manifests),
        (found.groups, known.groups),
    ):
        gone = before.keys() - now.keys() if found.changed or len(now) != len(before) else ()
        found.rewritten.update(gone)
        found.changed = found.changed or bool(gone)
    differs = bool(found.rewritten) and found.instructions.keys() != known.instructions.keys()
    later = (found.problems, found.missing) != (known.problems, known.missing)
    found.changed = found.changed or differs or later
    return found


class _Walk:
    def __init__(self, root: Root, policy: Policy, known: Scan, visited: dict[str, str]) -> None:
        self.found = Scan()
        self._root = root
        self._policy = policy
        self._known = known
        self._visited = visited
        self._youngest = time.time_ns() - SETTLED_NS
        self._reader = Reader(root, self._youngest)
        self._opens_first = INSTRUCTIONS in policy.files
        # Skills for which an unchanged SKILL.md is not the whole story.
        self._special = known.manifests.keys() | known.spelled_otherwise
        self._tools = policy.tools

    def run(self) -> None:
        root = self._root
        if not root.trusted and not is_inside(root.boundary, root.path):
            self.found.problems.append(problem("link-escapes", root.path, boundary=root.boundary))
        elif root.single:
            self._look_at_single()
        elif not root.itself or not self._take_for_skill(root.path) or self._policy.descend_into_skills:
            self._search()
        else:
            self._mention_what_is_below()

    def _mention_what_is_below(self) -> None:
        """A root that is itself a skill keeps what lies in it from being skills: said where there are some."""
        path = self._root.path
        try:
            names = os.listdir(path)
        except OSError:
            return
        if any(os.path.lexists(os.path.join(path, name, INSTRUCTIONS)) for name in names):
            self.found.problems.append(problem("root-is-skill", os.path.join(path, INSTRUCTIONS)))

    def _look_at_single(self) -> None:
        """A folder that is one skill by declaration: its file is looked at, the rest is not even listed."""
        path = self._root.path
        for name in self._policy.files:
            if os.path.lexists(os.path.join(path, name)):
                self._sight(path, path + os.sep + name, has_manifest=False)
                return

    def _search(self) -> None:
        """Every folder below the root, within the bounds."""
        policy = self._policy
        max_depth = self._root.max_depth
        deeper = entries = 0
        top = os.path.realpath(self._root.path)
        self._visited.setdefault(top, self._root.path)
        stack = [(self._root.path, top, 0)]
        while stack:
            path, real, depth = stack.pop()
            group = self._group(path, depth)
            if group is None:
                continue
            if len(self.found.groups) - 1 > policy.max_dirs:
                self._truncated(f"the search ended after {policy.max_dirs:,} folders without a skill", "max_dirs")
                return
            entries += group.entries
            if entries > policy.max_entries:
                # What of this folder fits into the bound is still looked at.
                room = max(0, policy.max_entries - entries + group.entries)
                self._below(group._replace(folders=group.folders[:room]), path, real, depth + 1)
                self._truncated(f"the search ended after {policy.max_entries:,} entries", "max_entries")
                return
            if max_depth is not None and depth >= max_depth:
                deeper += len(group.folders)
                continue
            stack.extend(reversed(self._below(self._less_the_unchanged(group, path), path, real, depth + 1)))
        if deeper:
            self._truncated(f"{deeper} folders lie deeper than {max_depth} levels", "max_depth")

    def _less_the_unchanged(self, group: Group, path: str) -> Group:
        """Look at the known skills of the most common root, one in which each subfolder is a skill.

        Nothing has to be looked up by name then, which would take a third of the time of a refresh. What is left of
        the group has changed.
        """
        known = self._known.instructions
        if len(known) != len(group.folders) or group.links or self._special or self._policy.descend_into_skills:
            return group
        child = (path + os.sep).__add__
        # Mostly they come in the same order, which is quickly seen.
        in_order = all(map(eq, known, map(child, group.folders)))
        if not in_order and known.keys() != set(map(child, group.folders)):
            return group
        stat, access, exists, tail, tools = os.stat, os.access, os.F_OK, _MANIFEST_TAIL, self._tools
        changed: list[str] = []
        for folder, old in known.items():
            try:
                now = stat(old.path)
                if (now.st_mtime_ns, now.st_ctime_ns, now.st_size, now.st_ino) != old.signature or (
                    tools and access(folder + tail, exists)
                ):
                    changed.append(folder)
            except OSError:
                changed.append(folder)
        self.found.instructions.update(known)
        for folder in changed:
            del self.found.instructions[folder]
        return group._replace(folders=tuple(sorted(map(os.path.basename, changed))))

    def _below(self, group: Group, path: str, real: str, depth: int) -> list[tuple[str, str, int]]:
        """Look at the subfolders of a group, and return those that are groups in their turn."""
        # Runs for every skill at every refresh, so lookups are made once and the quick answer stands here in full.
        get, found, special, tools = self._known.instructions.get, self.found.instructions, self._special, self._tools
        stat, access, exists, tail = os.stat, os.access, os.F_OK, _MANIFEST_TAIL
        groups, root, youngest = self._known.groups, self._root, self._youngest
        descends, opens_first = self._policy.descend_into_skills, self._opens_first
        prefix = path + os.sep
        below: list[tuple[str, str, int]] = []
        for name in self._followed(group, prefix) if group.links else group.folders:
            child = prefix + name
            old = get(child)
            if old is None:
                is_new = opens_first and child not in groups and not (tools and access(child + tail, exists))
                new = first_look(child + _INSTRUCTIONS_TAIL, root, youngest) if is_new else None
                if new is not None:
                    found[child] = new
                    self.found.rewritten.add(child)
            elif child not in special:
                try:
                    now = stat(old.path)
                    # Unchanged, and no tools have joined it.
                    if (now.st_mtime_ns, now.st_ctime_ns, now.st_size, now.st_ino) == old.signature and not (
                        tools and access(child + tail, exists)
                    ):
                        found[child] = old
                        if not descends:
                            continue
                except OSError:
                    pass
            is_skill = child in found or self._take_for_skill(child)
            if descends or not is_skill:
                real_child = self.found.linked.get(child) or real + os.sep + name
                # A group is searched once, however many links lead to it: so circles end.
                if self._visited.setdefault(real_child, child) is child:
                    below.append((child, real_child, depth))
        return below

    def _followed(self, group: Group, prefix: str) -> list[str]:
        """The subfolders of a group without the links that lead out."""
        inside: list[str] = []
        for name in group.folders:
            child = prefix + name
            if name in group.links:
                if self._leads_out(child):
                    continue
                self.found.linked[child] = os.path.realpath(child)
            inside.append(name)
        return inside

    def _leads_out(self, child: str) -> bool:
        """A link stayed inside when it was listed, but what it leads through may be another link by now."""
        refused = self._reader.escape(child)
        if refused is not None:
            self.found.problems.append(refused)
        return refused is not None

    def _truncated(self, reason: str, knob: str) -> None:
        self.found.problems.append(problem("truncated", self._root.path, reason=reason, knob=knob))

    def _take_for_skill(self, folder: str) -> bool:
        """Look at the SKILL.md of a folder, if it has one."""
        known = self._known
        # A folder that was no skill is listed instead; one that was both, where skills may lie in skills, is looked at.
        if not self._opens_first or (folder in known.groups and folder not in known.instructions):
            return False
        has_manifest = self._tools and os.access(folder + os.sep + MANIFEST, os.F_OK)
        return self._sight(folder, folder + os.sep + INSTRUCTIONS, has_manifest=has_manifest)

    def _sight(self, folder: str, file: str | None, *, has_manifest: bool) -> bool:
        """Record what the files of a folder say now. False when there is nothing to record."""
        known, found = self._known, self.found
        if file is not None:
            seen = self._reader.see(file, known.instructions.get(folder))
            if seen is None:
                return False
            self._record(folder, seen, known.instructions, found.instructions)
        if has_manifest:
            seen = self._reader.see(folder + os.sep + MANIFEST, known.manifests.get(folder))
            if seen is not None:
                self._record(folder, seen, known.manifests, found.manifests)
                found.missing[folder] = missing_files(folder, seen)
        return file is not None or folder in found.manifests

    def _record(self, folder: str, seen: Sight, known: dict[str, Sight], found: dict[str, Sight]) -> None:
        found[folder] = seen
        old = known.get(folder)
        if seen is not old:
            self.found.rewritten.add(folder)
            self.found.changed = self.found.changed or old is None or not say_the_same(seen, old)

    def _group(self, path: str, depth: int) -> Group | None:
        """A folder that has no SKILL.md: what it was known to hold, or a new listing. `None` if it is a skill."""
        try:
            signature = signature_of(os.stat(path))
        except FileNotFoundError:
            return None
        except OSError as error:
            return self._unreadable(path, error)
        old = self._known.groups.get(path)
        if old is not None and old.signature == signature:
            self.found.groups[path] = old
            return old
        try:
            with os.scandir(path) as listing:
                entries = list(listing)
        except NotADirectoryError:
            return None
        except OSError as error:
            return self._unreadable(path, error)
        names = [entry.name for entry in entries]
        problems: list[Diagnostic] = []
        if self._is_skill(path, names, problems, depth):
            return None
        folders, links = self._subfolders(entries, problems)
        # A broken link may come to lead somewhere, a hidden folder lose its skill, without a trace in this folder.
        lasting = settled(signature, self._youngest) if not problems else None
        group = Group(lasting, folders, links, len(names), tuple(problems))
        self.found.groups[path] = group
        self.found.rewritten.add(path)
        if old is None or old._replace(signature=None) != group._replace(signature=None):
            self.found.changed = True
        return group

    def _unreadable(self, path: str, error: OSError) -> None:
        self.found.problems.append(problem("folder-unreadable", path, reason=error.strerror or str(error)))

    def _is_skill(self, path: str, names: list[str], problems: list[Diagnostic], depth: int) -> bool:
        """Whether a listed folder is a skill after all: by another spelling, or by its tools."""
        found = alike(names) if self._policy.files else []
        file = next((name for name in self._policy.files if name in found), None)
        has_manifest = self._tools and MANIFEST in names
        if depth == 0 and not self._root.itself:
            if file or has_manifest:
                problems.append(problem("root-is-skill", os.path.join(path, file or MANIFEST)))
            return False
        if file is None:
            problems += [problem("file-name-case", os.path.join(path, name), found=name) for name in found]
        if self._tools and "skill.yml" in names and not has_manifest:
            problems.append(problem("manifest-name", os.path.join(path, "skill.yml"), found="skill.yml"))
        if self.found.is_skill(path) or not (file or has_manifest):
            return False
        self._sight(path, path + os.sep + file if file else None, has_manifest=has_manifest)
        if file and file != INSTRUCTIONS:
            self.found.spelled_otherwise.add(path)
        return not self._policy.descend_into_skills

    def _subfolders(
        self, entries: list[os.DirEntry[str]], problems: list[Diagnostic]
    ) -> tuple[tuple[str, ...], frozenset[str]]:
        found: list[str] = []
        links: set[str] = set()
        for entry in entries:
            name = entry.name
            try:
                is_folder = entry.is_dir()
            except OSError:  # a link that leads to itself
                is_folder = False
            if entry.is_symlink():
                refused = self._link_problem(entry, is_folder=is_folder)
                if refused is not None:
                    problems.append(refused)
                    continue
                links.add(name)
            if not is_folder or name in SKIPPED:
                continue
            if not name.startswith("."):
                found.append(name)
            elif os.path.lexists(os.path.join(entry.path, INSTRUCTIONS)):
                problems.append(problem("folder-hidden", os.path.join(entry.path, INSTRUCTIONS)))
        found.sort()
        return tuple(found), frozenset(links.intersection(found))

    def _link_problem(self, entry: os.DirEntry[str], *, is_folder: bool) -> Diagnostic | None:
        if is_folder:
            return self._reader.escape(entry.path)
        if not os.path.exists(entry.path):
            return problem("link-broken", entry.path, target=os.readlink(entry.path))
        return None
