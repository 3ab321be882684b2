"""The second design: a block in the system prompt, and ReadFile as the only way in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from metier import Toolset
from tests.conftest import open_profile, write, write_skill

SCRIPT = "open('trace', 'w').close()\n"


@pytest.fixture
def base(project: Path) -> Path:
    """A run directory with a system skill, two of the user's, and one that is none."""
    write(
        project / ".agents/sys.skills/weekly/SKILL.md",
        "---\nname: Weekly Report\ndescription: Writes it.\n---\nSYSTEM-BODY\n",
    )
    write(
        project / ".agents/skills/notes/SKILL.md",
        "---\nname: Notes\ndescription: Takes notes.\nlicense: MIT\n---\nUSER-BODY\n",
    )
    write(project / ".agents/skills/notes/script.py", SCRIPT)
    write_skill(project / ".agents/skills", "third", "The third.")
    write(project / ".agents/skills/bad/SKILL.md", "no header, still readable\n")
    write(project / "README.md", "# Readme\n")
    return project


@pytest.fixture
def tools(base: Path) -> Toolset:
    """The tools of that design."""
    return Toolset(open_profile(base, "smallebot"))


def read(tools: Toolset, path: str) -> str:
    return tools.render(tools.call("ReadFile", {"path": path}))


@pytest.mark.proves("S1-01", "S1-05", "S1-18")
def test_the_prompt_has_ids_names_and_descriptions_and_no_body(tools: Toolset) -> None:
    prompt = tools.system_prompt()
    assert "- weekly: Weekly Report — Writes it.\n" in prompt
    assert "- notes: Notes — Takes notes.\n" in prompt
    assert prompt.endswith("- third: third — The third.")
    assert "BODY" not in prompt


@pytest.mark.proves("S1-03")
def test_what_is_no_skill_is_in_no_list(tools: Toolset) -> None:
    assert "bad" not in [skill.name for skill in tools.catalog.skills]
    assert "- bad" not in tools.system_prompt()


@pytest.mark.proves("S1-15")
def test_other_keys_never_reach_the_prompt(tools: Toolset) -> None:
    assert "MIT" not in tools.system_prompt()
    assert "license" not in tools.system_prompt()


@pytest.mark.proves("S1-06", "S1-19")
def test_readfile_is_the_only_tool_and_takes_a_path(tools: Toolset) -> None:
    (tool,) = tools.tools
    assert tool.name == "ReadFile"
    assert tool.parameters["required"] == list(tool.parameters["properties"]) == ["path"]
    assert tool.parameters["properties"]["path"]["type"] == "string"
    for spelling in ("path", "relativePath"):
        assert tools.call("ReadFile", {spelling: "README.md"}).content == "# Readme\n"


@pytest.mark.proves("S1-17")
def test_the_block_opens_with_fixed_words(tools: Toolset, base: Path) -> None:
    prompt = tools.system_prompt()
    for word in ("ReadFile", "SKILL.md", "relative", *tools.policy.read_extensions, ".agents/sys.skills/<id>/"):
        assert word in prompt.partition("\n\n")[0]
    assert prompt == Toolset(open_profile(base, "smallebot")).system_prompt()


@pytest.mark.proves("S1-20")
def test_paths_start_at_the_run_directory_whatever_the_shell_s_is(
    tools: Toolset, base: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    write(base / "notes.md", "here")
    monkeypatch.chdir(home)
    assert read(tools, "notes.md") == "here"


@pytest.mark.proves("S1-21")
def test_nothing_outside_is_read(tools: Toolset, base: Path) -> None:
    write(base.parent / "x.md", "secret")
    write(base.parent / f"{base.name}-evil/x.md", "secret")
    (base / "link.md").symlink_to(base.parent / "x.md")
    (base / "dir").symlink_to(base.parent)
    for path in (
        "../x.md",
        "a/../../x.md",
        "/etc/passwd.md",
        str(base.parent / "x.md"),
        "link.md",
        "dir/x.md",
        f"../{base.name}-evil/x.md",
        "a\0.md",
    ):
        result = tools.call("ReadFile", {"path": path})
        assert result.code == "ACCESS_DENIED", path
        assert tools.render(result) == "Error: path must be under the current run directory."


@pytest.mark.proves("S1-22")
def test_only_certain_extensions_are_read(tools: Toolset, base: Path) -> None:
    for ending in (".md", ".cs", ".py", ".txt", ".json", ".yml", ".yaml", ".MD"):
        write(base / f"file{ending}", "text")
        assert read(tools, f"file{ending}") == "text"
    for name in ("a.exe", "a", ".env", "a.toml"):
        write(base / name, "text")
        assert tools.call("ReadFile", {"path": name}).code == "INVALID_PARAM"
    more = Toolset(open_profile(base, "smallebot", read_extensions=(*tools.policy.read_extensions, ".toml")))
    assert read(more, "a.toml") == "text"


@pytest.mark.proves("S1-23", "S1-27")
def test_a_file_is_returned_as_it_is(tools: Toolset, base: Path) -> None:
    path = base / ".agents/sys.skills/weekly/SKILL.md"
    assert read(tools, ".agents/sys.skills/weekly/SKILL.md") == path.read_text(encoding="utf-8")
    assert read(tools, ".agents/skills/notes/script.py") == SCRIPT
    write(base / "crlf.txt", "a\r\nb")
    assert tools.call("ReadFile", {"path": "crlf.txt"}).content == "a\r\nb"


@pytest.mark.proves("S1-24")
def test_failures_are_short_messages(tools: Toolset, base: Path) -> None:
    cases = {"nope.md": "NOT_FOUND", "../x.md": "ACCESS_DENIED", "a.exe": "INVALID_PARAM", "": "INVALID_PARAM"}
    for path, code in cases.items():
        result = tools.call("ReadFile", {"path": path})
        assert (result.status, result.code) == ("error", code)
        assert tools.render(result).startswith("Error: ")
    write(base / "folder.md/x", "")
    assert tools.call("ReadFile", {"path": "folder.md"}).code == "IS_DIRECTORY"
    write(base / "binary.txt", b"\0\1\2")
    assert tools.call("ReadFile", {"path": "binary.txt"}).code == "BINARY_FILE"
    os.mkfifo(base / "pipe.txt")
    assert tools.call("ReadFile", {"path": "pipe.txt"}).code == "EXECUTION_ERROR"


@pytest.mark.proves("S1-25")
def test_reading_a_script_does_not_run_it(tools: Toolset, base: Path) -> None:
    assert read(tools, ".agents/skills/notes/script.py") == SCRIPT
    assert not (base / "trace").exists()


@pytest.mark.proves("S1-26", "S1-40")
def test_the_scope_decides_whether_other_files_are_read(tools: Toolset, base: Path) -> None:
    assert read(tools, "README.md") == "# Readme\n"
    narrow = Toolset(open_profile(base, "smallebot", read_scope="skill_dirs"))
    assert narrow.call("ReadFile", {"path": "README.md"}).code == "ACCESS_DENIED"
    assert "USER-BODY" in read(narrow, ".agents/skills/notes/SKILL.md")


@pytest.mark.proves("S1-51")
def test_a_file_with_a_bad_header_can_still_be_read(tools: Toolset) -> None:
    assert read(tools, ".agents/skills/bad/SKILL.md") == "no header, still readable\n"
