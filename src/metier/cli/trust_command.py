"""`metier trust`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from metier.cli.names import complete_skill
from metier.cli.output import count, one_line, print_json, print_table, say, shown_path
from metier.errors import NotTrusted
from metier.store.tree import changes, tree_of
from metier.store.trust import Trust

if TYPE_CHECKING:
    from metier.cli.main import Settings
    from metier.skill import Skill
    from metier.store.tree import Changes
    from metier.tool import Tool

MAX_SHOWN = 20


@click.command(epilog="Example: metier trust csv    (then metier run csv_summarize works without --trust)")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=complete_skill)
@click.option("--list", "is_list", is_flag=True, help="Show what is trusted, and whether it is still as it was.")
@click.option("--dry-run", is_flag=True, help="Say what would be trusted, and trust nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
@click.pass_context
def command(
    ctx: click.Context, settings: Settings, *, names: tuple[str, ...], is_list: bool, dry_run: bool, as_json: bool
) -> None:
    """Trust skills as they are now: their tools and scripts may run.

    Trust is bound to every file of a skill. Whatever changes in it revokes the trust; this command then shows what has
    changed, and trusts it anew. Approvals are kept outside of the project. See also: metier untrust.
    """
    trust = Trust.of(os.environ)
    if is_list:
        if names:
            ctx.fail("--list shows everything; leave the names out.")
        _show_all(settings, trust, as_json=as_json)
        return
    if not names:
        ctx.fail("Name the skills to trust, or use --list.")
    catalog = settings.open_catalog()
    done: list[dict[str, object]] = []
    for skill in [catalog.require(name) for name in names]:
        if not skill.path:
            raise NotTrusted(f"{skill.name!r} has no files of its own", "it runs as a part of the program it came with")
        tree = tree_of(skill.dir)
        standing, differs = trust.standing(skill)
        if not as_json:
            _show(skill, differs, catalog.project, len(tree.files), is_new=standing != "changed")
        entry: dict[str, object] = {"name": skill.name, "folder": skill.dir, "digest": tree.digest, "before": standing}
        done.append(entry)
        if not dry_run and standing != "trusted":
            trust.approve(skill, tree)
        if not as_json:
            said = (
                "is trusted already" if standing == "trusted" else "would be trusted" if dry_run else "is trusted now"
            )
            say(f"{one_line(skill.name)} {said}")
    if as_json:
        print_json({"trusted": done, "dry_run": dry_run})


def _show(skill: Skill, differs: Changes, project: str, files: int, *, is_new: bool) -> None:
    """What the user agrees to."""
    say(f"{one_line(skill.name)}: {count(files, 'file')} in {shown_path(skill.dir, project)}")
    for tool in skill.tools:
        say(f"  tool {one_line(tool.name)} ({tool.runtime} {one_line(tool.entry)}){_wishes(tool)}")
    if is_new:
        return
    for sign, paths in (("+", differs.added), ("~", differs.changed), ("-", differs.removed)):
        for path in paths[:MAX_SHOWN]:
            say(f"  {sign} {one_line(path)}")
        if len(paths) > MAX_SHOWN:
            say(f"  {sign} … and {len(paths) - MAX_SHOWN} more")


def _wishes(tool: Tool) -> str:
    asks = ["network"] if tool.permissions.network else []
    asks += [f"read {one_line(path)}" for path in tool.permissions.read]
    asks += [f"write {one_line(path)}" for path in tool.permissions.write]
    asks += [f"${one_line(name)}" for name in tool.env]
    return f": asks for {', '.join(asks)}" if asks else ""


def _show_all(settings: Settings, trust: Trust, *, as_json: bool) -> None:
    del settings
    rows: list[tuple[str, str, str, str]] = []
    entries: list[dict[str, object]] = []
    for approval in trust.approvals:
        if not os.path.isdir(approval.folder):
            state = "gone"
        else:
            state = "changed" if changes(approval.files, tree_of(approval.folder).files) else "trusted"
        rows.append((approval.name, state, approval.when[:10], approval.folder))
        entries.append({**approval.as_json(), "state": state})
    if as_json:
        print_json({"approvals": entries})
        return
    if not rows:
        say("no skill is trusted by itself; metier trust NAME does it. Roots can be trusted in metier.toml.")
    print_table(("name", "state", "since", "folder"), rows, stretch=3)
