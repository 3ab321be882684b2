"""The drop-in for skills-ref gives the answers of skills-ref, except where those are wrong."""

from __future__ import annotations

import importlib
import inspect
import pickle
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings

from metier.authoring import skills_ref as ours
from metier.cli.exits import PROBLEMS_FOUND, exit_status
from metier.errors import MetierError
from tests.authoring.test_reference import files, is_reference_wrong
from tests.conftest import head, write, write_skill

# It has no types.
reference: Any = importlib.import_module("skills_ref")
reference_parser: Any = importlib.import_module("skills_ref.parser")
reference_validator: Any = importlib.import_module("skills_ref.validator")

INVALID = "Invalid YAML in frontmatter:"


def answer(function: Callable[..., Any], *arguments: object) -> Any:
    """What a function returns or raises, in a form that can be compared across the two libraries."""
    try:
        found = function(*arguments)
    except (ours.SkillError, reference.SkillError) as error:
        return type(error).__name__, comparable(str(error)), [comparable(one) for one in getattr(error, "errors", ())]
    if hasattr(found, "to_dict"):
        return found.to_dict(), {**asdict(found), "metadata": found.metadata or {}}
    return list(map(comparable, cast("list[str]", found))) if isinstance(found, list) else found


def comparable(message: str) -> str:
    """What is wrong with YAML each library says in the words of its reader."""
    return INVALID if message.startswith(INVALID) else message


def assert_same_answers(folder: Path) -> None:
    for name in ("validate", "read_properties", "find_skill_md"):
        assert answer(getattr(ours, name), folder) == answer(getattr(reference, name), folder), name
    assert answer(ours.to_prompt, [folder]) == answer(reference.to_prompt, [folder])


def skill(*lines: str, name: str = "my-skill", description: str = "A test.") -> str:
    return "\n".join(
        ["---", f"name: {name}", f"description: {description}", *lines, "---", "# Title", "", "Do it.", ""]
    )


# What the reference's own tests look at, in other words: the name of the folder, the text of SKILL.md, and a part of
# what `validate` says, or nothing where the skill is good.
LOOKED_AT = {
    "a plain skill": ("my-skill", skill(), ""),
    "a licence": ("my-skill", skill("license: MIT"), ""),
    "metadata, its numbers as texts": ("my-skill", skill("metadata:", "  author: An Author", "  version: 1.0"), ""),
    "tool rules": ("my-skill", skill("allowed-tools: Bash(jq:*) Bash(git:*)"), ""),
    "a compatibility": ("my-skill", skill("compatibility: Requires Python 3.11+"), ""),
    "all fields": (
        "my-skill",
        skill("license: MIT", "compatibility: x", "allowed-tools: A B", "metadata:", "  a: b"),
        "",
    ),
    "a compatibility of 501 characters": ("my-skill", skill(f"compatibility: {'c' * 501}"), "500 character limit (501"),
    "a description of 1025 characters": (
        "my-skill",
        skill(description="d" * 1025),
        "1024 character limit (1025 chars)",
    ),
    "unknown fields": ("my-skill", skill("zebra: 1", "apple: 2"), "Unexpected fields in frontmatter: apple, zebra."),
    "a name of 65 characters": ("n" * 65, skill(name="n" * 65), "exceeds 64 character limit (65 chars)"),
    "a name in capitals": ("MySkill", skill(name="MySkill"), "must be lowercase"),
    "a name that starts with a hyphen": ("-my-skill", skill(name="-my-skill"), "start or end with a hyphen"),
    "a name that ends with a hyphen": ("my-skill-", skill(name="my-skill-"), "start or end with a hyphen"),
    "a name with two hyphens in a row": ("my--skill", skill(name="my--skill"), "consecutive hyphens"),
    "a name with every fault": ("my-skill", skill(name=f"-_A--{'n' * 65}"), "must match skill name"),
    "a name with an underscore": ("my_skill", skill(name="my_skill"), "invalid characters"),
    "a name that is not the folder's": ("other", skill(), "Directory name 'other' must match skill name 'my-skill'"),
    "a Chinese name": ("技能", skill(name="技能"), ""),
    "a Russian name": ("навык", skill(name="навык"), ""),
    "a Russian name with a hyphen": ("мой-навык", skill(name="мой-навык"), ""),
    "a Russian name in capitals": ("НАВЫК", skill(name="НАВЫК"), "must be lowercase"),
    "a name whose accent is a character of its own": ("café", skill(name="cafe\u0301"), ""),
    "no name": ("my-skill", "---\ndescription: d\n---\n", "Missing required field in frontmatter: name"),
    "no description": ("my-skill", "---\nname: my-skill\n---\n", "Missing required field in frontmatter: description"),
    "no frontmatter": ("my-skill", "# Title\n", "must start with YAML frontmatter"),
    "an open frontmatter": ("my-skill", "---\nname: my-skill\ndescription: d\n", "not properly closed"),
    "YAML that is none": ("my-skill", skill(name="[open"), INVALID),
    "a list for a frontmatter": ("my-skill", "---\n- just\n- a\n- list\n---\n", "must be a YAML mapping"),
}

