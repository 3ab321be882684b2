"""Sheets and cells as text, as much as one answer may hold."""

from __future__ import annotations

import csv
import datetime
import io
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from metier.builtin_skills.excel.messages import failure, told
from metier.builtin_skills.excel.ranges import MAX_COLUMNS, MAX_ROWS, Range, column_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from openpyxl.workbook.workbook import Workbook
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet

    from metier.messages import Lang

MAX_OUTPUT = 8_000
"""Characters of one answer."""

MAX_NOTE = 300
"""Room for the first line and for the notes that something was cut."""

Row: TypeAlias = "tuple[int, list[str]]"


# ── what is in a workbook ────────────────────────────────────────────────────────────────────────────────────────────


def overview(book: Workbook, path: str, lang: Lang) -> str:
    """A line for each sheet."""
    lines = [told("book", lang, path=path, sheets=_count_of_sheets(len(book.sheetnames), lang))]
    room = MAX_OUTPUT - MAX_NOTE - len(lines[0])
    tables = {sheet.title: sheet for sheet in _tables(book)}
    for number, name in enumerate(book.sheetnames):
        line = _line_of(name, tables.get(name), lang)
        room -= len(line) + 1
        if room < 0:
            lines.append(told("book-more", lang, count=len(book.sheetnames) - number))
            break
        lines.append(line)
    return "\n".join(lines)


def _count_of_sheets(count: int, lang: Lang) -> str:
    if lang == "en":
        return f"{count} sheet" + ("" if count == 1 else "s")
    return f"{count} 个工作表" if lang == "zh-Hans" else f"{count} 個工作表"


def _line_of(name: str, sheet: ReadOnlyWorksheet | None, lang: Lang) -> str:
    if sheet is None:
        return told("sheet-chart", lang, sheet=name)
    rows, columns = _size(sheet)
    if not rows:
        line = told("sheet-empty", lang, sheet=name)
    else:
        line = told("sheet", lang, sheet=name, rows=rows, columns=columns, range=Range(1, 1, rows, columns))
    return line + (told("hidden", lang) if sheet.sheet_state != "visible" else "")


def _size(sheet: ReadOnlyWorksheet) -> tuple[int, int]:
    """The last row and the last column, as the sheet declares them, or counted where it says nothing of use."""
    rows, columns = sheet.max_row or 0, sheet.max_column or 0
    if rows > 1 or columns > 1:
        return rows, columns
    # Many programs declare A1, whatever the sheet holds.
    return _counted(sheet)


def _tables(book: Workbook) -> list[ReadOnlyWorksheet]:
    """The sheets that have cells; others are charts."""
    return cast("list[ReadOnlyWorksheet]", book.worksheets)


# ── cells ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def cells(book: Workbook, sheet: str, wanted: Range, *, lang: Lang, header: bool) -> str:
    """The cells of a range as lines of CSV, below a line that says which ones they are.

    Raises:
        ToolFailed: for a sheet that is not there, or a range outside of it.
    """
    found = _sheet(book, sheet, lang)
    title: list[str] = []
    if header and wanted.top > 1:
        title = dict(_rows(found, Range(1, wanted.left, 1, wanted.right))).get(1, title)
    page = _page(_rows(found, wanted), MAX_OUTPUT - MAX_NOTE - len(_line(title, len(title))))
    if not page.rows:
        return _nothing(found, wanted, lang)
    width = max(len(title), *(len(row) for row in page.rows.values()))
    shown = Range(min(page.rows), wanted.left, max(page.rows), wanted.left + width - 1)
    lines = [f"{found.title}!{shown}", *([_line(title, width)] if title else [])]
    # A row without anything in it is an empty line, so that the numbers of all others can be told.
    lines += [_line(page.rows.get(number, []), width) for number in range(shown.top, shown.bottom + 1)]
    return "\n".join([*lines, *_notes(page, wanted, lang)])


def _sheet(book: Workbook, name: str, lang: Lang) -> ReadOnlyWorksheet:
    tables = _tables(book)
    if not tables:
        raise failure("no-cells", lang)
    if not name:
        return tables[0]
    for sheet in tables:
        if sheet.title == name:
            return sheet
    raise failure("no-sheet", lang, sheet=name, sheets=", ".join(sheet.title for sheet in tables)[:1_000])


def _nothing(sheet: ReadOnlyWorksheet, wanted: Range, lang: Lang) -> str:
    """What is said about a range in which no cell is filled, unless it lies outside of the sheet."""
    rows, columns = _counted(sheet)
    most = ""
    if rows and wanted.top > rows:
        most = told("most-rows", lang, count=rows)
    elif rows and wanted.left > columns:
        most = told("most-columns", lang, count=column_name(columns))
    if most:
        raise failure("range-outside", lang, most=most)
    return told("empty", lang, sheet=sheet.title)


