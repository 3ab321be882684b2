"""A catalog follows the disk; the cache makes the next process start warm and is never believed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from metier import Catalog, Policy
from metier.catalog.cache import cache_path
from metier.catalog.sighting import SETTLED_NS
from metier.catalog.watch import watch
from tests.conftest import head, names, open_profile, write, write_skill

LONG_AGO = time.time_ns() - 60 * SETTLED_NS


def age(root: Path) -> None:
    """Make everything below a root look old, as it is on a machine where nobody has just written it.

    The change time cannot be set, so files stay "young" for the two seconds after a test has made them.
    """
    for path in (root, *root.rglob("*")):
        os.utime(path, ns=(LONG_AGO, LONG_AGO), follow_symlinks=False)


def wait_until_settled() -> None:
    time.sleep(SETTLED_NS / 1e9 + 0.1)


@pytest.mark.proves("D16", "S0-48", "S0-18", "S3-18", "S2-22", "S2-23")
def test_a_refresh_returns_just_what_changed(project: Path) -> None:
    root = project / "skills"
    for name in ("stays", "edited", "removed"):
        write_skill(root, name)
    catalog = open_profile(project)
    assert not catalog.refresh()
    write_skill(root, "added")
    write_skill(root, "edited", "New words.")
    (root / "removed/SKILL.md").unlink()
    delta = catalog.refresh()
    assert [skill.name for skill in delta.added] == ["added"]
    assert [(skill.name, skill.description) for skill in delta.changed] == [("edited", "New words.")]
    assert [skill.name for skill in delta.removed] == ["removed"]
    assert names(catalog) == ["added", "edited", "stays"]
    assert not catalog.refresh()


def test_an_edit_of_the_same_length_at_the_same_moment_is_seen(project: Path) -> None:
    path = write_skill(project / "skills", "x", "one")
    catalog = open_profile(project)
    for word in ("two", "six", "ten"):
        status = path.stat()
        path.write_text(head("x", word), encoding="utf-8")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        catalog.refresh()
        assert catalog.require("x").description == word


def test_an_edit_that_puts_the_old_time_back_is_seen_even_when_settled(project: Path) -> None:
    path = write_skill(project / "skills", "x", "one")
    age(project)
    wait_until_settled()
    catalog = open_profile(project)
    path.write_text(head("x", "two"), encoding="utf-8")
    os.utime(path, ns=(LONG_AGO, LONG_AGO))
    assert [skill.description for skill in catalog.refresh().changed] == ["two"]


def test_a_swap_of_two_skills_is_seen(project: Path) -> None:
    root = project / "skills"
    write_skill(root, "a", "one")
    write_skill(root, "b", "two")
    age(project)
    catalog = open_profile(project)
    (root / "a").rename(root / "t")
    (root / "b").rename(root / "a")
    (root / "t").rename(root / "b")
    catalog.refresh()
    assert {skill.path: skill.description for skill in catalog.skills if skill.scope == "project"} == {
        str(root / "a/SKILL.md"): "two",
        str(root / "b/SKILL.md"): "one",
    }


def test_growing_old_is_no_change(project: Path) -> None:
    write_skill(project / "skills", "x", body="x" * 9000)
    catalog = open_profile(project)
    assert not catalog.refresh()
    wait_until_settled()
    assert not catalog.refresh()
    assert not catalog.refresh()


def test_two_edits_of_a_long_body_in_one_moment_both_count(project: Path) -> None:
    path = write_skill(project / "skills", "x", body="x" * 9000 + "one")
    catalog = open_profile(project)
    path.write_bytes(path.read_bytes()[:-3] + b"two")
    assert [skill.name for skill in catalog.refresh().changed] == ["x"]
    status = path.stat()
    path.write_bytes(path.read_bytes()[:-3] + b"six")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert [skill.name for skill in catalog.refresh().changed] == ["x"]


def test_an_edit_of_the_body_alone_counts_as_a_change(project: Path) -> None:
    write_skill(project / "skills", "x", body="one")
    catalog = open_profile(project)
    write_skill(project / "skills", "x", body="two!")
    assert [skill.name for skill in catalog.refresh().changed] == ["x"]


class Opened:
    """The files that are opened while it is on, told by the interpreter's own audit events."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.is_on = False
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.is_on and event == "open" and str(arguments[0]).endswith("SKILL.md"):
            self.paths.append(str(arguments[0]))


@pytest.mark.proves("S0-18")
def test_unchanged_files_are_not_opened_again(project: Path) -> None:
    root = project / "skills"
    for number in range(5):
        write_skill(root, f"s{number}")
    age(project)
    wait_until_settled()
    catalog = open_profile(project)
    opened = Opened()
    opened.is_on = True
    assert not catalog.refresh()
    assert opened.paths == []
    os.utime(root / "s3/SKILL.md")
    assert [skill.name for skill in catalog.refresh().changed] == ["s3"]
    opened.is_on = False
    assert opened.paths == [str(root / "s3/SKILL.md")]


