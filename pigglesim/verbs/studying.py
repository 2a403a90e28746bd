"""Many throws, kept in a folder and told with intervals, whoever makes them."""

import shutil
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from os import PathLike
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Literal

from pigglesim.arguments import checked
from pigglesim.errors import SpecError
from pigglesim.physics.engines import fastest_engine_name
from pigglesim.seeding import Seed, root_seed
from pigglesim.studies.executor import Executor, InProcess, LocalWorkers
from pigglesim.studies.identity import Plan
from pigglesim.studies.query import stops_are_heard
from pigglesim.studies.run import Progress, recounted, run
from pigglesim.studies.shard import Job
from pigglesim.studies.store import Store, checked_table
from pigglesim.studies.study import Study
from pigglesim.verbs.study_told import StudyResult, ask_folder, chosen_level, chosen_method
from pigglesim.verbs.waiting import tell_of_compiling

__all__ = ["Run", "run_store", "settled_study", "study"]

_FEW = {"drop": 10_000, "pour": 400, "knock": 400}
"""Throws where nothing says how many: half a minute or two on one core."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How the run of a study went."""

    progress: Progress
    stopped: bool
    """Whether it was interrupted: what was made by then is kept."""


def run_store(
    store: Store,
    *,
    workers: int = 1,
    cluster: str | None = None,
    watch: Callable[[Progress], None] = lambda progress: None,
    settle: Callable[[], None] = lambda: None,
) -> Run:
    """Make every shard that is missing from the folder of a study.

    Args:
        store: The folder.
        workers: Processes; with one all is done in this process.
        cluster: Address of a Dask scheduler that does the work instead.
        watch: Called after each shard.
        settle: Called at once when it is interrupted, before what there is is counted.
    """
    progress = Progress(cells=[], kept=len(store.finished))

    def keep(seen: Progress) -> None:
        nonlocal progress
        progress = seen
        watch(seen)

    try:
        with _executor(store, workers, cluster) as executor:
            try:
                with stops_are_heard():
                    return Run(progress=run(store, executor, watch=keep), stopped=False)
            except KeyboardInterrupt:
                # From here on: a second one would lose what the first shall show.
                settle()
                raise
    except KeyboardInterrupt:
        settle()
        return Run(progress=recounted(store, progress), stopped=True)


def _executor(store: Store, workers: int, cluster: str | None) -> Executor:
    """Return what does the shards; processes are not started for nothing to do."""
    job = Job.of(store.plan)
    missing = store.plan.study.shard_count - len(store.finished)
    if not missing:
        return InProcess(job)
    if cluster:
        from pigglesim.studies.cluster import Cluster  # noqa: PLC0415 (an extra)

        return Cluster(job, cluster)
    if min(workers, missing) == 1:
        return InProcess(job)
    return LocalWorkers(job, min(workers, missing))


def settled_study(asked: Mapping[str, Any], *, seed: Seed, source: str) -> Study:
    """Return the study of a table as a STUDY.toml has it; what it leaves open is settled.

    Args:
        asked: By key.
        seed: Where the table tells none.
        source: Where the table comes from, for what is at fault there.

    Raises:
        SpecError: If a key is unknown, a value is of the wrong kind or they contradict each other.
    """
    table = dict(checked_table(dict(asked), source=source))
    kind = str(table["kind"])
    if kind == "drop":
        # One die has no cup: commas stand between levels.
        table["models"] = [name.strip() for word in table["models"] for name in word.split(",")]
    if not {"throws", "half_width", "level", "max_throws"} & table.keys():
        table["throws"] = _FEW[kind]
    if "seed" not in table:
        table["seed"] = root_seed(seed)
    table["engine"] = table.get("engine") or fastest_engine_name()
    return Study.from_definition(table)


