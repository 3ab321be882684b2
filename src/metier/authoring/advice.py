"""Advice beyond the standard: what makes a skill easier to find, cheaper to load and safer to run."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from metier.catalog.reading import read_bytes
from metier.diagnostic import Diagnostic, problem
from metier.value import as_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.catalog.resources import Resource
    from metier.parsing.document import Document

MAX_BODY_LINES = 500
MAX_BODY_TOKENS = 5_000
CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English; good enough to say "too long"."""

_TRIGGER = re.compile(
    r"\b(when(ever)?|if|for|before|after|while|during)\b|\buse(d|ful)?\b|\btrigger|\binvoke"
    r"|时|当|用于|场合|使用時機|使用时机|時",
    re.IGNORECASE,
)
_LINK = re.compile(r"\[[^\[\]\n]{0,300}\]\([ \t]?<?([^()\s<>]{1,500})[^()\n]{0,300}\)")
_CODE_PATH = re.compile(r"`((?:scripts|references|assets)/[\w./-]+\.\w+)`")
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//|#|/|mailto:|\$|\{")
_PROGRAM = frozenset({".sh", ".bash", ".zsh", ".py", ".rb", ".pl", ".js", ".mjs"})
_NEEDS_SHEBANG = frozenset({".sh", ".bash", ".zsh", ".py", ".rb", ".pl"})
_USAGE = re.compile(r"usage|--help|argparse|click|typer|optparse|getopts", re.IGNORECASE)


def advice(document: Document, path: str, files: Sequence[Resource]) -> Iterator[Diagnostic]:
    """What a careful reviewer would say about a skill."""
    yield from _size(document, path)
    description = as_text((document.fields or {}).get("description")) + as_text(
        (document.fields or {}).get("when_to_use")
    )
    if description.strip() and not _TRIGGER.search(description):
        yield problem("description-no-trigger", path, 1)
    yield from _links(document, path, {file.path for file in files})
    for file in files:
        yield from _script(os.path.dirname(path), file)


def _size(document: Document, path: str) -> Iterator[Diagnostic]:
    if not document.body:
        yield problem("body-empty", path)
        return
    lines = document.body.count("\n") + 1
    tokens = len(document.body) // CHARACTERS_PER_TOKEN
    if lines > MAX_BODY_LINES or tokens > MAX_BODY_TOKENS:
        yield problem("body-too-long", path, document.body_line, lines=lines, tokens=tokens)


def _links(document: Document, path: str, files: set[str]) -> Iterator[Diagnostic]:
    folders = {file.rsplit("/", depth)[0] for file in files for depth in range(1, file.count("/") + 1)}
    told: set[str] = set()
    for number, line in _prose(document):
        for match in (*_LINK.finditer(line), *_CODE_PATH.finditer(line)):
            target = match[1].split("#", 1)[0].split("?", 1)[0]
            if not target or _ADDRESS.match(match[1]) or target in told:
                continue
            normal = os.path.normpath(target).replace(os.sep, "/")
            told.add(target)
            if normal.startswith("../") or normal == "..":
                yield problem("link-outside", path, number, match.start(1) + 1, target=target)
            elif normal not in files and normal not in folders and normal != ".":
                yield problem("link-dead", path, number, match.start(1) + 1, target=target)


def _prose(document: Document) -> Iterator[tuple[int, str]]:
    """The lines of the body that are not inside a code block: what is there is an example, not a link."""
    fence = ""
    for number, line in enumerate(document.body.split("\n"), document.body_line):
        match = _FENCE.match(line)
        if match and not fence:
            fence = match[1]
        elif match and match[1].startswith(fence):
            fence = ""
        elif not fence:
            yield number, line


def _script(folder: str, file: Resource) -> Iterator[Diagnostic]:
    ending = os.path.splitext(file.path)[1].lower()
    name = os.path.basename(file.path)
    if not file.path.startswith("scripts/") or ending not in _PROGRAM or name.startswith(("_", "test_")):
        return
    path = os.path.join(folder, file.path)
    read = read_bytes(path, 1_048_576)
    if not isinstance(read, tuple):
        return
    text = read[0].decode("utf-8", "replace")
    if ending in _NEEDS_SHEBANG and not text.startswith("#!"):
        yield problem("script-no-shebang", path, 1)
    if not _USAGE.search(text):
        yield problem("script-no-usage", path, 1)
