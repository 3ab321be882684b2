"""The files of one skill, by name and size. None of them is opened."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

MAX_FILES = 10_000
SKIPPED = frozenset({".git", "node_modules", "__pycache__"})


class Resource(NamedTuple):
    """One file of a skill."""

    path: str
    """Relative to the skill's folder, with `/` between the parts."""
    size: int


class FileList(NamedTuple):
    """The files of a skill, sorted by path; cut where there are too many."""

    files: tuple[Resource, ...]
    truncated: bool


def list_files(folder: str, limit: int = MAX_FILES) -> FileList:
    """Every regular file below a folder. Links are listed if they stay inside and are never walked into."""
    found: list[Resource] = []
    real = os.path.realpath(folder)
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in sorted(names):
            path = os.path.join(here, name)
            try:
                status = os.stat(path)
            except OSError:
                continue
            inside = not os.path.islink(path) or os.path.realpath(path).startswith(real + os.sep)
            if not stat.S_ISREG(status.st_mode) or not inside:
                continue
            if len(found) >= limit:
                return FileList(tuple(sorted(found)), truncated=True)
            found.append(Resource(os.path.relpath(path, folder).replace(os.sep, "/"), status.st_size))
    return FileList(tuple(sorted(found)), truncated=False)
