"""`skill.yaml`: the tools of a skill. Running them is somebody else's business."""

from __future__ import annotations

import math
import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from metier.diagnostic import Diagnostic, problem
from metier.parsing.document import Header, decode, kind_of
from metier.parsing.frontmatter import MAX_MANIFEST, normalised
from metier.parsing.tool_options import MAX_TIMEOUT_S, Options
from metier.tool import TIMEOUT_S, Example, Parameter, Tool
from metier.value import FALSE_WORDS, TRUE_WORDS, as_text, is_true

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.tool import Runtime
    from metier.value import Value

RUNTIMES = ("python", "node", "go", "binary")
TYPES = ("string", "integer", "number", "boolean")

_SHARED = ("runtime", "entry", "mode", "timeout_s", "permissions", "env", "limits")
"""What tools of one manifest may say once for all of them."""

_TOOL_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_PARAMETER_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class Manifest:
    """The tools that are well declared, and what is wrong with the others."""

    description: str
    tools: tuple[Tool, ...]
    diagnostics: tuple[Diagnostic, ...]


def read_manifest(data: bytes, path: str) -> Header:
    """The fields of a `skill.yaml`."""
    from metier.parsing.yaml_events import MAX_DEPTH, MAX_VALUES, YamlProblem, read_yaml

    if len(data) > MAX_MANIFEST:
        return Header(None, (problem("header-too-large", path, 1, limit=MAX_MANIFEST),))
    text = decode(data, path)
    if isinstance(text, Diagnostic):
        return Header(None, (text,))
    try:
        tree = read_yaml(normalised(text).removeprefix("\ufeff"))
    except YamlProblem as refused:
        limit = MAX_DEPTH if refused.code == "yaml-too-deep" else MAX_VALUES
        at = (path, refused.mark.line, refused.mark.column)
        return Header(None, (problem(refused.code, *at, reason=refused.reason, limit=limit),))
    if not isinstance(tree.value, dict):
        return Header(None, (problem("yaml-not-a-mapping", path, 1, what=kind_of(tree.value)),))
    repeated = (problem("yaml-duplicate-key", path, at.line, at.column, field=key) for key, at in tree.duplicates)
    return Header(tree.value, tuple(repeated))


def interpret_manifest(fields: Mapping[str, Value], folder: str, path: str) -> Manifest:
    """The tools of a manifest: the single form, or a `tools` list of such forms."""
    found: list[Diagnostic] = []
    tools: dict[str, Tool] = {}
    for form in tool_forms(fields):
        tool = _tool(form, folder, path, found)
        if tool is None:
            continue
        if tool.name in tools:
            found.append(problem("tool-name-twice", path, name=tool.name))
        else:
            tools[tool.name] = tool
    description = as_text(fields.get("description")).strip()
    if not description and tools:
        description = " ".join(tool.description for tool in tools.values())
    return Manifest(description, tuple(tools.values()), tuple(found))


def tool_forms(fields: Mapping[str, Value]) -> list[Value]:
    """What a manifest says of each tool, as written, with what it says once for all of them."""
    listed = fields.get("tools")
    if not isinstance(listed, list):
        return [cast("Value", dict(fields))]
    shared = {key: value for key, value in fields.items() if key in _SHARED}
    return [{**shared, **form} if isinstance(form, dict) else form for form in listed]


def _tool(form: Value, folder: str, path: str, found: list[Diagnostic]) -> Tool | None:
    if not isinstance(form, dict):
        found.append(problem("tool-field-missing", path, field="name"))
        return None
    before = len(found)
    texts = {key: as_text(form.get(key)).strip() for key in ("name", "description", "runtime", "entry")}
    found += [problem("tool-field-missing", path, field=key) for key, text in texts.items() if not text]
    if texts["name"] and (wrong := tool_name_problem(texts["name"], folder, path)):
        found.append(wrong)
    if texts["runtime"] and texts["runtime"] not in RUNTIMES:
        found.append(problem("tool-runtime", path, runtime=texts["runtime"]))
    if texts["entry"] and _escapes(texts["entry"]):
        found.append(problem("tool-entry-escapes", path, entry=texts["entry"]))
    parameters = _parameters(form.get("parameters"), path, found)
    options = Options(form, texts["name"], path, found)
    timeout_s = options.number("timeout_s", TIMEOUT_S, most=MAX_TIMEOUT_S)
    mode = options.mode()
    permissions, env, bounds = options.permissions(), options.names("env"), options.bounds()
    if len(found) > before:
        return None
    docs = form.get("docs")
    notes: dict[str, Value] = docs if isinstance(docs, dict) else {}
    return Tool(
        name=texts["name"],
        description=texts["description"],
        runtime=cast("Runtime", texts["runtime"]),
        entry=texts["entry"],
        parameters=parameters,
        when_to_use=_texts(notes.get("when_to_use")),
        when_not_to_use=_texts(notes.get("when_not_to_use")),
        examples=_examples(notes.get("examples")),
        mode=mode,
        timeout_s=timeout_s,
        permissions=permissions,
        env=env,
        bounds=bounds,
    )


