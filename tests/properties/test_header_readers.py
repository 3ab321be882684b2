"""The fast reader, the YAML reader and the repair are three roads to the same fields."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from metier.diagnostic import Diagnostic
from metier.parsing.document import read_document, read_fields, read_head
from metier.parsing.frontmatter import normalised, split
from metier.parsing.simple import read_simple
from metier.parsing.yaml_events import YamlProblem, read_yaml

KEYS = st.sampled_from(["name", "description", "license", "metadata", "a", "x-y", "_z", "tags", "on", "3d", "k e y"])
TOKENS = st.sampled_from(
    ["word", "é", "技能", " ", "  ", ":", ": ", " #", "#", "'", '"', "\\", "-", "- ", "?", "|", ">", "[", "]", "{", "}",
     ",", "&a", "*a", "!t", "%", "@", "`", "~", "null", "1.0", "...", "---", "\t", "\u2028", "\x85", "\ufeff", "\x07",
     "<", "=", "/", "(", ")", "\U0001f600", "\u00a0", "\u3000"]
)  # fmt: skip
VALUES = st.lists(TOKENS, max_size=6).map("".join)
PLAIN = st.from_regex(r"[A-Za-z][A-Za-z0-9 ,.()-]{0,30}", fullmatch=True)
INDENTS = st.sampled_from(["", " ", "  ", "    ", "\t"])


@st.composite
def headers(draw: st.DrawFn) -> str:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 6))):
        shape = draw(st.integers(0, 7))
        key, value = draw(KEYS), draw(st.one_of(PLAIN, VALUES))
        if shape <= 2:
            lines.append(f"{key}: {value}")
        elif shape == 3:
            quote = draw(st.sampled_from(["'", '"']))
            lines.append(f"{key}: {quote}{value}{quote}{draw(st.sampled_from(['', ' ', ' # c']))}")
        elif shape == 4:
            indent = draw(INDENTS)
            lines.append(f"{key}:{draw(st.sampled_from(['', ' ']))}")
            lines += [f"{indent}{draw(KEYS)}: {draw(st.one_of(PLAIN, VALUES))}" for _ in range(draw(st.integers(0, 3)))]
        elif shape == 5:
            indent = draw(INDENTS)
            lines.append(f"{key}: {draw(st.sampled_from(['>', '|', '>-', '|-', '|+', '>2']))}")
            lines += [indent + draw(st.one_of(PLAIN, VALUES)) for _ in range(draw(st.integers(0, 3)))]
        elif shape == 6:
            indent = draw(INDENTS)
            lines.append(f"{key}:")
            lines += [f"{indent}- {draw(st.one_of(PLAIN, VALUES))}" for _ in range(draw(st.integers(0, 3)))]
        else:
            lines.append(draw(st.sampled_from(["", "   ", "# comment", "  # comment", value])))
    return "\n".join(lines) + "\n"


@given(headers())
@settings(max_examples=1500, deadline=None)
@example("description: >\n  text\n     \nname: x\n")
@example("a: b\n\n  c\n")
@example("a: |\n  b\n# c\nd: e\n")
@example("name: \"a\" \ndescription: 'b'\n")
def test_the_fast_reader_reads_what_the_yaml_reader_reads(header: str) -> None:
    fields = read_simple(header)
    if fields is None:
        return
    tree = read_yaml(header)
    assert tree.value == fields
    assert [tree.duplicates, tree.flow, tree.anchors, tree.tags] == [[], [], [], []]


@given(st.lists(st.tuples(st.sampled_from(["name", "description", "license", "a-b"]), PLAIN), min_size=1, max_size=5))
@settings(max_examples=200, deadline=None)
def test_plain_headers_do_take_the_fast_road(pairs: list[tuple[str, str]]) -> None:
    unique = dict(pairs)
    header = "".join(f"{key}: {value}\n" for key, value in unique.items())
    assert read_simple(header) == {key: value.rstrip(" ") for key, value in unique.items()}


@given(headers())
@settings(max_examples=800, deadline=None)
def test_any_header_is_read_or_explained(header: str) -> None:
    fields, diagnostics = read_fields(header, "p")
    assert fields is not None or diagnostics
    if fields is None:
        return
    try:
        value = read_yaml(header).value
    except YamlProblem:
        assert any(one.code == "yaml-repaired" for one in diagnostics)
    else:
        if not isinstance(value, dict):
            assert any(one.code == "yaml-repaired" for one in diagnostics)


@given(headers(), st.sampled_from(["---\n", "--- \n", "----\n", "---\r\n", ""]), st.binary(max_size=30))
@settings(max_examples=500, deadline=None)
def test_the_head_of_a_file_says_what_the_whole_file_says(header: str, closing: str, body: bytes) -> None:
    data = f"---\n{header}{closing}".encode() + body
    document = read_document(data, "p")
    quick = read_head(data, "p", is_whole=True)
    assert (quick.fields, quick.diagnostics) == (document.fields, document.diagnostics)


@given(st.binary(max_size=400))
@settings(max_examples=500, deadline=None)
def test_any_bytes_are_read_or_explained(data: bytes) -> None:
    document = read_document(data, "p")
    assert document.fields is not None or document.diagnostics


@given(headers(), st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_line_ends_do_not_change_what_is_read(header: str, body: str) -> None:
    body = normalised(body)
    text = f"---\n{header}---\n{body}"
    if isinstance(split(text, "p"), Diagnostic):
        return
    plain = read_document(text.encode("utf-8", "surrogatepass"), "p")
    for ending in ("\r\n", "\r"):
        other = read_document(text.replace("\n", ending).encode("utf-8", "surrogatepass"), "p")
        assert (other.fields, other.body) == (plain.fields, plain.body)
