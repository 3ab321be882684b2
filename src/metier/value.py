"""What a frontmatter field may hold, and how it is read as a text or as a truth."""

from __future__ import annotations

from typing import TypeAlias

Value: TypeAlias = "str | list[Value] | dict[str, Value]"
"""What a frontmatter field may hold. Every scalar is text, as written: `1.0` and `on` stay what they are."""

TRUE_WORDS = frozenset({"true", "yes", "on", "1"})
FALSE_WORDS = frozenset({"false", "no", "off", "0"})


def is_true(value: Value | None, *, default: bool) -> bool:
    """The truth of a frontmatter field: true/false, yes/no, on/off, 1/0 in any case; else `default`."""
    word = value.strip().lower() if isinstance(value, str) else ""
    if word in TRUE_WORDS:
        return True
    return False if word in FALSE_WORDS else default


def as_text(value: Value | None) -> str:
    """A field as one text: items and pairs joined by commas."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(as_text(item) for item in value)
    return ", ".join(f"{key}: {as_text(item)}" for key, item in value.items())
