"""Every test has a home, a cache and an environment of its own; nothing of the real user is read or written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from metier import Catalog, Policy


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder that is empty and is not the project's parent."""
    folder = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("METIER_", "SKILL_", "SKILLS_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the test stands in."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def write(path: Path, text: str | bytes) -> Path:
    """Write a file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def head(name: str, description: str = "Does a thing. Use when asked.", body: str = "Do it.\n") -> str:
    """The text of a plain SKILL.md."""
    return f"---\nname: {name}\ndescription: {description}\n---\n\n{body}"


def write_skill(
    root: Path, name: str, description: str = "Does a thing. Use when asked.", body: str = "Do it.\n"
) -> Path:
    """A plain skill in its own folder below a root."""
    return write(root / name / "SKILL.md", head(name, description, body))


def open_profile(project: Path, profile: str = "default", **changes: object) -> Catalog:
    """A catalog of the project by a profile, without the cache."""
    return Catalog.open(project, policy=Policy.profile(profile).but(**changes), cache=False)


def names(catalog: Catalog) -> list[str]:
    """The names of the skills in a catalog, without those that come with metier."""
    return [skill.name for skill in catalog.skills if not skill.path.startswith(BUNDLED)]


def codes(catalog: Catalog) -> list[str]:
    """The codes of all diagnostics."""
    return [one.code for one in catalog.diagnostics]


BUNDLED = os.path.join(os.path.dirname(os.path.abspath(__import__("metier").__file__ or "")), "bundled")
