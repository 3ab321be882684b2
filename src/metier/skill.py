"""The values everything else speaks of: Skill and Root."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from metier.errors import InvalidSkill
from metier.value import Value, as_text, is_true

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.tool import Tool

Scope: TypeAlias = Literal["project", "user", "system"]

Signature: TypeAlias = tuple[int, int, int, int]
"""mtime_ns, ctime_ns, size, inode. The change time catches edits that put the old mtime back."""

# A tool rule ends at white space or a comma, unless it stands inside parentheses: `Bash(git add *)` is one rule.
_TOOL_RULE = re.compile(r"(?:[^\s,()]|\([^()]*\)?|\))+")

# What no name may hold, whatever the policy: it would break out of a path, a prompt or a command line.
# A colon would let a name pass for a qualified one.
_UNSAFE_NAME = re.compile(
    r"[\x00-\x1f\x7f-\x9f/\\\"'`<>:]|\.\.|\u2028|\u2029"
    r"|[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e01ef]"
)
MAX_SAFE_NAME = 256
"""Characters beyond which a name would crowd out all others in a list."""


def is_safe_name(name: str) -> bool:
    """True when `name` can stand in a path, a prompt and a command line without breaking out of it."""
    return 0 < len(name) <= MAX_SAFE_NAME and _UNSAFE_NAME.search(name) is None


class Visibility(StrEnum):
    """Who gets to see a skill."""

    ON = "on"
    NAME_ONLY = "name-only"
    """Listed for the model without its description."""
    USER_ONLY = "user-only"
    """A person may use it; the model is not told of it."""
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """A place where skills are looked for. Its rank is its position in the catalog's list of roots."""

    path: str
    scope: Scope
    rank: int = 0
    label: str = ""
    """The prefix of qualified names, `label:name`; the scope unless something finer was given."""
    read_only: bool = False
    trusted: bool = False
    """Links may lead out of it and its programs may be run. Reading is a matter of the policy."""
    boundary: str = ""
    """Where links of an untrusted root must stay: the project folder, or else the root itself."""
    single: bool = False
    """The folder is one skill by declaration; nothing below it is searched."""
    itself: bool = False
    """A skill that lies directly in the folder counts, besides those below it."""
    max_depth: int | None = 4
    named: bool = False
    """A person or a program asked for this very folder, so it is missed when it is not there."""

    def __post_init__(self) -> None:
        if not self.label:
            object.__setattr__(self, "label", self.scope)
        if not self.boundary:
            object.__setattr__(self, "boundary", self.path)


MEMORY = Root(path="", scope="project", label="memory", read_only=True, trusted=True)

PACKAGE = Root(path="", scope="system", rank=1_000_000, label="package", read_only=True, trusted=True)
"""Where skills of installed Python packages come from. Ranked behind every root that is a folder."""


class Skill(NamedTuple):
    """One skill: what it is called, what it is for, where it lies, and its fields as the author wrote them.

    A named tuple, not a dataclass: it is made ten thousand times when a large catalog starts, and a frozen dataclass
    takes four times as long to make.
    """

    name: str
    description: str
    root: Root = MEMORY
    path: str = ""
    """The file that defines it: `SKILL.md`, or `skill.yaml` where there is no other. Empty in memory."""
    fields: Mapping[str, Value] = MappingProxyType({})
    tools: tuple[Tool, ...] = ()
    visibility: Visibility = Visibility.ON
    signature: Signature | None = None
    """The state of the file that was read."""
    text: str | None = None
    """The instructions of a skill that has no file."""

    @classmethod
    def inline(
        cls,
        *,
        name: str,
        description: str,
        body: str = "",
        fields: Mapping[str, Value] | None = None,
        root: Root = MEMORY,
    ) -> Skill:
        """A skill made by the program, without a file.

        Raises:
            InvalidSkill: for an empty description or a name that could break out of a path or a prompt.
        """
        if not is_safe_name(name):
            raise InvalidSkill("name", name, "is empty, too long, or holds a character that no name may hold")
        if not description.strip():
            raise InvalidSkill("description", description, "is empty")
        written: dict[str, Value] = {"name": name, "description": description, **(fields or {})}
        shown = (
            Visibility.USER_ONLY if is_true(written.get("disable-model-invocation"), default=False) else Visibility.ON
        )
        return cls(
            name=name,
            description=description.strip(),
            root=root,
            fields=written,
            text=body,
            visibility=shown,
        )

    @property
    def dir(self) -> str:
        """The skill's folder; empty for a skill in memory."""
        return os.path.dirname(self.path)

    @property
    def kind(self) -> Literal["builtin", "workspace"]:
        """`builtin` for a skill of an installed Python package, which no reload touches; else `workspace`."""
        return "builtin" if self.root == PACKAGE else "workspace"

    @property
    def scope(self) -> Scope:
        """Where it comes from: project, user or system."""
        return self.root.scope

    @property
    def qualified_name(self) -> str:
        """`label:name`, which names this skill even where another one shadows it."""
        return f"{self.root.label}:{self.name}"

    @property
    def is_system(self) -> bool:
        """True for a skill that came with an application and is not the user's to change."""
        return self.root.scope == "system"

    @property
    def mtime(self) -> float:
        """When the defining file was last changed, in seconds."""
        return self.signature[0] / 1e9 if self.signature else 0.0

    @property
    def title(self) -> str:
        """The author's `name` field, which is only a label where folders name the skills."""
        return as_text(self.fields.get("name")).strip() or self.name

    @property
    def when_to_use(self) -> str:
        """The author's extra words on when the skill applies."""
        return as_text(self.fields.get("when_to_use", self.fields.get("when-to-use"))).strip()

    @property
    def license(self) -> str:
        """The licence, as written."""
        return as_text(self.fields.get("license"))

    @property
    def compatibility(self) -> str:
        """What the skill needs around it, as written."""
        return as_text(self.fields.get("compatibility"))

    @property
    def metadata(self) -> dict[str, str]:
        """The `metadata` map with every value as text; `fields` keeps it nested."""
        raw = self.fields.get("metadata")
        return {key: as_text(value) for key, value in raw.items()} if isinstance(raw, dict) else {}

    @property
    def allowed_tools(self) -> tuple[str, ...]:
        """Tool rules that the author asks to be granted, from a text or a list."""
        return tool_rules(self.fields.get("allowed-tools"))

    @property
    def disallowed_tools(self) -> tuple[str, ...]:
        """Tool rules that the author asks to be withheld while the skill is active."""
        return tool_rules(self.fields.get("disallowed-tools"))

    @property
    def argument_hint(self) -> str:
        """What to type after the skill's name. `[file]` is a YAML list, but it was meant as text.

        The standard has no such field, so it may also stand in `metadata`.
        """
        raw = self.fields.get("argument-hint", self.metadata.get("argument-hint"))
        return f"[{as_text(raw)}]" if isinstance(raw, list) else as_text(raw)

    @property
    def is_user_invocable(self) -> bool:
        """False when the author wants only the model to use it."""
        return is_true(self.fields.get("user-invocable"), default=True)


def tool_rules(value: Value | None) -> tuple[str, ...]:
    """`allowed-tools` as rules: from a text with spaces or commas, or from a list of such texts."""
    if value is None:
        return ()
    texts: Sequence[Value] = value if isinstance(value, list) else [value]
    return tuple(rule for text in texts for rule in _TOOL_RULE.findall(as_text(text)))
