"""`metier check`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

import click

from metier.authoring.check import Found, check_found, find, found_in
from metier.authoring.formats import as_github, as_json, as_sarif
from metier.catalog.config import load_config
from metier.cli.exits import MISUSE, PROBLEMS_FOUND
from metier.cli.output import count, one_line, print_json, problem_text, say, shown_path
from metier.diagnostic import Severity
from metier.errors import FileFailed
from metier.paths import is_inside

if TYPE_CHECKING:
    from metier.authoring.check import Report
    from metier.authoring.omega.gate import CheckLang
    from metier.cli.main import Settings
    from metier.diagnostic import RuleSet


@click.command(epilog="Example: metier check .agents/skills --rules strict --fix")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path())
@click.option(
    "--rules",
    type=click.Choice(["std", "strict", "omega"]),
    default="std",
    show_default=True,
    help="std: the open standard. strict: advice too. omega: the checklist for tools.",
)
@click.option("--lang", type=click.Choice(["en", "zh"]), help="omega: the language of texts and of the output.")
@click.option("--trust", is_flag=True, help="omega: let the skills' programs and tests run, in order to try them.")
@click.option("--fix", is_flag=True, help="Mend what is safe to mend, then check.")
@click.option("--dry-run", is_flag=True, help="With --fix: say what would be mended, and write nothing.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    show_default=True,
    help="How to print the problems.",
)
@click.option("--json", "json_flag", is_flag=True, help="The same as --format json.")
@click.pass_obj
@click.pass_context
def command(
    ctx: click.Context,
    settings: Settings,
    *,
    paths: tuple[str, ...],
    rules: RuleSet | Literal["omega"],
    lang: CheckLang | None,
    trust: bool,
    fix: bool,
    dry_run: bool,
    style: Literal["text", "json", "sarif", "github"],
    json_flag: bool,
) -> None:
    """Check skills against the open standard, and mend what is safe to mend.

    PATH is a SKILL.md, a skill's folder, or a folder with many skills; without one, the skills of the project are
    checked. Exit status 1 means that a file is invalid or, with strict rules, that there is any advice. With the rules
    omega, PATH may also be a Python project that registers a skill, and 1 means that a gate of the checklist is not
    passed.
    """
    missing = [path for path in paths if not os.path.lexists(path)]
    if missing:
        say(f"error: there is no file or folder {one_line(missing[0])!r}")
        say("hint: name one that exists, or none to check the skills of the project")
        ctx.exit(MISUSE)
    if dry_run and not fix:
        ctx.fail("--dry-run goes with --fix.")
    if rules == "omega" and fix:
        ctx.fail("--fix goes with the rules std and strict; the checklist is for people to work off.")
    if rules != "omega" and (lang or trust):
        ctx.fail("--lang and --trust go with --rules omega.")
    project = os.path.abspath(settings.project)
    policy = load_config(project, os.environ, settings.profile).policy
    found = [find(os.path.abspath(path), project, policy) for path in paths] if paths else [_of_project(settings)]
    form = "json" if json_flag else style
    if rules == "omega":
        from metier.cli.checklist import run_checklist

        places = [os.path.abspath(path) for path in paths] or [project]
        policy = policy.but(lang=settings.lang) if settings.lang else policy
        done = run_checklist(found, places, base=project, policy=policy, lang=lang, trust=trust, style=form)
        if done is False or (done is None and paths):
            ctx.exit(PROBLEMS_FOUND)
        return
    files = list(dict.fromkeys(file for one in found for file in one.files))
    failed = fix and _mend(files, project, dry_run=dry_run)
    reports = check_found(found, rules)
    _print(reports, form, project)
    strict = rules == "strict" and any(
        one.severity is Severity.WARNING for report in reports for one in report.diagnostics
    )
    if strict or failed or not all(report.is_valid for report in reports):
        ctx.exit(PROBLEMS_FOUND)


def _of_project(settings: Settings) -> Found:
    """Every candidate of the project's own roots, good or bad."""
    catalog = settings.open_catalog(packages=False)
    own = [one for one in catalog.roots if is_inside(catalog.project, one.path)]
    found = found_in(catalog, own)
    return found or Found(())


def _mend(files: list[str], project: str, *, dry_run: bool) -> bool:
    """Mend what can be mended, file by file; true when one of them could not be written."""
    from metier.authoring.fix import apply_fix, plan_fix

    mended, failed = 0, False
    for file in files:
        # The folder of a project is not named after the skill that lies in it.
        planned = plan_fix(file, may_rename=os.path.dirname(file) != project)
        if planned is None:
            continue
        try:
            if not dry_run:
                apply_fix(planned)
        except FileFailed as error:
            failed = True
            say(f"error: {one_line(str(error))}")
            continue
        mended += 1
        for what in planned.done:
            say(f"{shown_path(file, project)}: {'to be done: ' if dry_run else ''}{one_line(what)}")
    say(f"{count(mended, 'file')} {'could be ' if dry_run else ''}mended")
    return failed


def _print(reports: list[Report], style: str, base: str) -> None:
    if style == "json":
        print_json(as_json(reports))
    elif style == "sarif":
        print_json(as_sarif(reports, base))
    elif style == "github":
        for line in as_github(reports, base):
            click.echo(one_line(line))
    else:
        for report in reports:
            for one in report.diagnostics:
                click.echo(problem_text(one, base))
        errors = sum(not report.is_valid for report in reports)
        if not reports:
            say("there are no skills to check here; name a file or a folder")
        else:
            say(f"{count(len(reports), 'file')} checked, {errors or 'none'} invalid")
