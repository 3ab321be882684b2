"""`metier prompt`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from metier.catalog.usage import Usage
from metier.cli.output import count, print_json, say
from metier.disclosure.conversation import Conversation
from metier.disclosure.listing import make_listing
from metier.disclosure.prompt import system_section, tool_description

if TYPE_CHECKING:
    from metier.cli.main import Settings
    from metier.disclosure.listing import Report


@click.command(epilog="Example: metier prompt --style xml --budget 8000")
@click.option("--style", type=click.Choice(["bullets", "xml", "id_name_desc", "planner"]), help="The form of the list.")
@click.option("--budget", type=click.IntRange(min=0), metavar="N", help="Characters the list may have.")
@click.option("--tokens", type=click.IntRange(min=0), metavar="N", help="Tokens the list may have, by estimate.")
@click.option("--all", "unlimited", is_flag=True, help="No budget: every description in full.")
@click.option("--rules", is_flag=True, help="With the rules around it: the whole section of a system prompt.")
@click.option("--tool", is_flag=True, help="The description of the Skill tool instead.")
@click.option("--touched", multiple=True, metavar="FILE", help="A file that is worked on; some skills wait for it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def command(
    settings: Settings,
    *,
    style: str | None,
    budget: int | None,
    tokens: int | None,
    unlimited: bool,
    rules: bool,
    tool: bool,
    touched: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show what a model is told of all skills, exactly as it sees it.

    The report of what fitted goes to standard error, or into the JSON.
    """
    if unlimited and (budget is not None or tokens is not None):
        raise click.UsageError("--all and a budget exclude each other. Leave one of them out.")
    catalog = settings.open_catalog()
    policy = catalog.policy.but(**({"style": style} if style else {}))
    if unlimited:
        policy = policy.but(budget_chars=None, budget_tokens=None, entry_chars=None)
    if budget is not None or tokens is not None:
        policy = policy.but(budget_chars=budget, budget_tokens=tokens)
    skills = Conversation(touched=list(touched)).visible(catalog.skills, policy)
    listing = make_listing(skills, policy, favoured=Usage.of(os.environ).recent(skills))
    text = listing.text
    if listing.report.total and tool:
        text = tool_description(policy, text)
    elif listing.report.total and rules:
        text = system_section(policy.but(placement=(*policy.placement, "system")), text)
    if as_json:
        print_json({"text": text, "report": listing.report.as_json()})
        return
    if text:
        click.echo(text)
    say(_told(listing.report))


def _told(report: Report) -> str:
    if not report.total:
        return "No skills are visible, so a model is told nothing."
    parts = [f"{report.listed} of {count(report.total, 'skill')} listed"]
    if report.shortened:
        parts.append(f"{report.shortened} shortened")
    if report.omitted:
        parts.append(f"{len(report.omitted)} left out")
    parts.append(f"{report.chars:,} characters, about {report.tokens:,} tokens")
    return "; ".join(parts)
