"""The tools of a Python skill as its source declares them, for who must not import it."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING

from metier.authoring.omega.path_flow import tool_functions
from metier.tool import Parameter, Tool

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.authoring.omega.registration import Source
    from metier.tool import ParameterType

_TYPES: dict[str, ParameterType] = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}


def tools_in(sources: Sequence[Source]) -> list[Tool]:
    """Names, descriptions and parameters, as far as they are written out."""
    return [
        Tool(
            name=function.name,
            description=inspect.cleandoc(ast.get_docstring(function) or "").partition("\n\n")[0],
            runtime="python",
            entry="",
            parameters=tuple(_parameters(function.args)),
        )
        for _, function in tool_functions(sources)
    ]


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults))
    with_defaults = [*zip(plain, [*defaults, *arguments.defaults], strict=True)]
    for one, default in [*with_defaults, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]:
        nodes = list(ast.walk(one.annotation)) if one.annotation is not None else []
        kinds: list[ParameterType] = [
            _TYPES[node.id] for node in nodes if isinstance(node, ast.Name) and node.id in _TYPES
        ]
        texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        if kinds:
            yield Parameter(
                name=one.arg, type=kinds[0], description=" ".join(texts[:1]), required=default is None, default=None
            )
