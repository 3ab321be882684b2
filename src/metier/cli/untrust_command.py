"""`metier untrust`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from metier.cli.names import complete_skill
from metier.cli.output import one_line, print_json, say
from metier.errors import NotTrusted
from metier.store.trust import Trust

if TYPE_CHECKING:
    from metier.cli.main import Settings


@click.command(epilog="Example: metier untrust csv")
@click.argument("names", nargs=-1, required=True, metavar="NAME...", shell_complete=complete_skill)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def command(settings: Settings, *, names: tuple[str, ...], as_json: bool) -> None:
    """Take back the trust in skills: their tools and scripts no longer run.

    NAME is a skill, or a folder as `metier trust --list` shows it, also one that is gone.
    """
    trust = Trust.of(os.environ)
    catalog = settings.open_catalog()
    folders: list[str] = []
    for name in names:
        skill = catalog.get(name)
        folder = skill.dir if skill is not None and skill.path else os.path.abspath(name)
        if not trust.revoke(folder):
            raise NotTrusted(f"{one_line(name)!r} is not trusted by itself", "see metier trust --list")
        folders.append(folder)
        if not as_json:
            say(f"{one_line(name)} is not trusted any more")
    if as_json:
        print_json({"untrusted": folders})
