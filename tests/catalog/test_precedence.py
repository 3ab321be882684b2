from __future__ import annotations

from pathlib import Path

import pytest

from metier import AmbiguousSkill, Catalog, Policy, State, UnknownSkill
from tests.conftest import codes, head, names, open_profile, write, write_skill


@pytest.mark.proves("D07")
def test_the_project_comes_before_the_user_and_both_stay_reachable(project: Path, home: Path) -> None:
    mine = write_skill(project / ".agents/skills", "review", "of the project")
    theirs = write_skill(home / ".agents/skills", "review", "of the user")
    catalog = open_profile(project)
    assert catalog.require("review").description == "of the project"
    assert catalog.require("project:review").description == "of the project"
    assert catalog.require("user:review").description == "of the user"
    (one,) = catalog.diagnostics
    assert one.code == "name-shadowed"
    assert one.path == str(theirs)
    assert str(mine) in one.message


@pytest.mark.proves("D08")
def test_identical_copies_are_one_skill_without_a_warning(project: Path, home: Path) -> None:
    write_skill(project / ".agents/skills", "same")
    write_skill(home / ".agents/skills", "same")
    catalog = open_profile(project)
    assert names(catalog) == ["same"]
    assert catalog.diagnostics == ()
    assert [one.state for one in catalog.candidates if one.name == "same"] == [State.LOADED, State.SHADOWED]


def test_a_copy_with_other_tools_is_not_identical(project: Path, home: Path) -> None:
    write_skill(project / ".agents/skills", "same")
    write_skill(home / ".agents/skills", "same")
    write(home / ".agents/skills/same/skill.yaml", "name: same\ndescription: d\nruntime: binary\nentry: SKILL.md\n")
    assert codes(open_profile(project)) == ["name-shadowed"]


@pytest.mark.proves("S0-24")
def test_the_last_one_found_wins_where_the_profile_says_so(project: Path) -> None:
    write(project / "skills/a/SKILL.md", head("dup", "from a"))
    write(project / "skills/b/SKILL.md", head("dup", "from b"))
    catalog = open_profile(project, "mycodeagent")
    assert catalog.require("dup").description == "from b"
    (one,) = catalog.diagnostics
    assert "skills/a" in one.path
    assert "skills/b" in one.message


def test_a_skill_shadowed_in_its_own_scope_answers_to_its_path(project: Path) -> None:
    write(project / "skills/a/SKILL.md", head("dup", "from a"))
    write(project / "skills/b/SKILL.md", head("dup", "from b"))
    catalog = open_profile(project)
    assert catalog.require("dup").description == "from a"
    assert catalog.require("skills/b").description == "from b"
    assert catalog.require(str(project / "skills/b/SKILL.md")).description == "from b"


@pytest.mark.proves("S2-02", "S2-09", "S2-10", "S2-11", "S2-13")
def test_the_first_location_wins_and_the_next_one_takes_over(project: Path, home: Path) -> None:
    places = [project / ".agents/skills", project / "skills", home / ".config/agents/skills"]
    for number, place in enumerate(places):
        write_skill(place, "same", f"of place {number}")
    for number, place in enumerate(places):
        catalog = open_profile(project, "desiagent")
        assert catalog.require("same").description == f"of place {number}"
        assert codes(catalog).count("name-shadowed") == len(places) - 1 - number
        (place / "same/SKILL.md").unlink()


@pytest.mark.proves("S1-52")
def test_system_skills_come_first_where_the_profile_says_so(project: Path) -> None:
    write_skill(project / ".agents/sys.skills", "w", "of the system")
    write_skill(project / ".agents/skills", "w", "of the user")
    catalog = open_profile(project, "smallebot")
    (skill,) = catalog.skills
    assert (skill.description, skill.is_system) == ("of the system", True)
    assert codes(catalog) == ["name-shadowed"]


def test_personal_skills_come_before_the_projects_in_claude_code(project: Path, home: Path) -> None:
    write_skill(project / ".claude/skills", "deploy", "of the project")
    write_skill(home / ".claude/skills", "deploy", "personal")
    assert open_profile(project, "claude-code").require("deploy").description == "personal"


@pytest.mark.proves("D10")
def test_codex_keeps_both_and_the_bare_name_is_ambiguous(project: Path, home: Path) -> None:
    write_skill(project / ".agents/skills", "x", "of the project")
    write_skill(home / ".agents/skills", "x", "of the user")
    catalog = open_profile(project, "codex")
    assert names(catalog) == ["x", "x"]
    with pytest.raises(AmbiguousSkill) as caught:
        catalog.get("x")
    assert sorted(caught.value.candidates) == ["project:x", "user:x"]
    assert catalog.require("user:x").description == "of the user"


