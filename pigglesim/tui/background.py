"""Tasks in threads of their own, for which a screen does not wait."""

from collections.abc import Callable
from threading import Thread
from time import monotonic
from typing import Any

GRACE = 0.05
"""Time beyond its limit after which a silent agent is abandoned [s]."""


class BackgroundTask:
    """A task in its own thread; an abandoned task runs on, but nothing waits for it.

    `on_done` is called in that thread, with the task itself, when it has finished.
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
        self.fault: BaseException | None = None
        """Error that the task raised, if any."""
        self.done = False
        self._task, self._on_done = task, on_done
        self._began = monotonic()
        self.thread = Thread(target=self._work, name=name, daemon=True)
        self.thread.start()

    def _work(self) -> None:
        try:
            self.answer = self._task()
        # Any exception is raised again in the thread that waits for the answer.
        except BaseException as fault:
            self.fault = fault
        self.done = True
        self._on_done(self)

    def is_late(self, limit: float | None) -> bool:
        """Return whether the task has exceeded a limit [s]; None for no limit."""
        return limit is not None and monotonic() - self._began > limit + GRACE
