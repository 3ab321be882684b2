"""`metier run`."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import click

from metier.catalog.cache import tools_path
from metier.cli.output import many_lines, print_json, say
from metier.errors import UnknownTool
from metier.parsing.names import suggestions

if TYPE_CHECKING:
    from metier.catalog.catalog import Catalog
    from metier.cli.main import Settings
    from metier.result import Result
    from metier.skill import Skill
    from metier.tool import Tool


@click.command(epilog='Example: metier run csv_summarize --args \'{"path": "data.csv"}\'')
@click.argument("tool")
@click.option("--args", "text", default="{}", metavar="JSON", help="The arguments, as one JSON object.  [default: {}]")
@click.option("--trust", is_flag=True, help="Run it although its skill is not trusted, this once.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
@click.pass_context
def command(ctx: click.Context, settings: Settings, *, tool: str, text: str, trust: bool, as_json: bool) -> None:
    """Call one tool of a skill and print its answer.

    TOOL is the name of a tool, or a folder with a skill.yaml. What the program says to people goes to standard error.
    """
    from metier.execution.runner import Runner

    arguments = _arguments(ctx, text)
    catalog = settings.open_catalog()
    skill, found = _find(catalog, tool)
    runner = Runner(catalog.project, catalog.policy, cache=tools_path(os.environ), environ=os.environ, trust=trust)
    result = runner.call(skill, found, arguments)
    log = str(result.data.get("log", ""))
    if as_json:
        print_json(_entry(result, runner.sandbox.tier, catalog))
    elif result.ok:
        click.echo(many_lines(result.content))
    if log and not as_json:
        say(many_lines(log.rstrip()))
    if not result.ok:
        if not as_json:
            say(f"Error: {many_lines(result.summary(catalog.policy.lang))}")
        ctx.exit(2 if result.code == "INVALID_PARAM" else 1)


def _entry(result: Result, tier: str, catalog: Catalog) -> dict[str, Any]:
    """The stable JSON shape."""
    error = {"code": result.code.value, "message": result.summary(catalog.policy.lang)} if result.code else None
    return {
        "status": result.status,
        "output": result.content,
        "error": error,
        "tier": result.data.get("tier", tier),
        "time_ms": result.time_ms,
        "log": result.data.get("log", ""),
    }


def _arguments(ctx: click.Context, text: str) -> dict[str, Any]:
    try:
        arguments: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        ctx.fail(f'The arguments are not JSON: {error}. Give one object, such as \'{{"path": "a.csv"}}\'.')
    if not isinstance(arguments, dict):
        ctx.fail('The arguments are not a JSON object. Give one, such as \'{"path": "a.csv"}\'.')
    return {str(key): value for key, value in arguments.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _find(catalog: Catalog, name: str) -> tuple[Skill, Tool]:
    """The tool of that name, or the one tool of the skill in a folder."""
    if os.sep in name or name.startswith("."):
        skill = catalog.get(name) or _of_folder(catalog, name)
        if skill is not None and len(skill.tools) == 1:
            return skill, skill.tools[0]
        if skill is not None:
            raise UnknownTool(name, [tool.name for tool in skill.tools])
    known = {tool.name: (skill, tool) for skill in reversed(catalog.skills) for tool in skill.tools}
    if name not in known:
        raise UnknownTool(name, suggestions(name, list(known)) or sorted(known)[:20])
    return known[name]


def _of_folder(catalog: Catalog, path: str) -> Skill | None:
    """The skill in a folder that no root holds."""
    from metier.catalog.catalog import Catalog

    folder = os.path.abspath(path)
    alone = Catalog.open(catalog.project, policy=catalog.policy, roots=[os.path.dirname(folder)], cache=False)
    return alone.get(folder)
