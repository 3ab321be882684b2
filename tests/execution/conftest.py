"""Somebody else to run as."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).parent.parent.parent
NOBODY = 65_534

AsOrdinaryUser = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def as_ordinary_user(project: Path) -> Iterator[AsOrdinaryUser]:
    """Runs a script of the tests with metier as a user who is not root and owns nothing but the project."""
    copy = Path(tempfile.mkdtemp(prefix="metier-test-"))
    shutil.copytree(REPOSITORY / "src", copy / "src")
    shutil.copytree(REPOSITORY / "tests" / "execution" / "attacks", copy / "attacks")
    shutil.copytree(Path(yaml.__file__).parent, copy / "src" / "yaml")
    for path in (copy, *copy.rglob("*")):
        path.chmod(path.stat().st_mode | stat.S_IROTH | (stat.S_IXOTH if path.is_dir() else 0))
    for folder in (project, *project.parents):
        if folder.stat().st_uid == os.geteuid() == 0 and folder != Path(tempfile.gettempdir()) and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    drop: list[str] = []
    if os.geteuid() == 0:
        for folder in (project.parent, *project.parent.rglob("*")):
            os.chown(folder, NOBODY, NOBODY, follow_symlinks=False)
        drop = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
    python = "/usr/bin/python3" if os.geteuid() == 0 else sys.executable

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*drop, python, *(word.replace("ATTACKS", str(copy / "attacks")) for word in arguments)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(copy / "src"), "HOME": str(project)},
            cwd="/",
        )

    yield run
    shutil.rmtree(copy)
