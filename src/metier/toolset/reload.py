"""Hot reload: look at the disk again, build what has to be built, and say in one line what is different.

What is running goes on to its end. A program that no longer builds is served by its last good build.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from metier.catalog.resources import newest_change
from metier.diagnostic import Severity
from metier.result import Result
from metier.words import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.catalog.catalog import Catalog
    from metier.catalog.library import Delta
    from metier.diagnostic import Diagnostic
    from metier.toolset.tools import Tools

MAX_PROBLEMS = 20
"""Problems that a reload tells; `metier check` tells all."""


class Reloader:
    """Knows what the programs of skills looked like when they were last looked at."""

    def __init__(self, catalog: Catalog, tools: Tools | None = None) -> None:
        self._catalog = catalog
        self._tools = tools
        self._seen = self._programs()

    def reload(self) -> Result:
        """Look again, and say what is different."""
        return self._told(self._catalog.refresh())

    def watch(self, *, interval_s: float = 1.0, polling: bool = False) -> Iterator[Result]:
        """Wait for changes and say each time what is different; ends only when the caller stops asking."""
        for delta in self._catalog.watch(interval_s=interval_s, polling=polling):
            yield self._told(delta)

    def _told(self, delta: Delta) -> Result:
        before, self._seen = self._seen, self._programs()
        known = {skill.dir for skill in (*delta.added, *delta.removed, *delta.changed)}
        edited = [
            skill
            for skill in self._catalog.skills
            if skill.dir in before and skill.dir not in known and self._seen.get(skill.dir) != before[skill.dir]
        ]
        changed = [*delta.changed, *edited]
        if self._tools is not None:
            self._tools.retire_outdated()
        built = self._tools.prepare([*delta.added, *changed]) if self._tools is not None else ()
        problems = [_line(one) for one in (*built, *self._catalog.diagnostics)]
        counts = {"added": len(delta.added), "removed": len(delta.removed), "changed": len(changed)}
        told = Result(tool="skill_reload", key="reloaded", values=counts)
        data: dict[str, Any] = {
            "added": [skill.name for skill in delta.added],
            "changed": [skill.name for skill in changed],
            "removed": [skill.name for skill in delta.removed],
        }
        if problems:
            more = [f"… and {len(problems) - MAX_PROBLEMS} more; see metier check"] if problems[MAX_PROBLEMS:] else []
            lang = self._catalog.policy.lang
            data["content"] = "\n".join((told.summary(lang), *problems[:MAX_PROBLEMS], *more))
        return told.but(data=data)

    def _programs(self) -> dict[str, float]:
        """When the files of each skill with tools were last changed."""
        return {skill.dir: newest_change(skill.dir) for skill in self._catalog.skills if skill.tools and skill.path}


def _line(one: Diagnostic) -> str:
    what = "ERROR" if one.severity is Severity.ERROR else "WARNING"
    folder, name = os.path.split(one.path)
    return f"[{what}] {one_line(f'{os.path.basename(folder)}/{name}')}: {one_line(one.message)}"
