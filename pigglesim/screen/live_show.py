"""Rolls of work that goes on in a thread of its own, never far ahead of whoever watches them."""

from collections.abc import Callable, Sequence
from threading import Condition, Thread

from pigglesim.rolls import CupHold
from pigglesim.viewer.shows import Take

__all__ = ["LiveShow"]

_AHEAD = 2
"""Rolls that may wait to be seen."""


class LiveShow:
    """A show whose rolls come from a task; nobody decides anything at it.

    Once it is closed the task goes on alone, as fast as it can, so that nothing of it is lost.

    Args:
        task: What makes the rolls; it is given what to call with each of them.
        words: What to say while the next roll is being made.
    """

    def __init__(self, task: Callable[[Callable[[Take], None]], None], *, words: str) -> None:
        self._task = task
        self._words = words
        self._takes: list[Take] = []
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

    def _show(self, take: Take) -> None:
        """Add a roll, and wait until it is wanted."""
        with self._changed:
            self._takes.append(take)
            self._changed.wait_for(
                lambda: not self._watched or len(self._takes) < self._wanted + _AHEAD
            )
            if self._stopped:
                raise KeyboardInterrupt

    # In the thread of the window.

    def takes(self, wanted: int) -> Sequence[Take]:
        """Return every roll so far.

        Raises:
            BaseException: Whatever the task has raised.
        """
        with self._changed:
            self._wanted = max(self._wanted, wanted)
            self._changed.notify_all()
            found = tuple(self._takes)
        if self._fault is not None and wanted > len(found):
            self._raise()
        return found

    def offer(self) -> None:
        """Return None: nobody decides anything."""

    def busy(self) -> str:
        """Return what is being worked at."""
        return self._words if self._thread.is_alive() else ""

    def notes(self) -> Sequence[str]:
        """Return nothing."""
        return ()

    def pour(self, piggles: tuple[str, ...], hold: CupHold | None) -> None:
        """Do nothing."""

    def choose(self, number: int) -> None:
        """Do nothing."""

    def ask(self, word: str) -> None:
        """Do nothing."""

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
