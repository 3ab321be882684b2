"""The skill that comes with metier as an example: Excel workbooks, on real files."""

from __future__ import annotations

import datetime
import json
import os
import re
import string
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.chart import BarChart
from openpyxl.worksheet.worksheet import Worksheet

from metier import Catalog, Policy, Result, ToolFailed, Tools, Workspace
from metier.builtin_skills.excel import excel, excel_info, excel_read, excel_write
from metier.builtin_skills.excel.messages import TEXTS
from metier.builtin_skills.excel.ranges import Range, column_name, column_number, parsed
from tests.conftest import write

MB = 1024 * 1024
TOOLS = (excel_info, excel_read, excel_write)


def make(path: Path, rows: list[list[Any]], title: str = "Sheet1") -> Path:
    """A workbook as Excel would have it, with one sheet."""
    book = openpyxl.Workbook()
    sheet = first(book)
    sheet.title = title
    for row in rows:
        sheet.append(row)
    path.parent.mkdir(parents=True, exist_ok=True)
    book.save(path)
    return path


def first(book: openpyxl.Workbook) -> Worksheet:
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    return sheet


def values(path: Path) -> list[list[Any]]:
    book = openpyxl.load_workbook(path)
    return [[cell.value for cell in row] for row in first(book).iter_rows()]


def refusal(tool: Callable[..., str], *arguments: Any, **named: Any) -> str:
    with pytest.raises(ToolFailed) as caught:
        tool(*arguments, **named)
    text = str(caught.value)
    assert " — " in text
    return text


def call(project: Path, tool: str, profile: str = "default", **arguments: Any) -> Result:
    """What an agent gets."""
    catalog = Catalog.open(project, policy=Policy.profile(profile), cache=False, packages=True)
    return Tools(catalog).call_blocking(tool, arguments)


# ── the checklist ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_end_to_end_rows_are_written_looked_at_and_read_with_a_real_file(project: Path) -> None:
    rows = '[["Region", "Amount", "Sold"], ["North", 1200.5, true], ["南", -3, null]]'
    written = call(project, "excel_write", path="sales.xlsx", rows=rows, sheet="Sales 2024")
    assert written.content == "wrote sales.xlsx: sheet Sales 2024, A1:C3 (rows: 3, columns: 3)"
    assert values(project / "sales.xlsx") == [["Region", "Amount", "Sold"], ["North", 1200.5, True], ["南", -3, None]]
    info = call(project, "excel_info", path="sales.xlsx")
    assert info.content == "sales.xlsx: 1 sheet\n- Sales 2024: A1:C3 (rows: 3, columns: 3)"
    read = call(project, "excel_read", path="sales.xlsx", sheet="Sales 2024")
    assert read.content == "Sales 2024!A1:C3\nRegion,Amount,Sold\nNorth,1200.5,TRUE\n南,-3,"
    assert read.data["tier"] == "in process"
    chinese = call(project, "excel_info", "omega", path="sales.xlsx")
    assert chinese.content == "sales.xlsx: 1 个工作表\n- Sales 2024: A1:C3（3 行，3 列）"


def test_empty_argument(project: Path) -> None:
    workspace = Workspace(str(project))
    for tool in (excel_info, excel_read):
        assert refusal(tool, "", workspace=workspace) == "a path is required — give the path of a file"
        assert refusal(tool, "  ", workspace=workspace) == "a path is required — give the path of a file"
    assert refusal(excel_write, "", "a,b", workspace=workspace) == "a path is required — give the path of a file"
    told = "there are no rows to write — give a JSON list of lists, or CSV text"
    for rows in ("", " ", "[]", "[[]]", "[[null]]", ",,\n,"):
        assert refusal(excel_write, "a.xlsx", rows, workspace=workspace) == told
    for tool in ("excel_info", "excel_read", "excel_write"):
        assert call(project, tool).code == "INVALID_PARAM"


