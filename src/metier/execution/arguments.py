"""What a model may pass to a tool: a JSON Schema for it to read, and a check before any process starts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from metier.result.answer import Code, Result, failed
from metier.words import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.tool import Parameter, Tool

MAX_SHOWN = 80


def schema_of(tool: Tool) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments."""
    return {
        "type": "object",
        "properties": {parameter.name: _property(parameter) for parameter in tool.parameters},
        "required": [parameter.name for parameter in tool.parameters if parameter.required],
        "additionalProperties": False,
    }


def _property(parameter: Parameter) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": parameter.type}
    if parameter.description:
        schema["description"] = parameter.description
    if parameter.default is not None:
        schema["default"] = parameter.default
    return schema


def checked(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any] | Result:
    """The arguments with defaults filled in, or what is wrong with them."""
    known = [parameter.name for parameter in tool.parameters]
    for name in arguments:
        if name not in known:
            shown = ", ".join(known) or "none"
            return failed(tool.name, Code.INVALID_PARAM, "parameter-unknown", name=one_line(str(name)), known=shown)
    complete: dict[str, Any] = {}
    for parameter in tool.parameters:
        name = parameter.name
        value = arguments.get(name)
        if value is None:
            if parameter.required:
                about = parameter.description or parameter.type
                return failed(tool.name, Code.INVALID_PARAM, "argument-missing", name=name, about=one_line(about))
            if parameter.default is not None:
                complete[name] = parameter.default
            continue
        fitting = _fitting(value, parameter)
        if fitting is None:
            shown = one_line(repr(value))[:MAX_SHOWN]
            return failed(tool.name, Code.INVALID_PARAM, "argument-type", name=name, value=shown, wanted=parameter.type)
        complete[name] = fitting
    return complete


def _fitting(value: object, parameter: Parameter) -> str | int | float | bool | None:
    """The value, if it is of the parameter's type; models write 3.0 where they mean 3."""
    if isinstance(value, str):
        return value if parameter.type == "string" else None
    if parameter.type == "boolean":
        return value if isinstance(value, bool) else None
    if isinstance(value, bool):
        return None
    if parameter.type == "string":
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if parameter.type == "number":
        return value if isinstance(value, int | float) else None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else None
