"""A study run into its folder: what is there is left, what is missing is made, in any order."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from pigglesim.errors import RecordError
from pigglesim.studies.executor import Executor
from pigglesim.studies.stopping import Counts, Target
from pigglesim.studies.store import Store, shard_numbers
from pigglesim.studies.study import Study, ThrowKind

_ATTEMPTS = 3
_HOPELESS = 5
"""Shards given up without one made: then something is wrong with all."""

Rule = Callable[[Sequence[Counts]], int]
"""Takes the counts of every cell over all blocks so far, and returns how many blocks more are
wanted; 0 where it is content. It must be a pure function of the counts."""


@dataclass(kw_only=True)
class Progress:
    """How far a run has come."""

    cells: list[Counts]
    """Of everything that is there, by cell."""
    kept: int = 0
    """Shards that were there before."""
    made: int = 0
    """Shards that this run has made."""
    throws_kept: int = 0
    failed: dict[int, str] = field(default_factory=dict)
    """Shards that were given up, with what went wrong."""
    wanted: int = 0
    """Throws of each cell that are wanted as far as is known now."""

    @property
    def throws(self) -> int:
        """All throws that are there."""
        return sum(counts.throws for counts in self.cells)

    @property
    def throws_made(self) -> int:
        """Throws that this run has made."""
        return self.throws - self.throws_kept


def run(
    store: Store,
    executor: Executor,
    *,
    rule: Rule | None = None,
    watch: Callable[[Progress], None] = lambda progress: None,
) -> Progress:
    """Make every shard of a study that is missing, and return how it went.

    A study with a precision to reach is run in rounds of whole blocks; what the rule says after
    each depends on their counts alone, not on who made them or when.

    Args:
        store: The folder of the study.
        executor: Does the shards; started already.
        rule: Says after each round how many blocks more are wanted, where a precision is to be
            reached; `Target.more_blocks` of that precision if absent.
        watch: Called after each shard.
    """
    study = store.plan.study
    progress = Progress(cells=[Counts() for _ in range(study.cell_count)])
    target = target_of(study)
    if not target:
        progress.wanted = study.throws
        _round(store, executor, study.blocks(0, study.block_count), progress, watch)
        return progress
    rule = rule or partial(target.more_blocks, size=study.shard_size)
    done = 0
    while done < study.block_count and (more := rule(progress.cells)) > 0:
        end = min(done + more, study.block_count)
        progress.wanted = min(end * study.shard_size, study.most_throws)
        _round(store, executor, study.blocks(done, end), progress, watch)
        if progress.failed:
            # A rule that does not know all counts of a round would not be the same rule again.
            break
        done = end
    return progress


def recounted(store: Store, progress: Progress) -> Progress:
    """Return the progress of a run that was stopped, with every shard that is in the folder.

    A stop may come when a shard has its name and is not counted yet.
    """
    study = store.plan.study
    found = store.counts(shard_numbers(store.path))
    cells = [Counts() for _ in range(study.cell_count)]
    for number, counts in found.items():
        cells[study.shard(number).cell] += counts
    return replace(progress, cells=cells, made=len(found) - progress.kept)


def _round(
    store: Store,
    executor: Executor,
    numbers: Iterable[int],
    progress: Progress,
    watch: Callable[[Progress], None],
) -> None:
    """Make some shards, but for those that are there."""
    study, todo = store.plan.study, deque[int]()
    there: list[int] = []
    for number in numbers:
        (there if number in store.finished else todo).append(number)
    for number, counts in store.counts(there).items():
        progress.cells[study.shard(number).cell] += counts
        progress.kept += 1
        progress.throws_kept += counts.throws
    watch(progress)
    tries: Counter[int] = Counter()
    busy = 0
    while todo or busy:
        while todo and executor.room:
            executor.submit(todo.popleft())
            busy += 1
        outcome = executor.next()
        busy -= 1
        number, fault = outcome.number, outcome.fault
        if outcome.made is not None:
            try:
                store.add(outcome.made)
            except RecordError as nonsense:
                fault = str(nonsense)
        if fault:
            tries[number] += 1
            if tries[number] < _ATTEMPTS:
                todo.append(number)
                continue
            progress.failed[number] = fault
            if not progress.made and len(progress.failed) >= _HOPELESS:
                return
            continue
        assert outcome.made is not None
        progress.cells[study.shard(number).cell] += outcome.made.counts
        progress.made += 1
        watch(progress)


def target_of(study: Study) -> Target | None:
    """Return the precision that a study shall reach, if any."""
    if not study.precision:
        return None
    return Target(
        half_width=study.precision.half_width,
        level=study.precision.level,
        single=study.kind is ThrowKind.DROP,
    )
