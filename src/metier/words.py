"""Texts of skills, made safe to stand in a prompt, and what a text costs there."""

from __future__ import annotations

import re

# Line breaks of every kind, and control characters: they would let a description pass for more than one line.
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
# What XML 1.0 cannot hold. Line feeds and tabs it can.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
# Characters that nobody sees: those that turn the direction of writing, and the "tags" that can hide whole sentences.
# The two that join and separate letters are needed by whole scripts, and by emoji; they stay.
_UNSEEN = re.compile(r"[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e01ef]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def one_line(text: str) -> str:
    """A text as one line that shows everything it holds."""
    if text.isascii() and text.isprintable():
        return text
    return visible(_BREAKS.sub(" ", text)).strip()


def visible(text: str) -> str:
    """A text without what nobody sees, and with nothing that cannot be encoded."""
    if text.isascii():
        return text
    return encodable(_UNSEEN.sub("", text))


def encodable(text: str) -> str:
    """A text in which halves of characters, which no encoding can write, are marked."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def lines(text: str) -> str:
    """A text that may keep its lines, without what XML cannot hold."""
    return visible(_CONTROLS.sub("", text))


def shortened(text: str, width: int) -> str:
    """At most `width` characters, with an ellipsis where something was cut; empty where nothing useful is left."""
    if len(text) <= width:
        return text
    return text[: width - 1].rstrip() + "…" if width > 1 else ""


def estimate_tokens(text: str) -> int:
    """About how many tokens a model counts: four letters of ASCII to one, one for any other character."""
    if text.isascii():
        return -(-len(text) // 4)
    ascii_only = len(text.encode("ascii", "ignore"))
    return -(-ascii_only // 4) + len(text) - ascii_only
