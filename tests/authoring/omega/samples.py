"""A skill of each kind that passes the whole checklist, for tests to spoil."""

from __future__ import annotations

import os
from pathlib import Path

from metier import Policy
from metier.authoring.omega.gate import CheckLang, Checklist, Status
from metier.authoring.omega.package import check_registered, registered_in
from metier.authoring.omega.workspace import Terms, check_folder
from tests.conftest import write

MANIFEST = """\
name: excel_read
description: "读取 Excel 工作表指定区域内容，返回行列数组。文件上限 20MB。"
runtime: python
entry: main.py

parameters:
  - name: path
    type: string
    required: true
    description: "Excel 文件路径（相对工作区）。示例：data/report.xlsx"

  - name: sheet
    type: string
    required: false
    default: ""
    description: "工作表名，默认第一个 Sheet。示例：Sheet1"

docs:
  when_to_use:
    - 需要读取 .xlsx 文件中的表格数据时
  when_not_to_use:
    - CSV 文件请直接用 file_read
  examples:
    - scenario: "读取销售报表"
      arguments:
        path: "data/sales.xlsx"
"""

PROGRAM = """\
import json, os, sys

def run(arguments):
    path = arguments.get("path")
    if not isinstance(path, str) or not path:
        return {"output": "", "error": "缺少文件路径 — 请提供 path"}
    if not os.path.isfile(os.path.join(os.environ["METIER_WORKSPACE"], path)):
        return {"output": "", "error": f"文件不存在: {path[:50]} — 请先用 file_list 确认路径"}
    return {"output": "姓名,分数", "error": ""}

def main():
    try:
        request = json.loads(sys.stdin.readline())
        arguments = request.get("arguments", {}) if isinstance(request, dict) else {}
        answer = run(arguments if isinstance(arguments, dict) else {})
    except ValueError:
        answer = {"output": "", "error": "参数解析失败 — 请发送一个 JSON 对象"}
    print(json.dumps(answer, ensure_ascii=False))

main()
"""


def write_folder(root: Path, manifest: str = MANIFEST, program: str = PROGRAM, name: str = "excel") -> Path:
    """A skill in a folder below a root."""
    folder = write(root / name / "skill.yaml", manifest).parent
    write(folder / "main.py", program)
    return folder


def terms(project: Path, lang: CheckLang = "zh", *, trust: bool = True) -> Terms:
    return Terms(lang=lang, project=str(project), policy=Policy.profile("default"), environ=os.environ, trust=trust)


def checked(folder: Path, lang: CheckLang = "zh", *, trust: bool = True) -> Checklist:
    """The checklist of a folder."""
    return check_folder(str(folder), terms(folder.parent, lang, trust=trust))


def statuses(done: Checklist) -> dict[str, Status]:
    return {verdict.gate.id: verdict.status for verdict in done.verdicts}


def unmet(done: Checklist) -> list[str]:
    """The gates that are failed or unchecked, advice too."""
    return [verdict.gate.id for verdict in done.verdicts if verdict.status is not Status.PASSED]


def reason(done: Checklist, gate: str, lang: CheckLang = "en") -> str:
    return next(verdict.reason(lang) for verdict in done.verdicts if verdict.gate.id == gate)


# ── a Python project ─────────────────────────────────────────────────────────────────────────────────────────────────

PYPROJECT = """\
[project]
name = "note-skill"
version = "1.0"

[project.entry-points."metier.skills"]
# Notes — https://example.org/notes
note = "note_skill:note"
"""

CODE = '''\
from typing import Annotated

from metier import ProjectSkill, ToolFailed, Workspace

MAX_CHARS = 8000

note = ProjectSkill("note", description="Reads notes.", library="https://example.org/notes", version="1.0")


@note.tool(when_to_use=["a note is asked for"], examples=[("Read a note", {"path": "a.txt"})])
def note_read(
    path: Annotated[str, "The note, relative to the workspace, up to 20 MB. Example: a.txt"],
    lines: Annotated[int, "how many"] = 0,
    *,
    workspace: Workspace,
) -> str:
    """Reads a note as text, up to 8,000 characters."""
    file = workspace.existing(path)
    with open(file, encoding="utf-8") as stream:
        text = stream.read()
    if not text:
        raise ToolFailed("the note is empty", path, "use another note")
    return text[:MAX_CHARS]
'''

TESTS = """\
import pytest

from metier import ToolFailed, Workspace
from note_skill import note_read


def test_a_note_is_read(tmp_path):
    (tmp_path / "a.txt").write_text("hello")
    assert note_read("a.txt", workspace=Workspace(str(tmp_path))) == "hello"


def test_an_empty_path_is_refused(tmp_path):
    with pytest.raises(ToolFailed):
        note_read("", workspace=Workspace(str(tmp_path)))


def test_an_empty_note_is_told(tmp_path):
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(ToolFailed, match="use another note"):
        note_read("a.txt", workspace=Workspace(str(tmp_path)))


def test_a_path_outside_is_refused(tmp_path):
    with pytest.raises(ToolFailed):
        note_read("../a.txt", workspace=Workspace(str(tmp_path)))


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(ToolFailed):
        note_read("b.txt", workspace=Workspace(str(tmp_path)))


def test_a_file_too_large_is_refused(tmp_path):
    with open(tmp_path / "big.txt", "wb") as file:
        file.truncate(20 * 1024 * 1024 + 1)
    with pytest.raises(ToolFailed):
        note_read("big.txt", workspace=Workspace(str(tmp_path)))
"""

PAGE = """\
# note

## Overview

Wraps the library notes 1.0 and reads single notes as text.

Registered unless `SKILL_NOTE_ENABLED` is `false`.

## Tools

| tool | use | condition |
|---|---|---|
| `note_read` | reads a note | `SKILL_NOTE_ENABLED` is not `false` |

## When to use / when not to use

### When to use

- a note is asked for
- the text of a note is quoted
- a note has to be summed up

### When not to use

- tables: use csv_summarize instead
- it cannot write notes

## Tool details

### note_read

| name | type | required | default | description |
|---|---|---|---|---|
| path | string | yes | | the note |

```text
Buy tea.
```

| error | trigger | remedy |
|---|---|---|
| there is no such file | a wrong name | check the name |

## Examples

### Read a note

```json
{"tool": "note_read", "arguments": {"path": "a.txt"}}
```

### Read two lines

```json
{"path": "a.txt", "lines": 2}
```

## Trimming decisions

| feature | exposed | reason |
|---|---|---|
| reading | yes | it is what agents need |
| writing | no | editors do it better |
"""


def write_project(
    root: Path, *, code: str = CODE, tests: str = TESTS, page: str = PAGE, pyproject: str = PYPROJECT
) -> Path:
    """A Python project that registers the skill `note`."""
    write(root / "pyproject.toml", pyproject)
    write(root / "src/note_skill.py", code)
    write(root / "tests/test_note.py", tests)
    write(root / "docs/skills/note.md", page)
    return root


def checked_project(project: Path, lang: CheckLang = "en", *, trust: bool = True) -> Checklist:
    """The checklist of what a project registers."""
    (entry,) = registered_in(str(project))
    return check_registered(entry, terms(project, lang, trust=trust))
