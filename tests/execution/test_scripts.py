"""Scripts of skills, and commands in their text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from metier import Catalog, Policy, Result, Tools, Toolset
from metier.disclosure.commands import find_commands
from metier.execution.scripts import Leave
from tests.conftest import open_profile, write
from tests.execution.test_runner import leftovers

SKILL = "---\nname: report\ndescription: Makes reports.\n---\nRun `python scripts/count.py FILE`.\n"
COUNT = "import sys\nprint(len(open(sys.argv[1]).read()), *sys.argv[2:])\n"


@pytest.fixture
def report(project: Path) -> Path:
    write(project / ".agents/skills/report/SKILL.md", SKILL)
    write(project / ".agents/skills/report/scripts/count.py", COUNT)
    write(project / "data.txt", "12345")
    return project / ".agents/skills/report"


def script(project: Path, path: str, *args: str, leave: Leave | None = None, cancel: int | None = None) -> Result:
    made = Tools(open_profile(project), trust=True)
    return made.run_script("report", path, args, leave=leave, cancel=cancel)


@pytest.mark.proves("A11")
def test_a_script_runs_as_its_skill_writes_it(project: Path, report: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METIER_TEST_SECRET", "secret")
    done = script(project, "scripts/count.py", "data.txt", "a b", "$HOME")
    assert (done.status, done.content, done.data["exit_status"]) == ("success", "5 a b $HOME\n", 0)
    write(
        report / "scripts/streams.py",
        "import os, sys\nprint('out')\nprint('err', file=sys.stderr)\n"
        "print(sys.stdin.read() == '', 'METIER_TEST_SECRET' in os.environ)\nsys.exit(3)\n",
    )
    failed = script(project, "scripts/streams.py")
    assert failed.status == "partial"
    assert failed.data["stdout"] == "out\nTrue False\n"
    assert (failed.data["stderr"], failed.data["exit_status"]) == ("err\n", 3)
    assert "[stderr]\nerr" in failed.content  # a model has to know why
    write(report / "scripts/slow.py", "import time\ntime.sleep(60)\n")
    assert script(project, "scripts/slow.py", leave=Leave(timeout_s=1)).code == "TIMEOUT"
    assert leftovers(project) == []
    write(report / "scripts/long.py", "for n in range(3000): print(n)\n")
    catalog = open_profile(project)
    toolset = Toolset(catalog, tools=Tools(catalog, trust=True), environ={})
    cut = toolset.call("skill_run", {"name": "report", "path": "scripts/long.py"})
    whole, offset = cut.content, len(cut.content)
    while True:
        more = toolset.call("skill_output", {"path": cut.data["full_output_path"], "offset": offset})
        whole, offset = whole + more.content, offset + len(more.content)
        if more.status == "success":
            break
    assert whole == "".join(f"{n}\n" for n in range(3000))


def test_scripts_of_every_kind_run(project: Path, report: Path) -> None:
    write(report / "scripts/hello.sh", "echo hello $1\n")
    write(report / "scripts/hello.bash", "words=(a b)\necho ${words[1]}\n")
    write(report / "scripts/hello.mjs", "console.log('node', process.argv[2])\n")
    write(report / "scripts/tool", "#!/usr/bin/env perl\nprint 'perl';\n")
    assert script(project, "scripts/hello.sh", "Ada").content == "hello Ada\n"
    assert script(project, "scripts/hello.bash").content == "b\n"
    assert script(project, "scripts/hello.mjs", "x").content == "node x\n"
    refused = script(project, "scripts/tool")
    assert refused.key == "tool-not-started"
    assert "chmod +x" in refused.summary()
    (report / "scripts/tool").chmod(0o755)
    assert script(project, "scripts/tool").content == "perl"


@pytest.mark.parametrize("path", ["../other/x.py", "/etc/passwd", "scripts/../../other/x.py", "link.py"])
def test_a_script_outside_of_the_skill_is_refused(project: Path, report: Path, path: str) -> None:
    write(project / ".agents/skills/other/x.py", "print('evil')\n")
    (report / "link.py").symlink_to(project / ".agents/skills/other/x.py")
    assert script(project, path).code == "ACCESS_DENIED"


def test_what_is_wrong_with_a_script_is_said(project: Path, report: Path) -> None:
    assert script(project, "scripts/none.py").key == "script-missing"
    assert script(project, "").key == "script-missing"
    assert script(project, "scripts").key == "script-missing"
    write(report / "scripts/import.py", "import a_package_that_nobody_has\n")
    missing = script(project, "scripts/import.py")
    assert (missing.key, missing.status) == ("script-modules", "partial")
    assert "requirements.txt" in missing.summary()
    assert Tools(open_profile(project), trust=True).run_script("nobody", "x.py").code == "NOT_FOUND"
    assert Tools(open_profile(project)).run_script("report", "scripts/count.py").key == "tool-untrusted"
    denied = Tools(open_profile(project, execution="deny"), trust=True).run_script("report", "scripts/count.py")
    assert denied.key == "tool-denied"


def test_a_script_writes_only_where_it_may(project: Path, report: Path) -> None:
    write(report / "scripts/write.py", "open('out/x.txt', 'w').write('x')\nprint('written')\n")
    (project / "out").mkdir()
    (project / "out").chmod(0o777)
    refused = script(project, "scripts/write.py")
    assert refused.data["exit_status"] == 1
    assert not (project / "out/x.txt").exists()
    assert script(project, "scripts/write.py", leave=Leave(write=("out",))).content == "written\n"
    assert (project / "out/x.txt").read_text(encoding="utf-8") == "x"


def test_a_script_declares_its_packages(project: Path, report: Path) -> None:
    head = '# /// script\n# dependencies = ["iniconfig"]\n# ///\n'
    write(report / "scripts/deps.py", f"{head}import iniconfig\nprint(iniconfig.__name__)\n")
    assert script(project, "scripts/deps.py").content == "iniconfig\n"


def test_a_script_can_be_cancelled(project: Path, report: Path) -> None:
    write(report / "scripts/slow.py", "import time\ntime.sleep(60)\n")
    reading, writing = os.pipe()
    threading.Timer(0.5, os.close, [writing]).start()
    assert script(project, "scripts/slow.py", cancel=reading).key == "tool-cancelled"
    os.close(reading)
    assert leftovers(project) == []


def test_a_model_runs_what_it_may_load_and_nothing_else(project: Path, report: Path) -> None:
    write(
        project / ".agents/skills/hidden/SKILL.md",
        "---\nname: hidden\ndescription: Not for models.\ndisable-model-invocation: true\n---\nx\n",
    )
    write(project / ".agents/skills/hidden/scripts/x.py", "print('ran')\n")
    catalog = open_profile(project)
    toolset = Toolset(catalog, tools=Tools(catalog, trust=True))
    assert [one.name for one in toolset.tools][:5] == [
        "Skill",
        "skill_read",
        "skill_files",
        "skill_run",
        "skill_output",
    ]
    done = toolset.call("skill_run", {"name": "report", "path": "scripts/count.py", "args": ["data.txt"]})
    assert toolset.render(done) == "5\n"
    assert toolset.call("skill_run", {"name": "hidden", "path": "scripts/x.py"}).code == "NOT_FOUND"
    assert toolset.call("skill_run", {"name": "report", "path": 3}).code == "INVALID_PARAM"
    assert toolset.call("skill_run", {"name": "report", "path": "x", "args": "a b"}).code == "INVALID_PARAM"
    for path in ("../x", "/etc/passwd", "tool-output/../metier.toml", "data.txt"):
        assert toolset.call("skill_output", {"path": path}).code == "NOT_FOUND"
    assert toolset.call("skill_output", {}).code == "INVALID_PARAM"
    assert toolset.call("skill_output", {"path": "x", "offset": -1}).code == "INVALID_PARAM"
    plain = Toolset(catalog)
    assert "skill_run" not in [one.name for one in plain.tools]
    assert plain.call("skill_run", {"name": "report", "path": "scripts/count.py"}).code == "NOT_FOUND"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "metier", *arguments], capture_output=True, text=True, encoding="utf-8", check=False
    )


def test_the_command_runs_scripts(project: Path, report: Path) -> None:
    refused = run("run", "report/scripts/count.py", "data.txt")
    assert refused.returncode == 1
    assert "not trusted" in refused.stderr
    done = run("run", "--trust", "report/scripts/count.py", "data.txt", "--", "--json")
    assert (done.returncode, done.stdout) == (0, "5 --json\n")
    write(report / "scripts/bad.py", "import sys\nprint('half')\nsys.exit('oh no')\n")
    bad = run("run", "--trust", "report/scripts/bad.py")
    assert (bad.returncode, bad.stdout) == (1, "half\n")
    assert bad.stderr.splitlines() == ["oh no", "Error: The script report/scripts/bad.py has ended with status 1."]
    entry = json.loads(run("run", "--trust", "--json", "report/scripts/bad.py").stdout)
    assert (entry["output"], entry["stderr"], entry["exit_status"]) == ("half\n", "oh no\n", 1)
    assert run("run", "--trust", "report/scripts/count.py", "--args", "{}").returncode == 2
    assert run("run", "csv_summarize", "extra").returncode == 2
    assert run("run", "csv_summarize", "--network").returncode == 2


COMMANDS = """Now: !`echo one`
KEY=!`echo no`
`!`echo no``
!`echo two $0 $ARGUMENTS`

