"""Calling tools: real programs, good ones and bad ones."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest

from metier import Policy, Result
from metier.execution.arguments import schema_of
from metier.execution.runner import Runner
from metier.execution.sandbox import Sandbox, probe
from tests.conftest import open_profile, write

T0 = Sandbox(tier="T0", enforced=(), missing=())
T1 = Sandbox(tier="T1", enforced=(), missing=())
HEAD = "import json, os, sys, time\nrequest = json.loads(sys.stdin.readline())\narguments = request['arguments']\n"
SAY = "def say(output, error=''):\n    print(json.dumps({'output': output, 'error': error}, ensure_ascii=False))\n"


def tool(project: Path, code: str, more: str = "", name: str = "probe") -> None:
    """A Python tool that runs the given code."""
    write(
        project / f"skills/{name}/skill.yaml",
        f"name: {name}\ndescription: Tries something.\nruntime: python\nentry: main.py\n{more}",
    )
    write(project / f"skills/{name}/main.py", HEAD + SAY + code)


def call(
    project: Path,
    arguments: dict[str, Any] | None = None,
    *,
    name: str = "probe",
    sandbox: Sandbox | None = None,
    cancel: int | None = None,
) -> Result:
    catalog = open_profile(project)
    skill = catalog.require(name)
    runner = Runner(
        str(project),
        catalog.policy,
        cache=str(project.parent / "cache"),
        environ=os.environ,
        trust=True,
        sandbox=sandbox,
    )
    return runner.call(skill, skill.tools[0], arguments or {}, cancel=cancel)


def leftovers(project: Path) -> list[str]:
    """Processes and folders of calls for this project, or of this process, that are still there."""
    found = [name for name in os.listdir(tempfile.gettempdir()) if name.startswith(f"metier-call-{os.getpid()}-")]
    mark = f"METIER_WORKSPACE={project}".encode()
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    if mark in file.read().split(b"\0"):
                        found.append(name)
            except OSError:
                continue
    return found


def test_the_machine_of_the_tests_has_a_real_sandbox() -> None:
    found = probe()
    assert found.tier == "T3", found.missing
    assert {"files", "processes", "network", "system calls", "limits"} <= set(found.enforced)


@pytest.mark.proves("S4-038")
@pytest.mark.parametrize("sandbox", [None, T1, T0], ids=["T3", "T1", "T0"])
def test_a_tool_gets_one_line_and_nothing_else(project: Path, sandbox: Sandbox | None) -> None:
    write(
        project / "skills/probe/skill.yaml",
        "name: probe\ndescription: d\nruntime: python\nentry: main.py\nparameters:\n  - {name: text, type: string}\n",
    )
    write(
        project / "skills/probe/main.py",
        "import sys, json\nprint(json.dumps({'output': sys.stdin.buffer.read().hex(), 'error': ''}))\n",
    )
    result = call(project, {"text": '姓名\n"x"'}, sandbox=sandbox)
    assert bytes.fromhex(result.content) == '{"arguments": {"text": "姓名\\n\\"x\\""}}\n'.encode()
    assert result.data["tier"] == (sandbox.tier if sandbox else "T3")
    assert leftovers(project) == []


@pytest.mark.proves("S4-039", "S4-041")
def test_the_first_answer_counts_and_other_lines_are_for_people(project: Path) -> None:
    tool(project, "print('starting')\nsay('姓名,分数\\n张三,95')\nsay('second')\nprint('bye', file=sys.stderr)\n")
    result = call(project)
    assert (result.status, result.content) == ("success", "姓名,分数\n张三,95")
    assert result.data["log"].splitlines() == ["starting", "bye", "1 more answers were printed and not used"]
    assert "starting" not in result.text


@pytest.mark.proves("S4-040")
def test_an_error_of_the_tool_is_the_error_of_the_call(project: Path) -> None:
    tool(project, "say('', '文件不存在: a.xlsx — 请先用 file_list 确认路径')\n")
    result = call(project)
    assert (result.status, result.code) == ("error", "EXECUTION_ERROR")
    assert result.summary() == "文件不存在: a.xlsx — 请先用 file_list 确认路径"


@pytest.mark.proves("S4-031", "S4-032", "S4-033")
def test_arguments_are_checked_and_completed_before_anything_starts(project: Path) -> None:
    more = (
        "parameters:\n"
        "  - {name: path, type: string, required: true, description: The file.}\n"
        "  - {name: rows, type: integer, default: 10}\n"
        "  - {name: ratio, type: number}\n"
        "  - {name: loud, type: boolean, default: false}\n"
    )
    tool(project, "open(os.environ['METIER_WORK_DIR'] + '/x', 'w')\nsay(json.dumps(arguments))\n", more)
    assert json.loads(call(project, {"path": "a", "rows": 3.0, "ratio": 2}).content) == {
        "path": "a",
        "rows": 3,
        "ratio": 2,
        "loud": False,
    }
    skill = open_profile(project).require("probe")
    schema = schema_of(skill.tools[0])
    assert schema["required"] == ["path"]
    assert schema["properties"]["rows"] == {"type": "integer", "default": 10}
    # A program that does not exist shows that none is started.
    (project / "skills/probe/main.py").write_text("raise SystemExit(9)", encoding="utf-8")
    wrong: list[dict[str, Any]] = [
        {},
        {"path": 3},
        {"path": "a", "rows": "x"},
        {"path": "a", "rows": True},
        {"path": "a", "rows": 1.5},
        {"path": "a", "ratio": float("nan")},
        {"path": "a", "loud": "yes"},
        {"path": "a", "nope": 1},
        {"path": None},
    ]
    for arguments in wrong:
        assert call(project, arguments).code == "INVALID_PARAM", arguments
    assert call(project, {"path": "a"}).code == "EXECUTION_ERROR"


def test_the_same_tool_works_in_every_runtime(project: Path) -> None:
    manifest = "name: {name}\ndescription: Says it twice.\nruntime: {runtime}\nentry: {entry}\nparameters:\n  - {{name: text, type: string, required: true}}\n"
    programs = {
        "python": ("main.py", HEAD + SAY + "say(arguments['text'] * 2)\n"),
        "node": (
            "main.mjs",
            "import readline from 'node:readline';\n"
            "readline.createInterface({input: process.stdin}).once('line', line => {\n"
            "  const text = JSON.parse(line).arguments.text;\n"
            "  console.log(JSON.stringify({output: text + text, error: ''})); process.exit(0);\n});\n",
        ),
        "binary": (
            "run.sh",
            "#!/bin/bash\nread -r line\ntext=${line#*'\"text\": \"'}\ntext=${text%%'\"'*}\n"
            'printf \'{"output": "%s%s", "error": ""}\\n\' "$text" "$text"\n',
        ),
    }
    for runtime, (entry, code) in programs.items():
        folder = project / f"skills/twice{runtime}"
        write(folder / "skill.yaml", manifest.format(name=f"twice{runtime}", runtime=runtime, entry=entry))
        write(folder / entry, code).chmod(0o755)
        result = call(project, {"text": "ab"}, name=f"twice{runtime}")
        assert (result.status, result.content) == ("success", "abab"), (runtime, result)


def test_typescript_runs_where_node_reads_it_and_is_explained_where_not(project: Path) -> None:
    write(project / "skills/typed/skill.yaml", "name: typed\ndescription: d\nruntime: node\nentry: main.ts\n")
    code = "const word: string = 'typed';\nconsole.log(JSON.stringify({output: word, error: ''}));\n"
    write(project / "skills/typed/main.ts", code)
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, encoding="utf-8", check=True).stdout
    result = call(project, name="typed")
    if tuple(map(int, version.strip("v\n").split(".")[:2])) >= (22, 6) or shutil.which("tsx"):
        assert result.content == "typed"
    else:
        assert result.key == "tool-runtime-missing"
        assert "22.6" in result.summary()


TOOLS = Path(sys.prefix) / "typescript" / "node_modules" / ".bin"


@pytest.mark.proves("S4-018")
@pytest.mark.parametrize("program", ["tsx", "esbuild"])
def test_typescript_is_read_by_what_there_is(project: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    folder = project / "skills/typed"
    write(folder / "skill.yaml", "name: typed\ndescription: d\nruntime: node\nentry: main.ts\n")
    code = "import { word } from './word';\nconsole.log(JSON.stringify({output: word as string, error: ''}));\n"
    write(folder / "main.ts", code)
    write(folder / "word.ts", "export const word: string = 'first';\n")
    node = shutil.which("node")
    old = write(
        project.parent / "old/bin/node", f'#!/bin/sh\n[ "$1" = --version ] && echo v20.11.0 || exec {node} "$@"\n'
    )
    old.chmod(0o755)
    (project.parent / "tools").mkdir()
    (project.parent / "tools" / program).symlink_to((TOOLS / program).resolve())
    monkeypatch.setenv("PATH", f"{old.parent}:{project.parent}/tools:/usr/bin:/bin")
    assert call(project, name="typed").content == "first"
    write(folder / "word.ts", "export const word: string = 'second';\n")
    assert call(project, name="typed").content == "second"
    if program == "esbuild":
        write(folder / "main.ts", "const word: = ;\n")
        broken = call(project, name="typed")
        assert broken.key == "tool-build-failed"
        assert "main.ts" in broken.data["log"]
        catalog = open_profile(project, execution="allow")
        skill = catalog.require("typed")
        stranger = Runner(str(project), catalog.policy, cache=str(project.parent / "cache"), environ={})
        assert stranger.call(skill, skill.tools[0], {}).key == "tool-untrusted"  # nothing is built for it


GO = """package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type request struct{ Arguments map[string]any `json:"arguments"` }

