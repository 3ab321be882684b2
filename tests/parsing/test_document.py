from __future__ import annotations

import pytest

from metier.diagnostic import Severity
from metier.parsing.document import Document, read_document, read_head


def read(text: str | bytes) -> Document:
    return read_document(text.encode() if isinstance(text, str) else text, "x/SKILL.md")


def codes(text: str | bytes) -> list[str]:
    return [one.code for one in read(text).diagnostics]


@pytest.mark.proves("S0-10", "S0-60")
def test_the_example_of_the_first_design_is_read() -> None:
    text = (
        "---\nname: code-review\ndescription: Review code quality and risks\n---\n# Code Review\n\n"
        "- look for bugs\n\n$ARGUMENTS\n"
    )
    document = read(text)
    assert document.fields == {"name": "code-review", "description": "Review code quality and risks"}
    assert document.body.startswith("# Code Review")
    assert document.diagnostics == ()


@pytest.mark.proves("S3-40")
def test_a_chinese_description_keeps_its_punctuation() -> None:
    description = "用繁體中文撰寫報告。使用時機：需要輸出文章、摘要，或「深度分析」時"
    document = read(f"---\nname: chinese-writing\ndescription: {description}\n---\n\n# 寫作\n")
    assert document.fields == {"name": "chinese-writing", "description": description}
    assert document.diagnostics == ()


@pytest.mark.proves("P06")
@pytest.mark.parametrize(
    "text",
    [
        "\ufeff---\nname: a\ndescription: b\n---\nbody",
        "---\r\nname: a\r\ndescription: b\r\n---\r\nbody\r\n",
        "\ufeff---\r\nname: a\r\ndescription: b\r\n---\r\nbody\r\n",
        "---\rname: a\rdescription: b\r---\rbody\r",
        "---  \nname: a\ndescription: b\n--- \t\nbody",
        "---\nname: a\ndescription: b\n---\nbody",
    ],
    ids=["bom", "crlf", "bom and crlf", "cr", "trailing blanks", "no final newline"],
)
def test_unusual_line_ends_and_fences_are_read(text: str) -> None:
    document = read(text)
    assert document.fields == {"name": "a", "description": "b"}
    assert document.body == "body"


def test_a_file_that_ends_at_its_fence_has_an_empty_body() -> None:
    document = read("---\nname: a\ndescription: b\n---")
    assert document.fields == {"name": "a", "description": "b"}
    assert document.body == ""


@pytest.mark.proves("P05", "S0-16")
def test_dashes_in_a_description_and_in_the_body_are_text() -> None:
    document = read("---\nname: a\ndescription: a --- b\n---\nBefore\n\n---\n\nAfter\n")
    assert document.fields == {"name": "a", "description": "a --- b"}
    assert document.body == "Before\n\n---\n\nAfter"


def test_a_line_that_only_starts_with_a_fence_does_not_close_the_header() -> None:
    document = read("---\nname: a\n---- \n# ---x\ndescription: b\n---\nbody")
    assert document.body == "body"


@pytest.mark.proves("S0-26")
def test_quotes_comments_and_blank_lines_are_read() -> None:
    document = read("---\n# who\nname: \"a\"\n\ndescription: 'it: works'  # really\n---\n")
    assert document.fields == {"name": "a", "description": "it: works"}


@pytest.mark.proves("P15")
def test_every_scalar_stays_the_text_that_was_written() -> None:
    document = read(
        "---\nname: 3000\ndescription: true\nmetadata:\n  version: 1.0\n  on: yes\n  deep:\n    k: 010\n---\n"
    )
    assert document.fields == {
        "name": "3000",
        "description": "true",
        "metadata": {"version": "1.0", "on": "yes", "deep": {"k": "010"}},
    }


def test_block_scalars_are_read_as_yaml_says() -> None:
    document = read("---\nname: a\ndescription: >\n  one: two\n  three\nnotes: |\n  x\n   y\n\n  z\n---\n")
    assert document.fields == {"name": "a", "description": "one: two three\n", "notes": "x\n y\n\nz\n"}


@pytest.mark.proves("P03")
def test_an_unquoted_colon_is_repaired_and_reported_with_its_place() -> None:
    document = read("---\nname: a\ndescription: Use when: the user asks\n---\n")
    assert document.fields == {"name": "a", "description": "Use when: the user asks"}
    (one,) = document.diagnostics
    assert (one.code, one.severity, one.line, one.column) == ("yaml-repaired", Severity.WARNING, 3, 1)


