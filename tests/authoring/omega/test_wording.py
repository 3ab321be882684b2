"""The design's own good and bad samples, and the edges of each rule."""

from __future__ import annotations

from string import Formatter

import pytest

from metier.authoring.omega.gate import texts
from metier.authoring.omega.tool_gates import description_findings
from metier.authoring.omega.wording import (
    Part,
    faults_of_error,
    length_of,
    library_in_domain,
    missing_parts,
    names_a_limit,
    opens_with_verb,
    padding,
)
from metier.messages import formatted
from metier.tool import ParameterType, Tool

GOOD = "读取 Excel 工作表指定区域的单元格内容，以行列数组形式返回。\n支持跨 Sheet 读取，文件大小上限 20MB。"
SAMPLE = "读取 Excel 工作表指定区域内容，返回行列数组。文件上限 20MB。"
RANGE = "要读取的单元格区域，格式为 A1:C10。跨 Sheet 写法：Sheet2!A1:B5。\n 最大范围 1000 行 × 100 列。示例：A1:D20"
VAGUE = "读取 Excel 文件"
LIBRARY = "这个工具基于 excelize 库，可以读取 xlsx 格式的 Excel 文件..."
EMPTY = "Excel 读取工具，功能强大，支持多种功能"


def faults(description: str, lang: str = "zh") -> list[str]:
    tool = Tool(name="excel_read", description=description, runtime="python", entry="main.py")
    found = description_findings([tool], "skill.yaml", "zh" if lang == "zh" else "en")
    return [one.key.removeprefix("description-") for one in found]


@pytest.mark.proves("S4-054")
@pytest.mark.parametrize(
    ("description", "length", "wrong"),
    [
        (GOOD, 58, []),
        (SAMPLE, 36, []),
        (VAGUE, 11, ["length", "limit"]),
        (EMPTY, 22, ["verb", "limit"]),
        (LIBRARY, 43, ["verb", "limit"]),
    ],
)
def test_the_descriptions_of_the_design_are_judged_as_it_says(description: str, length: int, wrong: list[str]) -> None:
    assert (length_of(description), faults(description)) == (length, wrong)


@pytest.mark.proves("S4-052")
@pytest.mark.parametrize(("length", "is_good"), [(19, False), (20, True), (80, True), (81, False)])
@pytest.mark.parametrize(("start", "filler"), [("读取上限", "字"), ("Reads up to 5 ", "x")])
def test_a_description_has_20_to_80_characters_not_bytes(
    start: str, filler: str, length: int, *, is_good: bool
) -> None:
    text = start + filler * (length - len(start))
    assert length_of(text) == length
    assert ("length" not in faults(text, "en")) is is_good


@pytest.mark.proves("S4-053")
def test_a_description_is_chinese_where_that_is_asked_for() -> None:
    text = "Reads the cells of a sheet, up to 20 MB."
    assert faults(text, "zh") == ["language"]
    assert faults(text, "en") == []


@pytest.mark.parametrize("text", ["Reads a file", "read it", "Searches", "Copies files", "读取文件", "统计单词"])
def test_a_verb_of_the_list_may_open_a_description(text: str) -> None:
    assert opens_with_verb(text)


@pytest.mark.parametrize("text", ["", "Excel reader", "The tool reads", "A reader", "工具读取", "为用户读取", "123"])
def test_nothing_else_may(text: str) -> None:
    assert not opens_with_verb(text)


@pytest.mark.parametrize(
    "text", ["up to 20 MB", "文件上限 20MB", "仅支持 xlsx", "needs a token", "only text", "第 3 行"]
)
def test_a_limit_is_a_number_or_a_limiting_word(text: str) -> None:
    assert names_a_limit(text)


@pytest.mark.parametrize("text", ["Reads UTF-8 text", "Makes MP3 files", "读取文件", "Converts from CSV to JSON"])
def test_a_digit_in_a_name_is_no_limit(text: str) -> None:
    assert not names_a_limit(text)


def test_names_of_libraries_and_empty_praise_are_found() -> None:
    assert "excelize" in padding(LIBRARY)
    assert padding(EMPTY) == ("功能强大", "支持多种功能")
    assert padding("Reads sheets with openpyxl, a powerful reader.") == ("openpyxl", "powerful")
    assert padding(GOOD) == ()
    assert padding("Lists open pull requests, up to 100.") == ()