@checked
def study(
    kind: Literal["drop", "pour", "knock"] = "drop",
    *,
    model: str | Sequence[str] = "piggle",
    throws: int | None = None,
    half_width: float | None = None,
    max_throws: int | None = None,
    factors: Mapping[str, Sequence[str | int | float]] | None = None,
    scene: str | PathLike[str] | None = None,
    seed: Seed = None,
    engine: str | None = None,
    shard_size: int | None = None,
    out: str | PathLike[str] | None = None,
    workers: int = 1,
    cluster: str | None = None,
    level: float | None = None,
    interval: Literal["wilson", "jeffreys"] = "wilson",
    progress: Callable[[int, int], object] | None = None,
) -> StudyResult:
    """Throw many times, keep every throw in a folder, and tell shares with their intervals.

    Every combination of levels is a cell, and trial k of every cell starts from the same random
    numbers, so that differences are sharp. An interruption (Ctrl-C) ends the run early: what was
    thrown by then is told, and kept. How many workers there are changes no bit.

    Args:
        kind: A `drop` is one die on a floor, a `pour` a cup onto an empty board, a `knock` a cup
            onto six that stand there.
        model: What is thrown; several are levels. Of a pour `"piggle,premium"` is one cup.
        throws: Of each cell; if neither this nor `half_width` is given, a few.
        half_width: In place of `throws`: throw until every share is known to ± this.
        max_throws: Of each cell, with `half_width`.
        factors: What is varied, by name, such as `{"friction": [0.2, 0.4]}`.
        scene: The table, or the floor of a drop: a name or a path to a TOML file.
        seed: Root seed, or a stream to draw it from; a fresh one if None, told in the result.
        engine: One of `known().engines`, or of drops `"impulse"`; the fastest if None.
        shard_size: Throws per file; chosen if None.
        out: The folder to keep throws in; a study that is there already goes on, for nothing if it
            is whole. If None they are kept only as long as the result is.
        workers: Processes; more than one needs `if __name__ == "__main__":` in a script.
        cluster: Address of a Dask scheduler that does the work instead.
        level: Share of intervals that shall hold the truth; .95 if None.
        interval: Form of the intervals of shares.
        progress: Called after each piece of work with the throws made and those wanted.

    Returns:
        What the study says, as far as it has come.

    Raises:
        PigglesimError: If something is unknown or impossible, the folder is of another study, in
            use or cannot be written, or every throw fails.

    Examples:
        >>> import pigglesim
        >>> drops = pigglesim.study("drop", model="d6", throws=1000, seed=1)
        >>> print(drops.shares["6"])
    """
    words: dict[str, Any] = {
        "kind": kind,
        "models": [model] if isinstance(model, str) else list(model),
        "throws": throws,
        "half_width": half_width,
        "max_throws": max_throws,
        "level": level if half_width is not None else None,
        "scene": None if scene is None else str(scene),
        "engine": engine,
        "shard_size": shard_size,
        "factors": {name: list(levels) for name, levels in (factors or {}).items()},
    }
    given = {
        name: int(value) if isinstance(value, Integral) else value
        for name, value in words.items()
        if value not in (None, {})
    }
    asked = settled_study(given, seed=seed, source="the arguments")
    return _studied(asked, out, workers, cluster, level, interval, progress)


def _studied(
    asked: Study,
    out: str | PathLike[str] | None,
    workers: int,
    cluster: str | None,
    level: float | None,
    interval: str,
    tell: Callable[[int, int], object] | None,
) -> StudyResult:
    """Run a study into its folder, or into one that goes with the result."""
    chosen_method(interval)
    chosen_level(level, asked)
    if cluster is not None and workers != 1:
        raise SpecError("cluster or workers", got="both", remedy="leave workers out")
    plan = Plan.of(asked)
    folder = Path(mkdtemp(prefix="pigglesim-")) if out is None else Path(out)
    try:
        result = _run(plan, folder, workers, cluster, level, interval, tell)
    except BaseException:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if out is None:
        weakref.finalize(result, shutil.rmtree, folder, ignore_errors=True)
    return result


def _run(
    plan: Plan,
    folder: Path,
    workers: int,
    cluster: str | None,
    level: float | None,
    interval: str,
    tell: Callable[[int, int], object] | None,
) -> StudyResult:
    def watch(seen: Progress) -> None:
        if tell is not None:
            tell(seen.throws, seen.wanted * plan.study.cell_count)

    tell_of_compiling(plan.study.engine, throws="drops" if plan.study.kind == "drop" else "pours")
    with Store(folder, plan) as store:
        made = run_store(store, workers=workers, cluster=cluster, watch=watch)
        found = ask_folder(folder, level=level, interval=interval, failed=made.progress.failed)
    if made.stopped and not found.throws:
        raise KeyboardInterrupt
    if not found.throws:
        fault = next(iter(found.failed.values()), "nothing")
        raise SpecError(
            "throws that can be made", got=fault, remedy="other models or another scene"
        )
    return found
