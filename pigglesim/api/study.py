"""Studies: many throws kept in a folder, and what they say with intervals."""

import shutil
import weakref
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from numbers import Integral
from os import PathLike
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Literal

import duckdb
import numpy as np

from pigglesim.api.compile_notice import tell_of_compiling
from pigglesim.api.result import Result, plain
from pigglesim.arguments import checked
from pigglesim.bodies.body import Body
from pigglesim.errors import PigglesimError, SpecError, unknown_name
from pigglesim.notebook_display import displayed
from pigglesim.physics.engines import fastest_engine_name
from pigglesim.rng import Seed, root_seed
from pigglesim.scene.scene import Board, Scene
from pigglesim.signals import interrupts_in_queries
from pigglesim.studies.estimates import CellAnswers, Contrast, Counts, StudyAnswers, answer
from pigglesim.studies.query import open_throws, run_query
from pigglesim.studies.run import (
    Executor,
    Progress,
    recounted,
    run,
    target_of,
)
from pigglesim.studies.shard import Job, StudyPlan, body_name, make_shard, read_counts
from pigglesim.studies.statistics import Interval, Method, Share, binomial, mean_of
from pigglesim.studies.store import (
    Store,
    read_definition,
    stored_study,
    torn_fault,
    whole_shards,
)
from pigglesim.studies.study import Study, checked_table
from pigglesim.studies.worker_pool import InProcess, WorkerPool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class StudyResult(Result):
    """What a study says as far as it has come; every number has its interval."""

    folder: Path
    """Where every throw is kept."""
    study: Study
    """What is thrown, how often and how."""
    throws: int
    """That are there."""
    finished: bool
    """Whether they are all that the study wants."""
    answers: StudyAnswers | None = field(repr=False)
    """None where no throw is there."""
    failed: Mapping[int, str] = field(default_factory=dict)
    """Shards that were given up in this run, with what went wrong."""

    @property
    def cells(self) -> tuple[CellAnswers, ...]:
        """What each combination of factor levels says."""
        return self.answers.cells if self.answers else ()

    @property
    def contrasts(self) -> tuple[Contrast, ...]:
        """What changing one factor does, for every two of its levels."""
        return self.answers.contrasts if self.answers else ()

    @property
    def shares(self) -> dict[str, Share]:
        """How often each orientation came; of a study of many cells, of the first.

        Raises:
            SpecError: If no throw is there.
        """
        if not self.cells:
            raise _nothing(self.folder)
        first = self.cells[0]
        return dict(zip(first.orientations, first.shares, strict=True))

    @property
    def how_far(self) -> str:
        """How much of the study is there."""
        if self.finished:
            return f"{self.throws:,} throws, finished"
        most = f"{self.study.most_throws * self.study.cell_count:,}"
        most = f"at most {most}" if self.study.half_width else most
        return f"{self.throws:,} of {most} throws, unfinished"

    @checked
    def probability(
        self,
        event: str,
        *,
        cell: int = 0,
        level: float = 0.95,
        interval: Literal["wilson", "jeffreys"] = "wilson",
    ) -> Share:
        """Return how often something came of a throw.

        Args:
            event: A condition in SQL on all dice of one throw together, over the columns that
                `query("DESCRIBE throws")` tells: `"sum(points) >= 10"`, or
                `"count(*) FILTER (orientation = 'Snout-Up') = 6"`.
            cell: Of which combination of factor levels.
            level: Share of intervals that shall hold the truth.
            interval: Form of the interval.

        Raises:
            SpecError: If it is no such condition, or no throw is there.

        Examples:
            >>> import pigglesim
            >>> pours = pigglesim.study("pour", throws=20, seed=1)
            >>> six_up = pours.probability("count(*) FILTER (orientation = 'Snout-Up') = 6")
        """
        rows = self._of_each_throw(f"coalesce(({event})::BOOLEAN, false)", cell)
        method = chosen_method(interval)
        checked = chosen_level(level, self.study)
        return binomial(int(sum(rows)), len(rows), level=checked, method=method)

    @checked
    def mean(self, quantity: str, *, cell: int = 0, level: float = 0.95) -> Interval:
        """Return the mean of something over all throws, with Student's interval.

        Args:
            quantity: A number in SQL of all dice of one throw together, such as `"sum(points)"`.
            cell: Of which combination of factor levels.
            level: Share of intervals that shall hold the truth.

        Raises:
            SpecError: If it is no such number, or no throw is there.
        """
        rows = self._of_each_throw(f"({quantity})::DOUBLE", cell)
        if any(row is None for row in rows):
            raise SpecError(
                "a number of every throw", got=f"none of some by {quantity}", remedy="coalesce(...)"
            )
        return mean_of(np.array(rows, float), level=chosen_level(level, self.study))

    def query(self, question: str) -> list[dict[str, Any]]:
        """Return the answer to one SELECT from the view `throws`, a mapping a row.

        Raises:
            SpecError: If it is none, or wrong, or asks for more than it may.
        """
        with open_throws(self.folder) as connection:
            found = run_query(connection, question)
            return [dict(zip(found.columns, row, strict=True)) for row in found.rows]

    def write_report(self) -> tuple[list[Path], list[str]]:
        """Write the report of the study into its folder.

        Returns:
            What was written, the page first; and what it lacks, a line each.

        Raises:
            RecordError: If a shard is torn.
            SpecError: If the folder cannot be written, or there is nothing to tell of.
        """
        if not self.answers:
            raise SpecError(
                "throws to report", got=f"none in {self.folder}", remedy="run the study first"
            )
        from pigglesim.render.study_report import write_report  # noqa: PLC0415 (draws)

        known = read_definition(self.folder)
        bodies, cell_bodies, board, notes = _pieces(self.study, known["made_of"])
        title = _title(self.study, finished=self.finished)
        try:
            with open_throws(self.folder) as connection:
                files = write_report(
                    self.folder,
                    answers=self.answers,
                    metadata={"title": title, "how far": self.how_far, **known},
                    connection=connection,
                    bodies=bodies,
                    cell_bodies=cell_bodies,
                    board=board,
                )
        except duckdb.Error as fault:
            raise torn_fault(self.folder, fault) from None
        return files, notes

    def report(self) -> Path:
        """Write the report of the study into its folder, with pictures, and return the page.

        Raises:
            RecordError: If a shard is torn.
            SpecError: If the folder cannot be written, or there is nothing to tell of.
        """
        return self.write_report()[0][0]

    def document(self) -> dict[str, Any]:
        """Return what it says as plain values; what is not known is None."""
        return {
            "folder": str(self.folder),
            "study": self.study.definition(),
            "throws": self.throws,
            "finished": self.finished,
            "answers": plain(asdict(self.answers)) if self.answers else None,
        }

    def __repr__(self) -> str:
        shares = [f"{name} {share}" for name, share in (self.shares if self.cells else {}).items()]
        more = [f"and {len(self.cells) - 1} cells more"] if len(self.cells) > 1 else []
        of = f"{self.study.kind}s of {', '.join(self.study.models)}"
        told = [of, *shares, *more, self.how_far, f"seed {self.study.seed}"]
        return f"StudyResult({'; '.join(told)})"

    def _repr_html_(self) -> str | None:
        return displayed("study_html", self.answers) if self.answers else None

    def _of_each_throw(self, value: str, cell: int) -> list[Any]:
        """Return a value of SQL of the dice of each throw of a cell."""
        if not 0 <= cell < self.study.cell_count:
            raise SpecError(
                f"a cell from 0 to {self.study.cell_count - 1}", got=str(cell), remedy="cell=0"
            )
        rows = self.query(
            f"SELECT {value} AS found FROM throws WHERE cell = {cell} "
            f'AND NOT standing GROUP BY "throw" ORDER BY "throw"'
        )
        if not rows:
            raise _nothing(self.folder)
        return [row["found"] for row in rows]


