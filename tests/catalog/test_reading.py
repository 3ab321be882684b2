"""What a policy makes of a header: names, descriptions, fields, tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from metier import Severity, State
from tests.conftest import codes, head, names, open_profile, write, write_skill


def skill_of(project: Path, header: str, profile: str = "default", folder: str = "x", **changes: object):
    write(project / "skills" / folder / "SKILL.md", f"---\n{header}---\n\nBody paragraph.\n")
    catalog = open_profile(project, profile, **changes)
    found = [one for one in catalog.candidates if one.path.startswith(str(project))]
    return found[0], catalog


@pytest.mark.proves("S0-04", "S0-05", "S0-17", "S0-22", "S1-02")
@pytest.mark.parametrize(
    ("header", "missing"),
    [
        ("name: x\n", "description"),
        ("description: d\n", "name"),
        ('name: x\ndescription: ""\n', "description"),
        ("name: x\ndescription:\n", "description"),
        ('name: x\ndescription: "   "\n', "description"),
    ],
)
def test_a_skill_without_its_two_fields_is_not_listed(project: Path, header: str, missing: str) -> None:
    candidate, catalog = skill_of(project, header, "mycodeagent")
    assert candidate.state is State.SKIPPED
    (one,) = catalog.diagnostics
    assert missing in one.message
    assert one.severity is Severity.ERROR
    write(project / "skills/x/SKILL.md", "no fence\n")
    catalog = open_profile(project, "mycodeagent")
    assert (names(catalog), len(catalog.diagnostics)) == ([], 1)


@pytest.mark.proves("P19")
def test_a_missing_description_is_an_error_that_names_the_file(project: Path) -> None:
    candidate, catalog = skill_of(project, "name: x\n")
    assert candidate.state is State.SKIPPED
    (one,) = catalog.diagnostics
    assert (one.code, one.path) == ("description-missing", str(project / "skills/x/SKILL.md"))


def test_a_problem_of_a_field_stands_at_its_line(project: Path) -> None:
    _, catalog = skill_of(project, f"# c\nname: Other\nlicense: MIT\ndescription: {'d' * 1025}\n")
    assert {one.code: one.line for one in catalog.diagnostics} == {
        "name-not-lowercase": 3,
        "name-folder-mismatch": 3,
        "description-too-long": 5,
    }


def test_a_missing_name_is_taken_from_the_folder_with_a_warning(project: Path) -> None:
    candidate, catalog = skill_of(project, "description: d\n")
    assert candidate.name == "x"
    assert codes(catalog) == ["name-missing"]


def test_claude_code_takes_the_first_paragraph_for_a_description(project: Path) -> None:
    write(project / ".claude/skills/x/SKILL.md", "---\nname: Label\n---\n# Title\n\nDoes\nthis.\n\nMore.\n")
    (skill,) = open_profile(project, "claude-code").skills
    assert (skill.name, skill.title, skill.description) == ("x", "Label", "Does this.")


@pytest.mark.proves("S0-21", "P11")
@pytest.mark.parametrize("name", ["a", "a1", "a-b-1", "x" * 64])
def test_good_names_are_accepted_by_every_profile(project: Path, name: str) -> None:
    write_skill(project / "skills", name)
    for profile in ("default", "strict", "mycodeagent", "desiagent"):
        assert names(open_profile(project, profile)) == [name]


@pytest.mark.proves("S0-21", "P11", "P08")
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("A", "name-not-lowercase"),
        ("a_b", "name-characters"),
        ("-a", "name-hyphens"),
        ("a-", "name-hyphens"),
        ("a--b", "name-hyphens"),
        ("a b", "name-characters"),
        ("x" * 65, "name-too-long"),
    ],
)
def test_bad_names_are_loaded_with_a_warning_or_refused_by_strict_profiles(project: Path, name: str, code: str) -> None:
    write_skill(project / "skills", name)
    lenient = open_profile(project)
    assert names(lenient) == [name]
    assert [(one.code, one.severity) for one in lenient.diagnostics if one.code == code] == [(code, Severity.WARNING)]
    refusing = ("strict",) if code == "name-too-long" else ("strict", "mycodeagent")
    for profile in refusing:
        catalog = open_profile(project, profile)
        assert names(catalog) == []
        assert (code, Severity.ERROR) in [(one.code, one.severity) for one in catalog.diagnostics]


@pytest.mark.proves("P10")
def test_the_ascii_reading_refuses_what_the_unicode_reading_accepts(project: Path) -> None:
    for name in ("技能", "कि", "ที่", "café"):
        write_skill(project / "skills", name)
    unicode_profile = open_profile(project)
    assert names(unicode_profile) == sorted(["技能", "कि", "ที่", "café"])
    assert unicode_profile.diagnostics == ()
    assert names(open_profile(project, "mycodeagent")) == []


@pytest.mark.proves("P09")
def test_decomposed_and_composed_names_are_the_same(project: Path) -> None:
    write(project / "skills" / "caf\u00e9" / "SKILL.md", head("cafe\u0301"))
    write(project / "skills" / "ab" / "SKILL.md", head("\uff41\uff42"))
    catalog = open_profile(project)
    assert names(catalog) == ["ab", "caf\u00e9"]
    assert catalog.get("cafe\u0301") == catalog.get("caf\u00e9")
    assert catalog.diagnostics == ()


@pytest.mark.parametrize("name", ["../evil", "a/b", 'say "hi"', "<b>", "a\\b", "a\\u0007b"])
def test_a_name_that_could_break_out_is_replaced_by_the_folders(project: Path, name: str) -> None:
    written = name if "u0007" in name else name.replace("\\", "\\\\").replace('"', '\\"')
    candidate, catalog = skill_of(project, f'name: "{written}"\ndescription: d\n')
    assert candidate.name == "x"
    assert "name-unsafe" in codes(catalog)


def test_a_folder_that_could_break_out_names_nothing(project: Path) -> None:
    write(project / "skills" / 'a"b' / "SKILL.md", "---\ndescription: d\n---\n")
    catalog = open_profile(project)
    assert names(catalog) == []
    assert codes(catalog) == ["name-unsafe"]


@pytest.mark.proves("P13")
@pytest.mark.parametrize(
    ("header", "name", "description"),
    [
        ("name: 3000\ndescription: d\n", "3000", "d"),
        ("name: true\ndescription: d\n", "true", "d"),
        ("name: x\ndescription: [a]\n", "x", "[a]"),
        ("name: x\ndescription:\n  - a\n  - b\n", "x", "a, b"),
        ("name: x\ndescription:\n  what: a\n", "x", "what: a"),
        ("name:\n  - x\ndescription: d\n", "x", "d"),
        ("name: x\ndescription: d\nargument-hint: [x: y]\n", "x", "d"),
    ],
)
def test_fields_of_the_wrong_kind_become_text(project: Path, header: str, name: str, description: str) -> None:
    candidate, _ = skill_of(project, header)
    assert candidate.skill is not None
    assert (candidate.skill.name, candidate.skill.description) == (name, description)


@pytest.mark.proves("P13")
def test_an_argument_hint_in_brackets_stays_in_brackets(project: Path) -> None:
    candidate, _ = skill_of(project, "name: x\ndescription: d\nargument-hint: [x: y]\n")
    assert candidate.skill is not None
    assert candidate.skill.argument_hint == "[x: y]"


@pytest.mark.proves("P08")
@pytest.mark.parametrize(("length", "found"), [(1024, []), (1025, ["description-too-long"])])
def test_a_long_description_is_loaded_with_a_warning(project: Path, length: int, found: list[str]) -> None:
    candidate, catalog = skill_of(project, f"name: x\ndescription: {'d' * length}\n")
    assert candidate.state is State.LOADED
    assert codes(catalog) == found


@pytest.mark.proves("P14")
@pytest.mark.parametrize(
    "tools",
    [
        "allowed-tools: Bash(git add *) Read Write\n",
        "allowed-tools: Bash(git add *), Read, Write\n",
        "allowed-tools: [Bash(git add *), Read, Write]\n",
        "allowed-tools:\n  - Bash(git add *)\n  - Read\n  - Write\n",
    ],
    ids=["blanks", "commas", "flow list", "block list"],
)
def test_allowed_tools_in_any_form_are_the_same_rules(project: Path, tools: str) -> None:
    candidate, _ = skill_of(project, f"name: x\ndescription: d\n{tools}")
    assert candidate.skill is not None
    assert candidate.skill.allowed_tools == ("Bash(git add *)", "Read", "Write")


@pytest.mark.proves("P15")
def test_metadata_has_a_text_view_and_keeps_its_nesting(project: Path) -> None:
    candidate, _ = skill_of(
        project, "name: x\ndescription: d\nmetadata:\n  version: 1.0\n  on: true\n  deep:\n    a: b\n"
    )
    skill = candidate.skill
    assert skill is not None
    assert skill.metadata == {"version": "1.0", "on": "true", "deep": "a: b"}
    assert skill.fields["metadata"] == {"version": "1.0", "on": "true", "deep": {"a": "b"}}


@pytest.mark.proves("P17", "S2-01", "S0-08", "S0-65")
def test_unknown_fields_are_kept_and_only_strict_profiles_refuse_them(project: Path) -> None:
    header = "name: x\ndescription: d\nlicense: MIT\nallowed-tools: Read\nmodel: opus\nzebra: 1\nhooks:\n  a: b\n"
    candidate, catalog = skill_of(project, header)
    assert candidate.skill is not None
    assert list(candidate.skill.fields) == [
        "name",
        "description",
        "license",
        "allowed-tools",
        "model",
        "zebra",
        "hooks",
    ]
    assert candidate.skill.fields["hooks"] == {"a": "b"}
    assert catalog.diagnostics == ()
    assert names(open_profile(project, "mycodeagent")) == ["x"]
    strict = open_profile(project, "strict")
    assert names(strict) == []
    assert set(codes(strict)) == {"field-unknown"}


@pytest.mark.proves("P18")
@pytest.mark.parametrize(
    ("word", "hidden"), [("true", 1), ("Yes", 1), ("ON", 1), ("1", 1), ("false", 0), ("No", 0), ("off", 0), ("0", 0)]
)
def test_truths_are_written_in_many_ways(project: Path, word: str, hidden: int) -> None:
    candidate, catalog = skill_of(project, f"name: x\ndescription: d\ndisable-model-invocation: {word}\n")
    assert candidate.state is State.LOADED
    assert (catalog.skills[0].name == "x") is not bool(hidden)
    assert catalog.get("x") is not None


@pytest.mark.proves("P03")
def test_a_strict_profile_repairs_nothing(project: Path) -> None:
    header = "name: x\ndescription: Use when: asked\n"
    lenient, _ = skill_of(project, header)
    assert lenient.skill is not None
    assert lenient.skill.description == "Use when: asked"
    candidate, catalog = skill_of(project, header, "strict")
    assert candidate.state is State.SKIPPED
    assert [(one.code, one.line, one.column) for one in catalog.diagnostics] == [("yaml-repaired", 3, 1)]


@pytest.mark.proves("S0-19", "S2-26", "S3-19")
def test_a_skill_says_where_it_is_and_how_old(project: Path) -> None:
    path = write_skill(project / "skills", "code-review", "Review code")
    skill = open_profile(project, "mycodeagent").require("code-review")
    assert (skill.name, skill.description, skill.scope) == ("code-review", "Review code", "project")
    assert (skill.path, skill.dir) == (str(path), str(path.parent))
    assert skill.mtime == pytest.approx(path.stat().st_mtime)


@pytest.mark.proves("S2-12")
def test_the_skill_file_of_the_workspace_itself_is_one_skill(project: Path) -> None:
    write(project / "SKILL.md", head("solo", "Does solo things."))
    write(project / "docs/SKILL.md", head("not-me"))
    for profile in ("desiagent", "default"):
        catalog = open_profile(project, profile)
        assert names(catalog) == ["solo"]
        assert catalog.diagnostics == ()
    write(project / "SKILL.md", head("solo", "Does more."))
    assert open_profile(project).require("solo").description == "Does more."


@pytest.mark.proves("S1-48")
def test_the_files_of_a_skill_are_listed_by_relative_path(project: Path, tmp_path: Path) -> None:
    folder = write_skill(project / "skills", "u").parent
    write(folder / "references/b.md", "b")
    write(folder / "references/a.md", "aa")
    write(folder / ".git/config", "x")
    (folder / "out").symlink_to(write(tmp_path / "secret", "s"))
    listing = open_profile(project).files("u")
    assert [(file.path, file.size) for file in listing.files if file.path != "SKILL.md"] == [
        ("references/a.md", 2),
        ("references/b.md", 1),
    ]
    assert not listing.truncated


@pytest.mark.proves("S2-25")
def test_the_whole_file_is_read_on_demand_and_fresh(project: Path) -> None:
    write_skill(project / "skills", "x", body="First.\n")
    catalog = open_profile(project)
    assert catalog.document("x").body == "First."
    write_skill(project / "skills", "x", body="Second.\n")
    document = catalog.document("x")
    assert document.body == "Second."
    assert document.text.startswith("---\nname: x\n")
