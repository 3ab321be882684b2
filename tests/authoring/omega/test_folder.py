"""The checklist for a folder with a skill.yaml: a skill that passes, and every way not to."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from metier import Policy
from metier.authoring.check import check_file, find
from metier.authoring.new import Order, make_skill
from metier.authoring.omega.checklists import check_all
from metier.authoring.omega.gate import GATES, Status
from metier.authoring.omega.workspace import Terms, check_folder
from tests.authoring.omega.samples import MANIFEST, PROGRAM, checked, reason, statuses, terms, unmet, write_folder
from tests.conftest import BUNDLED, open_profile, write

DESCRIPTION = "读取 Excel 工作表指定区域内容，返回行列数组。文件上限 20MB。"


@pytest.mark.proves("S4-001", "S4-054")
def test_the_sample_of_the_design_passes_every_gate_in_the_order_of_the_checklist(tmp_path: Path) -> None:
    done = checked(write_folder(tmp_path))
    assert unmet(done) == []
    assert (done.is_complete, done.unmet, done.name, done.kind) == (True, (), "excel", "workspace")
    assert list(statuses(done)) == [gate.id for gate in GATES.values() if gate.kind == "workspace"]


@pytest.mark.parametrize("name", ["csv", "json", "text", "files"])
def test_the_tools_that_come_with_metier_pass_in_english(tmp_path: Path, name: str) -> None:
    done = check_folder(f"{BUNDLED}/{name}", terms(tmp_path, "en"))
    assert unmet(done) == []
    assert reason(done, "b-trial-answer") == ""


@pytest.mark.proves("S4-107", "S4-108", "S4-109", "S4-110", "S4-111", "S4-001", "S4-088")
@pytest.mark.parametrize(
    ("old", "new", "gate", "said"),
    [
        ("name: excel_read", "name: ResizeImage", "b-yaml-name", "'ResizeImage' is not <domain>_<action>"),
        ("name: excel_read", "name: excel-read", "b-yaml-name", "'excel-read' is not"),
        ("name: excel_read", "name: write_excel", "b-yaml-name", "'write_excel' does not start with excel_"),
        ("name: excel_read", "", "b-yaml-name", "a tool has no name"),
        ("读取 Excel 工作表指定区域内容", "Excel 工作表指定区域读取工具", "b-yaml-description", "starts with 'Excel'"),
        ("文件上限 20MB。", "格式为二维的文本数组。", "b-yaml-description", "names no limit"),
        (DESCRIPTION, "读取文件 20MB", "b-yaml-description", "has 9 characters"),
        ("文件上限 20MB。", "文件上限 20MB。" * 8, "b-yaml-description", "has 106 characters"),
        ("（相对工作区）。示例：data/report.xlsx", "", "b-yaml-parameters", "'path' of excel_read lacks"),
        ("工作表名，默认第一个 Sheet。示例：Sheet1", "工作表名，默认第一个", "b-yaml-parameters", "'sheet'"),
        ("type: string\n    required: false", "type: array\n    required: false", "b-yaml-parameters", "array"),
        ("runtime: python", "runtime: ruby", "b-yaml-entry", "'ruby'"),
        ("runtime: python", "runtime: node", "b-yaml-entry", "does not go with the runtime node"),
        ("entry: main.py", "entry: gone.py", "b-yaml-entry", "'gone.py' does not exist"),
        ("entry: main.py", "entry: ../main.py", "b-yaml-entry", "leads out"),
        ("entry: main.py", "", "b-yaml-entry", "has no entry"),
        ("  when_to_use:\n    - 需要读取 .xlsx 文件中的表格数据时\n", "", "b-yaml-docs", "docs.when_to_use"),
        ("  when_not_to_use:\n    - CSV 文件请直接用 file_read\n", "", "b-yaml-docs", "docs.when_not_to_use"),
    ],
)  # fmt: skip
def test_each_breach_in_the_manifest_fails_its_gate(tmp_path: Path, old: str, new: str, gate: str, said: str) -> None:
    assert MANIFEST.count(old) == 1
    done = checked(write_folder(tmp_path, MANIFEST.replace(old, new)))
    assert statuses(done)[gate] is Status.FAILED
    assert said in reason(done, gate)
    assert not done.is_complete
    assert gate in [verdict.gate.id for verdict in done.unmet]


@pytest.mark.proves("S4-111")
def test_a_tool_without_docs_loads_all_the_same(project: Path) -> None:
    write_folder(project / "skills", MANIFEST.partition("docs:")[0])
    assert [tool.name for tool in open_profile(project).require("excel").tools] == ["excel_read"]


@pytest.mark.proves("S4-034")
def test_a_tool_without_docs_loads_and_draws_one_piece_of_advice(project: Path) -> None:
    folder = write_folder(project / "skills", MANIFEST.partition("docs:")[0])
    assert open_profile(project).require("excel").tools
    found = check_file(str(folder / "skill.yaml"), "strict").diagnostics
    assert [(one.code, one.severity) for one in found] == [("tool-docs-missing", "warning")]
    assert check_file(str(folder / "skill.yaml"), "std").diagnostics == ()


@pytest.mark.proves("S4-037")
@pytest.mark.parametrize(
    ("arguments", "is_good"),
    [("{path: a.xlsx, sheet: '3'}", True), ("{path: a.xlsx, rows: 3}", False), ("{sheet: A}", False), ("{}", False)],
)
def test_an_example_that_does_not_fit_draws_advice(tmp_path: Path, arguments: str, *, is_good: bool) -> None:
    manifest = MANIFEST.replace('arguments:\n        path: "data/sales.xlsx"', f"arguments: {arguments}")
    folder = write_folder(tmp_path, manifest)
    codes = [one.code for one in check_file(str(folder / "skill.yaml"), "strict").diagnostics]
    assert codes == ([] if is_good else ["tool-example"])
    done = checked(folder, trust=False)
    assert (statuses(done)["b-yaml-examples"] is Status.PASSED) is is_good


@pytest.mark.parametrize(
    ("kind", "value", "is_good"),
    [("integer", "3", True), ("integer", "x", False), ("boolean", "true", True), ("number", "0.5", True)],
)
def test_scalars_of_examples_become_what_the_parameter_asks_for(
    tmp_path: Path, kind: str, value: str, *, is_good: bool
) -> None:
    manifest = (
        MANIFEST.replace("name: sheet\n    type: string", f"name: sheet\n    type: {kind}")
        .replace('    default: ""\n', "")
        .replace('path: "data/sales.xlsx"', f"path: a.xlsx\n        sheet: {value}")
    )
    done = checked(write_folder(tmp_path, manifest), trust=False)
    assert (statuses(done)["b-yaml-examples"] is Status.PASSED) is is_good


@pytest.mark.proves("S4-048", "S4-050", "S4-051", "S4-055")
@pytest.mark.parametrize(
    ("name", "description", "code"),
    [
        ("excelize", "读取 Excel 工作表指定区域内容，文件上限 20MB。", "tool-name-library"),
        ("imaging", "调整图片的大小并保存为新文件，上限 20MB。", "tool-name-library"),
        ("excel", "Excel 工作表指定区域读取，文件上限 20MB。", "tool-description-verb"),
        ("excel", "读取 Excel 工作表指定区域内容，返回行列数组。", "tool-description-limit"),
        ("excel", "读取 Excel 工作表，功能强大，文件上限 20MB。", "tool-description-padding"),
        ("excel", "读取 Excel 工作表，调用 openpyxl，上限 20MB。", "tool-description-padding"),
    ],
)
def test_what_is_only_advice_is_told_and_fails_nothing(tmp_path: Path, name: str, description: str, code: str) -> None:
    manifest = MANIFEST.replace("name: excel_read", f"name: {name}_read").replace(
        "读取 Excel 工作表指定区域内容，返回行列数组。文件上限 20MB。", description
    )
    folder = write_folder(tmp_path, manifest, name=name)
    report = check_file(str(folder / "skill.yaml"), "strict")
    assert ([one.code for one in report.diagnostics], report.is_valid) == ([code], True)


@pytest.mark.parametrize(
    ("name", "description", "gate"),
    [
        ("excelize", "读取 Excel 工作表指定区域内容，文件上限 20MB。", "b-yaml-domain"),
        ("excel", "读取 Excel 工作表，功能强大，文件上限 20MB。", "b-yaml-wording"),
    ],
)
def test_advice_is_part_of_the_checklist_and_leaves_it_complete(
    tmp_path: Path, name: str, description: str, gate: str
) -> None:
    manifest = MANIFEST.replace("name: excel_read", f"name: {name}_read").replace(
        "读取 Excel 工作表指定区域内容，返回行列数组。文件上限 20MB。", description
    )
    done = checked(write_folder(tmp_path, manifest, name=name))
    assert (unmet(done), done.is_complete) == ([gate], True)


def test_a_manifest_that_is_no_yaml_fails_with_its_reason(tmp_path: Path) -> None:
    done = checked(write_folder(tmp_path, "name: [\n"))
    assert statuses(done)["b-yaml-name"] is Status.FAILED
    assert "YAML" in reason(done, "b-yaml-name")
    assert statuses(done)["b-yaml-docs"] is statuses(done)["b-code-protocol"] is Status.UNCHECKED
    assert statuses(done)["b-trial-reload"] is Status.FAILED


def test_every_tool_of_a_list_is_judged(tmp_path: Path) -> None:
    one, _, rest = MANIFEST.partition("\n")
    lines = "\n".join(f"    {line}" for line in rest.splitlines())
    second = "  - name: excel_write\n    description: x\n    runtime: python\n    entry: main.py\n"
    manifest = f"tools:\n  - {one}\n{lines}\n{second}"
    done = checked(write_folder(tmp_path, manifest))
    assert statuses(done)["b-yaml-name"] is Status.PASSED
    assert "excel_write" in reason(done, "b-yaml-description")
    assert "excel_read" not in reason(done, "b-yaml-description")


# ── the live test ────────────────────────────────────────────────────────────────────────────────────────────────────

LIVE = ("b-code-protocol", "b-code-errors", "b-code-exceptions", "b-trial-answer", "b-trial-invalid")


def test_nothing_is_run_before_the_skill_is_trusted(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, program=f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    done = checked(folder, trust=False)
    assert {gate for gate, status in statuses(done).items() if status is Status.UNCHECKED} == set(LIVE)
    assert "--trust" in next(one.next_step("en") for one in done.verdicts if one.gate.id == LIVE[0])
    assert not done.is_complete
    assert not (tmp_path / "ran").exists()


def test_a_root_that_the_user_trusts_needs_no_word_more(tmp_path: Path) -> None:
    folder = write_folder(tmp_path)
    policy = Policy.profile("default").but(trusted_roots=(str(tmp_path),))
    done = check_folder(str(folder), Terms(lang="zh", project=str(tmp_path), policy=policy, environ={}))
    assert unmet(done) == []


SAY = "import json, sys\ndef say(output, error=''): print(json.dumps({'output': output, 'error': error}))\n"
ERROR = "参数错误 — 请检查参数"


@pytest.mark.proves("S4-112")
@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import sys\nsys.stdin.readline()\n", "printed nothing"),
        (SAY + "say('a')\nsay('b')\n", "more than one line"),
        (SAY + "print('starting')\nsay('a')\n", "more than one line"),
        ("print('姓名,分数')\n", "printed no JSON answer"),
        ("import json\nprint(json.dumps({'output': 'a', 'error': ''}, indent=1))\n", "printed no JSON answer"),
    ],
)
def test_one_line_in_gives_one_line_out(tmp_path: Path, program: str, said: str) -> None:
    done = checked(write_folder(tmp_path, program=program))
    assert statuses(done)["b-code-protocol"] is Status.FAILED
    assert said in reason(done, "b-code-protocol")


@pytest.mark.proves("S4-113")
@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("there is no such file: a.xlsx — check the path", "is not in Chinese"),
        ("文件不存在: a.xlsx", "does not tell what to do next"),
        ("错误", "helps nobody"),
        ("无法打开: [Errno 2] No such file or directory — 请检查", "internal"),
    ],
)
def test_errors_follow_the_form_in_chinese(tmp_path: Path, error: str, said: str) -> None:
    done = checked(write_folder(tmp_path, program=SAY + f"say('', {error!r})\n"))
    assert unmet(done) == ["b-code-errors"]
    assert said in reason(done, "b-code-errors")


def test_an_english_error_is_good_in_english(tmp_path: Path) -> None:
    program = SAY + "say('', 'there is no such file: a.xlsx — check the path')\n"
    assert statuses(checked(write_folder(tmp_path, program=program), "en"))["b-code-errors"] is Status.PASSED


@pytest.mark.proves("S4-114", "S4-117")
@pytest.mark.parametrize(
    ("old", "new", "about"),
    [
        ("if isinstance(request, dict) else {}", "", "[]"),
        ("if isinstance(request, dict) else {}", "", "null"),
        ("arguments if isinstance(arguments, dict) else {}", "arguments", '{"arguments": []}'),
        ("not isinstance(path, str) or not path", "not path", "path = 5"),
        ("    except ValueError:", "    except KeyError:", "not json"),
    ],
)
def test_an_exception_that_gets_out_fails_the_gate(tmp_path: Path, old: str, new: str, about: str) -> None:
    assert PROGRAM.count(old) == 1
    done = checked(write_folder(tmp_path, program=PROGRAM.replace(old, new)))
    assert statuses(done)["b-code-exceptions"] is Status.FAILED
    assert f"excel_read printed nothing for {about}" in reason(done, "b-code-exceptions")
    assert (statuses(done)["b-trial-invalid"] is Status.FAILED) is (about == "not json")


def test_a_line_above_64_kib_is_read_whole(tmp_path: Path) -> None:
    program = PROGRAM.replace("sys.stdin.readline()", "sys.stdin.readline(65536)")
    done = checked(write_folder(tmp_path, program=program.replace("except ValueError", "except KeyError")))
    assert '"x" × 70,000' in reason(done, "b-code-protocol")


@pytest.mark.proves("S4-117")
@pytest.mark.parametrize(
    ("program", "said"),
    [
        (SAY + "say('fine')\n", "took not json for a good request"),
        (SAY + f"say('half', {ERROR!r})\n", "took not json for a good request"),
        ("raise SystemExit(1)\n", "printed nothing for not json"),
    ],
)
def test_a_bad_request_gets_an_error_and_no_output(tmp_path: Path, program: str, said: str) -> None:
    done = checked(write_folder(tmp_path, program=program))
    assert statuses(done)["b-trial-invalid"] is Status.FAILED
    assert said in reason(done, "b-trial-invalid")


def test_a_bad_exit_after_a_good_answer_is_told(tmp_path: Path) -> None:
    done = checked(write_folder(tmp_path, program=PROGRAM + "\nsys.exit(3)\n"))
    assert statuses(done)["b-trial-answer"] is Status.FAILED
    assert "status 3" in reason(done, "b-trial-answer")


@pytest.mark.parametrize("place", ["excel/examples", "."])
def test_the_files_of_examples_come_from_the_skill_or_the_project(tmp_path: Path, place: str) -> None:
    folder = write_folder(tmp_path)
    assert "文件不存在" in reason(checked(folder), "b-trial-answer")
    write(tmp_path / place / "data/sales.xlsx", "x")
    assert reason(checked(folder), "b-trial-answer") == ""


def test_a_tool_tried_out_writes_to_a_workspace_of_its_own(tmp_path: Path) -> None:
    write(tmp_path / "out/kept.txt", "old")
    manifest = MANIFEST + "permissions:\n  write: [out]\n"
    program = "import os\nopen(os.environ['METIER_WORKSPACE'] + '/out/kept.txt', 'w').write('new')\n" + PROGRAM
    assert unmet(checked(write_folder(tmp_path, manifest, program))) == []
    assert (tmp_path / "out/kept.txt").read_text(encoding="utf-8") == "old"


GO = """\
package main

