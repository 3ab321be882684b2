"""What both kinds of skills owe a model: names, descriptions, and parameters that explain themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.authoring.omega.gate import Finding, found
from metier.authoring.omega.wording import (
    LONGEST,
    SHORTEST,
    is_chinese,
    length_of,
    library_in_domain,
    missing_parts,
    names_a_limit,
    opens_with_verb,
    padding,
)
from metier.parsing.manifest import tool_name_problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.authoring.omega.gate import CheckLang
    from metier.tool import Tool


def name_findings(tools: Sequence[Tool], folder: str, path: str) -> Iterator[Finding]:
    """Tools that are not called `<domain>_<action>` after their skill."""
    prefix = folder.replace("-", "_")
    seen: set[str] = set()
    for tool in tools:
        if not tool.name:
            yield found("name-missing", path, prefix=prefix)
        elif wrong := tool_name_problem(tool.name, folder, path):
            yield found(wrong.code.removeprefix("tool-"), path, name=tool.name, prefix=prefix)
        elif tool.name in seen:
            yield found("name-twice", path, name=tool.name)
        seen.add(tool.name)


def domain_findings(tools: Sequence[Tool], path: str) -> Iterator[Finding]:
    """Tools that are named after a library."""
    for tool in tools:
        library = library_in_domain(tool.name)
        if library:
            yield found("name-library", path, name=tool.name, library=library)


def description_findings(tools: Sequence[Tool], path: str, lang: CheckLang) -> Iterator[Finding]:
    """Descriptions that do not start with a verb, name no limit, or are too short or too long."""
    for tool in tools:
        text, name = tool.description, tool.name or "?"
        if not text:
            yield found("description-missing", path, name=name)
            continue
        length = length_of(text)
        if not SHORTEST <= length <= LONGEST:
            yield found("description-length", path, name=name, length=length)
        if not opens_with_verb(text):
            yield found("description-verb", path, name=name, start=text.split()[0][:20])
        if not names_a_limit(text):
            yield found("description-limit", path, name=name)
        if lang == "zh" and not is_chinese(text):
            yield found("description-language", path, name=name)


def wording_findings(tools: Sequence[Tool], path: str) -> Iterator[Finding]:
    """Descriptions with words that tell a model nothing."""
    for tool in tools:
        for words in padding(tool.description):
            yield found("description-padding", path, name=tool.name, words=words)


def parameter_findings(
    tools: Sequence[Tool], path: str, lang: CheckLang, *, only_required: bool = False
) -> Iterator[Finding]:
    """Parameters whose description lacks one of its three parts."""
    words = {"format": ("format", "格式"), "limits": ("limits", "约束"), "example": ("an example", "示例")}
    for tool in tools:
        for parameter in tool.parameters:
            if only_required and not parameter.required:
                continue
            missing = missing_parts(parameter.description, parameter.type)
            if missing:
                parts = ("、" if lang == "zh" else ", ").join(words[part][lang == "zh"] for part in missing)
                yield found("parameter-parts", path, tool=tool.name, name=parameter.name, parts=parts)
