"""Jobs shared among processes, their results in the order of the jobs.

How many processes share the work, and what becomes of them, changes nothing but the time.
"""

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable
from typing import TypeVar

from pigglesim.errors import PigglesimError
from pigglesim.studies.crew import Crew, Lost, Raised

__all__ = ["WorkersError", "map_in_order"]

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")

_AHEAD = 4
"""Jobs handed out for each worker, so that none is idle while the oldest is awaited."""
_ATTEMPTS = 3


class WorkersError(PigglesimError):
    """Processes that died or hung, again and again, at one job."""


def map_in_order(
    prepare: Callable[[], Callable[[_Job], _Result]],
    jobs: Iterable[_Job],
    *,
    workers: int,
    patience: float | None = None,
) -> Generator[_Result, None, None]:
    """Yield the result of each job, in the order of the jobs.

    Args:
        prepare: Called once in each process; returns what does a job. With more than one worker
            it, the jobs and the results must pickle.
        jobs: Taken as they are needed.
        workers: Processes; with one all is done in this process.
        patience: Longest that a process may be at a job [s], before another tries it; see `Crew`.

    Raises:
        WorkersError: If three processes died or hung at one job.
    """
    if workers == 1:
        work = prepare()
        for job in jobs:
            yield work(job)
        return
    with Crew(prepare, workers, patience=patience) as crew:
        yield from _in_order(crew, jobs, most=_AHEAD * workers)


def _in_order(
    crew: Crew[_Job, _Result], jobs: Iterable[_Job], *, most: int
) -> Generator[_Result, None, None]:
    """Yield results in order, with at most so many jobs taken and not yielded."""
    left = enumerate(jobs)
    taken: dict[int, _Job] = {}
    todo: deque[int] = deque()
    ready: dict[int, _Result] = {}
    tries: Counter[int] = Counter()
    comes = 0
    while True:
        while len(taken) < most and (more := next(left, None)) is not None:
            taken[more[0]] = more[1]
            todo.append(more[0])
        if not taken:
            return
        while todo and crew.room:
            number = todo.popleft()
            crew.submit(number, taken[number])
        answer = crew.next()
        if isinstance(answer, Raised):
            raise answer.error
        if isinstance(answer, Lost):
            tries[answer.number] += 1
            if tries[answer.number] == _ATTEMPTS:
                raise _hopeless(answer.how)
            # Others wait for its result.
            todo.appendleft(answer.number)
            continue
        ready[answer.number] = answer.result
        while comes in ready:
            del taken[comes]
            yield ready.pop(comes)
            comes += 1


def _hopeless(how: str) -> WorkersError:
    return WorkersError(
        "workers that live and answer",
        got=f"{_ATTEMPTS} that failed at one job; of the last, {how}",
        remedy="fewer --workers, which need less memory, then run the same command again",
    )
