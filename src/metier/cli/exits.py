"""The one table from errors to exit statuses: 0 good, 1 problems found, 2 misuse."""

from __future__ import annotations

from metier.errors import FileFailed, MetierError, PathEscape, UsageError

PROBLEMS_FOUND = 1
MISUSE = 2

EXITS: tuple[tuple[type[MetierError], int], ...] = (
    (UsageError, MISUSE),
    (PathEscape, MISUSE),
    (FileFailed, PROBLEMS_FOUND),
    (MetierError, PROBLEMS_FOUND),
)


def exit_status(error: MetierError) -> int:
    """The status with which a command ends after this error."""
    return next(status for kind, status in EXITS if isinstance(error, kind))
