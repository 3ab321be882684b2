"""One tool as a model sees it: a name, a description, a JSON Schema, and what happens when it is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metier.disclosure.prompt import tool_description
from metier.messages import say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from metier.messages import Lang
    from metier.policy import Policy
    from metier.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTool:
    """A tool for a model. `call` never raises: what goes wrong is in the result."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """A JSON Schema of the arguments."""
    call: Callable[[Mapping[str, Any]], Result]


def description_and_schema(name: str, policy: Policy, listing: str, names: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """What a model is told of a tool. Equal input gives equal bytes, so that a prompt cache keeps hitting."""
    language = policy.tool_lang or policy.lang
    if name == "Skill":
        return tool_description(policy, listing), _skill_schema(policy, names, language)
    if name == "ReadFile":
        allowed = " ".join(policy.read_extensions)
        schema = _object({"path": _text(say("readfile-path", language))}, ["path"])
        return say("readfile-tool", language, allowed=allowed), schema
    # The names stand once, at the Skill tool: with many skills they are most of what the tools cost.
    named = {"name": _text(say("tool-name", language))}
    if name == "skill_read":
        more = {
            "path": _text(say("read-tool-path", language)),
            "offset": {
                "type": "integer",
                "minimum": 0,
                "default": 0,
                "description": say("read-tool-offset", language),
            },
        }
        return say("read-tool", language), _object({**named, **more}, ["name", "path"])
    if name == "skill_run":
        words: dict[str, Any] = {
            "type": "array",
            "items": {"type": "string"},
            "default": [],
            "description": say("run-tool-args", language),
        }
        script = {"path": _text(say("run-tool-path", language)), "args": words}
        return say("run-tool", language), _object({**named, **script}, ["name", "path"])
    if name == "skill_output":
        place = {"type": "integer", "minimum": 0, "default": 0, "description": say("output-tool-offset", language)}
        kept = {"path": _text(say("output-tool-path", language)), "offset": place}
        return say("output-tool", language), _object(kept, ["path"])
    if name == "skill_files":
        return say("files-tool", language), _object(named, ["name"])
    return say("reload-tool", language), _object({}, [])


def _skill_schema(policy: Policy, names: Sequence[str], lang: Lang) -> dict[str, Any]:
    if policy.bare_schema:
        return {
            "type": "object",
            "properties": {policy.parameter: {"type": "string"}},
            "required": [policy.parameter],
        }
    args = {**_text(say("tool-args", lang)), "default": ""}
    enum = {"enum": list(names)} if policy.name_enum and names else {}
    return _object({policy.parameter: {**_text(say("tool-name", lang)), **enum}, "args": args}, [policy.parameter])


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
