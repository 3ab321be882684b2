"""The first design, byte for byte: a Skill tool that answers in envelopes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from metier import Catalog, Policy, Skill, Toolset
from metier.disclosure.prompt import MYCODEAGENT_RULES
from tests.conftest import open_profile, write, write_skill

POLICY = Policy.profile("mycodeagent")


@pytest.fixture
def tools(project: Path) -> Toolset:
    """A project with one skill."""
    write_skill(
        project / "skills", "code-review", "Review code quality and risks", "# Code Review\n\nBODY-X\n\n$ARGUMENTS\n"
    )
    return Toolset(open_profile(project, "mycodeagent"))


def answer(tools: Toolset, **arguments: Any) -> dict[str, Any]:
    return json.loads(tools.render(tools.call("Skill", arguments)))


@pytest.mark.proves("S0-01")
def test_the_prompt_has_the_name_and_the_call_gives_the_body(tools: Toolset) -> None:
    told = tools.system_prompt() + tools.tools[0].description
    assert "code-review" in told
    assert "BODY-X" not in told
    assert "BODY-X" in answer(tools, name="code-review")["data"]["content"]


@pytest.mark.proves("S0-06")
def test_the_tool_lists_one_line_for_each_skill(project: Path, tools: Toolset) -> None:
    write_skill(project / "skills", "other", "Something else")
    lines = [line for line in tools.tools[0].description.splitlines() if line.startswith("- ") and ": " in line]
    assert lines[-2:] == ["- code-review: Review code quality and risks", "- other: Something else"]


@pytest.mark.proves("S0-07", "S0-33")
def test_the_content_starts_with_the_folder_and_holds_the_arguments(tools: Toolset) -> None:
    content = answer(tools, name="code-review", args="src/a.py")["data"]["content"]
    assert content == "Base directory for this skill: skills/code-review\n\n# Code Review\n\nBODY-X\n\nsrc/a.py"


@pytest.mark.proves("S0-28")
def test_the_tools_are_built_around_any_catalog() -> None:
    catalog = Catalog.of([Skill.inline(name="a", description="d", body="From memory.")], policy=POLICY)
    assert answer(Toolset(catalog), name="a")["data"]["content"] == "From memory."


@pytest.mark.proves("S0-29", "S0-30", "S0-31")
def test_the_tool_is_called_skill_and_takes_a_name_and_arguments(tools: Toolset) -> None:
    (tool,) = tools.tools
    assert tool.name == "Skill"
    properties = tool.parameters["properties"]
    assert list(properties) == ["name", "args"]
    assert properties["name"]["type"] == properties["args"]["type"] == "string"
    assert properties["args"]["default"] == ""
    assert tool.parameters["required"] == ["name"]
    assert tool.call({"name": "code-review"}).ok


@pytest.mark.proves("S0-32")
def test_a_name_is_looked_up_before_anything_is_read_and_the_file_is_read_once(tools: Toolset, project: Path) -> None:
    del tools
    write_skill(project / "skills", "other")
    script = (
        "import sys\nfrom metier import Catalog, Policy, Toolset\n"
        f"c = Catalog.open({str(project)!r}, policy=Policy.profile('mycodeagent').but(refresh='manual'), cache=False)\n"
        "t = Toolset(c)\n"
        "t.call('Skill', {'name': 'other'})  # whatever is imported, is imported now\n"
        "opened = []\n"
        "sys.addaudithook(lambda event, args: event in ('open', 'os.scandir') and opened.append(str(args[0])))\n"
        "t.call('Skill', {'name': 'nope'}); print(sum('SKILL' in path for path in opened)); opened.clear()\n"
        "t.call('Skill', {'name': 'code-review'}); print(*opened)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stdout.split() == ["0", str(project / "skills/code-review/SKILL.md")]


@pytest.mark.proves("S0-36")
def test_the_tool_s_prompt_has_its_four_parts(tools: Toolset) -> None:
    text = tools.tools[0].description
    places = [text.index(part) for part in ("Load a skill", "Parameters:", "Examples:", "Available skills:")]
    assert places == sorted(places)
    examples = re.findall(r"^\{.*\}$", text, re.MULTILINE)
    assert [json.loads(example)["name"] for example in examples] == ["code-review", "code-review"]


@pytest.mark.proves("S0-38")
def test_the_list_stops_at_the_budget() -> None:
    skills = [Skill.inline(name=f"skill-{number}", description="d" * 46) for number in range(5)]
    lines = Catalog.of(skills, policy=POLICY).listing(budget=120).text.splitlines()
    assert [len(line) for line in lines] == [57, 57]
    listing = Catalog.of(skills, policy=POLICY).listing(budget=10)
    assert listing.text == "(none)"
    assert len(listing.report.omitted) == 5


@pytest.mark.proves("S0-40", "S0-42")
def test_the_rules_are_one_text_and_no_body_is_loaded_ahead_of_need(tools: Toolset, project: Path) -> None:
    prompt = tools.system_prompt()
    assert MYCODEAGENT_RULES in prompt
    assert "load it with the Skill tool" in prompt
    assert "clearly matches a skill’s description" in prompt
    assert "do not preload all skills" in prompt
    write_skill(project / "skills", "code-review", "Review code quality and risks", "BODY-Y")
    assert "BODY-Y" in answer(tools, name="code-review")["data"]["content"]


@pytest.mark.proves("S0-44")
def test_the_list_stands_once_in_the_tools_section(tools: Toolset) -> None:
    section = "\n".join(f"## {tool.name}\n{tool.description}" for tool in tools.tools)
    whole = f"{tools.system_prompt()}\n\n# Tools\n{section}"
    assert whole.count("- code-review: Review code quality and risks") == 1
    assert whole.index("# Tools") < whole.index("- code-review: Review")


@pytest.mark.proves("S0-45")
def test_skill_files_may_be_read_and_links_lead_nowhere(tools: Toolset, project: Path) -> None:
    reader = Toolset(open_profile(project, "mycodeagent", offers=("Skill", "ReadFile")))
    assert "BODY-X" in reader.call("ReadFile", {"path": "skills/code-review/SKILL.md"}).content
    (project / "skills/x").symlink_to("/etc")
    refused = reader.call("ReadFile", {"path": "skills/x/hosts.md"})
    assert refused.code == "ACCESS_DENIED"


@pytest.mark.proves("S0-47")
def test_a_skill_that_joins_later_loads_at_once(tools: Toolset, project: Path) -> None:
    assert answer(tools, name="late")["error"]["code"] == "NOT_FOUND"
    write_skill(project / "skills", "late")
    assert answer(tools, name="late")["status"] == "success"


@pytest.mark.proves("S0-50")
@pytest.mark.parametrize("arguments", [{}, {"name": ""}, {"name": "  "}, {"name": 3}, {"name": None}, {"name": ["a"]}])
def test_a_call_without_a_usable_name_is_refused(tools: Toolset, arguments: dict[str, Any]) -> None:
    envelope = answer(tools, **arguments)
    assert envelope["status"] == "error"
    assert envelope["error"]["code"] == "INVALID_PARAM"
    assert envelope["text"] == "Parameter 'name' is required and must be a non-empty string."


@pytest.mark.proves("S0-51")
def test_an_unknown_skill_is_not_found(tools: Toolset) -> None:
    envelope = answer(tools, name="nope")
    assert (envelope["status"], envelope["error"]["code"], envelope["data"]) == ("error", "NOT_FOUND", {})
    assert envelope["text"] == "Skill 'nope' not found."


@pytest.mark.proves("S0-52")
def test_a_file_that_the_system_protects_gives_its_own_code(tools: Toolset, project: Path) -> None:
    path = project / "skills/code-review/SKILL.md"
    path.chmod(0o000)
    # Nothing is protected from root, who therefore asks as nobody.
    code = answer(tools, name="code-review")["error"]["code"] if os.getuid() else code_for_nobody(project)
    path.chmod(0o644)
    assert code == "PERMISSION_DENIED"


def code_for_nobody(project: Path) -> str:
    for folder in (project, *project.parents[:3]):
        folder.chmod(0o755)
    script = (
        "import os; from metier import Catalog, Policy, Toolset\n"
        f"c = Catalog.open({str(project)!r}, policy=Policy.profile('mycodeagent').but(refresh='manual'), cache=False)\n"
        "t = Toolset(c); t.call('Skill', {'name': 'code-review'}); os.setuid(65534)\n"
        "print(t.call('Skill', {'name': 'code-review'}).code)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, encoding="utf-8", check=True)
    return done.stdout.strip()


@pytest.mark.proves("S0-53")
def test_a_file_that_is_gone_is_an_execution_error(project: Path, tools: Toolset) -> None:
    del tools
    still = Toolset(open_profile(project, "mycodeagent", refresh="manual"))
    (project / "skills/code-review/SKILL.md").unlink()
    assert answer(still, name="code-review")["error"]["code"] == "EXECUTION_ERROR"


@pytest.mark.proves("S0-55")
def test_a_header_that_was_ruined_since_is_an_internal_error(project: Path, tools: Toolset) -> None:
    del tools
    still = Toolset(open_profile(project, "mycodeagent", refresh="manual"))
    write(project / "skills/code-review/SKILL.md", "# no frontmatter")
    assert answer(still, name="code-review")["error"]["code"] == "INTERNAL_ERROR"


@pytest.mark.proves("S0-66")
def test_a_skill_cannot_choose_its_model(project: Path) -> None:
    write(project / "skills/a/SKILL.md", "---\nname: a\ndescription: d\nmodel: x\n---\nB\n")
    tools = Toolset(open_profile(project, "mycodeagent"))
    assert set(answer(tools, name="a")["data"]) == {"name", "base_dir", "content"}
