"""The documentation of a Python skill: one page in the template's shape, with everything that each section owes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, cast

from metier.authoring.examples import misfit
from metier.authoring.omega.gate import Finding, Verdict, found, judged, message_lang, unchecked
from metier.authoring.omega.markdown import Section, item_of, lines_of, sections

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.authoring.omega.gate import CheckLang
    from metier.messages import Lang
    from metier.tool import Tool

HEADINGS: tuple[tuple[str, str, str], ...] = (
    ("overview", "Overview", "概述"),
    ("tools", "Tools", "工具列表"),
    ("uses", "When to use / when not to use", "何时使用 / 何时不用"),
    ("details", "Tool details", "工具详细说明"),
    ("examples", "Examples", "使用示例"),
    ("trimming", "Trimming decisions", "裁剪决策"),
)
"""The sections of docs/skills/<name>.md in their order, in English and Chinese."""

SWITCH = re.compile(r"\bSKILL_[A-Z0-9_]+_ENABLED\b")
_VERSION = re.compile(r"\bv?\d+\.\d+(?:\.\d+)*\b|\bv\d+\b|[><=~^]=?\s*\d+")
_NOT = re.compile(
    r"何时不用|不要用|不适用|不应使用|请勿|不用|\bnot to use\b|\bwhen not\b|\bdo not use\b|\bnot for\b", re.IGNORECASE
)
_OTHER = re.compile(r"替代|区别|改用|相似|类似|请用|更轻量|\binstead\b|\bsimilar\b|\bdiffer|\balternative|\brather\b|\blighter\b|\buse `?\w+_\w+", re.IGNORECASE)  # fmt: skip  # noqa: E501
_CANNOT = re.compile(r"无法|不能|不支持|做不到|\bcannot\b|\bcan not\b|\bcan't\b|\bdoes not\b|\bnot supported\b|\bunable\b|\bnever\b", re.IGNORECASE)  # fmt: skip  # noqa: E501
_PLACEHOLDER = re.compile(r"<[a-z_ ]+>|\bfoo\b|\bbar\b|\bxxx+\b|\blorem\b|\btodo\b|\btbd\b|待补充|某某|占位|^\s*(?:\.{3}|…)\s*$", re.IGNORECASE | re.MULTILINE)  # fmt: skip  # noqa: E501

_GATES = ("a-docs-overview", "a-docs-tools", "a-docs-uses", "a-docs-details", "a-docs-examples", "a-docs-trimming")


def docs_verdicts(path: str, text: str | None, tools: Sequence[Tool], switch: str, lang: CheckLang) -> list[Verdict]:
    """Every gate on a skill's page; without a text, there is no page."""
    if text is None:
        reason = found("docs-missing", path)
        return [
            judged("a-docs-template", [reason]),
            *(unchecked(gate, reason) for gate in (*_GATES, "a-docs-output")),
        ]
    page = _Page(path, text, lang)
    return [
        judged("a-docs-template", list(page.shape())),
        judged("a-docs-overview", list(page.overview(switch))),
        judged("a-docs-tools", list(page.tools(tools))),
        judged("a-docs-uses", list(page.uses())),
        judged("a-docs-details", list(page.details(tools))),
        judged("a-docs-output", list(page.placeholders())),
        judged("a-docs-examples", list(page.examples(tools))),
        judged("a-docs-trimming", list(page.trimming())),
    ]


def _plain(title: str) -> str:
    return re.sub(r"\s*/\s*|\s+", " ", title).strip().lower()


