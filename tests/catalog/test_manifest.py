"""`skill.yaml`: a catalog knows the tools of a skill before anything can run them."""

from __future__ import annotations

from pathlib import Path

import pytest

from metier import Parameter, State
from tests.conftest import codes, head, names, open_profile, write

EXCEL = """
name: excel_read
description: "读取 Excel 工作表指定区域内容，返回行列数组。文件上限 20MB。"
runtime: python
entry: main.py
parameters:
  - name: path
    type: string
    required: true
    description: "Excel 文件路径"
  - name: rows
    type: integer
    required: false
    default: 10
    description: "行数"
  - name: header
    type: boolean
    default: yes
docs:
  when_to_use:
    - 需要读取 .xlsx 文件
  when_not_to_use:
    - CSV 文件请直接用 file_read
  examples:
    - scenario: "前 10 行"
      arguments:
        path: data/sales.xlsx
"""


def tool(project: Path, manifest: str, folder: str = "excel", entry: str | None = "main.py"):
    root = project / "skills" / folder
    write(root / "skill.yaml", manifest)
    if entry:
        write(root / entry, "print()\n")
    catalog = open_profile(project, "omega")
    (candidate,) = [one for one in catalog.candidates if one.path.startswith(str(project))]
    return candidate, catalog


@pytest.mark.proves("S4-006", "S4-025", "S4-026", "S4-027", "S4-028", "S4-035", "S4-036")
def test_the_example_of_the_fifth_design_becomes_a_tool(project: Path) -> None:
    candidate, catalog = tool(project, EXCEL)
    assert catalog.diagnostics == ()
    assert candidate.skill is not None
    assert candidate.skill.name == "excel"
    (excel,) = candidate.skill.tools
    assert (excel.name, excel.runtime, excel.entry) == ("excel_read", "python", "main.py")
    assert excel.parameters == (
        Parameter(name="path", type="string", required=True, description="Excel 文件路径"),
        Parameter(name="rows", type="integer", default=10, description="行数"),
        Parameter(name="header", type="boolean", default=True),
    )
    assert excel.when_to_use == ("需要读取 .xlsx 文件",)
    assert excel.when_not_to_use == ("CSV 文件请直接用 file_read",)
    assert [(one.scenario, one.arguments) for one in excel.examples] == [("前 10 行", {"path": "data/sales.xlsx"})]


@pytest.mark.proves("S4-014")
def test_a_folder_without_a_manifest_is_ignored(project: Path) -> None:
    write(project / "skills/foo/main.py", "print()\n")
    catalog = open_profile(project, "omega")
    assert catalog.candidates == ()
    assert catalog.diagnostics == ()


@pytest.mark.proves("S4-015", "S4-016", "S4-047", "S4-049", "S4-025", "S4-026", "S4-027", "S4-028", "S4-030")
@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("name: excel_read", "title: x", "tool-field-missing"),
        ("description: ", "about: ", "tool-field-missing"),
        ("runtime: python", "runtime: ruby", "tool-runtime"),
        ("runtime: python", "", "tool-field-missing"),
        ("entry: main.py", "", "tool-field-missing"),
        ("entry: main.py", "entry: ../main.py", "tool-entry-escapes"),
        ("entry: main.py", "entry: /etc/passwd", "tool-entry-escapes"),
        ("name: excel_read", "name: read_excel", "tool-name-prefix"),
        ("name: excel_read", "name: ExcelRead", "tool-name-grammar"),
        ("name: excel_read", "name: excel-read", "tool-name-grammar"),
        ("type: integer", "type: array", "tool-parameter"),
        ("default: 10", "default: ten", "tool-parameter"),
        ("name: rows", "name: path", "tool-parameter"),
    ],
)
def test_a_wrong_manifest_is_refused_with_a_reason(project: Path, old: str, new: str, code: str) -> None:
    candidate, catalog = tool(project, EXCEL.replace(old, new, 1))
    assert candidate.state is State.SKIPPED
    assert code in codes(catalog)


@pytest.mark.proves("S4-016")
def test_a_tool_may_be_called_like_its_folder(project: Path) -> None:
    candidate, catalog = tool(project, EXCEL.replace("excel_read", "time"), folder="time")
    assert (candidate.state, catalog.diagnostics) == (State.LOADED, ())


@pytest.mark.proves("S4-086")
def test_a_tool_without_its_files_is_not_ready(project: Path) -> None:
    candidate, catalog = tool(project, EXCEL, entry=None)
    assert candidate.state is State.UNREADY
    (one,) = catalog.diagnostics
    assert str(project / "skills/excel/main.py") in (one.hint or "")
    write(project / "skills/excel/main.py", "print()\n")
    catalog.refresh()
    assert names(catalog) == ["excel"]
    go = EXCEL.replace("python", "go").replace("main.py", "main.go")
    candidate, catalog = tool(project, go, entry="main.go")
    assert (candidate.state, codes(catalog)) == (State.UNREADY, ["tool-go-mod"])
    write(project / "skills/excel/go.mod", "module excel\n")
    catalog.refresh()
    assert names(catalog) == ["excel"]


