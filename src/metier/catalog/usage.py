"""How often each skill was used, and when last: so that a short listing keeps what its reader needs.

Counted per file, on this machine only, in the user's own state folder. `METIER_USAGE=off` counts nothing. Whatever
goes wrong with the file costs the count and nothing else.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from typing import TYPE_CHECKING, NamedTuple

from metier.catalog.roots import home_of
from metier.value import FALSE_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.disclosure.conversation import ActivationEvent
    from metier.skill import Skill


class Use(NamedTuple):
    """How a skill was used so far."""

    times: int = 0
    last: float = 0.0
    """Seconds since the epoch; 0 for never."""


def usage_path(environ: Mapping[str, str]) -> str | None:
    """Where uses are counted; `None` when the user has switched that off."""
    if environ.get("METIER_USAGE", "").strip().lower() in FALSE_WORDS:
        return None
    base = environ.get("METIER_STATE_DIR") or environ.get("XDG_STATE_HOME") or ""
    if not os.path.isabs(base):
        base = os.path.join(home_of(environ), ".local", "state")
    return os.path.join(base, "metier", "usage.sqlite3")


class Usage:
    """The counts of one user."""

    def __init__(self, path: str | None) -> None:
        self._path = path

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Usage:
        """The counts of whoever this environment belongs to."""
        return cls(usage_path(environ))

    def record(self, event: ActivationEvent) -> None:
        """Count one use."""
        if self._path is None or not event.path:
            return
        with contextlib.suppress(sqlite3.Error, OSError):
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            with contextlib.closing(sqlite3.connect(self._path, timeout=1.0)) as connection, connection:
                connection.execute("CREATE TABLE IF NOT EXISTS uses (path BLOB PRIMARY KEY, count INTEGER, last REAL)")
                connection.execute(
                    "INSERT INTO uses VALUES (?, 1, ?)"
                    " ON CONFLICT (path) DO UPDATE SET count = count + 1, last = excluded.last",
                    (os.fsencode(event.path), time.time()),
                )

    def read(self) -> dict[str, Use]:
        """Every count, by the path of the skill's file."""
        if self._path is None or not os.path.exists(self._path):
            return {}
        with contextlib.suppress(sqlite3.Error, OSError):
            with contextlib.closing(sqlite3.connect(self._path, timeout=1.0)) as connection:
                rows = connection.execute("SELECT path, count, last FROM uses").fetchall()
            return {os.fsdecode(path): Use(count, last) for path, count, last in rows}
        return {}

    def recent(self, skills: Sequence[Skill]) -> tuple[str, ...]:
        """The names of those that were ever used, the latest first."""
        uses = self.read()
        used = [(uses[skill.path].last, skill.name) for skill in skills if skill.path in uses]
        return tuple(name for _, name in sorted(used, key=lambda one: (-one[0], one[1])))