@pytest.mark.proves("S4-063")
def test_path_escape(project: Path) -> None:
    outside = make(project.parent / "outside/a.xlsx", [["secret"]])
    make(project.parent / "project-evil/a.xlsx", [["secret"]])
    (project / "link.xlsx").symlink_to(outside)
    (project / "linked").symlink_to(outside.parent)
    workspace = Workspace(str(project))
    for path in ("../outside/a.xlsx", str(outside), "link.xlsx", "linked/a.xlsx", "../project-evil/a.xlsx"):
        for told in (
            refusal(excel_info, path, workspace=workspace),
            refusal(excel_read, path, workspace=workspace),
            refusal(excel_write, path, "a,b", overwrite=True, workspace=workspace),
        ):
            assert told.startswith("the path leads out of the folder it must stay in: ")
            assert "secret" not in told
    told = refusal(excel_write, "linked/new.xlsx", "a,b", workspace=workspace)
    assert told.startswith("the path leads out")
    assert os.listdir(outside.parent) == ["a.xlsx"]


def test_missing_file(project: Path) -> None:
    for tool in ("excel_info", "excel_read"):
        result = call(project, tool, path="nope.xlsx")
        told = "there is no such file: nope.xlsx — check the path, which is relative to the workspace"
        assert (result.code, result.summary()) == ("EXECUTION_ERROR", told)
        assert "log" not in result.data


@pytest.mark.proves("S4-064")
def test_over_the_limit(project: Path) -> None:
    os.truncate(make(project / "big.xlsx", [["x"]]), 20 * MB + 1)
    for tool in ("excel_info", "excel_read"):
        told = call(project, tool, "omega", path="big.xlsx").summary("zh-Hans")
        assert told == "文件过大 (20.1MB)，超过 20MB 上限 — 请拆分后分批处理"


def test_descriptions_follow_the_rules_for_tools() -> None:
    for tool in excel.tools:
        assert 20 <= len(tool.description) <= 80, tool.name
        assert tool.description.split()[0] in ("List", "Read", "Write")
        assert re.search(r"\d", tool.description)
        assert len(tool.when_to_use) >= 2
        assert len(tool.when_not_to_use) >= 2
        for parameter in tool.parameters:
            example = "true → " if parameter.type == "boolean" else "Example: "
            assert example in parameter.description, parameter.name
            limits = ("default", "at most", "up to", "that exists")
            assert any(word in parameter.description for word in limits), parameter.name


def test_every_language_says_everything_with_the_same_values() -> None:
    def fields(parts: tuple[str, str, str]) -> set[str | None]:
        return {name for part in parts for _, name, _, _ in string.Formatter().parse(part) if name}

    english = TEXTS["en"]
    for texts in TEXTS.values():
        assert list(texts) == list(english)
        for key, parts in texts.items():
            assert fields(parts) == fields(english[key]), key
            # What is an error says what to do next, in every language.
            assert bool(parts[2]) == bool(english[key][2]), key


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_cells_of_every_kind_are_shown_as_a_person_would_write_them(project: Path) -> None:
    row: list[Any] = [
        "text, with a comma",
        'a "quote"',
        "two\nlines",
        3.0,
        0.1 + 0.2,
        -17,
        True,
        None,
        datetime.datetime(2024, 3, 1),  # noqa: DTZ001 - Excel knows no time zones
        datetime.datetime(2024, 3, 1, 13, 45, 9),  # noqa: DTZ001 - as above
        datetime.date(2024, 3, 2),
        datetime.time(7, 5),
        datetime.timedelta(hours=26, minutes=3),
        "#DIV/0!",
        "end",
    ]
    make(project / "a.xlsx", [row])
    told = excel_read("a.xlsx", workspace=Workspace(str(project)))
    assert told == (
        "Sheet1!A1:O1\n"
        '"text, with a comma","a ""quote""","two\nlines",3,0.3,-17,TRUE,,'
        "2024-03-01,2024-03-01 13:45:09,2024-03-02,07:05:00,26:03:00,#DIV/0!,end"
    )


def test_formulas_show_their_values_or_themselves_and_merged_cells_their_text_once(project: Path) -> None:
    book = openpyxl.Workbook()
    sheet = first(book)
    sheet.append(["Title", None, None])
    sheet.merge_cells("A1:C1")
    sheet.append([1, 2, "=A2+B2"])
    book.save(project / "a.xlsx")
    workspace = Workspace(str(project))
    assert excel_read("a.xlsx", formulas=True, workspace=workspace) == "Sheet!A1:C2\nTitle,,\n1,2,=A2+B2"
    # Nobody has calculated it yet.
    assert excel_read("a.xlsx", workspace=workspace) == "Sheet!A1:B2\nTitle,\n1,2"
    rewrite(project / "a.xlsx", b"<f>A2+B2</f><v />", b"<f>A2+B2</f><v>3</v>")
    assert excel_read("a.xlsx", range="C2", workspace=workspace) == "Sheet!C2:C2\n3"


