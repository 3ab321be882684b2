"""What a skill's folder holds, as hashes: of each file, and of all of them together.

The hash of the tree is SHA-256 over one line for each file, `path NUL hash LF`, sorted by path: the digest that the
discovery proposal for skills uses, so that it can be compared across machines.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from metier.catalog.resources import MAX_FILES, everything_in
from metier.errors import FileFailed
from metier.paths import is_inside

if TYPE_CHECKING:
    from collections.abc import Mapping

CHUNK = 1_048_576


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of a folder, by relative path, with their hashes."""

    files: Mapping[str, str]

    @property
    def digest(self) -> str:
        """The hash of all of them."""
        lines = (
            f"{path}\0{digest}\n".encode("utf-8", "surrogateescape") for path, digest in sorted(self.files.items())
        )
        return hashlib.sha256(b"".join(lines)).hexdigest()


class Changes(NamedTuple):
    """How one tree differs from another."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]

    def __bool__(self) -> bool:
        return any(self)


def tree_of(folder: str) -> Tree:
    """The hashes of a folder as it is now.

    Raises:
        FileFailed: when a file cannot be read, a link leads out of the folder, or there is more than can be a skill.
    """
    return Tree({path: _hash(folder, path) for path in _paths(folder)})


def _paths(folder: str) -> list[str]:
    found = everything_in(folder)
    if found is None:
        raise FileFailed(folder, f"it holds more than {MAX_FILES:,} files")
    return found


def _hash(folder: str, path: str) -> str:
    place = os.path.join(folder, path)
    if os.path.islink(place) and not is_inside(folder, place):
        raise FileFailed(place, "it is a link that leads out of the skill, so nobody can tell what it will hold")
    digest = hashlib.sha256()
    try:
        status = os.stat(place)
        if not stat.S_ISREG(status.st_mode):
            raise FileFailed(place, "it is not a regular file")
        with open(place, "rb", buffering=0) as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise FileFailed(place, error.strerror or str(error)) from error
    return digest.hexdigest()


def changes(old: Mapping[str, str], new: Mapping[str, str]) -> Changes:
    """What was added, changed and removed on the way from one tree to another."""
    return Changes(
        added=tuple(sorted(new.keys() - old.keys())),
        changed=tuple(sorted(path for path in new.keys() & old.keys() if new[path] != old[path])),
        removed=tuple(sorted(old.keys() - new.keys())),
    )


def stamp_of(folder: str) -> tuple[tuple[str, int, int, int, int], ...]:
    """What the system says of each file. As long as it is the same, so are the hashes; nothing is read for it."""
    found: list[tuple[str, int, int, int, int]] = []
    for path in everything_in(folder) or ():
        try:
            status = os.stat(os.path.join(folder, path))
        except OSError:
            continue
        found.append((path, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino))
    return tuple(found)
