"""A skill that is a Python package: a description, and functions that are its tools."""

from __future__ import annotations

import inspect
import math
import re
import typing
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar, cast

from metier.errors import InvalidSkill
from metier.packages.workspace import Workspace
from metier.parsing.manifest import is_parameter_name, tool_name_problem
from metier.parsing.names import is_plain_name
from metier.skill import PACKAGE, Skill
from metier.tool import Example, Parameter, Tool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from metier.messages import Lang
    from metier.tool import ParameterType
    from metier.value import Value

    Scalar = str | int | float | bool

AnyFunction = TypeVar("AnyFunction", bound="Callable[..., object]")

_TYPES: dict[object, ParameterType] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")


class ProjectSkill:
    """A skill of an installed package; register it as an entry point of the group `metier.skills`.

    Args:
        name: The skill's name, also the prefix of its tools' names and the name of its entry point.
        description: What it is for and when to use it.
        library: The address of the library that it wraps.
        version: The version of that library it was written for.
        instructions: Markdown for who loads the skill; by default an overview of its tools.
        requires: Modules that its tools need. The skill is off while one of them is not installed.

    Raises:
        InvalidSkill: for a name or a description that cannot be used.
    """

    def __init__(
        self,
        name: str,
        *,
        description: str,
        library: str,
        version: str = "",
        instructions: str = "",
        requires: Sequence[str] = (),
    ) -> None:
        if not is_plain_name(name) or not name[0].isalpha():
            raise InvalidSkill("name", name, "is not lower case words of a-z and 0-9 joined by hyphens")
        metadata: dict[str, Value] = {"library": library, **({"version": version} if version else {})}
        self._skill = Skill.inline(
            name=name,
            description=description,
            body=instructions,
            fields={"metadata": metadata},
            root=PACKAGE,
        )
        self.name = name
        self.requires = tuple(requires)
        self._tools: dict[str, Tool] = {}

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Its tools, in the order in which they were declared."""
        return tuple(self._tools.values())

    @property
    def skill(self) -> Skill:
        """The skill as every catalog knows it."""
        return self._skill._replace(tools=self.tools)

    def tool(
        self,
        *,
        when_to_use: Sequence[str] = (),
        when_not_to_use: Sequence[str] = (),
        examples: Sequence[tuple[str, Mapping[str, Scalar]]] = (),
    ) -> Callable[[AnyFunction], AnyFunction]:
        """Make a function a tool. The function itself stays as it is.

        Its name is the tool's name, the first paragraph of its docstring the description. Every parameter is
        `Annotated[str | int | float | bool, "description"]`, one that has no default is required, and one annotated
        with `Workspace` is filled in by the host.

        Args:
            when_to_use: Sentences that say when it is the right tool.
            when_not_to_use: Sentences that say when another one is.
            examples: Pairs of a scenario and arguments.

        Raises:
            InvalidSkill: when it is called, for a function that cannot be a tool.
        """

        def declare(function: AnyFunction) -> AnyFunction:
            name = function.__name__
            wrong = tool_name_problem(name, self.name, "")
            if wrong:
                raise InvalidSkill("tool", name, f"cannot be one: {wrong.message}", wrong.hint)
            if name in self._tools:
                raise InvalidSkill("tool", name, "is declared twice", "rename one of the functions")
            parameters, workspace = _parameters(function)
            self._tools[name] = Tool(
                name=name,
                description=_description(function),
                runtime="function",
                entry=f"{function.__module__}:{function.__qualname__}",
                parameters=parameters,
                when_to_use=tuple(when_to_use),
                when_not_to_use=tuple(when_not_to_use),
                examples=tuple(_example(name, parameters, *example) for example in examples),
                function=_callable(function, workspace),
            )
            return function

        return declare


def _callable(function: Callable[..., object], workspace: str) -> Callable[[Mapping[str, Any], str, Lang], object]:
    """The function as a runner calls it. `workspace` is the parameter that the host fills in, if there is one."""

    def call(arguments: Mapping[str, Any], folder: str, lang: Lang) -> object:
        own = {workspace: Workspace(folder, lang)} if workspace else {}
        return function(**arguments, **own)

    return call


def _description(function: Callable[..., object]) -> str:
    text = inspect.cleandoc(function.__doc__ or "").strip()
    if not text:
        hint = "write a docstring; its first paragraph is what a model is told"
        raise InvalidSkill("tool", function.__name__, "has no docstring", hint)
    return " ".join(_PARAGRAPHS.split(text, maxsplit=1)[0].split())


class _Declared(NamedTuple):
    parameters: tuple[Parameter, ...]
    workspace: str
    """The name of the parameter that the host fills in; empty where there is none."""


def _parameters(function: Callable[..., object]) -> _Declared:
    name = function.__name__
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise InvalidSkill("tool", name, "is not a plain function", "return the answer; metier calls it in a thread")
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        hint = "import it at the top of the module, not below TYPE_CHECKING"
        raise InvalidSkill("tool", name, f"has an annotation that is not known: {error.name}", hint) from None
    found: list[Parameter] = []
    workspace = ""
    for one in inspect.signature(function).parameters.values():
        hint = hints.get(one.name)
        if hint is Workspace and not workspace and one.kind is not one.POSITIONAL_ONLY:
            workspace = one.name
        else:
            found.append(_parameter(name, one, hint))
    return _Declared(tuple(found), workspace)


def _parameter(tool: str, one: inspect.Parameter, hint: object) -> Parameter:
    def wrong(reason: str, next_step: str) -> InvalidSkill:
        return InvalidSkill("parameter", f"{tool}.{one.name}", reason, next_step)

    if one.kind not in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY) or not is_parameter_name(one.name):
        raise wrong("cannot be filled in by its name", "use plain parameters with names of a-z, 0-9 and _")
    about, described = (hint, ()) if typing.get_origin(hint) is not Annotated else _annotated(hint)
    kind = _TYPES.get(about)
    if kind is None:
        shown = about.__name__ if isinstance(about, type) else str(about) if about else "nothing"
        raise wrong(f"is annotated with {shown}", 'write Annotated[str, "…"]; str, int, float and bool are known')
    texts = [text.strip() for text in described if isinstance(text, str) and text.strip()]
    if not texts:
        raise wrong("has no description", 'write Annotated[…, "what it is, its limits, an example"]')
    has_default = one.default is not one.empty
    if has_default and not _fits(one.default, kind):
        raise wrong(f"has the default {one.default!r}, which is no {kind}", "give a default of its own type")
    return Parameter(
        name=one.name,
        type=kind,
        description=" ".join(texts[0].split()),
        required=not has_default,
        default=cast("Scalar", one.default) if has_default else None,
    )


def _annotated(hint: object) -> tuple[object, tuple[object, ...]]:
    about, *described = typing.get_args(hint)
    return about, tuple(described)


def _fits(value: object, kind: ParameterType) -> bool:
    if kind == "string":
        return isinstance(value, str)
    if kind == "boolean" or isinstance(value, bool):
        return kind == "boolean" and isinstance(value, bool)
    if kind == "integer":
        return isinstance(value, int)
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


def _example(tool: str, parameters: tuple[Parameter, ...], scenario: str, arguments: Mapping[str, Scalar]) -> Example:
    """An example that a model could copy: one that does not fit the parameters would teach it to fail."""
    known = {parameter.name: parameter for parameter in parameters}
    for name, value in arguments.items():
        if name not in known or not _fits(value, known[name].type):
            reason = f"has the example {scenario!r}, in which {name}={value!r} does not fit"
            raise InvalidSkill("tool", tool, reason, "use its parameters with values of their types")
    missing = [name for name, parameter in known.items() if parameter.required and name not in arguments]
    if missing:
        reason = f"has the example {scenario!r} without the argument {missing[0]!r}"
        raise InvalidSkill("tool", tool, reason, "give every required argument")
    return Example(scenario=scenario, arguments={name: _written(value) for name, value in arguments.items()})


def _written(value: Scalar) -> str:
    """A value as `skill.yaml` would hold it: every scalar is text."""
    return str(value).lower() if isinstance(value, bool) else str(value)
