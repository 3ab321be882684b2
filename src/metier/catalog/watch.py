"""Waiting for changes on disk.

`watchfiles` tells when something happens; what happened is always found out by a refresh, which costs stats. So
a lost or merged event can never hide a change, and where the operating system has no watches left, or the
package is missing, the same refresh is simply done at intervals.
"""

from __future__ import annotations

import importlib.util
import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from metier.catalog.library import Delta

DEBOUNCE_MS = 250
"""Editors and `git checkout` write in bursts; one delta for a burst is what a reader wants."""


def watch(refresh: Callable[[], Delta], places: Callable[[], Sequence[str]], *, interval_s: float) -> Iterator[Delta]:
    """Yield what each change on disk did to the catalog, for as long as the caller asks."""
    if importlib.util.find_spec("watchfiles") is not None:
        yield from _by_events(refresh, places, interval_s)
    yield from _by_polling(refresh, interval_s)


def _by_polling(refresh: Callable[[], Delta], interval_s: float) -> Iterator[Delta]:
    while True:
        time.sleep(interval_s)
        delta = refresh()
        if delta:
            yield delta


def _by_events(refresh: Callable[[], Delta], places: Callable[[], Sequence[str]], interval_s: float) -> Iterator[Delta]:
    """Ends when the system refuses to watch, so that polling can take over."""
    import watchfiles

    while True:
        folders = [path for path in places() if os.path.isdir(path)]
        missing = [path for path in places() if path not in folders]
        if not folders:
            yield from _wait_for_roots(refresh, missing, interval_s)
            continue
        # What changed between the last refresh and the start of the watch is seen by this one.
        delta = refresh()
        if delta:
            yield delta
        try:
            for changes in watchfiles.watch(
                *folders,
                watch_filter=None,
                debounce=DEBOUNCE_MS,
                rust_timeout=round(interval_s * 1000),
                yield_on_timeout=True,
                raise_interrupt=True,
            ):
                delta = refresh() if changes else None
                if delta:
                    yield delta
                if any(map(os.path.isdir, missing)) or not all(map(os.path.isdir, folders)):
                    break
        except OSError:
            return


def _wait_for_roots(refresh: Callable[[], Delta], missing: Sequence[str], interval_s: float) -> Iterator[Delta]:
    while not any(map(os.path.isdir, missing)):
        time.sleep(interval_s)
    delta = refresh()
    if delta:
        yield delta
