"""`metier completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command(epilog='Example: eval "$(metier completion bash)"    (in ~/.bashrc)')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, *, shell: str) -> None:
    """Print the script that lets a shell complete metier's commands and the names of skills."""
    complete = get_completion_class(shell)
    assert complete is not None  # noqa: S101 - the three shells are click's own
    click.echo(complete(ctx.find_root().command, {}, "metier", "_METIER_COMPLETE").source())
