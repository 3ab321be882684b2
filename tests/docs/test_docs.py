"""Every example runs, every link leads somewhere, every generated page is up to date."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from metier.parsing.document import read_document
from metier.policy import PROFILES
from tests.conftest import write, write_skill

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
SCRIPTS = sorted((ROOT / "docs_src").glob("*.py"))


def run(script: Path, folder: Path, *arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, str(script), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
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


class Model(BaseHTTPRequestHandler):
    """A model that loads the skill `greet`, then says what its instructions were. Keeps what it was sent."""

    requests: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        """Answer one request."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.requests.append(body)
        data = json.dumps(self.chat(body) if self.path == "/chat/completions" else self.message(body)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    @staticmethod
    def chat(body: dict[str, Any]) -> dict[str, Any]:
        last = body["messages"][-1]
        if last["role"] == "tool":
            return {"choices": [{"message": {"role": "assistant", "content": f"I was told: {last['content']}"}}]}
        function = {"name": "Skill", "arguments": '{"name": "greet", "args": "Ada"}'}
        call = {"id": "call-1", "type": "function", "function": function}
        return {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [call]}}]}

    @staticmethod
    def message(body: dict[str, Any]) -> dict[str, Any]:
        last = body["messages"][-1]["content"]
        if isinstance(last, list):
            return {"content": [{"type": "text", "text": f"I was told: {last[0]['content']}"}]}
        call = {"type": "tool_use", "id": "call-1", "name": "Skill", "input": {"name": "greet", "args": "Ada"}}
        return {"content": [call]}

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that http.server uses
        """Say nothing."""


@pytest.fixture
def endpoint() -> Generator[str]:
    """The address of a server that answers as those of the providers do."""
    Model.requests.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.proves("S3-47", "S1-07")
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_an_agent_in_plain_python_loads_a_skill(
    project: Path, endpoint: str, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    write_skill(project / "skills", "greet", "Greets people.", "Say hello to $ARGUMENTS.")
    monkeypatch.setenv(f"{provider.upper()}_BASE_URL", endpoint)
    lines = run(ROOT / f"docs_src/{provider}_agent.py", project, "Greet Ada")
    assert lines[:2] == ['I was told: <skill_content name="greet">', "Say hello to Ada."]
    first, second = Model.requests
    # The instructions came as the tool's answer; what stands before the messages is the same to the byte.
    assert first["tools"] == second["tools"]
    assert [tool["name"] if provider == "anthropic" else tool["function"]["name"] for tool in first["tools"]] == [
        "Skill",
        "skill_read",
        "skill_files",
    ]
    # Skills that a provider keeps on its own servers are another thing, and nothing asks for them.
    assert {"container", "betas", "mcp_servers"} & set(first) == set()
    head = "system" if provider == "anthropic" else "messages"
    assert json.dumps(first[head][0]) == json.dumps(second[head][0])
    assert "- greet: Greets people." in json.dumps(first[head][0])
    assert "Say hello" not in json.dumps(first)
    assert "Say hello to Ada" in json.dumps(second["messages"][-1])


def test_a_user_s_own_words_load_a_skill_before_the_model_is_asked(
    project: Path, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill(project / "skills", "greet", "Greets people.", "Say hello to $ARGUMENTS.")
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint)
    run(ROOT / "docs_src/openai_agent.py", project, "/greet Bob")
    assert "Say hello to Bob." in Model.requests[0]["messages"][-1]["content"]


def test_the_ten_lines_of_the_readme_work_as_written(project: Path) -> None:
    write_skill(project / "skills", "code-review", "Reviews code.", "Look at $ARGUMENTS.")
    code = (ROOT / "README.md").read_text(encoding="utf-8").split("```python\n", 1)[1].split("```", 1)[0]
    lines = run(write(project / "example.py", code), project)
    assert "- code-review: Reviews code." in lines
    assert "Skill ['name']" in lines
    assert "Look at src/app.py." in lines
    assert lines[-1] == ""


def test_the_figures_on_disclosure_are_those_that_the_script_prints() -> None:
    page = (ROOT / "docs/progressive-disclosure.md").read_text(encoding="utf-8")
    lines = run(ROOT / "benchmarks/disclosure.py", ROOT, "--tokens-only")
    table = [line for line in lines if line.startswith("| ")]
    assert len(table) == 6
    assert "\n".join(lines[3:]).strip() in page


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
