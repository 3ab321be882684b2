"""`metier show`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from metier.catalog.library import MAX_DOCUMENT
from metier.catalog.reading import read_bytes
from metier.catalog.usage import Usage, Use
from metier.cli.list_command import as_entry, usage_entry
from metier.cli.names import complete_skill
from metier.cli.output import count, many_lines, one_line, print_json, problem_text, say, shown_path
from metier.errors import FileFailed
from metier.value import as_text

if TYPE_CHECKING:
    from metier.catalog.candidate import Candidate
    from metier.catalog.catalog import Catalog
    from metier.cli.main import Settings
    from metier.skill import Skill
    from metier.tool import Tool


@click.command(epilog="Example: metier show code-review    (or project:code-review, or its path)")
@click.argument("name", shell_complete=complete_skill)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--raw", is_flag=True, help="Print the file as it is, and nothing else.")
@click.pass_obj
@click.pass_context
def command(ctx: click.Context, settings: Settings, *, name: str, as_json: bool, raw: bool) -> None:
    """Show one skill: where it comes from, its fields, its instructions."""
    catalog = settings.open_catalog()
    skill = catalog.require(name)
    document = catalog.document(skill.path or name) if skill.path.endswith(".md") or skill.text is not None else None
    if raw:
        sys.stdout.flush()
        sys.stdout.buffer.write(_bytes_of(skill))
        return
    candidate = next(one for one in catalog.candidates if one.skill == skill)
    # Listing reads only the head of a file; what is wrong further down shows here.
    late = document.diagnostics if document and document.fields is None else ()
    found = [*(one for one in catalog.diagnostics if one.path == skill.path), *late]
    uses = Usage.of(os.environ).read()
    if as_json:
        entry = as_entry(candidate, uses)
        entry["tools"] = [_tool_entry(tool) for tool in skill.tools]
        body = document.body if document else None
        more = {"fields": dict(skill.fields), "body": body, "diagnostics": [one.as_json() for one in found]}
        print_json({**entry, **more})
        return
    _print(catalog, candidate, skill, uses.get(skill.path, Use()))
    for one in found:
        say(problem_text(one, catalog.project))
    if document and document.body:
        click.echo("")
        click.echo(many_lines(document.body))
    if document and document.fields is None:
        ctx.exit(1)


def _bytes_of(skill: Skill) -> bytes:
    if skill.text is not None:
        return skill.text.encode()
    read = read_bytes(skill.path, MAX_DOCUMENT)
    if not isinstance(read, tuple):
        raise FileFailed(skill.path, read.message if read else "it is gone")
    return read[0]


def _without_file(skill: Skill) -> str:
    return "in memory" if skill.kind == "workspace" else "in an installed package"


def _tool_entry(tool: Tool) -> dict[str, object]:
    from dataclasses import asdict

    return {key: value for key, value in asdict(tool).items() if key != "function"}


def _print(catalog: Catalog, candidate: Candidate, skill: Skill, use: Use) -> None:
    lines = [
        ("name", skill.name),
        ("description", skill.description),
        ("scope", f"{skill.root.label} (answers to {skill.qualified_name})"),
        ("kind", skill.kind),
        ("path", shown_path(skill.path, catalog.project) or _without_file(skill)),
        ("state", candidate.state.value + (f": {candidate.reason}" if candidate.reason else "")),
        ("visibility", skill.visibility.value),
        ("used", f"{count(use.times, 'time')}, last on {usage_entry(use)['last_used']}" if use.times else "never"),
    ]
    lines += [(key, as_text(value)) for key, value in skill.fields.items() if key not in ("name", "description")]
    for tool in skill.tools:
        lines.append(("tool", f"{tool.name}({', '.join(one.name for one in tool.parameters)}): {tool.description}"))
        lines += [("  use when", text) for text in tool.when_to_use]
        lines += [("  not when", text) for text in tool.when_not_to_use]
    width = max(len(key) for key, _ in lines)
    for key, value in lines:
        click.echo(f"{one_line(key):<{width}}  {one_line(value)}")