func main() {
	reader := bufio.NewReaderSize(os.Stdin, 1<<20)
	line, _ := reader.ReadBytes('\\n')
	var asked request
	json.Unmarshal(line, &asked)
	text, _ := asked.Arguments["text"].(string)
	said, _ := json.Marshal(map[string]string{"output": text + text, "error": ""})
	fmt.Println(string(said))
}
"""


def test_a_go_program_is_built_once_and_the_last_good_build_serves(project: Path) -> None:
    folder = project / "skills/twicego"
    write(
        folder / "skill.yaml",
        "name: twicego\ndescription: Says it twice.\nruntime: go\nentry: main.go\nparameters:\n  - {name: text, type: string}\n",
    )
    write(folder / "go.mod", "module twicego\n\ngo 1.19\n")
    write(folder / "main.go", GO)
    first = call(project, {"text": "ab"}, name="twicego")
    assert (first.status, first.content) == ("success", "abab"), first
    built = sorted((project.parent / "cache/go").rglob("skill"))
    assert len(built) == 1
    assert not (folder / "skill").exists()
    write(folder / "main.go", GO.replace("text + text", "text + +"))
    older = call(project, {"text": "ab"}, name="twicego")
    assert older.content == "abab"
    assert "the last build failed" in older.data["log"]
    write(folder / "main.go", GO.replace("text + text", "text"))
    assert call(project, {"text": "ab"}, name="twicego").content == "ab"
    shutil.rmtree(project.parent / "cache/go")
    write(folder / "main.go", "package main\nfunc main() {\n")
    broken = call(project, {"text": "ab"}, name="twicego")
    assert (broken.code, broken.key) == ("EXECUTION_ERROR", "tool-build-failed")
    assert "main.go" in broken.data["log"]


def test_a_tool_brings_its_own_modules_and_its_dependencies(project: Path) -> None:
    tool(project, "import helper\nsay(helper.WORD)\n")
    write(project / "skills/probe/helper.py", "WORD = 'from beside'\n")
    assert call(project).content == "from beside"
    tool(project, "import iniconfig\nsay(iniconfig.__name__)\n", name="deps")
    write(project / "skills/deps/requirements.txt", "iniconfig\n")
    assert call(project, name="deps").content == "iniconfig"
    untrusted = open_profile(project, execution="allow")
    skill = untrusted.require("deps")
    runner = Runner(str(project), untrusted.policy, cache=str(project.parent / "other"), environ=os.environ)
    assert runner.call(skill, skill.tools[0], {}).code == "ACCESS_DENIED"
    assert not (project.parent / "other").exists()


BAD: dict[str, tuple[str, str, str]] = {
    "prints garbage": ("print('\\x00\\xff garbage')\n", "EXECUTION_ERROR", "tool-garbage"),
    "prints nothing": ("", "EXECUTION_ERROR", "tool-silent"),
    "exits 3": ("say('fine')\nsys.exit(3)\n", "EXECUTION_ERROR", "tool-exit"),
    "raises": ("raise RuntimeError('inside')\n", "EXECUTION_ERROR", "tool-exit"),
    "is killed": ("os.kill(os.getpid(), 9)\n", "EXECUTION_ERROR", "tool-exit"),
    "never answers": ("time.sleep(60)\n", "TIMEOUT", "tool-timeout"),
    "closes its streams and waits": (
        "os.close(0); os.close(1); os.close(2)\ntime.sleep(60)\n",
        "TIMEOUT",
        "tool-timeout",
    ),
    "prints for ever": ("line = 'x' * 1_000_000\nwhile True: print(line)\n", "EXECUTION_ERROR", "tool-too-much"),
    "prints one line for ever": ("while True: sys.stdout.write('x' * 1_000_000)\n", "EXECUTION_ERROR", "tool-too-much"),
    "eats memory": ("data = []\nwhile True: data.append(bytearray(10_000_000))\n", "EXECUTION_ERROR", "tool-exit"),
    "spins": ("while True: pass\n", "TIMEOUT", "tool-timeout"),
    "forks": ("while True:\n    try: os.fork()\n    except OSError: time.sleep(0.01)\n", "TIMEOUT", "tool-timeout"),
}


@pytest.mark.parametrize("fault", list(BAD))
def test_a_bad_tool_gives_one_clear_result_and_leaves_nothing(project: Path, fault: str) -> None:
    code, expected, key = BAD[fault]
    tool(project, code, "timeout_s: 1.5\nlimits: {memory_mb: 256}\n")
    result = call(project)
    assert (result.status, result.code, result.key) == ("error", expected, key), result
    assert leftovers(project) == []
    tool(project, "say('well again')\n")
    assert call(project).content == "well again"


@pytest.mark.parametrize("sandbox", [None, T1, T0], ids=["T3", "T1", "T0"])
def test_a_daemon_does_not_survive_its_call(project: Path, sandbox: Sandbox | None) -> None:
    code = "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(60)\n    os._exit(0)\nsay('done')\n"
    tool(project, code)
    assert call(project, sandbox=sandbox).content == "done"
    assert leftovers(project) == []


def test_a_call_can_be_cancelled(project: Path) -> None:
    tool(project, "time.sleep(60)\n")
    reading, writing = os.pipe()
    threading.Timer(0.5, os.close, [writing]).start()
    result = call(project, cancel=reading)
    os.close(reading)
    assert result.key == "tool-cancelled"
    assert leftovers(project) == []


def test_programs_that_cannot_start_are_explained(project: Path) -> None:
    write(project / "skills/probe/skill.yaml", "name: probe\ndescription: d\nruntime: binary\nentry: run\n")
    path = write(project / "skills/probe/run", "#!/bin/sh\r\necho\r\n")
    assert "chmod +x" in call(project).summary()
    path.chmod(0o755)
    assert call(project).code == "EXECUTION_ERROR"
    path.write_bytes(b"\x7fELF not really")
    assert call(project).code == "EXECUTION_ERROR"
    catalog = open_profile(project)
    skill = catalog.require("probe")
    path.unlink()
    runner = Runner(str(project), catalog.policy, cache="x", environ={}, trust=True)
    assert runner.call(skill, skill.tools[0], {}).code == "NOT_FOUND"


def test_nothing_of_a_stranger_is_run_unless_the_policy_and_the_sandbox_allow_it(project: Path) -> None:
    tool(project, "say('ran')\n")
    for execution, sandbox, key in (
        ("trusted", None, "tool-untrusted"),
        ("deny", None, "tool-denied"),
        ("allow", T1, "tool-weak-sandbox"),
        ("allow", None, "tool-done"),
    ):
        catalog = open_profile(project, execution=execution)
        skill = catalog.require("probe")
        runner = Runner(str(project), catalog.policy, cache=str(project.parent / "c"), environ={}, sandbox=sandbox)
        assert runner.call(skill, skill.tools[0], {}).key == key
    assert Policy.profile("default").execution == "trusted"
    assert Policy.profile("omega").execution == "allow"


def test_what_a_tool_needs_and_declares_it_gets(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METIER_TEST_TOKEN", "token")
    write(project / "data.txt", "data")
    write(project / "out/.keep", "")
    (project / "out").chmod(0o777)
    code = (
        "work = os.environ['METIER_WORKSPACE']\n"
        "open(os.environ['METIER_WORK_DIR'] + '/x', 'w').write('x')\n"
        "open('/tmp/y', 'w').write('y')\n"
        "open(work + '/out/result.txt', 'w').write('written')\n"
        "say(open(work + '/data.txt').read() + os.environ['METIER_TEST_TOKEN'] + os.getcwd())\n"
    )
    tool(project, code, "env: [METIER_TEST_TOKEN]\npermissions: {write: [out]}\n")
    result = call(project)
    assert result.content == f"datatoken{project}/skills/probe", result
    assert (project / "out/result.txt").read_text(encoding="utf-8") == "written"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "metier", *arguments], capture_output=True, text=True, encoding="utf-8", check=False
    )


def test_the_command_runs_a_tool(project: Path) -> None:
    tool(
        project,
        "print('to people', file=sys.stderr)\nsay('hello ' + arguments['name'])\n",
        "parameters:\n  - {name: name, type: string, required: true}\n",
        "greet",
    )
    refused = run("run", "greet", "--args", '{"name": "Ada"}')
    assert refused.returncode == 1
    assert "not trusted" in refused.stderr
    done = run("run", "greet", "--trust", "--args", '{"name": "Ada"}')
    assert (done.returncode, done.stdout, done.stderr) == (0, "hello Ada\n", "to people\n")
    by_folder = run("run", "./skills/greet", "--trust", "--json", "--args", '{"name": "Bo"}')
    entry = json.loads(by_folder.stdout)
    assert (entry["status"], entry["output"], entry["error"], entry["tier"]) == ("success", "hello Bo", None, "T3")
    wrong = run("run", "greet", "--trust", "--json")
    assert wrong.returncode == 2
    assert json.loads(wrong.stdout)["error"]["code"] == "INVALID_PARAM"
    assert run("run", "greet", "--args", "[]").returncode == 2
    assert run("run", "greet", "--args", "{").returncode == 2
    unknown = run("run", "gret")
    assert unknown.returncode == 2
    assert "greet" in unknown.stderr
    assert json.loads(run("doctor", "--json").stdout)["sandbox"]["tier"] == "T3"


def test_many_calls_at_once_do_not_mix(project: Path) -> None:
    tool(project, "time.sleep(0.05)\nsay(arguments['text'])\n", "parameters:\n  - {name: text, type: string}\n")
    catalog = open_profile(project)
    skill = catalog.require("probe")
    runner = Runner(str(project), catalog.policy, cache="x", environ={}, trust=True)
    answers: dict[int, str] = {}

    def one(number: int) -> None:
        answers[number] = runner.call(skill, skill.tools[0], {"text": str(number)}).content

    threads = [threading.Thread(target=one, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: str(number) for number in range(16)}
    assert leftovers(project) == []


def test_signals_are_told_by_their_numbers(project: Path) -> None:
    tool(project, "os.kill(os.getpid(), 15)\ntime.sleep(5)\n")
    result = call(project, sandbox=T0)
    assert result.values["status"] == -signal.SIGTERM


def test_calls_do_not_share_a_user_whose_processes_are_counted(project: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("an ordinary user's calls are counted by their namespaces")
    tool(project, "say(str(os.getuid()))\n")
    users = {call(project).content for _ in range(4)}
    assert len(users) > 1
    assert str(os.getuid()) not in users
