"""The tools of skills, callable: found in a catalog, run in the sandbox, one process a call."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from metier.catalog.cache import tools_path
from metier.execution.runner import Runner
from metier.parsing.names import suggestions
from metier.result import Code, failed
from metier.words import one_line

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping

    from metier.catalog.catalog import Catalog
    from metier.execution.sandbox import Sandbox
    from metier.result import Result
    from metier.skill import Skill
    from metier.tool import Tool

MAX_NAMES = 20


class Tools:
    """The tools of all skills in a catalog.

    Args:
        catalog: Where they come from. Its policy says whose tools may be run.
        trust: Treat every skill as trusted; the user has said so.
        environ: The host's environment; a tool sees of it only what it declares.
        sandbox: What this machine offers; found out when it is not given.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        trust: bool = False,
        environ: Mapping[str, str] | None = None,
        sandbox: Sandbox | None = None,
    ) -> None:
        environment = os.environ if environ is None else environ
        self.catalog = catalog
        self._runner = Runner(
            catalog.project,
            catalog.policy,
            cache=tools_path(environment),
            environ=environment,
            trust=trust,
            sandbox=sandbox,
        )
        self._slots: asyncio.Semaphore | None = None

    @property
    def sandbox(self) -> Sandbox:
        """What this machine offers."""
        return self._runner.sandbox

    @property
    def offered(self) -> tuple[tuple[Skill, Tool], ...]:
        """Every tool that may be run, with its skill; of two with one name, the one of the skill that ranks first."""
        found: dict[str, tuple[Skill, Tool]] = {}
        for skill in sorted(self.catalog.skills, key=lambda skill: skill.root.rank):
            for tool in skill.tools:
                if tool.name not in found and self._runner.may_run(skill, tool):
                    found[tool.name] = (skill, tool)
        return tuple(found[name] for name in sorted(found))

    def call_blocking(self, name: str, arguments: Mapping[str, Any], *, cancel: int | None = None) -> Result:
        """Call a tool and wait for its answer. What goes wrong is in the result."""
        known = {tool.name: (skill, tool) for skill, tool in self.offered}
        if name not in known:
            self.catalog.look()
            known = {tool.name: (skill, tool) for skill, tool in self.offered}
        if name not in known:
            near = suggestions(name, list(known)) or tuple(known)[:MAX_NAMES]
            shown = ", ".join(near) or "none"
            return failed("tool", Code.NOT_FOUND, "tool-missing", name=one_line(name)[:100], known=shown)
        skill, tool = known[name]
        return self._runner.call(skill, tool, arguments, cancel=cancel)

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Result:
        """Call a tool. When the caller is cancelled, the program and all it has started are ended first."""
        import asyncio

        # More processes at once than there are cores only make each of them slower.
        self._slots = self._slots or asyncio.Semaphore(os.cpu_count() or 1)
        async with self._slots:
            reading, writing = os.pipe()
            work = asyncio.ensure_future(asyncio.to_thread(self.call_blocking, name, arguments, cancel=reading))
            try:
                return await asyncio.shield(work)
            except asyncio.CancelledError:
                os.close(writing)
                writing = -1
                await asyncio.wait([work])
                raise
            finally:
                for number in (reading, writing):
                    if number >= 0:
                        os.close(number)
