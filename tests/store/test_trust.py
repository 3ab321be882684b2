"""Trust in single skills, bound to what they hold."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from metier import Catalog, Tools
from metier.errors import FileFailed
from metier.store.tree import changes, tree_of
from metier.store.trust import Trust
from tests.conftest import open_profile, write

MAIN = "import json, sys\nsys.stdin.readline()\nprint(json.dumps({'output': 'WORD', 'error': ''}))\n"


@pytest.fixture
def greet(project: Path) -> Path:
    folder = project / ".agents/skills/greet"
    write(folder / "SKILL.md", "---\nname: greet\ndescription: Greets people.\n---\nSay hello.\n")
    write(
        folder / "skill.yaml",
        "name: greet\ndescription: Greets.\nruntime: python\nentry: main.py\n"
        "permissions: {network: true, write: [out]}\nenv: [API_TOKEN]\n",
    )
    write(folder / "main.py", MAIN.replace("WORD", "hello"))
    return folder


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "metier", *arguments], capture_output=True, text=True, encoding="utf-8", check=False
    )


def test_the_hash_of_a_tree_is_that_of_its_sorted_files(tmp_path: Path) -> None:
    write(tmp_path / "a/SKILL.md", "x")
    write(tmp_path / "a/sub/b.txt", "y")
    import hashlib

    hashes = {"SKILL.md": hashlib.sha256(b"x").hexdigest(), "sub/b.txt": hashlib.sha256(b"y").hexdigest()}
    lines = "".join(f"{path}\0{digest}\n" for path, digest in sorted(hashes.items()))
    tree = tree_of(str(tmp_path / "a"))
    assert tree.files == hashes
    assert tree.digest == hashlib.sha256(lines.encode()).hexdigest()
    assert changes(tree.files, {**hashes, "c": "1", "sub/b.txt": "2"}) == (("c",), ("sub/b.txt",), ())


def test_a_trusted_skill_runs_and_a_changed_one_does_not(project: Path, greet: Path) -> None:
    assert "metier trust greet" in run("run", "greet").stderr
    trusted = run("trust", "greet")
    assert trusted.returncode == 0
    assert trusted.stderr.splitlines() == [
        "greet: 3 files in .agents/skills/greet",
        "  tool greet (python main.py): asks for network, write out, $API_TOKEN",
        "greet is trusted now",
    ]
    assert run("run", "greet").stdout == "hello\n"
    write(greet / "main.py", MAIN.replace("WORD", "evil"))
    write(greet / "more.py", "")
    changed = run("run", "greet")
    assert changed.returncode == 1
    assert "has changed since it was trusted" in changed.stderr
    again = run("trust", "greet", "--dry-run")
    assert again.stderr.splitlines()[2:] == ["  + more.py", "  ~ main.py", "greet would be trusted"]
    assert run("run", "greet").returncode == 1
    run("trust", "greet")
    assert run("run", "greet").stdout == "evil\n"
    assert json.loads(run("trust", "greet", "--json").stdout)["trusted"][0]["before"] == "trusted"
    assert run("untrust", "greet").returncode == 0
    assert run("run", "greet").returncode == 1
    assert run("untrust", "greet").returncode == 2
    assert "is not trusted by itself" in run("untrust", "greet").stderr


@pytest.mark.parametrize(
    "path", ["__pycache__/helper.cpython-311.pyc", "node_modules/x/index.js", ".hidden", "deep/er/file.txt"]
)
def test_no_file_of_a_skill_can_change_unseen(project: Path, greet: Path, path: str) -> None:
    write(greet / path, "before")
    catalog = open_profile(project)
    trust = Trust.of(os.environ)
    skill = catalog.require("greet")
    trust.approve(skill)
    assert trust.allows(skill)
    write(greet / path, "after!")
    assert not Trust.of(os.environ).allows(skill)
    assert trust.standing(skill)[0] == "changed"


def test_a_link_out_of_the_skill_keeps_it_from_being_trusted(project: Path, greet: Path) -> None:
    write(project / "elsewhere.py", "print('x')\n")
    (greet / "linked.py").symlink_to(project / "elsewhere.py")
    refused = run("trust", "greet")
    assert refused.returncode != 0
    assert "leads out of the skill" in refused.stderr
    assert not Trust.of(os.environ).approvals


def test_a_host_sees_decisions_while_it_is_running(project: Path, greet: Path) -> None:
    catalog = open_profile(project)
    tools = Tools(catalog)
    assert tools.call_blocking("greet", {}).key == "tool-untrusted"
    Trust.of(os.environ).approve(catalog.require("greet"))
    threading.Event().wait(0.05)
    assert tools.call_blocking("greet", {}).content == "hello"
    write(greet / "main.py", MAIN.replace("WORD", "evil"))
    threading.Event().wait(0.05)
    assert tools.call_blocking("greet", {}).key == "tool-changed"
    Trust.of(os.environ).revoke(str(greet))
    threading.Event().wait(0.05)
    assert tools.call_blocking("greet", {}).key == "tool-untrusted"


def test_approvals_survive_two_writers_and_odd_files(project: Path, home: Path, greet: Path) -> None:
    for number in range(8):
        write(project / f".agents/skills/s{number}/SKILL.md", f"---\nname: s{number}\ndescription: d\n---\n")
    catalog = Catalog.open(project, cache=False)
    threads = [
        threading.Thread(target=Trust.of(os.environ).approve, args=(catalog.require(f"s{number}"),))
        for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    trust = Trust.of(os.environ)
    assert [one.name for one in trust.approvals] == [f"s{number}" for number in range(8)]
    assert os.stat(os.path.dirname(trust.path)).st_mode & 0o077 == 0
    (project / ".agents/skills/s1/SKILL.md").unlink()
    (project / ".agents/skills/s1").rmdir()
    write(project / ".agents/skills/s2/SKILL.md", "other")
    shown = json.loads(run("trust", "--list", "--json").stdout)["approvals"]
    assert {one["name"]: one["state"] for one in shown}["s1"] == "gone"
    assert {one["name"]: one["state"] for one in shown}["s2"] == "changed"
    assert run("untrust", str(project / ".agents/skills/s1")).returncode == 0
    for broken in ("{", "[]", '{"approvals": [{}]}', '{"approvals": 3}', ""):
        write(Path(trust.path), broken)
        with pytest.raises(FileFailed):
            _ = Trust.of(os.environ).approvals
        assert not Trust.of(os.environ).allows(catalog.require("s3"))
        told = run("trust", "s3")
        assert told.returncode != 0
        assert "Traceback" not in told.stderr
        assert "not a list of approvals" in told.stderr
        assert Path(trust.path).read_text(encoding="utf-8") == broken


def test_misuse_is_told(project: Path, greet: Path) -> None:
    assert run("trust").returncode == 2
    assert run("trust", "nobody").returncode == 2
    assert run("trust", "--list", "greet").returncode == 2
    assert "no skill is trusted by itself" in run("trust", "--list").stderr