def _nothing(folder: Path) -> SpecError:
    return SpecError("throws to tell of", got=f"none in {folder}", remedy="run the study first")


def chosen_level(level: float | None, study: Study) -> float:
    """Return the level of the intervals: the one given, or that of the study's precision.

    Raises:
        SpecError: If it is none.
    """
    if level is None:
        return study.level or 0.95
    if not 0.5 <= level < 1.0:
        raise SpecError("a level of 0.5 to less than 1", got=f"{level:g}", remedy="--level .95")
    return level


def chosen_method(interval: str) -> Method:
    """Return the form of interval of that name.

    Raises:
        SpecError: If there is none.
    """
    if interval not in set(Method):
        raise unknown_name("interval", interval, map(str, Method))
    return Method(interval)


@checked
def read_study(
    folder: str | PathLike[str],
    *,
    level: float | None = None,
    interval: str = "wilson",
) -> StudyResult:
    """Return what a study says that was run into a folder, here or by the command line.

    Args:
        folder: That `study(..., out=folder)` or `pigglesim study --out` has written.
        level: Of all intervals; that of the study's precision, or .95, if None.
        interval: Form of the intervals of shares, `wilson` or `jeffreys`.

    Returns:
        What it says as far as it has come.

    Raises:
        PigglesimError: If it is no folder of a study, or was changed since.

    Examples:
        >>> import pigglesim
        >>> pigglesim.read_study("pours").shares["Snout-Up"]
    """
    path = Path(folder)
    study = stored_study(path)
    method, level = chosen_method(interval), chosen_level(level, study)
    throws, finished = _how_far(path, study)
    answers = None
    if throws:
        factors = [found.column for found in study.varied()]
        try:
            with open_throws(path) as connection:
                answers = answer(
                    connection, kind=str(study.kind), factors=factors, level=level, method=method
                )
        except duckdb.Error as fault:
            raise torn_fault(path, fault) from None
    return StudyResult(folder=path, study=study, answers=answers, throws=throws, finished=finished)


