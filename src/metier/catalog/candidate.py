"""Every file that might be a skill, and what became of it."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from metier.catalog.sighting import header_of, state_of
from metier.diagnostic import Diagnostic, Severity, is_reported_when_loading, problem
from metier.parsing.interpret import Reading, interpret
from metier.parsing.names import canonical
from metier.skill import Skill, Visibility, is_safe_name
from metier.value import is_true

if TYPE_CHECKING:
    from metier.catalog.discovery import Scan
    from metier.policy import Policy
    from metier.skill import Root
    from metier.tool import Tool
    from metier.value import Value


class State(StrEnum):
    """What became of a candidate."""

    LOADED = "loaded"
    SHADOWED = "shadowed"
    HIDDEN = "hidden"
    UNREADY = "unready"
    SKIPPED = "skipped"


class Candidate(NamedTuple):
    """One candidate file: its state, and the reason for any state but `loaded`."""

    path: str
    root: Root
    state: State
    name: str | None = None
    reason: str | None = None
    skill: Skill | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


Found: TypeAlias = Skill | Candidate
"""A candidate, or a skill about which there is nothing to say and which stands for its own."""


def build_candidates(looked: Scan, root: Root, policy: Policy) -> list[Found]:
    """What a policy makes of the folders with instructions, and perhaps with tools, in order of their paths."""
    seen, tools = looked.instructions, looked.manifests
    if policy.standard_only:
        return [_build_candidate(folder, looked, root, policy) for folder in sorted(seen)]
    return [
        one
        if isinstance(one := seen[folder], Skill) and folder not in tools
        else _build_candidate(folder, looked, root, policy)
        for folder in sorted(seen)
    ]


def as_candidate(one: Found) -> Candidate:
    """The candidate itself."""
    if isinstance(one, Candidate):
        return one
    return Candidate(path=one.path, root=one.root, state=State.LOADED, name=one.name, skill=one)


def _build_candidate(folder: str, looked: Scan, root: Root, policy: Policy) -> Candidate:
    seen = looked.instructions[folder]
    path, header = seen.path, header_of(seen)
    fields = header.fields or {}
    reading = interpret(header, os.path.basename(folder), path, policy, is_alone=root.single)
    if reading.name is None:
        return _skipped(path, root, reading)
    tools: tuple[Tool, ...] = ()
    found = reading.diagnostics
    if folder in looked.manifests:
        tools, more, _ = _tools(folder, looked)
        found += more
    shown, reason = Visibility.ON, None
    if is_true(fields.get("disable-model-invocation"), default=False):
        shown, reason = Visibility.USER_ONLY, "its author keeps it from the model (disable-model-invocation)"
    skill = Skill(reading.name, reading.description, root, path, fields, tools, shown, state_of(seen))
    return Candidate(path, root, State.LOADED, reading.name, reason, skill, found)


def _skipped(path: str, root: Root, reading: Reading) -> Candidate:
    errors = [one for one in reading.diagnostics if one.severity is Severity.ERROR]
    reason = errors[0].message if errors else None
    return Candidate(path, root, State.SKIPPED, None, reason, None, reading.diagnostics)


def build_tool_candidate(folder: str, looked: Scan, root: Root) -> Candidate:
    """What becomes of a folder without instructions, whose tools are the skill."""
    manifest = looked.manifests[folder]
    path = manifest.path
    name = canonical(os.path.basename(folder))
    tools, found, description = _tools(folder, looked)
    if not is_safe_name(name):
        found += (problem("name-unsafe", path, name=name, assumed=""),)
        return Candidate(path, root, State.SKIPPED, None, found[-1].message, None, found)
    if not tools:
        only_missing = all(one.code in ("tool-entry-missing", "tool-go-mod") for one in found)
        state = State.UNREADY if found and only_missing else State.SKIPPED
        reason = found[0].message if found else "it declares no tools"
        return Candidate(path, root, state, name, reason, None, found)
    fields: dict[str, Value] = header_of(manifest).fields or {}
    skill = Skill(name, description, root, path, fields, tools, Visibility.ON, state_of(manifest))
    return Candidate(path, root, State.LOADED, name, None, skill, found)


def _tools(folder: str, looked: Scan) -> tuple[tuple[Tool, ...], tuple[Diagnostic, ...], str]:
    """The tools that are declared well and have their files, what is wrong with the others, the description."""
    seen, missing = looked.manifests[folder], looked.missing[folder]
    header = header_of(seen)
    found = tuple(one for one in header.diagnostics if is_reported_when_loading(one))
    if header.fields is None:
        return (), found, ""
    from metier.parsing.manifest import interpret_manifest, required_files

    manifest = interpret_manifest(header.fields, os.path.basename(folder), seen.path)
    found += manifest.diagnostics
    for file in missing:
        if os.path.basename(file) == "go.mod":
            found += (problem("tool-go-mod", seen.path),)
        else:
            found += (problem("tool-entry-missing", seen.path, entry=file, path=os.path.join(folder, file)),)
    ready = tuple(tool for tool in manifest.tools if not set(required_files(tool)) & set(missing))
    return ready, found, manifest.description
