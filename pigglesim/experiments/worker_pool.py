"""Pool of worker processes, each of which may die, hang or return an invalid result.

Such a worker is replaced and its job done again. Jobs that it had not begun go to other workers.
"""

import os
import pickle
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from multiprocessing import connection, get_context, parent_process, resource_tracker
from multiprocessing.context import SpawnProcess
from threading import Event, Lock, Thread
from typing import Any, Generic, Self, TypeVar

from pigglesim.errors import PigglesimError
from pigglesim.games.game import Game
from pigglesim.signals import leave, signals_deferred

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")

_CLEANUP_TIME = 5.0
"""Time in which a worker may clean up before it is killed [s]."""
_AHEAD = 2
"""Jobs handed to a worker at a time, so that it need not wait while a result is written."""
_CHECK_INTERVAL = 1.0
"""Interval between checks for workers that hang [s]."""
_INITIAL, _MINIMUM, _FACTOR = 1800.0, 60.0, 20.0
"""A worker hangs if its job takes longer than `_INITIAL` [s] before any is done, and afterwards
longer than both `_MINIMUM` [s] and `_FACTOR` times the longest job."""
_SAFE_PATH = "PYTHONSAFEPATH"
"""Environment variable that keeps an interpreter from importing from the current folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[_Result]):
    """Result of a job, or why there is none."""

    number: int
    result: _Result | None = None
    fault: str = ""
    """The failure, in one line; empty where there is a result."""
    error: Exception | None = field(default=None, compare=False)
    """Exception of the job; None where its worker did not finish it."""

    @classmethod
    def raised(cls, number: int, error: Exception) -> "Outcome[_Result]":
        """Return the outcome of a job that raised, with an error that can be pickled."""
        text = (
            str(error) if isinstance(error, PigglesimError) else f"{type(error).__name__}: {error}"
        )
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = RuntimeError(text)
        return cls(number=number, fault=text.partition("\n")[0], error=error)


class InProcess(Generic[_Job, _Result]):
    """Does one job after the other in this process; `prepare` is as for `WorkerPool`."""

    def __init__(self, prepare: Callable[[], Callable[[_Job], _Result]]) -> None:
        self._ready = cache(prepare)
        self._jobs: deque[tuple[int, _Job]] = deque()

    @property
    def room(self) -> bool:
        """True if no job waits."""
        return not self._jobs

    def submit(self, number: int, job: _Job) -> None:
        """Hand out a job."""
        self._jobs.append((number, job))

    def next(self) -> Outcome[_Result]:
        """Do the oldest job."""
        return _do(self._ready, *self._jobs.popleft())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        """Do nothing: no job is under way."""


@dataclass(slots=True, kw_only=True)
class _Worker:
    process: SpawnProcess
    pipe: "connection.Connection[Any, Any]"
    jobs: deque[tuple[int, Any]] = field(default_factory=deque)
    """Jobs handed to it, in order; it is doing the first."""
    busy_time: float = 0.0
    """Time since it began the first job [s]."""
    kill_reason: str = ""
    """Reason why it was killed by this process; empty otherwise."""


class WorkerPool(Generic[_Job, _Result]):
    """Does jobs in processes of this machine; a context manager.

    Args:
        prepare: Function called once in each process; returns the function that does a job. It,
            the jobs and the results must pickle.
        count: Maximum number of processes.
        patience: Maximum time for a job [s]. Default: a multiple of the longest job so far.
    """

    def __init__(
        self,
        prepare: Callable[[], Callable[[_Job], _Result]],
        count: int,
        *,
        patience: float | None = None,
    ) -> None:
        self._prepare = prepare
        self._count = count
        self._patience = patience
        self._longest = 0.0
        self._workers: list[_Worker] = []
        self._ending = Event()

    @property
    def pids(self) -> list[int]:
        """Process ids of the workers, the busiest first."""
        workers = sorted(self._workers, key=lambda worker: -len(worker.jobs))
        return [worker.process.pid or 0 for worker in workers]

    @property
    def room(self) -> bool:
        """True if a worker could take another job."""
        if len(self._workers) < self._count:
            return True
        return any(len(worker.jobs) < _AHEAD for worker in self._workers)

    def submit(self, number: int, job: _Job) -> None:
        """Hand a job to the worker with the fewest jobs, or to a new one if all are busy."""
        if len(self._workers) < self._count and all(worker.jobs for worker in self._workers):
            self._start()
        worker = min(self._workers, key=lambda worker: len(worker.jobs))
        if not worker.jobs:
            worker.busy_time = 0.0
        worker.jobs.append((number, job))
        # If it has just died, `next` will notice and hand its jobs on.
        with suppress(OSError):
            worker.pipe.send((number, job))

    def next(self) -> Outcome[_Result]:
        """Wait for any job."""
        while True:
            ready = connection.wait([worker.pipe for worker in self._workers])
            for worker in [worker for worker in self._workers if worker.pipe in ready]:
                if (answer := self._received(worker)) is not None:
                    return answer

    def _received(self, worker: _Worker) -> Outcome[_Result] | None:
        """Return a worker's answer, or its end; None if no job was lost with it."""
        try:
            answer = worker.pipe.recv()
        except (EOFError, OSError):
            return self._replace(worker)
        except Exception as error:
            answer = type(error).__name__
        number = worker.jobs[0][0] if worker.jobs else None
        if not isinstance(answer, Outcome) or answer.number != number:
            worker.kill_reason = "returned an invalid result"
            worker.process.kill()
            return self._replace(worker)
        self._longest = max(self._longest, worker.busy_time, 1e-9)
        worker.jobs.popleft()
        worker.busy_time = 0.0
        return answer

    def __enter__(self) -> "WorkerPool[_Job, _Result]":
        """Return the pool itself; its processes start with the first jobs."""
        Thread(target=self._kill_hanging, daemon=True).start()
        return self

    def __exit__(self, *fault: object) -> None:
        """End the workers at once."""
        self._ending.set()
        # A second interrupt in here would leave workers behind.
        with signals_deferred():
            for worker in self._workers:
                # An idle worker leaves by itself.
                worker.pipe.close()
                if worker.jobs:
                    worker.process.terminate()
            for worker in self._workers:
                worker.process.join(_CLEANUP_TIME)
                if worker.process.is_alive():
                    worker.process.kill()
                    worker.process.join()
                worker.process.close()
            self._workers.clear()

    def _start(self) -> None:
        # The module loads every game; where nothing else has loaded it, the user named none.
        named = sys.modules.get("pigglesim.match.own_games")
        games = named.own_games() if named else ()
        # An interrupt must not leave a process that the pool does not know.
        with signals_deferred():
            pipe, worker_pipe = get_context("spawn").Pipe()
            process = start_process(_serve, (worker_pipe, self._prepare, games))
            worker_pipe.close()
            self._workers.append(_Worker(process=process, pipe=pipe))

    def _replace(self, worker: _Worker) -> Outcome[_Result] | None:
        """Replace a dead worker; return the outcome of its job, if any."""
        self._workers.remove(worker)
        worker.pipe.close()
        worker.process.join()
        status = worker.process.exitcode or 0
        worker.process.close()
        self._start()
        if not worker.jobs:
            return None
        number, _ = worker.jobs.popleft()
        for job_left in worker.jobs:
            self.submit(*job_left)
        died = f"died (signal {-status})" if status < 0 else f"died (status {status})"
        return Outcome(number=number, fault=f"the worker {worker.kill_reason or died}")

    def _kill_hanging(self) -> None:
        """Kill workers that hang, in a thread of its own: `next` then sees them dead."""
        last_check = time.monotonic()
        while not self._ending.wait(_CHECK_INTERVAL):
            now = time.monotonic()
            # While everything was suspended, as after Ctrl-Z, no worker was working.
            passed = min(now - last_check, 2.0 * _CHECK_INTERVAL)
            last_check = now
            usual = max(_MINIMUM, _FACTOR * self._longest) if self._longest else _INITIAL
            patience = usual if self._patience is None else self._patience
            for worker in list(self._workers):
                worker.busy_time += passed if worker.jobs else 0.0
                if worker.jobs and worker.busy_time > patience:
                    worker.kill_reason = f"took more than {patience:.0f} s"
                    # A worker that is being replaced is closed already.
                    with suppress(ValueError):
                        worker.process.kill()


