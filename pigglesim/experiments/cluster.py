"""Shards done by a Dask cluster that runs already: this process asks it and writes the files."""

import logging
import socket
import warnings
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from pigglesim.errors import SpecError, pip_install
from pigglesim.experiments.folder import StoreError
from pigglesim.experiments.shard import FinishedShard, Job, make_shard, ready
from pigglesim.experiments.worker_pool import Outcome

_AHEAD = 2
"""Shards handed out for each thread of the cluster."""
_PATIENCE = 10.0
"""Longest time in which a scheduler must answer [s]."""


def expect_dask() -> None:
    """Raise unless Dask's library of clusters is installed.

    Raises:
        SpecError: If it is not.
    """
    if find_spec("distributed") is None:
        raise SpecError(
            "not installed",
            expected="the library distributed, for --cluster",
            fix=pip_install("distributed"),
        )


class Cluster:
    """Does shards on the workers of a Dask scheduler.

    A worker that dies costs the time of its shards: Dask hands them to others.

    `address` is that of the scheduler, such as `tcp://host:8786`.

    Raises:
        SpecError: If Dask is not installed, or no scheduler answers there.
    """

    def __init__(self, job: Job, address: str) -> None:
        self._job = job
        self._address = address
        self._client: Any = None
        self._done: Any = None
        self._numbers: dict[str, int] = {}
        self._tries = 0
        self._threads = 1

    @property
    def room(self) -> bool:
        """True if a worker could take another shard."""
        return len(self._numbers) < _AHEAD * self._threads

    def submit(self, number: int, job: int) -> None:
        """Hand out a shard."""
        # A key of its own each time: Dask would else return the fault of the last try.
        self._tries += 1
        key = f"pigglesim-{self._job.digest[:12]}-{number}-{self._tries}"
        with self._staying():
            future = self._client.submit(make_shard, self._job, job, key=key, pure=False)
            self._numbers[key] = number
            self._done.add(future)

    def next(self) -> Outcome[FinishedShard]:
        """Wait for any shard."""
        with self._staying():
            future = next(self._done)
            number = self._numbers.pop(future.key)
            if future.status == "error":
                return Outcome.raised(number, future.exception())
            # Lost with its worker, a result is awaited: the scheduler has it computed again.
            result = future.result()
            future.release()
            self._count_threads()
            return Outcome(number=number, result=result)

    @contextmanager
    def _staying(self) -> Iterator[None]:
        """Say in one line that the scheduler has gone, whichever call meets it first."""
        try:
            yield
        # Dask's CommClosedError is an OSError, its CancelledError none of Exception's.
        except (OSError, CancelledError):
            raise StoreError(
                "no answer any more",
                expected=f"the scheduler at {self._address} to stay",
                fix="start it, then run the same command: it goes on",
            ) from None

    def __enter__(self) -> "Cluster":
        """Reach the scheduler, and see that its workers would make the same bits."""
        expect_dask()
        distributed: Any = import_module("distributed")
        _silence()
        try:
            _reach(self._address)
            with warnings.catch_warnings():
                # Versions that matter are compared below.
                warnings.simplefilter("ignore")
                self._client = distributed.Client(
                    self._address, timeout=_PATIENCE, set_as_default=False
                )
        except Exception as fault:
            raise SpecError(
                f"{type(fault).__name__}: {fault}".splitlines()[0][:120],
                expected=f"a Dask scheduler at {self._address}",
                fix="--cluster tcp://host:8786, as `dask scheduler` tells it",
            ) from None
        try:
            self._check()
        except BaseException:
            self._client.close()
            raise
        self._done = distributed.as_completed(loop=self._client.loop)
        return self

    def __exit__(self, *fault: object) -> None:
        """Take back what is not done, and let the cluster be."""
        self._numbers.clear()
        self._done.clear()
        self._client.close(timeout=_PATIENCE)

    def _count_threads(self) -> None:
        threads = self._client.nthreads()
        self._threads = max(1, sum(threads.values()))

    def _check(self) -> None:
        """Raise unless every worker there is could make the shards of this study."""
        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE)
            answers = self._client.run(ready, self._job)
        except TimeoutError:
            raise SpecError(
                f"none in {_PATIENCE:g} s",
                expected=f"a worker of the scheduler at {self._address}",
                fix=f"start one: dask worker {self._address}",
            ) from None
        except Exception as fault:
            raise _unlike(self._address, f"{type(fault).__name__}: {fault}") from None
        self._count_threads()
        for worker, trouble in answers.items():
            if trouble:
                raise _unlike(worker, trouble)


def _silence() -> None:
    """Let errors of Dask's threads and tasks be reported in one line here, and not by each of them.

    Dask gives each of its loggers a level of its own; asyncio reports tasks that nobody awaited
    when their scheduler has gone.
    """
    for name in ("asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in {"asyncio", "distributed", "tornado"}:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _reach(address: str) -> None:
    """Raise unless something listens there: Dask itself goes on trying in threads of its own."""
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    if parts.scheme not in {"tcp", "tls"} or not parts.hostname or not parts.port:
        raise ValueError("no address such as tcp://host:8786")
    socket.create_connection((parts.hostname, parts.port), timeout=_PATIENCE).close()


def _unlike(worker: str, what: str) -> SpecError:
    return SpecError(
        f"{worker}: {what.splitlines()[0][:200]}",
        expected="workers with this very version of pigglesim, its engine, models and scenes",
        fix="install the same everywhere, and give files by paths that all can read",
    )
