"""What docs/skills/<name>.md owes its readers, section by section."""

from __future__ import annotations

import pytest

from metier.authoring.omega.docs_gates import HEADINGS, docs_verdicts
from metier.authoring.omega.gate import Status
from metier.tool import Parameter, Tool
from tests.authoring.omega.samples import PAGE

TOOL = Tool(
    name="note_read",
    description="Reads a note.",
    runtime="python",
    entry="",
    parameters=(Parameter(name="path", type="string", required=True), Parameter(name="lines", type="integer")),
)

SENTENCES = (
    "Wraps the library notes 1.0 and reads single notes as text.\n\nRegistered unless `SKILL_NOTE_ENABLED` is `false`."
)
PARAMETERS = (
    "| name | type | required | default | description |\n|---|---|---|---|---|\n| path | string | yes | | the note |"
)


def failed(page: str | None) -> dict[str, str]:
    """The gates that fail, each with its reason."""
    verdicts = docs_verdicts("note.md", page, [TOOL], "SKILL_NOTE_ENABLED", "en")
    return {one.gate.id.removeprefix("a-docs-"): one.reason("en") for one in verdicts if one.status is Status.FAILED}


def in_chinese(page: str) -> str:
    for _, english, chinese in HEADINGS:
        page = page.replace(f"## {english}\n", f"## {chinese}\n")
    return page


@pytest.mark.parametrize("page", [PAGE, in_chinese(PAGE)], ids=["English", "Chinese"])
def test_a_page_in_the_shape_of_the_template_is_good(page: str) -> None:
    assert failed(page) == {}


@pytest.mark.proves("S4-070", "S4-099")
@pytest.mark.parametrize("heading", [english for _, english, _ in HEADINGS])
def test_a_heading_left_out_fails(heading: str) -> None:
    assert f"the section {heading!r} is missing" in failed(PAGE.replace(f"## {heading}\n", "## Other\n"))["template"]


@pytest.mark.proves("S4-070", "S4-099")
def test_headings_out_of_order_fail() -> None:
    swapped = (
        PAGE.replace("## Tools\n", "## X\n").replace("## Overview\n", "## Tools\n").replace("## X\n", "## Overview\n")
    )
    assert "the section 'Tools' stands where 'Overview' belongs" in failed(swapped)["template"]


def test_a_heading_in_a_block_of_code_is_none() -> None:
    assert "template" in failed(PAGE.replace("## Overview\n", "```\n## Overview\n```\n"))


@pytest.mark.proves("S4-071", "S4-072", "S4-073", "S4-074", "S4-075", "S4-076", "S4-077", "S4-078", "S4-079", "S4-080")
@pytest.mark.parametrize(
    ("old", "new", "gate", "said"),
    [
        (SENTENCES, "- notes 1.0\n- `SKILL_NOTE_ENABLED`", "overview", "no sentence"),
        ("notes 1.0 and", "notes and", "overview", "no version"),
        ("Registered unless `SKILL_NOTE_ENABLED`", "Registered unless `NOTE_ON`", "overview", "the switch"),
        ("| `note_read` | reads a note | `SKILL_NOTE_ENABLED` is not `false` |\n", "", "tools", "no table"),
        ("| `note_read` | reads", "| `note_list` | reads", "tools", "no row for note_read"),
        ("- the text of a note is quoted\n", "", "uses", "2 typical uses"),
        ("use csv_summarize instead", "no", "uses", "similar tools"),
        ("- it cannot write notes\n", "", "uses", "cannot do"),
        (PARAMETERS, "| name | type |\n|---|---|\n| path | string |", "details", "five columns"),
        ("Buy tea.\n", "", "details", "shows no output"),
        ("```text\nBuy tea.\n```\n", "", "details", "shows no output"),
        ("| error | trigger | remedy |\n|---|---|---|\n| there is no such file | a wrong name | check the name |",
         "| error |\n|---|\n| there is no such file |", "details", "three columns"),
        ("### note_read\n", "### another\n", "details", "no section for note_read"),
    ],
)  # fmt: skip
def test_each_section_owes_something(old: str, new: str, gate: str, said: str) -> None:
    assert PAGE.count(old) == 1
    found = failed(PAGE.replace(old, new))
    assert list(found) == [gate]
    assert said in found[gate]


@pytest.mark.proves("S4-100")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"### When not to use\n": "### Others\n"}, "when not to use"),
        ({"use csv_summarize instead": "no"}, "similar tools"),
    ],
)
def test_unsuitable_uses_and_other_tools_are_named(change: dict[str, str], said: str) -> None:
    page = PAGE
    for old, new in change.items():
        page = page.replace(old, new)
    assert said in failed(page)["uses"]


@pytest.mark.proves("S4-081")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('```json\n{"path": "a.txt", "lines": 2}\n```', "", "1 examples with JSON"),
        ('{"path": "a.txt", "lines": 2}', '{"path": "a.txt", "lines": 2', "not JSON"),
        ('{"path": "a.txt", "lines": 2}', '{"path": "a.txt", "lines": "x"}', "'lines' has a wrong value"),
        ('{"path": "a.txt", "lines": 2}', '{"lines": 2}', "a required argument is missing"),
        ('{"path": "a.txt", "lines": 2}', '{"path": "a.txt", "rows": 2}', "no such parameter"),
        ('{"path": "a.txt", "lines": 2}', "[1]", "not a JSON object"),
    ],
)
def test_two_examples_parse_and_suit_the_parameters(old: str, new: str, said: str) -> None:
    assert PAGE.count(old) == 1
    found = failed(PAGE.replace(old, new))
    assert list(found) == ["examples"]
    assert said in found["examples"]


@pytest.mark.proves("S4-082", "S4-102")
def test_the_decisions_on_what_to_expose_are_written_down() -> None:
    before, heading, _ = PAGE.partition("## Trimming decisions\n")
    assert list(failed(before + heading)) == ["trimming"]
    assert list(failed(before + heading + "\n<!-- what was exposed, what was left out, and why -->\n")) == ["trimming"]
    assert set(failed(before)) == {"template", "trimming"}


@pytest.mark.proves("S4-101")
@pytest.mark.parametrize("sample", ["<content of the note>", "foo", "...", "TODO"])
def test_a_placeholder_draws_advice_and_fails_nothing(sample: str) -> None:
    verdicts = docs_verdicts("note.md", PAGE.replace("Buy tea.", sample), [TOOL], "SKILL_NOTE_ENABLED", "en")
    (advice,) = [one for one in verdicts if one.status is not Status.PASSED]
    assert (advice.gate.id, advice.gate.level, advice.is_open) == ("a-docs-output", "advice", False)
