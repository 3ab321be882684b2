"""What metier says to models, in three languages. Words only: which message is meant is decided elsewhere.

A message is a template, or, where something went wrong, three of them: the problem, the value it is about, and what to
do next. They are put together as `problem: value — next step`.
"""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Literal, TypeAlias, get_args

Lang: TypeAlias = Literal["en", "zh-Hans", "zh-Hant"]
Template: TypeAlias = str | tuple[str, str, str]

LANGS: tuple[Lang, ...] = get_args(Lang)


@functools.cache
def catalogue(lang: Lang) -> dict[str, Template]:
    """All messages of a language. Each has a module of its own, so that nobody loads what nobody reads."""
    return import_module(f"metier.messages.{lang.lower().replace('-', '_')}").MESSAGES


def say(key: str, lang: Lang = "en", /, **values: object) -> str:
    """A message with its values filled in. Values are inserted as they are and never read as templates."""
    template = catalogue(lang)[key]
    if isinstance(template, str):
        return template.format_map(values)
    return formatted(*(part.format_map(values) for part in template))


def formatted(problem: str, value: str = "", step: str = "") -> str:
    """The one form of an error: `problem: value — next step`, or without what is empty."""
    return problem + (f": {value}" if value else "") + (f" — {step}" if step else "")
