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


def test_the_tool_can_be_registered_with_others_before_the_context_is_built(project: Path) -> None:
    write_skill(project / "skills", "code-review", "Reviews code.")
    tools = Toolset(open_profile(project, "mycodeagent"))
    own = OfferedTool(
        name="LS",
        description="Lists a folder.",
        parameters={"type": "object"},
        call=lambda arguments: failed("LS", Code.INTERNAL_ERROR, "tool-said", text=str(arguments)),
    )
    registry = {tool.name: tool for tool in (own, *tools.tools)}
    context = f"{tools.system_prompt()}\n\n# Tools\n" + "\n".join(
        f"## {tool.name}\n{tool.description}" for tool in registry.values()
    )
    assert list(registry) == ["LS", "Skill"]
    assert context.index("## LS") < context.index("## Skill\n") < context.index("- code-review: Reviews code.")
    assert registry["Skill"].call({"name": "code-review"}).ok


def test_a_host_gets_metadata_a_block_and_a_tool(project: Path) -> None:
    write_skill(project / ".agents/skills", "notes", "Takes notes.")
    catalog = open_profile(project, "smallebot")
    metadata = [(skill.name, skill.title, skill.description) for skill in catalog.skills]
    tools = Toolset(catalog)
    prompt = "You are a bot.\n\n" + tools.system_prompt()
    registered = [tool.name for tool in tools.tools]
    assert metadata == [("notes", "notes", "Takes notes.")]
    assert prompt.endswith("- notes: notes — Takes notes.")
    assert registered == ["ReadFile"]


@pytest.mark.proves("S0-43")
def test_starting_up_reads_no_bodies(project: Path) -> None:
    for number in range(50):
        write_skill(project / "skills", f"s{number}", body="A line of the body.\n" * 20_000)
    script = (
        "import re, time\nfrom metier import Catalog, Policy, Toolset\n"
        "time.sleep(2.2)  # files that were just written are compared by their bytes\n"
        "def read():\n    return int(re.search(r'rchar: (\\d+)', open('/proc/self/io', encoding='ascii').read())[1])\n"
        f"Toolset(Catalog.of([], policy=Policy.profile('mycodeagent')))\n"
        "before = read()\n"
        f"t = Toolset(Catalog.open({str(project)!r}, policy=Policy.profile('mycodeagent'), cache=False))\n"
        "print(len(t.tools[0].description) > 1_000, bool(t.system_prompt()), read() - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, encoding="utf-8", check=True)
    listed, prompted, read = done.stdout.split()
    assert (listed, prompted) == ("True", "True")
    assert int(read) < 50 * 3 * 4_096 + 500_000 < 50 * 400_000
