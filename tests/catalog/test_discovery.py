from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from metier import Catalog, Policy, Root, State
from tests.conftest import codes, head, names, open_profile, write, write_skill


def look(root: Path, **changes: object) -> Catalog:
    return Catalog.open(root.parent, roots=[root], policy=Policy.profile("default").but(**changes), cache=False)


@pytest.mark.proves("S0-02", "D06")
def test_skills_are_found_in_folders_at_any_allowed_depth(project: Path) -> None:
    for folder, name in (("skills/a", "a"), ("skills/g/sub/b", "b"), ("other/c", "c")):
        write(project / folder / "SKILL.md", head(name))
    write(project / "skills/README.md", "no skill")
    (project / "skills/empty").mkdir()
    catalog = open_profile(project, "mycodeagent")
    assert names(catalog) == ["a", "b"]
    assert catalog.diagnostics == ()


@pytest.mark.proves("S2-14", "S3-20", "S3-02")
def test_a_profile_of_depth_one_takes_direct_children_only(project: Path) -> None:
    write(project / ".skills/a/SKILL.md", head("a"))
    write(project / ".skills/group/b/SKILL.md", head("b"))
    write(project / ".skills/loose.md", head("loose"))
    catalog = open_profile(project, "hn-explorer")
    assert names(catalog) == ["a"]
    assert codes(catalog) == ["truncated"]


@pytest.mark.proves("S0-03")
def test_a_skill_in_the_root_itself_is_a_matter_of_the_profile(project: Path) -> None:
    write(project / "skills/SKILL.md", head("root-one"))
    assert names(open_profile(project, "mycodeagent")) == ["root-one"]
    catalog = open_profile(project)
    assert names(catalog) == []
    assert codes(catalog) == ["root-is-skill"]


def test_a_root_that_was_named_may_itself_be_a_skill(project: Path) -> None:
    write(project / "mine/SKILL.md", head("mine"))
    assert names(look(project / "mine")) == ["mine"]


def test_a_skill_inside_a_skill_is_only_a_file_of_it(project: Path) -> None:
    write_skill(project / "skills", "outer")
    write(project / "skills/outer/templates/inner/SKILL.md", head("inner"))
    assert names(open_profile(project)) == ["outer"]
    assert names(open_profile(project, "mycodeagent")) == ["inner", "outer"]


@pytest.mark.proves("D03")
def test_hidden_and_dependency_folders_are_not_searched(project: Path) -> None:
    root = project / "skills"
    write_skill(root, "good")
    for folder in (".git/hooks", "node_modules/pkg", "__pycache__/x"):
        write(root / folder / "SKILL.md", head("bad"))
    write(root / ".hidden/SKILL.md", head("secret"))
    catalog = open_profile(project)
    assert names(catalog) == ["good"]
    (one,) = catalog.diagnostics
    assert (one.code, Path(one.path)) == ("folder-hidden", root / ".hidden/SKILL.md")


@pytest.mark.proves("D04")
@pytest.mark.parametrize(
    ("knob", "value"), [("max_depth", 1), ("max_dirs", 3), ("max_entries", 4)], ids=["depth", "folders", "entries"]
)
def test_a_bound_that_is_reached_is_reported_and_what_was_found_is_kept(project: Path, knob: str, value: int) -> None:
    root = project / "skills"
    write_skill(root, "first")
    for number in range(6):
        write_skill(root / f"group{number}", f"skill{number}")
    catalog = look(root, **{knob: value})
    assert "first" in names(catalog)
    assert len(names(catalog)) < 7
    (one,) = catalog.diagnostics
    assert one.code == "truncated"
    assert knob in (one.hint or "")


def test_folders_with_skills_do_not_count_against_the_bound_on_folders(project: Path) -> None:
    for number in range(20):
        write_skill(project / "skills", f"s{number}")
    assert len(names(look(project / "skills", max_dirs=3))) == 20


@pytest.mark.proves("P20")
def test_a_lower_case_file_is_read_and_the_upper_case_one_preferred(project: Path) -> None:
    write(project / "skills/low/skill.md", head("low"))
    write(project / "skills/both/skill.md", head("both", "from lower"))
    write(project / "skills/both/SKILL.md", head("both", "from upper"))
    catalog = open_profile(project)
    assert {skill.name: skill.description for skill in catalog.skills if skill.scope == "project"} == {
        "low": "Does a thing. Use when asked.",
        "both": "from upper",
    }


