"""The tools that come with metier."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

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
