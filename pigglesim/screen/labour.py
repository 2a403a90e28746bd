"""Slow work beside the screen: in a thread that nobody has to wait for, not even to leave."""

from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any

from textual.message import Message
from textual.message_pump import MessagePump

__all__ = ["Finished", "Labour"]


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
