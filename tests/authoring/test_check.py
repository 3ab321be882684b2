from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metier import Severity
from metier.authoring.check import check_file, check_paths
from metier.authoring.fix import apply_fix, plan_fix
from metier.authoring.formats import as_github, as_json, as_sarif
from metier.errors import FileFailed
from tests.conftest import head, write, write_skill


def codes_of(path: Path, rules: str = "std") -> list[str]:
    return [one.code for one in check_file(str(path), "strict" if rules == "strict" else "std").diagnostics]


@pytest.mark.proves("P08", "P17", "P12")
@pytest.mark.parametrize(
    ("header", "codes"),
    [
        ("name: x\ndescription: d\n", []),
        ("name: x\ndescription: d\ncompatibility: ''\n", ["compatibility-empty"]),
        (f"name: x\ndescription: d\ncompatibility: {'c' * 500}\n", []),
        (f"name: x\ndescription: d\ncompatibility: {'c' * 501}\n", ["compatibility-too-long"]),
        (f"name: x\ndescription: {'d' * 1025}\n", ["description-too-long"]),
        ("name: y\ndescription: d\n", ["name-folder-mismatch"]),
        ("name: x\ndescription: d\nversion: 1\nmodel: m\n", ["field-unknown", "field-unknown"]),
        ("name: x\ndescription: d\nmetadata:\n  a:\n    b: c\n", ["metadata-not-text"]),
        ("name: x\ndescription: d\nmetadata: m\n", ["metadata-not-mapping"]),
        ("name: x\ndescription: d\nallowed-tools:\n  - Read\n", ["allowed-tools-list"]),
        ("name: x\ndescription: d\nallowed-tools: [Read]\n", ["yaml-flow-style", "allowed-tools-list"]),
        ("name:\ndescription:\n  - d\n", ["name-empty", "description-not-text"]),
        ("description: d\n", ["name-missing"]),
        (
            "name: [x]\ndescription: d\n",
            ["yaml-flow-style", "yaml-repaired", "name-characters", "name-folder-mismatch"],
        ),
    ],
)
def test_the_standards_rules(tmp_path: Path, header: str, codes: list[str]) -> None:
    path = write(tmp_path / "x/SKILL.md", f"---\n{header}---\nBody.\n")
    assert sorted(codes_of(path)) == sorted(codes)


def test_each_problem_stands_at_the_line_of_its_field(tmp_path: Path) -> None:
    path = write(tmp_path / "x/SKILL.md", "---\n# c\nname: Y\ndescription: d\nzebra: 1\n---\n")
    found = {one.code: one.line for one in check_file(str(path), "std").diagnostics}
    assert found == {"name-not-lowercase": 3, "name-folder-mismatch": 3, "field-unknown": 5}


@pytest.mark.proves("P12")
def test_the_folder_one_stands_in_has_its_real_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_skill(tmp_path, "mine").parent)
    (report,) = check_paths(["."], "std")
    assert report.is_valid


@pytest.mark.proves("S3-41")
def test_strict_rules_add_advice(tmp_path: Path) -> None:
    folder = write_skill(
        tmp_path, "x", "Formats tables", "See [rules](references/rules.md) and [gone](gone.md#a).\n"
    ).parent
    write(folder / "references/rules.md", "r")
    write(folder / "scripts/run.py", "print(1)\n")
    write(folder / "scripts/good.sh", "#!/bin/sh\n# usage: good.sh FILE\n")
    found = check_file(str(folder / "SKILL.md"), "strict").diagnostics
    assert sorted(one.code for one in found) == [
        "description-no-trigger",
        "link-dead",
        "script-no-shebang",
        "script-no-usage",
    ]
    assert {one.severity for one in found} == {Severity.WARNING}
    assert codes_of(folder / "SKILL.md") == []


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("", ["body-empty"]),
        ("line\n" * 501, ["body-too-long"]),
        ("word " * 5000, ["body-too-long"]),
        ("See [up](../other/x.md).", ["link-outside"]),
        ("See [web](https://x.y), [mail](mailto:a@b), [top](#top), `scripts/` and [dir](scripts).", []),
        ("```\n[not a link](nope.md)\n```\nUse `scripts/missing.py`.", ["link-dead"]),
    ],
)
def test_advice_on_the_body(tmp_path: Path, body: str, codes: list[str]) -> None:
    path = write_skill(tmp_path, "x", body=body)
    write(path.parent / "scripts/run.txt", "")
    assert codes_of(path, "strict") == codes


