"""Completing the names of skills in a shell."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

from metier.errors import MetierError

if TYPE_CHECKING:
    import click


def complete_skill(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The skills whose names start with what was typed."""
    del parameter
    from metier.catalog.catalog import Catalog

    above = ctx.find_root().params
    try:
        catalog = Catalog.open(above.get("project") or os.curdir, roots=list(above.get("roots") or ()) or None)
    except MetierError:
        return []
    return [
        CompletionItem(skill.name, help=skill.description)
        for skill in catalog.skills
        if skill.name.startswith(incomplete)
    ]
