"""Check reports for other programs: JSON, SARIF for code scanning, annotations for GitHub."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from metier.diagnostic import TABLE, Severity
from metier.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.authoring.check import Report
    from metier.diagnostic import Diagnostic

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def as_json(reports: Sequence[Report]) -> dict[str, object]:
    """The stable shape of `metier check --json`."""
    every = [one.severity for report in reports for one in report.diagnostics]
    return {
        "files": [
            {
                "path": report.path,
                "valid": report.is_valid,
                "diagnostics": [one.as_json() for one in report.diagnostics],
            }
            for report in reports
        ],
        "summary": {
            "files": len(reports),
            "valid": sum(report.is_valid for report in reports),
            "errors": every.count(Severity.ERROR),
            "warnings": every.count(Severity.WARNING),
        },
    }


def as_sarif(reports: Sequence[Report], base: str) -> dict[str, object]:
    """A SARIF 2.1.0 log with one run; files are given relative to `base` where they lie below it."""
    found = [one for report in reports for one in report.diagnostics]
    codes = sorted({one.code for one in found})
    hints = {one.code: one.hint or "" for one in found} | {code: kind.hint for code, kind in TABLE.items()}
    rules = [
        {
            "id": code,
            "shortDescription": {"text": code.replace("-", " ")},
            "help": {"text": hints[code]},
        }
        for code in codes
    ]
    driver = {"name": "metier", "version": __version__, "rules": rules}
    results = [_sarif_result(one, codes.index(one.code), base) for one in found]
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _sarif_result(one: Diagnostic, rule: int, base: str) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": {"uri": _uri(one.path, base)}}
    if one.line is not None:
        region = {"startLine": one.line}
        if one.column is not None:
            region["startColumn"] = one.column
        place["region"] = region
    text = f"{one.message} ({one.hint})" if one.hint else one.message
    return {
        "ruleId": one.code,
        "ruleIndex": rule,
        "level": _LEVELS[one.severity],
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }


def _uri(path: str, base: str) -> str:
    from urllib.parse import quote

    relative = os.path.relpath(path, base)
    chosen = path if relative.startswith(os.pardir) else relative
    return quote(os.fsencode(chosen.replace(os.sep, "/")))


def as_github(reports: Sequence[Report], base: str) -> list[str]:
    """Workflow commands that GitHub shows as annotations on the lines of a change."""
    return [_annotation(one, base) for report in reports for one in report.diagnostics]


def _annotation(one: Diagnostic, base: str) -> str:
    relative = os.path.relpath(one.path, base)
    places = [f"file={_property(one.path if relative.startswith(os.pardir) else relative)}"]
    if one.line is not None:
        places.append(f"line={one.line}")
        if one.column is not None:
            places.append(f"col={one.column}")
    places.append(f"title={_property(one.code)}")
    text = f"{one.message}; {one.hint}" if one.hint else one.message
    return f"::{_COMMANDS[one.severity]} {','.join(places)}::{_data(text)}"


def _data(text: str) -> str:
    """A message in which nothing can be taken for the end of the command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
