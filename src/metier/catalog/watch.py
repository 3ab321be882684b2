"""Waiting for changes on disk.

A notifier tells *when* something happens; *what* happened is always found out by a refresh, which costs stats. So a
lost or merged event can never hide a change, and where the operating system has no watches left, or `watchfiles` is not
installed, the same refresh is simply done at intervals.
"""

from __future__ import annotations

import importlib.util
import os
import time
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from metier.catalog.library import Delta

    Notifier: TypeAlias = Callable[[Sequence[str], float], Iterator[bool]]
    """Folders and an interval in seconds to a stream: true after a change below them, false after each quiet interval.
    Raises `OSError` when it cannot watch."""

DEBOUNCE_MS = 250
"""Editors and `git checkout` write in bursts; one delta for a burst is what a reader wants."""

SAFETY_NET = 5
"""Quiet intervals after which the disk is looked at all the same: for what no watch covers, or was lost."""


def watch(
    refresh: Callable[[], Delta],
    places: Callable[[], Sequence[str]],
    interval_s: float,
    notifier: Notifier | None = None,
) -> Iterator[Delta]:
    """Yield what each change on disk did to the catalog, for as long as the caller asks."""
    if notifier is not None:
        yield from _by_events(refresh, places, interval_s, notifier)
    while True:
        time.sleep(interval_s)
        delta = refresh()
        if delta:
            yield delta


def _by_events(
    refresh: Callable[[], Delta], places: Callable[[], Sequence[str]], interval_s: float, notifier: Notifier
) -> Iterator[Delta]:
    """Ends when the system refuses to watch, so that polling can take over."""
    while True:
        folders = [path for path in places() if os.path.isdir(path)]
        missing = [path for path in places() if path not in folders]
        if not folders:
            time.sleep(interval_s)
            continue
        try:
            # What happened before the watch began is seen by the refresh at its first sign of life.
            quiet = SAFETY_NET
            for event in notifier(folders, interval_s):
                quiet = SAFETY_NET if event else quiet + 1
                delta = refresh() if quiet >= SAFETY_NET else None
                quiet = 0 if quiet >= SAFETY_NET else quiet
                if delta:
                    yield delta
                if any(map(os.path.isdir, missing)) or not all(map(os.path.isdir, folders)):
                    break  # the folders to watch are others now
        except OSError:
            return


def file_events() -> Notifier | None:
    """The notifier of the `watchfiles` package; `None` where it is not installed."""
    return _watchfiles if importlib.util.find_spec("watchfiles") is not None else None


def _watchfiles(folders: Sequence[str], interval_s: float) -> Iterator[bool]:
    import watchfiles

    changes = watchfiles.watch(
        *folders,
        watch_filter=None,
        debounce=DEBOUNCE_MS,
        rust_timeout=round(interval_s * 1000),
        yield_on_timeout=True,
        raise_interrupt=True,
    )
    return (bool(change) for change in changes)
