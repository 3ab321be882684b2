"""`metier check`: the strict side. What loading forgives is an error here."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.authoring.advice import advice
from metier.catalog.catalog import Catalog
from metier.catalog.library import MAX_DOCUMENT
from metier.catalog.reading import read_bytes
from metier.catalog.resources import list_files
from metier.catalog.roots import ancestors, resolve_roots
from metier.catalog.sighting import alike
from metier.diagnostic import Diagnostic, RuleSet, Severity, graded, problem
from metier.parsing.document import read_document
from metier.parsing.frontmatter import field_lines
from metier.parsing.rules import standard_problems
from metier.paths import is_inside
from metier.policy import Policy
from metier.skill import Root

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is wrong with one file."""

    path: str
    diagnostics: tuple[Diagnostic, ...]

    @property
    def is_valid(self) -> bool:
        """True when nothing is an error; warnings are advice."""
        return all(one.severity is not Severity.ERROR for one in self.diagnostics)


def check_paths(paths: Sequence[str], rules: RuleSet) -> list[Report]:
    """Check files, skill folders, and all skills below other folders."""
    return check_found([find(os.path.abspath(path)) for path in paths], rules)


def check_found(found: Sequence[Found], rules: RuleSet) -> list[Report]:
    """Check each file once, and report what could not be looked at."""
    files = dict.fromkeys(file for one in found for file in one.files)
    refusals = [refusal for one in found for refusal in one.refusals if refusal.path not in files]
    return [*(check_file(file, rules) for file in files), *refusals]


@dataclass(frozen=True, slots=True)
class Found:
    """What there is to check at a path."""

    files: tuple[str, ...]
    refusals: tuple[Report, ...] = ()
    """What was met on the way and could not be looked at, such as a link that leads out."""


def find(path: str, project: str = "", policy: Policy | None = None) -> Found:
    """The files to check for a path: itself, the file of the skill it is, and those of all skills below it.

    Links are followed inside the project, or else inside the path, and never out of it.
    """
    if not os.path.isdir(path):
        return Found((path,))
    names = os.listdir(path)
    own = [name for name in ("SKILL.md", "skill.md") if name in names] or alike(names)
    is_skill = bool(own) or "skill.yaml" in names
    boundary = project if project and is_inside(project, path) else ancestors(path)[-1]
    below = found_in(open_for_checking(path, boundary, policy or Policy.profile("default"), is_skill=is_skill))
    if is_skill:
        file = os.path.join(path, own[0] if own else "skill.yaml")
        return Found((file, *below.files), below.refusals) if below else Found((file,))
    return below or Found((os.path.join(path, "SKILL.md"),))


def open_for_checking(path: str, boundary: str, policy: Policy, *, is_skill: bool) -> Catalog:
    """Every skill of a folder, be it a project or a root of skills; one that is a skill is searched as a project."""
    policy = policy.but(env_switches="off", visibility=(), max_depth=None, project_reading="open")
    local = [
        replace(root, boundary=boundary)
        for root in resolve_roots(path, Policy.profile("default"), {})
        if is_inside(path, root.path) and not root.single
    ]
    top = Root(path=path, scope="project", boundary=boundary, max_depth=None)
    return Catalog.open(path, policy=policy, roots=local if is_skill else [*local, top], environ={}, cache=False)


def found_in(catalog: Catalog, roots: Sequence[Root] = ()) -> Found | None:
    """The files of a catalog that can be checked, and what it could not look at; `None` where there is neither."""
    candidates = [one for one in catalog.candidates if one.path and (not roots or one.root in roots)]
    refused = {one.path for one in catalog.diagnostics if one.code in REFUSED}
    files = tuple(dict.fromkeys(one.path for one in candidates if one.path not in refused))
    reports = tuple(
        Report(path=one.path, diagnostics=(replace(one, severity=Severity.ERROR),))
        for one in catalog.diagnostics
        if one.code in REFUSED
    )
    return Found(tuple(sorted(files)), reports) if files or reports else None


REFUSED = frozenset({"link-escapes", "link-broken", "folder-unreadable", "truncated"})


def check_file(path: str, rules: RuleSet) -> Report:
    """Check one `SKILL.md`, or a `skill.yaml` that stands alone."""
    found = _manifest_problems(path, rules) if os.path.basename(path) == "skill.yaml" else _problems(path, rules)
    chosen = dict.fromkeys(one for one in (graded(each, rules) for each in found) if one is not None)
    return Report(path=path, diagnostics=tuple(sorted(chosen, key=lambda one: (one.line or 0, one.column or 0))))


def _problems(path: str, rules: RuleSet) -> Iterable[Diagnostic]:
    read = read_bytes(path, MAX_DOCUMENT)
    if read is None:
        return [problem("file-missing", path)]
    if isinstance(read, Diagnostic):
        return [read]
    folder = os.path.dirname(path)
    document = read_document(read[0], path)
    found = list(document.diagnostics)
    found += _name_of_file(path)
    if document.fields is not None:
        found += standard_problems(document.fields, os.path.basename(folder), path, field_lines(document.text))
        if os.path.lexists(os.path.join(folder, "skill.yaml")):
            found += _manifest_problems(os.path.join(folder, "skill.yaml"), rules)
        if rules == "strict":
            found += advice(document, path, list_files(folder).files)
    return found


def _name_of_file(path: str) -> Iterator[Diagnostic]:
    name = os.path.basename(path)
    if name not in ("SKILL.md", "skill.md"):
        yield problem("file-name-case", path, found=name)
        return
    beside = os.listdir(os.path.dirname(path))
    if name == "SKILL.md" and "skill.md" in beside:
        yield problem("file-name-twice", path, ignored="skill.md")
    if "skill.yml" in beside and "skill.yaml" not in beside:
        yield problem("manifest-name", os.path.join(os.path.dirname(path), "skill.yml"), found="skill.yml")


def _manifest_problems(path: str, rules: RuleSet) -> Iterator[Diagnostic]:
    """What is wrong with a `skill.yaml`: what keeps its tools from being offered, and advice on those that are."""
    folder = os.path.dirname(path)
    catalog = Catalog.open(folder, policy=Policy.profile("omega"), roots=[folder], environ={}, cache=False)
    yield from (one for one in catalog.diagnostics if one.path == path)
    if rules == "strict":
        from metier.authoring.tool_advice import tool_advice

        for candidate in catalog.candidates:
            for tool in candidate.skill.tools if candidate.skill and candidate.skill.dir == folder else ():
                yield from tool_advice(tool, path)
