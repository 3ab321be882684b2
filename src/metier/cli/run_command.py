"""`metier run`."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, cast

import click

from metier.cli.output import many_lines, print_json, say
from metier.errors import UnknownTool
from metier.parsing.names import suggestions
from metier.skill import Root

if TYPE_CHECKING:
    from metier.catalog.catalog import Catalog
    from metier.cli.main import Settings
    from metier.result import Result
    from metier.skill import Skill
    from metier.tool import Tool


@click.command(
    context_settings={"ignore_unknown_options": True},
    epilog='Example: metier run csv_summarize --args \'{"path": "data.csv"}\'',
)
@click.argument("target", metavar="TOOL | SKILL/SCRIPT")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[WORD]...")
@click.option("--args", "text", metavar="JSON", help="The arguments of a tool, as one JSON object.  [default: {}]")
@click.option("--write", multiple=True, metavar="PATH", help="A folder of the project that a script may write.")
@click.option("--network", is_flag=True, help="Let a script use the network.")
@click.option("--timeout", "timeout_s", type=click.FloatRange(0.1), metavar="S", help="Seconds for a script.")
@click.option("--trust", is_flag=True, help="Run it although its skill is not trusted, this once.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
@click.pass_context
def command(
    ctx: click.Context,
    settings: Settings,
    *,
    target: str,
    words: tuple[str, ...],
    text: str | None,
    write: tuple[str, ...],
    network: bool,
    timeout_s: float | None,
    trust: bool,
    as_json: bool,
) -> None:
    """Call one tool of a skill, or run one of its scripts, and print the answer.

    TOOL is the name of a tool, or a folder with a skill.yaml. SKILL/SCRIPT is the name of a skill and the path of a
    script in it, such as pdf/scripts/fill.py; the words after it are its command line, after "--" if they look like
    options of metier. What the program says to people goes to standard error.
    """
    from metier.execution.scripts import SCRIPT_S, Leave
    from metier.toolset.tools import Tools

    catalog = settings.open_catalog()
    with Tools(catalog, trust=trust) as tools:
        script = _script_of(catalog, target)
        if script is not None:
            if text is not None:
                ctx.fail("--args is for tools. The command line of a script comes after its name.")
            leave = Leave(write=write, network=network, timeout_s=timeout_s or SCRIPT_S)
            result = tools.run_script(*script, words, leave=leave)
        else:
            _only_for_scripts(ctx, words, write, network=network, timeout_s=timeout_s)
            arguments = _arguments(ctx, text or "{}")
            skill, found = _find(catalog, target)
            result = tools.call_of(skill, found, arguments)
        _show(result, tools.sandbox.tier, catalog, is_script=script is not None, as_json=as_json)
    if not result.ok:
        ctx.exit(2 if result.code == "INVALID_PARAM" else 1)
    if script is not None and result.status == "partial":
        ctx.exit(1)


def _only_for_scripts(
    ctx: click.Context, words: tuple[str, ...], write: tuple[str, ...], *, network: bool, timeout_s: float | None
) -> None:
    if words:
        ctx.fail(f"{words[0]!r} is too much: the arguments of a tool are given with --args, as JSON.")
    if write or network or timeout_s is not None:
        ctx.fail("--write, --network and --timeout are for scripts. A tool says in its skill.yaml what it needs.")


def _show(result: Result, tier: str, catalog: Catalog, *, is_script: bool, as_json: bool) -> None:
    log = str(result.data.get("stderr" if is_script else "log", ""))
    if as_json:
        print_json(_entry(result, tier, catalog, is_script=is_script))
        return
    output = str(result.data.get("stdout", result.content))
    if (result.ok or is_script) and (output or not is_script):
        click.echo(many_lines(output.rstrip("\n") if is_script else output))
    if log:
        say(many_lines(log.rstrip()))
    if not result.ok or (is_script and result.status == "partial"):
        say(f"Error: {many_lines(result.summary(catalog.policy.lang))}")


def _entry(result: Result, tier: str, catalog: Catalog, *, is_script: bool) -> dict[str, Any]:
    """The stable JSON shape."""
    code = result.code.value if result.code else "EXECUTION_ERROR" if is_script and result.status == "partial" else ""
    error = {"code": code, "message": result.summary(catalog.policy.lang)} if code else None
    entry = {
        "status": result.status,
        "output": result.data.get("stdout", result.content),
        "error": error,
        "tier": result.data.get("tier", tier),
        "time_ms": result.time_ms,
        "log": result.data.get("log", ""),
    }
    if is_script:
        entry |= {"stderr": result.data.get("stderr", ""), "exit_status": result.data.get("exit_status")}
    return entry


def _arguments(ctx: click.Context, text: str) -> dict[str, Any]:
    try:
        arguments: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        ctx.fail(f'The arguments are not JSON: {error}. Give one object, such as \'{{"path": "a.csv"}}\'.')
    if not isinstance(arguments, dict):
        ctx.fail('The arguments are not a JSON object. Give one, such as \'{"path": "a.csv"}\'.')
    return {str(key): value for key, value in cast("dict[object, Any]", arguments).items()}


def _script_of(catalog: Catalog, target: str) -> tuple[str, str] | None:
    """The skill and the path of the script that are meant, if a script is meant."""
    name, _, path = target.partition("/")
    skill = catalog.get(name) if path and name not in ("", ".", "..") else None
    return (name, path) if skill is not None and skill.path and not os.path.isdir(target) else None


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
        raise UnknownTool(name, suggestions(name, list(known)) or sorted(known)[:20], _why_not(catalog, name))
    return known[name]


def _why_not(catalog: Catalog, name: str) -> str:
    """What became of the skill that a tool would belong to, if there is one that is not offered."""
    for one in catalog.candidates:
        folder = (one.name or os.path.basename(os.path.dirname(one.path))).replace("-", "_")
        if one.state.value != "loaded" and (name == folder or name.startswith(f"{folder}_")):
            return f"{one.name or one.path} is {one.state.value}: {one.reason}"
    return ""


def _of_folder(catalog: Catalog, path: str) -> Skill | None:
    """The skill in a folder that no root holds."""
    from metier.catalog.catalog import Catalog

    folder = os.path.abspath(path)
    above = os.path.dirname(folder)
    # To name a folder is not to trust it.
    root = Root(path=above, scope="project", boundary=above, max_depth=1, named=True)
    return Catalog.open(catalog.project, policy=catalog.policy, roots=[root], cache=False).get(folder)