def test_a_range_picks_cells_and_may_end_behind_the_last_one(project: Path) -> None:
    make(project / "a.xlsx", [[f"{column}{row}" for column in "ABCD"] for row in range(1, 6)])
    workspace = Workspace(str(project))

    def read(cells: str, **more: Any) -> list[str]:
        return excel_read("a.xlsx", range=cells, workspace=workspace, **more).split("\n")

    assert read("B2:C3") == ["Sheet1!B2:C3", "B2,C2", "B3,C3"]
    assert read("c3:b2") == ["Sheet1!B2:C3", "B2,C2", "B3,C3"]
    assert read("$D$5") == ["Sheet1!D5:D5", "D5"]
    assert read("C:D")[:2] == ["Sheet1!C1:D5", "C1,D1"]
    assert read("5:9") == ["Sheet1!A5:D5", "A5,B5,C5,D5"]
    assert read("D4:Z99") == ["Sheet1!D4:D5", "D4", "D5"]
    assert read("B4:B5", header=True) == ["Sheet1!B4:B5", "B1", "B4", "B5"]
    assert read("B1:B2", header=True) == ["Sheet1!B1:B2", "B1", "B2"]


def test_a_range_outside_of_the_sheet_is_refused_in_the_words_of_the_origin(project: Path) -> None:
    make(project / "a.xlsx", [["x"]] * 100)
    chinese = Workspace(str(project), "zh-Hans")
    told = "单元格区域超出工作表范围 (最大行: 100) — 请用 excel_info 查询实际尺寸"
    assert refusal(excel_read, "a.xlsx", range="A101:A102", workspace=chinese) == told
    english = Workspace(str(project))
    told = "the range lies outside of the sheet (last column: A) — excel_info tells the real size"
    assert refusal(excel_read, "a.xlsx", range="B1:C3", workspace=english) == told


@pytest.mark.parametrize(
    "text", ["A", "1", "A1:", "A1:B", "1:B", "A0", "A1:B1048577", "XFE1", "Sheet2!A1", "A1;B2", ":"]
)
def test_what_is_no_range_is_refused(project: Path, text: str) -> None:
    told = refusal(excel_read, "never-looked-for.xlsx", range=text, workspace=Workspace(str(project)))
    assert told == f"this is not a range of cells: {text} — write it as A1:D20, B7, A:D or 5:20"


def test_columns_have_letters() -> None:
    for number in (1, 26, 27, 702, 703, 16_384):
        assert column_number(column_name(number)) == number
    assert [column_name(number) for number in (1, 26, 27, 703)] == ["A", "Z", "AA", "AAA"]
    assert parsed("", "en") == Range()
    assert str(parsed("b7", "en")) == "B7:B7"


def test_sheets_are_chosen_by_name_and_all_of_them_are_told(project: Path) -> None:
    book = openpyxl.Workbook()
    first(book).title = "一月"
    hidden = book.create_sheet("Hidden")
    hidden.append(["a"])
    hidden.append(["b"])
    hidden.sheet_state = "hidden"
    chart: Any = book.create_chartsheet("Chart")
    chart.add_chart(BarChart())
    book.save(project / "a.xlsx")
    workspace = Workspace(str(project))
    assert excel_info("a.xlsx", workspace=workspace).split("\n") == [
        "a.xlsx: 3 sheets",
        "- 一月: empty",
        "- Hidden: A1:A2 (rows: 2, columns: 1), hidden",
        "- Chart: a chart, no cells",
    ]
    assert excel_read("a.xlsx", workspace=workspace) == "一月: no cells are filled here"
    assert excel_read("a.xlsx", "Hidden", workspace=workspace) == "Hidden!A1:A2\na\nb"
    told = "Sheet 不存在: 销售数据 — 可用 sheet 列表: [一月, Hidden]"
    assert refusal(excel_read, "a.xlsx", "销售数据", workspace=Workspace(str(project), "zh-Hans")) == told
    assert "there is no such sheet: Chart" in refusal(excel_read, "a.xlsx", "Chart", workspace=workspace)


