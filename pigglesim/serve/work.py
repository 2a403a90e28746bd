"""Work outside the event loop: throws, thoughts and analyses, in a few threads, with a bound."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from pigglesim.errors import PigglesimError

T = TypeVar("T")
_WAITING = 64
"""Maximum jobs that wait or run; beyond it the server answers that it is busy."""


class BusyError(PigglesimError):
    """Too much work is waiting."""


class Workshop:
    """Bounded pool of threads."""

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="pigglesim")
        self._pending = 0

    async def run(self, task: Callable[..., T], *arguments: Any) -> T:  # noqa: ANN401
        """Return the result of a function that runs in a thread.

        Raises:
            BusyError: If too much work is waiting already.
        """
        if self._pending >= _WAITING:
            raise BusyError("the server is busy", fix="try again in a few seconds")
        self._pending += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, task, *arguments)
        finally:
            self._pending -= 1

    def close(self) -> None:
        """Drop the work that waits; what runs ends by itself."""
        self._pool.shutdown(wait=False, cancel_futures=True)