@pytest.mark.proves("D16")
def test_a_root_that_is_created_later_is_picked_up(project: Path) -> None:
    catalog = open_profile(project)
    assert names(catalog) == []
    write_skill(project / ".agents/skills", "late")
    assert [skill.name for skill in catalog.refresh().added] == ["late"]


@pytest.mark.proves("S0-49", "S2-05")
@pytest.mark.parametrize(
    ("value", "fresh"), [(None, True), ("true", True), ("false", False), ("0", False), ("no", False)]
)
def test_asking_for_a_skill_looks_at_the_disk_unless_told_not_to(
    project: Path, monkeypatch: pytest.MonkeyPatch, value: str | None, fresh: bool
) -> None:
    if value is not None:
        monkeypatch.setenv("SKILLS_REFRESH_ON_CALL", value)
    catalog = open_profile(project, "mycodeagent")
    write_skill(project / "skills", "new")
    assert (catalog.get("new") is not None) is fresh


def test_a_profile_with_manual_refresh_stays_as_it_was(project: Path) -> None:
    catalog = open_profile(project, "desiagent")
    write_skill(project / "skills", "new")
    assert catalog.get("new") is None
    catalog.refresh()
    assert catalog.get("new") is not None


def open_cached(project: Path) -> Catalog:
    return Catalog.open(project, policy=Policy.profile("default"))


def test_a_warm_start_says_the_same_as_a_cold_one(project: Path) -> None:
    root = project / "skills"
    write_skill(root, "plain")
    write(root / "broken/SKILL.md", "nothing")
    write(root / "colon/SKILL.md", "---\nname: colon\ndescription: Use when: x\nmetadata:\n  a: b\n---\n")
    write(root / "low/skill.md", head("low"))
    write(root / "tool/skill.yaml", "name: tool\ndescription: d\nruntime: binary\nentry: run\n")
    write(root / "group/deep/SKILL.md", head("deep"))
    age(project)
    wait_until_settled()
    cold = Catalog.open(project, policy=Policy.profile("default"), cache=False)
    first = open_cached(project)
    second = open_cached(project)
    assert cache_path(os.environ) is not None
    assert Path(cache_path(os.environ) or "").exists()
    assert first.skills == cold.skills == second.skills
    assert first.candidates == cold.candidates == second.candidates
    assert first.diagnostics == cold.diagnostics == second.diagnostics
    assert second.cache_failure is None


def test_the_cache_is_never_wrong_after_an_edit(project: Path) -> None:
    root = project / "skills"
    for name in ("a", "b", "c"):
        write_skill(root, name, "old")
    age(project)
    wait_until_settled()
    open_cached(project)
    write_skill(root, "a", "new")
    os.utime(root / "a/SKILL.md", ns=(LONG_AGO, LONG_AGO))
    (root / "b").rename(root / "d")
    write_skill(root, "e", "new")
    catalog = open_cached(project)
    found = {skill.path.split("/")[-2]: skill.description for skill in catalog.skills if skill.scope == "project"}
    assert found == {"a": "new", "c": "old", "d": "old", "e": "new"}


