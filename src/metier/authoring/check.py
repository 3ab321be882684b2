"""`metier check`: the strict side. What loading forgives is an error here."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.authoring.advice import advice
from metier.catalog.candidate import State
from metier.catalog.catalog import Catalog
from metier.catalog.resources import list_files
from metier.catalog.sighting import alike, read_bytes
from metier.diagnostic import Diagnostic, RuleSet, Severity, graded, problem
from metier.parsing.document import read_document
from metier.parsing.frontmatter import field_lines
from metier.parsing.rules import standard_problems
from metier.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_CHECKED = 64 * 1024 * 1024
"""Bytes of a SKILL.md that are read to be checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is wrong with one file."""

    path: str
    diagnostics: tuple[Diagnostic, ...]

    @property
    def is_valid(self) -> bool:
        """True when nothing is an error; warnings are advice."""
        return all(one.severity is not Severity.ERROR for one in self.diagnostics)


def check_paths(paths: Sequence[str], rules: RuleSet) -> Iterator[Report]:
    """Check files, skill folders, and all skills below other folders, each file once."""
    seen: set[str] = set()
    for path in paths:
        for file in find_files(os.path.abspath(path)):
            if file not in seen:
                seen.add(file)
                yield check_file(file, rules)


def find_files(path: str) -> Iterator[str]:
    """The files to check for a path: itself, the file of the skill it is, or those of all skills below it."""
    if not os.path.isdir(path):
        yield path
        return
    names = os.listdir(path)
    own = alike(names) or [name for name in names if name == "skill.yaml"]
    if own:
        yield os.path.join(path, own[0])
        return
    policy = Policy.profile("default").but(env_switches="off", max_depth=None)
    catalog = Catalog.open(path, policy=policy, roots=[path], environ={}, cache=False)
    files = {one.path for one in catalog.candidates if one.state is not State.SHADOWED or one.skill}
    yield from sorted(files) or [os.path.join(path, "SKILL.md")]


def check_file(path: str, rules: RuleSet) -> Report:
    """Check one `SKILL.md`, or a `skill.yaml` that stands alone."""
    found = _manifest_problems(path) if os.path.basename(path) == "skill.yaml" else _problems(path, rules)
    chosen = dict.fromkeys(one for one in (graded(each, rules) for each in found) if one is not None)
    return Report(path=path, diagnostics=tuple(sorted(chosen, key=lambda one: (one.line or 0, one.column or 0))))


def _problems(path: str, rules: RuleSet) -> Iterable[Diagnostic]:
    read = read_bytes(path, MAX_CHECKED)
    if read is None:
        return [problem("file-missing", path)]
    if isinstance(read, Diagnostic):
        return [read]
    folder = os.path.dirname(path)
    document = read_document(read[0], path)
    found = list(document.diagnostics)
    found += _name_of_file(path)
    if document.fields is not None:
        name = os.path.basename(os.path.realpath(folder))
        found += standard_problems(document.fields, name, path, field_lines(document.text))
        if os.path.lexists(os.path.join(folder, "skill.yaml")):
            found += _manifest_problems(os.path.join(folder, "skill.yaml"))
        if rules == "strict":
            found += advice(document, path, list_files(folder).files)
    return found


def _name_of_file(path: str) -> Iterator[Diagnostic]:
    name = os.path.basename(path)
    if name not in ("SKILL.md", "skill.md"):
        yield problem("file-name-case", path, found=name)
    elif name == "SKILL.md" and "skill.md" in os.listdir(os.path.dirname(path) or os.curdir):
        yield problem("file-name-twice", path, ignored="skill.md")


def _manifest_problems(path: str) -> Iterator[Diagnostic]:
    """What is wrong with a `skill.yaml`: the same that keeps its tools from being offered."""
    folder = os.path.dirname(path)
    catalog = Catalog.open(folder, policy=Policy.profile("omega"), roots=[folder], environ={}, cache=False)
    yield from (one for one in catalog.diagnostics if one.path == path)
