"""Things that once went wrong, each as small as it can be made."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path

import pytest

from metier import Catalog, ConfigError, PathEscape, Policy, State, UnknownSkill
from metier.parsing.document import read_document
from tests.conftest import codes, head, names, open_profile, write, write_skill


def test_a_profile_does_not_open_the_trust_gate(project: Path, home: Path) -> None:
    write_skill(project / ".agents/skills", "sneaky")
    write(home / ".config/metier/metier.toml", 'project_reading = "after-trust"\n')
    write(project / "metier.toml", 'profile = "smallebot"\n')
    catalog = Catalog.open(project, cache=False)
    assert catalog.skills == ()
    assert codes(catalog) == ["project-untrusted"]


def test_a_configuration_cannot_have_folders_made_elsewhere(project: Path, tmp_path: Path) -> None:
    write(project / "metier.toml", f'profile = "hn-explorer"\nroots = ["{tmp_path}/made"]\n')
    Catalog.open(project, cache=False)
    assert (project / ".skills").is_dir()
    assert not (tmp_path / "made").exists()


def test_a_root_that_cannot_be_made_is_reported(project: Path) -> None:
    write(project / ".skills", "a file")
    assert codes(open_profile(project, "hn-explorer")) == ["folder-unreadable"]


def test_a_project_does_not_overrule_what_the_user_hid(project: Path, home: Path) -> None:
    write_skill(home / ".agents/skills", "dep")
    write_skill(project / "skills", "own")
    write(home / ".config/metier/metier.toml", 'skills = [{ name = "dep", visibility = "off" }]\n')
    write(
        project / "metier.toml",
        'skills = [{ name = "dep", visibility = "on" }, { name = "own", visibility = "off" }]\n',
    )
    assert names(Catalog.open(project, cache=False)) == []


def test_the_users_own_roots_may_lie_anywhere(project: Path, home: Path, tmp_path: Path) -> None:
    write_skill(tmp_path / "library", "mine")
    write(home / ".config/metier/metier.toml", f'roots = ["{tmp_path}/library"]\n')
    catalog = Catalog.open(project, cache=False)
    assert names(catalog) == ["mine"]
    assert catalog.require("mine").scope == "user"


def test_standing_in_the_home_does_not_make_its_skills_a_strangers(home: Path, tmp_path: Path) -> None:
    target = write_skill(tmp_path / "elsewhere", "linked").parent
    (home / ".agents/skills").mkdir(parents=True)
    (home / ".agents/skills/linked").symlink_to(target)
    assert names(open_profile(home)) == ["linked"]


@pytest.mark.parametrize(
    "text",
    ['profile = ["x"]', 'roots = ["\\u0000"]', 'trusted_roots = [""]', 'skills = [{ name = "a", visibility = [] }]'],
)
def test_odd_settings_are_ignored_with_a_warning(project: Path, home: Path, text: str) -> None:
    write(home / ".config/metier/metier.toml", text + "\n")
    assert codes(Catalog.open(project, cache=False)) == ["config-ignored"]


@pytest.mark.parametrize("content", ["x = " + "[" * 3000, "x = " + "9" * 5000, "x = 1\n" * 400_000])
def test_hostile_configurations_are_errors_that_name_the_file(project: Path, content: str) -> None:
    write(project / "metier.toml", content)
    with pytest.raises(ConfigError):
        Catalog.open(project, cache=False)


def test_a_configuration_that_is_no_file_is_refused(project: Path, tmp_path: Path) -> None:
    os.mkfifo(project / "metier.toml")
    with pytest.raises(ConfigError):
        Catalog.open(project, cache=False)
    (project / "metier.toml").unlink()
    (project / "metier.toml").symlink_to(write(tmp_path / "private.toml", 'profile = "omega"\n'))
    with pytest.raises(ConfigError):
        Catalog.open(project, cache=False)


def test_a_name_cannot_pass_for_a_qualified_one(project: Path, home: Path) -> None:
    write(project / "skills/x/SKILL.md", head('"user:deploy"', "forged"))
    write_skill(home / ".agents/skills", "deploy", "real")
    catalog = open_profile(project)
    assert catalog.require("user:deploy").description == "real"
    assert "name-unsafe" in codes(catalog)


def test_a_document_is_not_read_through_a_link_that_came_to_lead_out(project: Path, tmp_path: Path) -> None:
    write_skill(project / "shared", "foo")
    (project / "skills").mkdir()
    (project / "skills/foo").symlink_to(project / "shared/foo")
    catalog = open_profile(project, refresh="manual")
    write_skill(tmp_path / "private", "foo", "TOP SECRET")
    (project / "shared").rename(project / "old")
    (project / "shared").symlink_to(tmp_path / "private")
    with pytest.raises(PathEscape):
        catalog.document("foo")


def test_a_link_that_comes_to_lead_somewhere_is_seen(project: Path, tmp_path: Path) -> None:
    root = project / "skills"
    root.mkdir()
    (root / "later").symlink_to(tmp_path / "later")
    (root / "v1.2").symlink_to("nowhere")
    catalog = Catalog.open(project, roots=[root])
    assert codes(catalog) == ["link-broken", "link-broken"]
    write_skill(tmp_path, "later")
    assert [skill.name for skill in catalog.refresh().added] == ["later"]
    assert names(Catalog.open(project, roots=[root])) == ["later"]


@pytest.mark.parametrize("profile", ["default", "claude-code"])
def test_a_real_folder_beats_a_link_to_it(project: Path, profile: str) -> None:
    for root in (project / "skills", project / ".claude/skills"):
        write(root / "real/SKILL.md", "---\ndescription: d\n---\n")
        (root / "alias").symlink_to(root / "real")
    catalog = open_profile(project, profile)
    assert names(catalog) == ["real"]
    (copy,) = [one for one in catalog.candidates if one.state is State.SHADOWED]
    assert "alias" in copy.path


def test_the_same_root_twice_is_one_root(project: Path) -> None:
    write_skill(project / "skills", "x")
    catalog = Catalog.open(project, roots=["skills", "./skills", project / "skills"], cache=False)
    assert len(catalog.candidates) == 1


def test_copies_with_other_scripts_are_not_identical(project: Path, home: Path) -> None:
    for base, script in ((project, "one"), (home, "another")):
        write_skill(base / ".agents/skills", "x")
        write(base / ".agents/skills/x/run.sh", script)
    assert codes(open_profile(project)) == ["name-shadowed"]


def test_a_missing_root_is_missed_no_longer_once_it_is_there(project: Path) -> None:
    catalog = Catalog.open(project, roots=["later"], cache=False)
    assert codes(catalog) == ["root-missing"]
    write_skill(project / "later", "x")
    catalog.refresh()
    assert (names(catalog), codes(catalog)) == (["x"], [])


def test_a_path_need_not_be_text(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/pr\xffoj"
    os.makedirs(folder + b"/skills/x")
    with open(folder + b"/skills/x/SKILL.md", "w", encoding="utf-8") as file:
        file.write(head("x"))
    for _ in range(2):
        assert names(Catalog.open(os.fsdecode(folder), policy=Policy.profile("default"))) == ["x"]


def test_many_questions_do_not_stop_the_garbage_collector(project: Path) -> None:
    write_skill(project / "skills", "x")
    catalog = open_profile(project)
    before = [generation["collections"] for generation in gc.get_stats()]
    for _ in range(300):
        for _ in range(50):
            cycle: list[object] = []
            cycle.append(cycle)
        catalog.get("x")
    after = [generation["collections"] for generation in gc.get_stats()]
    assert after[0] > before[0]


def test_an_alias_cannot_multiply_a_long_text() -> None:
    items = "".join("  - *a\n" for _ in range(3000))
    document = read_document(f"---\nname: a\nx: &a {'y' * 30_000}\ndescription:\n{items}---\n".encode(), "p")
    assert [one.code for one in document.diagnostics] == ["yaml-alias-bomb"]


def test_hostile_headers_cost_linear_time() -> None:
    """Eight times the input costs about eight times as much, not sixty-four; measured in one run, with some room."""

    def cost(count: int) -> float:
        header = "name: a\ndescription: d\nx:\n" + "".join(f'  - "q{number}\tq"\n' for number in range(count))
        start = time.process_time()
        read_document(f"---\n{header}---\n".encode(), "p")
        return time.process_time() - start

    cost(100)
    assert min(cost(3200) for _ in range(3)) < 30 * min(cost(400) for _ in range(3))


def test_comments_do_not_become_part_of_a_repaired_value() -> None:
    text = "---\nname: a\ndescription: Foo: bar\n# an internal remark\n# license: GPL\nlicense: MIT\n---\n"
    document = read_document(text.encode(), "p")
    assert document.fields == {"name": "a", "description": "Foo: bar", "license": "MIT"}


def test_the_longest_header_is_counted_in_bytes(project: Path) -> None:
    text = f"---\nname: x\ndescription: {'技' * 30_000}\n---\n"
    write(project / "skills/x/SKILL.md", text)
    assert codes(open_profile(project)) == ["header-too-large"]
    assert [one.code for one in read_document(text.encode(), "p").diagnostics] == ["header-too-large"]


def test_an_empty_name_is_nobodys() -> None:
    from metier import Skill

    assert Catalog.of([Skill.inline(name="a", description="d")]).get("") is None


def test_a_very_deep_folder_is_listed(project: Path) -> None:
    folder = write_skill(project / "skills", "x").parent
    os.chdir(folder)
    for _ in range(1500):
        os.mkdir("d")
        os.chdir("d")
    found = open_profile(project).files("x").files
    for _ in range(1500):  # what pytest itself cannot remove
        os.chdir(os.pardir)
        os.rmdir("d")
    assert [file.path for file in found] == ["SKILL.md"]


def test_whoever_else_looks_takes_no_change_away(project: Path) -> None:
    for name in ("a", "b"):
        write_skill(project / "skills", name)
    catalog = open_profile(project)
    helper = catalog.only(["a"])
    write_skill(project / "skills", "a", "Edited.")
    write_skill(project / "skills", "new")
    (project / "skills/b/SKILL.md").unlink()
    catalog.get("a")
    assert [skill.name for skill in helper.refresh().changed] == ["a"]
    delta = catalog.refresh()
    assert [[skill.name for skill in group] for group in delta] == [["new"], ["a"], ["b"]]
    assert not catalog.refresh()


def test_an_unknown_skill_that_is_only_kept_back_comes_with_the_reason(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill(project / "skills", "one")
    write(project / "skills/broken/SKILL.md", "nothing")
    monkeypatch.setenv("SKILL_ONE_ENABLED", "false")
    catalog = open_profile(project)
    for name, word in (("one", "SKILL_ONE_ENABLED"), ("broken", "no frontmatter")):
        with pytest.raises(UnknownSkill) as caught:
            catalog.require(name)
        assert word in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("line", "description", "code"),
    [
        ("description: Teaches C # code and F # code", "Teaches C", "yaml-comment-cut"),
        ("description: !important does things", "does things", "yaml-tag"),
        ("description: &and does things", "does things", "yaml-anchor"),
        ("description: # Title of it", "# Title of it", "yaml-repaired"),
        ("  name: x\ndescription: d", "d", "yaml-repaired"),
    ],
)
def test_text_that_yaml_takes_for_something_else_is_pointed_out(
    project: Path, line: str, description: str, code: str
) -> None:
    write(project / "skills/x/SKILL.md", f"---\n{line}\n---\nBody.\n")
    catalog = open_profile(project)
    assert catalog.require("x").description == description
    assert code in codes(catalog)


def test_a_named_root_that_is_a_skill_says_so(project: Path) -> None:
    write(project / "lib/SKILL.md", head("lib"))
    write_skill(project / "lib", "below")
    catalog = Catalog.open(project, roots=["lib"], cache=False)
    assert names(catalog) == ["lib"]
    assert codes(catalog) == ["root-is-skill"]
