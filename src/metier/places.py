"""Places where skills may lie, as policies declare them, before they are resolved for a project and a home."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from metier.skill import Scope

Base: TypeAlias = Literal["project", "home", "package", "absolute"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RootSpec:
    """A root as a policy declares it, before it is resolved for one project and one home."""

    path: str
    base: Base
    scope: Scope
    ancestors: bool = False
    """Look in the folders above the project too, up to the top of the repository."""
    single: bool = False
    """The folder itself is one skill."""
    read_only: bool = False


def in_project(path: str, **more: Any) -> RootSpec:
    """A folder of the project."""
    return RootSpec(path=path, base="project", scope="project", **more)


def in_home(path: str, **more: Any) -> RootSpec:
    """A folder of the user."""
    return RootSpec(path=path, base="home", scope="user", **more)


BUNDLED = RootSpec(path="bundled", base="package", scope="system", read_only=True)

CLIENTS: MappingProxyType[str, tuple[RootSpec, ...]] = MappingProxyType({
    "claude": (in_project(".claude/skills", ancestors=True), in_home(".claude/skills")),
    "codex": (in_project(".codex/skills", ancestors=True), in_home(".codex/skills")),
    "copilot": (in_project(".github/skills", ancestors=True), in_home(".copilot/skills")),
    "cursor": (in_project(".cursor/skills", ancestors=True), in_home(".cursor/skills")),
    "gemini": (in_project(".gemini/skills", ancestors=True), in_home(".gemini/skills")),
    "goose": (in_project(".goose/skills", ancestors=True), in_home(".config/goose/skills")),
    "opencode": (in_project(".opencode/skills", ancestors=True), in_home(".config/opencode/skills")),
})  # fmt: skip
"""Where other programs keep their skills."""
