"""`metier check --rules omega`: the checklist, as people and programs read it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from metier.authoring.formats import as_github, as_sarif
from metier.authoring.omega.checklists import as_json, as_reports, check_all
from metier.authoring.omega.gate import GROUPS, Status
from metier.authoring.omega.workspace import Terms
from metier.cli.output import count, one_line, print_json, problem_text, say, shown_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.authoring.check import Found
    from metier.authoring.omega.gate import CheckLang, Checklist, Verdict
    from metier.policy import Policy

_MARKS = {Status.PASSED: ("✓", "green"), Status.FAILED: ("✗", "red"), Status.UNCHECKED: ("–", "yellow")}
_WORDS = {
    "en": {"complete": "complete", "open": "not complete: {count} to do", "advice": "advice", "next": "next"},
    "zh": {"complete": "已完成", "open": "未完成：还有 {count} 项", "advice": "建议", "next": "下一步"},
}


def run_checklist(
    found: Sequence[Found], projects: Sequence[str], *, base: str, policy: Policy, lang: CheckLang | None, trust: bool,
    style: str,
) -> bool | None:  # fmt: skip
    """Check, print, and say whether every skill is complete; `None` where there is nothing to check."""
    chosen: CheckLang = lang or ("zh" if policy.lang.startswith("zh") else "en")
    terms = Terms(lang=chosen, project=base, policy=policy, environ=os.environ, trust=trust)
    lists = check_all(found, projects, terms)
    if style == "json":
        print_json(as_json(lists, chosen))
    elif style == "sarif":
        print_json(as_sarif(as_reports(lists, chosen), base))
    elif style == "github":
        for line in as_github(as_reports(lists, chosen), base):
            click.echo(one_line(line))
    else:
        for one in lists:
            _print(one, chosen, base)
    # What could not be looked at is told too, whatever the format: it was asked for.
    refused = [one for each in found for report in each.refusals for one in report.diagnostics]
    for one in refused:
        say(problem_text(one, base))
    if not lists and not refused:
        say("there is no skill.yaml here, and no project that registers a skill; the checklist is about tools")
        return None
    complete = sum(one.is_complete for one in lists)
    say(f"{count(len(lists), 'skill')} checked, {complete or 'none'} complete")
    return complete == len(lists) and not refused


def _print(one: Checklist, lang: CheckLang, base: str) -> None:
    words = _WORDS[lang]
    click.echo(click.style(f"{one_line(one.name)}  ({shown_path(one.path, base)})", bold=True))
    group = ""
    for verdict in one.verdicts:
        if verdict.gate.group != group:
            group = verdict.gate.group
            click.echo(f"  {GROUPS[one.kind, group][lang == 'zh']}")
        _print_gate(verdict, lang)
    state = words["complete"] if one.is_complete else words["open"].format(count=len(one.unmet))
    click.echo(f"  → {state}\n")


def _print_gate(verdict: Verdict, lang: CheckLang) -> None:
    mark, colour = _MARKS[verdict.status]
    is_advice = verdict.gate.level == "advice"
    if is_advice and verdict.status is Status.FAILED:
        mark, colour = "!", "yellow"
    note = f" ({_WORDS[lang]['advice']})" if is_advice else ""
    click.echo(f"    {click.style(mark, fg=colour)} {verdict.gate.title(lang)}{note}  [{verdict.gate.id}]")
    told: set[str] = set()
    for finding in verdict.findings:
        reason = one_line(finding.reason(lang))
        if reason in told:
            continue
        told.add(reason)
        click.echo(f"        {reason}")
        step = one_line(finding.next_step(lang))
        if step:
            click.echo(f"        {_WORDS[lang]['next']}: {step}")
