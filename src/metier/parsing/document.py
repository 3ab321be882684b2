"""The one reader of `SKILL.md`: bytes to fields, body and diagnostics, whatever the bytes are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from metier.diagnostic import Diagnostic, problem
from metier.parsing.frontmatter import Split, normalised, split, split_nearly
from metier.parsing.simple import read_simple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.parsing.yaml_events import Mark, Tree, YamlProblem
    from metier.value import Value

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Header(NamedTuple):
    """The fields of a file and what was wrong with them; `fields` is `None` when it cannot be a skill."""

    fields: dict[str, Value] | None
    diagnostics: tuple[Diagnostic, ...] = ()
    lead: str = ""
    """The first paragraph of the body, kept only where a description is missing."""


@dataclass(frozen=True, slots=True)
class Document:
    """A whole `SKILL.md`."""

    text: str
    fields: Mapping[str, Value] | None
    body: str
    body_line: int
    """The line of the file on which the body starts."""
    diagnostics: tuple[Diagnostic, ...]


def decode(data: bytes, path: str, *, is_whole: bool = True) -> str | Diagnostic:
    """The text of a file, or what keeps it from being text. A head may end inside a character."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if not is_whole and error.start >= len(data) - 3 and error.reason == "unexpected end of data":
            text = data[: error.start].decode("utf-8")
        else:
            return _not_utf8(data, error, path)
    if "\0" in text:
        return problem("nul-byte", path, text.count("\n", 0, text.index("\0")) + 1)
    return text


def _not_utf8(data: bytes, error: UnicodeDecodeError, path: str) -> Diagnostic:
    line = data.count(b"\n", 0, error.start) + 1
    if data.startswith(_UTF16_MARKS):
        return problem("not-utf8", path, 1, reason="it looks like UTF-16")
    return problem("not-utf8", path, line, reason=f"byte 0x{data[error.start]:02x} at offset {error.start}")


def read_plain(data: bytes) -> dict[str, Value] | None:
    """The fields of what most files are, read the short way. `None` for any other, which goes the long way."""
    end = data.find(b"\n---\n", 3)
    if end < 0 or not data.startswith(b"---\n") or b"\0" in data:
        return None
    try:
        if not data.isascii():
            data.decode("utf-8")  # what follows the header has to be text, too
        fields = read_simple(data[4 : end + 1].decode("utf-8"))
    except UnicodeDecodeError:
        return None
    return fields if fields is not None and "description" in fields else None


def read_head(data: bytes, path: str, *, is_whole: bool) -> Header:
    """What listing needs of a file, from its first bytes."""
    plain = read_plain(data)
    if plain is not None:
        return Header(plain)
    text = decode(data, path, is_whole=is_whole)
    if isinstance(text, Diagnostic):
        return Header(None, (text,))
    text = normalised(text)
    parts = split(text, path, is_whole=is_whole)
    if isinstance(parts, Diagnostic):
        nearly = _split_nearly(text, path, parts)
        if nearly is None:
            return Header(None, (parts,))
        parts = nearly
    fields, diagnostics = read_fields(parts.header, path, parts.header_line)
    if fields is not None and "description" not in fields:
        return Header(fields, parts.diagnostics + diagnostics, first_paragraph(text[parts.body_start :]))
    return Header(fields, parts.diagnostics + diagnostics)


def read_document(data: bytes, path: str) -> Document:
    """A whole file: fields, body and every problem of reading it."""
    text = decode(data, path)
    if isinstance(text, Diagnostic):
        return Document("", None, "", 1, (text,))
    text = normalised(text)
    parts = split(text, path)
    if isinstance(parts, Diagnostic):
        nearly = _split_nearly(text, path, parts)
        if nearly is None:
            return Document(text, None, "", 1, (parts,))
        parts = nearly
    fields, diagnostics = read_fields(parts.header, path, parts.header_line)
    return _document(text, parts, fields, parts.diagnostics + diagnostics)


def _split_nearly(text: str, path: str, refused: Diagnostic) -> Split | None:
    """A header without a proper end, if up to a line of dashes it is good YAML: else that line is only a heading's."""
    parts = split_nearly(text, path) if refused.code == "frontmatter-unclosed" else None
    if parts is None:
        return None
    fields, found = read_fields(parts.header, path)
    return None if fields is None or any(one.code == "yaml-repaired" for one in found) else parts


def _document(
    text: str, parts: Split, fields: dict[str, Value] | None, diagnostics: tuple[Diagnostic, ...]
) -> Document:
    body = text[parts.body_start :]
    stripped = body.strip()
    skipped = parts.body_start + len(body) - len(body.lstrip())
    return Document(text, fields, stripped, text.count("\n", 0, skipped) + 1, diagnostics)


def first_paragraph(body: str) -> str:
    """The first paragraph that is not a heading, on one line."""
    for paragraph in body.strip().split("\n\n"):
        lines = [line.strip() for line in paragraph.splitlines() if not line.startswith("#")]
        if any(lines):
            return " ".join(line for line in lines if line)
    return ""


def read_fields(header: str, path: str, line: int = 1) -> tuple[dict[str, Value] | None, tuple[Diagnostic, ...]]:
    """The fields of a header; `line` is where its first line stands in the file."""
    fields = read_simple(header)
    found: tuple[Diagnostic, ...] = ()
    if fields is None:
        fields, found = _read_any(header, path, line - 1)
    if fields is not None and not ("name" in fields and "description" in fields):
        fields, more = _in_lower_case(fields, path)
        found += more
    return fields, found


