"""Shards done by processes of this machine, each of which may die and costs its shard's time."""

import signal
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing import connection, get_context
from multiprocessing.context import SpawnProcess

from pigglesim.studies.executor import Outcome
from pigglesim.studies.made import Job, Made, attempt
from pigglesim.studies.workers import deaf_to_interrupts

__all__ = ["LocalWorkers"]

Work = Callable[[Job, int], Made | str]
"""Makes a shard, or tells what went wrong."""
_PATIENCE = 5.0
"""How long a worker may take to tidy up before it is killed [s]."""
_AHEAD = 2
"""Shards handed to a worker at a time: it need not wait while a finished one is written."""


@dataclass(slots=True, kw_only=True)
class _Worker:
    process: SpawnProcess
    pipe: "connection.Connection[int, Made | str]"
    shards: deque[int] = field(default_factory=deque)
    """Handed to it, in order; it is at the first."""


class LocalWorkers:
    """Does shards in processes of this machine.

    A worker that dies, however it dies, is replaced, and what it was not yet at is handed on.

    Args:
        job: The study.
        count: How many processes.
        work: Makes a shard; it must pickle.
    """

    def __init__(self, job: Job, count: int, work: Work = attempt) -> None:
        self._job = job
        self._work = work
        self._count = count
        self._workers: list[_Worker] = []

    @property
    def pids(self) -> list[int]:
        """Process numbers of the workers, the busiest first."""
        workers = sorted(self._workers, key=lambda worker: -len(worker.shards))
        return [worker.process.pid or 0 for worker in workers]

    @property
    def room(self) -> bool:
        """Whether a worker has less than it could have."""
        return any(len(worker.shards) < _AHEAD for worker in self._workers)

    def submit(self, number: int) -> None:
        """Hand a shard to the worker that has least to do."""
        worker = min(self._workers, key=lambda worker: len(worker.shards))
        worker.shards.append(number)
        try:
            worker.pipe.send(number)
        except OSError:
            # It has just died: `next` will see, and hand on what it had.
            return

    def next(self) -> Outcome:
        """Wait for any shard."""
        while True:
            ready = connection.wait([worker.pipe for worker in self._workers])
            for worker in list(self._workers):
                if worker.pipe not in ready:
                    continue
                try:
                    result = worker.pipe.recv()
                except (EOFError, OSError):
                    outcome = self._replace(worker)
                    if outcome is None:
                        continue
                    return outcome
                return Outcome.of(worker.shards.popleft(), result)

    def __enter__(self) -> "LocalWorkers":
        """Start the workers."""
        while len(self._workers) < self._count:
            self._start()
        return self

    def __exit__(self, *fault: object) -> None:
        """End the workers at once."""
        # A second stop in here would leave workers behind that nobody waits for.
        with deaf_to_interrupts(signal.SIGTERM):
            for worker in self._workers:
                # Idle, it leaves by itself.
                worker.pipe.close()
                if worker.shards:
                    worker.process.terminate()
            for worker in self._workers:
                worker.process.join(_PATIENCE)
                if worker.process.is_alive():
                    worker.process.kill()
                    worker.process.join()
                worker.process.close()
            self._workers.clear()

    def _start(self) -> None:
        context = get_context("spawn")
        here, there = context.Pipe()
        # A fork would share the engine's connection; a spawned worker opens its own.
        process = context.Process(target=_serve, args=(there, self._job, self._work), daemon=True)
        with deaf_to_interrupts():
            process.start()
        there.close()
        self._workers.append(_Worker(process=process, pipe=here))

    def _replace(self, worker: _Worker) -> Outcome | None:
        """Put a new worker in the place of a dead one; return what became of its shard, if any."""
        self._workers.remove(worker)
        worker.pipe.close()
        worker.process.join()
        status = worker.process.exitcode or 0
        worker.process.close()
        self._start()
        if not worker.shards:
            return None
        number = worker.shards.popleft()
        for other in worker.shards:
            self.submit(other)
        how = f"signal {-status}" if status < 0 else f"status {status}"
        return Outcome(number=number, fault=f"the worker died ({how})")


def _serve(pipe: "connection.Connection[Made | str, int]", job: Job, work: Work) -> None:
    """Do shards until the parent has gone."""
    # Told to end, it tidies up what its engine keeps in files.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        while True:
            pipe.send(work(job, pipe.recv()))
    except (EOFError, OSError):
        return
