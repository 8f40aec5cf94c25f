"""An event loop in a thread of its own, for callers without one."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Coroutine
from typing import Any, TypeVar

Returned = TypeVar("Returned")


class LoopThread:
    """A program that ends without closing it ends all the same: its thread is a daemon."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="farebox", daemon=True)
        self._thread.start()
        self._stop = weakref.finalize(self, self._loop.call_soon_threadsafe, self._loop.stop)

    @property
    def is_closed(self) -> bool:
        return not self._stop.alive

    def run(self, work: Coroutine[Any, Any, Returned]) -> Returned:
        if self.is_closed:
            work.close()
            raise RuntimeError("this client is closed")
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("a hook of this client asks it: that would wait for itself")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            # Ctrl-C ends the call, too.
            future.cancel()
            raise

    def close(self) -> None:
        self.run(self._loop.shutdown_default_executor())
        self._stop()
        self._thread.join()
        self._loop.close()
