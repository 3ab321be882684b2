"""The installed command, run as a person or a program would run it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from metier.cli.main import COMMANDS
from tests.conftest import head, write, write_skill

METIER = [sys.executable, "-m", "metier"]


def run(*arguments: str, status: int = 0, **environ: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*METIER, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environ},
        check=False,
        timeout=60,
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == status, (done.stdout, done.stderr)
    return done


def run_json(*arguments: str, status: int = 0) -> Any:
    return json.loads(run(*arguments, "--json", status=status).stdout)


def run_in_terminal(*arguments: str) -> str:
    """What a person sees: the command's output on a real terminal."""
    main, child = pty.openpty()
    process = subprocess.Popen([*METIER, *arguments], stdout=child, stderr=child, env={**os.environ, "COLUMNS": "100"})
    os.close(child)
    chunks: list[bytes] = []
    while True:
        try:
            chunk = os.read(main, 65536)
        except OSError:
            break
        if not chunk:
            break
        chunks.append(chunk)
    process.wait(timeout=60)
    os.close(main)
    return b"".join(chunks).decode()


def test_list_prints_one_line_a_skill_in_a_pipe(project: Path) -> None:
    write_skill(project / "skills", "b", "Second.")
    write_skill(project / "skills", "a", "First\tone.")
    done = run("list")
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    own = [line for line in lines if line[1] == "project"]
    assert own == [["a", "project", "on", "First one.", ""], ["b", "project", "on", "Second.", ""]]
    assert f"{len(lines)} skills" in done.stderr


def test_list_draws_a_table_on_a_terminal(project: Path) -> None:
    write_skill(project / "skills", "\x1b[31mred"[5:], "With \\x1b[0m nothing to steer the terminal.")
    shown = run_in_terminal("list")
    assert "description" in shown
    assert "─" in shown


def test_control_characters_of_a_skill_never_reach_the_terminal(project: Path) -> None:
    write(project / "skills/x/SKILL.md", '---\nname: x\ndescription: "a\\e[2Jb\\u0007c"\n---\n')
    for shown in (run("list").stdout, run("show", "x").stdout, run_in_terminal("list")):
        assert "\x1b[2J" not in shown
        assert "\x07" not in shown


def test_bodies_paths_and_settings_never_steer_the_terminal(project: Path) -> None:
    evil = "\x1b]0;pwned\x07\u202e"
    write(project / f"skills/{evil}/SKILL.md", head("x", body=f"one{evil}\n\ttwo\n"))
    write(project / "metier.toml", 'roots = ["\\u001b]0;pwned\\u0007"]\n')
    for arguments in (["list"], ["show", "x"], ["doctor"], ["check", "--fix", "--dry-run"], ["files", "x"]):
        shown = run_in_terminal(*arguments)
        assert "\x1b]0;" not in shown
        assert "\u202e" not in shown
    assert "\n\ttwo" in run("show", "x").stdout
    assert evil in run("show", "x", "--raw").stdout


def test_show_tells_what_is_wrong_further_down_in_a_file(project: Path) -> None:
    write(project / "skills/late/SKILL.md", head("late", body="x" * 9000).encode() + b"\xe9")
    done = run("show", "late", status=1)
    assert "not-utf8" in done.stderr


def test_list_as_json_has_the_documented_shape(project: Path) -> None:
    path = write_skill(project / "skills", "a", "First.")
    write(project / "skills/bad/SKILL.md", "nothing")
    told = run_json("list")
    (entry,) = [one for one in told["skills"] if one["scope"] == "project"]
    assert entry["name"] == "a"
    assert entry["path"] == str(path)
    assert entry["dir"] == str(path.parent)
    assert (entry["description"], entry["state"], entry["tools"]) == ("First.", "loaded", [])
    (one,) = told["diagnostics"]
    assert set(one) == {"code", "severity", "path", "line", "column", "message", "hint"}
    assert (one["code"], one["severity"], one["line"]) == ("frontmatter-missing", "error", 1)


