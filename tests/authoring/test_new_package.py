"""The Python package that `metier new --kind package` makes."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from metier.authoring.new import Order, make_skill

HEADINGS = {
    "en": ["Overview", "Tools", "When to use / when not to use", "Tool details", "Examples", "Trimming decisions"],
    "zh": ["概述", "工具列表", "何时使用 / 何时不用", "工具详细说明", "使用示例", "裁剪决策"],
}


def made(place: Path, lang: str) -> Path:
    return Path(
        make_skill(Order(name="word-tools", kind="package", place=str(place), lang="zh" if lang == "zh" else "en")).path
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_package_registers_a_skill_and_names_its_library(project: Path, lang: str) -> None:
    folder = made(project, lang)
    text = (folder / "pyproject.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)["project"]["entry-points"]["metier.skills"]
    assert entries == {"word-tools": "skill_word_tools:skill"}
    comment = text[: text.index("[project.entry-points")].rstrip().splitlines()[-2]
    assert comment == "# Word tools — https://docs.python.org/3 (Python 3.11)"
    source = ast.parse((folder / "src/skill_word_tools/__init__.py").read_text(encoding="utf-8"))
    assigned = {
        target.id
        for node in source.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    assert "skill" in assigned
    assert [node.name for node in source.body if isinstance(node, ast.FunctionDef)] == ["word_tools_count"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_its_page_has_every_section_and_every_table(project: Path, lang: str) -> None:
    page = (made(project, lang) / "docs/skills/word-tools.md").read_text(encoding="utf-8")
    assert re.findall(r"(?m)^## (.+)$", page) == HEADINGS[lang]
    assert "SKILL_WORD_TOOLS_ENABLED=false" in page
    assert page.count("```json") == 2
    widths = {line.count("|") - 1 for line in page.splitlines() if line.startswith("|---")}
    assert widths == {3, 5}


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), *sys.path)), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, encoding="utf-8", check=False, env=environ
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_its_own_tests_pass_and_once_installed_its_tool_runs(project: Path, lang: str) -> None:
    folder = made(project, lang)
    tested = python(folder / "src", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder))
    assert tested.returncode == 0, tested.stdout
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(project / "dist")],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = (project / "dist").glob("*.whl")
    zipfile.ZipFile(wheel).extractall(project / "installed")
    (project / "plan.md").write_text("one two\n", encoding="utf-8")
    done = python(project / "installed", "-m", "metier", "run", "word_tools_count", "--args", '{"path": "plan.md"}')
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ("lines 1, words 2, characters 8" if lang == "en" else "行 1，词 2，字符 8")
