"""`metier docs`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from metier.cli.exits import MISUSE, PROBLEMS_FOUND
from metier.cli.names import complete_skill
from metier.cli.output import for_terminal, one_line, say, shown_path
from metier.errors import FileFailed

if TYPE_CHECKING:
    from metier.authoring.omega.gate import CheckLang
    from metier.cli.main import Settings


@click.command(epilog="Example: metier docs excel --lang zh --write")
@click.argument("name", shell_complete=complete_skill)
@click.option("--lang", type=click.Choice(["en", "zh"]), help="The language of headings and hints.")
@click.option(
    "--write", is_flag=True, help="Write docs/skills/NAME.md of the project; never over a file that is there."
)
@click.pass_obj
@click.pass_context
def command(ctx: click.Context, settings: Settings, *, name: str, lang: CheckLang | None, write: bool) -> None:
    """Print the documentation of a skill's tools as Markdown.

    For a skill of a skill.yaml, that is its `docs:` and its parameters. For a skill of a Python package, it is the
    skeleton of docs/skills/NAME.md, filled in as far as the package itself tells.
    """
    from metier.authoring.skill_docs import rendered, skeleton

    catalog = settings.open_catalog()
    skill = catalog.require(name)
    if not skill.tools:
        say(f"error: {one_line(skill.name)!r} has no tools, so there is nothing to render")
        say(f"hint: `metier show {one_line(skill.name)}` shows its instructions")
        ctx.exit(PROBLEMS_FOUND)
    chosen: CheckLang = lang or ("zh" if catalog.policy.lang.startswith("zh") else "en")
    is_page = skill.kind == "builtin"
    text = skeleton(skill, chosen) if is_page else rendered(skill, chosen)
    if not write:
        click.echo(for_terminal(text), nl=False)
        return
    if not is_page:
        say(f"error: the documentation of {one_line(skill.name)!r} belongs into its skill.yaml, where it is")
        say("hint: leave --write out, and send the output where you want it")
        ctx.exit(MISUSE)
    path = os.path.join(catalog.project, "docs", "skills", f"{skill.name}.md")
    _write(path, text)
    say(f"wrote {shown_path(path, catalog.project)}; fill in what stands in <!-- -->")


def _write(path: str, text: str) -> None:
    """Write a file that is not there yet.

    Raises:
        FileFailed: when it is there, or cannot be written.
    """
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise FileFailed(path, "is there already, and is not overwritten") from None
    except OSError as error:
        raise FileFailed(path, error.strerror or str(error)) from None
