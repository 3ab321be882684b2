"""What `--fix` must never do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from metier.authoring.check import check_paths
from metier.authoring.fix import plan_fix
from tests.conftest import head, write, write_skill


def metier(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "metier", "--project", str(project), *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def test_files_outside_of_a_project_are_neither_read_nor_written(project: Path, tmp_path: Path) -> None:
    victim = write(tmp_path / "outside/tools/victim/SKILL.md", "---\nname: Bad\ndescription: Use when: x\n---\n")
    before = victim.read_bytes()
    write_skill(project / ".agents/skills", "good")
    (project / ".agents/skills/evil").symlink_to(tmp_path / "outside")
    (project / ".agents/skills/e2").mkdir()
    (project / ".agents/skills/e2/SKILL.md").symlink_to(victim)
    for arguments in (["check", "--fix"], ["check", "--fix", ".agents/skills"], ["check", "--fix", "."]):
        done = metier(project, *arguments)
        assert "link-escapes" in done.stdout
        assert done.returncode == 1
        assert victim.read_bytes() == before


def test_the_body_and_its_line_ends_are_left_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "x/SKILL.md", "\ufeff---\nname: x\ndescription: d\n---\na\r50%\r100%\r\nb\n")
    fix = plan_fix(str(path))
    assert fix is not None
    assert fix.text == "---\nname: x\ndescription: d\n---\na\r50%\r100%\r\nb\n"


@pytest.mark.parametrize(
    "header",
    [
        '"name": bar\ndescription: d\n',
        "name: a\nname: b\ndescription: d\n",
        "name: bar  # keep me\ndescription: d\n",
        "name: x\ndescription: d\nallowed-tools: []\n",
        "name: x\ndescription: d\nallowed-tools:\n  - Read  # why\n  - Write\n",
        "{name: bar, description: d}\n",
    ],
)
def test_nothing_is_claimed_that_was_not_done(tmp_path: Path, header: str) -> None:
    path = write(tmp_path / "x/SKILL.md", f"---\n{header}---\n")
    assert plan_fix(str(path)) is None


def test_a_comment_behind_the_fence_is_no_header(tmp_path: Path) -> None:
    path = write(tmp_path / "x/SKILL.md", "--- # description: A: b\nname: x\ndescription: A: b\n---\n")
    fix = plan_fix(str(path))
    assert fix is not None
    assert fix.text == '--- # description: A: b\nname: x\ndescription: "A: b"\n---\n'


def test_only_skills_are_mended(project: Path) -> None:
    post = write(project / "post.md", "---\ntitle: A post\ndescription: d\n---\n")
    before = post.read_bytes()
    metier(project, "check", "--fix", "post.md")
    assert post.read_bytes() == before


def test_the_skill_of_a_project_is_not_named_after_its_checkout(project: Path) -> None:
    path = write(project / "SKILL.md", head("solo"))
    metier(project, "check", "--fix")
    assert path.read_text(encoding="utf-8") == head("solo")


def test_a_linked_skill_is_checked_under_the_name_it_is_reached_by(tmp_path: Path) -> None:
    write(tmp_path / "store/pkg/SKILL.md", head("foo"))
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills/foo").symlink_to(tmp_path / "store/pkg")
    (report,) = check_paths([str(tmp_path / "skills/foo")], "std")
    assert report.is_valid
    assert plan_fix(str(tmp_path / "skills/foo/SKILL.md")) is None


def test_the_proper_file_is_checked_where_there_are_two(tmp_path: Path) -> None:
    write(tmp_path / "x/SKILL.md", head("x"))
    write(tmp_path / "x/SKILL.MD", "nothing")
    (report,) = check_paths([str(tmp_path / "x")], "std")
    assert (report.path, report.is_valid) == (str(tmp_path / "x/SKILL.md"), True)


def test_skills_in_the_hidden_folders_of_a_project_are_checked(project: Path) -> None:
    write_skill(project / ".agents/skills", "good")
    write(project / ".agents/skills/bad/SKILL.md", "nothing")
    assert [report.is_valid for report in check_paths([str(project)], "std")] == [False, True]


def test_links_inside_a_project_are_followed_wherever_the_check_starts(project: Path) -> None:
    write_skill(project / ".agents/skills", "one")
    (project / ".claude/skills").mkdir(parents=True)
    (project / ".claude/skills/one").symlink_to("../../.agents/skills/one")
    for path in (".claude/skills", ".claude/skills/one", "."):
        assert metier(project, "check", path).returncode == 0


def test_a_folder_that_is_a_skill_may_hold_others(project: Path) -> None:
    write(project / "SKILL.md", head(project.name))
    write(project / "skills/bad/SKILL.md", "nothing")
    write(project / ".agents/skills/worse/SKILL.md", "nothing")
    done = metier(project, "check", ".")
    assert done.returncode == 1
    assert "3 files checked, 2 invalid" in done.stderr
