"""Which skills there are to hold against the checklist, and what comes of it, for people and for programs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from metier.authoring.check import Report
from metier.authoring.omega.gate import Status
from metier.authoring.omega.package import check_registered, registered_in
from metier.authoring.omega.workspace import check_folder
from metier.diagnostic import Diagnostic, Severity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.authoring.check import Found
    from metier.authoring.omega.gate import CheckLang, Checklist, Verdict
    from metier.authoring.omega.workspace import Terms


def check_all(found: Sequence[Found], projects: Sequence[str], terms: Terms) -> list[Checklist]:
    """The checklists of every folder with a skill.yaml among the files found, and of what each project registers."""
    folders = dict.fromkeys(os.path.dirname(file) for one in found for file in one.files)
    lists = [check_folder(folder, terms) for folder in folders if os.path.lexists(os.path.join(folder, "skill.yaml"))]
    for project in dict.fromkeys(projects):
        lists += [check_registered(entry, terms) for entry in registered_in(project)]
    return lists


def as_json(lists: Sequence[Checklist], lang: CheckLang) -> dict[str, Any]:
    """The stable shape of `metier check --rules omega --json`."""
    return {
        "skills": [
            {
                "path": one.path,
                "name": one.name,
                "kind": one.kind,
                "complete": one.is_complete,
                "gates": [_entry(verdict, lang) for verdict in one.verdicts],
            }
            for one in lists
        ]
    }


def _entry(verdict: Verdict, lang: CheckLang) -> dict[str, str]:
    return {
        "id": verdict.gate.id,
        "group": verdict.gate.group,
        "level": verdict.gate.level,
        "status": verdict.status.value,
        "title": verdict.gate.title(lang),
        "reason": verdict.reason(lang),
        "next": verdict.next_step(lang),
    }


def as_reports(lists: Sequence[Checklist], lang: CheckLang) -> list[Report]:
    """The same as diagnostics: what must be done is an error, advice a warning."""
    return [
        Report(
            path=one.path,
            diagnostics=tuple(
                _diagnostic(verdict, one.path, lang) for verdict in one.verdicts if verdict.status is not Status.PASSED
            ),
        )
        for one in lists
    ]


def _diagnostic(verdict: Verdict, path: str, lang: CheckLang) -> Diagnostic:
    first = verdict.findings[0] if verdict.findings else None
    return Diagnostic(
        code=verdict.gate.id,
        severity=Severity.ERROR if verdict.gate.level == "must" else Severity.WARNING,
        message=f"{verdict.gate.title(lang)}: {verdict.reason(lang)}",
        path=(first.path if first else "") or path,
        line=first.line if first else None,
        hint=verdict.next_step(lang) or None,
    )
