"""Hot reload: skills that come, go and change while a host is running."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from metier import Catalog, Result, Tools, Toolset
from metier.execution.arguments import schema_of
from metier.execution.dependencies import dependencies_of
from metier.execution.runtimes import product_name
from metier.toolset.reload import Reloader
from tests.conftest import open_profile, write

MAIN = "import json, sys\nsys.stdin.readline()\nprint(json.dumps({'output': 'WORD', 'error': ''}))\n"
GO = 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(`{"output": "WORD", "error": ""}`) }\n'


def tool(project: Path, name: str, word: str, more: str = "") -> None:
    write(
        project / f"skills/{name}/skill.yaml",
        f"name: {name}\ndescription: Says a word.\nruntime: python\nentry: main.py\n{more}",
    )
    write(project / f"skills/{name}/main.py", MAIN.replace("WORD", word))


def go_tool(project: Path, name: str, code: str) -> None:
    write(
        project / f"skills/{name}/skill.yaml",
        f"name: {name}\ndescription: Says a word.\nruntime: go\nentry: main.go\n",
    )
    write(project / f"skills/{name}/go.mod", f"module skill_{name}\n\ngo 1.19\n")
    write(project / f"skills/{name}/main.go", code)


def hosted(project: Path, **policy: Any) -> tuple[Catalog, Tools, Toolset]:
    catalog = open_profile(project, "omega", **policy)
    tools = Tools(catalog, trust=True)
    return catalog, tools, Toolset(catalog, tools=tools)


def names(tools: Tools) -> list[str]:
    return [tool.name for skill, tool in tools.offered if not skill.is_system]


@pytest.mark.proves("S4-118", "S4-119")
def test_a_reload_says_what_came_went_and_changed(project: Path) -> None:
    for name in ("stays", "edited", "manifest", "leaves"):
        tool(project, name, name)
    _, tools, toolset = hosted(project, listing="live")
    assert names(tools) == ["edited", "leaves", "manifest", "stays"]
    assert toolset.render(toolset.call("skill_reload"), "text") == "Skill reload: +0 added, -0 removed, 0 reloaded"
    tool(project, "new", "new")
    write(project / "skills/edited/main.py", MAIN.replace("WORD", "other"))
    tool(project, "manifest", "manifest", "timeout_s: 9\n")
    for file in ("skill.yaml", "main.py"):
        (project / "skills/leaves" / file).unlink()
    (project / "skills/leaves").rmdir()
    result = toolset.call("skill_reload")
    assert toolset.render(result, "text") == "Skill reload: +1 added, -1 removed, 2 reloaded"
    assert result.data == {"added": ["new"], "changed": ["manifest", "edited"], "removed": ["leaves"]}
    assert names(tools) == ["edited", "manifest", "new", "stays"]
    assert "new" in [one.name for one in toolset.tools]
    assert tools.call_blocking("edited", {}).content == "other"


def test_a_broken_edit_is_told_and_its_neighbours_stay(project: Path) -> None:
    tool(project, "good", "good")
    tool(project, "bad", "bad")
    _, tools, toolset = hosted(project)
    write(project / "skills/bad/skill.yaml", "name: bad\ndescription: d\nruntime: ruby\nentry: main.py\n")
    result = toolset.call("skill_reload")
    lines = toolset.render(result, "text").splitlines()
    assert lines[0] == "Skill reload: +0 added, -1 removed, 0 reloaded"
    assert [line.startswith("[ERROR] bad/skill.yaml: ") for line in lines[1:]] == [True]
    assert "ruby" in lines[1]
    assert names(tools) == ["good"]
    tool(project, "bad", "mended")
    assert toolset.call("skill_reload").data["added"] == ["bad"]
    assert tools.call_blocking("bad", {}).content == "mended"


@pytest.mark.proves("S4-119")
def test_a_program_that_no_longer_builds_keeps_its_old_version(project: Path) -> None:
    go_tool(project, "said", GO.replace("WORD", "old"))
    _, tools, toolset = hosted(project)
    assert tools.call_blocking("said", {}).content == "old"
    write(project / "skills/said/main.go", "package main\n\nfunc main() { oops }\n")
    lines = toolset.render(toolset.call("skill_reload"), "text").splitlines()
    assert lines[0] == "Skill reload: +0 added, -0 removed, 1 reloaded"
    assert lines[1].startswith("[ERROR] said/skill.yaml: the tool 'said' does not build")
    assert "oops" in lines[1]
    assert tools.call_blocking("said", {}).content == "old"
    write(project / "skills/said/main.go", GO.replace("WORD", "new"))
    assert toolset.call("skill_reload").data["changed"] == ["said"]
    assert tools.call_blocking("said", {}).content == "new"


@pytest.mark.proves("S4-087")
def test_a_go_tool_that_does_not_compile_is_not_offered(project: Path) -> None:
    go_tool(project, "fine", GO)
    go_tool(project, "broken", "package main\n\nfunc main() { oops }\n")
    go_tool(project, "homeless", GO)
    (project / "skills/homeless/go.mod").unlink()
    catalog, tools, toolset = hosted(project)
    assert names(tools) == ["fine"]
    assert [one.name for one in toolset.tools if one.name in ("fine", "broken", "homeless")] == ["fine"]
    (one,) = tools.diagnostics
    assert (one.code, "oops" in one.message, one.path) == (
        "tool-build",
        True,
        str(project / "skills/broken/skill.yaml"),
    )
    assert ["go.mod" in one.message for one in catalog.diagnostics if "homeless" in one.path] == [True]
    assert tools.call_blocking("broken", {}).code == "NOT_FOUND"
    go_tool(project, "broken", GO)
    toolset.call("skill_reload")
    assert names(tools) == ["broken", "fine"]
    assert tools.diagnostics == ()


@pytest.mark.proves("S4-024")
@pytest.mark.parametrize(("platform", "name"), [("win32", "skill.exe"), ("linux", "skill"), ("darwin", "skill")])
def test_a_built_program_has_the_name_of_its_platform(platform: str, name: str) -> None:
    assert product_name(platform) == name


def test_watching_tells_the_same(project: Path) -> None:
    tool(project, "first", "first")
    catalog = open_profile(project, "omega")
    told: list[Result] = []
    is_watching = threading.Event()

    def follow() -> None:
        is_watching.set()
        for result in Reloader(catalog).watch(interval_s=0.1, polling=True):
            told.append(result)
            return

    thread = threading.Thread(target=follow)
    thread.start()
    is_watching.wait()
    tool(project, "second", "second")
    thread.join(20)
    assert [result.summary() for result in told] == ["Skill reload: +1 added, -0 removed, 0 reloaded"]


@pytest.mark.proves("S4-021", "S4-022")
def test_dependencies_are_shown_and_nothing_is_installed_unasked(project: Path) -> None:
    tool(project, "plain", "plain")
    tool(project, "deps", "deps")
    write(project / "skills/deps/requirements.txt", "# what it needs\nopenpyxl>=3.1  # tables\n-e .\n\nrich\n")
    tool(project, "inline", "inline")
    write(project / "skills/inline/main.py", '# /// script\n# dependencies = [\n#   "httpx<1",\n# ]\n# ///\n' + MAIN)
    write(project / "skills/nodes/skill.yaml", "name: nodes\ndescription: d\nruntime: node\nentry: main.mjs\n")
    write(project / "skills/nodes/main.mjs", "console.log(JSON.stringify({output: 'ran', error: ''}))\n")
    write(project / "skills/nodes/package.json", '{"dependencies": {"zod": "^4", "undici": "7"}}')
    catalog = open_profile(project, "omega")
    found = {skill.name: dependencies_of(skill.dir, skill.tools) for skill in catalog.skills}
    assert found["plain"] == ()
    assert found["deps"] == ("openpyxl>=3.1", "rich")
    assert found["inline"] == ("httpx<1",)
    assert found["nodes"] == ("zod@^4", "undici@7")
    # Everybody's tools run in this profile, but nothing is installed for a stranger.
    for name in ("deps", "inline"):
        skill = catalog.require(name)
        result = Tools(catalog).call_of(skill, skill.tools[0], {})
        assert result.key == "tool-untrusted"
    nodes = Tools(catalog, trust=True).call_blocking("nodes", {})
    assert nodes.key == "tool-runtime-missing"
    assert "npm install --ignore-scripts" in nodes.summary()
    assert not (project / "skills/nodes/node_modules").exists()
    (project / "skills/nodes/node_modules").mkdir()
    assert Tools(catalog, trust=True).call_blocking("nodes", {}).content == "ran"


@pytest.mark.proves("S4-029")
def test_parameters_become_a_schema(project: Path) -> None:
    tool(
        project,
        "typed",
        "x",
        "parameters:\n"
        "  - {name: path, type: string, required: true, description: The file.}\n"
        "  - {name: limit, type: integer, default: 10}\n"
        "  - {name: share, type: number, required: false}\n"
        "  - {name: all, type: boolean, required: true}\n",
    )
    skill = open_profile(project, "omega").require("typed")
    assert schema_of(skill.tools[0]) == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The file."},
            "limit": {"type": "integer", "default": 10},
            "share": {"type": "number"},
            "all": {"type": "boolean"},
        },
        "required": ["path", "all"],
        "additionalProperties": False,
    }
