"""`metier check --rules std` gives the verdict of the reference validator, except where that one is wrong."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from skills_ref.validator import validate  # pyright: ignore[reportMissingTypeStubs]

from metier.authoring.check import check_file

NAMES = ["good", "a-b", "A", "a_b", "-a", "a--b", "技能", "café", "x" * 65, "x y", "'good'", '"good"', "good # c", "", "~",
         "1", "true", "good ", "[good]", "good: x", "straße", "a²", "* a"]  # fmt: skip
DESCRIPTIONS = [
    "Does it. Use when asked.", "Use when: x", "a --- b", "text #tag", "text # comment", "'q'", '"q"', '"q" x',
    ">\n  folded\n  text", "|\n  lit\n  text", ">-\n  f", "| text", "", "''", "x" * 1024, "x" * 1025, "[a]", "{a: b}", "*x",
    "&x y", "!t z", "@a", "`c`", "%p", "- a", "? b", "a:b", "a: ", "http://x.y/z", "a\n  b", "a\nb", "\n  - a\n  - b",
    "\n  k: v", "日本語。使用時機：x", "a\tb", "'it''s'", '"a\\n b"', '"a\\q"', "a\n\n  b", "{{x}}", "# c", "null", "yes",
    " 'a' 'b'", "a, b", "a; b: c", "\\x", "(a)", "<b>", "a -- b", "x\u2028y", "e\u0301",
]  # fmt: skip
EXTRAS = [
    "license: MIT", "license: [MIT]", "compatibility: x", "compatibility: ''", "compatibility:",
    "compatibility: " + "c" * 501, "compatibility:\n  - a", "metadata:\n  a: b", "metadata:\n  a:\n    b: c",
    "metadata: {a: b}", "metadata: x", "metadata:", "metadata:\n  - a", "metadata:\n  v: 1.0\n  v: 2",
    "allowed-tools: Read Write", "allowed-tools: [Read, Write]", "allowed-tools:\n  - Read", "allowed-tools:\n- Read",
    "version: 1", "author: me", "tags: [a, b]", "name: good", "description: again", "# comment", "", "  # indented comment",
    "license: &a MIT", "compatibility: !!str x", "metadata:\n\ta: b", "license: 'x", "- x", "word", "a: b: c",
    '"quoted": x', " license: x", "license : MIT", "license:MIT", "metadata:\n  a: |\n    x\n    y",
    "metadata:\n  a: b\n   c: d", "metadata:\n  a: b\n c: d",
]  # fmt: skip


@st.composite
def files(draw: st.DrawFn) -> str:
    lines = [f"name: {draw(st.one_of(st.just('good'), st.sampled_from(NAMES)))}"]
    if draw(st.integers(0, 9)):
        lines.append(f"description: {draw(st.sampled_from(DESCRIPTIONS))}")
    for _ in range(draw(st.integers(0, 2))):
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(EXTRAS)))
    opening = draw(st.sampled_from(["---\n"] * 8 + ["---  \n", "\n---\n", "\ufeff---\n", "----\n", "no\n"]))
    closing = draw(st.sampled_from(["---\n"] * 8 + ["---", "--- \n", "----\n", ""]))
    ending = draw(st.sampled_from(["\n"] * 8 + ["\r\n", "\r"]))
    return (opening + "\n".join(lines) + "\n" + closing + "body\n").replace("\n", ending)


def is_reference_wrong(text: str) -> bool:
    """It splits at any three dashes, so it loses what stands behind them, and takes `---body` for a fence."""
    lines = re.split(r"\r\n|\r|\n", text)
    return any("---" in line and not re.fullmatch(r"-{3,}\s*", line) for line in lines)


@given(files())
@settings(max_examples=600, deadline=None)
def test_the_verdict_is_that_of_the_reference_validator(text: str) -> None:
    if is_reference_wrong(text):
        return
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "good"
        folder.mkdir()
        (folder / "SKILL.md").write_bytes(text.encode())
        report = check_file(str(folder / "SKILL.md"), "std")
        assert report.is_valid == (validate(folder) == []), (text, report.diagnostics, validate(folder))


def test_where_the_reference_validator_is_wrong_we_are_not(tmp_path: Path) -> None:
    path = tmp_path / "good" / "SKILL.md"
    path.parent.mkdir()
    path.write_text("---\nname: good\ndescription: a --- b\nzebra: 1\n---\n", encoding="utf-8")
    assert validate(path.parent) == []  # it has not even seen the unknown field
    assert [one.code for one in check_file(str(path), "std").diagnostics] == ["field-unknown"]
