"""The seam between a study and whatever does its shards, and the simplest that does."""

from collections import deque
from dataclasses import dataclass
from typing import Protocol

from pigglesim.studies.made import Job, Made, attempt

__all__ = ["Executor", "InProcess", "Outcome"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one shard that was handed out."""

    number: int
    made: Made | None = None
    fault: str = ""
    """What went wrong, in one line; empty where it was made."""

    @classmethod
    def of(cls, number: int, result: object) -> "Outcome":
        """Return the outcome of what `attempt` returned somewhere; nonsense is a fault."""
        if isinstance(result, str):
            return cls(number=number, fault=result or "no word of what went wrong")
        if not isinstance(result, Made) or result.number != number:
            return cls(number=number, fault="the worker answered what is not that shard")
        return cls(number=number, made=result)


class Executor(Protocol):
    """Does shards, in whatever order they are done; a context manager."""

    @property
    def room(self) -> bool:
        """Whether another shard should be handed out now."""

    def submit(self, number: int) -> None:
        """Hand out a shard."""

    def next(self) -> Outcome:
        """Wait for any shard that was handed out, and return what became of it."""

    def __enter__(self) -> "Executor":
        """Start."""

    def __exit__(self, *fault: object) -> None:
        """End at once; what is under way is lost."""


class InProcess:
    """Does one shard after the other in this process.

    Args:
        job: The study.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._waiting: deque[int] = deque()

    @property
    def room(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting

    def submit(self, number: int) -> None:
        """Hand out a shard."""
        self._waiting.append(number)

    def next(self) -> Outcome:
        """Do a shard."""
        number = self._waiting.popleft()
        return Outcome.of(number, attempt(self._job, number))

    def __enter__(self) -> "InProcess":
        """Return the executor itself."""
        return self

    def __exit__(self, *fault: object) -> None:
        """Nothing is left to end."""