class _Page(NamedTuple):
    """The rows that fit into one answer, and where the others are."""

    rows: dict[int, list[str]]
    bottom: int
    """The last row with anything in it."""
    width: int
    """The columns up to the last one with anything in it."""
    next_row: int = 0
    """The first row that did not fit; 0 where all did."""
    is_narrow: bool = False
    """The one row that is shown has more columns than fit."""
    is_cut: bool = False
    """The text of its last cell was cut."""


def _page(rows: Iterator[Row], room: int) -> _Page:
    """As many rows as there is room for. All rows are looked at, to know how far they reach."""
    kept: dict[int, list[str]] = {}
    used = width = filled = bottom = reach = next_row = 0
    is_narrow = is_cut = False
    for number, row in rows:
        reach, gap, bottom = max(reach, len(row)), number - bottom - 1 if kept else 0, number
        if next_row:
            continue
        if not kept and len(_line(row, 0)) > room:
            kept[number], is_cut = _fitting(row, room)
            is_narrow = len(kept[number]) < len(row)
            used = room
            continue
        # Short rows are filled up with commas, to the width of the longest.
        wide = max(width, len(row))
        more = used + len(_line(row, 0)) + 1 + gap
        if kept and (used == room or more + wide * (len(kept) + 1) - filled - len(row) > room):
            next_row = number
            continue
        kept[number] = row
        used, width, filled = more, wide, filled + len(row)
    return _Page(kept, bottom, reach, next_row, is_narrow, is_cut)


def _fitting(row: list[str], room: int) -> tuple[list[str], bool]:
    """The first cells of a row that is too long, and whether the text of the last one had to be cut."""
    some: list[str] = []
    used = 0
    for cell in row:
        used += len(_line([cell], 0)) + 1
        if used > room:
            break
        some.append(cell)
    # Half of the room, because every quotation mark may be written twice.
    return (some, False) if some else ([row[0][: room // 2] + "…"], True)


def _notes(page: _Page, wanted: Range, lang: Lang) -> Iterator[str]:
    """How to read on."""
    right = wanted.left + page.width - 1
    if page.is_cut:
        first = next(iter(page.rows))
        yield told("cut-cell", lang, cell=f"{column_name(wanted.left)}{first}")
    if page.is_narrow:
        row, some = next(iter(page.rows.items()))
        yield told("cut-columns", lang, row=row, range=Range(row, wanted.left + len(some), row, right))
    if page.next_row:
        yield told("cut-rows", lang, range=Range(page.next_row, wanted.left, page.bottom, right))


def _counted(sheet: ReadOnlyWorksheet) -> tuple[int, int]:
    """The last row and the last column with anything in them."""
    rows = columns = 0
    for number, row in _rows(sheet, Range()):
        rows, columns = number, max(columns, len(row))
    return rows, columns


def _rows(sheet: ReadOnlyWorksheet, wanted: Range) -> Iterator[Row]:
    """The rows of a range that hold anything, with their numbers, without empty cells at the end."""
    # What a sheet declares about its size is often wrong, and openpyxl would leave out what lies behind it.
    sheet.reset_dimensions()
    rows = sheet.iter_rows(
        min_row=wanted.top,
        max_row=None if wanted.bottom == MAX_ROWS else wanted.bottom,
        min_col=wanted.left,
        max_col=None if wanted.right == MAX_COLUMNS else wanted.right,
        values_only=True,
    )
    for number, values in enumerate(rows, wanted.top):
        # A hostile sheet can declare a row so far down that nobody would live to see it.
        if number > MAX_ROWS:
            return
        row = [_text(value) for value in values]
        while row and not row[-1]:
            row.pop()
        if row:
            yield number, row


def _line(row: Sequence[str], width: int) -> str:
    """A row as a line of CSV, filled up to a width."""
    if not row:
        return ""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([*row, *[""] * (width - len(row))])
    return out.getvalue().removesuffix("\n")


def _text(value: object) -> str:
    """What a cell holds, as a person would write it down."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return f"{value:.15g}"  # Excel has no more digits than that
    if isinstance(value, datetime.datetime):
        is_day = value.time() == datetime.time()
        return value.date().isoformat() if is_day else value.isoformat(" ", "seconds")
    if isinstance(value, datetime.timedelta):
        seconds = round(value.total_seconds())
        sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
        return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value).replace("\r\n", "\n").replace("\r", "\n")
