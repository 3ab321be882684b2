"""The pages on Python packages say what is true: their calls are run, their tables compared with the code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from metier import ToolFailed, Workspace
from metier.builtin_skills import excel as package
from metier.builtin_skills.excel import excel
from metier.builtin_skills.excel.messages import TEXTS
from metier.messages import catalogue
from tests.conftest import write

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs/skills/excel.md").read_text(encoding="utf-8")
CALL = re.compile(
    r"`(excel_\w+)` with\n\n```json\n(.*?)\n```\n\n(answers|fails with)\n\n```text\n(.*?)\n```", re.DOTALL
)
SECTIONS = [
    "Overview",
    "Tools",
    "When to use / when not to use",
    "Tool details",
    "Examples",
    "Trimming decisions",
]


def sections(text: str, level: str = "##") -> dict[str, str]:
    """The parts of a page below headings of one level, in their order."""
    heads = [*re.finditer(rf"^{level} (.+)$", text, re.MULTILINE)]
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return {head[1]: text[head.end() : end] for head, end in zip(heads, ends, strict=True)}


def rows(text: str) -> list[list[str]]:
    """The cells of all tables in a text."""
    lines = [line for line in text.split("\n") if line.startswith("| ")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_the_page_of_the_excel_skill_has_the_sections_of_the_template() -> None:
    template = (ROOT / "docs/skills/_template.md").read_text(encoding="utf-8")
    assert list(sections(template)) == list(sections(PAGE)) == SECTIONS


def test_every_call_on_the_page_answers_as_the_page_says(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    workspace = Workspace(str(tmp_path))
    calls = CALL.findall(PAGE)
    assert len(calls) == PAGE.count("```json") == 7
    for name, arguments, word, told in calls:
        function: Any = getattr(package, name)
        try:
            answer, expected = function(**json.loads(arguments), workspace=workspace), "answers"
        except ToolFailed as error:
            answer, expected = str(error), "fails with"
        assert (expected, answer) == (word, told)
    assert len(CALL.findall(sections(PAGE)["Examples"])) >= 2


def test_the_tables_of_the_page_are_those_of_the_code() -> None:
    details = sections(sections(PAGE)["Tool details"], "###")
    assert sorted(details) == [tool.name for tool in excel.tools]
    for tool in excel.tools:
        table = [row for row in rows(details[tool.name]) if len(row) == 5]
        assert table[1:] == [
            [
                f"`{one.name}`",
                one.type,
                "yes" if one.required else "no",
                "" if one.required else f"`{json.dumps(one.default)}`",
                one.description,
            ]
            for one in tool.parameters
        ]
        assert tool.name in [row[0].strip("`") for row in rows(sections(PAGE)["Tools"])]
        assert CALL.search(details[tool.name])


def test_every_error_of_the_skill_is_on_the_page_and_no_other() -> None:
    def shown(parts: tuple[str, str, str]) -> str:
        problem, value, step = (re.sub(r"\{[^}]*\}", "…", part) for part in parts)
        return str(ToolFailed(problem, value, step))

    ours = {shown(parts) for key, parts in TEXTS["en"].items() if parts[2] and key != "range-outside"}
    for key in ("most-rows", "most-columns"):
        most = TEXTS["en"][key][0].format(count="…")
        problem, value, step = TEXTS["en"]["range-outside"]
        ours.add(str(ToolFailed(problem.format(most=most), value, step)))
    of_workspace = ("path-missing", "path-outside", "file-folder", "workspace-missing", "workspace-odd",
                    "workspace-too-large", "workspace-no-folder", "workspace-exists")  # fmt: skip
    for key in of_workspace:
        parts = catalogue("en")[key]
        assert not isinstance(parts, str)
        ours.add(shown(parts))
    told = {row[0].strip("`") for row in rows(sections(PAGE)["Tool details"]) if len(row) == 3 and row[0] != "error"}
    assert told == ours


def test_the_page_names_uses_neighbours_and_what_cannot_be_done() -> None:
    text = sections(PAGE)["When to use / when not to use"]
    places = [text.index(head) for head in ("Use it when", "How it differs from similar tools", "It cannot")]
    assert places == sorted(places)
    counts = [part.count("\n- ") for part in (text[a:b] for a, b in pairwise([*places, len(text)]))]
    assert counts[0] >= 3
    assert min(counts) >= 1
    overview = sections(PAGE)["Overview"]
    assert "SKILL_EXCEL_ENABLED" in overview
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert extras["excel"] == ["openpyxl>=3.1"]
    assert "openpyxl 3.1" in overview
    assert len(rows(sections(PAGE)["Trimming decisions"])) > 5


def test_the_place_of_registration_names_the_library() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    group = text.split('[project.entry-points."metier.skills"]\n', 1)[1].split("\n\n", 1)[0]
    assert group == '# Excel — https://openpyxl.readthedocs.io\nexcel = "metier.builtin_skills.excel:excel"'


def test_the_example_of_a_package_says_what_its_page_claims(project: Path) -> None:
    write(project / "notes.txt", "one two\nthree\n")
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs_src/python_package.py")],
        cwd=project,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    page = (ROOT / "docs/python-packages.md").read_text(encoding="utf-8")
    assert f"```text\n{done.stdout}```" in page


@pytest.mark.parametrize("name", ["enabled: text_count", "disabled by SKILL_TEXT_ENABLED=false", "is off: "])
def test_the_page_quotes_the_lines_of_the_log(name: str) -> None:
    assert f"text skill {name}" in (ROOT / "docs/python-packages.md").read_text(encoding="utf-8")
