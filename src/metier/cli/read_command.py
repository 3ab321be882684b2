"""`metier read`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from metier.cli.names import complete_skill
from metier.cli.output import for_terminal, print_json, say
from metier.result import as_envelope, render

if TYPE_CHECKING:
    from metier.cli.main import Settings


@click.command(epilog="Example: metier read skill-writer references/zh.md")
@click.argument("name", shell_complete=complete_skill)
@click.argument("path")
@click.option("--offset", type=click.IntRange(min=0), default=0, metavar="N", help="The character to start at.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the envelope.")
@click.pass_obj
@click.pass_context
def command(ctx: click.Context, settings: Settings, *, name: str, path: str, offset: int, as_json: bool) -> None:
    """Print one file of a skill. Nothing is run, and nothing outside of the skill's folder is read."""
    catalog = settings.open_catalog()
    result = catalog.read(name, path, offset=offset)
    result = result.but(params={"name": name, "path": path, **({"offset": offset} if offset else {})})
    lang = catalog.policy.lang
    if as_json:
        print_json(as_envelope(result, lang))
    elif result.ok:
        click.echo(for_terminal(result.content), nl=not result.content.endswith("\n"))
        if result.status == "partial":
            say(result.summary(lang))
    else:
        say(render(result, "text", lang))
    if not result.ok:
        ctx.exit(2 if result.code in ("INVALID_PARAM", "NOT_FOUND", "ACCESS_DENIED") else 1)