def _how_far(folder: Path, study: Study) -> tuple[int, bool]:
    """Return how many throws are there, and whether they are all that the study wants."""
    shards = whole_shards(folder)
    try:
        found = read_counts(list(shards.values()))
    except (KeyError, ValueError, duckdb.Error) as fault:
        raise torn_fault(folder, fault) from None
    cells: dict[int, Counts] = defaultdict(Counts)
    for number, counts in zip(shards, found, strict=True):
        cells[number % study.cell_count] += counts
    throws = sum(counts.throws for counts in cells.values())
    if throws == study.most_throws * study.cell_count:
        return throws, True
    target = target_of(study)
    even = len({counts.throws for counts in cells.values()}) == 1
    whole = even and len(cells) == study.cell_count
    return throws, bool(target and whole and target.reached(list(cells.values())))


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
                with interrupts_in_queries():
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
    if missing and cluster:
        from pigglesim.studies.cluster import Cluster  # noqa: PLC0415 (an extra)

        return Cluster(job, cluster)
    prepare = partial(partial, make_shard, job)
    count = min(workers, missing)
    return WorkerPool(prepare, count) if count > 1 else InProcess(prepare)


def settled_study(asked: Mapping[str, Any], *, seed: Seed, source: str) -> Study:
    """Return the study of a table as a STUDY.toml has it; what it leaves open is settled.

    Raises:
        SpecError: If a key is unknown, a value is of the wrong kind or they contradict each other.
    """
    table = checked_table(asked, source=source)
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
    # Before the throws, not after them.
    chosen_method(interval)
    chosen_level(level, asked)
    if cluster is not None and workers != 1:
        raise SpecError("cluster or workers", got="both", remedy="leave workers out")
    plan = StudyPlan.of(asked)

    def watch(seen: Progress) -> None:
        if progress is not None:
            progress(seen.throws, seen.wanted * asked.cell_count)

    tell_of_compiling(asked.engine, throws="drops" if asked.kind == "drop" else "pours")
    with ExitStack() as kept:
        folder = Path(mkdtemp(prefix="pigglesim-")) if out is None else Path(out)
        if out is None:
            kept.callback(shutil.rmtree, folder, ignore_errors=True)
        with Store(folder, plan) as store:
            made = run_store(store, workers=workers, cluster=cluster, watch=watch)
            found = replace(
                read_study(folder, level=level, interval=interval), failed=made.progress.failed
            )
        if made.stopped and not found.throws:
            raise KeyboardInterrupt
        if not found.throws:
            fault = next(iter(found.failed.values()), "nothing")
            raise SpecError(
                "throws that can be made", got=fault, remedy="other models or another scene"
            )
        # A folder of its own goes with the result.
        weakref.finalize(found, kept.pop_all().close)
    return found


def _title(study: Study, *, finished: bool) -> str:
    models = ", ".join(Path(name).stem if "/" in name else name for name in study.models)
    onto = {"drop": "Drops of {} on {}", "pour": "Pours of {} onto {}"}
    words = onto.get(str(study.kind), "Pours of {} onto a team that stands on {}")
    title = words.format(models, Path(study.scene).stem)
    return title if finished else f"{title} (unfinished)"


def _pieces(
    study: Study, made_of: dict[str, Any]
) -> tuple[dict[str, Body], dict[int, Body], Board | None, list[str]]:
    """Return the dice by model and by cell, the board, and what is no longer as it was thrown."""
    try:
        plan = StudyPlan.read(study)
        found = plan.bodies
    except PigglesimError as fault:
        return {}, {}, None, [f"no spheres, maps or exact shares in the report: {fault}"]
    notes = []
    by_model: dict[str, list[Body]] = defaultdict(list)
    known: dict[tuple[str, float | None], Body] = {}
    for (name, grams), body in found.items():
        called = body_name(name, grams)
        if made_of["models"].get(called) == body.sha256:
            known[name, grams] = body
            by_model[body.model].append(body)
        else:
            notes.append(f"{called} is no longer what was thrown: no sphere of it in the report")
    # Of several ballasts a model's name stands for no one body.
    bodies = {model: own[0] for model, own in by_model.items() if len(own) == 1}
    cell_bodies: dict[int, Body] = {}
    for cell, setup in enumerate(plan.setups):
        thrown = {known.get((name, setup.ballast_g)) for name in setup.models}
        if len(thrown) == 1 and (only := thrown.pop()) is not None:
            cell_bodies[cell] = only
    board = plan.base.place.board if isinstance(plan.base.place, Scene) else None
    if plan.base.place.sha256 != made_of["scene_sha256"]:
        notes.append(f"{study.scene} is no longer what was thrown on: no maps in the report")
        board = None
    return bodies, cell_bodies, board, notes
