"""The worked calls in a tool's documentation, as arguments that could be sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metier.execution.arguments import checked
from metier.parsing.manifest import typed
from metier.result.answer import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.messages import Lang
    from metier.tool import Parameter, Tool
    from metier.value import Value


def arguments_of(tool: Tool, written: Mapping[str, Value]) -> dict[str, Any]:
    """The arguments of an example. YAML's scalars are kept as text, so each becomes what its parameter asks for."""
    known = {parameter.name: parameter for parameter in tool.parameters}
    return {name: _meant(value, known.get(name)) for name, value in written.items()}


def _meant(value: Value, parameter: Parameter | None) -> Any:
    if parameter is None or not isinstance(value, str):
        return value
    try:
        return typed(value, parameter.type)
    except ValueError:
        return value


def misfit(tool: Tool, arguments: Mapping[str, Any], lang: Lang = "en") -> str:
    """Why arguments do not fit the parameters of a tool; empty where they do."""
    complete = checked(tool, arguments)
    return complete.summary(lang) if isinstance(complete, Result) else ""


def made_up(tool: Tool) -> dict[str, Any]:
    """Arguments for a tool that shows no example: only what it requires, of the right type."""
    samples: dict[str, Any] = {"string": "sample", "integer": 1, "number": 1.0, "boolean": True}
    return {one.name: samples[one.type] for one in tool.parameters if one.required}