def test_a_better_file_that_joins_a_lower_case_one_takes_over(project: Path) -> None:
    write(project / "skills/x/skill.md", head("x", "lower"))
    catalog = open_profile(project)
    write(project / "skills/x/SKILL.md", head("x", "upper"))
    assert catalog.require("x").description == "upper"


def test_any_other_spelling_is_explained(project: Path) -> None:
    write(project / "skills/odd/Skill.md", head("odd"))
    catalog = open_profile(project)
    assert names(catalog) == []
    assert codes(catalog) == ["file-name-case"]
    (one,) = [one for one in catalog.candidates if one.path.endswith("Skill.md")]
    assert one.state is State.SKIPPED


@pytest.mark.proves("D05")
def test_a_linked_skill_is_followed_once(project: Path, tmp_path: Path) -> None:
    root = project / "skills"
    target = write_skill(tmp_path / "elsewhere", "linked").parent
    root.mkdir()
    (root / "linked").symlink_to(target)
    (root / "zz-again").symlink_to(target)
    catalog = look(root)
    assert names(catalog) == ["linked"]
    assert catalog.diagnostics == ()
    assert [one.state for one in catalog.candidates] == [State.LOADED, State.SHADOWED]


@pytest.mark.proves("D05")
def test_the_same_folder_in_two_roots_is_loaded_once(project: Path) -> None:
    write_skill(project / "one", "s")
    (project / "two").symlink_to(project / "one")
    catalog = Catalog.open(project, roots=["one", "two"], policy=Policy.profile("default"), cache=False)
    assert names(catalog) == ["s"]
    assert catalog.diagnostics == ()


@pytest.mark.proves("D05")
def test_links_in_circles_end(project: Path) -> None:
    root = project / "skills"
    write_skill(root, "good")
    (root / "loop").symlink_to(root)
    (root / "up").symlink_to(project)
    (root / "self").symlink_to(root / "self")
    catalog = open_profile(project)
    assert names(catalog) == ["good"]
    assert [one.code for one in catalog.diagnostics] == ["link-broken"]


@pytest.mark.proves("D05")
def test_links_out_of_an_untrusted_project_are_refused(project: Path, tmp_path: Path) -> None:
    secret = write_skill(tmp_path / "private", "secret")
    root = project / "skills"
    write_skill(root, "good")
    (root / "folder").symlink_to(secret.parent)
    (root / "file").mkdir()
    (root / "file/SKILL.md").symlink_to(secret)
    write_skill(project / "shared", "inside")
    (root / "inside").symlink_to(project / "shared/inside")
    catalog = open_profile(project)
    assert names(catalog) == ["good", "inside"]
    assert sorted(codes(catalog)) == ["link-escapes", "link-escapes"]
    trusting = open_profile(project, trusted_roots=(str(project),))
    assert "secret" in names(trusting)


def test_a_link_that_comes_to_lead_out_later_is_refused(project: Path, tmp_path: Path) -> None:
    write_skill(tmp_path / "private/inner", "secret")
    write_skill(project / "shared/inner", "inside")
    (project / "skills").mkdir()
    (project / "skills/linked").symlink_to(project / "shared/inner/inside")
    catalog = open_profile(project)
    assert names(catalog) == ["inside"]
    (project / "shared/inner").rename(project / "shared/old")
    (tmp_path / "private/inner/secret").rename(tmp_path / "private/inner/inside")
    (project / "shared/inner").symlink_to(tmp_path / "private/inner")
    catalog.refresh()
    assert names(catalog) == []
    assert codes(catalog) == ["link-escapes"]


def test_a_root_that_is_itself_a_link_out_of_the_project_is_refused(project: Path, tmp_path: Path) -> None:
    write_skill(tmp_path / "private", "secret")
    (project / "skills").symlink_to(tmp_path / "private")
    catalog = open_profile(project)
    assert names(catalog) == []
    assert codes(catalog) == ["link-escapes"]


