"""What a new skill may be called, and what a wrong name was probably meant to be."""

from __future__ import annotations

import re
import unicodedata

from metier.errors import NotMade
from metier.parsing.names import MAX_NAME, canonical, name_problems

ACTION = "count"
"""What the tool of every template does."""

MAX_TOOL_NAME = 64
"""Providers of models refuse longer names of functions."""


def prefix_of(name: str) -> str:
    """How the names of a skill's tools start."""
    return name.replace("-", "_")


def tool_of(name: str) -> str:
    """The name of the tool that a template makes."""
    return f"{prefix_of(name)}_{ACTION}"


def check_name(name: str, *, ascii_only: bool, names_tool: bool) -> None:
    """Refuse a name that breaks the standard's rules or, where tools are named after it, the rules for tools.

    Raises:
        NotMade: with the rule and a name that keeps it.
    """
    reasons = [one.message for one in name_problems(name, "", None, ascii_only=ascii_only or names_tool)]
    if not name:
        reasons = ["the name is empty"]
    elif not reasons and canonical(name) != name:
        reasons = [f"the name {name!r} holds characters that stand for others"]
    elif not reasons and names_tool and not name[0].isalpha():
        reasons = [f"the tools of a skill are named after it, and {name!r} does not start with a letter"]
    elif not reasons and names_tool and len(tool_of(name)) > MAX_TOOL_NAME:
        limit = MAX_TOOL_NAME - len(ACTION) - 1
        reasons = [f"the tools of a skill are named after it, and {name!r} has more than {limit} characters"]
    if reasons:
        raise NotMade("; ".join(reasons), _hint(name, ascii_only=ascii_only, names_tool=names_tool))


def _hint(name: str, *, ascii_only: bool, names_tool: bool) -> str:
    better = mended(name, ascii_only=ascii_only, names_tool=names_tool)
    hint = f"call it {better!r}" if better else "use a-z, 0-9 and single hyphens, such as 'word-count'"
    return f"{hint}; --in DIR says where it goes" if "/" in name or "\\" in name else hint


def mended(name: str, *, ascii_only: bool = False, names_tool: bool = False) -> str:
    """The name that was probably meant; empty where nothing of it can be kept."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", unicodedata.normalize("NFKC", name)).lower()
    if ascii_only or names_tool:
        text = "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))
        text = re.sub(r"[^a-z0-9]+", "-", text).strip("-")
    else:
        kept = (one if one.isalnum() or unicodedata.category(one) in ("Mn", "Mc") else "-" for one in text)
        text = re.sub(r"-+", "-", "".join(kept)).strip("-")
    if names_tool and text[:1].isdigit():
        text = f"skill-{text}"
    limit = MAX_TOOL_NAME - len(ACTION) - 1 if names_tool else MAX_NAME
    return text[:limit].strip("-")