def test_list_all_shows_shadowed_and_hidden_skills(project: Path, home: Path) -> None:
    write_skill(project / "skills", "x", "Mine.")
    write_skill(home / ".agents/skills", "x", "Theirs.")
    write_skill(project / "skills", "off")
    write(project / "metier.toml", 'skills = [{ name = "off", visibility = "off" }]\n')
    states = {(one["qualified_name"], one["state"]) for one in run_json("list", "--all")["skills"]}
    assert {("project:x", "loaded"), ("user:x", "shadowed"), ("project:off", "hidden")} <= states
    assert "off" not in {one["name"] for one in run_json("list")["skills"]}


def test_an_empty_place_says_what_to_do(project: Path) -> None:
    done = run("--root", str(project), "list")
    assert done.stdout == ""
    assert "SKILL.md" in done.stderr


def test_skills_of_other_clients_are_pointed_out(project: Path) -> None:
    write_skill(project / ".claude/skills", "x")
    assert "'claude'" in run("list").stderr
    write(project / "metier.toml", 'clients = ["claude"]\n')
    assert "x" in {one["name"] for one in run_json("list")["skills"]}


def test_show_prints_fields_and_instructions(project: Path, home: Path) -> None:
    write(project / "skills/x/SKILL.md", "---\nname: x\ndescription: D.\nzebra:\n  a: b\n---\n\n# How\n")
    write_skill(home / ".agents/skills", "x", "Of the user.")
    done = run("show", "x")
    assert "zebra" in done.stdout
    assert done.stdout.rstrip().endswith("# How")
    told = run_json("show", "x")
    assert told["fields"]["zebra"] == {"a": "b"}
    assert told["body"] == "# How"
    assert run_json("show", "user:x")["description"] == "Of the user."
    assert run("show", "x", "--raw").stdout == (project / "skills/x/SKILL.md").read_text(encoding="utf-8")


def test_show_knows_tools_too(project: Path) -> None:
    write(
        project / "skills/t/skill.yaml",
        "name: t_go\ndescription: Goes.\nruntime: binary\nentry: run\ndocs:\n  when_to_use: [now]\n",
    )
    write(project / "skills/t/run", "")
    assert "t_go(): Goes." in run("show", "t").stdout
    assert run_json("show", "t")["tools"][0]["name"] == "t_go"
    assert run("show", "t", "--raw").stdout.startswith("name: t_go")


def test_an_unknown_skill_is_a_misuse_with_a_hint(project: Path) -> None:
    write_skill(project / "skills", "code-review")
    done = run("show", "code-reveiw", status=2)
    assert done.stdout == ""
    assert "hint: did you mean 'code-review'" in done.stderr


def test_files_lists_what_belongs_to_a_skill(project: Path) -> None:
    write_skill(project / "skills", "x")
    write(project / "skills/x/references/a.md", "aa")
    told = run_json("files", "x")
    assert {"path": "references/a.md", "size": 2} in told["files"]
    assert "2\treferences/a.md" in run("files", "x").stdout


def test_doctor_tells_the_state_and_the_reason_of_every_candidate(project: Path, home: Path) -> None:
    write_skill(project / "skills", "x", "Mine.")
    write_skill(home / ".agents/skills", "x", "Theirs.")
    write_skill(project / "skills", "off")
    write(project / "skills/bad/SKILL.md", "nothing")
    write(project / "skills/t/skill.yaml", "name: t\ndescription: d\nruntime: binary\nentry: gone\n")
    write(project / "metier.toml", 'skills = [{ name = "off", visibility = "off" }]\n')
    told = run_json("doctor", status=1)
    states = {one["state"]: one for one in told["candidates"]}
    assert set(states) == {"loaded", "shadowed", "hidden", "unready", "skipped"}
    assert all(one["reason"] for one in told["candidates"] if one["state"] != "loaded")
    assert {"path", "scope", "rank", "read_only", "trusted"} <= set(told["roots"][0])
    assert set(told["sandbox"]) == {"tier", "enforced", "missing", "hint"}
    assert "frontmatter-missing" in run("doctor", status=1).stderr
    assert run("doctor", "--help").stdout


