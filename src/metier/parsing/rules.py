"""The open standard's rules on the fields of a header, as `metier check` applies them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.diagnostic import Diagnostic, problem
from metier.parsing.document import kind_of
from metier.parsing.names import canonical, name_problems
from metier.value import as_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from metier.value import Value

STANDARD_FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
MAX_DESCRIPTION = 1024
MAX_COMPATIBILITY = 500


def standard_problems(
    fields: Mapping[str, Value], folder: str, path: str, lines: Mapping[str, int] | None = None
) -> Iterator[Diagnostic]:
    """Everything that the standard has against these fields; `lines` tells where each field stands."""
    at = lines or {}
    for field in fields:
        if field not in STANDARD_FIELDS:
            yield problem("field-unknown", path, at.get(field), field=field)
    yield from _name(fields, folder, path, at.get("name"))
    yield from _description(fields, path, at.get("description"))
    yield from _compatibility(fields, path, at.get("compatibility"))
    yield from _metadata(fields, path, at.get("metadata"))
    if isinstance(fields.get("allowed-tools"), list):
        yield problem("allowed-tools-list", path, at.get("allowed-tools"))


def _name(fields: Mapping[str, Value], folder: str, path: str, line: int | None) -> Iterator[Diagnostic]:
    written = fields.get("name")
    if written is None:
        yield problem("name-missing", path, 1, folder=folder, assumed="")
        return
    if not isinstance(written, str):
        yield problem("name-not-text", path, line, what=kind_of(written))
        return
    name = canonical(written)
    if not name:
        yield problem("name-empty", path, line, folder=folder, assumed="")
        return
    yield from name_problems(name, path, line)
    if folder and canonical(folder) != name:
        yield problem("name-folder-mismatch", path, line, name=name, folder=folder)


def _description(fields: Mapping[str, Value], path: str, line: int | None) -> Iterator[Diagnostic]:
    written = fields.get("description")
    if written is None:
        yield problem("description-missing", path, 1)
    elif not isinstance(written, str):
        yield problem("description-not-text", path, line, what=kind_of(written))
    elif not written.strip():
        yield problem("description-empty", path, line)
    elif len(written) > MAX_DESCRIPTION:
        yield problem("description-too-long", path, line, length=len(written), limit=MAX_DESCRIPTION)


def _compatibility(fields: Mapping[str, Value], path: str, line: int | None) -> Iterator[Diagnostic]:
    written = fields.get("compatibility")
    if written is None:
        return
    if not isinstance(written, str):
        yield problem("compatibility-not-text", path, line, what=kind_of(written))
    elif not written.strip():
        yield problem("compatibility-empty", path, line)
    elif len(written) > MAX_COMPATIBILITY:
        yield problem("compatibility-too-long", path, line, length=len(written), limit=MAX_COMPATIBILITY)


def _metadata(fields: Mapping[str, Value], path: str, line: int | None) -> Iterator[Diagnostic]:
    written = fields.get("metadata")
    if written is None or written == "":
        return
    if not isinstance(written, dict):
        yield problem("metadata-not-mapping", path, line, what=kind_of(written))
        return
    for key, value in written.items():
        if not isinstance(value, str):
            yield problem("metadata-not-text", path, line, key=as_text(key), what=kind_of(value))
