"""The documentation of a skill's tools as Markdown: what is declared, or the skeleton of a page to be filled in."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from metier.authoring.examples import arguments_of
from metier.authoring.omega.docs_gates import HEADINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.authoring.omega.gate import CheckLang
    from metier.skill import Skill
    from metier.tool import Parameter, Tool

_WORDS: dict[str, tuple[str, str]] = {
    "wraps": ("Wraps {library}.", "封装 {library}。"),
    "switch": ("Registered unless `{switch}` is `false`.", "环境变量 `{switch}` 为 `false` 时不注册。"),
    "tool-table": ("| tool | use | condition |", "| 工具 | 用途 | 注册条件 |"),
    "parameter-table": (
        "| name | type | required | default | description |",
        "| 名称 | 类型 | 必填 | 默认值 | 说明 |",
    ),
    "error-table": ("| error | trigger | remedy |", "| 错误信息 | 触发条件 | 解决方法 |"),
    "feature-table": ("| feature of the library | exposed | reason |", "| 库功能 | 是否暴露 | 原因 |"),
    "use": ("When to use", "何时使用"),
    "not": ("When not to use", "何时不用"),
    "cannot": ("What it cannot do", "无法满足的需求"),
    "parameters": ("Parameters", "参数"),
    "no-parameters": ("It takes no parameters.", "没有参数。"),
    "output": ("Output", "输出格式"),
    "errors": ("Errors", "错误一览"),
    "expected": ("Expected output:", "预期输出："),
    "yes": ("yes", "是"),
    "no": ("no", "否"),
    "fill-use": ("<!-- at least three typical uses -->", "<!-- 至少 3 个典型场景 -->"),
    "fill-not": ("<!-- which tool to use instead, and when -->", "<!-- 何时改用哪个工具 -->"),
    "fill-cannot": ("<!-- needs that it cannot meet -->", "<!-- 此技能无法满足的需求 -->"),
    "fill-output": ("<!-- replace by a real answer -->", "<!-- 换成真实输出 -->"),
    "fill-errors": ("<!-- one row for each error -->", "<!-- 每种错误一行 -->"),
    "fill-examples": ("<!-- at least two scenarios -->", "<!-- 至少 2 个场景 -->"),
    "fill-trimming": ("<!-- what was exposed, what was left out, and why -->", "<!-- 暴露和排除的功能及原因 -->"),
}


class _Writer:
    """Says the same things in one language."""

    def __init__(self, lang: CheckLang) -> None:
        self._at = lang == "zh"

    def word(self, key: str, **values: str) -> str:
        return _WORDS[key][self._at].format(**values)

    def heading(self, key: str) -> str:
        return "## " + next(titles[self._at] for name, *titles in HEADINGS if name == key)

    def table(self, head: str, rows: Sequence[Sequence[str]], empty: str = "") -> Iterator[str]:
        title = self.word(head)
        width = title.count("|") - 1
        yield from (title, "|" + "---|" * width)
        filled = rows or ([[empty] + [""] * (width - 1)] if empty else [])
        yield from ("| " + " | ".join(_cell(cell) for cell in row) + " |" for row in filled)
        yield ""

    def parameters(self, parameters: Sequence[Parameter]) -> Iterator[str]:
        if not parameters:
            yield from (self.word("no-parameters"), "")
            return
        yield from self.table("parameter-table", [self._row(one) for one in parameters])

    def _row(self, one: Parameter) -> list[str]:
        default = "" if one.default is None else f"`{json.dumps(one.default, ensure_ascii=False)}`"
        return [f"`{one.name}`", one.type, self.word("yes" if one.required else "no"), default, one.description]

    def examples(self, tools: Sequence[Tool], level: int = 3) -> Iterator[str]:
        for tool in tools:
            for example in tool.examples:
                said = {"tool": tool.name, "arguments": arguments_of(tool, example.arguments)}
                yield from (f"{'#' * level} {_line(example.scenario)}", "", "```json")
                yield from (json.dumps(said, ensure_ascii=False, indent=2), "```", "")

    def listed(self, title: str, items: Sequence[str], empty: str = "") -> Iterator[str]:
        if items or empty:
            yield from (f"### {self.word(title)}", "")
            yield from (f"- {_line(item)}" for item in items)
            yield from ([] if items else [self.word(empty)])
            yield ""


def _line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|")


def rendered(skill: Skill, lang: CheckLang) -> str:
    """What a `skill.yaml` says of its tools."""
    write = _Writer(lang)
    lines = [f"# {skill.name}", "", _line(skill.description), ""]
    for tool in skill.tools:
        lines += [f"## {tool.name}", "", _line(tool.description), ""]
        lines += write.listed("use", tool.when_to_use)
        lines += write.listed("not", tool.when_not_to_use)
        lines += [f"### {write.word('parameters')}", "", *write.parameters(tool.parameters)]
        if tool.examples:
            lines += ["#" + write.heading("examples"), "", *write.examples([tool], level=4)]
    return "\n".join(lines).rstrip() + "\n"


def skeleton(skill: Skill, lang: CheckLang) -> str:
    """A page in the template's shape: filled in where the skill itself tells, with comments where its author has to."""
    write = _Writer(lang)
    switch = f"SKILL_{re.sub(r'[^A-Za-z0-9]', '_', skill.name).upper()}_ENABLED"
    library = " ".join(filter(None, (skill.metadata.get("library", ""), skill.metadata.get("version", ""))))
    lines = [f"# {skill.name}", "", write.heading("overview"), "", _line(skill.description), ""]
    if library:
        lines += [write.word("wraps", library=library), ""]
    lines += [write.word("switch", switch=switch), "", write.heading("tools"), ""]
    rows = [[f"`{tool.name}`", tool.description, f"`{switch}` ≠ `false`"] for tool in skill.tools]
    lines += [*write.table("tool-table", rows), write.heading("uses"), ""]
    lines += write.listed("use", [text for tool in skill.tools for text in tool.when_to_use], "fill-use")
    lines += write.listed("not", [text for tool in skill.tools for text in tool.when_not_to_use], "fill-not")
    lines += [f"### {write.word('cannot')}", "", write.word("fill-cannot"), "", write.heading("details"), ""]
    for tool in skill.tools:
        lines += [f"### {tool.name}", "", _line(tool.description), "", *write.parameters(tool.parameters)]
        lines += [f"**{write.word('output')}**", "", "```text", write.word("fill-output"), "```", ""]
        lines += [f"**{write.word('errors')}**", "", *write.table("error-table", [], write.word("fill-errors"))]
    lines += [write.heading("examples"), ""]
    for line in write.examples(skill.tools):
        lines.append(line)
        if line == "```":
            lines += ["", write.word("expected"), "", "```text", write.word("fill-output"), "```"]
    if not any(tool.examples for tool in skill.tools):
        lines += [write.word("fill-examples"), ""]
    lines += [write.heading("trimming"), "", *write.table("feature-table", [], write.word("fill-trimming"))]
    return "\n".join(lines).rstrip() + "\n"