def test_a_folder_of_many_skills_is_checked_file_by_file(tmp_path: Path) -> None:
    write_skill(tmp_path / "skills", "good")
    write(tmp_path / "skills/group/bad/SKILL.md", "nothing")
    write(tmp_path / "skills/case/Skill.md", head("case"))
    write(tmp_path / "skills/tool/skill.yaml", "name: other\ndescription: d\nruntime: binary\nentry: gone\n")
    reports = {Path(one.path).parent.name: one for one in check_paths([str(tmp_path)], "std")}
    assert {name: report.is_valid for name, report in reports.items()} == {
        "good": True,
        "bad": False,
        "case": False,
        "tool": False,
    }
    assert [one.code for one in reports["case"].diagnostics] == ["file-name-case"]


def test_a_folder_without_any_skill_is_an_error(tmp_path: Path) -> None:
    (report,) = check_paths([str(tmp_path)], "std")
    assert [one.code for one in report.diagnostics] == ["file-missing"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("\ufeff---\nname: x\ndescription: d\n---\nB\n", "---\nname: x\ndescription: d\n---\nB\n"),
        (
            '---\nname: x\ndescription: Use when: "a" \\ b\n---\nB: c\n',
            '---\nname: x\ndescription: "Use when: \\"a\\" \\\\ b"\n---\nB: c\n',
        ),
        (
            "---\nname: x\ndescription: first\nsecond: line: here\n---\n",
            '---\nname: x\ndescription: first\nsecond: "line: here"\n---\n',
        ),
        ("---\nname: Other\ndescription: d\n---\n", "---\nname: x\ndescription: d\n---\n"),
        ("---\ndescription: d\n---\n", "---\nname: x\ndescription: d\n---\n"),
        (
            "---\nname: x\ndescription: d\nallowed-tools:\n  - Read\n  - Bash(git add *)\nlicense: MIT\n---\n",
            "---\nname: x\ndescription: d\nallowed-tools: Read Bash(git add *)\nlicense: MIT\n---\n",
        ),
        (
            "---\nname: x\ndescription: d\nallowed-tools: [Read, Write]\n---\n",
            "---\nname: x\ndescription: d\nallowed-tools: Read Write\n---\n",
        ),
        (
            "---\r\nname: y\r\ndescription: d\r\nzebra: 1  # kept\r\n---\r\nB\r\n",
            "---\r\nname: x\r\ndescription: d\r\nzebra: 1  # kept\r\n---\r\nB\r\n",
        ),
    ],
    ids=["bom", "colon", "second colon", "name", "no name", "block list", "flow list", "crlf and comments"],
)
@pytest.mark.proves("P17")
def test_what_is_safe_to_mend_is_mended_and_the_rest_left_alone(tmp_path: Path, before: str, after: str) -> None:
    path = write(tmp_path / "x/SKILL.md", before)
    path.chmod(0o640)
    fix = plan_fix(str(path))
    assert fix is not None
    assert path.read_bytes() == before.encode()
    apply_fix(fix)
    assert path.read_bytes().decode() == after
    assert path.stat().st_mode & 0o777 == 0o640
    assert plan_fix(str(path)) is None
    assert [item.name for item in path.parent.iterdir()] == ["SKILL.md"]


@pytest.mark.parametrize(
    "text",
    ["", "no frontmatter", "---\nname: x\n", "---\nname: x\ndescription: d\n---\n", "---\n- a\n---\n", "\0"],
)
def test_what_is_not_safe_to_mend_is_left_alone(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "x/SKILL.md", text)
    assert plan_fix(str(path)) is None


def test_a_folder_whose_name_is_no_name_does_not_name_the_skill(tmp_path: Path) -> None:
    path = write(tmp_path / "Not A Name/SKILL.md", head("fine"))
    assert plan_fix(str(path)) is None


def test_a_fix_that_cannot_be_written_is_an_error_and_loses_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "x/SKILL.md", head("y"))
    fix = plan_fix(str(path))
    assert fix is not None
    path.unlink()
    path.parent.rmdir()
    with pytest.raises(FileFailed):
        apply_fix(fix)


def test_reports_for_other_programs(tmp_path: Path) -> None:
    write(tmp_path / "x/SKILL.md", "---\nname: x\ndescription: Use when: 50% done\n---\n")
    reports = list(check_paths([str(tmp_path / "x")], "std"))
    assert as_json(reports)["summary"] == {"files": 1, "valid": 0, "errors": 1, "warnings": 0}
    (line,) = as_github(reports, str(tmp_path))
    assert line.startswith("::error file=x/SKILL.md,line=3,col=1,title=yaml-repaired::")
    assert "50%25 done" in line
    sarif: Any = as_sarif(reports, str(tmp_path))
    assert sarif["version"] == "2.1.0"
    (run,) = sarif["runs"]
    assert run["results"][0]["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "x/SKILL.md"},
        "region": {"startLine": 3, "startColumn": 1},
    }
    assert run["tool"]["driver"]["rules"][0]["id"] == "yaml-repaired"
