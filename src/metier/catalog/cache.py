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
from typing import TYPE_CHECKING, Any, cast
from zlib import crc32

from metier.catalog.discovery import INSTRUCTIONS, Scan
from metier.catalog.roots import home_of
from metier.catalog.sighting import Group, Seen
from metier.diagnostic import Diagnostic, Severity
from metier.version import __version__

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from metier.policy import Policy
    from metier.skill import Root

FORMAT = 1
"""Raised whenever rows written by the same version of metier could mislead it, such as after a change to the parser."""

BUCKETS = 256
"""Rows per root. One row for each folder would load at half the speed; one row for all of them would have to be
written anew for every edit."""

_Row = tuple[Any, ...]
_TAIL = os.sep + INSTRUCTIONS


def cache_path(environ: Mapping[str, str]) -> str | None:
    """Where the cache lies; `None` when the user has switched it off with `METIER_CACHE=off`."""
    if environ.get("METIER_CACHE", "").lower() in ("off", "0", "false", "no"):
        return None
    base = environ.get("METIER_CACHE_DIR") or environ.get("XDG_CACHE_HOME") or ""
    if not os.path.isabs(base):
        home = home_of(environ)
        if sys.platform == "darwin":
            base = os.path.join(home, "Library", "Caches")
        else:
            base = environ.get("LOCALAPPDATA") or os.path.join(home, ".cache")
    return os.path.join(
        base,
        "metier",
        f"catalog-{__version__}-{FORMAT}-{sys.implementation.cache_tag}-{sys.getfilesystemencoding()}.sqlite3",
    )


class Cache:
    """The folders of all roots, by root and path."""

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
            with contextlib.closing(self._connect()) as connection:
                rows = connection.execute("SELECT row, sum FROM folders WHERE root = ?", (_key(root, policy),))
                # A row that was damaged on disk must not reach marshal, which trusts its input.
                buckets = [marshal.loads(row) for row, total in rows if crc32(row) == total]  # noqa: S302 - see above
            for plain, others, manifests, groups in buckets:
                for path, fields, signature in plain:
                    known.instructions[path] = Seen(path + _TAIL, fields, (), "", signature, 0, signature[0])
                known.instructions.update((row[0], _seen(row)) for row in others)
                known.spelled_otherwise.update(row[0] for row in others if row[1] != INSTRUCTIONS)
                known.manifests.update((row[0], _seen(row)) for row in manifests)
                known.groups.update((path, _group(row)) for path, row in groups)
        except (sqlite3.Error, ValueError, EOFError, TypeError, OSError) as error:
            self._discard(error)
            return Scan()
        return known

    def save(self, root: Root, policy: Policy, found: Scan) -> None:
        """Remember what a look at a root found, where that differs from what was known."""
        import sqlite3

        if not found.rewritten:
            return
        key = _key(root, policy)
        buckets: dict[int, tuple[list[_Row], ...]] = {_bucket(path): ([], [], [], []) for path in found.rewritten}
        for path, seen in found.instructions.items():
            if bucket := buckets.get(_bucket(path)):
                plain = _plain_row(path, seen)
                bucket[0 if plain else 1].append(plain or _seen_row(path, seen))
        for path, seen in found.manifests.items():
            if bucket := buckets.get(_bucket(path)):
                bucket[2].append(_seen_row(path, seen))
        for path, group in found.groups.items():
            if bucket := buckets.get(_bucket(path)):
                bucket[3].append((path, _group_row(group)))
        packed = ((number, marshal.dumps(bucket)) for number, bucket in buckets.items())
        rows = [(key, number, row, crc32(row)) for number, row in packed]
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            with contextlib.closing(self._connect()) as connection, connection:
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS folders"
                    " (root BLOB, bucket INTEGER, row BLOB, sum INTEGER, PRIMARY KEY (root, bucket)) WITHOUT ROWID"
                )
                connection.executemany("INSERT OR REPLACE INTO folders VALUES (?, ?, ?, ?)", rows)
        except (sqlite3.Error, OSError) as error:
            self._discard(error)

    def _connect(self) -> sqlite3.Connection:
        import sqlite3

        # Waiting for a writer would cost more than reading the skills again.
        connection = sqlite3.connect(self._path, timeout=0.2)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    def _discard(self, error: Exception) -> None:
        """Note the failure; a damaged file is removed so that the next process can start over."""
        import sqlite3

        self.failure = str(error)
        # An operational error, such as a lock that is held, says nothing about the file.
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            for ending in ("", "-wal", "-shm"):
                with contextlib.suppress(OSError):
                    os.unlink(self._path + ending)


def _key(root: Root, policy: Policy) -> bytes:
    """Whatever changes what a root's folders hold is part of the key."""
    rules = (policy.files, policy.tools, policy.descend_into_skills, root.single, root.itself, root.trusted)
    # Bytes, because a path need not be text.
    return f"{root.path}\0{root.boundary}\0{rules}".encode("utf-8", "surrogateescape")


def _bucket(path: str) -> int:
    return crc32(path.encode("utf-8", "surrogateescape")) % BUCKETS


def _plain_row(path: str, seen: Seen) -> _Row | None:
    """The short form of a skill about which there is nothing to say, as almost all are."""
    if seen.signature is None or seen.diagnostics or seen.lead or not seen.fields or seen.path != path + _TAIL:
        return None
    return (path, seen.fields, seen.signature)


def _seen_row(path: str, seen: Seen) -> _Row:
    packed = tuple(map(_packed, seen.diagnostics))
    return (path, os.path.basename(seen.path), seen.fields, packed, seen.lead, seen.signature, seen.mtime_ns)


def _group_row(group: Group) -> _Row:
    return (group.signature, group.folders, tuple(group.links), group.entries, tuple(map(_packed, group.problems)))


def _packed(one: Diagnostic) -> _Row:
    return (one.code, one.severity.value, one.message, one.path, one.line, one.column, one.hint)


def _seen(row: _Row) -> Seen:
    folder, name, fields, diagnostics, lead, signature, mtime_ns = row
    unpacked = tuple(map(_unpacked, diagnostics))
    return Seen(folder + os.sep + name, fields, unpacked, lead, signature, 0, mtime_ns)


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
