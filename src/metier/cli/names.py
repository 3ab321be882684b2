"""Completing the names of skills in a shell."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

from metier.cli.output import one_line
from metier.errors import MetierError

if TYPE_CHECKING:
    import click


def complete_skill(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The skills whose names start with what was typed."""
    del parameter
    from metier.catalog.catalog import Catalog
    from metier.catalog.config import load_config

    above = ctx.find_root().params
    try:
        project = os.path.abspath(above.get("project") or os.curdir)
        policy = load_config(project, os.environ, above.get("profile")).policy
        catalog = Catalog.open(project, policy=policy, roots=list(above.get("roots") or ()) or None)
    except MetierError:
        return []
    return [
        CompletionItem(skill.name, help=one_line(skill.description))
        for skill in catalog.skills
        # What would need quotes in a shell is not offered: completion scripts insert it as it is.
        if skill.name.startswith(incomplete) and re.fullmatch(r"[\w.-]+", skill.name)
    ]
