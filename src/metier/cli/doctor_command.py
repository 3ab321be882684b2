"""`metier doctor`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from metier.catalog.candidate import State
from metier.cli.output import count, one_line, print_json, print_table, problem_text, say, shown_path, summary_of
from metier.diagnostic import Severity
from metier.execution.sandbox import probe

if TYPE_CHECKING:
    from metier.catalog.catalog import Catalog
    from metier.cli.main import Settings
    from metier.execution.sandbox import Sandbox
    from metier.skill import Root


@click.command(epilog="Example: metier doctor    (exit status 1 when something is in error)")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
@click.pass_context
def command(ctx: click.Context, settings: Settings, *, as_json: bool) -> None:
    """Say for every candidate file what became of it, and why.

    loaded: offered. shadowed: another skill has the name. hidden: kept from the model and from people.
    unready: something it needs is missing. skipped: it cannot be a skill.
    """
    catalog = settings.open_catalog()
    found = (*catalog.diagnostics, *catalog.folders_of_other_clients())
    if as_json:
        print_json(
            {
                "profile": catalog.policy.name,
                "roots": [_root_entry(root) for root in catalog.roots],
                "candidates": [
                    {"path": one.path, "state": one.state.value, "name": one.name, "reason": one.reason}
                    for one in catalog.candidates
                ],
                "diagnostics": [one.as_json() for one in found],
                "sandbox": probe().as_json(),
                "cache": {"failure": catalog.cache_failure},
            }
        )
    else:
        _print(catalog)
        for one in found:
            say(problem_text(one, catalog.project))
        say(_sandbox(probe()))
        say(_verdict(catalog))
    if any(one.severity is Severity.ERROR for one in found):
        ctx.exit(1)


def _sandbox(found: Sandbox) -> str:
    text = f"sandbox {found.tier}: enforces {', '.join(found.enforced) or 'nothing'}"
    if found.missing:
        text += f"; missing: {', '.join(found.missing)}"
    return f"{text}; {found.hint}" if found.hint else text


def _root_entry(root: Root) -> dict[str, object]:
    return {
        "path": root.path,
        "scope": root.scope,
        "label": root.label,
        "rank": root.rank,
        "read_only": root.read_only,
        "trusted": root.trusted,
        "exists": os.path.isdir(root.path),
    }


def _print(catalog: Catalog) -> None:
    say(f"profile {catalog.policy.name}; roots, the first one wins:")
    for root in catalog.roots:
        there = "" if os.path.isdir(root.path) else "  (not there)"
        what = "SKILL.md in " if root.single else ""
        say(f"  {root.rank + 1:>2}. {root.scope:<8}{what}{shown_path(root.path, catalog.project)}{there}")
    rows = [
        (
            one.state.value,
            one.name or "",
            shown_path(one.path, catalog.project) or f"{one.root.label}:{one.name}",
            one.reason or "",
        )
        for one in catalog.candidates
    ]
    if rows:
        print_table(("state", "name", "file", "why"), rows, stretch=3)
    else:
        say("No candidate files were found in any root.")
    if catalog.cache_failure:
        say(f"the cache is not in use: {one_line(catalog.cache_failure)}")


def _verdict(catalog: Catalog) -> str:
    states = [one.state for one in catalog.candidates]
    parts = [f"{states.count(state)} {state.value}" for state in State if states.count(state)]
    counts = summary_of(catalog.diagnostics)
    text = count(len(states), "candidate") + (f": {', '.join(parts)}" if parts else "")
    return f"{text}; {counts}" if counts else f"{text}; no problems"