@pytest.mark.parametrize("damage", ["garbage", "truncated", "flipped", "folder", "deleted"])
def test_a_damaged_cache_only_costs_time(project: Path, damage: str) -> None:
    for number in range(50):
        write_skill(project / "skills", f"s{number}")
    open_cached(project)
    path = Path(cache_path(os.environ) or "")
    data = path.read_bytes()
    if damage == "garbage":
        path.write_bytes(b"not a database" * 100)
    elif damage == "truncated":
        path.write_bytes(data[: len(data) // 2])
    elif damage == "flipped":
        middle = len(data) // 2
        path.write_bytes(
            data[:middle] + bytes(byte ^ 255 for byte in data[middle : middle + 2000]) + data[middle + 2000 :]
        )
    elif damage == "folder":
        path.unlink()
        path.mkdir()
    else:
        path.unlink()
    for _ in range(2):
        assert len(names(open_cached(project))) == 50


def test_the_cache_can_be_switched_off(project: Path, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("METIER_CACHE", "off")
    write_skill(project / "skills", "x")
    assert names(open_cached(project)) == ["x"]
    assert not (home / ".cache").exists()


def test_many_processes_may_use_the_cache_at_once(project: Path) -> None:
    for number in range(200):
        write_skill(project / "skills", f"s{number}")
    script = (
        "import sys, pathlib; from metier import Catalog, Policy\n"
        "root = pathlib.Path('skills')\n"
        "for n in range(6):\n"
        "    new = root / f's{n}' / f'new{sys.argv[1]}'\n"
        "    text = f'---\\nname: s{n}\\ndescription: by {sys.argv[1]} {n}\\n---\\n'\n"
        "    new.write_text(text, encoding='utf-8')\n"
        "    new.replace(root / f's{n}' / 'SKILL.md')\n"
        "    catalog = Catalog.open('.', policy=Policy.profile('default'))\n"
        "    assert len([s for s in catalog.skills if s.scope == 'project']) == 200\n"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(number)], stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )
        for number in range(4)
    ]
    for process in running:
        _, error = process.communicate(timeout=120)
        assert (process.returncode, error) == (0, "")
    told = {skill.name: skill.description for skill in open_cached(project).skills}
    written = {
        name: (project / "skills" / name / "SKILL.md").read_text(encoding="utf-8")
        for name in told
        if name[0] == "s" and name[1:].isdigit()
    }
    assert all(told[name] in text for name, text in written.items())


def test_two_policies_do_not_read_each_others_rows(project: Path) -> None:
    write(project / "skills/low/skill.md", head("low"))
    age(project)
    wait_until_settled()
    assert names(open_cached(project)) == ["low"]
    assert names(Catalog.open(project, policy=Policy.profile("strict"))) == []
    assert names(open_cached(project)) == ["low"]


def test_the_cache_is_a_plain_database_that_anyone_can_look_into(project: Path) -> None:
    write_skill(project / "skills", "x")
    open_cached(project)
    with sqlite3.connect(cache_path(os.environ) or "") as connection:
        (count,) = connection.execute("SELECT count(*) FROM folders").fetchone()
    connection.close()
    assert count > 0


@pytest.mark.proves("D16")
@pytest.mark.parametrize("polling", [False, True], ids=["events", "polling"])
def test_watching_reports_every_change(project: Path, polling: bool) -> None:
    write_skill(project / "skills", "first")
    catalog = open_profile(project)
    deltas = catalog.watch(interval_s=0.1, polling=polling)
    seen: list[tuple[str, str]] = []

    def change() -> None:
        time.sleep(0.5)
        write_skill(project / "skills", "second")
        time.sleep(0.8)
        write_skill(project / "skills/group", "third")
        time.sleep(0.8)
        write_skill(project / "skills", "first", "Edited.")
        time.sleep(0.8)
        write_skill(project / ".agents/skills", "fourth")

    worker = threading.Thread(target=change)
    worker.start()
    for delta in deltas:
        seen += [("added", skill.name) for skill in delta.added]
        seen += [("changed", skill.name) for skill in delta.changed]
        if ("added", "fourth") in seen:
            break
    worker.join()
    assert set(seen) == {("added", "second"), ("added", "third"), ("changed", "first"), ("added", "fourth")}


def test_watching_goes_on_by_polling_when_the_system_has_no_watches_left(project: Path) -> None:
    def exhausted(folders: Sequence[str], interval_s: float) -> Iterator[bool]:
        raise OSError(28, "no watches left", f"{folders} {interval_s}")

    (project / "skills").mkdir()
    catalog = open_profile(project)
    deltas = watch(catalog.refresh, lambda: [str(project / "skills")], 0.05, exhausted)
    write_skill(project / "skills", "new")
    assert [skill.name for skill in next(deltas).added] == ["new"]


@pytest.mark.proves("S0-48")
def test_an_edited_skill_stays_where_skills_may_lie_in_skills(project: Path) -> None:
    path = write_skill(project / "skills", "a", "Old words.")
    write_skill(project / "skills/a", "inner", "Inside.")
    age(project)
    wait_until_settled()
    for catalog in (open_profile(project, "mycodeagent"), Catalog.open(project, policy=Policy.profile("mycodeagent"))):
        path.write_text(path.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
        catalog.refresh()
        assert [skill.name for skill in catalog.skills] == ["a", "inner"]
    again = Catalog.open(project, policy=Policy.profile("mycodeagent"))
    assert [skill.name for skill in again.skills] == ["a", "inner"]


def test_a_save_that_failed_misleads_nobody(project: Path) -> None:
    root = project / "skills"
    write_skill(root, "alpha")
    write_skill(root, "cc")
    age(project)
    wait_until_settled()
    catalog = open_cached(project)
    shutil.rmtree(root / "cc")
    write_skill(root, "beta")
    blocker = sqlite3.connect(cache_path(os.environ) or "")
    blocker.execute("BEGIN IMMEDIATE")
    catalog.refresh()
    blocker.rollback()
    blocker.close()
    os.utime(root)
    wait_until_settled()
    catalog.refresh()
    assert {"alpha", "beta"} <= {skill.name for skill in open_cached(project).skills}