# What they do not look at, and programs may meet.
BEYOND = {
    "empty values": ("my-skill", skill(name="", description=""), "Field 'name' must be a non-empty string"),
    "an empty name and no description": ("my-skill", "---\nname:\n---\n", "Missing required field"),
    "lists for texts": (
        "my-skill",
        "---\nname:\n- a\ndescription:\n- b\ncompatibility:\n- c\n---\n",
        "must be a string",
    ),
    "fields with a capital": ("my-skill", "---\nName: my-skill\nDESCRIPTION: d\n---\n", "fields in frontmatter: DESCR"),
    "tool rules in a list": ("my-skill", skill("allowed-tools:", "  - Read", "  - Write"), ""),
    "metadata in metadata": ("my-skill", skill("metadata:", "  a:", "    b: c", "  d:", "  - e"), ""),
    "metadata that is a text": ("my-skill", skill("metadata: x"), ""),
    "empty metadata": ("my-skill", skill("metadata:"), ""),
    "an empty compatibility": ("my-skill", skill("compatibility: ''"), ""),
    "a flow list": ("my-skill", skill("allowed-tools: [Read]"), INVALID),
    "a field given twice": ("my-skill", skill("license: a", "license: b"), INVALID),
    "an empty file": ("my-skill", "", "must start with YAML frontmatter"),
    "an empty frontmatter": ("my-skill", "---\n---\n", "must be a YAML mapping"),
    "a byte-order mark": ("my-skill", "\ufeff" + skill(), "must start with YAML frontmatter"),
    "a blank line before the frontmatter": ("my-skill", "\n" + skill(), "must start with YAML frontmatter"),
    "line ends of Windows": ("my-skill", skill().replace("\n", "\r\n"), ""),
}
CASES = {**LOOKED_AT, **BEYOND}


@pytest.mark.proves("P01")
@pytest.mark.parametrize(("folder", "text", "said"), CASES.values(), ids=CASES)
def test_a_skill_gets_the_answers_of_the_reference(tmp_path: Path, folder: str, text: str, said: str) -> None:
    path = write(tmp_path / folder / "SKILL.md", text)
    errors = ours.validate(path.parent)
    assert any(said in one for one in errors) if said else errors == []
    assert_same_answers(path.parent)


@pytest.mark.proves("P01")
@pytest.mark.parametrize("text", [text for _, text, _ in CASES.values()], ids=CASES)
def test_a_text_is_taken_apart_as_by_the_reference(text: str) -> None:
    text = text.replace("\r\n", "\n")  # the reference leaves line ends to whoever opens the file
    assert answer(ours.parse_frontmatter, text) == answer(reference_parser.parse_frontmatter, text)