@pytest.mark.proves("S4-085")
def test_a_broken_manifest_leaves_the_others_alone(project: Path) -> None:
    write(project / "skills/bad/skill.yaml", "name: [\n")
    root = project / "skills/excel"
    write(root / "skill.yaml", EXCEL)
    write(root / "main.py", "print()\n")
    catalog = open_profile(project, "omega")
    assert names(catalog) == ["excel"]
    assert codes(catalog) == ["yaml-invalid"]


@pytest.mark.proves("S4-002", "S4-006")
@pytest.mark.parametrize(
    ("runtime", "entry", "more"),
    [("python", "main.py", ()), ("node", "main.ts", ()), ("go", "main.go", ("go.mod",)), ("binary", "skill", ())],
)
def test_a_tool_of_every_runtime_is_found(project: Path, runtime: str, entry: str, more: tuple[str, ...]) -> None:
    for file in more:
        write(project / "skills/excel" / file, "x")
    manifest = EXCEL.replace("runtime: python", f"runtime: {runtime}").replace("main.py", entry)
    candidate, catalog = tool(project, manifest, entry=entry)
    assert catalog.diagnostics == ()
    assert candidate.skill is not None
    assert [(each.name, each.runtime) for each in candidate.skill.tools] == [("excel_read", runtime)]


@pytest.mark.proves("S4-003")
def test_tools_of_one_skill_share_its_prefix(project: Path) -> None:
    one = EXCEL.replace("\n", "\n    ").strip()
    good = f"tools:\n  - {one}\n  - {one.replace('excel_read', 'excel_write')}\n"
    candidate, catalog = tool(project, good)
    assert candidate.skill is not None
    assert [each.name for each in candidate.skill.tools] == ["excel_read", "excel_write"]
    candidate, catalog = tool(project, good.replace("excel_write", "sheet_write"))
    assert candidate.skill is not None
    assert [each.name for each in candidate.skill.tools] == ["excel_read"]
    assert codes(catalog) == ["tool-name-prefix"]


@pytest.mark.proves("S4-084")
def test_a_tool_that_joins_later_needs_no_code(project: Path) -> None:
    _, catalog = tool(project, EXCEL)
    assert names(catalog) == ["excel"]
    write(project / "skills/time/skill.yaml", EXCEL.replace("excel_read", "time"))
    write(project / "skills/time/main.py", "print()\n")
    catalog.refresh()
    assert names(catalog) == ["excel", "time"]


def test_several_tools_share_one_manifest(project: Path) -> None:
    one = EXCEL.replace("\n", "\n    ").strip()
    two = one.replace("excel_read", "excel_write")
    candidate, catalog = tool(project, f"description: Excel.\ntools:\n  - {one}\n  - {two}\n  - {one}\n")
    assert candidate.skill is not None
    assert [each.name for each in candidate.skill.tools] == ["excel_read", "excel_write"]
    assert candidate.skill.description == "Excel."
    assert codes(catalog) == ["tool-name-twice"]


def test_instructions_and_tools_in_one_folder_are_one_skill(project: Path) -> None:
    root = project / "skills/excel"
    write(root / "SKILL.md", head("excel", "Works with Excel."))
    catalog = open_profile(project)
    assert catalog.require("excel").tools == ()
    write(root / "skill.yaml", EXCEL)
    write(root / "main.py", "print()\n")
    delta = catalog.refresh()
    assert [skill.name for skill in delta.changed] == ["excel"]
    skill = catalog.require("excel")
    assert (skill.description, [each.name for each in skill.tools]) == ("Works with Excel.", ["excel_read"])
    write(root / "skill.yaml", EXCEL.replace("python", "ruby"))
    catalog.refresh()
    assert catalog.require("excel").tools == ()
    assert codes(catalog) == ["tool-runtime"]


@pytest.mark.proves("S4-011")
@pytest.mark.parametrize(
    ("value", "listed"), [(None, True), ("true", True), ("0", True), ("", True), ("False", True), ("false", False)]
)
def test_the_switch_of_a_skill_is_exactly_false(
    project: Path, monkeypatch: pytest.MonkeyPatch, value: str | None, listed: bool
) -> None:
    if value is not None:
        monkeypatch.setenv("SKILL_EXCEL_ENABLED", value)
    _, catalog = tool(project, EXCEL)
    assert (names(catalog) == ["excel"]) is listed
