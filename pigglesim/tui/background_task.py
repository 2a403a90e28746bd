"""Slow work beside the screen: in a thread that nobody has to wait for, not even to leave."""

from collections.abc import Callable, Sequence
from threading import Condition, Thread
from time import monotonic
from typing import Any

from pigglesim.render.playlist import Clip, Show

GRACE = 0.05
"""Time after its limit at which an agent that does not answer is given up [s]."""


class BackgroundTask:
    """A task in a thread of its own; one that is given up runs on, but nobody waits for it.

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
        """The error that the task raised, if it did."""
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
        """Return whether it has taken longer than a limit [s]; None for no limit."""
        return limit is not None and monotonic() - self._began > limit + GRACE


_AHEAD = 2
"""Rolls that may wait to be seen."""


class LiveShow(Show):
    """A show whose rolls come from a task; nobody decides anything at it.

    Once it is closed the task goes on alone, as fast as it can, so that nothing of it is lost. The
    task calls its argument with every roll; `words` tell that the next one is being made.
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

    # In the thread of the task.

    def _work(self) -> None:
        try:
            self._task(self._show)
        # Whatever ends it is told in the thread of the window.
        except BaseException as fault:
            self._fault = fault

    def _show(self, take: Clip) -> None:
        """Add a roll, and wait until it is wanted."""
        with self._changed:
            self._takes.append(take)
            self._changed.wait_for(
                lambda: not self._watched or len(self._takes) < self._wanted + _AHEAD
            )
            if self._stopped:
                raise KeyboardInterrupt

    # In the thread of the window.

    def takes(self, wanted: int) -> Sequence[Clip]:
        """Return every roll so far.

        Raises:
            BaseException: Whatever the task has raised.
        """
        with self._changed:
            self._wanted = max(self._wanted, wanted)
            self._changed.notify_all()
            found = tuple(self._takes)
        if wanted > len(found):
            self._raise()
        return found

    def busy(self) -> str:
        """Return what is being worked at."""
        return self._words if self._thread.is_alive() else ""

    def close(self) -> None:
        """Let the task go on without being watched."""
        with self._changed:
            self._watched = False
            self._changed.notify_all()

    def stop(self) -> None:
        """Have the task end at its next roll as Ctrl-C would end it."""
        self._stopped = True
        self.close()

    def finish(self) -> None:
        """Wait for the end of the task.

        Raises:
            BaseException: Whatever the task has raised.
        """
        self.close()
        try:
            while self._thread.is_alive():
                # In pieces, so that Ctrl-C is heard.
                self._thread.join(0.2)
        except KeyboardInterrupt:
            self.stop()
            self._thread.join()
        self._raise()

    def _raise(self) -> None:
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault
