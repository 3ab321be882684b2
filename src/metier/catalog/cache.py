"""What was read last time, so that the next process starts warm.

The cache is never believed: every folder and file in it is compared with the disk by signature before it is used,
so it can be deleted, copied, or written by several processes at once without ever being wrong. Whatever goes wrong
with it (no room, no rights, a damaged file) only makes the next start slower.

Rows are stored with `marshal`, the format of Python's own `.pyc` files, because it loads ten times as fast as
JSON; the file lies in the user's own cache folder, under the same protection as those.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import sys
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any, cast
from zlib import crc32

from metier.catalog.discovery import Scan
from metier.catalog.roots import home_of
from metier.catalog.sighting import INSTRUCTIONS, Group, Seen, Sight, header_of, state_of
from metier.diagnostic import Diagnostic, Severity
from metier.parsing.document import Header
from metier.skill import Skill, Visibility
from metier.version import __version__

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from metier.policy import Policy
    from metier.skill import Root

FORMAT = 2
"""Raised whenever rows written by the same version of metier could mislead it, such as after a change to the parser."""

PATIENCE_S = 0.2
"""Waiting longer for a writer would cost more than reading the skills again."""

_Row = tuple[Any, ...]
_TAIL = os.sep + INSTRUCTIONS


def cache_path(environ: Mapping[str, str]) -> str | None:
    """Where the cache lies; `None` when the user has switched it off with `METIER_CACHE=off`."""
    if environ.get("METIER_CACHE", "").lower() in ("off", "0", "false", "no"):
        return None
    name = f"catalog-{__version__}-{FORMAT}-{sys.implementation.cache_tag}-{sys.getfilesystemencoding()}.sqlite3"
    return os.path.join(_folder(environ), name)


def tools_path(environ: Mapping[str, str]) -> str:
    """Where what was built for tools is kept."""
    return os.path.join(_folder(environ), "tools")


def _folder(environ: Mapping[str, str]) -> str:
    base = environ.get("METIER_CACHE_DIR") or environ.get("XDG_CACHE_HOME") or ""
    if not os.path.isabs(base):
        home = home_of(environ)
        if sys.platform == "darwin":
            base = os.path.join(home, "Library", "Caches")
        else:
            base = environ.get("LOCALAPPDATA") or os.path.join(home, ".cache")
    return os.path.join(base, "metier")


class Cache:
    """The folders of all roots: one row for those of a root that start with the same letter.

    A row for each folder would load at half the speed; one for all of them would have to be written anew for every
    edit. By letter, they come back in order.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self.failure: str | None = None
        """Why the cache is not in use, for `metier doctor`."""

    def load(self, root: Root, policy: Policy) -> Scan:
        """What is known of a root; empty when nothing is."""
        import sqlite3

        known = Scan()
        if not os.path.exists(self._path):
            return known
        try:
            with contextlib.closing(sqlite3.connect(self._path, timeout=PATIENCE_S)) as connection:
                rows = connection.execute(
                    "SELECT row, sum FROM folders WHERE root = ? ORDER BY bucket", (_key(root, policy),)
                )
                # A row that was damaged on disk must not reach marshal, which trusts its input.
                buckets = [marshal.loads(row) for row, total in rows if crc32(row) == total]  # noqa: S302 - see above
            for plain, others, manifests, groups in buckets:
                if plain:
                    known.instructions.update(_plain(root, plain))
                known.instructions.update((row[0], _seen(row)) for row in others)
                known.spelled_otherwise.update(row[0] for row in others if row[1] != INSTRUCTIONS)
                known.manifests.update((row[0], _seen(row)) for row in manifests)
                known.groups.update((path, _group(row)) for path, row in groups)
        except (sqlite3.Error, ValueError, EOFError, TypeError, OSError) as error:
            self._discard(error)
            return Scan()
        return known

    def save(self, root: Root, policy: Policy, found: Scan) -> bool:
        """Remember what a look at a root found, where that differs from what was known. False when it cannot."""
        if not found.rewritten:
            return True
        import sqlite3

        key, initial = _key(root, policy), slice(len(root.path) + 1, len(root.path) + 2)
        buckets: dict[str, tuple[list[_Row], ...]] = {path[initial]: ([], [], [], []) for path in found.rewritten}
        for path in sorted(found.instructions):
            if bucket := buckets.get(path[initial]):
                seen = found.instructions[path]
                if isinstance(seen, Skill):
                    bucket[0].append((path, seen.name, seen.description, seen.fields, seen.signature))
                else:
                    bucket[1].append(_seen_row(path, seen))
        for path, seen in found.manifests.items():
            if bucket := buckets.get(path[initial]):
                bucket[2].append(_seen_row(path, seen))
        for path, group in found.groups.items():
            if bucket := buckets.get(path[initial]):
                bucket[3].append((path, _group_row(group)))
        packed = ((_as_bytes(name), marshal.dumps(_packed_bucket(*bucket))) for name, bucket in buckets.items())
        rows = [(key, name, row, crc32(row)) for name, row in packed]
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            with contextlib.closing(self._connect_to_write()) as connection, connection:
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS folders"
                    " (root BLOB, bucket BLOB, row BLOB, sum INTEGER, PRIMARY KEY (root, bucket)) WITHOUT ROWID"
                )
                connection.executemany("INSERT OR REPLACE INTO folders VALUES (?, ?, ?, ?)", rows)
        except (sqlite3.Error, OSError) as error:
            self._discard(error)
            return False
        return True

    def _connect_to_write(self) -> sqlite3.Connection:
        import sqlite3

        connection = sqlite3.connect(self._path, timeout=PATIENCE_S)
        connection.execute("PRAGMA page_size = 65536")  # for long rows; heeded when the file is made
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    def _discard(self, error: Exception) -> None:
        """Note the failure; a damaged file is removed so that the next process can start over."""
        self.failure = str(error)
        # An operational error, such as a lock that is held, says nothing about the file.
        import sqlite3

        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            for ending in ("", "-wal", "-shm"):
                with contextlib.suppress(OSError):
                    os.unlink(self._path + ending)


def _key(root: Root, policy: Policy) -> bytes:
    """Whatever changes what a root's folders hold is part of the key."""
    rules = (policy.files, policy.tools, policy.descend_into_skills, root.single, root.itself, root.trusted)
    return _as_bytes(f"{root.path}\0{root.boundary}\0{rules}")


def _as_bytes(path: str) -> bytes:
    """A path need not be text, so it is stored as bytes."""
    return path.encode("utf-8", "surrogateescape")


def _packed_bucket(plain: list[_Row], *others: list[_Row]) -> _Row:
    """The plain rows by column, so that `_plain` need not look at each of them."""
    return (tuple(zip(*plain, strict=True)), *others)


_make_skill: Callable[[tuple[Any, ...]], Skill] = partial(tuple.__new__, Skill)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def _plain(root: Root, columns: Sequence[Sequence[Any]]) -> Iterator[tuple[str, Skill]]:
    """Plain rows as they were. Made in loops that Python runs in C, for this is half of what a warm start does."""
    folders, names, descriptions, fields, signatures = columns
    paths = [folder + _TAIL for folder in folders]
    tools, shown, text = repeat(()), repeat(Visibility.ON), repeat(None)
    rows = zip(names, descriptions, repeat(root), paths, fields, tools, shown, signatures, text, strict=False)
    return zip(folders, map(_make_skill, rows), strict=True)


def _seen_row(path: str, seen: Sight) -> _Row:
    fields, diagnostics, lead = header_of(seen)
    name, packed = os.path.basename(seen.path), tuple(map(_packed, diagnostics))
    return (path, name, fields, packed, lead, seen.signature, state_of(seen))


def _group_row(group: Group) -> _Row:
    return (group.signature, group.folders, tuple(group.links), group.entries, tuple(map(_packed, group.problems)))


def _packed(one: Diagnostic) -> _Row:
    return (one.code, one.severity.value, one.message, one.path, one.line, one.column, one.hint)


def _seen(row: _Row) -> Seen:
    folder, name, fields, diagnostics, lead, signature, state = row
    header = Header(fields, tuple(map(_unpacked, diagnostics)), lead)
    return Seen(folder + os.sep + name, signature, header, 0, state)


def _group(row: _Row) -> Group:
    signature, folders, links, entries, problems = row
    return Group(signature, folders, frozenset(links), entries, tuple(map(_unpacked, problems)))


def _unpacked(row: Any) -> Diagnostic:
    code, severity, message, path, line, column, hint = cast("_Row", row)
    return Diagnostic(
        code=code,
        severity=Severity(severity),
        message=message,
        path=path,
        line=line,
        column=column,
        hint=hint,
    )