@pytest.mark.proves("P01")
@pytest.mark.parametrize("names", [("SKILL.md",), ("skill.md",), ("SKILL.md", "skill.md"), ("Skill.txt",), ()])
def test_the_file_of_a_skill_is_found_where_the_reference_finds_it(tmp_path: Path, names: tuple[str, ...]) -> None:
    folder = tmp_path / "my-skill"
    folder.mkdir()
    for name in names:
        write(folder / name, skill(description=f"From {name}."))
    assert_same_answers(folder)


@pytest.mark.proves("P01")
def test_a_path_that_is_no_folder_gets_the_answers_of_the_reference(tmp_path: Path) -> None:
    file = write(tmp_path / "file.txt", "text")
    assert ours.validate(tmp_path / "absent") == [f"Path does not exist: {tmp_path / 'absent'}"]
    assert ours.validate(file) == [f"Not a directory: {file}"]
    for path in (tmp_path / "absent", file):
        assert_same_answers(path)


@pytest.mark.proves("P01")
@given(files())
@settings(max_examples=200, deadline=None)
def test_any_file_gets_the_answers_of_the_reference(text: str) -> None:
    # Lines of more dashes are fences to the reference, and a comment for a description is no value to it.
    if is_reference_wrong(text) or "----" in text or "description: # c" in text or text.lstrip() != text:
        return
    with tempfile.TemporaryDirectory() as parent:
        assert_same_answers(write(Path(parent) / "good/SKILL.md", text).parent)


@pytest.mark.proves("P01")
def test_every_name_of_the_reference_is_there_and_is_called_alike() -> None:
    assert set(reference.__all__) <= set(ours.__all__)
    for name in ("find_skill_md", "read_properties", "validate", "to_prompt", "SkillProperties", "ValidationError"):
        parameters = [list(inspect.signature(getattr(one, name)).parameters) for one in (ours, reference)]
        assert parameters[0] == parameters[1], name


@pytest.mark.proves("P01")
def test_properties_are_made_changed_and_printed_as_those_of_the_reference() -> None:
    given: tuple[Any, ...] = ("a", "b", "MIT", "any", "Read", {"k": "v"})
    for count in range(2, len(given) + 1):
        mine, its = ours.SkillProperties(*given[:count]), reference.SkillProperties(*given[:count])
        for one in (mine, its):
            one.name = "changed"
        assert (mine.to_dict(), list(mine.to_dict()), asdict(mine)) == (its.to_dict(), list(its.to_dict()), asdict(its))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"name": "a", "description": "b"},
        {"name": "a--", "description": " ", "x": "y"},
        {"name": None, "description": None, "compatibility": None},
        {"name": ["a"], "description": {"b": "c"}, "compatibility": ["d"]},
    ],
)
def test_fields_without_a_file_are_judged_as_by_the_reference(fields: dict[str, Any]) -> None:
    assert ours.validate_metadata(fields) == reference_validator.validate_metadata(fields)
    folder = Path("somewhere/a")
    assert ours.validate_metadata(fields, folder) == reference_validator.validate_metadata(fields, folder)


# ── the prompt ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.proves("P01", "P02")
def test_the_prompt_for_no_skill_is_that_of_the_reference() -> None:
    assert ours.to_prompt([]) == reference.to_prompt([]) == "<available_skills>\n</available_skills>"


