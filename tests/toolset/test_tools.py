"""The tools of skills for a model."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from metier import Catalog, Conversation, Tools, Toolset
from metier.result import validate_envelope
from tests.conftest import open_profile, write

CODE = (
    "import json, sys, time\n"
    "arguments = json.loads(sys.stdin.readline())['arguments']\n"
    "time.sleep(arguments.get('seconds', 0))\n"
    "print(json.dumps({'output': arguments['text'] * arguments['times'], 'error': ''}, ensure_ascii=False))\n"
)
MANIFEST = (
    "name: {name}\ndescription: Repeats a text. At most 100 times.\nruntime: python\nentry: main.py\ntimeout_s: 20\n"
    "parameters:\n"
    "  - {{name: text, type: string, required: true, description: The text.}}\n"
    "  - {{name: times, type: integer, default: 2}}\n"
    "  - {{name: seconds, type: number}}\n"
    "docs:\n  when_to_use: [something is to be said again]\n  when_not_to_use: [once is enough]\n"
)


def repeat(project: Path, name: str = "repeat") -> None:
    write(project / f"skills/{name}/skill.yaml", MANIFEST.format(name=name))
    write(project / f"skills/{name}/main.py", CODE)


def trusted(project: Path) -> tuple[Catalog, Tools]:
    catalog = open_profile(project)
    return catalog, Tools(catalog, trust=True)


def test_a_model_is_offered_the_tools_of_trusted_skills(project: Path) -> None:
    repeat(project)
    catalog, tools = trusted(project)
    toolset = Toolset(catalog, tools=tools)
    tool = next(one for one in toolset.tools if one.name == "repeat")
    assert tool.description.splitlines() == [
        "Repeats a text. At most 100 times.",
        "Use it when: something is to be said again",
        "Do not use it when: once is enough",
    ]
    assert tool.parameters["required"] == ["text"]
    assert tool.call({"text": "ab"}).content == "abab"
    assert toolset.call("repeat", {"text": 3}).code == "INVALID_PARAM"
    stranger = Toolset(catalog, tools=Tools(catalog))
    assert "repeat" not in [one.name for one in stranger.tools]
    assert "csv_summarize" in [one.name for one in stranger.tools]  # it comes with metier
    assert stranger.call("repeat", {"text": "x"}).code == "NOT_FOUND"
    assert Toolset(catalog).call("repeat", {"text": "x"}).code == "NOT_FOUND"


@pytest.mark.proves("S4-065")
def test_a_long_answer_is_cut_for_the_model_and_kept_whole(project: Path) -> None:
    repeat(project)
    catalog, tools = trusted(project)
    toolset = Toolset(catalog, tools=tools, environ={})
    result = toolset.call("repeat", {"text": "x" * 90, "times": 100})
    assert (result.status, len(result.content)) == ("partial", 8_000)
    assert "cut after 8,000" in toolset.render(result)
    assert validate_envelope(toolset.render(result, "envelope")) == []
    whole = json.loads((project / result.data["full_output_path"]).read_text(encoding="utf-8"))
    assert whole["data"]["content"] == "x" * 9_000


def test_definitions_stay_as_they_were_and_the_program_is_the_present_one(project: Path) -> None:
    repeat(project)
    catalog, tools = trusted(project)
    toolset = Toolset(catalog, tools=tools)
    before = [(one.name, one.description, dict(one.parameters)) for one in toolset.tools]
    saved = toolset.conversation.to_json()
    repeat(project, "later")
    write(project / "skills/repeat/main.py", CODE.replace("arguments['text']", "arguments['text'].upper()"))
    assert [(one.name, one.description, dict(one.parameters)) for one in toolset.tools] == before
    assert toolset.call("repeat", {"text": "ab"}).content == "ABAB"
    resumed = Toolset(catalog, Conversation.from_json(saved), tools=tools)
    assert [(one.name, one.description, dict(one.parameters)) for one in resumed.tools] == before
    fresh = Toolset(open_profile(project), tools=Tools(open_profile(project), trust=True))
    assert {"later", "repeat"} <= {one.name for one in fresh.tools}


def test_calls_that_wait_do_not_hold_up_the_loop(project: Path) -> None:
    repeat(project)
    _, tools = trusted(project)

    async def many() -> list[str]:
        results = await asyncio.gather(
            *(tools.call("repeat", {"text": str(number), "times": 1}) for number in range(64))
        )
        return [result.content for result in results]

    assert asyncio.run(many()) == [str(number) for number in range(64)]


def test_a_cancelled_call_leaves_nothing_behind(project: Path) -> None:
    repeat(project)
    _, tools = trusted(project)

    async def cancelled() -> None:
        task = asyncio.create_task(tools.call("repeat", {"text": "x", "seconds": 15}))
        await asyncio.sleep(0.7)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    before = len(os.listdir("/proc/self/fd"))
    asyncio.run(cancelled())
    assert len(os.listdir("/proc/self/fd")) <= before
    mark = f"METIER_WORKSPACE={project}".encode()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            assert mark not in Path(f"/proc/{name}/environ").read_bytes().split(b"\0")
        except OSError:
            continue


def test_an_unknown_tool_is_answered_with_those_there_are(project: Path) -> None:
    repeat(project)
    _, tools = trusted(project)
    assert asyncio.run(tools.call("repaet", {})).summary() == "no tool has this name: 'repaet' — use one of repeat"
    assert tools.sandbox.tier == "T3"