RESERVED = frozenset(
    {"skill", "skill_read", "skill_files", "skill_run", "skill_output", "skill_reload", "skill_search"}
)
"""Names of metier's own tools."""


def tool_name_problem(name: str, skill: str, path: str) -> Diagnostic | None:
    """What is wrong with the name of a tool of this skill, if anything."""
    if not _TOOL_NAME.fullmatch(name):
        return problem("tool-name-grammar", path, name=name)
    if name in RESERVED:
        return problem("tool-name-reserved", path, name=name)
    prefix = skill.replace("-", "_")
    if name != prefix and not name.startswith(prefix + "_"):
        return problem("tool-name-prefix", path, name=name, prefix=prefix + "_")
    return None


def is_parameter_name(name: str) -> bool:
    """True for what a parameter may be called."""
    return _PARAMETER_NAME.fullmatch(name) is not None


def _escapes(entry: str) -> bool:
    normal = posixpath.normpath(entry.replace("\\", "/"))
    return "\0" in entry or normal == ".." or normal.startswith(("../", "/")) or normal[1:2] == ":"


def _texts(value: Value | None) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value] if value else []
    return tuple(as_text(item) for item in items)


def _examples(value: Value | None) -> tuple[Example, ...]:
    if not isinstance(value, list):
        return ()
    forms = [item for item in value if isinstance(item, dict)]
    return tuple(
        Example(scenario=as_text(form.get("scenario")), arguments=arguments if isinstance(arguments, dict) else {})
        for form in forms
        for arguments in (form.get("arguments"),)
    )


def _parameters(value: Value | None, path: str, found: list[Diagnostic]) -> tuple[Parameter, ...]:
    if not value:
        return ()
    if not isinstance(value, list):
        found.append(problem("tool-parameter", path, name="parameters", reason=f"is {kind_of(value)}, not a list"))
        return ()
    parameters: dict[str, Parameter] = {}
    for form in value:
        parameter = _parameter(form, path, found)
        if parameter is None:
            continue
        if parameter.name in parameters:
            found.append(problem("tool-parameter", path, name=parameter.name, reason="is declared twice"))
        parameters[parameter.name] = parameter
    return tuple(parameters.values())


def _parameter(form: Value, path: str, found: list[Diagnostic]) -> Parameter | None:
    fields: dict[str, Value] = form if isinstance(form, dict) else {"name": form}
    name, kind = as_text(fields.get("name")).strip(), as_text(fields.get("type")).strip()
    if not is_parameter_name(name):
        found.append(problem("tool-parameter", path, name=name, reason="has no usable name"))
        return None
    if kind not in TYPES:
        reason = f"has the type {kind!r}, which is not one of {', '.join(TYPES)}"
        found.append(problem("tool-parameter", path, name=name, reason=reason))
        return None
    default = fields.get("default")
    try:
        value = None if default is None else typed(as_text(default), kind)
    except ValueError:
        reason = f"has the default {as_text(default)!r}, which is no {kind}"
        found.append(problem("tool-parameter", path, name=name, reason=reason))
        return None
    return Parameter(
        name=name,
        type=kind,
        description=as_text(fields.get("description")).strip(),
        required=is_true(fields.get("required"), default=False),
        default=value,
    )


def typed(text: str, kind: str) -> str | int | float | bool:
    """The value that a text stands for; `ValueError` where it is not of that type."""
    if kind == "integer":
        return int(text)
    if kind == "number":
        number = float(text)
        if not math.isfinite(number):
            raise ValueError(text)
        return number
    if kind == "boolean":
        word = text.strip().lower()
        if word not in TRUE_WORDS | FALSE_WORDS:
            raise ValueError(text)
        return word in TRUE_WORDS
    return text


def required_files(tool: Tool) -> tuple[str, ...]:
    """What must lie in the folder before a tool can be offered."""
    if tool.runtime == "go":
        return (tool.entry, posixpath.join(posixpath.dirname(tool.entry), "go.mod"))
    return (tool.entry,)
