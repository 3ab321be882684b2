"""Promises about the code itself: what is imported, what is public, how large things are."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import metier
from metier import errors
from metier.cli.exits import EXITS
from metier.cli.main import COMMANDS
from metier.diagnostic import TABLE
from tests.conftest import write_skill

ROOT = Path(__file__).parent.parent.parent
SOURCES = sorted((ROOT / "src/metier").rglob("*.py"))
HEAVY = ("yaml", "click", "rich", "sqlite3", "tomllib", "watchfiles", "asyncio", "http", "socket", "subprocess", "json")


def loaded_by(code: str) -> set[str]:
    script = f"{code}\nimport sys; print(' '.join(sys.modules))"
    # Without the measuring of coverage, which loads much by itself.
    environ = {key: value for key, value in os.environ.items() if not key.startswith("COVERAGE")}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, encoding="utf-8", check=True, env=environ
    )
    return set(done.stdout.split())


@pytest.mark.proves("S0-64", "S0-15")
@pytest.mark.parametrize("code", ["import metier", "from metier import Catalog, Policy, Skill"])
def test_importing_the_library_loads_nothing_heavy(code: str) -> None:
    assert loaded_by(code) & set(HEAVY) == set()


def test_a_command_imports_only_what_it_needs(project: Path) -> None:
    needless = {"yaml", "rich", "tomllib", "watchfiles", "asyncio", "metier.authoring.check"}
    write_skill(project / "plain", "a")
    # The manifests that come with metier are YAML and are read once; plain skills never need it.
    for arguments, is_first in ((["--root", str(project / "plain"), "list"], True), (["list"], False)):
        code = (
            f"import contextlib, sys, io\nsys.argv = ['metier', *{arguments!r}]\nfrom metier.cli.main import main\n"
            "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()): main()"
        )
        loaded = loaded_by(code)
        assert needless & (loaded if is_first else loaded_by(code)) == set()


def test_every_public_name_can_be_imported_and_is_documented() -> None:
    page = (ROOT / "docs/python-api.md").read_text(encoding="utf-8")
    for name in metier.__all__:
        assert getattr(metier, name) is not None
        assert name == "__version__" or f"`{name}`" in page, name
    with pytest.raises(AttributeError):
        getattr(metier, "nonsense".lower())
    assert set(metier.__all__) == set(dir(metier))


def test_every_command_and_every_code_is_documented() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in COMMANDS:
        assert f"metier {command}" in readme
    page = (ROOT / "docs/diagnostics.md").read_text(encoding="utf-8")
    for code in TABLE:
        assert f"### `{code}`" in page


def test_every_code_is_used() -> None:
    everything = "".join(path.read_text(encoding="utf-8") for path in SOURCES if path.name != "diagnostic.py")
    assert [code for code in TABLE if f'"{code}"' not in everything] == []


def test_every_error_has_an_exit_status_and_can_be_pickled() -> None:
    import pickle

    tree = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, errors.MetierError)]
    for kind in tree:
        assert any(issubclass(kind, covered) for covered, _ in EXITS)
    samples = [
        errors.UnknownSkill("a", ["b"]),
        errors.AmbiguousSkill("a", ["b:a"]),
        errors.UnknownProfile("a", ["b"]),
        errors.InvalidSkill("name", "a", "is bad"),
        errors.ConfigError("f", "bad", "mend it"),
        errors.PathEscape("a", "b"),
        errors.FileFailed("a", "gone"),
        errors.ToolFailed("bad", "a", "mend it"),
    ]
    for error in samples:
        again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
        assert (type(again), str(again), again.hint) == (type(error), str(error), error.hint)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 60, node.name


def test_only_the_catalog_lists_directories_and_only_parsing_knows_yaml() -> None:
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        inside = path.relative_to(ROOT / "src/metier").as_posix()
        if inside != "parsing/yaml_events.py":
            assert "import yaml" not in text, inside
        if not inside.startswith(
            ("catalog/", "authoring/check.py", "toolset/output.py", "execution/process.py", "execution/runtimes.py")
        ):
            assert "listdir(" not in text, inside
            assert "scandir(" not in text, inside