@pytest.mark.proves("P01", "P02")
@pytest.mark.parametrize(
    ("description", "printed"),
    [
        ("A test.", "A test."),
        ("Use <foo> & <bar> tags", "Use &lt;foo&gt; &amp; &lt;bar&gt; tags"),
        ("""Say "yes" or 'no', &amp; `so` on""", "Say &quot;yes&quot; or &#x27;no&#x27;, &amp;amp; `so` on"),
        ("</description></skill></available_skills>", "&lt;/description&gt;&lt;/skill&gt;&lt;/available_skills&gt;"),
        ("|\n  First line.\n\n  Third <line>.", "First line.\n\nThird &lt;line&gt;."),
        (">\n  Folded\n  text.", "Folded text."),
        ("'  blanks around  '", "blanks around"),
        ("处理表格。\u00a0🙂", "处理表格。\u00a0🙂"),
    ],
)
def test_the_prompt_for_one_skill_has_the_bytes_of_the_reference(
    tmp_path: Path, description: str, printed: str
) -> None:
    folder = write_skill(tmp_path, "my-skill", description).parent
    prompt = ours.to_prompt([folder])
    assert prompt.encode() == reference.to_prompt([folder]).encode()
    assert f"<description>\n{printed}\n</description>\n" in prompt


@pytest.mark.proves("P01")
def test_the_prompt_for_several_skills_is_that_of_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill(tmp_path / "R&D's", "skill-b", "Second > first")
    write_skill(tmp_path, "skill-a", "First")
    write(tmp_path / "skill-c/skill.md", head("Other_Name"))
    (tmp_path / "link").symlink_to(tmp_path / "skill-a")
    monkeypatch.chdir(tmp_path)
    folders = [Path(name) for name in ("R&D's/skill-b", "skill-a", "skill-c", "link", "skill-a/../skill-a", "skill-a")]
    prompt = ours.to_prompt(folders)
    assert prompt.encode() == reference.to_prompt(folders).encode()
    assert prompt.count("<skill>") == len(folders)


def test_a_skill_that_cannot_be_listed_is_named_as_by_the_reference(tmp_path: Path) -> None:
    good = write_skill(tmp_path, "good").parent
    for bad in (tmp_path / "absent", write(tmp_path / "bad/SKILL.md", "---\nname: bad\n---\n").parent):
        assert answer(ours.to_prompt, [good, bad]) == answer(reference.to_prompt, [good, bad])


def test_a_path_cannot_end_its_element(tmp_path: Path) -> None:
    folder = write_skill(tmp_path / "x<" / "location><name>evil<", "my-skill").parent
    prompt = ours.to_prompt([folder])
    assert reference.to_prompt([folder]).count("</location>") == 2
    assert prompt.count("</location>") == 1
    assert "/x&lt;/location&gt;&lt;name&gt;evil&lt;/my-skill/SKILL.md\n" in prompt


# ── where the reference is wrong ─────────────────────────────────────────────────────────────────────────


def test_three_dashes_in_a_description_end_nothing(tmp_path: Path) -> None:
    folder = write(tmp_path / "x/SKILL.md", skill("zebra: 1", name="x", description="a --- b")).parent
    assert reference.read_properties(folder).description == "a"
    assert ours.read_properties(folder).description == "a --- b"
    assert reference.validate(folder) == []  # it has not even seen the unknown field
    assert [one.partition(":")[0] for one in ours.validate(folder)] == ["Unexpected fields in frontmatter"]


def test_three_dashes_before_a_field_are_no_fence(tmp_path: Path) -> None:
    folder = write(tmp_path / "x/SKILL.md", "---name: x\ndescription: d\n---\n").parent
    assert reference.validate(folder) == []
    assert ours.validate(folder) == ["SKILL.md must start with YAML frontmatter (---)"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"---\nname: x\ndescription: caf\xe9\n---\n", "SKILL.md: is not UTF-8: byte 0xe9 at offset 28"),
        (b"---\nname: x\ndescription: d\n---\n\xff\n", "SKILL.md: is not UTF-8: byte 0xff at offset 31"),
        (b"---\nname: x\ndescription: a\x01b\n---\n", INVALID),
        (b"---\n" + b"".join(b" " * n + b"a:\n" for n in range(300)) + b"---\n", INVALID),
    ],
)
def test_what_the_reference_crashes_on_is_an_error_like_any_other(tmp_path: Path, data: bytes, said: str) -> None:
    folder = write(tmp_path / "x/SKILL.md", data).parent
    with pytest.raises((UnicodeDecodeError, AttributeError, RecursionError)):
        reference.validate(folder)
    (error,) = ours.validate(folder)
    assert error.startswith(said)
    with pytest.raises(ours.ParseError) as caught:
        ours.read_properties(folder)
    assert str(caught.value) == error


