"""What holds for whoever builds an agent around the tools."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from metier import OfferedTool, Toolset
from metier.result import failed
from metier.result.answer import Code
from tests.conftest import open_profile, write_skill


@pytest.mark.proves("S0-46", "S1-16")
@pytest.mark.parametrize(("profile", "root"), [("mycodeagent", "skills"), ("smallebot", ".agents/skills")])
def test_building_an_agent_looks_for_skills_once(project: Path, profile: str, root: str) -> None:
    write_skill(project / root, "a")
    script = (
        "import sys, time\nfrom metier import Catalog, Policy, Toolset\n"
        "time.sleep(2.2)  # until the folder is old enough for its times to prove something\n"
        "listed = []\n"
        "sys.addaudithook(lambda event, args: event == 'os.scandir' and listed.append(str(args[0])))\n"
        f"tools = Toolset(Catalog.open({str(project)!r}, policy=Policy.profile({profile!r}), cache=False))\n"
        "print(len(tools.tools), bool(tools.system_prompt()))\n"
        f"print(listed.count({str(project / root)!r}))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stdout.splitlines() == ["1 True", "1"]


@pytest.mark.proves("S0-39")
def test_the_tool_can_be_registered_with_others_before_the_context_is_built(project: Path) -> None:
    write_skill(project / "skills", "code-review", "Reviews code.")
    tools = Toolset(open_profile(project, "mycodeagent"))
    own = OfferedTool(
        name="LS",
        description="Lists a folder.",
        parameters={"type": "object"},
        call=lambda arguments: failed("LS", Code.INTERNAL_ERROR, "internal", reason=str(arguments)),
    )
    registry = {tool.name: tool for tool in (own, *tools.tools)}
    context = f"{tools.system_prompt()}\n\n# Tools\n" + "\n".join(
        f"## {tool.name}\n{tool.description}" for tool in registry.values()
    )
    assert list(registry) == ["LS", "Skill"]
    assert context.index("## LS") < context.index("## Skill\n") < context.index("- code-review: Reviews code.")
    assert registry["Skill"].call({"name": "code-review"}).ok


@pytest.mark.proves("S1-39")
def test_metadata_come_first_then_the_block_then_the_tool(project: Path) -> None:
    write_skill(project / ".agents/skills", "notes", "Takes notes.")
    catalog = open_profile(project, "smallebot")
    metadata = [(skill.name, skill.title, skill.description) for skill in catalog.skills]
    tools = Toolset(catalog)
    prompt = "You are a bot.\n\n" + tools.system_prompt()
    registered = [tool.name for tool in tools.tools]
    assert metadata == [("notes", "notes", "Takes notes.")]
    assert prompt.endswith("- notes: notes — Takes notes.")
    assert registered == ["ReadFile"]
