"""What an operation offered to a model has to say, before anybody writes it down.

Named tuples, not dataclasses: an activation should cost little more than reading the file.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from metier.messages import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.messages import Lang

Status: TypeAlias = Literal["success", "partial", "error"]


class Code(StrEnum):
    """Why something failed, for machines."""

    NOT_FOUND = "NOT_FOUND"
    ACCESS_DENIED = "ACCESS_DENIED"
    """The path lies outside of what may be read."""
    PERMISSION_DENIED = "PERMISSION_DENIED"
    """The operating system refuses."""
    INVALID_PARAM = "INVALID_PARAM"
    TIMEOUT = "TIMEOUT"
    INTERNAL_ERROR = "INTERNAL_ERROR"
    EXECUTION_ERROR = "EXECUTION_ERROR"
    CONFLICT = "CONFLICT"
    IS_DIRECTORY = "IS_DIRECTORY"
    BINARY_FILE = "BINARY_FILE"
    CIRCUIT_OPEN = "CIRCUIT_OPEN"
    """The tool is switched off for this session after repeated failures."""
    MCP_PARAM_ERROR = "MCP_PARAM_ERROR"
    MCP_PARSE_ERROR = "MCP_PARSE_ERROR"
    MCP_EXECUTION_ERROR = "MCP_EXECUTION_ERROR"
    MCP_NETWORK_ERROR = "MCP_NETWORK_ERROR"
    MCP_TIMEOUT = "MCP_TIMEOUT"
    MCP_NOT_FOUND = "MCP_NOT_FOUND"


class Delegation(NamedTuple):
    """The author's wish that somebody else does the work: a subagent, with a model or an effort of its own."""

    agent: str = ""
    model: str = ""
    effort: str = ""


class Activation(NamedTuple):
    """Layer 2: the instructions of one skill with arguments filled in."""

    name: str
    body: str
    directory: str = ""
    """The absolute path of the skill's folder; empty in memory."""
    base_dir: str = ""
    """The folder as the policy shows it: absolute, relative to the project, or not at all."""
    files: tuple[str, ...] = ()
    """Its other files, by relative path."""
    has_more_files: bool = False
    args: str = ""
    delegation: Delegation | None = None
    allowed_tools: tuple[str, ...] = ()
    """Tool rules that the author asks to be granted while the skill is in use."""

    @property
    def revision(self) -> str:
        """A digest of the body: changes when the instructions do."""
        return hashlib.blake2b(self.body.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    @property
    def content(self) -> str:
        """The body below the line that names the folder."""
        return f"Base directory for this skill: {self.base_dir}\n\n{self.body}" if self.base_dir else self.body


_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Result(NamedTuple):
    """The answer of one operation. Renderers turn it into text; nothing else formats answers."""

    tool: str
    key: str
    """The message that sums it up, see `metier.messages`."""
    values: Mapping[str, object] = _NOTHING
    status: Status = "success"
    code: Code | None = None
    activation: Activation | None = None
    data: Mapping[str, Any] = _NOTHING
    """What was found, where it is not an activation: `content`, `files`, …"""
    params: Mapping[str, Any] = _NOTHING
    """What the caller asked for, as it was given."""
    path: str = ""
    """The file it is about, relative to the project where it lies in it."""
    time_ms: int = 0
    is_protected: bool = False
    """Must neither be cut nor pruned from the conversation: the instructions of a skill."""

    @property
    def ok(self) -> bool:
        """False when there is nothing usable in it."""
        return self.status != "error"

    @property
    def text(self) -> str:
        """What there is to read, in English and without any wrapping."""
        return self.content or self.summary()

    @property
    def content(self) -> str:
        """The text that was asked for; empty where there is only a summary."""
        if self.activation is not None:
            return self.activation.content
        content = self.data.get("content", "")
        return content if isinstance(content, str) else ""

    def summary(self, lang: Lang = "en") -> str:
        """What was done or went wrong, in one sentence."""
        return say(self.key, lang, **self.values)

    def but(self, **changes: Any) -> Result:
        """The same answer with some parts changed."""
        return self._replace(**changes)


def failed(tool: str, code: Code, key: str, /, **values: object) -> Result:
    """An answer that says why there is none."""
    return Result(tool=tool, status="error", code=code, key=key, values=values)
