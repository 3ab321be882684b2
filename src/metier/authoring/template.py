"""Filling in templates. `{{key}}` is a value as it is, `{{key:text}}` the same as a quoted text.

A quoted text is JSON's, which is also one in YAML, TOML, Python, JavaScript and Go, so that no description can break
out of the file it is written into. Values are inserted and never read as templates again.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")

_MARK = re.compile(r"\{\{([a-z][a-z0-9_]*)(:text)?\}\}")


def filled(template: str, values: Mapping[str, str]) -> str:
    """The template with every mark replaced.

    Raises:
        KeyError: for a mark without a value, which is a fault of the template.
    """
    return _MARK.sub(lambda mark: quoted(values[mark[1]]) if mark[2] else values[mark[1]], template)


def quoted(text: str) -> str:
    """The text in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def read_template(name: str) -> str:
    """The text of a template."""
    with open(os.path.join(FOLDER, *name.split("/")), encoding="utf-8", newline="") as file:
        return file.read()


def words_of(lang: str, values: Mapping[str, str]) -> dict[str, str]:
    """The phrases that programs of all kinds share, in one language."""
    words: dict[str, str] = json.loads(read_template(f"words.{lang}.json"))
    return {key: filled(text, values) for key, text in words.items()}
