"""The rules a catalog follows. A profile is a named policy: a row of data, never a branch in the code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from metier.errors import UnknownProfile

if TYPE_CHECKING:
    from metier.skill import Scope, Visibility

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


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibilityRule:
    """One line of configuration: who sees the skill with this name, or at this path."""

    visibility: Visibility
    name: str = ""
    path: str = ""
    scope: str = ""
    """Only skills of this scope; empty for all."""
    origin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Where skills are looked for, which ones count, and what happens when two are called the same."""

    name: str = "default"

    # where
    roots: tuple[RootSpec, ...] = ()
    clients: tuple[str, ...] = ()
    """Other programs whose skill folders are read too; keys of `CLIENTS`."""
    max_depth: int | None = 4
    max_dirs: int = 2_000
    """Folders without a skill that are searched in one root. Folders with one do not count."""
    max_entries: int = 200_000
    """Directory entries that are looked at in one root."""
    descend_into_skills: bool = False
    root_itself: bool = False
    """A SKILL.md that lies directly in a root is loaded, not only reported."""
    create_roots: bool = False

    # what counts
    files: tuple[str, ...] = ("SKILL.md", "skill.md")
    """File names of instructions, the preferred one first; empty where only tools make a skill."""
    tools: bool = True
    """`skill.yaml` is read."""
    identity: Literal["frontmatter", "directory"] = "frontmatter"
    name_missing: Literal["folder", "reject"] = "folder"
    name_mismatch: Literal["ignore", "warn", "reject"] = "warn"
    name_rule: Literal["unicode", "ascii", "length", "any"] = "unicode"
    """The standard's rule, its ASCII reading, its length alone, or none."""
    name_violation: Literal["warn", "reject"] = "warn"
    description: Literal["required", "present", "lead"] = "required"
    """`present` lets it be empty; `lead` takes the first paragraph of the body where there is none."""
    standard_only: bool = False
    """Whatever `metier check --rules std` calls an error is not loaded."""

    # which one
    duplicates: Literal["first", "last", "keep"] = "first"
    """By rank of the root, then by path; `keep` lets both stand and refuses the bare name."""
    order: Literal["scope", "name", "discovery"] = "scope"
    env_switches: Literal["words", "exact", "off"] = "words"
    """How `SKILL_<NAME>_ENABLED` is read: as false/0/no/off, as exactly "false", or not at all."""
    visibility: tuple[VisibilityRule, ...] = ()
    project_reading: Literal["open", "after-trust"] = "open"
    trusted_roots: tuple[str, ...] = ()

    # when
    refresh: Literal["call", "manual"] = "call"
    """`call` looks at the disk again whenever a skill is asked for by name."""

    @classmethod
    def profile(cls, name: str) -> Policy:
        """The policy of a row of the table.

        Raises:
            UnknownProfile: when there is no such row.
        """
        try:
            return PROFILES[name]
        except KeyError:
            raise UnknownProfile(name, tuple(PROFILES)) from None

    def but(self, **changes: Any) -> Policy:
        """The same policy with some values changed."""
        return replace(self, **changes)


def _project(path: str, **more: Any) -> RootSpec:
    return RootSpec(path=path, base="project", scope="project", **more)


def _home(path: str, **more: Any) -> RootSpec:
    return RootSpec(path=path, base="home", scope="user", **more)


BUNDLED = RootSpec(path="bundled", base="package", scope="system", read_only=True)

CLIENTS: MappingProxyType[str, tuple[RootSpec, ...]] = MappingProxyType({
    "claude": (_project(".claude/skills", ancestors=True), _home(".claude/skills")),
    "codex": (_project(".codex/skills", ancestors=True), _home(".codex/skills")),
    "copilot": (_project(".github/skills", ancestors=True), _home(".copilot/skills")),
    "cursor": (_project(".cursor/skills", ancestors=True), _home(".cursor/skills")),
    "gemini": (_project(".gemini/skills", ancestors=True), _home(".gemini/skills")),
    "goose": (_project(".goose/skills", ancestors=True), _home(".config/goose/skills")),
    "opencode": (_project(".opencode/skills", ancestors=True), _home(".config/opencode/skills")),
})  # fmt: skip
"""Where other programs keep their skills."""

_DEFAULT = Policy(
    roots=(
        _project(".agents/skills", ancestors=True),
        _project(".metier/skills", ancestors=True),
        _project("skills"),
        _project(".skills"),
        _project("", single=True),
        _home(".agents/skills"),
        _home(".metier/skills"),
        _home(".config/agents/skills"),
        BUNDLED,
    )
)

PROFILES: MappingProxyType[str, Policy] = MappingProxyType({
    policy.name: policy
    for policy in (
        _DEFAULT,
        _DEFAULT.but(name="strict", standard_only=True, files=("SKILL.md",)),
        Policy(
            name="mycodeagent",
            roots=(_project("skills"),),
            max_depth=None,
            descend_into_skills=True,
            root_itself=True,
            files=("SKILL.md",),
            tools=False,
            name_missing="reject",
            name_mismatch="ignore",
            name_rule="ascii",
            name_violation="reject",
            duplicates="last",
            order="name",
        ),
        Policy(
            name="smallebot",
            roots=(
                RootSpec(path=".agents/sys.skills", base="project", scope="system", read_only=True),
                RootSpec(path=".agents/skills", base="project", scope="user"),
            ),
            max_depth=1,
            files=("SKILL.md",),
            tools=False,
            identity="directory",
            name_missing="reject",
            name_mismatch="ignore",
            name_rule="any",
            order="discovery",
            env_switches="off",
        ),
        Policy(
            name="desiagent",
            roots=(
                _project(".agents/skills"),
                _project("skills"),
                _project("", single=True),
                _home(".config/agents/skills"),
            ),
            max_depth=1,
            files=("SKILL.md",),
            tools=False,
            name_missing="reject",
            name_mismatch="reject",
            name_rule="any",
            order="discovery",
            refresh="manual",
        ),
        Policy(
            name="hn-explorer",
            roots=(_project(".skills"),),
            max_depth=1,
            create_roots=True,
            files=("SKILL.md",),
            tools=False,
            name_missing="reject",
            name_mismatch="ignore",
            name_rule="any",
            description="present",
            duplicates="last",
            order="name",
            refresh="manual",
        ),
        Policy(
            name="omega",
            roots=(_project("skills"),),
            max_depth=1,
            files=(),
            duplicates="last",
            order="name",
            env_switches="exact",
            refresh="manual",
        ),
        Policy(
            name="claude-code",
            roots=(_home(".claude/skills"), _project(".claude/skills", ancestors=True)),
            max_depth=1,
            files=("SKILL.md",),
            tools=False,
            identity="directory",
            name_mismatch="ignore",
            name_rule="any",
            description="lead",
            order="name",
            env_switches="off",
        ),
        Policy(
            name="codex",
            roots=(
                _project(".codex/skills", ancestors=True),
                _home(".codex/skills"),
                _home(".agents/skills"),
                RootSpec(path="/etc/codex/skills", base="absolute", scope="system", read_only=True),
                _project(".agents/skills", ancestors=True),
            ),
            max_depth=6,
            max_entries=20_000,
            files=("SKILL.md",),
            tools=False,
            name_mismatch="ignore",
            name_rule="length",
            name_violation="reject",
            duplicates="keep",
            env_switches="off",
        ),
    )
})  # fmt: skip
"""Every profile, by name. docs/profiles.md explains the rows."""
