"""The seam between a study and whatever does its shards, and the simplest that does."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol, Self

from pigglesim.studies.shard import Job, Made, attempt
from pigglesim.studies.worker_pool import Crew, Lost, TaskResult


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardOutcome:
    """What became of one shard that was handed out."""

    number: int
    made: Made | None = None
    fault: str = ""
    """What went wrong, in one line; empty where it was made."""

    @classmethod
    def of(cls, number: int, result: object) -> "ShardOutcome":
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

    def next(self) -> ShardOutcome:
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

    def next(self) -> ShardOutcome:
        """Do a shard."""
        number = self._waiting.popleft()
        return ShardOutcome.of(number, attempt(self._job, number))

    def __enter__(self) -> "InProcess":
        """Return the executor itself."""
        return self

    def __exit__(self, *fault: object) -> None:
        """Nothing is left to end."""


Work = Callable[[Job, int], Made | str]
"""Makes a shard, or tells what went wrong."""


class LocalWorkers:
    """Does shards in processes of this machine.

    A worker that dies, hangs or answers nonsense is replaced, and what it was not yet at is
    handed on.

    Args:
        job: The study.
        count: How many processes.
        work: Makes a shard; it must pickle.
        patience: Longest that a worker may be at a shard [s]; see `Crew`.
    """

    def __init__(
        self, job: Job, count: int, work: Work = attempt, *, patience: float | None = None
    ) -> None:
        self._crew: Crew[int, Made | str] = Crew(
            partial(partial, work, job), count, patience=patience
        )

    @property
    def pids(self) -> list[int]:
        """Process numbers of the workers, the busiest first."""
        return self._crew.pids

    @property
    def room(self) -> bool:
        """Whether a worker has less than it could have."""
        return self._crew.room

    def submit(self, number: int) -> None:
        """Hand a shard to the worker that has least to do."""
        self._crew.submit(number, number)

    def next(self) -> ShardOutcome:
        """Wait for any shard."""
        answer = self._crew.next()
        if isinstance(answer, Lost):
            return ShardOutcome(number=answer.number, fault=answer.how)
        if isinstance(answer, TaskResult):
            return ShardOutcome.of(answer.number, answer.result)
        return ShardOutcome(
            number=answer.number, fault=f"{type(answer.error).__name__}: {answer.error}"
        )

    def __enter__(self) -> Self:
        """Return the executor itself; its processes start with the first shards."""
        self._crew.__enter__()
        return self

    def __exit__(self, *fault: object) -> None:
        """End the workers at once."""
        self._crew.__exit__(*fault)
