"""Excel workbooks: look into them, read cells, write new ones.

ranges    the cells that an argument means
messages  what the tools say, in three languages
book      opening a workbook that may be anything
reading   sheets and cells as text
writing   rows as a new workbook

Nothing of openpyxl is imported before a tool is called and its arguments are found good.
"""

from __future__ import annotations

from typing import Annotated

from metier import ProjectSkill, Workspace

# Excel — https://openpyxl.readthedocs.io (openpyxl 3.1)
excel = ProjectSkill(
    "excel",
    description="Reads and writes Excel workbooks (.xlsx). Use when a table is in a workbook or is to become one.",
    library="https://openpyxl.readthedocs.io",
    version="3.1",
    requires=["openpyxl"],
    instructions="""\
# Excel workbooks

1. `excel_info` first: it names the sheets and how far their cells reach.
2. `excel_read` for the cells. A long answer ends with the range to ask for next; go on until there is no such line.
3. `excel_write` makes a new workbook with one sheet. It never changes one that is there: to change a few cells, read
   all of its sheet, change the rows, and write them to a new name. Say so to the user: charts, colours and other
   sheets are not carried over.

Values are what Excel last calculated. A workbook that no Excel has opened yet has no values for its formulas; then
`excel_read` with `formulas` true shows the formulas themselves.
""",
)


@excel.tool(
    when_to_use=[
        "you do not know yet which sheets a workbook has, or how large they are",
        "a range was refused because it lies outside of the sheet",
    ],
    when_not_to_use=["you need the cells themselves: use excel_read", "the file is CSV: read it as text"],
    examples=[("See what is in a report before reading it", {"path": "data/report.xlsx"})],
)
def excel_info(
    path: Annotated[
        str,
        "The workbook, an .xlsx or .xlsm file of at most 20 MB, relative to the workspace. Example: data/report.xlsx",
    ],
    *,
    workspace: Workspace,
) -> str:
    """List the sheets of an Excel workbook with their sizes. At most 20 MB."""
    from metier.builtin_skills.excel.book import opened, workbook_path
    from metier.builtin_skills.excel.reading import overview

    file = workbook_path(path, workspace)
    with opened(file, path, workspace) as book:
        return overview(book, path, workspace.lang)


@excel.tool(
    when_to_use=[
        "cells of an .xlsx file are needed as data",
        "an answer ended with a range to read on with",
        "the formulas of a sheet are in question, not their values",
    ],
    when_not_to_use=["only names and sizes of sheets are needed: excel_info is lighter", "the file is CSV"],
    examples=[
        ("Read the first ten rows of a sales report", {"path": "data/sales.xlsx", "range": "A1:E10"}),
        (
            "Read on, with the names of the columns above the rows",
            {"path": "data/sales.xlsx", "sheet": "2024", "range": "A200:E400", "header": True},
        ),
    ],
)
def excel_read(
    path: Annotated[
        str,
        "The workbook, an .xlsx or .xlsm file of at most 20 MB, relative to the workspace. Example: data/sales.xlsx",
    ],
    sheet: Annotated[str, "The name of the sheet; by default the first one with cells. Example: Sales 2024"] = "",
    range: Annotated[  # noqa: A002 - what every user of Excel calls it
        str,
        "The cells to read, as A1:D20, one cell as B7, whole columns as A:D or whole rows as 5:20; "
        "by default all cells of the sheet. Example: A1:D20",
    ] = "",
    header: Annotated[
        bool,
        "Whether the first row of the sheet stands above the rows that were asked for (default false). "
        "true → A200:E400 starts with the names of the columns",
    ] = False,
    formulas: Annotated[
        bool, "Whether formulas are shown instead of their values (default false). true → =SUM(B2:B9) instead of 4200"
    ] = False,
    *,
    workspace: Workspace,
) -> str:
    """Read cells of an Excel sheet as CSV lines. File up to 20 MB, 8,000 characters."""
    from metier.builtin_skills.excel.ranges import parsed

    wanted = parsed(range, workspace.lang)

    from metier.builtin_skills.excel.book import opened, workbook_path
    from metier.builtin_skills.excel.reading import cells

    file = workbook_path(path, workspace)
    with opened(file, path, workspace, formulas=formulas) as book:
        return cells(book, sheet, wanted, lang=workspace.lang, header=header)


@excel.tool(
    when_to_use=[
        "rows are to be handed over as an Excel file",
        "a table was put together and the user wants a workbook",
    ],
    when_not_to_use=[
        "a workbook that is there is to keep its other sheets, charts or colours: this tool makes a new file",
        "CSV is good enough: write a text file",
    ],
    examples=[
        (
            "Write a small table",
            {"path": "out/scores.xlsx", "rows": '[["Name", "Score"], ["Ada", 95], ["Lin", 88.5]]'},
        ),
        (
            "Replace a report, with a formula for the sum",
            {
                "path": "report.xlsx",
                "rows": "Item,Price\nTea,3.5\nBread,2\nSum,=SUM(B2:B3)",
                "sheet": "Prices",
                "overwrite": True,
                "formulas": True,
            },
        ),
    ],
)
def excel_write(
    path: Annotated[
        str,
        "The workbook to make, an .xlsx file in a folder that exists, relative to the workspace. Example: out/a.xlsx",
    ],
    rows: Annotated[
        str,
        "The rows, up to 2,000,000 characters: a JSON list of lists or of objects, or CSV text. "
        'Example: [["Name", "Score"], ["Ada", 95]]',
    ],
    sheet: Annotated[
        str, "The name of the sheet, at most 31 characters and none of []:*?/\\, by default Sheet1. Example: Scores"
    ] = "Sheet1",
    overwrite: Annotated[
        bool, "Whether a file that is there is replaced (default false). true → the old workbook is lost"
    ] = False,
    formulas: Annotated[
        bool, "Whether text that starts with = is a formula (default false). true → =SUM(B2:B3) is calculated"
    ] = False,
    *,
    workspace: Workspace,
) -> str:
    """Write rows to a new Excel workbook with one sheet. At most 1,048,576 rows."""
    from metier.builtin_skills.excel.writing import checked_rows, checked_sheet, checked_target, write

    # Every argument is looked at before anything of the disk is.
    target = checked_target(path, workspace.lang)
    title = checked_sheet(sheet, workspace.lang)
    table = checked_rows(rows, workspace.lang)
    file = workspace.new(target, overwrite=overwrite)
    return write(file, target, title, table, lang=workspace.lang, overwrite=overwrite, formulas=formulas)
