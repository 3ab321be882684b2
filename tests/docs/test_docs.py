"""Every example runs, every link leads somewhere, every generated page is up to date."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from metier.parsing.document import read_document
from metier.policy import PROFILES
from tests.conftest import write, write_skill

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
SCRIPTS = sorted((ROOT / "docs_src").glob("*.py"))


def run(script: Path, folder: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, str(script)], cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_getting_started_lists_skills_and_problems(project: Path) -> None:
    write_skill(project / "skills", "a", "First.")
    write(project / "skills/bad/SKILL.md", "nothing")
    lines = run(ROOT / "docs_src/getting_started.py", project)
    assert lines[0] == "a - First."
    assert "frontmatter-missing" in lines[-1]


def test_the_other_examples_say_what_their_pages_claim(project: Path) -> None:
    assert run(ROOT / "docs_src/in_memory.py", project) == ["['greet']", "None", "Say hello."]
    assert run(ROOT / "docs_src/follow_the_disk.py", project) == ["['Takes better notes.']"]
    assert run(ROOT / "docs_src/profiles.py", project) == [
        "default ['Big-Report'] ['name-not-lowercase']",
        "strict [] ['name-not-lowercase']",
        "mycodeagent [] ['name-not-lowercase']",
    ]


def test_every_example_stands_on_a_page_word_for_word() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    for script in SCRIPTS:
        code = script.read_text(encoding="utf-8").split('"""\n', 1)[1].strip()
        assert code in pages, script.name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / target).exists(), target


@pytest.mark.proves("S2-37")
def test_the_page_on_discovery_names_every_root_and_its_example_is_a_skill() -> None:
    page = (ROOT / "docs/discovery.md").read_text(encoding="utf-8")
    for root in PROFILES["default"].roots:
        if root.base in ("project", "home") and root.path:
            assert f"`{'~/' if root.base == 'home' else ''}{root.path}`" in page
    ranks = [page.index(f"| {number} |") for number in range(1, 10)]
    assert ranks == sorted(ranks)
    example = (
        (ROOT / "docs/skill-format.md").read_text(encoding="utf-8").split("```markdown\n", 1)[1].split("\n```", 1)[0]
    )
    document = read_document(example.encode(), "SKILL.md")
    assert document.diagnostics == ()
    assert document.fields is not None
    assert {"name", "description", "license", "compatibility", "metadata", "allowed-tools"} == set(document.fields)


def test_generated_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs/generate.py"), "--check"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout
