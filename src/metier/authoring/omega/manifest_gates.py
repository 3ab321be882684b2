"""The first group of the checklist for a folder: what its skill.yaml says, before anything is run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

from metier.authoring.examples import arguments_of, misfit
from metier.authoring.omega.gate import Finding, Verdict, found, judged, message_lang, unchecked
from metier.authoring.omega.tool_gates import (
    description_findings,
    domain_findings,
    name_findings,
    parameter_findings,
    wording_findings,
)
from metier.catalog.reading import read_bytes
from metier.diagnostic import Diagnostic
from metier.errors import PathEscape
from metier.parsing.frontmatter import MAX_MANIFEST
from metier.parsing.manifest import RUNTIMES, TYPES, interpret_manifest, read_manifest, tool_forms
from metier.paths import join_inside
from metier.tool import Example, Parameter, Tool
from metier.value import as_text, is_true

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from metier.authoring.omega.gate import CheckLang
    from metier.tool import Runtime
    from metier.value import Value

ENDINGS = {"python": (".py",), "node": (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"), "go": (".go",)}
"""How the entry of a runtime is called."""

_MUST = ("b-yaml-name", "b-yaml-description", "b-yaml-parameters", "b-yaml-entry", "b-yaml-docs")


def manifest_verdicts(folder: str, lang: CheckLang) -> list[Verdict]:
    """Every gate that can be judged by reading skill.yaml."""
    path = os.path.join(folder, "skill.yaml")
    fields = _fields(path)
    if isinstance(fields, Finding):
        return [judged(_MUST[0], [fields]), *(unchecked(gate, found("manifest-unread", path)) for gate in _MUST[1:])]
    tools = [drafted(form) for form in tool_forms(fields)]
    said = interpret_manifest(fields, os.path.basename(folder), path).diagnostics
    return [
        judged("b-yaml-name", list(name_findings(tools, os.path.basename(folder), path))),
        judged("b-yaml-domain", list(domain_findings(tools, path))),
        judged("b-yaml-description", list(description_findings(tools, path, lang))),
        judged("b-yaml-wording", list(wording_findings(tools, path))),
        judged("b-yaml-parameters", [*_refused(said, "tool-parameter", path), *parameter_findings(tools, path, lang)]),
        judged("b-yaml-entry", [*_entry_findings(tools, folder, path), *_refused(said, "tool-option", path)]),
        judged("b-yaml-docs", list(_docs_findings(tools, path))),
        judged("b-yaml-examples", list(_example_findings(tools, path, lang))),
    ]


def drafts_of(folder: str) -> list[Tool]:
    """The tools of a folder as written, whether they could be offered or not."""
    fields = _fields(os.path.join(folder, "skill.yaml"))
    return [] if isinstance(fields, Finding) else [drafted(form) for form in tool_forms(fields)]


def _fields(path: str) -> Mapping[str, Value] | Finding:
    read = read_bytes(path, MAX_MANIFEST + 1)
    if read is None:
        return found("manifest-missing", path)
    if isinstance(read, Diagnostic):
        return found("manifest-broken", path, read.line, problem=read.message)
    header = read_manifest(read[0], path)
    if header.fields is None:
        first = header.diagnostics[0]
        return found("manifest-broken", path, first.line, problem=first.message)
    return header.fields


def drafted(form: Value) -> Tool:
    """A tool as its author wrote it, however wrong: what is missing is empty, what is unknown is text."""
    fields: dict[str, Value] = form if isinstance(form, dict) else {}
    docs = fields.get("docs")
    notes: dict[str, Value] = docs if isinstance(docs, dict) else {}
    parameters, examples = fields.get("parameters"), notes.get("examples")
    return Tool(
        name=as_text(fields.get("name")).strip(),
        description=as_text(fields.get("description")).strip(),
        runtime=cast("Runtime", as_text(fields.get("runtime")).strip()),
        entry=as_text(fields.get("entry")).strip(),
        parameters=tuple(map(_parameter, parameters)) if isinstance(parameters, list) else (),
        when_to_use=_texts(notes.get("when_to_use")),
        when_not_to_use=_texts(notes.get("when_not_to_use")),
        examples=tuple(map(_example, examples)) if isinstance(examples, list) else (),
    )


def _parameter(form: Value) -> Parameter:
    fields: dict[str, Value] = form if isinstance(form, dict) else {}
    kind = as_text(fields.get("type")).strip()
    return Parameter(
        name=as_text(fields.get("name")).strip() or "?",
        type=kind if kind in TYPES else "string",
        description=as_text(fields.get("description")).strip(),
        required=is_true(fields.get("required"), default=False),
    )


def _example(form: Value) -> Example:
    fields: dict[str, Value] = form if isinstance(form, dict) else {}
    arguments = fields.get("arguments")
    return Example(scenario=as_text(fields.get("scenario")), arguments=arguments if isinstance(arguments, dict) else {})


def _texts(value: Value | None) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value] if value else []
    return tuple(text for text in (as_text(item).strip() for item in items) if text)


def _refused(said: Sequence[Diagnostic], code: str, path: str) -> Iterator[Finding]:
    """What the loader itself refuses, in its own words."""
    return (found("manifest-broken", path, one.line, problem=one.message) for one in said if one.code == code)


def _entry_findings(tools: Sequence[Tool], folder: str, path: str) -> Iterator[Finding]:
    for tool in tools:
        name, runtime, entry = tool.name or "?", str(tool.runtime), tool.entry
        if runtime not in RUNTIMES:
            yield found("runtime-unknown", path, name=name, runtime=runtime)
        if not entry:
            yield found("entry-empty", path, name=name)
            continue
        if runtime in ENDINGS and not entry.endswith(ENDINGS[runtime]):
            yield found("entry-runtime", path, entry=entry, runtime=runtime, endings=", ".join(ENDINGS[runtime]))
        try:
            file = join_inside(folder, entry)
        except PathEscape:
            yield found("entry-escapes", path, entry=entry)
            continue
        if not os.path.isfile(file):
            yield found("entry-missing", path, entry=entry)
        elif runtime == "binary" and not os.access(file, os.X_OK):
            yield found("entry-not-executable", path, entry=entry)


def _docs_findings(tools: Sequence[Tool], path: str) -> Iterator[Finding]:
    for tool in tools:
        for key in ("when_to_use", "when_not_to_use"):
            if not getattr(tool, key):
                yield found("docs-empty", path, name=tool.name or "?", key=key)


def _example_findings(tools: Sequence[Tool], path: str, lang: CheckLang) -> Iterator[Finding]:
    for tool in tools:
        for example in tool.examples:
            wrong = misfit(tool, arguments_of(tool, example.arguments), message_lang(lang))
            if wrong:
                yield found("example-misfit", path, name=tool.name, scenario=example.scenario, problem=wrong)
