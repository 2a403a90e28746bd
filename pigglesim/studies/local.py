"""Shards done by processes of this machine, each of which may die and costs its shard's time."""

from collections.abc import Callable
from functools import partial
from typing import Self

from pigglesim.studies.crew import Crew, Done, Lost
from pigglesim.studies.executor import Outcome
from pigglesim.studies.made import Job, Made, attempt

__all__ = ["LocalWorkers"]

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

    def next(self) -> Outcome:
        """Wait for any shard."""
        answer = self._crew.next()
        if isinstance(answer, Lost):
            return Outcome(number=answer.number, fault=answer.how)
        if isinstance(answer, Done):
            return Outcome.of(answer.number, answer.result)
        return Outcome(number=answer.number, fault=f"{type(answer.error).__name__}: {answer.error}")

    def __enter__(self) -> Self:
        """Start the workers."""
        self._crew.__enter__()
        return self

    def __exit__(self, *fault: object) -> None:
        """End the workers at once."""
        self._crew.__exit__(*fault)
