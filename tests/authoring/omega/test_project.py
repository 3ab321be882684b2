"""The checklist for a Python project: one that passes, and every way not to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from metier import Policy
from metier.authoring.omega.gate import GATES, Status
from metier.authoring.omega.package import check_registered
from metier.authoring.omega.registration import registered_in
from metier.authoring.omega.tool_gates import name_findings
from metier.errors import ConfigError
from metier.tool import Tool
from tests.authoring.omega.samples import (
    CODE,
    PYPROJECT,
    TESTS,
    checked_project,
    reason,
    statuses,
    terms,
    unmet,
    write_project,
)
from tests.conftest import write


@pytest.mark.proves("S4-001")
def test_a_project_passes_every_gate_in_the_order_of_the_checklist(tmp_path: Path) -> None:
    done = checked_project(write_project(tmp_path))
    assert unmet(done) == []
    assert (done.is_complete, done.unmet, done.name, done.kind) == (True, (), "note", "builtin")
    assert list(statuses(done)) == [gate.id for gate in GATES.values() if gate.kind == "builtin"]


def test_our_own_excel_skill_passes_every_gate() -> None:
    root = Path(__file__).parent.parent.parent.parent
    (entry,) = registered_in(str(root))
    done = check_registered(entry, terms(root, "en"))
    assert (entry.name, unmet(done)) == ("excel", [])


def test_nothing_of_a_project_is_run_before_it_is_trusted(tmp_path: Path) -> None:
    mark = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    project = write_project(tmp_path, code=mark + CODE, tests=mark + TESTS)
    done = checked_project(project, trust=False)
    not_run = {"name", "domain", "description", "wording", "parameters", "errors"}
    wanted = {*(f"a-code-{name}" for name in not_run), "a-test-passes", "a-reg-log"}
    assert {gate for gate, status in statuses(done).items() if status is Status.UNCHECKED} == wanted
    assert set(unmet(done)) == wanted
    assert "--trust" in next(one.next_step("en") for one in done.verdicts if one.gate.id == "a-reg-log")
    assert not (tmp_path / "ran").exists()


def test_a_project_that_the_user_trusts_needs_no_word_more(tmp_path: Path) -> None:
    project = write_project(tmp_path)
    (entry,) = registered_in(str(project))
    policy = Policy.profile("default").but(trusted_roots=(str(tmp_path),))
    done = check_registered(entry, replace(terms(project, "en", trust=False), policy=policy))
    assert unmet(done) == []


@pytest.mark.proves("S4-007", "S4-008", "S4-009")
@pytest.mark.parametrize(
    ("file", "gate", "said"),
    [
        ("src/note_skill.py", "a-code-module", "note_skill is not in the project"),
        ("tests/test_note.py", "a-test-file", "no tests for note"),
        ("docs/skills/note.md", "a-docs-template", "no docs/skills/<name>.md"),
    ],
)
def test_a_file_that_is_gone_is_reported(tmp_path: Path, file: str, gate: str, said: str) -> None:
    project = write_project(tmp_path)
    (project / file).unlink()
    done = checked_project(project, trust=False)
    assert statuses(done)[gate] is Status.FAILED
    assert said in reason(done, gate)


def test_a_module_may_be_a_package_with_or_without_src(tmp_path: Path) -> None:
    project = write_project(tmp_path)
    (project / "src/note_skill.py").unlink()
    write(project / "note_skill/__init__.py", "from note_skill.tools import note as note, note_read as note_read\n")
    write(project / "note_skill/tools.py", CODE)
    assert unmet(checked_project(project)) == []


@pytest.mark.proves("S4-013")
@pytest.mark.parametrize(
    ("comment", "is_good"),
    [
        ("# Notes — https://example.org/notes", True),
        ("# Notes — example.org/notes", True),
        ("# Notes", False),
        ("", False),
        ("# Notes — https://example.org/other", False),
    ],
)
def test_the_comment_above_the_entry_names_the_library(tmp_path: Path, comment: str, *, is_good: bool) -> None:
    pyproject = PYPROJECT.replace("# Notes — https://example.org/notes", comment)
    done = checked_project(write_project(tmp_path, pyproject=pyproject))
    assert unmet(done) == ([] if is_good else ["a-reg-entry"])


@pytest.mark.proves("S4-090", "S4-091")
@pytest.mark.parametrize(
    ("old", "new", "gate", "said"),
    [
        ("Reads a note as text", "Notes are read as text", "a-code-description", "starts with 'Notes'"),
        (", up to 8,000 characters.", " for whoever asks.", "a-code-description", "names no limit"),
        ("Reads a note as text, up to 8,000 characters.", "Reads 5.", "a-code-description", "has 8 characters"),
        ("Reads a note as text, up", "Reads a note" + " as text" * 9 + ", up", "a-code-description", "characters"),
        (" Example: a.txt", "", "a-code-parameters", "'path' of note_read lacks: an example"),
        ("The note, relative to the workspace, up to 20 MB.", "The note.", "a-code-parameters", "lacks: limits"),
    ],
)  # fmt: skip
def test_each_breach_in_what_a_model_reads_fails_its_gate(
    tmp_path: Path, old: str, new: str, gate: str, said: str
) -> None:
    assert CODE.count(old) == 1
    done = checked_project(write_project(tmp_path, code=CODE.replace(old, new)))
    assert unmet(done) == [gate]
    assert said in reason(done, gate)


@pytest.mark.proves("S4-089")
def test_capitals_and_hyphens_are_no_part_of_a_tools_name() -> None:
    for name in ("note-read", "Note_read", "note_Read"):
        tool = Tool(name=name, description="d", runtime="python", entry="")
        assert [one.key for one in name_findings([tool], "note", "")] == ["name-grammar"]


@pytest.mark.proves("S4-089")
@pytest.mark.parametrize("name", ["note_Read", "read_note", "NoteRead"])
def test_a_tool_with_a_wrong_name_fails(tmp_path: Path, name: str) -> None:
    code, tests = CODE.replace("note_read", name), TESTS.replace("note_read", name)
    done = checked_project(write_project(tmp_path, code=code, tests=tests))
    assert statuses(done)["a-code-module"] is Status.FAILED
    assert name in reason(done, "a-code-module")
    assert statuses(done)["a-code-name"] is Status.FAILED
    assert name in reason(done, "a-code-name")


@pytest.mark.proves("S4-092")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"the note is empty", path, "use another note"', '"the note is empty", path', "does not tell what to do"),
        ('"the note is empty", path, "use another note"', '"", path, "use another note"', "does not tell the problem"),
        ('"the note is empty", path, "use another note"', "*PARTS", "does not tell what to do next"),
        ('"the note is empty", path, "use another note"', '"错误"', "helps nobody"),
    ],
)
def test_an_error_without_a_problem_or_a_next_step_fails(tmp_path: Path, old: str, new: str, said: str) -> None:
    # Where the texts stand elsewhere, the tests show what is said.
    code = CODE.replace("MAX_CHARS = 8000", "MAX_CHARS = 8000\nPARTS = ('the note is empty', 'a.txt')").replace(
        old, new
    )
    tests = TESTS.replace(', match="use another note"', "")
    done = checked_project(write_project(tmp_path, code=code, tests=tests))
    assert unmet(done) == ["a-code-errors"]
    assert said in reason(done, "a-code-errors")


@pytest.mark.proves("S4-093")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"file = workspace.existing(path)": "file = workspace.folder + '/' + path"}, "the size of the files"),
        ({"MAX_CHARS = 8000\n": "", "text[:MAX_CHARS]": "text"}, "the length of what it answers"),
    ],
)
def test_code_without_a_limit_on_files_or_on_output_fails(tmp_path: Path, change: dict[str, str], said: str) -> None:
    code = CODE
    for old, new in change.items():
        code = code.replace(old, new)
    done = checked_project(write_project(tmp_path, code=code), trust=False)
    assert statuses(done)["a-code-limits"] is Status.FAILED
    assert said in reason(done, "a-code-limits")


@pytest.mark.proves("S4-094")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("file = workspace.existing(path)", "file = path", "gives the raw path 'path' to open()"),
        ("file = workspace.existing(path)", "file = workspace.folder + '/' + path", "raw path 'path' to open()"),
        ("file = workspace.existing(path)", "file = joined(path)", "raw path 'path' to open()"),
        ("workspace.existing(path)", "workspace.existing(path) and str(Path(path))", "raw path 'path' to Path()"),
        ("workspace.existing(path)", "workspace.existing('a.txt')", "never gives the path 'path' to its workspace"),
        ("*,\n    workspace: Workspace,", "", "and no Workspace"),
    ],
)
def test_a_path_parameter_that_goes_past_the_workspace_fails(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert CODE.count(old) == 1
    helper = "\n\ndef joined(path: str) -> str:\n    return path\n"
    done = checked_project(write_project(tmp_path, code=CODE.replace(old, new) + helper), trust=False)
    assert statuses(done)["a-code-paths"] is Status.FAILED
    assert said in reason(done, "a-code-paths")


def test_a_path_may_go_to_the_workspace_by_way_of_a_function(tmp_path: Path) -> None:
    code = CODE.replace("workspace.existing(path)", "found(path, workspace)")
    code += "\n\ndef found(path: str, workspace: Workspace) -> str:\n    return workspace.existing(path.strip())\n"
    assert statuses(checked_project(write_project(tmp_path, code=code), trust=False))["a-code-paths"] is Status.FAILED
    code = code.replace("path.strip()", "path")
    assert statuses(checked_project(write_project(tmp_path, code=code), trust=False))["a-code-paths"] is Status.PASSED


@pytest.mark.proves("S4-095")
@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("test_an_empty_path_is_refused", "test_an_empty_note_is_told"), "an empty argument"),
        (("test_a_path_outside_is_refused",), "a path that leads out"),
        (("test_a_missing_file_is_told",), "a missing file"),
        (("test_a_file_too_large_is_refused",), "over the limit"),
    ],
)
def test_each_of_the_four_error_paths_has_to_be_tried(tmp_path: Path, names: tuple[str, ...], said: str) -> None:
    tests = TESTS
    for number, name in enumerate(names):
        tests = tests.replace(name, f"test_something_{number}")
    done = checked_project(write_project(tmp_path, tests=tests), trust=False)
    assert statuses(done)["a-test-errors"] is Status.FAILED
    assert said in reason(done, "a-test-errors")


@pytest.mark.proves("S4-096")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('    assert note_read("a.txt", workspace=Workspace(str(tmp_path))) == "hello"\n', ""),
        ("def test_a_note_is_read(tmp_path)", "def check_that_a_note_is_read(tmp_path)"),
    ],
)
def test_without_a_test_on_a_real_file_the_gate_fails(tmp_path: Path, old: str, new: str) -> None:
    assert TESTS.count(old) == 1
    done = checked_project(write_project(tmp_path, tests=TESTS.replace(old, new)), trust=False)
    assert statuses(done)["a-test-real"] is Status.FAILED


def test_a_real_file_may_come_from_a_fixture(tmp_path: Path) -> None:
    project = write_project(
        tmp_path, tests=TESTS.replace("test_a_note_is_read(tmp_path)", "test_a_note_is_read(notes)")
    )
    assert statuses(checked_project(project, trust=False))["a-test-real"] is Status.FAILED
    write(
        project / "tests/conftest.py", "import pytest\n\n@pytest.fixture\ndef notes(tmp_path):\n    return tmp_path\n"
    )
    assert statuses(checked_project(project, trust=False))["a-test-real"] is Status.PASSED


def test_what_opens_a_window_has_to_be_replaced_in_tests(tmp_path: Path) -> None:
    code = "import webbrowser\n" + CODE.replace("    return text", "    webbrowser.open(file)\n    return text")
    done = checked_project(write_project(tmp_path, code=code), trust=False)
    assert "webbrowser.open" in reason(done, "a-test-windows")
    done = checked_project(write_project(tmp_path, code=code, tests=TESTS + "# monkeypatch\n"), trust=False)
    assert statuses(done)["a-test-windows"] is Status.PASSED


@pytest.mark.proves("S4-098")
@pytest.mark.parametrize(
    ("code", "tests", "said"),
    [
        ("", "\n\ndef test_red():\n    assert False\n", "the tests do not pass"),
        ("\n\ndef unused(a):\n" + "    a += 1\n" * 20, "", "% of the code"),
    ],
)
def test_a_red_test_or_too_little_coverage_fails(tmp_path: Path, code: str, tests: str, said: str) -> None:
    done = checked_project(write_project(tmp_path, code=CODE + code, tests=TESTS + tests))
    assert unmet(done) == ["a-test-passes"]
    assert said in reason(done, "a-test-passes")


@pytest.mark.proves("S4-105")
@pytest.mark.parametrize("name", ["NOTES_ENABLED", "SKILL_NOTES_ENABLED", "NOTE_DISABLED"])
def test_another_switch_fails(tmp_path: Path, name: str) -> None:
    done = checked_project(write_project(tmp_path, code=f"import os\nON = os.environ.get({name!r})\n{CODE}"))
    assert unmet(done) == ["a-reg-switch"]
    assert name in reason(done, "a-reg-switch")


@pytest.mark.proves("S4-106")
@pytest.mark.parametrize("target", ["note_skill:MAX_CHARS", "note_skill:nothing"])
def test_without_a_line_in_the_log_that_it_is_registered_the_gate_fails(tmp_path: Path, target: str) -> None:
    assert statuses(checked_project(write_project(tmp_path)))["a-reg-log"] is Status.PASSED
    pyproject = PYPROJECT.replace("note_skill:note", target)
    done = checked_project(write_project(tmp_path, pyproject=pyproject))
    assert statuses(done)["a-reg-log"] is Status.FAILED
    assert statuses(done)["a-code-module"] is Status.FAILED


@pytest.mark.proves("S4-106")
def test_a_skill_that_keeps_the_log_silent_fails(tmp_path: Path) -> None:
    silent = 'import logging\nlogging.getLogger("metier").disabled = True\n'
    done = checked_project(write_project(tmp_path, code=silent + CODE))
    assert unmet(done) == ["a-reg-log"]


def test_code_that_cannot_be_imported_is_told_in_one_line(tmp_path: Path) -> None:
    done = checked_project(write_project(tmp_path, code="import gone_and_lost  # ProjectSkill\n"))
    assert "gone_and_lost" in reason(done, "a-code-module")
    assert "Traceback" not in reason(done, "a-code-module")
    assert statuses(done)["a-code-description"] is Status.UNCHECKED


def test_a_project_without_entry_points_registers_nothing(tmp_path: Path) -> None:
    assert registered_in(str(tmp_path)) == []
    write(tmp_path / "pyproject.toml", "[project]\nname = 'x'\n")
    assert registered_in(str(tmp_path)) == []
    write(tmp_path / "pyproject.toml", "[project\n")
    with pytest.raises(ConfigError, match="is not TOML"):
        registered_in(str(tmp_path))
