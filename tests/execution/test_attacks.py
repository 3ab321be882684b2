"""What evil tools try, against the real sandbox: as root and as an ordinary user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from metier import Tools
from tests.conftest import open_profile, write
from tests.execution.conftest import REPOSITORY, AsOrdinaryUser

BATTERY = REPOSITORY / "tests" / "execution" / "attacks" / "battery.py"

ALWAYS_BLOCKED = {"see_the_environment"}
"""Kept from a tool in every tier, even in none."""

ONLY_ROOT = {"write_system", "mount", "become_root", "trace_others", "fork_bomb"}
"""What the system itself may keep from an ordinary user."""

NOT_AT_T2 = {"fill_the_disk_with_many_files"}
"""Only files of its own bound the sum of what a program writes."""


def report_of(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    assert done.returncode == 0, done.stderr
    report: dict[str, str] = json.loads(done.stdout)
    assert len(report) > 25
    return report


def as_oneself(project: Path, tier: str) -> dict[str, str]:
    command = [sys.executable, str(BATTERY), str(project), tier]
    return report_of(
        subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, cwd=project.parent)
    )


def through(report: dict[str, str]) -> set[str]:
    return {attack for attack, what in report.items() if what == "went through"}


def test_without_a_sandbox_the_attacks_go_through(project: Path) -> None:
    report = as_oneself(project, "T0")
    assert report.pop("tier") == "T0"
    blocked = set(report) - through(report)
    assert blocked - (set() if os.geteuid() == 0 else ONLY_ROOT) == ALWAYS_BLOCKED


@pytest.mark.parametrize("tier", ["T3", "T2"])
def test_every_attack_is_blocked_for_root(project: Path, tier: str) -> None:
    report = as_oneself(project, tier)
    assert report["tier"] == tier
    assert through(report) <= (NOT_AT_T2 if tier == "T2" else set())


@pytest.mark.parametrize("tier", ["T3", "T2"])
def test_every_attack_is_blocked_for_an_ordinary_user(
    project: Path, as_ordinary_user: AsOrdinaryUser, tier: str
) -> None:
    report = report_of(as_ordinary_user("ATTACKS/battery.py", str(project), tier))
    assert report["tier"] == tier
    assert through(report) <= (NOT_AT_T2 if tier == "T2" else set())


def test_what_a_skill_needs_works_inside(project: Path) -> None:
    write(
        project / "skills/sheet/skill.yaml",
        "name: sheet\ndescription: d\nruntime: python\nentry: main.py\ntimeout_s: 120\n",
    )
    write(project / "skills/sheet/requirements.txt", "openpyxl\n")
    write(
        project / "skills/sheet/main.py",
        "import json, os\nfrom openpyxl import Workbook, load_workbook\n"
        "path = os.environ['METIER_WORK_DIR'] + '/x.xlsx'\n"
        "book = Workbook()\nbook.active['A1'] = '名'\nbook.save(path)\n"
        "print(json.dumps({'output': load_workbook(path).active['A1'].value, 'error': ''}))\n",
    )
    with Tools(open_profile(project), trust=True) as tools:
        result = tools.call_blocking("sheet", {})
    assert (result.content, result.data["tier"]) == ("名", "T3"), result


def test_an_ordinary_user_stays_who_they_are(project: Path, as_ordinary_user: AsOrdinaryUser) -> None:
    write(project / "skills/probe/skill.yaml", "name: probe\ndescription: d\nruntime: python\nentry: main.py\n")
    write(
        project / "skills/probe/main.py",
        "import json, os\nprint(json.dumps({'output': str(os.getuid()), 'error': ''}))\n",
    )
    script = (
        "from metier import Catalog, Tools\n"
        f"made = Tools(Catalog.open({str(project)!r}, cache=False), trust=True)\n"
        "answer = made.call_blocking('probe', {})\nprint(answer.content or answer)\n"
    )
    done = as_ordinary_user("-c", script)
    assert done.stdout.strip() == "65534", done
