"""Run a study into its folder: finished shards stay, missing ones are made, in any order."""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TypeAlias

from pigglesim.errors import RecordError
from pigglesim.experiments.dask_cluster import Cluster
from pigglesim.experiments.estimates import Counts
from pigglesim.experiments.stopping_rule import target_of
from pigglesim.experiments.store import Store, shard_numbers
from pigglesim.experiments.worker_pool import InProcess, WorkerPool

Executor: TypeAlias = InProcess[int, bytes] | WorkerPool[int, bytes] | Cluster
"""Makes the Parquet files of shards, in any order; a job is the number of a shard."""

_ATTEMPTS = 3
_MAX_FAILED = 5
"""Shards given up before any is made, after which a run ends."""


@dataclass(kw_only=True)
class StudyProgress:
    """Progress of a run."""

    cells: list[Counts]
    """Counts of all finished throws, by cell."""
    kept: int = 0
    """Number of shards that existed before, of the rounds so far."""
    kept_throws: int = 0
    """Number of throws in them."""
    made: int = 0
    """Number of shards that this run has made."""
    failed: dict[int, str] = field(default_factory=dict)
    """Shards that were given up, with the last fault of each."""
    wanted: int = 0
    """Throws per cell that are required, as far as is known now."""

    @property
    def throws(self) -> int:
        """Number of finished throws."""
        return sum(counts.throws for counts in self.cells)


def run(
    store: Store,
    executor: Executor,
    *,
    part: Collection[int] | None = None,
    watch: Callable[[StudyProgress], None] = lambda progress: None,
) -> StudyProgress:
    """Make every missing shard of a study, or of a part: of a study without a precision.

    A study with a precision to reach is run in rounds of whole blocks; the size of the next round
    depends on the counts alone, not on who made them or when. `watch` is called after each shard.
    """
    study = store.plan.study
    progress = StudyProgress(cells=[Counts() for _ in range(study.cell_count)])
    target = target_of(study)
    if not target:
        progress.wanted = study.throws
        numbers: Iterable[int] = study.blocks(0, study.block_count)
        if part is not None:
            numbers = part
            throws = sum(len(study.shard(number).trials) for number in part)
            progress.wanted = ceil(throws / study.cell_count)
        _round(store, executor, numbers, progress, watch)
        return progress
    done, size = 0, study.shard_size
    while done < study.block_count and (more := target.more_blocks(progress.cells, size=size)):
        end = min(done + more, study.block_count)
        progress.wanted = min(end * size, study.most_throws)
        _round(store, executor, study.blocks(done, end), progress, watch)
        if progress.failed:
            # Without all counts of a round, the size of the next one is not determined.
            break
        done = end
    return progress


def recounted(store: Store, progress: StudyProgress) -> StudyProgress:
    """Return the progress of a stopped run, including a shard saved but not yet counted."""
    study = store.plan.study
    counts_by_shard = store.counts(shard_numbers(store.path))
    cells = [Counts() for _ in range(study.cell_count)]
    for number, counts in counts_by_shard.items():
        cells[study.shard(number).cell] += counts
    return replace(progress, cells=cells, made=len(counts_by_shard) - progress.kept)


def _round(
    store: Store,
    executor: Executor,
    numbers: Iterable[int],
    progress: StudyProgress,
    watch: Callable[[StudyProgress], None],
) -> None:
    """Make those shards that are missing."""
    study, required = store.plan.study, list(numbers)
    pending = deque(number for number in required if number not in store.finished)
    for number, counts in store.counts(set(required) & store.finished).items():
        progress.cells[study.shard(number).cell] += counts
        progress.kept += 1
        progress.kept_throws += counts.throws
    watch(progress)
    attempts: Counter[int] = Counter()
    busy = 0
    while pending or busy:
        while pending and executor.room:
            number = pending.popleft()
            executor.submit(number, number)
            busy += 1
        outcome = executor.next()
        busy -= 1
        number, fault = outcome.number, outcome.fault
        if not fault:
            try:
                counts = store.add(number, outcome.result)
            except RecordError as error:
                fault = str(error)
        if not fault:
            progress.cells[study.shard(number).cell] += counts
            progress.made += 1
            watch(progress)
            continue
        attempts[number] += 1
        if attempts[number] < _ATTEMPTS:
            pending.append(number)
            continue
        progress.failed[number] = fault
        if not progress.made and len(progress.failed) >= _MAX_FAILED:
            return
