"""Rows as a new workbook: everything is checked first, then written beside the target, then put in its place."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import os
import re
import secrets
from typing import TYPE_CHECKING, TypeAlias, cast

from metier.builtin_skills.excel.messages import failure, told
from metier.builtin_skills.excel.ranges import MAX_COLUMNS, MAX_ROWS, Range, column_name

if TYPE_CHECKING:
    from openpyxl.cell.cell import Cell as WorkbookCell

    from metier.messages import Lang

Cell: TypeAlias = "str | int | float | bool | None"
Table: TypeAlias = "list[list[Cell]]"

MAX_TEXT = 2_000_000
"""Characters of the argument that holds the rows."""

MAX_CELL = 32_767
"""Characters of one cell."""

MAX_DIGITS = 15
"""Excel keeps no more of a number; longer ones, such as those of accounts, are written as text."""

_SHEET_NAME = re.compile(r"[^\[\]:*?/\\\x00-\x1f]{1,31}")
# XML cannot hold these, nor halves of characters.
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# 007 is a code and not a number; 1e5 may be one too.
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")


# ── what is asked for ────────────────────────────────────────────────────────────────────────────────────────────────


def checked_target(path: str, lang: Lang) -> str:
    """The path, if a workbook may be called so. An empty one is left for the workspace to refuse."""
    if path.strip() and not path.lower().endswith(".xlsx"):
        raise failure("target", lang, path=path)
    return path


def checked_sheet(name: str, lang: Lang) -> str:
    """The name, if a sheet may have it."""
    if not _SHEET_NAME.fullmatch(name) or name.startswith("'") or name.endswith("'") or _UNWRITABLE.search(name):
        raise failure("sheet-name", lang, sheet=name)
    return name


def checked_rows(text: str, lang: Lang) -> Table:
    """The rows that a text holds.

    Raises:
        ToolFailed: for a text that holds none, or cells that no workbook can hold.
    """
    if len(text) > MAX_TEXT:
        raise failure("rows-long", lang, limit=MAX_TEXT, length=len(text))
    table = _from_json(text, lang) if text.lstrip().startswith("[") else _from_csv(text, lang)
    if not any(cell is not None and str(cell).strip() for row in table for cell in row):
        raise failure("no-rows", lang)
    if len(table) > MAX_ROWS:
        raise failure("rows-many", lang, limit=MAX_ROWS, count=len(table))
    for number, row in enumerate(table, 1):
        if len(row) > MAX_COLUMNS:
            raise failure("columns-many", lang, limit=MAX_COLUMNS, row=number)
        for column, cell in enumerate(row, 1):
            _check_text(cell, f"{column_name(column)}{number}", lang)
    return table


def _check_text(cell: Cell, place: str, lang: Lang) -> None:
    if isinstance(cell, str):
        if len(cell) > MAX_CELL:
            raise failure("cell-long", lang, limit=MAX_CELL, cell=place)
        if _UNWRITABLE.search(cell):
            raise failure("cell-control", lang, cell=place)


def _from_csv(text: str, lang: Lang) -> Table:
    rows = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    try:
        return [[_typed(cell) for cell in row] for row in rows]
    except csv.Error:
        # Only a cell of more than 128 KiB makes the reader give up.
        raise failure("cell-long", lang, limit=MAX_CELL, cell=f"{rows.line_num}:{rows.line_num}") from None


def _typed(cell: str) -> Cell:
    """A cell of CSV: empty, a number that Excel keeps exactly, or text."""
    if not cell:
        return None
    if not _NUMBER.fullmatch(cell) or sum(one.isdigit() for one in cell) > MAX_DIGITS:
        return cell
    return float(cell) if "." in cell else int(cell)


def _from_json(text: str, lang: Lang) -> Table:
    try:
        rows: object = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "NaN"
        at = f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        raise failure("rows-json", lang, reason=reason + at) from None
    listed = cast("list[object]", rows)
    if listed and all(isinstance(row, dict) for row in listed):
        objects = cast("list[dict[str, object]]", listed)
        names = list(dict.fromkeys(name for row in objects for name in row))
        listed = [names, *([row.get(name) for name in names] for row in objects)]
    table: Table = []
    for number, row in enumerate(listed, 1):
        if not isinstance(row, list):
            raise failure("rows-shape", lang, row=number)
        table.append([_plain(cell, column, number, lang) for column, cell in enumerate(cast("list[object]", row), 1)])
    return table


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _plain(cell: object, column: int, row: int, lang: Lang) -> Cell:
    if cell is None or isinstance(cell, str | bool):
        return cell
    if isinstance(cell, int):
        return cell if abs(cell) < 10**MAX_DIGITS else str(cell)
    if isinstance(cell, float) and math.isfinite(cell):
        return cell
    raise failure("cell-type", lang, cell=f"{column_name(column)}{row}")


# ── the workbook ─────────────────────────────────────────────────────────────────────────────────────────────────────


def write(file: str, path: str, sheet: str, table: Table, *, lang: Lang, overwrite: bool, formulas: bool) -> str:
    """Write a workbook and say what is in it; `path` is what the model calls it.

    Raises:
        ToolFailed: when the system does not let it, or somebody else was faster.
    """
    draft = os.path.join(os.path.dirname(file), f".{os.path.basename(file)[:100]}.{secrets.token_hex(4)}.tmp")
    try:
        _save(draft, sheet, table, formulas=formulas)
        _put(draft, file, overwrite=overwrite)
    except FileExistsError:
        raise failure("exists", lang, path=path) from None
    except OSError as error:
        raise failure("unwritable", lang, path=path) from error
    finally:
        with contextlib.suppress(OSError):
            os.unlink(draft)
    columns = max(map(len, table))
    size = Range(1, 1, len(table), columns)
    return told("written", lang, path=path, sheet=sheet, rows=len(table), columns=columns, range=size)


def _put(draft: str, file: str, *, overwrite: bool) -> None:
    """Give the finished file its name in one step, so that nobody ever sees half of it."""
    if not overwrite:
        try:
            os.link(draft, file)  # fails where a file has come to be there meanwhile; renaming would replace it
        except FileExistsError:
            raise
        except OSError:  # not every file system has links
            pass
        else:
            return
    os.replace(draft, file)


def _save(draft: str, sheet: str, table: Table, *, formulas: bool) -> None:
    import openpyxl
    from openpyxl.cell import WriteOnlyCell

    book = openpyxl.Workbook(write_only=True)
    target = book.create_sheet(sheet)
    for row in table:
        cells: list[Cell | WorkbookCell] = []
        for value in row:
            is_plain = formulas or not isinstance(value, str) or not value.startswith("=")
            cells.append(value if is_plain else _as_text(WriteOnlyCell(target, value)))
        target.append(cells)
    with open(draft, "xb") as stream:
        book.save(stream)


def _as_text(cell: WorkbookCell) -> WorkbookCell:
    """A cell whose text starts with `=` and is not a formula."""
    cell.data_type = "s"
    # Without it, Excel would make a formula of the text as soon as somebody edits the cell.
    cell.quotePrefix = True
    return cell
