"""Background threads for slow work; closing the app does not wait for them."""

from collections.abc import Callable, Sequence
from threading import Condition, Thread
from time import monotonic
from typing import Any

from pigglesim.render.playlist import Clip, Show

GRACE = 0.05
"""Time beyond its limit after which a silent agent is abandoned [s]."""


class BackgroundTask:
    """A task in its own thread; an abandoned task runs on, but nothing waits for it.

    Args:
        name: The task: `hint`, `roll` or the name of an agent.
        task: Work to do.
        on_done: Called in that thread when the task has finished, with the task itself.
    """

    def __init__(
        self,
        name: str,
        task: Callable[[], Any],
        *,
        on_done: Callable[["BackgroundTask"], object] = lambda _: None,
    ) -> None:
        self.name = name
        self.answer: Any = None
        self.fault: Exception | None = None
        """Error that the task raised, if any."""
        self.done = False
        self._task, self._on_done = task, on_done
        self._began = monotonic()
        Thread(target=self._work, name=name, daemon=True).start()

    def _work(self) -> None:
        try:
            self.answer = self._task()
        except Exception as fault:
            self.fault = fault
        self.done = True
        self._on_done(self)

    def is_late(self, limit: float | None) -> bool:
        """Return whether the task has exceeded a limit [s]; None for no limit."""
        return limit is not None and monotonic() - self._began > limit + GRACE


_AHEAD = 2
"""Maximum rolls waiting to be shown."""


class LiveShow(Show):
    """Show whose rolls come from a task; no decisions are taken in it.

    Once it is closed the task continues alone at full speed, so no result is lost. The task
    calls its argument with every roll; `words` describe the work on the next one.
    """

    def __init__(self, task: Callable[[Callable[[Clip], None]], None], *, words: str) -> None:
        self._task = task
        self._words = words
        self._takes: list[Clip] = []
        self._wanted = 0
        self._watched = True
        self._stopped = False
        self._fault: BaseException | None = None
        self._changed = Condition()
        self._thread = Thread(target=self._work, name="live show", daemon=True)
        self._thread.start()

    # Called in the thread of the task.

    def _work(self) -> None:
        try:
            self._task(self._show)
        # Any exception is reported in the thread of the window.
        except BaseException as fault:
            self._fault = fault

    def _show(self, take: Clip) -> None:
        """Add a roll, and wait until it is needed."""
        with self._changed:
            self._takes.append(take)
            self._changed.wait_for(
                lambda: not self._watched or len(self._takes) < self._wanted + _AHEAD
            )
            if self._stopped:
                raise KeyboardInterrupt

    # Called in the thread of the window.

    def takes(self, wanted: int) -> Sequence[Clip]:
        """Return all rolls so far.

        Raises:
            BaseException: Any exception that the task raised.
        """
        with self._changed:
            self._wanted = max(self._wanted, wanted)
            self._changed.notify_all()
            found = tuple(self._takes)
        if wanted > len(found):
            self._raise()
        return found

    def busy(self) -> str:
        """Return a description of the current work."""
        return self._words if self._thread.is_alive() else ""

    def close(self) -> None:
        """Let the task continue without a window."""
        with self._changed:
            self._watched = False
            self._changed.notify_all()

    def stop(self) -> None:
        """Stop the task at its next roll as Ctrl-C would."""
        self._stopped = True
        self.close()

    def finish(self) -> None:
        """Wait for the end of the task.

        Raises:
            BaseException: Any exception that the task raised.
        """
        self.close()
        try:
            while self._thread.is_alive():
                # Wait in short intervals, so that Ctrl-C is handled.
                self._thread.join(0.2)
        except KeyboardInterrupt:
            self.stop()
            self._thread.join()
        self._raise()

    def _raise(self) -> None:
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault
