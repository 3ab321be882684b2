"""The tools that come with metier."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metier import Result, Tools
from tests.conftest import open_profile, write


def call(project: Path, name: str, **arguments: Any) -> Result:
    """What a user gets who has trusted nothing: these come with metier, and are trusted as it is."""
    return Tools(open_profile(project)).call_blocking(name, arguments)


def test_a_table_is_summarized(project: Path) -> None:
    write(project / "data/sales.csv", "﻿region;amount;note\nNorth;10;ok\nSouth;20.5;\nNorth;-3;后\nEast;1\n".encode())
    lines = call(project, "csv_summarize", path="data/sales.csv").content.splitlines()
    assert lines == [
        "4 rows, 3 columns, separated by ';'",
        "1 rows have another number of cells than the heading",
        "- region: text, 3 different: 'North' (2), 'East' (1), 'South' (1)",
        "- amount: numbers, -3 to 20.5, mean 7.125",
        "- note: text, 2 different: 'ok' (1), '后' (1), 2 empty",
    ]


def test_a_part_of_a_file_is_picked(project: Path) -> None:
    orders: dict[str, Any] = {"orders": [{"items": [{"price": 3}, {"price": 4}]}, {"items": []}], "名": "值"}
    write(project / "orders.json", json.dumps(orders, ensure_ascii=False))
    assert json.loads(call(project, "json_query", path="orders.json", query="orders.0.items.*.price").content) == [3, 4]
    assert call(project, "json_query", path="orders.json").content == "The file holds an object with orders, 名."
    missing = call(project, "json_query", path="orders.json", query="orders.7")
    assert missing.summary() == "nothing is there: 7 — at this place there is a list of 2"


def test_two_texts_are_compared(project: Path) -> None:
    write(project / "a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n")
    write(project / "b.txt", "one\n2\nthree\nfour\nfive\nsix\nseven\neight\n九\n")
    assert call(project, "text_diff", old="a.txt", new="b.txt", context=1).content.splitlines() == [
        "2 lines added, 1 removed.",
        "--- a.txt",
        "+++ b.txt",
        "@@ -1,3 +1,3 @@",
        " one",
        "-two",
        "+2",
        " three",
        "@@ -8,1 +8,2 @@",
        " eight",
        "+九",
    ]
    assert call(project, "text_diff", old="a.txt", new="a.txt").content == "The files are the same, 8 lines."
    assert "out of range" in call(project, "text_diff", old="a.txt", new="b.txt", context=-1).summary()
    write(project / "binary", b"\0\xff")
    assert "UTF-8" in call(project, "text_diff", old="a.txt", new="binary").summary()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    old=st.lists(st.sampled_from(["a", "b", "c", "", "é"]), max_size=30),
    new=st.lists(st.sampled_from(["a", "b", "c", "", "é"]), max_size=30),
    context=st.integers(0, 4),
)
def test_a_comparison_leads_from_the_old_text_to_the_new_one(
    project: Path, differ: Tools, old: list[str], new: list[str], context: int
) -> None:
    write(project / "a.txt", "".join(f"{line}\n" for line in old))
    write(project / "b.txt", "".join(f"{line}\n" for line in new))
    result = differ.call_blocking("text_diff", {"old": "a.txt", "new": "b.txt", "context": context})
    assert patched(old, result.content) == new


def patched(old: list[str], diff: str) -> list[str]:
    """The old lines with a unified diff applied, the way patch programs read it."""
    made: list[str] = []
    at = 0
    for line in diff.split("\n")[3:]:
        if line.startswith("@@"):
            start, count = (int(number) for number in line.split()[1][1:].split(","))
            first = start - 1 if count else start
            made += old[at:first]
            at = first
        elif line[:1] in (" ", "-"):
            assert old[at] == line[1:]
            made += [line[1:]] if line[0] == " " else []
            at += 1
        else:
            made.append(line[1:])
    return made + old[at:]


@pytest.fixture
def differ(project: Path) -> Tools:
    return Tools(open_profile(project))


def test_a_folder_is_surveyed(project: Path) -> None:
    for path, size in (("src/a.py", 30), ("src/b.py", 20), ('odd "name" \\ 名.txt', 5), (".git/objects/x", 999)):
        write(project / path, "x" * size)
    shown = call(project, "files_overview", path=".").content
    assert shown.splitlines()[:10] == [
        ". holds 3 files, 55 bytes.",
        "By kind:",
        "- .py: 2 files, 50 bytes",
        "- .txt: 1 files, 5 bytes",
        "Largest:",
        "- src/a.py: 30 bytes",
        "- src/b.py: 20 bytes",
        '- odd "name" \\ 名.txt: 5 bytes',
        "Newest:",
        shown.splitlines()[9],
    ]
    assert call(project, "files_overview", path="src", top=1).content.count("\n- ") == 3
    (project / "empty").mkdir()
    assert call(project, "files_overview", path="empty").content == "empty holds no files."
    for top in (0, 101, -5, 10**12):
        assert "out of range" in call(project, "files_overview", top=top).summary()


@pytest.mark.parametrize(
    "path", ["../", "/etc", "nope", "link", "a\nb", "$(touch evil)", "`touch evil`", '"; touch evil']
)
def test_a_survey_stays_where_it_should(project: Path, path: str) -> None:
    (project.parent / "elsewhere").mkdir()
    (project / "link").symlink_to(project.parent / "elsewhere")
    result = call(project, "files_overview", path=path)
    assert (result.status, result.code) == ("error", "EXECUTION_ERROR"), result
    assert " — " in result.summary()
    assert not list(project.rglob("evil"))


@pytest.mark.parametrize("tool", ["csv_summarize", "json_query"])
def test_examples_refuse_what_they_should(project: Path, tool: str) -> None:
    write(project.parent / "outside.csv", "a,b\n1,2\n")
    (project / "link.csv").symlink_to(project.parent / "outside.csv")
    write(project / "odd.csv", b'\xff\xfe\0\0\n"')
    for path in ("../outside.csv", "/etc/passwd", "link.csv", "nope.csv", "", ".", "odd.csv"):
        result = call(project, tool, path=path)
        if path == "odd.csv" and tool == "csv_summarize":
            assert result.status in ("success", "error")
            continue
        assert (result.status, result.code) == ("error", "EXECUTION_ERROR"), path
        assert " — " in result.summary()
        assert "Traceback" not in result.summary()
    assert call(project, tool).code == "INVALID_PARAM"