def test_pipes_sockets_folders_and_broken_links_called_skill_md_are_explained(project: Path) -> None:
    root = project / "skills"
    write_skill(root, "good")
    for name in ("pipe", "socket", "folder", "broken"):
        (root / name).mkdir()
    os.mkfifo(root / "pipe/SKILL.md")
    (root / "folder/SKILL.md").mkdir()
    (root / "broken/SKILL.md").symlink_to("nowhere")
    (root / "gone").symlink_to("nowhere")
    server = socket.socket(socket.AF_UNIX)
    os.chdir(root / "socket")
    server.bind("SKILL.md")
    os.chdir(project)
    catalog = look(root)
    server.close()
    assert names(catalog) == ["good"]
    found = {Path(one.path).relative_to(root).as_posix(): one.code for one in catalog.diagnostics}
    assert found == {
        "pipe/SKILL.md": "file-not-regular",
        "socket/SKILL.md": "file-not-regular",
        "folder/SKILL.md": "file-not-regular",
        "broken/SKILL.md": "link-broken",
        "gone": "link-broken",
    }
    assert not catalog.refresh()


@pytest.mark.proves("D14", "S0-27", "S2-16", "S3-43")
def test_a_bad_skill_never_hides_a_good_one_and_is_reported_once(project: Path) -> None:
    write_skill(project / "skills", "good")
    write(project / "skills/bad/SKILL.md", "no frontmatter")
    for profile in ("default", "mycodeagent", "desiagent"):
        catalog = open_profile(project, profile)
        assert names(catalog) == ["good"]
        assert codes(catalog) == ["frontmatter-missing"]


@pytest.mark.proves("P07", "S0-54")
def test_bytes_that_are_not_utf8_are_explained(project: Path) -> None:
    write_skill(project / "skills", "good")
    write(project / "skills/gbk/SKILL.md", "---\nname: gbk\ndescription: 中文\n---\n".encode("gbk"))
    catalog = open_profile(project, "mycodeagent")
    assert names(catalog) == ["good"]
    assert codes(catalog) == ["not-utf8"]


@pytest.mark.proves("S1-04")
def test_listing_reads_no_more_than_the_head_of_a_file(project: Path) -> None:
    path = write(project / "skills/big/SKILL.md", head("big", body="x" * 5_000_000))
    catalog = open_profile(project)
    assert names(catalog) == ["big"]
    (skill,) = [skill for skill in catalog.skills if skill.name == "big"]
    assert skill.text is None
    assert "x" * 100 not in repr(skill)
    assert path.stat().st_size > 5_000_000


def test_a_frontmatter_longer_than_the_first_read_is_read_whole(project: Path) -> None:
    lines = "".join(f"key{number}: {'v' * 60}\n" for number in range(300))
    write(project / "skills/long/SKILL.md", f"---\nname: long\n{lines}description: last\n---\nbody\n")
    assert open_profile(project).require("long").description == "last"


def test_a_frontmatter_without_end_in_a_long_file_is_explained(project: Path) -> None:
    write(project / "skills/long/SKILL.md", "---\nname: long\ndescription: d\n" + "text\n" * 50_000)
    assert codes(open_profile(project)) == ["header-too-large"]


@pytest.mark.proves("D09", "S0-25")
def test_the_order_does_not_depend_on_the_order_of_creation(project: Path, tmp_path: Path) -> None:
    letters = ["b", "a", "c-d", "c", "z", "m"]
    for folder, order in ((project / "skills", letters), (tmp_path / "again/skills", letters[::-1])):
        for name in order:
            write_skill(folder, name)
    first = names(open_profile(project))
    second = names(open_profile(tmp_path / "again"))
    assert first == second == sorted(letters)


def test_an_unreadable_folder_is_reported(project: Path) -> None:
    root = project / "skills"
    write_skill(root, "good")
    write_skill(root / "group", "locked")
    (root / "group").chmod(0)
    try:
        if os.access(root / "group", os.R_OK):  # the superuser reads everything
            return
        catalog = open_profile(project)
        assert names(catalog) == ["good"]
        assert codes(catalog) == ["folder-unreadable"]
    finally:
        (root / "group").chmod(0o755)


def test_a_named_root_that_does_not_exist_is_reported(project: Path) -> None:
    catalog = Catalog.open(project, roots=["nowhere"], cache=False)
    assert codes(catalog) == ["root-missing"]


def test_roots_may_be_given_as_values(project: Path) -> None:
    write_skill(project / "team", "s")
    root = Root(path=str(project / "team"), scope="user", label="team")
    catalog = Catalog.open(project, roots=[root], cache=False)
    assert catalog.require("team:s").scope == "user"
