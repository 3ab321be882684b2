"""The same tool in all four runtimes, held to one contract: as an author's program, and through metier, both modes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metier import Result, Tools
from metier.authoring.new import Order, make_skill
from metier.execution.process import Outcome
from tests.conftest import open_profile
from tests.execution.test_runner import leftovers

KINDS = ("python", "node", "go", "binary")


@pytest.fixture(params=[f"{kind}-{mode}" for kind in KINDS for mode in ("oneshot", "worker")])
def made(request: pytest.FixtureRequest, project: Path) -> Iterator[Tools]:
    kind, mode = str(request.param).split("-")
    make_skill(Order(name="sample", kind=kind, place=str(project / "skills"), worker=mode == "worker"))
    with Tools(open_profile(project), trust=True) as tools:
        yield tools
    assert leftovers(project) == []


def call(tools: Tools, **arguments: Any) -> Result:
    return tools.call_blocking("sample_count", arguments)


@pytest.mark.proves("S4-006")
def test_every_runtime_keeps_the_contract(made: Tools) -> None:
    # The answer, in any script, with what is left out filled in.
    assert call(made, text="one two\nthree").content == "lines 2, words 3, characters 13"
    assert call(made, text="one two three", min_length=4).content == "lines 1, words 1, characters 13"
    assert call(made, text="姓名 😀\n张三").content == "lines 2, words 3, characters 7"
    assert call(made, text='"quoted" \\ \t\u2028x').content.endswith("characters 14")
    # A long request.
    assert call(made, text="x" * 99_000).content == "lines 1, words 1, characters 99000"
    # What is wrong is said, in one line with a next step, and the program lives on.
    for wrong in ({"text": ""}, {"text": "x", "min_length": 0}, {"text": "x" * 100_001}):
        refused = call(made, **wrong)
        assert (refused.status, refused.code) == ("error", "EXECUTION_ERROR")
        assert " — " in refused.summary()
    assert call(made, text=3).code == "INVALID_PARAM"
    assert call(made).code == "INVALID_PARAM"
    assert call(made, text="still here").content == "lines 1, words 2, characters 10"


def test_many_callers_do_not_mix(made: Tools) -> None:
    async def many() -> list[Result]:
        calls = (made.call("sample_count", {"text": "x" * (number + 1)}) for number in range(16))
        return await asyncio.gather(*calls)

    results = asyncio.run(many())
    assert [result.content for result in results] == [f"lines 1, words 1, characters {n + 1}" for n in range(16)]


@pytest.mark.parametrize(
    "line", [b"not json\n", b"[]\n", b"null\n", b"{}\n", b'{"arguments": []}\n', b"\xff\n", b"{\n"]
)
def test_what_is_no_request_is_answered_too(made: Tools, line: bytes) -> None:
    ((skill, tool),) = [pair for pair in made.offered if pair[1].name == "sample_count"]
    outcome = made.runner.exchange(skill, tool, line)
    assert isinstance(outcome, Outcome)
    assert (outcome.ending, outcome.status, outcome.answers) == ("exit", 0, 1)
    assert outcome.answer is not None
    assert outcome.answer.error
