"""`metier load`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

import click

from metier.catalog.usage import Usage
from metier.cli.names import complete_skill
from metier.cli.output import for_terminal, many_lines, print_json, say
from metier.disclosure.conversation import Conversation
from metier.result import RENDERERS, as_envelope, render

if TYPE_CHECKING:
    from metier.catalog.catalog import Catalog
    from metier.catalog.loading import RunCommands
    from metier.cli.main import Settings
    from metier.result import Renderer


@click.command(
    context_settings={"ignore_unknown_options": True},
    epilog="Example: metier load code-review src/a.py src/b.py --format envelope",
)
@click.argument("name", shell_complete=complete_skill)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option("--format", "form", type=click.Choice([*RENDERERS]), help="How the answer is written.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the envelope.")
@click.pass_obj
@click.pass_context
def command(
    ctx: click.Context, settings: Settings, *, name: str, args: tuple[str, ...], form: str | None, as_json: bool
) -> None:
    """Load a skill: print its instructions as a model would get them, with arguments filled in.

    Several arguments are words of one text; quote what belongs together. What looks like an option of metier but is
    meant for the skill comes after "--".
    """
    import shlex

    from metier.catalog.loading import activate

    catalog = settings.open_catalog()
    policy = catalog.policy
    text = args[0] if len(args) == 1 else shlex.join(args)
    result = activate(
        catalog,
        name,
        text,
        conversation=Conversation(),
        tell=Usage.of(os.environ).record,
        run=_runner_of(catalog) if policy.shell_commands == "run" else None,
    )
    result = result.but(params={"name": name, **({"args": text} if args else {})})
    if as_json:
        print_json(as_envelope(result, policy.lang))
    else:
        text = render(result, cast("Renderer", form or policy.renderer), policy.lang)
        click.echo(for_terminal(text), err=not result.ok and not form)
    if result.data.get("log") and not as_json:
        say(many_lines(str(result.data["log"])))
    if not result.ok:
        ctx.exit(2 if result.code in ("INVALID_PARAM", "NOT_FOUND") else 1)


def _runner_of(catalog: Catalog) -> RunCommands:
    from metier.toolset.tools import Tools

    return Tools(catalog).run_commands