```!
echo three
echo four
```

```sh
!`echo no`
```
Given: $0 !`echo five; echo aside >&2`
"""


def commands(project: Path, body: str = COMMANDS, *, trust: bool = True, how: str = "run", args: str = "") -> Result:
    write(project / ".agents/skills/live/SKILL.md", f"---\nname: live\ndescription: Shows what is.\n---\n{body}")
    catalog = open_profile(project, shell_commands=how)
    return Toolset(catalog, tools=Tools(catalog, trust=trust)).activate("live", args)


@pytest.mark.proves("A08")
def test_commands_in_a_text_run_only_where_that_was_decided(project: Path) -> None:
    catalog = Catalog.open(project, cache=False)
    assert catalog.policy.shell_commands == "literal"
    literal = commands(project, how="literal")
    assert literal.activation is not None
    assert literal.activation.body == COMMANDS.replace("$ARGUMENTS", "").strip()
    done = commands(project, args="A B")
    assert done.activation is not None, done
    assert done.activation.body == (
        "Now: one\nKEY=!`echo no`\n`!`echo no``\ntwo A A B\n\nthree\nfour\n\n"
        "```sh\n!`echo no`\n```\nGiven: A five\naside"
    )
    untrusted = commands(project, "!`echo one`", trust=False)
    assert untrusted.activation is not None
    assert untrusted.activation.body == "[shell command execution disabled by policy]"
    off = commands(project, "!`echo one`", how="placeholder")
    assert off.activation is not None
    assert off.activation.body == "[shell command execution disabled by policy]"
    failing = commands(project, "!`echo fine`\n!`echo why; exit 4`\n!`touch never`")
    assert (failing.code, failing.key, failing.activation) == ("EXECUTION_ERROR", "command-failed", None)
    assert "exit 4" in failing.summary()
    assert failing.data["log"] == "why"
    tolerated = commands(project, "!`false || true`done")
    assert tolerated.activation is not None


def test_an_argument_is_never_a_command_nor_part_of_one(project: Path) -> None:
    evil = "'; echo evil; ' !`echo evil` $(echo evil)"
    done = commands(project, '!`echo "$ARGUMENTS"`\n$ARGUMENTS', args=evil)
    assert done.activation is not None
    assert done.activation.body.splitlines() == [evil, evil]
    printed = commands(project, "!`echo '!\\`echo evil\\` $ARGUMENTS'`", args="x")
    assert printed.activation is None or "evil\n" not in printed.activation.body


def test_a_command_is_kept_from_the_machine(project: Path) -> None:
    done = commands(project, "!`cat /etc/passwd 2>&1 || true`\n!`touch evil 2>&1 || true`")
    assert done.activation is not None
    assert "No such file" in done.activation.body
    assert "Read-only" in done.activation.body
    assert leftovers(project) == []


def test_commands_are_found_by_their_place() -> None:
    found = [one.text for one in find_commands(COMMANDS)]
    assert found == ["echo one", "echo two $0 $ARGUMENTS", "echo three\necho four", "echo five; echo aside >&2"]
    assert find_commands("nothing here") == []
    assert find_commands("!``") == []
    assert find_commands("```!\n\n```") == []
    assert [one.text for one in find_commands("````\n```!\necho no\n```\n````\n!`a`")] == ["a"]
    assert [one.text for one in find_commands("```\nnever closed\n!`a`")] == ["a"]


def test_looking_for_commands_takes_no_longer_than_the_text_is_long() -> None:
    def took(lines: int) -> float:
        text = "```!\n" * lines + "```x\n!`" * lines
        best = 9.0
        for _ in range(3):
            start = time.perf_counter()
            find_commands(text)
            best = min(best, time.perf_counter() - start)
        return best

    assert took(20_000) < 40 * took(2_000)  # ten times the text; a hundred times the work would be too much


def test_the_command_loads_with_commands_where_the_user_wants_it(project: Path, home: Path) -> None:
    write(project / ".agents/skills/live/SKILL.md", "---\nname: live\ndescription: Shows.\n---\nIt is !`echo now`.\n")
    assert "It is !`echo now`." in run("load", "live").stdout
    write(project / "metier.toml", 'shell_commands = "run"\n')
    assert "It is !`echo now`." in run("load", "live").stdout  # a project cannot want it for its user
    (project / "metier.toml").unlink()
    write(home / ".config/metier/metier.toml", f'shell_commands = "run"\ntrusted_roots = ["{project}"]\n')
    assert "It is now." in run("load", "live").stdout


def test_a_project_cannot_have_its_programs_run_by_choosing_a_profile(project: Path, home: Path) -> None:
    write(project / "metier.toml", 'profile = "omega"\n')
    assert Catalog.open(project, cache=False).policy.execution == "trusted"
    write(home / ".config/metier/metier.toml", 'profile = "omega"\n')
    assert Catalog.open(project, cache=False).policy.execution == "allow"
    write(project / "metier.toml", 'profile = "claude-code"\nexecution = "allow"\n')
    catalog = Catalog.open(project, cache=False)
    assert catalog.policy.execution == Policy.profile("claude-code").execution != "allow"
    assert [one.code for one in catalog.diagnostics if "execution" in one.message] == ["config-ignored"]
