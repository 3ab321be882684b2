"""The envelope, its validator, and the layer that cuts long answers."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metier import Catalog, Code, Policy, Skill, Toolset
from metier.result import Limits, Result, as_envelope, cut, failed, validate_envelope
from metier.result.cutting import Direction
from tests.conftest import open_profile, write, write_skill


def good(**changes: Any) -> dict[str, Any]:
    envelope: dict[str, Any] = {
        "status": "success",
        "data": {"content": "x"},
        "text": "Loaded skill 'x'.",
        "stats": {"time_ms": 1},
        "context": {"cwd": ".", "params_input": {}},
    }
    return {**envelope, **changes}


def without(field: str) -> dict[str, Any]:
    return {key: value for key, value in good().items() if key != field}


def rules(envelope: object) -> set[str]:
    return {one.rule for one in validate_envelope(envelope)}


def faults(envelope: object) -> list[str]:
    return [one.rule for one in validate_envelope(envelope) if one.severity == "error"]


ERROR = {"code": "NOT_FOUND", "message": "no"}


@pytest.mark.parametrize(
    ("envelope", "rule"),
    [
        ("no json", "V001"),
        ([], "V001"),
        (without("status"), "V002"),
        (good(status="fine"), "V003"),
        (without("data"), "V004"),
        (good(data=None), "V005"),
        (without("text"), "V006"),
        (without("stats"), "V007"),
        (good(stats={"time_ms": "1"}), "V008"),
        (good(stats={"time_ms": True}), "V008"),
        (without("context"), "V009"),
        (good(context={"params_input": {}}), "V010"),
        (good(context={"cwd": "."}), "V011"),
        (good(extra=1), "V012"),
        (good(error=ERROR), "S001"),
        (good(status="error", data={}), "S002"),
        (good(status="error", data={}, error={"code": "NOPE", "message": "x"}), "S003"),
        (good(status="error", error=ERROR), "S004"),
        (good(data={"truncated": True}), "S005"),
        (good(status="partial", data={"truncated": True}), "S006"),
        (good(data={"fallback": "python"}), "S008"),
        (good(text="  "), "T001"),
        (good(status="error", data={}, error=ERROR, text="It did not work."), "T003"),
        (good(text="short"), "T004"),
        (good(data={"entries": {}}), "D004"),
        (good(data={"paths": ""}), "D005"),
        (good(data={"matches": 1}), "D006"),
        (good(data={"content": 1}), "D007"),
        (good(data={"applied": "yes"}), "D008"),
        (good(data={"files": "a"}), "D009"),
    ],
)
def test_every_rule_finds_what_breaks_it(envelope: object, rule: str) -> None:
    assert rule in rules(envelope)
    assert validate_envelope(good()) == validate_envelope(json.dumps(good())) == []


def test_every_code_is_known_and_a_cut_error_stays_an_error() -> None:
    for code in Code:
        assert faults(good(status="error", data={}, error={"code": code.value, "message": "x"})) == []
    assert faults(good(status="error", data={"truncated": True}, error=ERROR, text="The output was cut.")) == []
    assert faults(good(error=None)) == []


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["status", "data", "text", "stats", "context", "error", "x"]) | st.text(), inner
            )
        ),
    )
)
def test_the_validator_never_fails(anything: object) -> None:
    assert isinstance(validate_envelope(anything), list)


@pytest.mark.proves("S0-34", "S0-35", "S0-61")
def test_answers_of_the_skill_tool_are_good_envelopes(project: Path) -> None:
    write_skill(project / "skills", "code-review", body="BODY-X")
    tools = Toolset(open_profile(project, "mycodeagent"))
    text = tools.render(tools.call("Skill", {"name": "code-review", "args": "a"}))
    envelope = json.loads(text)
    assert validate_envelope(text) == []
    assert list(envelope) == ["status", "data", "text", "stats", "context"]
    assert {"name", "base_dir", "content"} <= set(envelope["data"])
    assert envelope["text"] == "Loaded skill 'code-review'."
    assert envelope["stats"]["time_ms"] >= 1
    assert envelope["context"] == {
        "cwd": ".",
        "params_input": {"name": "code-review", "args": "a"},
        "path_resolved": "skills/code-review/SKILL.md",
        "truncation_skip": True,
    }


@pytest.mark.proves("S0-61")
@pytest.mark.parametrize("code", list(Code))
def test_an_error_of_every_code_is_a_good_envelope(code: Code) -> None:
    envelope = as_envelope(failed("Skill", code, "file-failed", path="x", reason="y"))
    assert validate_envelope(envelope) == []
    assert envelope["error"]["code"] == code
    assert list(envelope)[-1] == "error"
    assert envelope["data"] == {}


def long_result(lines: int, **more: Any) -> dict[str, Any]:
    text = "\n".join(f"line {number}" for number in range(lines))
    return as_envelope(
        Result(tool="t", key="file-read-plain", values={"path": "p", "chars": 1}, data={"content": text}, **more)
    )


def saved(whole: object) -> str:
    del whole
    return "tool-output/x.json"


@pytest.mark.parametrize("direction", ["head", "tail", "head_tail"])
def test_a_long_answer_is_cut_and_says_so(direction: str) -> None:
    limits = Limits.from_environ(
        {
            "TOOL_OUTPUT_TRUNCATE_DIRECTION": direction,
            "TOOL_OUTPUT_MAX_LINES": "50",
            "TOOL_OUTPUT_HEAD_TAIL_LINES": "20",
        }
    )
    shorter = cut(long_result(500), limits, saved)
    assert validate_envelope(shorter) == []
    assert shorter["status"] == "partial"
    facts = shorter["data"]["truncation"]
    assert (facts["direction"], facts["max_lines"], facts["full_output_path"]) == (direction, 50, "tool-output/x.json")
    assert facts["original_lines"] > 500
    assert facts["kept_lines"] == (41 if direction == "head_tail" else 50)
    assert facts["head_tail_lines"] == (20 if direction == "head_tail" else None)
    preview = shorter["data"]["preview"]
    assert ("line 0\n" in preview) == (direction != "tail")
    assert ("line 499" in preview) == (direction != "head")


def test_bytes_are_limited_too_and_no_character_is_split() -> None:
    whole = as_envelope(
        Result(tool="t", key="file-read-plain", values={"path": "p", "chars": 1}, data={"content": "写" * 9_000})
    )
    for direction in get_args(Direction):
        limits = Limits(max_bytes=1_000, direction=direction)
        preview = cut(whole, limits, saved)["data"]["preview"]
        assert len(preview.encode()) <= 1_000
        assert set(preview) <= set(json.dumps(whole, ensure_ascii=False)) | {"…", "\n"}


def test_errors_stay_errors_and_the_instructions_of_a_skill_are_never_cut() -> None:
    limits = Limits(max_lines=3)
    assert (
        cut(as_envelope(failed("t", Code.TIMEOUT, "file-failed", path="x", reason="y")), limits, saved)["status"]
        == "error"
    )
    catalog = Catalog.of(
        [Skill.inline(name="a", description="d", body="line\n" * 9_000)], policy=Policy.profile("mycodeagent")
    )
    tools = Toolset(catalog)
    envelope = json.loads(tools.render(tools.call("Skill", {"name": "a"})))
    assert envelope["status"] == "success"
    assert envelope["data"]["content"].count("line") == 9_000


def test_the_whole_answer_is_kept_in_the_project_and_forgotten_in_time(project: Path) -> None:
    write(project / "big.md", "line\n" * 9_000)
    write_skill(project / "skills", "a")
    old = write(project / "tool-output/tool_20200101_000000_X.json", "{}")
    mine = write(project / "tool-output/notes.txt", "mine")
    week = time.time() - 8 * 86_400
    os.utime(old, (week, week))
    os.utime(mine, (week, week))
    tools = Toolset(open_profile(project, "mycodeagent", offers=("Skill", "ReadFile")))
    envelope = json.loads(tools.render(tools.call("ReadFile", {"path": "big.md"})))
    assert validate_envelope(envelope) == []
    path = project / envelope["data"]["truncation"]["full_output_path"]
    assert path.name.startswith("tool_2")
    assert path.name.endswith("_ReadFile.json")
    whole = json.loads(path.read_text(encoding="utf-8"))
    assert whole["data"]["content"] == "line\n" * 9_000
    assert not old.exists()
    assert mine.exists()


@pytest.mark.parametrize("folder", ["/tmp/x", "../out", "a/../../b", "\0"])
def test_the_folder_of_long_answers_stays_in_the_project(folder: str) -> None:
    assert Limits.from_environ({"TOOL_OUTPUT_DIR": folder}).folder == "tool-output"


def test_limits_that_make_no_sense_are_not_followed() -> None:
    nonsense = {"TOOL_OUTPUT_MAX_LINES": "many", "TOOL_OUTPUT_MAX_BYTES": "-1", "TOOL_OUTPUT_TRUNCATE_DIRECTION": "up"}
    assert Limits.from_environ(nonsense) == Limits()
    assert (Limits().max_lines, Limits().max_bytes, Limits().retention_days) == (2_000, 51_200, 7)


def test_a_preview_breaks_lines_only_where_there_are_any() -> None:
    content = 'print("a\\n")\nC:\\new\n' * 3_000
    whole = as_envelope(
        Result(tool="t", key="file-read-plain", values={"path": "p", "chars": 1}, data={"content": content})
    )
    preview = cut(whole, Limits(max_lines=20), saved)["data"]["preview"]
    assert 'print(\\"a\\\\n\\")\nC:\\\\new\n' in preview


@pytest.mark.parametrize("direction", get_args(Direction))
def test_no_limit_is_exceeded_however_small(direction: Direction) -> None:
    whole = as_envelope(
        Result(tool="t", key="file-read-plain", values={"path": "p", "chars": 1}, data={"content": "line\n" * 500})
    )
    for lines in (1, 2, 3, 50):
        limits = Limits(max_lines=lines, direction=direction)
        assert cut(whole, limits, saved)["data"]["truncation"]["kept_lines"] <= max(lines, 3)


def test_what_is_long_besides_the_data_is_cut_too() -> None:
    result = failed("Skill", Code.NOT_FOUND, "skill-unknown.short", name="x" * 100_000).but(
        params={"name": "x" * 100_000}
    )
    shorter = cut(as_envelope(result), Limits(), saved)
    assert len(json.dumps(shorter)) < 6_000
    assert faults(shorter) == []


def test_only_our_own_files_are_forgotten(project: Path) -> None:
    mine = write(project / "tool_settings.json", "{}")
    os.utime(mine, (0, 0))
    write(project / "big.md", "line\n" * 9_000)
    write_skill(project / "skills", "a")
    tools = Toolset(open_profile(project, "mycodeagent", offers=("ReadFile",)), environ={"TOOL_OUTPUT_DIR": "."})
    tools.render(tools.call("ReadFile", {"path": "big.md"}))
    assert mine.exists()
    assert Limits.from_environ({"TOOL_OUTPUT_MAX_LINES": "9" * 5_000}) == Limits()


@pytest.mark.proves("S0-61")
def test_every_failure_of_the_skill_tool_is_a_good_envelope(project: Path) -> None:
    path = write_skill(project / "skills", "a")
    gone = write_skill(project / "skills", "gone")
    tools = Toolset(open_profile(project, "mycodeagent", refresh="manual"))
    write(path, "# no header")
    gone.unlink()
    calls: list[tuple[dict[str, Any], str]] = [
        ({}, "INVALID_PARAM"),
        ({"name": "a", "x": 1}, "INVALID_PARAM"),
        ({"name": "nope"}, "NOT_FOUND"),
        ({"name": "a"}, "INTERNAL_ERROR"),
        ({"name": "gone"}, "EXECUTION_ERROR"),
    ]
    for arguments, code in calls:
        text = tools.render(tools.call("Skill", arguments))
        assert faults(text) == []
        assert json.loads(text)["error"]["code"] == code
