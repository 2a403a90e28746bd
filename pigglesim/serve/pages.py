"""Open pages, and their work outside the event loop: throws, thoughts, analyses; with a bound."""

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from threading import Event
from time import monotonic
from typing import Any, TypeVar

from pigglesim.errors import PigglesimError, one_line
from pigglesim.serve.access import Guest
from pigglesim.serve.throwing import ThrowTable

T = TypeVar("T")
_JOBS = 64
"""Maximum jobs that wait or run; beyond it the server answers that it is busy."""
_CREDIT, _REFILL = 20, 15.0
"""Reviews, hints and downloads that a guest may ask for at once, and the time for a further one
[s]."""
_WAITING = 200
"""Messages that may wait for a slow page; then it is dropped, and comes back by itself."""


class BusyError(PigglesimError):
    """Too much work is waiting."""


class Workshop:
    """Bounded pool of threads."""

    def __init__(self, threads: int, *, jobs: int = _JOBS) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="pigglesim")
        self._jobs, self._pending = jobs, 0

    async def run(self, task: Callable[..., T], *arguments: Any) -> T:  # noqa: ANN401
        """Return the result of a function that runs in a thread.

        Raises:
            BusyError: If too much work is waiting already.
        """
        if self._pending >= self._jobs:
            raise BusyError("the server is busy", fix="try again in a few seconds")
        self._pending += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, task, *arguments)
        finally:
            self._pending -= 1

    def drop_waiting(self) -> None:
        """Drop the work that waits, and take no more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Drop the work that waits, and wait for what runs."""
        self._pool.shutdown(cancel_futures=True)


class RequestBudget:
    """Count of the expensive requests of each guest; the owner has no limit.

    Args:
        credit: Requests that a guest may make at once.
        refill: Time for a further one [s].
        clock: Function that returns the time [s].
    """

    def __init__(
        self,
        credit: int = _CREDIT,
        refill: float = _REFILL,
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._clock, self._credit, self._refill = clock, credit, refill
        self._used: dict[Guest, tuple[float, float]] = {}
        """Credit used, and the time at which it was used, by guest."""

    def spend(self, guest: Guest) -> None:
        """Count a request.

        Raises:
            BusyError: If the guest has asked for too much.
        """
        now = self._clock()
        used, since = self._used.get(guest, (0.0, now))
        used = max(0.0, used - (now - since) / self._refill)
        if not guest.is_owner and used > self._credit - 1:
            wait = ceil(self._refill * (used - self._credit + 1))
            raise BusyError("too many requests by this link", fix=f"try again in {wait} s")
        self._used[guest] = used + 1, now


class OpenPage:
    """One open page, and what its person has asked for."""

    def __init__(self, guest: Guest) -> None:
        self.guest, self.key = guest, token_hex(8)
        self.name = ""
        """Name of the person, as they gave it."""
        self.queue: asyncio.Queue[Mapping[str, Any] | str | None] = asyncio.Queue(_WAITING)
        self.throws: ThrowTable | None = None
        self.report: Mapping[str, Path] = {}
        """Files of the latest study, by name."""
        self._work: PageWork | None = None
        self._running: set[asyncio.Future[None]] = set()
        """Work under way; the loop itself would not keep it."""

    def send(self, message: Mapping[str, Any] | str) -> None:
        """Send a message, which may be text already; a page that does not read is dropped."""
        try:
            self.queue.put_nowait(message)
        except asyncio.QueueFull:
            while not self.queue.empty():
                self.queue.get_nowait()
            self.queue.put_nowait(None)

    async def answer(self, deed: Awaitable[Mapping[str, Any] | None]) -> None:
        """Send the answer of a deed, if any, or the error that it has raised."""
        try:
            message = await deed
        except PigglesimError as error:
            message = {"is": "fault", "text": one_line(str(error))}
        except Exception as error:
            # An error of our own, which is printed for a report.
            traceback.print_exception(error)
            text = f"The server has failed: {type(error).__name__}. Please report it."
            message = {"is": "fault", "text": text}
        if message is not None:
            self.send(message)

    def start(self, desk: Workshop, task: Callable[["PageWork"], Mapping[str, Any]]) -> None:
        """Start work in a thread of the desk, and send what it returns; one at a time."""
        self.stop()
        self._work = PageWork(self)
        running = asyncio.ensure_future(self.answer(desk.run(self._work.done, task)))
        self._running.add(running)
        running.add_done_callback(self._running.discard)

    def drop_report(self) -> None:
        """Remove the files of the latest study."""
        report, self.report = self.report, {}
        for folder in {path.parent for path in report.values()}:
            rmtree(folder, ignore_errors=True)

    def stop(self) -> None:
        """Stop the latest work."""
        if self._work is not None:
            self._work.stopped.set()


class PageWork:
    """Work in a thread that a page has asked for, and can stop."""

    def __init__(self, page: OpenPage) -> None:
        self._page, self._loop, self.stopped = page, asyncio.get_running_loop(), Event()

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message from the thread; raise KeyboardInterrupt if the work is stopped."""
        if self.stopped.is_set():
            raise KeyboardInterrupt
        self._loop.call_soon_threadsafe(self._page.send, message)

    def progress(self, done: int, total: int) -> None:
        """Report progress from the thread."""
        self.send({"is": "progress", "done": done, "total": total})

    def done(self, task: Callable[["PageWork"], Mapping[str, Any]]) -> Mapping[str, Any]:
        """Return the message of a task, or that it was stopped."""
        try:
            return task(self)
        except KeyboardInterrupt:
            return {"is": "stopped"}
