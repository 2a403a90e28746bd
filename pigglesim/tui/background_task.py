"""Slow work beside the screen: in a thread that nobody has to wait for, not even to leave."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Condition, Thread
from typing import Any

from textual.message import Message
from textual.message_pump import MessagePump

from pigglesim.landing import CupHold
from pigglesim.render.playlist import Clip


class Finished(Message):
    """A task has come to its end.

    Args:
        number: Which task it was.
        answer: What it returned.
        fault: What it raised, if it did.
    """

    def __init__(self, number: int, answer: Any, fault: Exception | None) -> None:  # noqa: ANN401
        super().__init__()
        self.number = number
        self.answer = answer
        self.fault = fault


class Labour:
    """One task at a time; what is given up runs on, but nobody hears of it.

    Args:
        host: To whom it is told that a task has finished.
    """

    def __init__(self, host: MessagePump) -> None:
        self._host = host
        self._number = 0
        self._threads: list[Thread] = []
        self.name = ""
        """What is being worked at; empty if nothing is."""

    def begin(self, task: Callable[[], Any], name: str) -> None:
        """Begin a task; the one before must have finished or been given up."""
        self._number += 1
        self.name = name
        number = self._number

        def work() -> None:
            answer, fault = None, None
            try:
                answer = task()
            except Exception as error:
                fault = error
            # Whoever asked may have left by now.
            with suppress(RuntimeError):
                self._host.post_message(Finished(number, answer, fault))

        thread = Thread(target=work, name=name, daemon=True)
        self._threads = [one for one in self._threads if one.is_alive()] + [thread]
        thread.start()

    def take(self, finished: Finished) -> str:
        """Return the name of the task that has finished, or nothing if it was given up."""
        if finished.number != self._number or not self.name:
            return ""
        name, self.name = self.name, ""
        return name

    def give_up(self) -> None:
        """Ask no more for what is being worked at."""
        self.name = ""

    @property
    def runs(self) -> bool:
        """Whether any thread still runs, of a task that was given up too."""
        return any(thread.is_alive() for thread in self._threads)


_AHEAD = 2
"""Rolls that may wait to be seen."""


class LiveShow:
    """A show whose rolls come from a task; nobody decides anything at it.

    Once it is closed the task goes on alone, as fast as it can, so that nothing of it is lost.

    Args:
        task: What makes the rolls; it is given what to call with each of them.
        words: What to say while the next roll is being made.
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