def _serve(
    pipe: "connection.Connection[Any, Any]",
    prepare: Callable[[], Callable[[Any], Any]],
    games: Sequence[str | Game[Any, Any]],
) -> None:
    """Do jobs until the parent has gone; `games` are those that the user named there."""
    leaving = Event()
    # On SIGTERM it cleans up the files of its engine.
    signal.signal(signal.SIGTERM, partial(_tidy_and_leave, leaving))
    leave_with_parent()
    if games:
        from pigglesim.match.own_games import load_named_game  # noqa: PLC0415 (loads every game)

        for game in games:
            load_named_game(game)
    ready = cache(prepare)
    try:
        # Python may lose the exit, as in a finalizer or a callback of compiled code.
        while not leaving.is_set():
            number, job = pipe.recv()
            pipe.send(_do(ready, number, job))
    except (EOFError, OSError):
        pass
    except KeyboardInterrupt:
        # Within a query, DuckDB turns SIGTERM into an interrupt; Ctrl-C does not arrive here.
        sys.exit(1)
    # It leaves already; an exit raised in what cleans up would be printed.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    leave(0)


def _tidy_and_leave(leaving: Event, _number: int, _frame: object) -> None:
    leaving.set()
    # A second signal, sent to the whole group, would interrupt the cleaning.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(1)