import (
\t"bufio"
\t"encoding/json"
\t"os"
)

func main() {
\tline, _ := bufio.NewReader(os.Stdin).ReadString('\\n')
\tvar request struct{ Arguments map[string]any }
\terr := json.Unmarshal([]byte(line), &request)
\tanswer := map[string]string{"output": "", "error": "文件不存在 — 请确认路径"}
\tif err != nil {
\t\tanswer["error"] = "参数解析失败 — 请发送 JSON 对象"
\t}
\tjson.NewEncoder(os.Stdout).Encode(answer)
}
"""


@pytest.mark.proves("S4-115")
def test_a_go_skill_has_a_module_and_builds(tmp_path: Path) -> None:
    manifest = MANIFEST.replace("runtime: python", "runtime: go").replace("main.py", "main.go")
    folder = write_folder(tmp_path, manifest)
    write(folder / "main.go", GO)
    done = checked(folder)
    assert statuses(done)["b-code-go"] is Status.FAILED
    assert "go.mod" in reason(done, "b-code-go")

    write(folder / "go.mod", "module excel\n\ngo 1.19\n")
    assert unmet(checked(folder)) == []

    write(folder / "main.go", GO.replace("err :=", "broken :="))
    done = checked(folder)
    assert statuses(done)["b-code-go"] is Status.FAILED
    assert "undefined: err" in reason(done, "b-code-go")
    assert statuses(done)["b-code-protocol"] is Status.UNCHECKED


# ── what is checked ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.proves("S4-068")
def test_a_folder_documents_itself_in_its_manifest_and_a_project_on_a_page(tmp_path: Path) -> None:
    from tests.authoring.omega.samples import write_project

    write_project(tmp_path, page="")
    (tmp_path / "docs/skills/note.md").unlink()
    write_folder(tmp_path / "skills")
    by_kind = {one.kind: one for one in check_all([find(str(tmp_path))], [str(tmp_path)], terms(tmp_path, trust=False))}
    assert statuses(by_kind["workspace"])["b-yaml-docs"] is Status.PASSED
    assert statuses(by_kind["builtin"])["a-docs-template"] is Status.FAILED


def test_instructions_alone_are_not_what_the_checklist_is_about(tmp_path: Path) -> None:
    write(tmp_path / "plain/SKILL.md", "---\nname: plain\ndescription: d\n---\n")
    write(write_folder(tmp_path) / "SKILL.md", "---\nname: excel\ndescription: d\n---\n")
    lists = check_all([find(str(tmp_path))], [str(tmp_path)], terms(tmp_path))
    assert [(one.name, one.is_complete) for one in lists] == [("excel", True)]


def test_a_tool_that_answers_no_good_request_is_not_complete(project: Path) -> None:
    for name, body in (("defect", "raise ValueError('inside')"), ("mute", "return {'output': '', 'error': ''}")):
        folder = Path(make_skill(Order(name=name, kind="python", place=str(project / "skills"))).path)
        program = (folder / "main.py").read_text(encoding="utf-8")
        start = program.index('    text = arguments.get("text")')
        (folder / "main.py").write_text(program[:start] + f"    {body}\n" + program[start:], encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "metier", "check", str(folder), "--rules", "omega", "--trust", "--json"],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        gates = {gate["id"]: gate["status"] for gate in json.loads(done.stdout)["skills"][0]["gates"]}
        assert (done.returncode, gates["b-trial-answer"]) == (1, "failed"), name
