"""Skills that a user asks for by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metier.disclosure.triggers import MAX_STACKED, find_triggers
from tests.conftest import open_profile, write, write_skill

NAMES = ["code-review", "cataloging-apis", "x", "path", "写作"]


def names(text: str) -> tuple[str, ...]:
    return find_triggers(text, NAMES).names


@pytest.mark.proves("S0-41")
def test_the_forms_of_the_first_design_are_understood() -> None:
    assert names("$code-review") == ("code-review",)
    assert names("please use code-review skill") == ("code-review",)


@pytest.mark.parametrize(
    "text",
    [
        "use skill code-review",
        "USE SKILL code-review.",
        "Load skill 'code-review', then go",
        "use the skill `code-review`!",
        "use the code-review skill",
        "Use the “code-review” skill, please",
        "go --skill code-review now",
        "--skill=code-review",
        '--skill="code-review"',
        "try $code-review, please",
        "($code-review)",
        "$code-review.",
        "/code-review",
        "  /code-review src/a.py",
        "first line\n/code-review",
        "请 use skill code-review。",
    ],
)
def test_every_form_names_the_skill(text: str) -> None:
    found = find_triggers(text, NAMES)
    assert found.names == ("code-review",)
    assert found.unknown == ()


@pytest.mark.proves("A04")
@pytest.mark.parametrize(
    "text",
    [
        "echo $PATH and $HOME",
        "$X_Y $1 $10 $$code-review",
        r"\$code-review",
        "a$code-review b",
        "cd /code-review/src",
        "see a/code-review",
        "reuse skill code-review-like",
        "reuse skill code-review",
        "--skills code-review",
        "use your skill wisely with the skill you have",
        "$code-reviews",
        "$code-review-more",
        "",
    ],
)
def test_what_only_looks_like_a_request_is_none(text: str) -> None:
    assert names(text) == ()


@pytest.mark.proves("A04")
def test_slashes_take_what_follows_and_stack_until_the_first_other_word() -> None:
    found = find_triggers("/code-review src/a.py --fast", NAMES)
    assert [(one.name, one.form, one.args) for one in found.found] == [("code-review", "/name", "src/a.py --fast")]
    stacked = find_triggers("/code-review /x the rest /path", NAMES)
    assert [(one.name, one.args) for one in stacked.found] == [
        ("code-review", "the rest /path"),
        ("x", "the rest /path"),
    ]
    many = [f"s{number}" for number in range(20)]
    line = " ".join(f"/{name}" for name in many)
    assert len(find_triggers(line, many).found) == MAX_STACKED


def test_unknown_names_are_reported_and_never_guessed() -> None:
    found = find_triggers("$code-reveiw and use skill nope, --skill=none-such", NAMES)
    assert found.names == ()
    assert found.unknown == ("code-reveiw", "nope", "none-such")
    assert find_triggers("/nope now", NAMES).unknown == ("nope",)
    assert find_triggers("/tmp/x is a folder", NAMES).unknown == ()


def test_each_skill_is_asked_for_once_in_order() -> None:
    assert names("use skill x, then $code-review and again $x") == ("x", "code-review")
    assert names("$写作 好") == ("写作",)


def test_a_user_reaches_what_the_model_is_not_told_of_but_not_what_only_the_model_may_use(project: Path) -> None:
    write(project / "skills/mine/SKILL.md", "---\nname: mine\ndescription: d\ndisable-model-invocation: true\n---\n")
    write(project / "skills/its/SKILL.md", "---\nname: its\ndescription: d\nuser-invocable: false\n---\n")
    write_skill(project / "skills", "both")
    found = open_profile(project).triggers("$mine $its $both")
    assert found.names == ("mine", "both")
    assert found.unknown == ("its",)


@given(st.text(st.sampled_from('$/-. \nuseloadkilx=`"\\cd') | st.characters(), max_size=80))
def test_any_text_is_read_without_failing_and_only_known_names_are_found(text: str) -> None:
    found = find_triggers(text, NAMES)
    assert set(found.names) <= set(NAMES)
    assert all(one not in NAMES for one in found.unknown)
