"""One line in, one line out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metier.execution.wire import MAX_LINE, Answer, Lines, LineTooLongError, answer, request

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)


def test_messages_are_what_the_design_shows() -> None:
    asked = request({"path": "data.xlsx", "sheet": "Sheet1"})
    assert asked == b'{"arguments": {"path": "data.xlsx", "sheet": "Sheet1"}}\n'
    line = '{"output": "姓名,分数\\n张三,95", "error": ""}'.encode()
    assert answer(line) == Answer("姓名,分数\n张三,95")
    failed = '{"output": "", "error": "文件不存在: data.xlsx — 请先用 file_list 确认路径"}'.encode()
    assert answer(failed) == Answer("", "文件不存在: data.xlsx — 请先用 file_list 确认路径")


@given(st.dictionaries(st.text(max_size=10), JSON, max_size=5), st.none() | st.integers() | st.text())
def test_a_request_is_one_line_that_says_what_was_meant(arguments: dict[str, Any], call: int | str | None) -> None:
    line = request(arguments, call)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    message = json.loads(line)
    assert message["arguments"] == arguments
    assert message.get("id") == call


@pytest.mark.parametrize(
    "line", [b"", b"hello", b"[]", b"3", b'{"result": 1}', b"{", b"\xff\xfe", b"[" * 100_000, b'{"output": }', b"null"]
)
def test_what_is_no_answer_is_none(line: bytes) -> None:
    assert answer(line) is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"output": "a"}', Answer("a")),
        (b'{"error": "x"}', Answer("", "x")),
        (b'{"output": null, "error": null}', Answer("")),
        (b'{"output": [1, 2]}', Answer("[1, 2]")),
        (b'{"output": "a", "id": 7}', Answer("a", "", 7)),
        (b'{"output": "a", "id": true}', Answer("a")),
        (b' {"output": "a"} \r', Answer("a")),
        (b'{"output": "\\ud800"}', Answer("?")),
    ],
)
def test_answers_that_are_nearly_right_are_understood(line: bytes, said: Answer) -> None:
    assert answer(line) == said


@given(
    st.lists(st.binary(max_size=30).filter(lambda data: b"\n" not in data), max_size=8),
    st.binary(max_size=10),
    st.data(),
)
def test_lines_do_not_depend_on_how_the_bytes_arrive(lines: list[bytes], rest: bytes, data: st.DataObject) -> None:
    rest = rest.replace(b"\n", b"")
    whole = b"".join(line + b"\n" for line in lines) + rest
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=12)))
    reader = Lines()
    found: list[bytes] = []
    for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        found += reader.feed(whole[start:end])
    assert found == lines
    assert reader.rest() == rest
    assert reader.rest() == b""


def test_a_line_may_be_sixteen_mebibytes_long_and_no_longer() -> None:
    reader = Lines()
    assert reader.feed(b"x" * MAX_LINE) == []
    assert reader.feed(b"\n") == [b"x" * MAX_LINE]
    reader.feed(b"y" * MAX_LINE)
    with pytest.raises(LineTooLongError):
        reader.feed(b"y")
    assert MAX_LINE == 16 * 1024 * 1024
