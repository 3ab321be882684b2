"""Run as a program by `child`: imports a registered skill as a host would, and writes down what it is."""

from __future__ import annotations

import json
import logging
import sys
from typing import TYPE_CHECKING

from metier.packages.installed import installed_packages
from metier.value import as_text

if TYPE_CHECKING:
    from metier.tool import Tool


class _Kept(logging.Handler):
    """Keeps what the log says."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def main(name: str, switch: str, answer: str) -> None:
    """Write the state, the log and the tools of a skill to a file."""
    log, kept = logging.getLogger("metier"), _Kept()
    log.setLevel(logging.INFO)
    log.addHandler(kept)
    package = next((one for one in installed_packages({}, "exact") if one.name == name), None)
    lines = [line for line in kept.lines if line.startswith(f"{name} ")]
    off = next((one for one in installed_packages({switch: "false"}, "exact") if one.name == name), None)
    skill = package.skill if package else None
    metadata = skill.metadata if skill else {}
    said = {
        "state": package.state if package else "absent",
        "reason": package.reason if package else "it is not registered",
        "log": lines,
        "state_off": off.state if off else "absent",
        "library": metadata.get("library", ""),
        "version": metadata.get("version", ""),
        "tools": [_as_json(tool) for tool in skill.tools] if skill else [],
    }
    with open(answer, "w", encoding="utf-8") as file:
        json.dump(said, file, ensure_ascii=False)


def _as_json(tool: Tool) -> dict[str, object]:
    return {
        "name": tool.name,
        "description": tool.description,
        "entry": tool.entry,
        "parameters": [
            {
                "name": one.name,
                "type": one.type,
                "description": one.description,
                "required": one.required,
                "default": one.default,
            }
            for one in tool.parameters
        ],
        "when_to_use": list(tool.when_to_use),
        "when_not_to_use": list(tool.when_not_to_use),
        "examples": [
            {"scenario": one.scenario, "arguments": {key: as_text(value) for key, value in one.arguments.items()}}
            for one in tool.examples
        ],
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
