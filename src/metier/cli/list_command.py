"""`metier list`."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

import click

from metier.catalog.candidate import State
from metier.catalog.usage import Usage, Use
from metier.cli.output import count, one_line, print_json, print_table, say, shorten, shown_path, summary_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.catalog.candidate import Candidate
    from metier.catalog.catalog import Catalog
    from metier.catalog.library import Delta
    from metier.cli.main import Settings
    from metier.skill import Skill

DESCRIPTION_WIDTH = 100


@click.command(epilog='Example: metier list --json | jq ".skills[].name"')
@click.option("--all", "everything", is_flag=True, help="Shadowed and hidden skills too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--watch", is_flag=True, help="Stay, and tell what changes on disk.")
@click.pass_obj
def command(settings: Settings, *, everything: bool, as_json: bool, watch: bool) -> None:
    """Show the skills that an agent would see.

    Skills that the model is not told of, but a person may use, are marked "user-only".
    """
    catalog = settings.open_catalog()
    chosen = [one for one in catalog.candidates if one.skill and (everything or one.state is State.LOADED)]
    chosen.sort(key=lambda one: (one.name or "", one.root.rank))
    uses = Usage.of(os.environ).read()
    if as_json:
        print_json(
            {
                "skills": [as_entry(one, uses) for one in chosen],
                "diagnostics": [one.as_json() for one in catalog.diagnostics],
            }
        )
    else:
        _print(catalog, chosen, uses)
    if watch:
        _follow(catalog, as_json=as_json)


def as_entry(candidate: Candidate, uses: Mapping[str, Use]) -> dict[str, object]:
    """One skill in the stable JSON shape."""
    skill = candidate.skill
    assert skill is not None  # noqa: S101 - the caller chose candidates with a skill
    return {
        "name": skill.name,
        "description": skill.description,
        "scope": skill.scope,
        "kind": skill.kind,
        "path": skill.path,
        "dir": skill.dir,
        "state": candidate.state.value,
        "tools": [tool.name for tool in skill.tools],
        "visibility": skill.visibility.value,
        "qualified_name": skill.qualified_name,
        "reason": candidate.reason,
        **usage_entry(uses.get(skill.path, Use())),
    }


def usage_entry(use: Use) -> dict[str, object]:
    """How often a skill was loaded, and when last, in the stable JSON shape."""
    last = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(use.last)) if use.last else None
    return {"uses": use.times, "last_used": last}


def _print(catalog: Catalog, chosen: list[Candidate], uses: Mapping[str, Use]) -> None:
    if not chosen:
        say(f"No skills were found from {one_line(catalog.project)}.")
        say("A skill is a folder with a SKILL.md: put one into .agents/skills/NAME/, then try again.")
    else:
        rows = [_row(one, uses) for one in chosen]
        print_table(("name", "scope", "state", "description", "used"), rows, stretch=3)
    counts = summary_of(catalog.diagnostics)
    talk = count(len(chosen), "skill")
    say(f"{talk}; {counts}: `metier doctor` tells more" if counts else talk)
    waiting = [one for one in catalog.diagnostics if one.code == "project-untrusted"]
    for one in (*waiting, *catalog.folders_of_other_clients()):
        say(f"note: {shown_path(one.path, catalog.project)}: {one_line(one.message)}; {one.hint}")


def _row(candidate: Candidate, uses: Mapping[str, Use]) -> list[str]:
    skill = candidate.skill
    assert skill is not None  # noqa: S101 - as above
    state = candidate.state.value if candidate.state is not State.LOADED else skill.visibility.value
    used = uses.get(skill.path, Use()).times
    description = shorten(one_line(skill.description), DESCRIPTION_WIDTH)
    return [skill.name, skill.root.label, state, description, f"{used}×" if used else ""]


def _follow(catalog: Catalog, *, as_json: bool) -> None:
    say("watching for changes; Ctrl-C ends it")
    try:
        for delta in catalog.watch():
            _tell(delta, as_json=as_json)
    except KeyboardInterrupt:
        say("")


def _tell(delta: Delta, *, as_json: bool) -> None:
    """One line a change: tabs for people, a JSON document a line for machines."""
    groups: tuple[tuple[str, tuple[Skill, ...]], ...] = (
        ("added", delta.added),
        ("changed", delta.changed),
        ("removed", delta.removed),
    )
    for word, skills in groups:
        for skill in skills:
            if as_json:
                click.echo(json.dumps({"change": word, "name": skill.name, "path": skill.path}, ensure_ascii=False))
                continue
            click.echo(f"{word}\t{one_line(skill.name)}\t{one_line(skill.path)}")
