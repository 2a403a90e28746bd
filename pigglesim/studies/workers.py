"""Jobs shared among processes, their results in the order of the jobs.

How many processes share the work changes nothing but the time.
"""

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice
from multiprocessing import connection, get_context, parent_process
from threading import Thread, current_thread, main_thread
from typing import Any, TypeVar

__all__ = ["deaf_to_interrupts", "leave_with_parent", "map_in_order"]

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")

_AHEAD = 4
"""Jobs handed out for each worker, so that none is idle while the oldest is awaited."""


def map_in_order(
    prepare: Callable[[], Callable[[_Job], _Result]], jobs: Iterable[_Job], *, workers: int
) -> Generator[_Result, None, None]:
    """Yield the result of each job, in the order of the jobs.

    Args:
        prepare: Called once in each process; returns what does a job. With more than one worker
            it, the jobs and the results must pickle.
        jobs: Taken as they are needed.
        workers: Processes; with one all is done in this process.
    """
    if workers == 1:
        work = prepare()
        for job in jobs:
            yield work(job)
        return
    pool = ProcessPoolExecutor(
        workers,
        # A fork would share the engine's connection; a spawned worker opens its own.
        mp_context=get_context("spawn"),
        initializer=_start,
        initargs=(prepare,),
    )
    left = iter(jobs)
    waiting: deque[Future[_Result]] = deque()
    try:
        with deaf_to_interrupts():
            waiting.extend(pool.submit(_work, job) for job in islice(left, _AHEAD * workers))
        while waiting:
            result = waiting.popleft().result()
            waiting.extend(pool.submit(_work, job) for job in islice(left, 1))
            yield result
    finally:
        # A second stop in here would leave workers behind that nobody waits for.
        with deaf_to_interrupts(signal.SIGTERM):
            pool.shutdown(cancel_futures=True)


@contextmanager
def deaf_to_interrupts(*more: signal.Signals) -> Iterator[None]:
    """Start processes that Ctrl-C does not reach: it goes to the whole group.

    The parent alone answers it, and a worker ends its job. What a process ignores when it starts
    another, the other ignores from its first moment. SIGTERM it must not ignore: it ends workers.

    Args:
        more: Signals that are ignored too.
    """
    if current_thread() is not main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, *more)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def leave_with_parent() -> None:
    """Have this process end when the one that started it has, however that ends."""
    parent = parent_process()
    if parent is not None:
        Thread(target=_leave_with, args=(parent.sentinel,), daemon=True).start()


def _leave_with(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)


_workers: list[Callable[[Any], Any]] = []
"""What does the jobs of a worker process, made ready when the process starts."""


def _start(prepare: Callable[[], Callable[[Any], Any]]) -> None:
    _workers.append(prepare())


def _work(job: Any) -> Any:  # noqa: ANN401 (of any kind)
    return _workers[0](job)
