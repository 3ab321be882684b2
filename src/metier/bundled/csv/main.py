"""Summarizes the columns of a CSV file: one JSON line in, one JSON line out."""

import csv
import json
import os
import sys

MAX_BYTES = 50 * 1024 * 1024
MAX_COLUMNS = 100
SHOWN_VALUES = 3


class Refused(Exception):
    """What the caller is told: problem, value, next step."""


def inside_workspace(path: str) -> str:
    """The real path of a file in the workspace."""
    workspace = os.path.realpath(os.environ.get("METIER_WORKSPACE", os.getcwd()))
    real = os.path.realpath(os.path.join(workspace, path))
    if os.path.commonpath((workspace, real)) != workspace:
        raise Refused(f"the path leads out of the workspace: {path} — use one inside it")
    if not os.path.isfile(real):
        raise Refused(f"there is no such file: {path} — check its name and folder")
    if os.path.getsize(real) > MAX_BYTES:
        raise Refused(f"the file is larger than 50 MB: {path} — split it, or take a part of it")
    return real


class Column:
    """What is known of one column."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.filled = self.missing = self.numbers = 0
        self.least: float | None = None
        self.most: float | None = None
        self.total = 0.0
        self.values: dict[str, int] = {}

    def add(self, cell: str) -> None:
        """Take one more cell into account."""
        cell = cell.strip()
        if not cell:
            self.missing += 1
            return
        self.filled += 1
        if len(self.values) <= 1_000:
            self.values[cell] = self.values.get(cell, 0) + 1
        try:
            number = float(cell.replace(",", "") if cell.count(",") and "." in cell else cell)
        except ValueError:
            return
        self.numbers += 1
        self.total += number
        self.least = number if self.least is None else min(self.least, number)
        self.most = number if self.most is None else max(self.most, number)

    def line(self) -> str:
        """The column in one line."""
        gaps = f", {self.missing} empty" if self.missing else ""
        if self.filled and self.numbers == self.filled:
            mean = self.total / self.numbers
            return f"- {self.name}: numbers, {self.least:g} to {self.most:g}, mean {mean:g}{gaps}"
        kinds = f"{len(self.values)}" if len(self.values) <= 1_000 else "more than 1,000"
        common = sorted(self.values, key=lambda value: (-self.values[value], value))[:SHOWN_VALUES]
        shown = ", ".join(f"{value[:40]!r} ({self.values[value]})" for value in common)
        return f"- {self.name}: text, {kinds} different{': ' + shown if shown else ''}{gaps}"


def summarize(path: str, delimiter: str) -> str:
    """The summary of a file."""
    with open(inside_workspace(path), encoding="utf-8-sig", errors="replace", newline="") as file:
        if not delimiter:
            heading = file.readline(65_536)
            file.seek(0)
            delimiter = max(",;\t|", key=heading.count)
        rows = csv.reader(file, delimiter=delimiter)
        names = next(rows, None)
        if not names:
            return "The file is empty."
        columns = [Column(name.strip() or f"column {number}") for number, name in enumerate(names, 1)][:MAX_COLUMNS]
        count = uneven = 0
        for row in rows:
            count += 1
            uneven += len(row) != len(names)
            for number, column in enumerate(columns):
                column.add(row[number] if number < len(row) else "")
    lines = [f"{count:,} rows, {len(names)} columns, separated by {delimiter!r}"]
    if uneven:
        lines.append(f"{uneven:,} rows have another number of cells than the heading")
    lines += [column.line() for column in columns]
    if len(names) > MAX_COLUMNS:
        lines.append(f"… {len(names) - MAX_COLUMNS} more columns")
    return "\n".join(lines)


def run(arguments: dict[str, object]) -> str:
    """Answer one request."""
    delimiter = str(arguments.get("delimiter") or "")
    if len(delimiter) > 1:
        raise Refused(f"the delimiter is longer than one character: {delimiter} — give one character")
    return summarize(str(arguments.get("path") or ""), delimiter)


def arguments_of(line: str) -> dict[str, object]:
    """The arguments of a request."""
    try:
        request: dict[str, dict[str, object]] = json.loads(line or "{}")
        return dict(request.get("arguments") or {})
    except (ValueError, AttributeError, TypeError):
        raise Refused("the request is not a JSON object with arguments — send one") from None


def main() -> None:
    """Read one request, print one answer, whatever happens."""
    try:
        answer = {"output": run(arguments_of(sys.stdin.readline())), "error": ""}
    except Refused as refused:
        answer = {"output": "", "error": str(refused)}
    except (OSError, csv.Error, ValueError):
        answer = {"output": "", "error": "the file cannot be read — check that it is a CSV file"}
    sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
