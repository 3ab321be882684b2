"""The tools of a skill, as its `skill.yaml` or its package declares them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from metier.messages import Lang
    from metier.value import Value

Runtime: TypeAlias = Literal["python", "node", "go", "binary", "function"]
"""What a tool runs on. No `skill.yaml` can say `function`: that is for tools of installed Python packages."""

Function: TypeAlias = "Callable[[Mapping[str, Any], str, Lang], object]"
"""What a tool in this process does, given its complete arguments, the workspace's folder and the language."""

TIMEOUT_S = 30.0
"""How long a call may take where the tool does not say."""

ParameterType: TypeAlias = Literal["string", "integer", "number", "boolean"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument of a tool."""

    name: str
    type: ParameterType
    description: str = ""
    required: bool = False
    default: str | int | float | bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One worked call of a tool, from its documentation."""

    scenario: str
    arguments: Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """What a tool asks to be allowed besides reading its own folder and the workspace."""

    network: bool = False
    read: tuple[str, ...] = ()
    """Paths outside of the workspace that it wants to read."""
    write: tuple[str, ...] = ()
    """Paths in the workspace that it wants to write, relative to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much of the machine one call may use."""

    memory_mb: int = 512
    cpu_s: int = 30
    processes: int = 64
    file_mb: int = 100
    """The largest file it may write."""
    temp_mb: int = 64
    """Room in its temporary folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One executable of a skill: a program declared in `skill.yaml`, or a function of an installed package."""

    name: str
    description: str
    runtime: Runtime
    entry: str
    parameters: tuple[Parameter, ...] = ()
    when_to_use: tuple[str, ...] = ()
    when_not_to_use: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    timeout_s: float = TIMEOUT_S
    permissions: Permissions = Permissions()
    env: tuple[str, ...] = ()
    """Names of variables of the host's environment that it gets to see."""
    bounds: Bounds = Bounds()
    function: Function | None = field(default=None, compare=False, repr=False)
    """What is called in this process, where the runtime is `function`."""