@pytest.mark.parametrize(
    ("name", "library"),
    [("excelize_read", "excelize"), ("imaging_resize", "imaging"), ("excel_read", ""), ("image", "")],
)
def test_a_tool_named_after_a_library_is_found(name: str, library: str) -> None:
    assert library_in_domain(name) == library


@pytest.mark.proves("S4-056")
@pytest.mark.parametrize(
    ("text", "lacking"),
    [
        (
            RANGE,
            (),
        ),
        ("工作表名称，默认第一个 Sheet。示例：Sheet1、销售数据", ()),
        ("Excel 文件路径（相对工作区）。示例：data/report.xlsx", ()),
        ("单元格区域，格式 A1:C10。默认读取全部。示例：A1:D20", ()),
        ("单元格区域", ("format", "limits", "example")),
        ("如 A1:C10", ("format", "limits")),
        ("Sheet 名称（可选）", ("limits", "example")),
        ("The file, relative to the workspace. Example: data/sales.csv", ()),
        ("The file. Example: data/sales.csv", ("limits",)),
        ("The file, relative to the workspace.", ("example",)),
        ("The file, relative to the workspace. Example:", ("example",)),
        ("", ("format", "limits", "example")),
    ],
)
def test_a_parameter_tells_its_format_its_limits_and_an_example(text: str, lacking: tuple[Part, ...]) -> None:
    assert missing_parts(text) == lacking


@pytest.mark.proves("S4-057")
@pytest.mark.parametrize(
    ("kind", "lacking"), [("boolean", ()), ("string", ("example",))], ids=["for a boolean", "for nothing else"]
)
def test_what_true_does_stands_in_for_an_example(kind: ParameterType, lacking: tuple[Part, ...]) -> None:
    assert missing_parts("是否包含表头行（默认 true）。为 true 时第一行作为字段名返回", kind) == lacking


ERRORS = (
    ("文件不存在", "report.xlsx", "请先用 file_list 确认路径", "文件不存在: report.xlsx — 请先用 file_list 确认路径"),
    (
        "单元格区域超出工作表范围 (最大行: 100)",
        "",
        "请用 excel_info 查询实际尺寸",
        "单元格区域超出工作表范围 (最大行: 100) — 请用 excel_info 查询实际尺寸",
    ),
    (
        "文件过大 (25MB)，超过 20MB 上限",
        "",
        "请拆分后分批处理",
        "文件过大 (25MB)，超过 20MB 上限 — 请拆分后分批处理",
    ),
    (
        "Sheet 不存在",
        "销售数据",
        "可用 sheet 列表: [Sheet1, Sheet2]",
        "Sheet 不存在: 销售数据 — 可用 sheet 列表: [Sheet1, Sheet2]",
    ),
)


@pytest.mark.proves("S4-058", "S4-059")
@pytest.mark.parametrize(("problem", "value", "step", "text"), ERRORS)
def test_one_formatter_makes_the_errors_of_the_design(problem: str, value: str, step: str, text: str) -> None:
    assert formatted(problem, value, step) == text
    assert faults_of_error(text, "zh") == ()


@pytest.mark.proves("S4-061")
@pytest.mark.parametrize("text", ["错误", "操作失败，请重试", "Operation failed, please try again.", "Error"])
def test_an_error_that_says_nothing_is_useless(text: str) -> None:
    assert faults_of_error(text, "zh") == ("useless",)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("open report.xlsx: no such file or directory", {"internal", "no-next-step", "not-chinese"}),
        ("runtime error: index out of range", {"internal", "no-next-step", "not-chinese"}),
        ("文件不存在: a.xlsx", {"no-next-step"}),
        ("文件不存在: a.xlsx — ", {"no-next-step"}),
        (" — 请确认路径", {"no-problem", "not-chinese"}),
        ("there is no such file: a.xlsx — check the path", {"not-chinese"}),
        ("无法读取: KeyError: 'x' — 请检查", {"internal"}),
    ],
)
def test_an_error_tells_the_problem_and_the_next_step_and_nothing_internal(text: str, wrong: set[str]) -> None:
    assert set(faults_of_error(text, "zh")) == wrong
    assert set(faults_of_error(text, "en")) == wrong - {"not-chinese"}


def test_both_languages_say_the_same_things_with_the_same_values() -> None:
    en, zh = texts("en"), texts("zh")
    assert list(en) == list(zh)
    for key, parts in en.items():
        assert [_fields(part) for part in parts] == [_fields(part) for part in zh[key]], key


def _fields(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}