def _in_lower_case(fields: dict[str, Value], path: str) -> tuple[dict[str, Value], tuple[Diagnostic, ...]]:
    """`Name` and `DESCRIPTION` are what they look like, unless the proper field is there too."""
    renamed: dict[str, Value] = {}
    found: list[Diagnostic] = []
    for key, value in fields.items():
        lower = key.lower()
        if lower != key and lower in ("name", "description") and lower not in fields and lower not in renamed:
            found.append(problem("field-case", path, written=key, field=lower))
            renamed[lower] = value
        else:
            renamed[key] = value
    return (renamed, tuple(found)) if found else (fields, ())


def _read_any(header: str, path: str, offset: int) -> tuple[dict[str, Value] | None, tuple[Diagnostic, ...]]:
    # Only an unusual header pays for importing PyYAML.
    from metier.parsing.yaml_events import MAX_DEPTH, MAX_VALUES, Mark, YamlProblem, read_yaml

    limits = {"yaml-too-deep": MAX_DEPTH, "yaml-alias-bomb": MAX_VALUES}
    try:
        try:
            tree = read_yaml(header)
        except YamlProblem as refused:
            if refused.code in limits:
                raise
            return _repaired(header, path, offset, refused)
        if isinstance(tree.value, dict):
            fields, found = _flow_as_text(tree.value, header, path, offset)
            fields, more = _commented_out(fields, header, path, offset)
            return fields, _objections(tree, header, path, offset) + found + more
        return _repaired(header, path, offset, YamlProblem("yaml-not-a-mapping", kind_of(tree.value), Mark(1, 1)))
    except YamlProblem as fatal:
        at = (path, fatal.mark.line + offset, fatal.mark.column)
        return None, (problem(fatal.code, *at, limit=limits[fatal.code]),)


def _repaired(
    header: str, path: str, offset: int, refused: YamlProblem
) -> tuple[dict[str, Value] | None, tuple[Diagnostic, ...]]:
    from metier.parsing.repair import repair

    repaired = repair(header)
    if repaired is None:
        at = (path, refused.mark.line + offset, refused.mark.column)
        return None, (problem(refused.code, *at, reason=refused.reason, what=refused.reason),)
    found = [
        problem("yaml-repaired", path, mark.line + offset, mark.column, field=name, assumed=assumed)
        for name, mark, assumed in repaired.assumptions
    ]
    return repaired.fields, tuple(found + _duplicates(repaired.duplicates, path, offset))


def _flow_as_text(
    fields: dict[str, Value], header: str, path: str, offset: int
) -> tuple[dict[str, Value], tuple[Diagnostic, ...]]:
    """`description: [Beta] …` and `{{placeholder}}` are YAML collections that were meant as text."""
    found: list[Diagnostic] = []
    for number, line in enumerate(header.split("\n"), 1):
        for key in ("name", "description"):
            text = line[len(key) + 1 :].strip()
            is_flow = line.startswith(key + ":") and text[:1] + text[-1:] in ("[]", "{}")
            if is_flow and not isinstance(fields.get(key, ""), str):
                fields[key] = text
                assumed = f"it was read as the text {text[:60]!r}"
                found.append(problem("yaml-repaired", path, number + offset, field=key, assumed=assumed))
    return fields, tuple(found)


def kind_of(value: Value) -> str:
    """What a value is, for a message."""
    if isinstance(value, str):
        return "a text" if value else "empty"
    return "a list" if isinstance(value, list) else "a map"


def _duplicates(found: list[tuple[str, Mark]], path: str, offset: int) -> list[Diagnostic]:
    return [problem("yaml-duplicate-key", path, mark.line + offset, mark.column, field=key) for key, mark in found]


def _objections(tree: Tree, header: str, path: str, offset: int) -> tuple[Diagnostic, ...]:
    """What is valid YAML and yet doubtful, each once."""
    found = _duplicates(tree.duplicates, path, offset)
    for code, marks in (("yaml-flow-style", tree.flow), ("yaml-anchor", tree.anchors)):
        if marks:
            found.append(problem(code, path, marks[0].line + offset, marks[0].column))
    if tree.tab is not None:
        found.append(problem("yaml-tab", path, tree.tab.line + offset, tree.tab.column))
    if tree.tags:
        tag, mark = tree.tags[0]
        found.append(problem("yaml-tag", path, mark.line + offset, mark.column, tag=tag))
    return tuple(found + _comments_that_cut(header, path, offset))


def _comments_that_cut(header: str, path: str, offset: int) -> list[Diagnostic]:
    """`description: Fix #12` is the text "Fix": true to YAML, and hardly ever what was meant."""
    found: list[Diagnostic] = []
    for number, line in enumerate(header.split("\n"), 1):
        value = line.removeprefix("description:").lstrip()
        cut = value.find(" #")
        if line.startswith("description: ") and cut > 0 and value[0] not in "\"'|>":
            found.append(problem("yaml-comment-cut", path, number + offset, line.index(" #") + 2, field="description"))
    return found


def _commented_out(
    fields: dict[str, Value], header: str, path: str, offset: int
) -> tuple[dict[str, Value], tuple[Diagnostic, ...]]:
    """`description: # Title` has no value to YAML, but its author saw one."""
    if fields.get("description") != "":
        return fields, ()
    for number, line in enumerate(header.split("\n"), 1):
        text = line.removeprefix("description:").strip()
        if line.startswith("description:") and text.startswith("#") and text.strip("# "):
            assumed = f"what stands behind the # was read as the text {text[:60]!r}"
            found = problem("yaml-repaired", path, number + offset, 1, field="description", assumed=assumed)
            return {**fields, "description": text}, (found,)
    return fields, ()
