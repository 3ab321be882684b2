"""Skills of installed packages as candidates, so that whatever became of them is told like that of files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.catalog.candidate import Candidate, State
from metier.packages.installed import installed_packages
from metier.skill import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.policy import Policy

_STATES = {
    "enabled": State.LOADED,
    "disabled": State.HIDDEN,
    "unready": State.UNREADY,
    "broken": State.SKIPPED,
}


def packaged_candidates(policy: Policy, environ: Mapping[str, str]) -> tuple[Candidate, ...]:
    """Every skill that an installed package registers. Imports those packages."""
    return tuple(
        Candidate(
            path="",
            root=PACKAGE,
            state=_STATES[one.state],
            name=one.name,
            reason=one.reason or None,
            skill=one.skill,
            diagnostics=one.diagnostics,
        )
        for one in installed_packages(environ, policy.env_switches)
    )
