"""Roots, configuration, visibility, trust."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from metier import Catalog, ConfigError, Policy, State, UnknownProfile
from metier.catalog.config import load_config
from metier.catalog.roots import resolve_roots
from metier.places import CLIENTS
from metier.policy import PROFILES
from tests.conftest import codes, head, names, open_profile, write, write_skill


@pytest.mark.proves("D01")
def test_the_default_roots_are_those_of_the_project_the_user_and_metier(project: Path, home: Path) -> None:
    roots = resolve_roots(str(project), Policy.profile("default"), os.environ)
    shown = [root.path.replace(str(project), ".").replace(str(home), "~") for root in roots]
    assert shown[:-1] == [
        "./.agents/skills",
        "./.metier/skills",
        "./skills",
        "./.skills",
        ".",
        "~/.agents/skills",
        "~/.metier/skills",
        "~/.config/agents/skills",
    ]
    assert roots[-1].scope == "system"
    assert [root.rank for root in roots] == list(range(len(roots)))


@pytest.mark.proves("D01")
def test_folders_of_other_clients_are_read_when_asked_for_and_pointed_out_when_not(project: Path, home: Path) -> None:
    for client, specs in CLIENTS.items():
        for spec in specs:
            base = project if spec.base == "project" else home
            write_skill(base / spec.path, f"{client}-{spec.base}")
    plain = open_profile(project)
    assert names(plain) == []
    assert {one.code for one in plain.folders_of_other_clients()} == {"client-folder"}
    assert len(plain.folders_of_other_clients()) == 2 * len(CLIENTS)
    asked = open_profile(project, clients=tuple(CLIENTS))
    assert len(names(asked)) == 2 * len(CLIENTS)
    assert asked.folders_of_other_clients() == ()


@pytest.mark.proves("D02")
def test_the_folders_above_count_up_to_the_top_of_the_repository(project: Path, tmp_path: Path) -> None:
    inner = project / "packages/app"
    inner.mkdir(parents=True)
    write_skill(tmp_path / ".agents/skills", "outside")
    write_skill(project / ".agents/skills", "top")
    write_skill(project / ".agents/skills", "both", "from the top")
    write_skill(inner / ".agents/skills", "both", "from the app")
    assert names(open_profile(inner)) == ["both"]
    (project / ".git").mkdir()
    catalog = open_profile(inner)
    assert names(catalog) == ["both", "top"]
    assert catalog.require("both").description == "from the app"


@pytest.mark.proves("S0-63")
def test_the_first_design_looks_only_inside_the_project(project: Path, home: Path) -> None:
    roots = resolve_roots(str(project), Policy.profile("mycodeagent"), os.environ)
    assert [root.path for root in roots] == [str(project / "skills")]
    write_skill(home / ".agents/skills", "global")
    write_skill(project / "skills", "local")
    assert names(open_profile(project, "mycodeagent")) == ["local"]


@pytest.mark.proves("S1-08", "S1-09", "S1-28")
def test_the_second_design_looks_below_its_base_wherever_the_process_stands(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill(project / ".agents/sys.skills", "w")
    write_skill(project / ".agents/skills", "u")
    monkeypatch.chdir(tmp_path)
    catalog = open_profile(project, "smallebot")
    assert [root.path for root in catalog.roots] == [
        str(project / ".agents/sys.skills"),
        str(project / ".agents/skills"),
    ]
    assert [(skill.name, skill.is_system, skill.root.read_only) for skill in catalog.skills] == [
        ("w", True, True),
        ("u", False, False),
    ]


@pytest.mark.proves("S1-49", "S3-44")
def test_a_missing_folder_is_an_empty_list_and_created_only_by_the_fourth_design(project: Path) -> None:
    for profile in PROFILES:
        if profile == "hn-explorer":
            continue
        catalog = open_profile(project, profile)
        assert [skill.scope for skill in catalog.skills if skill.scope != "system"] == []
        assert list(project.iterdir()) == []
    assert open_profile(project, "hn-explorer").skills == ()
    assert (project / ".skills").is_dir()


@pytest.mark.proves("S3-11")
def test_a_package_of_code_called_skills_is_not_mistaken_for_skills(project: Path) -> None:
    write(project / "skills/__init__.py", "")
    write(project / "skills/loader.py", "x = 1\n")
    write_skill(project / ".skills", "chinese-writing")
    assert names(open_profile(project, "hn-explorer")) == ["chinese-writing"]
    assert names(open_profile(project)) == ["chinese-writing"]


@pytest.mark.proves("S2-38")
def test_the_validation_skill_of_the_third_design_is_found(project: Path) -> None:
    write_skill(project / ".agents/skills", "cataloging-apis", "Catalogs endpoints and writes API documentation.")
    assert names(open_profile(project, "desiagent")) == ["cataloging-apis"]


@pytest.mark.proves("D12", "D13")
def test_rules_hide_skills_by_name_or_path_and_the_later_one_wins(project: Path) -> None:
    for name in ("off", "quiet", "mine", "back", "below", "fine"):
        write_skill(project / "skills", name)
    write(
        project / "metier.toml",
        """
        skills = [
            { name = "off", visibility = "off" },
            { name = "quiet", visibility = "name-only" },
            { name = "project:mine", visibility = "user-only" },
            { name = "back", visibility = "off" },
            { name = "back", visibility = "on" },
            { path = "skills/below", visibility = "off" },
            { name = "fine", path = "skills/fine", visibility = "off" },
            { name = "fine", visibility = "sometimes" },
        ]
        """,
    )
    catalog = Catalog.open(project, cache=False)
    assert names(catalog) == ["back", "fine", "quiet"]
    assert {one.name: one.state for one in catalog.candidates if one.state is State.HIDDEN} == {
        "off": State.HIDDEN,
        "below": State.HIDDEN,
    }
    assert catalog.require("mine").visibility == "user-only"
    assert catalog.require("quiet").visibility == "name-only"
    assert catalog.get("off") is None
    assert catalog.get("project:off") is None
    assert codes(catalog) == ["config-ignored", "config-ignored"]


@pytest.mark.parametrize(
    ("value", "listed"), [("0", False), ("No", False), ("off", False), ("false", False), ("yes", True)]
)
def test_a_switch_of_the_environment_hides_a_skill(
    project: Path, monkeypatch: pytest.MonkeyPatch, value: str, listed: bool
) -> None:
    write_skill(project / "skills", "my-skill")
    write_skill(project / ".agents/skills", "my-skill")
    monkeypatch.setenv("SKILL_MY_SKILL_ENABLED", value)
    assert (names(open_profile(project)) == ["my-skill"]) is listed


def test_the_second_design_has_no_switch(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_skill(project / ".agents/skills", "u")
    monkeypatch.setenv("SKILL_U_ENABLED", "false")
    assert [skill.name for skill in open_profile(project, "smallebot").skills] == ["u"]


def test_skills_of_an_untrusted_project_wait_with_one_notice(project: Path, home: Path) -> None:
    for name in ("a", "b"):
        write_skill(project / "skills", name)
    write_skill(home / ".agents/skills", "mine")
    write(home / ".config/metier/metier.toml", 'project_reading = "after-trust"\n')
    catalog = Catalog.open(project, cache=False)
    assert names(catalog) == ["mine"]
    assert catalog.get("a") is None
    (one,) = catalog.diagnostics
    assert (one.code, one.message[-1]) == ("project-untrusted", "2")
    write(home / ".config/metier/metier.toml", f'project_reading = "after-trust"\ntrusted_roots = ["{project}"]\n')
    assert names(Catalog.open(project, cache=False)) == ["a", "b", "mine"]


def test_a_project_cannot_trust_itself(project: Path, home: Path) -> None:
    write_skill(project / "skills", "a")
    write(home / ".config/metier/metier.toml", 'project_reading = "after-trust"\n')
    write(project / "metier.toml", 'project_reading = "open"\ntrusted_roots = ["."]\n')
    catalog = Catalog.open(project, cache=False)
    assert names(catalog) == []
    assert sorted(codes(catalog)) == ["config-ignored", "config-ignored", "project-untrusted"]


def test_settings_come_from_the_user_then_the_project_then_the_environment(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home / ".config/metier/metier.toml", 'profile = "codex"\nmax_depth = 2\n')
    assert load_config(str(project), os.environ).policy.name == "codex"
    write(
        project / "pyproject.toml", '[tool.metier]\nprofile = "claude-code"\nclients = ["cursor"]\nroots = ["team"]\n'
    )
    policy = load_config(str(project), os.environ).policy
    assert (policy.name, policy.max_depth, policy.clients) == ("claude-code", 2, ("cursor",))
    assert policy.roots[0].path == str(project / "team")
    monkeypatch.setenv("METIER_PROFILE", "strict")
    assert load_config(str(project), os.environ).policy.name == "strict"
    assert load_config(str(project), os.environ, "omega").policy.name == "omega"
    monkeypatch.setenv("METIER_PROFILE", "nope")
    with pytest.raises(UnknownProfile):
        load_config(str(project), os.environ)


@pytest.mark.parametrize(
    "setting",
    [
        'profile = "nope"',
        "max_depth = 0",
        'max_dirs = "many"',
        "clients = ['word']",
        "roots = 3",
        "skills = 3",
        "zebra = 1",
    ],
)
def test_a_setting_that_makes_no_sense_is_ignored_with_a_warning(project: Path, setting: str) -> None:
    write(project / "metier.toml", setting + "\n")
    write_skill(project / "skills", "a")
    catalog = Catalog.open(project, cache=False)
    assert names(catalog) == ["a"]
    assert codes(catalog) == ["config-ignored"]


def test_a_file_that_is_not_toml_is_an_error_that_names_it(project: Path) -> None:
    path = write(project / "metier.toml", "profile = \n")
    with pytest.raises(ConfigError) as caught:
        Catalog.open(project)
    assert caught.value.place == str(path)


def test_every_profile_can_be_asked_for_by_name() -> None:
    assert set(PROFILES) == {
        "default",
        "strict",
        "mycodeagent",
        "smallebot",
        "desiagent",
        "hn-explorer",
        "omega",
        "claude-code",
        "codex",
    }
    for name in PROFILES:
        assert Policy.profile(name).name == name


@pytest.mark.proves("S3-03", "S3-23")
def test_the_fourth_design_lists_its_names(project: Path) -> None:
    write(project / ".skills/b/SKILL.md", head("b", ""))
    write_skill(project / ".skills", "a")
    catalog = open_profile(project, "hn-explorer")
    assert [skill.name for skill in catalog.skills] == ["a", "b"]


@pytest.mark.proves("S1-12")
def test_bundled_skills_are_in_the_package_and_good() -> None:
    import metier
    from metier.authoring.check import check_paths

    bundled = Path(metier.__file__ or "").parent / "bundled"
    reports = list(check_paths([str(bundled)], "strict"))
    assert len(reports) >= 3
    assert [one.message for report in reports for one in report.diagnostics] == []