class _Page:
    """One page, by its sections."""

    def __init__(self, path: str, text: str, lang: CheckLang) -> None:
        self._path = path
        self._lang: CheckLang = lang
        names = {_plain(title): key for key, *titles in HEADINGS for title in titles}
        self._order: list[str] = []
        self._sections: dict[str, Section] = {}
        # What stands in a comment is for the author; its lines stay, so that places stay right.
        shown = re.sub(r"<!--.*?-->", lambda match: "\n" * match[0].count("\n"), text, flags=re.DOTALL)
        for section in sections(lines_of(shown)):
            key = names.get(_plain(section.title))
            if key and key not in self._sections:
                self._order.append(key)
                self._sections[key] = section

    def _found(self, key: str, section: str = "", /, **values: object) -> Finding:
        there = self._sections.get(section)
        return found(key, self._path, there.number if there else None, **values)

    def _title(self, key: str) -> str:
        return next(titles[self._lang == "zh"] for name, *titles in HEADINGS if name == key)

    def _section(self, key: str) -> tuple[Section | None, list[Finding]]:
        section = self._sections.get(key)
        return section, [] if section else [self._found("docs-no-section", title=self._title(key))]

    def shape(self) -> Iterator[Finding]:
        """Sections that are left out or stand in another order."""
        for key, *_ in HEADINGS:
            yield from self._section(key)[1]
        wanted = [key for key, *_ in HEADINGS if key in self._sections]
        for have, want in zip(self._order, wanted, strict=True):
            if have != want:
                yield self._found("docs-order", have, title=self._title(want), other=self._title(have))
                return

    def overview(self, switch: str) -> Iterator[Finding]:
        """What it is, of which version, and how it is switched off."""
        section, missing = self._section("overview")
        yield from missing
        if section is None:
            return
        if len(re.findall(r"\w", section.prose)) < 10:
            yield self._found("docs-no-sentence", "overview")
        if not _VERSION.search(section.text):
            yield self._found("docs-no-version", "overview")
        if not SWITCH.search(section.text):
            yield self._found("docs-no-switch", "overview", switch=switch)

    def tools(self, tools: Sequence[Tool]) -> Iterator[Finding]:
        """A table with a row for every tool."""
        section, missing = self._section("tools")
        yield from missing
        if section is None:
            return
        if not section.tables:
            yield self._found("docs-no-table", "tools", title=self._title("tools"))
            return
        cells = {cell.strip("`*") for table in section.tables for row in table[1:] for cell in row}
        for tool in tools:
            if tool.name not in cells:
                yield self._found("docs-tool-row", "tools", name=tool.name)

    def uses(self) -> Iterator[Finding]:
        """Three uses, when not to use it, what to use instead, what it cannot do."""
        section, missing = self._section("uses")
        yield from missing
        if section is None:
            return
        good = _cases(section)
        if len(good) < 3:
            yield self._found("docs-few-uses", "uses", count=len(good))
        for key, pattern in (("docs-no-not", _NOT), ("docs-no-other", _OTHER), ("docs-no-cannot", _CANNOT)):
            if not pattern.search(section.text):
                yield self._found(key, "uses")

    def details(self, tools: Sequence[Tool]) -> Iterator[Finding]:
        """For every tool: parameters in five columns, a real output, errors in three columns."""
        section, missing = self._section("details")
        yield from missing
        for tool in tools if section else ():
            part = next((one for one in section.below() if tool.name in one.title), None) if section else None
            if part is None:
                yield self._found("docs-no-part", "details", name=tool.name)
                continue
            widths = {len(table[0]) for table in part.tables}
            for width, key in ((5, "docs-no-parameters"), (3, "docs-no-errors")):
                if width not in widths:
                    yield found(key, self._path, part.number, name=tool.name)
            if not any(text.strip() for _, text in part.blocks):
                yield found("docs-no-output", self._path, part.number, name=tool.name)

    def placeholders(self) -> Iterator[Finding]:
        """Samples that nobody has ever seen come out of a tool."""
        for key in ("details", "examples"):
            section = self._sections.get(key)
            for _, text in section.blocks if section else ():
                match = _PLACEHOLDER.search(text)
                if match:
                    yield self._found("docs-placeholder", key, words=match[0].strip())

    def examples(self, tools: Sequence[Tool]) -> Iterator[Finding]:
        """Two calls whose JSON could be sent."""
        section, missing = self._section("examples")
        yield from missing
        if section is None:
            return
        blocks = [text for language, text in section.blocks if language == "json"]
        if len(blocks) < 2:
            yield self._found("docs-few-examples", "examples", count=len(blocks))
        for text in blocks:
            wrong = _misfit(text, tools, message_lang(self._lang))
            if wrong:
                yield self._found("docs-example-misfit", "examples", problem=wrong)

    def trimming(self) -> Iterator[Finding]:
        """What was taken from the library, and what was not."""
        section, missing = self._section("trimming")
        yield from missing
        if section is None:
            return
        cells = [cell for table in section.tables for row in table[1:] for cell in row]
        if len(re.findall(r"\w", " ".join((section.prose, *section.items, *cells)))) < 10:
            yield self._found("docs-trimming-empty", "trimming")


def _cases(section: Section) -> list[str]:
    """The items of the lists that say when to use it: not those below a line that says something else."""
    found: list[str] = []
    counts = True
    for line in section.lines:
        item = "" if line.is_code else item_of(line.text)
        if item and counts:
            found.append(item)
        elif not item and line.text.strip():
            counts = not any(pattern.search(line.text) for pattern in (_NOT, _OTHER, _CANNOT))
    return found


def _misfit(text: str, tools: Sequence[Tool], lang: Lang) -> str:
    """Why a block of JSON is no call of any tool: arguments alone, or `{"tool": …, "arguments": {…}}`."""
    try:
        value: object = json.loads(text)
    except ValueError as error:
        return f"not JSON: {error}"
    if not isinstance(value, dict):
        return "not a JSON object"
    fields = cast("dict[str, object]", value)
    inner = fields.get("arguments")
    arguments = cast("dict[str, object]", inner) if isinstance(inner, dict) else fields
    named = [tool for tool in tools if tool.name in (fields.get("tool"), fields.get("name"))] or list(tools)
    problems = [misfit(tool, arguments, lang) for tool in named]
    return "" if not problems or "" in problems else problems[0]