def test_doctor_is_content_with_a_good_project(project: Path) -> None:
    write_skill(project / "skills", "x")
    assert "no problems" in run("doctor").stderr


def test_check_ends_with_the_documented_statuses(project: Path) -> None:
    write_skill(project / "skills", "good")
    assert run_json("check")["summary"] == {"files": 1, "valid": 1, "errors": 0, "warnings": 0}
    write(project / "skills/bad/SKILL.md", head("Bad"))
    told = run_json("check", "skills", status=1)
    assert [(Path(one["path"]).parent.name, one["valid"]) for one in told["files"]] == [("bad", False), ("good", True)]
    run("check", "nowhere", status=2)
    run("check", "--rules", "nonsense", status=2)
    assert "::error" in run("check", "--format", "github", status=1).stdout
    assert json.loads(run("check", "--format", "sarif", status=1).stdout)["version"] == "2.1.0"
    write(project / "skills/good/SKILL.md", head("good", "Formats tables"))
    run("check", "skills/good")
    run("check", "skills/good", "--rules", "strict", status=1)


def test_check_mends_what_it_can(project: Path) -> None:
    path = write(project / "skills/x/SKILL.md", "---\nname: Y\ndescription: Use when: asked\n---\n")
    before = path.read_bytes()
    done = run("check", "--fix", "--dry-run", "skills/x", status=1)
    assert "to be done: " in done.stderr
    assert path.read_bytes() == before
    run("check", "--fix", "skills/x")
    assert path.read_text(encoding="utf-8") == '---\nname: x\ndescription: "Use when: asked"\n---\n'


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_has_help_with_an_example(command: str) -> None:
    assert "Example: " in run(command, "--help").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["lits"],
        ["--profile", "nope", "list"],
        ["--project", "nowhere", "list"],
        ["list", "--nope"],
        ["show"],
        ["completion", "cmd"],
    ],
)
def test_misuse_is_explained(project: Path, arguments: list[str]) -> None:
    done = run(*arguments, status=2)
    assert done.stderr.strip()


def test_a_wrong_configuration_is_explained(project: Path) -> None:
    write(project / "metier.toml", "= nonsense\n")
    done = run("list", status=2)
    assert "metier.toml" in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(shell: str) -> None:
    assert "_METIER_COMPLETE" in run("completion", shell).stdout


def test_names_of_skills_are_completed(project: Path) -> None:
    write_skill(project / "skills", "code-review")
    done = run(_METIER_COMPLETE="bash_complete", COMP_WORDS="metier show code", COMP_CWORD="2")
    assert "code-review" in done.stdout


def test_a_reader_that_goes_away_is_no_error(project: Path) -> None:
    for number in range(300):
        write_skill(project / "skills", f"s{number}", "d" * 900)
    process = subprocess.Popen([*METIER, "list", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    error = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(timeout=60) == 0
    assert error == ""


def test_watching_from_the_shell(project: Path) -> None:
    write_skill(project / "skills", "first")
    process = subprocess.Popen(
        [*METIER, "list", "--watch"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )
    assert process.stdout is not None
    assert process.stderr is not None
    for line in process.stderr:
        if "watching" in line:
            break
    write_skill(project / "skills", "second")
    told = ""
    while not told.startswith("added"):
        told = process.stdout.readline()
        assert told
    process.terminate()
    process.communicate(timeout=60)
    assert told.split("\t")[1] == "second"


def test_the_version_is_told() -> None:
    assert run("--version").stdout.startswith("metier 0.")
