"""Skills in Python: how they are declared, and what a call of their tools gives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, cast

import pytest

from metier import Catalog, InvalidSkill, Policy, ProjectSkill, Result, ToolFailed, Tools, Toolset, Workspace
from metier.execution.arguments import schema_of
from metier.execution.runner import Runner
from metier.messages import LANGS
from tests.conftest import write

Path_ = Annotated[str, "A file, relative to the workspace. Example: a.txt"]


def make() -> ProjectSkill:
    return ProjectSkill("text", description="Works on texts. Use for texts.", library="https://example.org/text")


def run(skill: ProjectSkill, tool: str, project: Path | str, /, **arguments: Any) -> Result:
    return run_as(skill, tool, project, Policy.profile("default"), **arguments)


def run_as(skill: ProjectSkill, tool: str, project: Path | str, policy: Policy, /, **arguments: Any) -> Result:
    runner = Runner(str(project), policy, cache="", environ={})
    found = next(one for one in skill.tools if one.name == tool)
    return runner.call(skill.skill, found, arguments)


def test_a_function_becomes_a_tool() -> None:
    text = make()

    @text.tool(
        when_to_use=["words are to be counted"],
        when_not_to_use=["letters are"],
        examples=[("Count", {"path": "a.txt", "limit": 3, "fast": True, "share": 0.5})],
    )
    def text_count(
        path: Path_,
        limit: Annotated[int, "At most so many,\n  by default 10. Example: 3"] = 10,
        share: Annotated[float, "A share from 0 to 1. Example: 0.5"] = 1,
        fast: Annotated[bool, "Whether to hurry. true → it does"] = False,
        *,
        workspace: Workspace,
    ) -> str:
        """Count the words of a file
        of at most 20 MB.

        More for people.
        """
        return path + str((limit, share, fast)) + workspace.folder

    (tool,) = text.tools
    assert (tool.name, tool.description) == ("text_count", "Count the words of a file of at most 20 MB.")
    assert (tool.runtime, tool.when_to_use, tool.when_not_to_use) == (
        "function",
        ("words are to be counted",),
        ("letters are",),
    )
    assert schema_of(tool) == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "A file, relative to the workspace. Example: a.txt"},
            "limit": {"type": "integer", "description": "At most so many, by default 10. Example: 3", "default": 10},
            "share": {"type": "number", "description": "A share from 0 to 1. Example: 0.5", "default": 1},
            "fast": {"type": "boolean", "description": "Whether to hurry. true → it does", "default": False},
        },
        "required": ["path"],
        "additionalProperties": False,
    }
    assert tool.examples[0].arguments == {"path": "a.txt", "limit": "3", "fast": "true", "share": "0.5"}
    assert text_count("a", workspace=Workspace("/w")) == "a(10, 1, False)/w"
    assert run(text, "text_count", "/w", path="b", limit=2.0).content == "b(2, 1, False)/w"


def declared(function: Callable[..., object], **more: Any) -> InvalidSkill:
    with pytest.raises(InvalidSkill) as caught:
        make().tool(**more)(function)
    assert caught.value.hint
    return caught.value


def test_a_function_with_a_wrong_name_no_words_or_no_end_is_refused() -> None:
    def read_text() -> str:
        """Do."""
        return ""

    def text_Read() -> str:  # noqa: N802 - that is the mistake
        """Do."""
        return ""

    def text_bare() -> str:
        return ""

    async def text_later() -> str:
        """Do."""
        return ""

    assert [str(declared(function)) for function in (read_text, text_Read, text_bare, text_later)] == [
        "tool 'read_text' cannot be one: the tool name 'read_text' does not start with 'text_'",
        "tool 'text_Read' cannot be one: the tool name 'text_Read' is not <domain>_<action> in a-z, 0-9, _",
        "tool 'text_bare' has no docstring",
        "tool 'text_later' is not a plain function",
    ]


def test_a_parameter_of_another_type_or_without_a_description_is_refused() -> None:
    def text_list(names: Annotated[list[str], "Names."]) -> str:
        """Do."""
        return str(names)

    def text_silent(name: str) -> str:
        """Do."""
        return name

    def text_blank(name: Annotated[str, " "]) -> str:
        """Do."""
        return name

    def text_many(*names: Annotated[str, "Names."]) -> str:
        """Do."""
        return str(names)

    def text_default(name: Annotated[str, "A name."] = cast("Any", None)) -> str:
        """Do."""
        return name

    def text_nothing(name: str) -> str:
        """Do."""
        return name

    del text_nothing.__annotations__["name"]
    functions: list[Callable[..., str]] = [text_list, text_silent, text_blank, text_many, text_default, text_nothing]
    assert [str(declared(function)) for function in functions] == [
        "parameter 'text_list.names' is annotated with list[str]",
        "parameter 'text_silent.name' has no description",
        "parameter 'text_blank.name' has no description",
        "parameter 'text_many.names' cannot be filled in by its name",
        "parameter 'text_default.name' has the default None, which is no string",
        "parameter 'text_nothing.name' is annotated with nothing",
    ]


def test_an_example_that_would_fail_is_refused() -> None:
    def text_read(path: Path_, limit: Annotated[int, "A limit. Example: 3"] = 3) -> str:
        """Do."""
        return path * limit

    wrong: list[dict[str, Any]] = [{}, {"path": 1}, {"path": "a", "limit": True}, {"path": "a", "odd": "x"}]
    for arguments in wrong:
        assert "the example 'Once'" in str(declared(text_read, examples=[("Once", arguments)]))


def test_an_annotation_that_is_not_known_is_refused() -> None:
    def text_read(path: str) -> str:
        """Do."""
        return path

    text_read.__annotations__["path"] = "Annotated[Nowhere, 'x']"
    assert str(declared(text_read)) == "tool 'text_read' has an annotation that is not known: Nowhere"


def test_a_tool_cannot_be_declared_twice_nor_a_skill_without_a_name() -> None:
    text = make()

    def text_read() -> str:
        """Do."""
        return ""

    text.tool()(text_read)
    with pytest.raises(InvalidSkill, match="declared twice"):
        text.tool()(text_read)
    for name in ("", "Text", "my_text", "2text", "text-"):
        with pytest.raises(InvalidSkill, match="name"):
            ProjectSkill(name, description="Does.", library="https://example.org")
    with pytest.raises(InvalidSkill, match="description"):
        ProjectSkill("text", description=" ", library="https://example.org")


def test_the_skill_is_a_skill_like_any_other() -> None:
    text = ProjectSkill(
        "text", description="Works on texts.", library="https://example.org/text", version="2.1", requires=["re"]
    )

    @text.tool(when_to_use=["it is needed"])
    def text_read(path: Path_) -> str:
        """Read a text of at most 1 MB."""
        return path

    skill = text.skill
    assert (skill.kind, skill.scope, skill.qualified_name) == ("builtin", "system", "package:text")
    assert skill.metadata == {"library": "https://example.org/text", "version": "2.1"}
    catalog = Catalog.of([skill])
    assert catalog.document("text").body == ""
    assert catalog.activate("text").content == (
        "# text\n\nWorks on texts.\n\n## Tools\n\n"
        "- text_read(path): Read a text of at most 1 MB.\n  - Use it when it is needed"
    )
    assert text_read("a") == "a"


@pytest.mark.proves("S4-058", "S4-059")
def test_an_error_of_a_tool_has_the_form_of_the_origin() -> None:
    samples = [
        (ToolFailed("文件不存在", "report.xlsx", "请先用 file_list 确认路径"),
         "文件不存在: report.xlsx — 请先用 file_list 确认路径"),
        (ToolFailed("单元格区域超出工作表范围 (最大行: 100)", next_step="请用 excel_info 查询实际尺寸"),
         "单元格区域超出工作表范围 (最大行: 100) — 请用 excel_info 查询实际尺寸"),
        (ToolFailed("文件过大 (25MB)，超过 20MB 上限", next_step="请拆分后分批处理"),
         "文件过大 (25MB)，超过 20MB 上限 — 请拆分后分批处理"),
        (ToolFailed("Sheet 不存在", "销售数据", "可用 sheet 列表: [Sheet1, Sheet2]"),
         "Sheet 不存在: 销售数据 — 可用 sheet 列表: [Sheet1, Sheet2]"),
    ]  # fmt: skip
    for error, text in samples:
        assert str(error) == text
    assert str(ToolFailed("problem")) == "problem"
    assert ToolFailed("problem", "value", "step").hint == "step"


def failing(error: BaseException) -> ProjectSkill:
    text = make()

    @text.tool()
    def text_fail(path: Path_ = "", *, workspace: Workspace) -> str:
        """Fail at once."""
        if path:
            return workspace.existing(path)
        raise error

    return text


@pytest.mark.proves("S4-060", "S4-062")
@pytest.mark.parametrize("lang", LANGS)
def test_whatever_a_tool_raises_the_model_sees_a_formatted_error(project: Path, lang: Any) -> None:
    def text_open() -> str:
        """Open a file that is not there."""
        return open("/nowhere/at/all", encoding="utf-8").read()

    text = make()
    text.tool()(text_open)
    policy = Policy.profile("default").but(lang=lang)
    result = run_as(text, "text_open", project, policy)
    shown = result.summary(lang)
    assert (result.status, result.code) == ("error", "EXECUTION_ERROR")
    assert "text_open" in shown
    assert " — " in shown
    for inner in ("no such file", "FileNotFoundError", "Traceback", "/nowhere", "Errno"):
        assert inner.lower() not in shown.lower()
        assert inner.lower() not in result.text.lower()
    assert "Traceback" in result.data["log"]
    assert "No such file" in result.data["log"]
    toolset = Toolset(Catalog.of([text.skill], policy=policy), tools=Tools(Catalog.of([text.skill], policy=policy)))
    rendered = toolset.render(toolset.call("text_open", {}))
    assert "No such file" not in rendered
    assert "Traceback" not in rendered
    assert shown in rendered


def test_a_tool_can_neither_end_the_host_nor_answer_what_is_no_json(project: Path) -> None:
    assert run(failing(SystemExit(3)), "text_fail", project).code == "EXECUTION_ERROR"
    assert run(failing(RecursionError()), "text_fail", project).code == "EXECUTION_ERROR"
    text = make()

    @text.tool()
    def text_odd() -> object:
        """Answer with an object that has no JSON."""
        return object()

    assert "not JSON serializable" in run(text, "text_odd", project).data["log"]


def test_what_a_tool_says_is_said_exactly(project: Path) -> None:
    result = run(failing(ToolFailed("坏", "值 {x}", "做")), "text_fail", project)
    assert (result.code, result.summary(), result.summary("zh-Hans")) == (
        "EXECUTION_ERROR",
        "坏: 值 {x} — 做",
        "坏: 值 {x} — 做",
    )
    assert result.data == {"tool": "text_fail", "tier": "in process"}
    policy = Policy.profile("omega")
    missing = run_as(failing(ValueError()), "text_fail", project, policy, path="nope.txt")
    assert missing.summary(policy.lang) == "文件不存在: nope.txt — 请先确认路径（相对于工作区）"


def test_answers_that_are_no_text_become_json(project: Path) -> None:
    text = make()
    answers: list[object] = [{"名": [1, 2.5, None]}, 3, None, True, "as it is"]

    @text.tool()
    def text_next() -> object:
        """Give the next answer."""
        return answers.pop(0)

    shown = [run(text, "text_next", project).content for _ in range(5)]
    assert shown == ['{"名": [1, 2.5, null]}', "3", "null", "true", "as it is"]


def test_arguments_are_checked_before_the_function_is_called(project: Path) -> None:
    called: list[str] = []
    text = make()

    @text.tool()
    def text_read(path: Path_, limit: Annotated[int, "A limit. Example: 3"] = 3) -> str:
        """Read a text."""
        called.append(path * limit)
        return ""

    for arguments in ({}, {"path": 1}, {"path": "a", "limit": True}, {"path": "a", "workspace": "x"}):
        assert run(text, "text_read", project, **arguments).code == "INVALID_PARAM"
    assert called == []


def test_a_policy_that_denies_tools_denies_functions_too(project: Path) -> None:
    policy = Policy.profile("default").but(execution="deny")
    result = run_as(failing(ValueError()), "text_fail", project, policy)
    assert (result.code, "log" in result.data) == ("ACCESS_DENIED", False)


def test_an_agent_is_offered_functions_and_can_wait_for_them(project: Path) -> None:
    text = make()

    @text.tool()
    def text_read(path: Path_, *, workspace: Workspace) -> str:
        """Read a text of at most 20 MB."""
        return Path(workspace.existing(path)).read_text(encoding="utf-8")

    write(project / "a.txt", "hello")
    catalog = Catalog.open(project, skills=[text.skill], cache=False)
    tools = Tools(catalog)
    toolset = Toolset(catalog, tools=tools)
    assert "text_read" in [tool.name for tool in toolset.tools]
    assert toolset.call("text_read", {"path": "a.txt"}).content == "hello"
    assert asyncio.run(tools.call("text_read", {"path": "a.txt"})).content == "hello"
