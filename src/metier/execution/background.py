"""An event loop in a thread of its own, for callers that have none and yet want to share workers."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

T = TypeVar("T")


class Background:
    """The loop, started at the first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Callable[[], Coroutine[None, None, T]], cancel: int | None = None) -> T:
        """Have something done there, and wait for it. `cancel` is a descriptor that cancels it.

        Raises:
            asyncio.CancelledError: when it was cancelled.
        """
        try:
            return asyncio.run_coroutine_threadsafe(_cancellable(work, cancel), self._running()).result()
        except concurrent.futures.CancelledError:  # of the same name, but another one
            raise asyncio.CancelledError from None

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="metier-tools", daemon=True)
                self._thread.start()
            return self._loop

    def close(self, farewell: Callable[[], object]) -> None:
        """Do a last thing there, and end the loop."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is None or thread is None:
            return

        async def leave() -> None:
            farewell()

        asyncio.run_coroutine_threadsafe(leave(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


async def _cancellable(work: Callable[[], Coroutine[None, None, T]], cancel: int | None) -> T:
    if cancel is None:
        return await work()
    loop = asyncio.get_running_loop()
    task = loop.create_task(work())
    own = os.dup(cancel)  # several calls may share one
    loop.add_reader(own, task.cancel)
    try:
        return await task
    finally:
        loop.remove_reader(own)
        os.close(own)