@pytest.mark.proves("P04")
def test_only_the_broken_values_are_repaired() -> None:
    document = read(
        "---\nname: a\nargument-hint: <d: e.g. 7d>\ntags: [next,@supabase/ssr]\n"
        "description: |\n  keep: this\n  as it is\n---\n"
    )
    assert document.fields == {
        "name": "a",
        "argument-hint": "<d: e.g. 7d>",
        "tags": "[next,@supabase/ssr]",
        "description": "keep: this\nas it is\n",
    }
    assert [one.line for one in document.diagnostics] == [3, 4]


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("description: *bold* claim", "*bold* claim"),
        ("description: [beta] does things", "[beta] does things"),
        ("description: {{placeholder}}", "{{placeholder}}"),
        ("description: [a]", "[a]"),
        ("description: @mention first", "@mention first"),
        ("description: `code` first", "`code` first"),
        ("description: %percent", "%percent"),
        ("description: | text on the same line", "text on the same line"),
        ("description: > text on the same line", "text on the same line"),
        ('description: "He said "hi" to me"', 'He said "hi" to me'),
        ("description: 'it's fine'", "it's fine"),
        ('description: "quoted" and then more', '"quoted" and then more'),
        ("description:no blank", "no blank"),
        ("\tdescription: tabbed", "tabbed"),
        ("  description: indented", "indented"),
        ("description: first\nsecond without indent", "first second without indent"),
        ("description: ends with colon:", "ends with colon:"),
        ("description: - dash first", "- dash first"),
        ("description: a\x01b", "a\x01b"),
    ],
)
def test_what_authors_get_wrong_is_repaired_and_reported(line: str, value: str) -> None:
    document = read(f"---\nname: a\n{line}\n---\nbody\n")
    assert document.fields is not None
    assert document.fields["description"] == value
    assert document.fields["name"] == "a"
    assert "yaml-repaired" in [one.code for one in document.diagnostics]


def test_a_repair_reaches_into_nested_values() -> None:
    document = read(
        "---\nname: a\ndescription: d\nmetadata:\n\tnote: a: b\n\tplain: c\nlist:\n  - x: y: z\n  - w\n---\n"
    )
    assert document.fields == {
        "name": "a",
        "description": "d",
        "metadata": {"note": "a: b", "plain": "c"},
        "list": ["x: y: z", "w"],
    }
    assert [one.line for one in document.diagnostics] == [5, 8]


@pytest.mark.proves("P16")
def test_a_repeated_key_is_reported_and_the_last_one_counts() -> None:
    document = read("---\nname: a\ndescription: one\ndescription: two\n---\n")
    assert document.fields == {"name": "a", "description": "two"}
    (one,) = document.diagnostics
    assert (one.code, one.line) == ("yaml-duplicate-key", 4)


@pytest.mark.proves("P16")
def test_tags_are_never_executed() -> None:
    document = read("---\nname: a\ndescription: !!python/object/apply:os.system ['exit 1']\n---\n")
    assert document.fields is not None
    assert document.fields["name"] == "a"


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("", "frontmatter-missing", 1),
        ("# Just a title\n", "frontmatter-missing", 1),
        ("<!-- note -->\n---\nname: a\ndescription: b\n---\n", "frontmatter-missing", 1),
        ("```markdown\n---\nname: a\n---\n```\n", "frontmatter-missing", 1),
        ("---\nname: a\ndescription: b\n", "frontmatter-unclosed", 1),
        ("---\n- a\n- b\n---\n", "yaml-not-a-mapping", 2),
        ("---\n---\nbody\n", "yaml-not-a-mapping", 2),
        ("---\njust words\n---\n", "yaml-not-a-mapping", 2),
        ("---\nname: a\nx: " + "[" * 10_000 + "\n---\n", "yaml-too-deep", 3),
        (b"---\nname: a\ndescription: caf\xe9\n---\n", "not-utf8", 3),
        ("---\nname: a\ndescription: b\n---\n".encode("utf-16"), "not-utf8", 1),
        (b"---\nname: a\ndescription: b\0c\n---\n", "nul-byte", 3),
    ],
)
def test_what_cannot_be_a_skill_is_refused_with_its_line(text: str | bytes, code: str, line: int) -> None:
    document = read(text)
    assert document.fields is None
    (one,) = document.diagnostics
    assert (one.code, one.line) == (code, line)
    assert one.severity is Severity.ERROR
    assert one.hint


def test_an_alias_bomb_is_refused_before_it_expands() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert codes("---\nname: a\n" + "\n".join(levels) + "\ndescription: b\n---\n") == ["yaml-alias-bomb"]


def test_an_alias_that_contains_itself_is_refused() -> None:
    assert codes("---\nname: a\ndescription: b\nloop: &x [*x]\n---\n") == ["yaml-alias-bomb"]


def test_ordinary_aliases_are_read() -> None:
    document = read("---\nname: a\ndescription: &d text\nagain: *d\n---\n")
    assert document.fields == {"name": "a", "description": "text", "again": "text"}


def test_a_header_of_twenty_megabytes_is_refused() -> None:
    assert codes("---\nname: a\ndescription: " + "x" * 20_000_000 + "\n---\n") == ["header-too-large"]


def test_a_head_may_end_inside_a_character() -> None:
    data = ("---\nname: a\ndescription: b\n---\n" + "日" * 100).encode()
    header = read_head(data[:-1], "p", is_whole=False)
    assert header.fields == {"name": "a", "description": "b"}
    assert read_head(data[:-1], "p", is_whole=True).fields is None


def test_a_value_that_a_comment_cuts_short_is_pointed_out() -> None:
    document = read("---\nname: a\ndescription: Fixes issue #12 of the tracker\n---\n")
    assert document.fields == {"name": "a", "description": "Fixes issue"}
    (one,) = document.diagnostics
    assert (one.code, one.line) == ("yaml-comment-cut", 3)


@pytest.mark.proves("P21")
def test_the_body_is_trimmed_and_the_raw_text_kept() -> None:
    text = "---\nname: a\ndescription: b\n---\n\n\n  # T\n\n"
    document = read(text)
    assert document.body == "# T"
    assert document.text == text
    assert document.body_line == 7
