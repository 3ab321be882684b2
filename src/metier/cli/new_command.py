"""`metier new`."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import click

from metier.authoring.check import check_paths
from metier.authoring.kinds import KINDS
from metier.authoring.new import Order, check_policy, make_skill, place_of
from metier.catalog.config import load_config
from metier.catalog.roots import resolve_roots
from metier.cli.output import one_line, print_json, problem_text, say, shown_path

if TYPE_CHECKING:
    from metier.authoring.new import Made, TemplateLang
    from metier.cli.main import Settings
    from metier.policy import Policy

TRY = '{"text": "The quick brown fox"}'


@click.command(epilog="Example: metier new word-count --kind python")
@click.argument("name")
@click.option(
    "--kind",
    type=click.Choice(list(KINDS)),
    default="instructions",
    show_default=True,
    help="instructions: a SKILL.md. package: a Python package of tools. The others: a program with a skill.yaml.",
)
@click.option("--in", "place", metavar="DIR", help="The folder to make it in.  [default: the project's own for skills]")
@click.option("--description", default="", metavar="TEXT", help="What it does, and when to use it.")
@click.option("--lang", type=click.Choice(["en", "zh"]), help="The language of its texts.  [default: that of models]")
@click.option("--worker", is_flag=True, help="One process answers many calls (mode: worker).")
@click.option("--references", is_flag=True, help="With a file for long texts beside the instructions.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def command(
    settings: Settings,
    *,
    name: str,
    kind: str,
    place: str | None,
    description: str,
    lang: TemplateLang | None,
    worker: bool,
    references: bool,
    as_json: bool,
) -> None:
    """Make a new skill from a template. It is complete: it passes the check, loads and runs as it is.

    Nothing that exists is ever overwritten. The files are printed; what to try next goes to standard error.
    """
    project = os.path.abspath(settings.project)
    policy = load_config(project, os.environ, settings.profile).policy
    check_policy(kind, policy)
    order = Order(
        name=name,
        kind=kind,
        place=_place(settings, policy, kind, place),
        lang=lang or ("zh" if (settings.lang or policy.lang).startswith("zh") else "en"),
        description=description,
        worker=worker,
        references=references,
    )
    made = make_skill(order, ascii_only=policy.name_rule == "ascii")
    if as_json:
        print_json({"name": made.name, "kind": made.kind, "path": made.path, "files": list(made.files)})
    else:
        for file in made.files:
            click.echo(shown_path(os.path.join(made.path, file), os.getcwd()))
    _report(made, policy, settings)


def _place(settings: Settings, policy: Policy, kind: str, place: str | None) -> str:
    """Where the new folder goes. A package is installed, not found, so it does not belong among the skills."""
    if place is not None:
        return os.path.abspath(os.path.expanduser(place))
    project = os.path.abspath(settings.project)
    if kind == "package":
        return project
    if settings.roots:
        return os.path.abspath(settings.roots[0])
    return place_of(project, policy, os.environ)


def _report(made: Made, policy: Policy, settings: Settings) -> None:
    """Say what could still be better, and what to try next."""
    here = os.getcwd()
    if made.kind != "package":
        for report in check_paths([made.path], "strict"):
            for one in report.diagnostics:
                say(problem_text(one, here))
    say(f"made the skill {made.name!r}; try next:")
    for line in _next(made, policy, settings, shown_path(made.path, here)):
        say(f"  {one_line(line)}")


def _next(made: Made, policy: Policy, settings: Settings, path: str) -> tuple[str, str]:
    where = path if path.startswith("~") else shlex.quote(path)
    if made.kind == "package":
        return f"pip install -e {where}", f"python -m pytest {where}"
    metier = shlex.join(["metier", *_options(made, policy, settings)])
    call = f"run {made.tool} --args {shlex.quote(TRY)} --trust" if made.tool else f"load {shlex.quote(made.name)}"
    return f"metier check --rules strict {where}", f"{metier} {call}"


def _options(made: Made, policy: Policy, settings: Settings) -> list[str]:
    """The options before the command with which metier finds the new skill."""
    options: list[str] = []
    if settings.project != ".":
        options += ["--project", settings.project]
    if settings.profile:
        options += ["--profile", settings.profile]
    roots = [root.path for root in resolve_roots(os.path.abspath(settings.project), policy, os.environ)]
    place = os.path.dirname(made.path)
    if settings.roots or os.path.realpath(place) not in map(os.path.realpath, roots):
        options += ["--root", place]
    return options