def test_a_folder_in_place_of_the_file_is_an_error_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "x/SKILL.md").mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        reference.validate(tmp_path / "x")
    assert ours.validate(tmp_path / "x") == ["SKILL.md: is a folder, not a file"]


def test_a_huge_frontmatter_is_refused(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "x", "d" * 70_000).parent
    assert ours.validate(folder) == ["SKILL.md: the frontmatter does not end within 65,536 bytes"]


@pytest.mark.parametrize("path", [".", "../mine", "below/..", "below/../../mine/below/.."])
def test_the_folder_one_stands_in_has_its_real_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    folder = write_skill(tmp_path, "mine").parent
    (folder / "below").mkdir()
    monkeypatch.chdir(folder)
    assert reference.validate(Path()) == ["Directory name '' must match skill name 'mine'"]
    assert ours.validate(Path(path)) == ours.validate(path) == []
    write(folder / "SKILL.md", head("yours"))
    assert ours.validate(Path(path)) == ["Directory name 'mine' must match skill name 'yours'"]


@pytest.mark.parametrize("name", ["हिन्दी", "ไทยดี้"])
def test_names_may_hold_the_signs_their_script_needs(tmp_path: Path, name: str) -> None:
    folder = write_skill(tmp_path, name).parent
    assert "contains invalid characters" in reference.validate(folder)[0]
    assert ours.validate(folder) == []


def test_without_metadata_there_is_an_empty_map(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "x").parent
    assert reference.read_properties(folder).metadata is None  # though it says that this is a map
    assert ours.read_properties(folder).metadata == {}


def test_a_comment_for_a_description_is_refused_by_both(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "x", "# Title").parent
    assert reference.validate(folder) == ["Field 'description' must be a non-empty string"]
    (error,) = ours.validate(folder)
    assert error.startswith(INVALID + " line 3: 'description'")


@pytest.mark.parametrize("key", ["Name", '"Name"', '"\\x4eame"'])
@pytest.mark.parametrize("fence", ["---", "----"])
def test_a_field_with_a_capital_is_never_taken_for_the_proper_one(tmp_path: Path, key: str, fence: str) -> None:
    folder = write(tmp_path / "x/SKILL.md", f"---\n{key}: x\ndescription: d\n{fence}\n").parent
    assert reference.validate(folder) != []
    assert ours.validate(folder) != []
    with pytest.raises(ours.SkillError):
        ours.read_properties(folder)


def test_an_error_of_yaml_tells_the_line_and_what_to_do(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "x", "Use when: asked").parent
    assert ours.validate(folder) == [
        f"{INVALID} line 3: 'description' is not valid YAML; put the value in quotes (try `--fix`)"
    ]


def test_a_text_with_half_a_character_is_refused() -> None:
    with pytest.raises(ours.ParseError, match="not UTF-8"):
        ours.parse_frontmatter("---\nname: x\n---\n\ud800")


# ── the errors ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "error",
    [ours.SkillError("a"), ours.ParseError("b"), ours.ValidationError("c"), ours.ValidationError("d", ["e", "f"])],
)
def test_the_errors_belong_to_the_one_tree(error: ours.SkillError) -> None:
    assert isinstance(error, MetierError)
    assert exit_status(error) == PROBLEMS_FOUND
    assert error.hint
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_an_error_lists_its_messages_as_that_of_the_reference() -> None:
    for errors in (None, [], ["b", "c"]):
        assert ours.ValidationError("a", errors).errors == reference.ValidationError("a", errors).errors
