"""The rules a catalog follows. A profile is a named policy: a row of data, never a branch in the code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from metier.errors import UnknownProfile
from metier.places import BUNDLED, RootSpec, in_home, in_project

if TYPE_CHECKING:
    from metier.messages import Lang
    from metier.skill import Visibility

Style: TypeAlias = Literal["bullets", "xml", "id_name_desc", "planner"]
Place: TypeAlias = Literal["system", "tool"]
Rules: TypeAlias = Literal["default", "mycodeagent", "smallebot", "hn-explorer", "none"]


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
    """`skill.yaml` is read, and so are installed packages where they are asked for."""
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

    # what a model is told of all skills
    style: Style = "bullets"
    placement: tuple[Place, ...] = ("system",)
    """Where the list of skills goes by itself; a host may put it elsewhere, such as into a template."""
    rules: Rules = "default"
    """The words around it."""
    empty: str = ""
    """What stands in its place where no entry fits."""
    budget_chars: int | None = 12_000
    budget_tokens: int | None = None
    overflow: Literal["shorten", "stop"] = "shorten"
    """`stop` lists whole entries until the next one does not fit."""
    entry_chars: int | None = 1_024
    joins_when_to_use: bool = True
    """The author's `when_to_use` follows the description."""
    pinned: tuple[str, ...] = ()
    """Names of skills whose descriptions are shortened last."""
    waits_for_paths: bool = True
    """A skill with `paths` is not listed before such a file is worked on."""
    listing: Literal["frozen", "live"] = "frozen"
    """`frozen` keeps the list of a conversation as it was at its start and tells what changes later."""

    # the tools a model is offered
    offers: tuple[str, ...] = ("Skill", "skill_read", "skill_files")
    parameter: Literal["name", "skill"] = "name"
    """What the Skill tool calls the skill; both words are accepted."""
    bare_schema: bool = False
    """The schema of the Skill tool names the one parameter and nothing else."""
    name_enum: bool = True
    unknown: Literal["nearest", "short", "available"] = "nearest"
    """What is said about a name that no skill has: names that are like it, nothing more, or every name."""
    read_scope: Literal["skills+project", "run_dir", "skill_dirs"] = "skills+project"
    """What ReadFile may read."""
    read_extensions: tuple[str, ...] = (".md", ".cs", ".py", ".txt", ".json", ".yml", ".yaml")
    read_chars: int = 60_000
    """Characters of a file that one answer holds."""

    # what an activation holds
    renderer: Literal["skill_content", "envelope", "skill_loaded", "text", "stdio"] = "skill_content"
    content: Literal["body", "full"] = "body"
    base_dir: Literal["absolute", "relative", "none"] = "absolute"
    """The folder in the first line of an envelope or a text; `<skill_content>` always has the absolute one."""
    placeholders: Literal["all", "arguments", "none"] = "all"
    """Which of `$ARGUMENTS`, `$0`, `$name` and `${SKILL_DIR}` are filled in."""
    empty_args: Literal["blank", "keep"] = "blank"
    max_files: int = 50
    """Files of a skill that an activation names; 0 for none."""
    max_nesting: int = 3
    deduplicates: bool = True
    """Loading the same again in one conversation gives a short note."""
    execution: Literal["trusted", "allow", "deny"] = "trusted"
    """Whose tools are run: those of trusted skills, everybody's in a strong enough sandbox, nobody's."""
    output_chars: int = 8_000
    """Characters of a tool's answer that a model gets at once."""
    lang: Lang = "en"
    tool_lang: Lang | None = None
    """The language of the tools' descriptions, where it is another one."""

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


_DEFAULT = Policy(
    roots=(
        in_project(".agents/skills", ancestors=True),
        in_project(".metier/skills", ancestors=True),
        in_project("skills"),
        in_project(".skills"),
        in_project("", single=True),
        in_home(".agents/skills"),
        in_home(".metier/skills"),
        in_home(".config/agents/skills"),
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
            roots=(in_project("skills"),),
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
            placement=("tool",),
            rules="mycodeagent",
            empty="(none)",
            overflow="stop",
            entry_chars=None,
            joins_when_to_use=False,
            waits_for_paths=False,
            listing="live",
            offers=("Skill",),
            name_enum=False,
            unknown="short",
            read_scope="run_dir",
            renderer="envelope",
            base_dir="relative",
            placeholders="arguments",
            max_files=0,
            max_nesting=1,
            deduplicates=False,
            execution="deny",
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
            style="id_name_desc",
            rules="smallebot",
            budget_chars=None,
            entry_chars=None,
            joins_when_to_use=False,
            waits_for_paths=False,
            listing="live",
            offers=("ReadFile",),
            read_scope="run_dir",
            read_chars=1_000_000,
            renderer="text",
            content="full",
            base_dir="none",
            placeholders="none",
            max_files=0,
            deduplicates=False,
            execution="deny",
        ),
        Policy(
            name="desiagent",
            roots=(
                in_project(".agents/skills"),
                in_project("skills"),
                in_project("", single=True),
                in_home(".config/agents/skills"),
            ),
            max_depth=1,
            files=("SKILL.md",),
            tools=False,
            name_missing="reject",
            name_mismatch="reject",
            name_rule="any",
            order="discovery",
            refresh="manual",
            style="planner",
            placement=(),
            rules="none",
            empty="No skills available.",
            budget_chars=None,
            entry_chars=None,
            joins_when_to_use=False,
            waits_for_paths=False,
            offers=(),
            renderer="text",
            base_dir="none",
            placeholders="none",
            max_files=0,
            max_nesting=1,
            deduplicates=False,
            execution="deny",
        ),
        Policy(
            name="hn-explorer",
            roots=(in_project(".skills"),),
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
            placement=("system", "tool"),
            rules="hn-explorer",
            empty="(no skills available)",
            budget_chars=None,
            entry_chars=None,
            joins_when_to_use=False,
            waits_for_paths=False,
            offers=("Skill",),
            parameter="skill",
            bare_schema=True,
            name_enum=False,
            unknown="available",
            renderer="skill_loaded",
            base_dir="none",
            placeholders="none",
            max_files=0,
            max_nesting=1,
            deduplicates=False,
            tool_lang="zh-Hant",
            execution="deny",
        ),
        Policy(
            name="omega",
            roots=(in_project("skills"),),
            max_depth=1,
            files=(),
            duplicates="last",
            order="name",
            env_switches="exact",
            refresh="manual",
            placement=(),
            rules="none",
            budget_chars=None,
            listing="live",
            offers=("skill_reload",),
            renderer="stdio",
            max_files=0,
            lang="zh-Hans",
            execution="allow",
        ),
        Policy(
            name="claude-code",
            roots=(in_home(".claude/skills"), in_project(".claude/skills", ancestors=True)),
            max_depth=1,
            files=("SKILL.md",),
            tools=False,
            identity="directory",
            name_mismatch="ignore",
            name_rule="any",
            description="lead",
            order="name",
            env_switches="off",
            budget_chars=8_000,
            entry_chars=1_536,
        ),
        Policy(
            name="codex",
            roots=(
                in_project(".codex/skills", ancestors=True),
                in_home(".codex/skills"),
                in_home(".agents/skills"),
                RootSpec(path="/etc/codex/skills", base="absolute", scope="system", read_only=True),
                in_project(".agents/skills", ancestors=True),
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
