"""The files of one skill, by name and size. None of them is opened."""

from __future__ import annotations

import functools
import os
import stat
import time
from typing import NamedTuple

from metier.catalog.sighting import SETTLED_NS
from metier.paths import is_inside

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
    stack = [""]
    searched = 0
    while stack:
        here = stack.pop()
        searched += 1
        for entry in _entries(os.path.join(folder, here)):
            path = f"{here}/{entry.name}" if here else entry.name
            if len(found) >= limit or searched > limit:
                return FileList(tuple(sorted(found)), truncated=True)
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in SKIPPED:
                    stack.append(path)
            elif (size := _size(folder, entry)) is not None:
                found.append(Resource(path, size))
    return FileList(tuple(sorted(found)), truncated=False)


def everything_in(folder: str, limit: int = MAX_FILES) -> list[str] | None:
    """Every path below a folder that is not a folder itself, sorted; `None` where there are more than the limit.

    Other than `list_files` this leaves out nothing but version control: also what only a program would look at.
    """
    found: list[str] = []
    stack = [""]
    while stack:
        here = stack.pop()
        for entry in _entries(os.path.join(folder, here)):
            path = f"{here}/{entry.name}" if here else entry.name
            if not entry.is_dir(follow_symlinks=False):
                found.append(path)
            elif entry.name != ".git":
                stack.append(path)
        if len(found) + len(stack) > limit:
            return None
    return sorted(found)


def newest_change(folder: str, limit: int = MAX_FILES) -> float:
    """When a file of a skill was last changed, in seconds of the clock; 0 for a folder that is gone."""
    newest = 0.0
    for path in ("", *(file.path for file in list_files(folder, limit).files)):
        try:
            status = os.stat(os.path.join(folder, path))
        except OSError:
            continue
        newest = max(newest, status.st_mtime, status.st_ctime)
    return newest


def name_files(folder: str, limit: int) -> tuple[list[str], bool]:
    """The paths of a skill's files without a look at any of them, and whether there are more than the limit."""
    found: list[str] = []
    stack = [""]
    searched = 0
    while stack:
        here = stack.pop()
        searched += 1
        names, folders = _names_in(os.path.join(folder, here) if here else folder)
        found += [f"{here}/{name}" for name in names] if here else names
        if len(found) > limit or searched > MAX_FILES:
            return sorted(found)[:limit], True
        stack += [f"{here}/{name}" for name in folders] if here else folders
    found.sort()
    return found, False


def _names_in(folder: str) -> tuple[list[str], list[str]]:
    """The names of the files and of the subfolders in a folder."""
    try:
        status = os.stat(folder)
    except OSError:
        return [], []
    times = status.st_mtime_ns, status.st_ctime_ns
    try:
        if max(times) > time.time_ns() - SETTLED_NS:
            return _listed(folder, with_links=True)
        return _remembered(folder, status.st_ino, *times)
    except _HasLinksError:
        return _listed(folder, with_links=True)
    except OSError:
        return [], []


class _HasLinksError(Exception):
    """Not for users: it keeps `_remembered` from remembering what a link leads to."""


@functools.lru_cache(maxsize=4_096)
def _remembered(folder: str, *state: int) -> tuple[list[str], list[str]]:
    """What a folder holds does not change without its times."""
    del state
    return _listed(folder, with_links=False)


def _listed(folder: str, *, with_links: bool) -> tuple[list[str], list[str]]:
    names: list[str] = []
    folders: list[str] = []
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_symlink() and not with_links:
            raise _HasLinksError
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in SKIPPED:
                folders.append(entry.name)
        elif entry.is_file(follow_symlinks=False) or _size(folder, entry) is not None:
            names.append(entry.name)
    return names, folders


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        return sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return []


def _size(folder: str, entry: os.DirEntry[str]) -> int | None:
    """The size of a regular file; `None` for anything else, and for a link that leads out."""
    try:
        status = entry.stat()
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode) or (entry.is_symlink() and not is_inside(folder, entry.path)):
        return None
    return status.st_size
