"""Filling in arguments."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metier import Catalog, Policy, Skill
from metier.disclosure.arguments import declared_names, expand, fill
from tests.conftest import open_profile, write

CODE_AGENT = {"placeholders": "arguments"}


@pytest.mark.proves("S0-11")
def test_every_placeholder_becomes_the_arguments_literally() -> None:
    assert fill("A $ARGUMENTS B $ARGUMENTS", "x y", placeholders="arguments") == "A x y B x y"
    assert fill("A $ARGUMENTS", "$1\\", placeholders="arguments") == "A $1\\"
    assert fill("A $ARGUMENTS", r"\g<0> \1 $0", placeholders="all") == r"A \g<0> \1 $0"
    assert fill("costs $1", "x", placeholders="arguments") == "costs $1\n\nARGUMENTS: x"


@pytest.mark.proves("S0-12")
def test_arguments_that_nobody_asked_for_are_appended() -> None:
    for placeholders in ("arguments", "all"):
        assert fill("A", "x", placeholders=placeholders) == "A\n\nARGUMENTS: x"


@pytest.mark.proves("S0-13")
@pytest.mark.parametrize("args", ["", "  ", "\n"])
def test_no_arguments_leave_a_body_as_it_is(args: str) -> None:
    for placeholders in ("arguments", "all"):
        assert fill("A", args, placeholders=placeholders) == "A"
    result = Catalog.of([Skill.inline(name="a", description="d", body="A")]).activate("a", args)
    assert "ARGUMENTS" not in result.text


@pytest.mark.proves("S0-14")
def test_a_placeholder_without_arguments_is_blank_or_kept() -> None:
    for placeholders in ("arguments", "all"):
        assert fill("A $ARGUMENTS.", "", placeholders=placeholders, empty="blank") == "A ."
        assert fill("A $ARGUMENTS.", "", placeholders=placeholders, empty="keep") == "A $ARGUMENTS."


@pytest.mark.proves("A05")
@pytest.mark.parametrize(
    ("body", "args", "filled"),
    [
        ("$ARGUMENTS", 'one "two three"', 'one "two three"'),
        ("$ARGUMENTS[1]/$0", 'one "two three"', "two three/one"),
        ("$0 $1 $2", "a b", "a b $2"),
        ("$ARGUMENTS[7]", "a", "$ARGUMENTS[7]\n\nARGUMENTS: a"),
        ("$file in $lang.", "a.py", "a.py in ."),
        ("$file-name", "a.py", "a.py-name"),
        ("$files", "a.py", "$files\n\nARGUMENTS: a.py"),
        (r"costs \$1.00, not $0", "x", "costs $1.00, not x"),
        (r"\$ARGUMENTS is $ARGUMENTS", "x", "$ARGUMENTS is x"),
        (r"\$file is $file", "x", "$file is x"),
        (r"\\$0", "x", "\\x"),
        ("$ARGUMENTSX", "x", "$ARGUMENTSX\n\nARGUMENTS: x"),
        ("nothing", "a b", "nothing\n\nARGUMENTS: a b"),
        ("$0", "it's", "it's"),
        ("$" + "9" * 5_000, "x", "$" + "9" * 5_000 + "\n\nARGUMENTS: x"),
        ("$PATH ${HOME} $(date) $", "x", "$PATH ${HOME} $(date) $\n\nARGUMENTS: x"),
    ],
)
def test_words_and_names_are_filled_in(body: str, args: str, filled: str) -> None:
    assert fill(body, args, names=["file", "lang"]) == filled


def test_arguments_may_be_an_object() -> None:
    assert fill("$ARGUMENTS", {"a": 1}) == '{"a": 1}'
    assert fill("$file: $n", {"file": "é.py", "n": 2}, names=["file", "n"]) == "é.py: 2"


def test_names_are_declared_as_a_list_or_a_text() -> None:
    assert declared_names(["file", "lang"]) == declared_names("file lang") == declared_names("file, lang")
    assert declared_names(["a b", "ARGUMENTS", "1x"]) == ()
    assert declared_names(None) == ()


@pytest.mark.proves("A06")
@pytest.mark.parametrize("args", ["$0", "$ARGUMENTS", "${SKILL_DIR}", "!`rm -rf x`", "$file", r"\$0", "{baseDir}"])
def test_an_argument_is_never_filled_in_itself(args: str) -> None:
    variables = {"SKILL_DIR": "/skill"}
    assert fill("<$ARGUMENTS>", args, names=["file"], variables=variables) == f"<{args}>"
    assert fill("<$file|$0>", f"'{args}'", names=["file"], variables=variables) == f"<{args}|{args}>"


@pytest.mark.proves("A07")
def test_the_folder_is_filled_in_in_the_body_and_in_tool_rules(project: Path) -> None:
    write(
        project / "skills/a/SKILL.md",
        "---\nname: a\ndescription: d\nallowed-tools: Bash(${CLAUDE_SKILL_DIR}/x.sh *) Read\n---\n"
        "${SKILL_DIR} ${CLAUDE_SKILL_DIR} {baseDir} ${CLAUDE_PROJECT_DIR} ${UNKNOWN}\n",
    )
    activation = open_profile(project).activate("a").activation
    folder = str(project / "skills/a")
    assert activation is not None
    assert activation.body == f"{folder} {folder} {folder} {project} ${{UNKNOWN}}"
    assert activation.allowed_tools == (f"Bash({folder}/x.sh *)", "Read")


@pytest.mark.proves("S0-67", "S0-68")
def test_commands_and_references_in_a_body_stay_what_they_are(project: Path) -> None:
    write(
        project / "skills/a/SKILL.md", "---\nname: a\ndescription: d\n---\n!`touch x`\n```!\ntouch y\n```\n@README.md\n"
    )
    for profile in ("mycodeagent", "default"):
        result = open_profile(project, profile).activate("a")
        assert "!`touch x`\n```!\ntouch y\n```\n@README.md" in result.text
    assert {path.name for path in project.iterdir()} == {"skills"}


TEXT = st.text(st.sampled_from("$\\0123ARGUMENTS[]{}_ab!` '\"\n名") | st.characters(), max_size=60)
PIECES = st.lists(
    st.sampled_from(["$ARGUMENTS", "$0", "$1", "$ARGUMENTS[0]", "$file", "${SKILL_DIR}", "{baseDir}", "\\", "$", "x"])
    | TEXT,
    max_size=12,
).map("".join)


@given(PIECES, TEXT)
def test_filling_in_never_fails_and_looks_at_nothing_twice(body: str, args: str) -> None:
    marker = "\ue000"
    marked = expand(body, marker, names=["file"], variables={"SKILL_DIR": "\ue001"}).text
    # What is filled in stands where the marker stood, whatever it holds.
    quoted = args.replace("\ue000", "").replace("\ue001", "").strip()
    if "$0" not in body and "$1" not in body and "[" not in body and "$file" not in body:
        filled = expand(body, quoted, names=["file"], variables={"SKILL_DIR": "\ue001"}).text
        assert filled == marked.replace(marker, quoted)
    assert isinstance(fill(body, args, names=["file"]), str)


@given(TEXT)
def test_a_body_without_a_placeholder_is_never_changed(body: str) -> None:
    if "$" not in body and "{baseDir}" not in body:
        assert fill(body, "") == body


def test_a_policy_can_leave_everything_as_it_is() -> None:
    skill = Skill.inline(name="a", description="d", body="$ARGUMENTS ${SKILL_DIR}")
    catalog = Catalog.of([skill], policy=Policy.profile("hn-explorer"))
    assert catalog.activate("a", "x").content == "$ARGUMENTS ${SKILL_DIR}"
