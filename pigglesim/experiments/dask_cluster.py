"""Shards made on the workers of a Dask cluster."""

import logging
import socket
import warnings
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from math import inf
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from pigglesim.errors import SpecError, pip_install
from pigglesim.experiments.folder import StoreError
from pigglesim.experiments.shard import Job, ready
from pigglesim.experiments.store import SavedShard, SharedFolder
from pigglesim.experiments.worker_pool import Outcome

_AHEAD = 2
"""Shards handed out for each thread of the cluster."""
_COUNT_INTERVAL = 1.0
"""Interval between two questions to the scheduler for its workers [s]."""
_TIMEOUT = 10.0
"""Longest time in which a scheduler must answer [s]."""


def expect_dask() -> None:
    """Raise SpecError unless Dask's library of clusters is installed."""
    if find_spec("distributed") is None:
        raise SpecError("--cluster requires distributed", fix=f"run {pip_install('distributed')}")


class Cluster:
    """Makes shards on the workers of a Dask scheduler that is already running.

    A worker that dies costs the time of its shards: Dask hands them to others. A worker that sees
    the folder of the study saves its shards there, and only their seals and counts come back.

    Args:
        job: Job of the study.
        address: Address of the scheduler, such as `tcp://host:8786`.
        folder: Folder of the study.

    Raises:
        SpecError: If Dask is not installed, or no scheduler answers there.
    """

    def __init__(self, job: Job, address: str, folder: SharedFolder) -> None:
        self._job = job
        self._folder = folder
        self._address = address
        self._client: Any = None
        self._done: Any = None
        self._numbers: dict[str, int] = {}
        self._tries = 0
        self._threads = 1
        self._counted_at = -inf

    @property
    def room(self) -> bool:
        """True if a worker could take another shard."""
        return len(self._numbers) < _AHEAD * self._threads

    def submit(self, number: int, job: int) -> None:
        """Hand out a shard."""
        # A key of its own each time: Dask would else return the fault of the last try.
        self._tries += 1
        key = f"pigglesim-{self._job.digest[:12]}-{number}-{self._tries}"
        with self._scheduler_lost():
            future = self._client.submit(self._folder.made, self._job, job, key=key, pure=False)
            self._numbers[key] = number
            self._done.add(future)

    def next(self) -> Outcome[bytes | SavedShard]:
        """Wait for any shard."""
        with self._scheduler_lost():
            future = next(self._done)
            number = self._numbers.pop(future.key)
            if future.status == "error":
                return Outcome.raised(number, future.exception())
            # A result lost with its worker is computed again meanwhile.
            result = future.result()
            future.release()
            self._count_threads()
            return Outcome(number=number, result=result)

    @contextmanager
    def _scheduler_lost(self) -> Iterator[None]:
        """Report in one line that the scheduler has gone, whichever call notices first."""
        try:
            yield
        # Dask's CommClosedError is an OSError, its CancelledError none of Exception's.
        except (OSError, CancelledError):
            raise StoreError(
                f"the scheduler at {self._address} no longer answers",
                fix="start it and repeat the command to resume",
            ) from None

    def __enter__(self) -> "Cluster":
        """Connect, and check that the workers would make the same bits."""
        expect_dask()
        distributed: Any = import_module("distributed")
        _silence()
        try:
            _reach(self._address)
            with warnings.catch_warnings():
                # Versions that matter are compared below.
                warnings.simplefilter("ignore")
                self._client = distributed.Client(
                    self._address, timeout=_TIMEOUT, set_as_default=False
                )
        except Exception as fault:
            why = f"{type(fault).__name__}: {fault}".splitlines()[0][:120]
            raise SpecError(
                f"no Dask scheduler at {self._address}: {why}",
                fix="use --cluster with the address that `dask scheduler` prints",
            ) from None
        try:
            self._check()
        except BaseException:
            self._client.close()
            raise
        self._done = distributed.as_completed(loop=self._client.loop)
        return self

    def __exit__(self, *fault: object) -> None:
        """Cancel unfinished shards and disconnect."""
        self._numbers.clear()
        self._done.clear()
        self._client.close(timeout=_TIMEOUT)

    def _count_threads(self) -> None:
        """Ask the scheduler for its workers, which come and go, at most once per interval."""
        if monotonic() - self._counted_at >= _COUNT_INTERVAL:
            self._threads = max(1, sum(self._client.nthreads().values()))
            self._counted_at = monotonic()

    def _check(self) -> None:
        """Raise unless every worker could make the shards of this study."""
        try:
            self._client.wait_for_workers(1, timeout=_TIMEOUT)
            answers = self._client.run(ready, self._job)
        except TimeoutError:
            raise SpecError(
                f"no worker of the scheduler at {self._address} within {_TIMEOUT:g} s",
                fix=f"run dask worker {self._address}",
            ) from None
        except Exception as fault:
            raise _other_bits(self._address, f"{type(fault).__name__}: {fault}") from None
        self._count_threads()
        for worker, trouble in answers.items():
            if trouble:
                raise _other_bits(worker, trouble)


def _silence() -> None:
    """Silence Dask's threads and tasks: their errors are reported in one line here.

    Dask gives each of its loggers a level of its own; asyncio reports tasks that nobody awaited
    when their scheduler has gone.
    """
    for name in ("asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in {"asyncio", "distributed", "tornado"}:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _reach(address: str) -> None:
    """Raise unless something listens there: Dask itself would retry in its own threads."""
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    if parts.scheme not in {"tcp", "tls"} or not parts.hostname or not parts.port:
        raise ValueError("not an address such as tcp://host:8786")
    socket.create_connection((parts.hostname, parts.port), timeout=_TIMEOUT).close()


def _other_bits(worker: str, reason: str) -> SpecError:
    return SpecError(
        f"the worker {worker} would make other bits: {reason.splitlines()[0][:200]}",
        fix="install the same versions everywhere and use paths that all workers can read",
    )
