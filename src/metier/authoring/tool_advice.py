"""Advice on the tools of a skill: what makes them easier to choose and to call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.authoring.examples import arguments_of, misfit
from metier.authoring.omega.wording import library_in_domain, names_a_limit, opens_with_verb, padding
from metier.diagnostic import Diagnostic, problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.tool import Tool


def tool_advice(tool: Tool, path: str) -> Iterator[Diagnostic]:
    """What a careful reviewer would say about one tool of a `skill.yaml`."""
    name = tool.name
    library = library_in_domain(name)
    if library:
        yield problem("tool-name-library", path, name=name, library=library)
    if not opens_with_verb(tool.description):
        yield problem("tool-description-verb", path, name=name)
    if not names_a_limit(tool.description):
        yield problem("tool-description-limit", path, name=name)
    for words in padding(tool.description):
        yield problem("tool-description-padding", path, name=name, words=words)
    if not (tool.when_to_use or tool.when_not_to_use or tool.examples):
        yield problem("tool-docs-missing", path, name=name)
    for example in tool.examples:
        reason = misfit(tool, arguments_of(tool, example.arguments))
        if reason:
            yield problem("tool-example", path, name=name, scenario=example.scenario, reason=reason)
