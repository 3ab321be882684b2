"""`metier check --rules omega` and `metier docs`, run as a person or a program would run them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metier.authoring.omega.docs_gates import docs_verdicts
from metier.authoring.omega.gate import CheckLang, Status
from metier.authoring.skill_docs import skeleton
from metier.builtin_skills.excel import excel
from tests.authoring.omega.samples import MANIFEST, write_folder, write_project
from tests.cli.test_commands import run, run_json
from tests.conftest import write, write_skill


@pytest.mark.proves("S4-001", "S4-088")
def test_a_complete_skill_ends_with_0_and_one_failed_gate_with_1(project: Path) -> None:
    folder = write_folder(project / "skills")
    done = run("check", "skills/excel", "--rules", "omega", "--lang", "zh", "--trust")
    assert "→ 已完成" in done.stdout
    assert "✗" not in done.stdout
    write(folder / "skill.yaml", MANIFEST.replace("示例：Sheet1", ""))
    done = run("check", "skills/excel", "--rules", "omega", "--lang", "zh", "--trust", status=1)
    assert "✗ 每个参数说明含格式、约束、示例三要素" in done.stdout
    assert "excel_read 的参数 'sheet' 缺少：示例" in done.stdout
    assert "下一步: 请写明是什么" in done.stdout
    assert "→ 未完成：还有 1 项" in done.stdout


def test_a_gate_that_could_not_be_checked_is_not_passed(project: Path) -> None:
    write_folder(project / "skills")
    done = run("--lang", "zh-Hans", "check", "--rules", "omega", status=1)
    assert "– 严格遵守 stdio JSON 协议" in done.stdout
    assert "请阅读其代码后用 --trust 检查" in done.stdout
    done = run("check", "--rules", "omega", "--lang", "en", status=1)
    assert "the description of excel_read is not in Chinese" not in done.stdout
    assert "nothing is run before the skill is trusted" in done.stdout


def test_the_json_shape(project: Path) -> None:
    write_folder(project / "skills", MANIFEST.replace("name: excel_read", "name: read_excel"))
    (skill,) = run_json("check", "--rules", "omega", status=1)["skills"]
    assert {key: skill[key] for key in ("name", "kind", "complete")} == {
        "name": "excel",
        "kind": "workspace",
        "complete": False,
    }
    assert skill["path"] == str(project / "skills/excel/skill.yaml")
    assert skill["gates"][0] == {
        "id": "b-yaml-name",
        "group": "yaml",
        "level": "must",
        "status": "failed",
        "title": "name is <domain>_<action> and starts with the folder's name",
        "reason": "'read_excel' does not start with excel_",
        "next": "put the domain first: excel_<action>",
    }
    assert {gate["status"] for gate in skill["gates"]} == {"passed", "failed", "unchecked"}


def test_sarif_and_annotations_tell_musts_as_errors_and_advice_as_warnings(project: Path) -> None:
    manifest = MANIFEST.replace("name: excel_read", "name: read_excel").replace("文件上限", "功能强大，文件上限")
    write_folder(project / "skills", manifest)
    log = json.loads(run("check", "--rules", "omega", "--format", "sarif", status=1).stdout)["runs"][0]
    levels = {one["ruleId"]: one["level"] for one in log["results"]}
    assert (levels["b-yaml-name"], levels["b-yaml-wording"]) == ("error", "warning")
    assert all(rule["help"]["text"] for rule in log["tool"]["driver"]["rules"])
    lines = run("check", "--rules", "omega", "--format", "github", status=1).stdout.splitlines()
    assert any(line.startswith("::error file=skills/excel/skill.yaml,title=b-yaml-name::") for line in lines)
    assert any(line.startswith("::warning file=skills/excel/skill.yaml,title=b-yaml-wording::") for line in lines)


def test_a_project_is_checked_beside_the_folders_in_it(project: Path) -> None:
    write_project(project)
    write_folder(project / "skills")
    kinds = {one["name"]: one["kind"] for one in run_json("check", ".", "--rules", "omega", status=1)["skills"]}
    assert kinds == {"excel": "workspace", "note": "builtin"}


def test_a_folder_that_cannot_be_looked_at_is_told(project: Path) -> None:
    elsewhere = write_folder(project.parent / "elsewhere")
    write_folder(project / "skills", name="other")
    (project / "skills/excel").symlink_to(elsewhere, target_is_directory=True)
    assert "link that leads out" in run("check", "skills", "--rules", "omega", status=1).stderr


@pytest.mark.proves("S4-116")
def test_an_author_can_send_a_request_by_hand(project: Path) -> None:
    write_folder(project / "skills")
    write(project / "data/sales.xlsx", "x")
    done = run("run", "./skills/excel", "--args", '{"path": "data/sales.xlsx"}', "--trust")
    assert done.stdout == "姓名,分数\n"
    done = run("run", "./skills/excel", "--args", '{"path": "gone.xlsx"}', "--trust", status=1)
    assert "文件不存在: gone.xlsx — 请先用 file_list 确认路径" in done.stderr


def test_where_there_are_no_tools_the_checklist_says_so(project: Path) -> None:
    write_skill(project / "skills", "plain")
    done = run("check", "skills", "--rules", "omega", status=1)
    assert "no skill.yaml here" in done.stderr
    assert run_json("check", "--rules", "omega") == {"skills": []}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rules", "omega", "--fix"], "--fix goes with"),
        (["--trust"], "go with --rules omega"),
        (["--lang", "zh"], "go with --rules omega"),
    ],
)
def test_options_that_do_not_go_together_are_refused(project: Path, arguments: list[str], said: str) -> None:
    assert said in run("check", *arguments, status=2).stderr


def test_a_pyproject_that_is_no_toml_is_told(project: Path) -> None:
    write(project / "pyproject.toml", "[project\n")
    done = run("check", ".", "--rules", "omega", status=2)
    assert "is not TOML" in done.stderr


# ── docs ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_docs_of_a_manifest_are_rendered(project: Path) -> None:
    write_folder(project / "skills")
    text = run("docs", "excel", "--lang", "zh").stdout
    assert text.startswith("# excel\n")
    assert "## excel_read" in text
    assert "- CSV 文件请直接用 file_read" in text
    assert "| `path` | string | 是 |  | Excel 文件路径（相对工作区）。示例：data/report.xlsx |" in text
    assert '"path": "data/sales.xlsx"' in text
    assert "### When not to use" in run("docs", "excel").stdout
    assert "belongs into its skill.yaml" in run("docs", "excel", "--write", status=2).stderr


def test_a_skill_without_tools_or_without_a_name_is_told(project: Path) -> None:
    write_skill(project / "skills", "plain")
    done = run("docs", "plain", status=1)
    assert "nothing to render" in done.stderr
    assert "metier show plain" in done.stderr
    assert "did you mean 'plain'?" in run("docs", "plane", status=2).stderr


def test_the_page_of_a_package_is_written_once_and_has_the_shape_of_the_template(project: Path) -> None:
    assert "## 裁剪决策" in run("docs", "excel", "--lang", "zh").stdout
    run("docs", "excel", "--write")
    page = project / "docs/skills/excel.md"
    text = page.read_text(encoding="utf-8")
    assert "| `excel_read` |" in text
    assert "SKILL_EXCEL_ENABLED" in text
    page.write_text("mine", encoding="utf-8")
    assert "is not overwritten" in run("docs", "excel", "--write", status=1).stderr
    assert page.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_skeleton_passes_what_the_skill_itself_tells_and_no_more(lang: CheckLang) -> None:
    page = skeleton(excel.skill, lang)
    verdicts = docs_verdicts("excel.md", page, excel.tools, "SKILL_EXCEL_ENABLED", lang)
    open_gates = [one.gate.id for one in verdicts if one.status is not Status.PASSED]
    assert open_gates == ["a-docs-details", "a-docs-trimming"]
