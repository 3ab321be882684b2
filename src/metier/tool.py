"""The tools of a skill, as its `skill.yaml` declares them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.value import Value

Runtime: TypeAlias = Literal["python", "node", "go", "binary"]

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
class Tool:
    """One executable of a skill, declared in `skill.yaml`."""

    name: str
    description: str
    runtime: Runtime
    entry: str
    parameters: tuple[Parameter, ...] = ()
    when_to_use: tuple[str, ...] = ()
    when_not_to_use: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
