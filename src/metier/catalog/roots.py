"""From the roots that a policy declares to folders on this machine."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from metier.diagnostic import Diagnostic, problem
from metier.paths import is_inside
from metier.places import CLIENTS, RootSpec
from metier.skill import Root

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from metier.policy import Policy

REPOSITORY_MARK = ".git"


def home_of(environ: Mapping[str, str]) -> str:
    """The user's home folder."""
    return environ.get("HOME") or os.path.expanduser("~")


def ancestors(project: str) -> list[str]:
    """The project folder and those above it up to the top of its repository, the nearest first.

    Outside of a repository it is the project folder alone: whatever lies further up is somebody else's.
    """
    found = [project]
    while not os.path.lexists(os.path.join(found[-1], REPOSITORY_MARK)):
        above = os.path.dirname(found[-1])
        if above == found[-1]:
            return [project]
        found.append(above)
    return found


def resolve_roots(project: str, policy: Policy, environ: Mapping[str, str]) -> tuple[Root, ...]:
    """The roots of a policy for one project, in order of rank. The same folder is named only once."""
    specs = _with_clients(policy)
    home = home_of(environ)
    chain = ancestors(project)
    placed: list[tuple[RootSpec, str, str]] = []
    for spec in specs:
        if spec.base != "project":
            placed.append((spec, _place(spec, home), ""))
        elif not any(other.base == "project" for other, _, _ in placed):
            # All project roots stand where the first one does: the nearest folder's before those above it.
            placed += [
                (local, os.path.normpath(os.path.join(folder, local.path)), chain[-1])
                for folder in chain
                for local in specs
                if local.base == "project" and (folder == project or local.ancestors)
            ]
    return _numbered(placed, policy)


def _with_clients(policy: Policy) -> tuple[RootSpec, ...]:
    """The policy's roots, with those of other clients behind the last one of the same scope."""
    specs = list(policy.roots)
    for client in policy.clients:
        for spec in CLIENTS.get(client, ()):
            same = [n for n, other in enumerate(specs) if other.scope == spec.scope]
            specs.insert(same[-1] + 1 if same else len(specs), spec)
    return tuple(specs)


def _place(spec: RootSpec, home: str) -> str:
    if spec.base == "home":
        return os.path.join(home, spec.path)
    if spec.base == "package":
        return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), spec.path)
    return os.path.expanduser(spec.path)


def _numbered(placed: list[tuple[RootSpec, str, str]], policy: Policy) -> tuple[Root, ...]:
    roots: list[Root] = []
    seen: set[tuple[str, bool]] = set()
    # Standing in one's home, its folders are both the project's and one's own.
    own = {os.path.realpath(path) for spec, path, _ in placed if spec.base != "project"}
    for spec, path, boundary in placed:
        real = os.path.realpath(path)
        if (real, spec.single) in seen:
            continue
        seen.add((real, spec.single))
        roots.append(
            Root(
                path=path,
                scope=spec.scope,
                rank=len(roots),
                read_only=spec.read_only,
                trusted=spec.base != "project" or real in own or _is_trusted(path, policy),
                boundary=boundary,
                single=spec.single,
                itself=policy.root_itself,
                max_depth=policy.max_depth,
            )
        )
    return tuple(roots)


def _is_trusted(path: str, policy: Policy) -> bool:
    return any(is_inside(trusted, path) for trusted in policy.trusted_roots)


def explicit_roots(given: Sequence[str | os.PathLike[str] | Root], project: str, policy: Policy) -> tuple[Root, ...]:
    """Roots that a person or a program named: trusted, because they were asked for."""
    roots: list[Root] = []
    seen: set[str] = set()
    for entry in given:
        root = entry if isinstance(entry, Root) else _named(os.fspath(entry), project, policy)
        real = os.path.realpath(root.path)
        if real not in seen:
            seen.add(real)
            roots.append(replace(root, rank=len(roots)))
    return tuple(roots)


def _named(entry: str, project: str, policy: Policy) -> Root:
    path = os.path.normpath(os.path.join(project, os.path.expanduser(entry)))
    return Root(path=path, scope="project", trusted=True, itself=True, named=True, max_depth=policy.max_depth)


def create_roots(roots: Sequence[Root], project: str) -> Iterator[Diagnostic]:
    """Make the roots that are missing in a project. Whatever a configuration names outside of it is not made."""
    for root in roots:
        if is_inside(project, root.path) and not os.path.isdir(root.path):
            try:
                os.makedirs(root.path, exist_ok=True)
            except OSError as error:
                yield problem("folder-unreadable", root.path, reason=f"it cannot be made: {error.strerror or error}")


def nested_roots(project: str, touched: str, policy: Policy) -> Iterator[Root]:
    """The project roots of the folders between the project and a file that is being worked on."""
    folder = os.path.dirname(touched)
    relative = os.path.relpath(folder, project)
    if relative == os.curdir or relative.startswith(os.pardir):
        return
    parts = relative.split(os.sep)
    for depth in range(len(parts), 0, -1):
        label = "/".join(parts[:depth])
        for spec in policy.roots:
            if spec.base == "project" and not spec.single:
                path = os.path.join(project, *parts[:depth], spec.path)
                yield Root(
                    path=path,
                    scope=spec.scope,
                    label=label,
                    trusted=_is_trusted(path, policy),
                    boundary=project,
                    max_depth=policy.max_depth,
                )


def folders_of_other_clients(project: str, roots: Sequence[Root], environ: Mapping[str, str]) -> Iterator[Diagnostic]:
    """A note for each folder of another client that holds skills and is not among the roots."""
    known = {os.path.realpath(root.path) for root in roots}
    home = home_of(environ)
    for client, specs in CLIENTS.items():
        for spec in specs:
            folders = ancestors(project) if spec.base == "project" else [home]
            for folder in folders:
                path = os.path.join(folder, spec.path)
                if os.path.realpath(path) in known:
                    continue
                count = _count_skills(path)
                if count:
                    known.add(os.path.realpath(path))
                    yield problem("client-folder", path, count=count, client=client)


def _count_skills(path: str) -> int:
    try:
        names = os.listdir(path)
    except OSError:
        return 0
    return sum(os.path.lexists(os.path.join(path, name, "SKILL.md")) for name in names)