def test_a_workbook_of_many_sheets_is_told_in_part(project: Path) -> None:
    book = openpyxl.Workbook(write_only=True)
    for number in range(400):
        book.create_sheet(f"A sheet of its own, number {number:03}").append([number])
    book.save(project / "a.xlsx")
    lines = excel_info("a.xlsx", workspace=Workspace(str(project))).split("\n")
    assert sum(map(len, lines)) < 8_000
    assert lines[-1] == f"… and {400 - len(lines) + 2} more"


def all_of(workspace: Workspace, path: str) -> list[str]:
    """Follows the notes of a tool until there is nothing left to read."""
    lines: list[str] = []
    wanted = ""
    while True:
        answer = excel_read(path, range=wanted, workspace=workspace)
        assert len(answer) <= 8_000
        _, *body = answer.split("\n")
        match = re.fullmatch(r"\[more rows follow: read on with range (\S+)\]", body[-1])
        if match is None:
            return lines + body
        lines += body[:-1]
        wanted = match[1]


def test_a_long_sheet_is_read_to_its_end_in_parts_of_8000_characters(project: Path) -> None:
    rows: list[list[Any]] = [[number, "x" * (number % 50), None if number % 3 else "end"] for number in range(1, 2_001)]
    make(project / "a.xlsx", rows)
    lines = all_of(Workspace(str(project)), "a.xlsx")
    assert lines == [f"{number},{text},{end or ''}" for number, text, end in rows]
    first_part = excel_read("a.xlsx", workspace=Workspace(str(project)))
    assert first_part.endswith(":C2000]")


def test_empty_rows_keep_the_numbers_of_the_others(project: Path) -> None:
    book = openpyxl.Workbook()
    sheet = first(book)
    sheet["B3"] = "first"
    sheet["B5"] = "second"
    sheet["B20000"] = "far"
    book.save(project / "a.xlsx")
    workspace = Workspace(str(project))
    answer = excel_read("a.xlsx", workspace=workspace)
    assert answer == "Sheet!A3:B5\n,first\n\n,second\n[more rows follow: read on with range A20000:B20000]"
    assert excel_read("a.xlsx", range="A20000:B20000", workspace=workspace) == "Sheet!A20000:B20000\n,far"
    assert excel_read("a.xlsx", range="A6:B9", workspace=workspace) == "Sheet: no cells are filled here"


def test_a_row_or_a_cell_that_is_too_long_is_cut_and_says_so(project: Path) -> None:
    make(project / "wide.xlsx", [["y" * 100] * 300, ["below"]])
    workspace = Workspace(str(project))
    answer = excel_read("wide.xlsx", workspace=workspace)
    assert len(answer) <= 8_000
    assert answer.split("\n")[-2:] == [
        "[row 1 has more columns: read on with range BY1:KN1]",
        "[more rows follow: read on with range A2:KN2]",
    ]
    assert excel_read("wide.xlsx", range="KM1:KN1", workspace=workspace).endswith("\n" + "y" * 100 + "," + "y" * 100)
    make(project / "long.xlsx", [['"' * 30_000, "next"]])
    answer = excel_read("long.xlsx", workspace=workspace)
    assert len(answer) <= 8_000
    assert answer.split("\n")[-2:] == [
        "[the text of A1 is too long for one answer and was cut]",
        "[row 1 has more columns: read on with range B1:B1]",
    ]


def test_a_wrong_size_in_the_file_hides_nothing_and_a_hostile_row_costs_nothing(project: Path) -> None:
    make(project / "a.xlsx", [[row, row] for row in range(1, 4)])
    rewrite(project / "a.xlsx", b'ref="A1:B3"', b'ref="A1"')
    workspace = Workspace(str(project))
    assert excel_read("a.xlsx", workspace=workspace) == "Sheet1!A1:B3\n1,1\n2,2\n3,3"
    assert "A1:B3 (rows: 3, columns: 2)" in excel_info("a.xlsx", workspace=workspace)
    rewrite(project / "a.xlsx", b'<row r="3"', b'<row r="99999999999999"')
    assert excel_read("a.xlsx", workspace=workspace) == "Sheet1!A1:B2\n1,1\n2,2"


def rewrite(path: Path, old: bytes, new: bytes) -> None:
    """Change a part of a workbook."""
    with zipfile.ZipFile(path) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    assert any(old in data for data in parts.values())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in parts.items():
            target.writestr(name, data.replace(old, new))


