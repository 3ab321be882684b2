"""`metier`: the group of commands. Each is imported only when it is called."""

from __future__ import annotations

import importlib
import io
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from metier.cli.exits import exit_status
from metier.cli.output import one_line
from metier.errors import MetierError
from metier.messages import LANGS
from metier.version import __version__

if TYPE_CHECKING:
    from metier.catalog.catalog import Catalog

COMMANDS = {
    "list": "Show the skills that an agent would see.",
    "show": "Show one skill: where it comes from, its fields, its instructions.",
    "files": "List the files of a skill.",
    "prompt": "Show what a model is told of all skills, exactly as it sees it.",
    "load": "Load a skill: print its instructions as a model would get them.",
    "read": "Print one file of a skill.",
    "run": "Call one tool of a skill, in the sandbox.",
    "trust": "Trust skills as they are now, so that their tools may run.",
    "untrust": "Take back the trust in skills.",
    "new": "Make a new skill from a template.",
    "doctor": "Say for every candidate file what became of it, and why.",
    "check": "Check skills against the open standard, and mend what is safe to mend.",
    "docs": "Print the documentation of a skill's tools as Markdown.",
    "completion": "Print the script that lets a shell complete metier's commands.",
}
"""Every command with its help, so that `metier --help` imports none of them."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The options that stand before the command."""

    project: str
    profile: str | None
    roots: tuple[str, ...]
    lang: str | None = None

    def open_catalog(self, *, packages: bool = True) -> Catalog:
        """The catalog that these options describe, with the skills of installed packages unless they do not matter."""
        from metier.catalog.catalog import Catalog
        from metier.catalog.config import load_config

        project = os.path.abspath(self.project)
        config = load_config(project, os.environ, self.profile)
        return Catalog.open(
            project,
            policy=config.policy.but(lang=self.lang, tool_lang=None) if self.lang else config.policy,
            roots=[os.path.abspath(root) for root in self.roots] or None,
            notes=config.diagnostics,
            # Who names roots wants to see those, and nothing else.
            packages=packages and not self.roots,
        )


class LazyGroup(click.Group):
    """A group that knows its commands by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order in which a newcomer needs them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"metier.cli.{cmd_name}_command")
        return module.command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, from the table alone."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Click's own, with the nearest name where there is no such command."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Commands: {', '.join(COMMANDS)}."
            ctx.fail(f"There is no command {args[0]!r}. {hint}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: metier --project ~/work/site list",
)
@click.option("--project", default=".", metavar="DIR", help="The folder to stand in.  [default: .]")
@click.option("--profile", metavar="NAME", help="The rules to follow, such as claude-code or strict.")
@click.option("--root", "roots", multiple=True, metavar="PATH", help="Look only here; may be given several times.")
@click.option("--lang", type=click.Choice(LANGS), help="The language of what models are told.")
@click.version_option(__version__, prog_name="metier", message="%(prog)s %(version)s")
@click.pass_context
def group(ctx: click.Context, project: str, profile: str | None, roots: tuple[str, ...], lang: str | None) -> None:
    """Find, check and manage the skills of LLM agents."""
    if not os.path.isdir(project):
        ctx.fail(f"The project {project!r} is not a folder. Name one that exists, or leave the option out.")
    try:
        os.getcwd()
    except FileNotFoundError:
        ctx.fail("The folder you stand in no longer exists. Go to another one.")
    ctx.obj = Settings(project, profile, roots, lang)


def main() -> None:
    """Run the command line; an error becomes a message and an exit status, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # File names and descriptions are UTF-8, whatever the terminal claims to be.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        status = group.main(prog_name="metier", standalone_mode=False)
    except MetierError as error:
        click.echo(f"error: {one_line(str(error))}", err=True)
        if error.hint:
            click.echo(f"hint: {one_line(error.hint)}", err=True)
        sys.exit(exit_status(error))
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader has gone, as `| head` does; that is no failure of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        click.echo(f"error: {one_line(str(error))}", err=True)
        sys.exit(1)
    sys.exit(status or 0)