@pytest.mark.proves("S0-20", "S2-24")
def test_a_broken_copy_does_not_take_the_name(project: Path, home: Path) -> None:
    write(project / ".agents/skills/x/SKILL.md", "---\nname: x\n---\n")
    write_skill(home / ".agents/skills", "x", "of the user")
    catalog = open_profile(project)
    assert catalog.require("x").description == "of the user"
    assert catalog.get("nope") is None
    assert names(catalog) == names(catalog)


def test_an_unknown_name_comes_with_the_nearest_ones(project: Path) -> None:
    write_skill(project / "skills", "code-review")
    with pytest.raises(UnknownSkill) as caught:
        open_profile(project).require("code-reviw")
    assert caught.value.suggestions[0] == "code-review"


@pytest.mark.proves("S0-23", "S2-15", "S1-10", "P12")
def test_a_name_that_differs_from_its_folder_is_a_matter_of_the_profile(project: Path) -> None:
    for root in ("skills", ".agents/skills", ".claude/skills"):
        write(project / root / "foo/SKILL.md", head("bar"))
    assert names(open_profile(project, "mycodeagent")) == ["bar"]
    assert names(open_profile(project, "desiagent")) == []
    assert codes(open_profile(project, "desiagent")) == ["name-folder-mismatch"] * 2
    default = open_profile(project)
    assert default.require("bar") == default.require("foo")
    assert "name-folder-mismatch" in codes(default)
    (skill,) = open_profile(project, "smallebot").skills
    assert (skill.name, skill.title) == ("foo", "bar")


@pytest.mark.proves("D15")
def test_the_skills_of_a_folder_join_when_a_file_in_it_is_touched(project: Path) -> None:
    write_skill(project / ".agents/skills", "deploy", "of the project")
    write_skill(project / "packages/x/.agents/skills", "deploy", "of the package")
    write_skill(project / "packages/x/.agents/skills", "extra")
    catalog = open_profile(project)
    assert names(catalog) == ["deploy"]
    delta = catalog.visit("packages/x/f.py")
    assert [skill.name for skill in delta.added] == ["extra"]
    assert catalog.require("deploy").description == "of the project"
    assert catalog.require("packages/x:deploy").description == "of the package"
    assert not catalog.visit("packages/x/f.py")


@pytest.mark.proves("S2-46")
def test_an_agent_with_an_allow_list_sees_and_gets_nothing_else(project: Path) -> None:
    for name in ("a", "b"):
        write_skill(project / "skills", name)
    agent = open_profile(project).only(["a"])
    assert names(agent) == ["a"]
    assert agent.get("b") is None
    assert agent.get("project:b") is None
    assert agent.only(["b"]).skills == ()
    with pytest.raises(UnknownSkill):
        agent.require("b")
    write_skill(project / "skills", "c")
    assert not agent.refresh()


@pytest.mark.proves("S3-42", "S1-29", "S1-30")
def test_the_order_is_by_name_by_scope_or_as_found(project: Path, home: Path) -> None:
    for name in ("b", "a"):
        write_skill(project / "skills", name)
        write_skill(home / ".agents/skills", name + "-user")
    assert names(open_profile(project)) == ["a", "b", "a-user", "b-user"]
    assert names(open_profile(project, order="name")) == ["a", "a-user", "b", "b-user"]
    write_skill(project / ".agents/sys.skills", "z")
    write_skill(project / ".agents/skills", "y")
    skills = open_profile(project, "smallebot").skills
    assert [(skill.name, skill.is_system) for skill in skills] == [("z", True), ("y", False)]


def test_a_catalog_needs_no_files() -> None:
    from metier import InvalidSkill, Skill

    greet = Skill.inline(name="greet", description="Greets people by name.", body="Say hello.")
    catalog = Catalog.of([greet, Skill.inline(name="bye", description="Says goodbye.")])
    assert [skill.name for skill in catalog.skills] == ["bye", "greet"]
    assert catalog.document("greet").body == "Say hello."
    assert catalog.files("greet").files == ()
    assert catalog.require("memory:greet") == greet
    assert not catalog.refresh()
    with pytest.raises(InvalidSkill):
        Skill.inline(name="a/b", description="d")
    with pytest.raises(InvalidSkill):
        Skill.inline(name="a", description="  ")


def test_skills_of_the_program_come_before_those_on_disk(project: Path) -> None:
    from metier import Skill

    write_skill(project / "skills", "x", "on disk")
    own = Skill.inline(name="x", description="in memory")
    catalog = Catalog.open(project, policy=Policy.profile("default"), skills=[own], cache=False)
    assert catalog.require("x").description == "in memory"
    assert catalog.require("project:x").description == "on disk"