# ── files that are no workbooks ──────────────────────────────────────────────────────────────────────────────────────


def test_what_is_no_workbook_is_told_apart(project: Path) -> None:
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    write(project / "table.csv", "a,b")
    write(project / "book.xls", old)
    write(project / "renamed.xlsx", old)
    write(project / "locked.xlsx", old + "EncryptedPackage".encode("utf-16-le"))
    write(project / "text.xlsx", "hello")
    write(project / "empty.xlsx", "")
    write(project / "half.xlsx", make(project / "whole.xlsx", [["x"]]).read_bytes()[:2_000])
    with zipfile.ZipFile(project / "other.xlsx", "w") as archive:
        archive.writestr("word/document.xml", "<a/>")
    (project / "folder.xlsx").mkdir()
    workspace = Workspace(str(project))
    told = {
        path.name: refusal(excel_read, path.name, workspace=workspace)
        for path in project.iterdir()
        if path.name != "whole.xlsx"
    }
    assert told == {
        "table.csv": "this is not an Excel workbook: table.csv — use an .xlsx file",
        "book.xls": "this is a workbook of the old .xls format: book.xls — ask the user to save it as .xlsx",
        "renamed.xlsx": "this is a workbook of the old .xls format: renamed.xlsx — ask the user to save it as .xlsx",
        "locked.xlsx": "the workbook is protected by a password: locked.xlsx — ask the user for a copy without one",
        "text.xlsx": "this is not an Excel workbook: text.xlsx — use an .xlsx file",
        "empty.xlsx": "this is not an Excel workbook: empty.xlsx — use an .xlsx file",
        "half.xlsx": damaged("half.xlsx"),
        "other.xlsx": damaged("other.xlsx"),
        "folder.xlsx": "this is a folder: folder.xlsx — name a file in it",
    }


def test_a_file_that_the_system_withholds_and_a_workbook_of_charts_alone_are_told(project: Path) -> None:
    from metier.builtin_skills.excel.book import opened

    workspace = Workspace(str(project))
    # Gone between the check and the opening; to the system that is the same as a file it does not let us read.
    with pytest.raises(ToolFailed) as caught, opened(str(project / "gone.xlsx"), "gone.xlsx", workspace):
        pass
    assert str(caught.value) == "the system does not allow reading the file: gone.xlsx — tell the user"
    book = openpyxl.Workbook()
    book.remove(first(book))
    chart: Any = book.create_chartsheet("Chart")
    chart.add_chart(BarChart())
    book.save(project / "chart.xlsx")
    told = "the workbook has no sheet with cells — use another file"
    assert refusal(excel_read, "chart.xlsx", workspace=workspace) == told


def damaged(name: str) -> str:
    return f"the workbook is damaged: {name} — ask the user to open and save it in Excel, then try again"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"<sheetData>", b"<sheetData"),
        (b'<c r="A1"', b'<c r="1A"'),
        (b"<v>1</v>", b"<v>one</v>"),
        (b't="n"', b't="s"'),
        (b'r:id="rId1"', b'r:id="rId77"'),
        (b"<worksheet", b"<!DOCTYPE x [<!ENTITY a 'b'>]><worksheet"),
    ],
)
def test_damaged_parts_never_show_the_errors_of_the_library(project: Path, old: bytes, new: bytes) -> None:
    make(project / "a.xlsx", [["text", 1]])
    rewrite(project / "a.xlsx", old, new)
    for tool in ("excel_info", "excel_read"):
        result = call(project, tool, path="a.xlsx")
        if not result.ok:
            assert result.summary() in (damaged("a.xlsx"), "the workbook has no sheet with cells — use another file")
        assert "log" not in result.data


