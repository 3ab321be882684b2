"""`metier files`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from metier.cli.names import complete_skill
from metier.cli.output import one_line, print_json, print_table, say

if TYPE_CHECKING:
    from metier.cli.main import Settings


@click.command(epilog="Example: metier files pdf-forms")
@click.argument("name", shell_complete=complete_skill)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def command(settings: Settings, *, name: str, as_json: bool) -> None:
    """List the files of a skill: sizes in bytes, paths relative to its folder."""
    catalog = settings.open_catalog()
    skill = catalog.require(name)
    listing = catalog.files(name)
    if as_json:
        files = [{"path": one.path, "size": one.size} for one in listing.files]
        print_json({"name": skill.name, "dir": skill.dir, "files": files, "truncated": listing.truncated})
        return
    if not listing.files:
        say(f"{one_line(skill.name)} has no files: it lives in memory.")
    print_table(("size", "path"), [(str(one.size), one.path) for one in listing.files], stretch=1)
    if listing.truncated:
        say(f"the list ends after {len(listing.files):,} files")