_starting = Lock()


def start_process(
    work: Callable[..., None], arguments: tuple[object, ...], *, has_workers: bool = False
) -> SpawnProcess:
    """Start a process that Ctrl-C does not reach, and that ends with this one at the latest.

    It is spawned, as a fork would share the engine's connection, and does not import from the
    current folder, whose files may be hostile. `work` and `arguments`, its arguments, must pickle.
    One that has workers itself is waited for at the end of this one, unless it is killed.
    """
    # A daemon may not start processes.
    process = get_context("spawn").Process(target=work, args=arguments, daemon=not has_workers)
    # Other threads may start processes, too.
    with _starting:
        safe_path_before = os.environ.get(_SAFE_PATH)
        os.environ[_SAFE_PATH] = "1"
        try:
            with signals_deferred(), _interrupts_blocked():
                process.start()
        finally:
            if safe_path_before is None:
                del os.environ[_SAFE_PATH]
            else:
                os.environ[_SAFE_PATH] = safe_path_before
    return process


def leave_with_parent() -> None:
    """End this process when the process that started it has ended."""
    parent = parent_process()
    if parent is not None:
        Thread(target=_leave_with, args=(parent.sentinel,), daemon=True).start()


def _leave_with(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)


def _do(ready: Callable[[], Callable[[Any], Any]], number: int, job: object) -> Outcome[Any]:
    try:
        return Outcome(number=number, result=ready()(job))
    except Exception as error:
        return Outcome.raised(number, error)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C in this thread, and so in the processes that it starts: it goes to the group.

    SIGTERM must not be blocked, as it ends workers.
    """
    # It unblocks Ctrl-C when it starts.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_QUEUED_PER_WORKER = 4
"""Jobs handed out per worker, so that none is idle while the oldest job is awaited."""
_ATTEMPTS = 3


class WorkersError(PigglesimError):
    """Processes that died or hung repeatedly at one job."""

    exit_status = 1


def map_in_order(
    prepare: Callable[[], Callable[[_Job], _Result]],
    jobs: Iterable[_Job],
    *,
    workers: int,
    patience: float | None = None,
) -> Generator[_Result, None, None]:
    """Yield the result of each job, in the order of the jobs, which are taken as they are needed.

    One worker does all the work in this process.

    Raises:
        WorkersError: If three processes died or hung at one job.
    """
    with mapper(prepare, workers=workers, patience=patience) as mapped:
        yield from mapped(jobs)


@contextmanager
def mapper(
    prepare: Callable[[], Callable[[_Job], _Result]],
    *,
    workers: int,
    patience: float | None = None,
) -> Iterator[Callable[[Iterable[_Job]], Iterator[_Result]]]:
    """Give a function that yields results as `map_in_order` does; its workers wait between calls.

    The arguments and errors are those of `map_in_order`.
    """
    if workers == 1:
        yield partial(map, prepare())
        return
    with WorkerPool(prepare, workers, patience=patience) as pool:
        yield partial(_in_order, pool, max_open=_QUEUED_PER_WORKER * workers)


def _in_order(
    pool: WorkerPool[_Job, _Result], jobs: Iterable[_Job], *, max_open: int
) -> Generator[_Result, None, None]:
    """Yield results in order, with at most `max_open` jobs taken and not yielded.

    An error is raised in its place, so that the results before it are never lost.
    """
    unsent = enumerate(jobs)
    open_jobs: dict[int, _Job] = {}
    todo: deque[int] = deque()
    ready: dict[int, Any] = {}
    tries: Counter[int] = Counter()
    next_number = 0
    while True:
        while len(open_jobs) < max_open and (numbered := next(unsent, None)) is not None:
            open_jobs[numbered[0]] = numbered[1]
            todo.append(numbered[0])
        if not open_jobs:
            return
        while todo and pool.room:
            number = todo.popleft()
            pool.submit(number, open_jobs[number])
        answer = pool.next()
        if answer.fault and answer.error is None:
            tries[answer.number] += 1
            if tries[answer.number] < _ATTEMPTS:
                # Others wait for its result.
                todo.appendleft(answer.number)
                continue
            text = f"{_ATTEMPTS} workers failed at one job: {answer.fault}"
            failure = WorkersError(text, fix="use fewer --workers, which need less memory")
            answer = Outcome(number=answer.number, error=failure)
        ready[answer.number] = answer
        while next_number in ready:
            if (error := ready[next_number].error) is not None:
                raise error
            del open_jobs[next_number]
            yield ready.pop(next_number).result
            next_number += 1