def test_a_bomb_is_refused_before_it_is_unpacked(project: Path) -> None:
    make(project / "a.xlsx", [["x"]])
    with (
        zipfile.ZipFile(project / "a.xlsx", "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open("xl/x.xml", "w") as part,
    ):
        for _ in range(201):
            part.write(bytes(MB))
    assert (project / "a.xlsx").stat().st_size < MB
    told = refusal(excel_info, "a.xlsx", workspace=Workspace(str(project)))
    assert told == "the workbook unpacks to more than 200MB: a.xlsx — split it first"


def test_a_bomb_that_lies_about_its_size_gives_no_more_than_it_says(project: Path) -> None:
    make(project / "a.xlsx", [["x" * 1_000, row] for row in range(2_000)])
    data = bytearray((project / "a.xlsx").read_bytes())
    at = data.rindex(b"xl/worksheets/sheet1.xml") - 46
    assert data[at : at + 4] == b"PK\x01\x02"
    struct.pack_into("<I", data, at + 24, 500)
    write(project / "a.xlsx", bytes(data))
    assert refusal(excel_read, "a.xlsx", workspace=Workspace(str(project))) == damaged("a.xlsx")


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.proves("S4-066")
def test_a_workbook_that_is_there_is_replaced_only_when_that_is_asked_for(project: Path) -> None:
    make(project / "a.xlsx", [["old"]])
    result = call(project, "excel_write", path="a.xlsx", rows="new")
    told = "there is a file already: a.xlsx — use another name, or set overwrite to true"
    assert (result.code, result.summary()) == ("EXECUTION_ERROR", told)
    assert values(project / "a.xlsx") == [["old"]]
    assert call(project, "excel_write", path="a.xlsx", rows="new", overwrite=True).ok
    assert values(project / "a.xlsx") == [["new"]]
    assert os.listdir(project) == ["a.xlsx"]


def test_rows_may_be_csv_or_json(project: Path) -> None:
    workspace = Workspace(str(project))
    cases: list[tuple[str, list[list[Any]]]] = [
        ("﻿Name,Score\r\nAda,95\r\n", [["Name", "Score"], ["Ada", 95]]),
        ('007,1.50,-2,1e5,"a, b",,1234567890123456', [["007", 1.5, -2, "1e5", "a, b", None, "1234567890123456"]]),
        ('[{"a": 1}, {"b": "x", "a": null}]', [["a", "b"], [1, None], [None, "x"]]),
        ("[[12345678901234567890, 1.5, false]]", [["12345678901234567890", 1.5, False]]),
        ("2024-03-01", [["2024-03-01"]]),
    ]
    for rows, expected in cases:
        excel_write("a.xlsx", rows, overwrite=True, workspace=workspace)
        assert values(project / "a.xlsx") == expected


def test_text_that_looks_like_a_formula_is_one_only_where_that_is_asked_for(project: Path) -> None:
    workspace = Workspace(str(project))
    excel_write("a.xlsx", "=1+1", workspace=workspace)
    cell = first(openpyxl.load_workbook(project / "a.xlsx"))["A1"]
    assert (cell.value, cell.data_type, cell.quotePrefix) == ("=1+1", "s", True)
    excel_write("b.xlsx", "=1+1", formulas=True, workspace=workspace)
    cell = first(openpyxl.load_workbook(project / "b.xlsx"))["A1"]
    assert (cell.value, cell.data_type) == ("=1+1", "f")


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "ending": ({"path": "a.csv"}, "a workbook needs a name that ends in .xlsx: a.csv — use a name such as report.xlsx"),
    "json": (
        {"rows": "[[1,]"},
        "the rows begin like JSON and are none: Expecting value (line 1, column 5) — mend the JSON, or give CSV text",
    ),
    "nan": ({"rows": "[[NaN]]"}, "the rows begin like JSON and are none: NaN — mend the JSON, or give CSV text"),
    "shape": (
        {"rows": "[[1], 2]"},
        "a row is neither a list nor an object: row 2 — make all rows lists, or all of them objects",
    ),
    "nested": (
        {"rows": "[[1, [2]]]"},
        "a cell is neither text, number, true, false nor null: B1 — write the value as text",
    ),
    "infinite": (
        {"rows": "[[1e999]]"},
        "a cell is neither text, number, true, false nor null: A1 — write the value as text",
    ),
    "control": (
        {"rows": '[["\\u0007"]]'},
        "a cell holds a character that Excel cannot store: A1 — remove control characters",
    ),
    "half": (
        {"rows": '[["\\ud800"]]'},
        "a cell holds a character that Excel cannot store: A1 — remove control characters",
    ),
    "long": ({"rows": "a," + "x" * 32_768}, "a cell has more than 32,767 characters: B1 — shorten the text"),
    "longer": ({"rows": "x" * 140_000}, "a cell has more than 32,767 characters: 1:1 — shorten the text"),
    "much": (
        {"rows": "x,\n" * 700_000},
        "the rows are longer than 2,000,000 characters: 2,100,000 — write several workbooks",
    ),
    "many": (
        {"rows": "x" + "\n" * 1_048_580},
        "a sheet has at most 1,048,576 rows: 1,048,580 — write several workbooks",
    ),
    "wide": ({"rows": "," * 16_384 + "x"}, "a row has at most 16,384 cells: row 1 — use fewer columns"),
    "sheet": (
        {"sheet": "a/b"},
        "a sheet cannot have this name: a/b — use 1 to 31 characters, none of []:*?/\\",
    ),
    "no sheet": ({"sheet": ""}, "a sheet cannot have this name — use 1 to 31 characters, none of []:*?/\\"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_told_and_nothing_is_written(project: Path, name: str) -> None:
    change, told = WRONG[name]
    arguments = {"path": "a.xlsx", "rows": "x", **change}
    assert refusal(excel_write, **arguments, workspace=Workspace(str(project))) == told
    assert os.listdir(project) == []


SPY = """
import json, os, sys
from metier import ToolFailed, Workspace
from metier.builtin_skills.excel import excel_write

seen, looking = [], False
def hook(event, arguments):
    if looking and (event in ("open", "import") or event.startswith(("os.", "shutil.", "tempfile.", "subprocess."))):
        seen.append(event)
def profile(frame, event, function):
    # The audit hook is not told of looking at a file, only of opening one.
    if looking and event == "c_call" and function.__module__ == os.name_of_system and function.__name__ != "fspath":
        seen.append(function.__name__)
os.name_of_system = os.stat.__module__
sys.addaudithook(hook)

def spied(**arguments):
    global looking
    workspace = Workspace(os.getcwd())
    seen.clear()
    sys.setprofile(profile)
    looking = True
    try:
        excel_write(**arguments, workspace=workspace)
    except ToolFailed:
        pass
    looking = False
    sys.setprofile(None)
    return list(seen)

spied(path="a.csv", rows="x")  # what has to be imported is imported by now
wrong, good = json.loads(sys.stdin.read())
print(json.dumps([[spied(**arguments) for arguments in wrong], spied(**good)]))
"""


@pytest.mark.proves("S4-067")
def test_a_wrong_argument_is_found_before_anything_of_the_disk_is_looked_at(project: Path) -> None:
    wrong = [{"path": "a.xlsx", "rows": "x", **change} for change, _ in WRONG.values()]
    good = {"path": "a.xlsx", "rows": "x"}
    done = subprocess.run(
        [sys.executable, "-c", SPY],
        input=json.dumps([wrong, good]),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env={key: value for key, value in os.environ.items() if not key.startswith("COVERAGE")},
    )
    assert done.returncode == 0, done.stderr
    calls, control = json.loads(done.stdout)
    assert calls == [[] for _ in wrong]
    # The spy is awake: a good call looks at the folder, opens a file and gives it its name.
    assert {"lstat", "open", "os.link"} <= set(control)


def test_a_folder_that_cannot_be_written_to_is_told_and_nothing_is_left(project: Path) -> None:
    told = "there is no such folder: out — create it first, or use one that is there"
    assert refusal(excel_write, "out/a.xlsx", "x", workspace=Workspace(str(project))) == told
    name = "n" * 251
    told = refusal(excel_write, f"{name}.xlsx", "x", workspace=Workspace(str(project)))
    assert told.startswith("the file cannot be written: nnn")
    assert os.listdir(project) == []


def test_who_comes_second_does_not_replace_the_file_of_who_was_first(project: Path) -> None:
    from metier.builtin_skills.excel.writing import write as write_book

    make(project / "a.xlsx", [["first"]])
    told = refusal(
        write_book, str(project / "a.xlsx"), "a.xlsx", "S", [["x"]], lang="en", overwrite=False, formulas=False
    )
    assert told == "there is a file already: a.xlsx — use another name, or set overwrite to true"
    assert values(project / "a.xlsx") == [["first"]]
    assert os.listdir(project) == ["a.xlsx"]


def test_a_new_workbook_has_the_rights_that_new_files_have(project: Path) -> None:
    excel_write("a.xlsx", "x", workspace=Workspace(str(project)))
    plain = write(project / "plain.txt", "x")
    assert (project / "a.xlsx").stat().st_mode == plain.stat().st_mode
