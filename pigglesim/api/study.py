"""Studies: many throws in a folder, their results with confidence intervals, and measured odds."""

import shutil
import weakref
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from os import PathLike
from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated, Any, Literal

import duckdb
import numpy as np

from pigglesim.arguments import JsonResult, checked, given, plain
from pigglesim.bodies.body import Body
from pigglesim.bodies.mesh import mesh_errors
from pigglesim.errors import PigglesimError, SpecError, unknown_name
from pigglesim.experiments.dask_cluster import Cluster
from pigglesim.experiments.estimates import (
    DRAWN_FLOOR,
    CellAnswers,
    Contrast,
    Counts,
    StudyAnswers,
    answer,
)
from pigglesim.experiments.factors import ThrowKind
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.run import Executor, StudyProgress, recounted, run
from pigglesim.experiments.shard import Job, StudyPlan, body_name, make_shard, read_counts
from pigglesim.experiments.sql_sandbox import open_throws, run_query
from pigglesim.experiments.statistics import (
    Method,
    Moments,
    Share,
    binomial,
    budget_of_mean,
    mean_of,
    mean_within,
    share_within,
)
from pigglesim.experiments.stopping_rule import target_of
from pigglesim.experiments.store import (
    Store,
    read_definition,
    stored_study,
    torn_fault,
    whole_shards,
)
from pigglesim.experiments.study import Study, checked_table
from pigglesim.experiments.worker_pool import InProcess, WorkerPool
from pigglesim.limits import LEVEL
from pigglesim.notebook_display import displayed
from pigglesim.physics.engines import fastest_engine_name
from pigglesim.precompile import compile_for
from pigglesim.rng import Seed, root_seed
from pigglesim.rotations import Indices
from pigglesim.scene.scene import Board, Scene
from pigglesim.signals import interrupts_in_libraries


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class StudyResult(JsonResult):
    """Results of a study so far; every number has its interval."""

    folder: Path
    """Folder that stores every throw."""
    study: Study
    """Study: its models, factors and number of throws."""
    throws: int
    """Number of throws made."""
    finished: bool
    """True if all throws of the study are made."""
    answers: StudyAnswers | None = field(repr=False)
    """Results by cell; None if there are no throws."""
    failed: Mapping[int, str] = field(default_factory=dict)
    """Errors of the shards that failed in this run, by shard."""
    run: StudyProgress | None = field(default=None, repr=False)
    """Progress of the run that gave this result; None if it was read from a folder."""
    stopped: bool = False
    """True if that run was interrupted."""

    @property
    def cells(self) -> tuple[CellAnswers, ...]:
        """Results of each combination of factor levels."""
        return self.answers.cells if self.answers else ()

    @property
    def contrasts(self) -> tuple[Contrast, ...]:
        """Effect of each factor, for every pair of its levels."""
        return self.answers.contrasts if self.answers else ()

    @property
    def shares(self) -> dict[str, Share]:
        """Share of each orientation, in the first cell.

        Raises:
            SpecError: If there are no throws.
        """
        if not self.cells:
            raise _no_throws(self.folder)
        first = self.cells[0]
        return dict(zip(first.orientations, first.shares, strict=True))

    @property
    def unfinished(self) -> str:
        """Progress of an unfinished study, `unfinished: 250 of 600 throws`; empty if finished."""
        return "" if self.finished else _unfinished(self.study, self.throws)

    @property
    def how_far(self) -> str:
        """Progress of the study in words."""
        return self.unfinished or f"{self.throws:,} throws, finished"

    @checked
    def probability(
        self,
        event: str,
        *,
        cell: int = 0,
        level: Annotated[float, LEVEL] = 0.95,
        interval: Literal["wilson", "jeffreys"] = "wilson",
    ) -> Share:
        """Return the probability of an event per throw, with its interval.

        Args:
            event: Condition in SQL on all dice of one throw together, over the columns that
                `query("DESCRIBE throws")` lists: `"sum(points) >= 10"`, or
                `"count(*) FILTER (orientation = 'Snout-Up') = 6"`.
            cell: Number of the combination of factor levels, from 0.
            level: Confidence level.
            interval: Form of the interval.

        Raises:
            SpecError: If the condition is invalid, or there are no throws.

        Examples:
            >>> import pigglesim
            >>> pours = pigglesim.study("pour", throws=20, seed=1)
            >>> six_up = pours.probability("count(*) FILTER (orientation = 'Snout-Up') = 6")
        """
        rows, floors = self._of_each_throw(f"({event})", cell)
        if not all(isinstance(row, bool | None) for row in rows):
            raise SpecError(
                f"{event} is not true or false", fix="compare, as in sum(points) >= 10, or use mean"
            )
        method = chosen_method(interval)
        if law := _model_throws(self.folder, self.study):
            hits = np.array([bool(row) for row in rows], dtype=np.int64)
            sums, budget = Moments.of(hits, np.ones_like(hits)), budget_of_mean(hits, floors)
            budget = budget.of_share(sums.value, model_throws=law)
            return share_within(sums, budget, model_throws=law, level=level)
        return binomial(sum(map(bool, rows)), len(rows), level=level, method=method)

    @checked
    def mean(
        self, quantity: str, *, cell: int = 0, level: Annotated[float, LEVEL] = 0.95
    ) -> Interval:
        """Return the mean of a quantity over all throws, with a Student interval.

        Args:
            quantity: Number in SQL over all dice of one throw together, such as `"sum(points)"`.
            cell: Number of the combination of factor levels, from 0.
            level: Confidence level.

        Raises:
            SpecError: If the quantity is invalid, or there are no throws.
        """
        rows, floors = self._of_each_throw(f"({quantity})::DOUBLE", cell)
        if any(row is None for row in rows):
            raise SpecError(f"{quantity} is null for some throws", fix="use coalesce(..., 0)")
        values = np.array(rows, float)
        if self.study.floors:
            return mean_within(float(values.mean()), budget_of_mean(values, floors), level=level)
        return mean_of(values, level=level)

    def query(self, question: str) -> list[dict[str, Any]]:
        """Return the answer to one SELECT from the view `throws`, as one mapping per row.

        Raises:
            SpecError: If the question is not a SELECT, is invalid, or exceeds its limits.
        """
        with open_throws(self.folder, study=self.study) as connection:
            result = run_query(connection, question)
            return [dict(zip(result.columns, row, strict=True)) for row in result.rows]

    def write_report(self) -> tuple[list[Path], list[str]]:
        """Write the report of the study into its folder.

        Returns:
            The files written, the page first; and one line for each missing part.

        Raises:
            RecordError: If a shard is damaged.
            SpecError: If the folder cannot be written, or there are no throws.
        """
        if not self.answers:
            raise _no_throws(self.folder)
        from pigglesim.render.study_report import write_report  # noqa: PLC0415 (draws)

        definition = read_definition(self.folder)
        bodies, cell_bodies, board, notes = _pieces(self.study, definition["made_of"])
        try:
            with open_throws(self.folder, study=self.study) as connection:
                files = write_report(
                    self.folder,
                    answers=self.answers,
                    metadata={
                        "title": _title(self.study),
                        "how far": self.how_far,
                        **definition,
                    },
                    unfinished=self.unfinished,
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
            RecordError: If a shard is damaged.
            SpecError: If the folder cannot be written, or there are no throws.
        """
        return self.write_report()[0][0]

    def document(self) -> dict[str, Any]:
        """Return the results as JSON values; unknown values are None."""
        return {
            "folder": str(self.folder),
            "study": self.study.definition(),
            "throws": self.throws,
            "finished": self.finished,
            "unfinished": self.unfinished or None,
            "answers": plain(asdict(self.answers)) if self.answers else None,
        }

    def __repr__(self) -> str:
        shares = [f"{name} {share}" for name, share in (self.shares if self.cells else {}).items()]
        others = [f"other cells: {len(self.cells) - 1}"] if len(self.cells) > 1 else []
        subject = f"{self.study.kind}s of {', '.join(self.study.models)}"
        parts = [subject, *shares, *others, self.how_far, f"seed {self.study.seed}"]
        return f"StudyResult({'; '.join(parts)})"

    def _repr_html_(self) -> str | None:
        return displayed("study_html", self.answers) if self.answers else None

    def _of_each_throw(self, value: str, cell: int) -> tuple[list[Any], Indices]:
        """Return the value of an SQL expression over the dice of each throw of a cell.

        The second array has the number of the floor of each throw; 0 where none was drawn.
        """
        if not 0 <= cell < self.study.cell_count:
            raise SpecError(
                f"no cell {cell}", expected=f"0 to {self.study.cell_count - 1}", fix="use cell=0"
            )
        floor = f"any_value({DRAWN_FLOOR})" if self.study.floors else "0"
        rows = self.query(
            f"SELECT {value} AS found, {floor} AS floor FROM throws WHERE cell = {cell} "
            f'AND NOT standing GROUP BY "throw" ORDER BY "throw"'
        )
        if not rows:
            raise _no_throws(self.folder)
        return [row["found"] for row in rows], np.array([row["floor"] for row in rows])


def _no_throws(folder: Path) -> SpecError:
    return SpecError(f"no throws in {folder}", fix="run the study first")


def chosen_level(level: float | None, study: Study) -> float:
    """Return the confidence level; None for that of the study."""
    return (study.level or 0.95) if level is None else level


def chosen_method(interval: str) -> Method:
    """Return the form of interval with this name."""
    if interval not in set(Method):
        raise unknown_name("interval", interval, map(str, Method))
    return Method(interval)


@checked
def read_study(
    folder: str | PathLike[str],
    *,
    level: Annotated[float | None, LEVEL] = None,
    interval: str = "wilson",
) -> StudyResult:
    """Return the results of a study in a folder, run here or by the command line.

    Args:
        folder: Folder written by `study(..., out=folder)` or `pigglesim study --out`.
        level: Confidence level of all intervals. Default: the study's, or 0.95.
        interval: Form of the intervals of shares, `wilson` or `jeffreys`.

    Returns:
        The results so far.

    Raises:
        PigglesimError: If it is not the folder of a study, or has been changed.

    Examples:
        >>> import pigglesim
        >>> pigglesim.read_study("pours").shares["Snout-Up"]
    """
    path = Path(folder)
    study = stored_study(path)
    return results_of(path, study, whole_shards(path, study), level=level, interval=interval)


def results_of(
    path: Path,
    study: Study,
    shards: Mapping[int, Path],
    *,
    level: float | None = None,
    interval: str = "wilson",
    answers: bool = True,
) -> StudyResult:
    """Return the results of a study in a folder, of whose `whole_shards` these are all.

    `answers` is whether the throws are counted; `read_study` describes the other arguments.
    """
    method, level = chosen_method(interval), chosen_level(level, study)
    throws, finished = _how_far(path, study, shards)
    found = None
    if throws and answers:
        factors = [factor.column for factor in study.varied()]
        law = _model_throws(path, study)
        mesh = _mesh_errors(study, read_definition(path)["made_of"]) if law else {}
        try:
            with open_throws(path, study=study, shards=[shards]) as connection:
                found = answer(
                    connection,
                    kind=str(study.kind),
                    factors=factors,
                    level=level,
                    method=method,
                    model_throws=law,
                    mesh=mesh,
                )
        except duckdb.Error as fault:
            raise torn_fault(path, fault) from None
    return StudyResult(folder=path, study=study, answers=found, throws=throws, finished=finished)


def _model_throws(folder: Path, study: Study) -> float | None:
    """Return the throws that the law is worth; None for a study on one floor."""
    if not study.floors:
        return None
    return float(read_definition(folder)["made_of"]["floors"]["model_throws"])


def _mesh_errors(study: Study, made_of: dict[str, Any]) -> dict[int, dict[str, float]]:
    """Return the error of each share from the mesh, by cell; empty where the body has changed."""
    bodies = _pieces(study, made_of)[1]
    return {cell: mesh_errors(body) for cell, body in bodies.items()}


def unfinished_study(folder: Path) -> str:
    """Return the progress of an unfinished study in a folder; empty for a finished one.

    Raises:
        RecordError: If it is not the folder of a study, or has been changed.
    """
    study = stored_study(folder)
    return results_of(folder, study, whole_shards(folder, study), answers=False).unfinished


def _unfinished(study: Study, throws: int) -> str:
    at_most = "at most " if study.half_width else ""
    return f"unfinished: {throws:,} of {at_most}{study.most_throws * study.cell_count:,} throws"


def _how_far(folder: Path, study: Study, shards: Mapping[int, Path]) -> tuple[int, bool]:
    """Return the number of throws made, and True if the study is complete."""
    try:
        shard_counts = read_counts(list(shards.values()))
    except (KeyError, ValueError, duckdb.Error) as fault:
        raise torn_fault(folder, fault) from None
    cells: dict[int, Counts] = defaultdict(Counts)
    for number, counts in zip(shards, shard_counts, strict=True):
        cells[number % study.cell_count] += counts
    throws = sum(counts.throws for counts in cells.values())
    if throws == study.most_throws * study.cell_count:
        return throws, True
    target = target_of(study)
    even = len({counts.throws for counts in cells.values()}) == 1
    complete = even and len(cells) == study.cell_count
    return throws, bool(target and complete and target.reached(list(cells.values())))


_DEFAULT_SINGLES, _DEFAULT_POURS = 10_000, 400
"""Default numbers of throws: half a minute to two minutes on one core."""
_QUICK = 5_000_000
"""Maximum number of throws that are counted in a few seconds, even after an interruption."""

Watching = Callable[[Store], AbstractContextManager[Callable[[StudyProgress], object]]]
"""Gives the function that is called after each shard, while an open folder is filled."""


def run_study(
    plan: StudyPlan,
    folder: Path,
    *,
    workers: int = 1,
    cluster: str | None = None,
    part: range | None = None,
    level: float | None = None,
    interval: str = "wilson",
    watching: Watching,
    settle: Callable[[], None] = lambda: None,
) -> StudyResult:
    """Make every shard that is missing from a folder, and return the results so far.

    `part` has the shards to make; None for all. `settle` is called after an interruption, before
    the throws are counted; there are no answers if that would take long. `study` describes the
    other arguments.
    """
    chosen_method(interval)  # raises before the throws, not after them
    stopped = False
    with Store(folder, plan) as store:
        progress = StudyProgress(cells=[], kept=len(store.finished))
        try:
            missing = len(set(part or range(plan.study.shard_count)) - store.finished)
            with (
                watching(store) as watch,
                _executor(store, missing, workers, cluster) as executor,
            ):

                def on_progress(current: StudyProgress) -> None:
                    nonlocal progress
                    progress = current
                    watch(current)

                try:
                    with interrupts_in_libraries():
                        progress = run(store, executor, part=part, watch=on_progress)
                except KeyboardInterrupt:
                    # Ignore interrupts from here: a second one would lose the results.
                    settle()
                    raise
        except KeyboardInterrupt:
            settle()
            stopped, progress = True, recounted(store, progress)
        quick = not stopped or progress.throws <= _QUICK
        result = results_of(
            folder,
            plan.study,
            whole_shards(folder, plan.study),
            level=level,
            interval=interval,
            answers=quick,
        )
    return replace(result, failed=progress.failed, run=progress, stopped=stopped)


def _executor(store: Store, missing: int, workers: int, cluster: str | None) -> Executor:
    """Return the executor of the missing shards; no process is started if there is no work."""
    job = Job.of(store.plan)
    if missing and cluster:
        return Cluster(job, cluster, store.share())
    prepare = partial(partial, make_shard, job)
    count = min(workers, missing)
    return WorkerPool(prepare, count) if count > 1 else InProcess(prepare)


def compile_plan(plan: StudyPlan) -> None:
    """Compile the code for the throws of a study now, unless it is cached."""
    for engine in plan.engines:
        compile_for(plan.study.kind.work, engine=engine)


def settled_study(values: Mapping[str, Any], *, seed: Seed, source: str) -> Study:
    """Return the study of a table in the form of a STUDY.toml, with defaults filled in.

    Raises:
        SpecError: If a key is unknown, a value has the wrong type, or values contradict each other.
    """
    table = checked_table(values, source=source)
    single = ThrowKind(table["kind"]).single
    if single:
        # A single die has no cup: commas separate levels.
        table["models"] = [name.strip() for word in table["models"] for name in word.split(",")]
    if not {"throws", "half_width", "level", "max_throws"} & table.keys():
        table["throws"] = _DEFAULT_SINGLES if single else _DEFAULT_POURS
    if "seed" not in table:
        table["seed"] = root_seed(seed)
    engines = table["factors"].get("engine") or [fastest_engine_name()]
    return Study(**{"engine": str(engines[0]), **table})


@checked
def study(
    kind: Literal["drop", "flip", "roll", "tumbler", "tower", "pour", "knock"] = "drop",
    *,
    model: str | Sequence[str] = "piggle",
    throws: int | None = None,
    half_width: float | None = None,
    max_throws: int | None = None,
    factors: Mapping[str, Sequence[str | int | float]] | None = None,
    scene: str | PathLike[str] | None = None,
    floors: str | PathLike[str] | None = None,
    seed: Seed = None,
    engine: str | None = None,
    shard_size: int | None = None,
    out: str | PathLike[str] | None = None,
    workers: int = 1,
    cluster: str | None = None,
    level: Annotated[float | None, LEVEL] = None,
    interval: Literal["wilson", "jeffreys"] = "wilson",
    progress: Callable[[int, int], object] | None = None,
) -> StudyResult:
    """Throw many times, store every throw in a folder, and return shares with intervals.

    Every combination of levels is a cell. Trial k of every cell starts from the same random
    numbers; the `width_ratio` of a contrast shows how much narrower that makes it. An interruption
    (Ctrl-C) ends the run early: the throws so far are reported and saved. The number of workers
    changes no bit.

    Args:
        kind: Kind of throw: `drop`, `flip`, `roll`, `tumbler` or `tower` (one die onto a floor),
            `pour` (a cup onto an empty board) or `knock` (a cup onto six standing Piggles).
        model: Model thrown; several are levels. In a pour, `"piggle,premium"` is one cup.
        throws: Throws per cell. Default: 400 pours, else 10,000.
        half_width: Half-width of every share's interval at which throwing stops, such as 0.01.
        max_throws: Maximum throws per cell, with `half_width`.
        factors: Factors and their levels, by name, such as `{"friction": [0.2, 0.4]}`.
        scene: Table, or floor of a single die: a name or a path to a TOML file.
        floors: Fit of which each throw draws a floor: `"printed"`, or the folder of a fit.
            Intervals then include the uncertainty of the floor.
        seed: Root seed, or a stream to draw it from. Default: random; the result holds it.
        engine: Name in `known().engines`, or `"impulse"` for drops. Default: the fastest.
        shard_size: Throws per file. Default: by the size of the study.
        out: Folder to store throws in; an existing study there is resumed. Default: a temporary
            folder, which is deleted with the result.
        workers: Number of processes; above 1, a script needs `if __name__ == "__main__":`.
        cluster: Address of a Dask scheduler that does the work instead.
        level: Confidence level. Default: 0.95.
        interval: Form of the intervals of shares.
        progress: Function called after each shard with the numbers of throws made and wanted.

    Returns:
        The results so far.

    Raises:
        PigglesimError: If a name is unknown, a value is invalid, the folder holds another study,
            is in use or cannot be written, or every throw fails.

    Examples:
        >>> import pigglesim
        >>> drops = pigglesim.study("drop", model="d6", throws=1000, seed=1)
        >>> print(drops.shares["6"])
    """
    places = {name: str(path) for name, path in given(scene=scene, floors=floors).items()}
    counts = given(throws=throws, max_throws=max_throws, shard_size=shard_size)
    values = {
        "kind": kind,
        "models": [model] if isinstance(model, str) else list(model),
        **{name: int(count) for name, count in counts.items()},
        **given(half_width=half_width, engine=engine),
        **(given(level=level) if half_width is not None else {}),
        **places,
        "factors": {name: list(levels) for name, levels in (factors or {}).items()},
    }
    if cluster is not None and workers != 1:
        raise SpecError("workers with cluster has no effect", fix="leave workers out")
    plan = StudyPlan.of(settled_study(values, seed=seed, source="the arguments"))

    def on_progress(current: StudyProgress) -> None:
        if progress is not None:
            progress(current.throws, current.wanted * plan.study.cell_count)

    with ExitStack() as cleanup:
        folder = Path(mkdtemp(prefix="pigglesim-")) if out is None else Path(out)
        if out is None:
            cleanup.callback(shutil.rmtree, folder, ignore_errors=True)
        if cluster is None:
            compile_plan(plan)
        result = run_study(
            plan,
            folder,
            workers=workers,
            cluster=cluster,
            level=level,
            interval=interval,
            watching=lambda _: nullcontext(on_progress),
        )
        if result.stopped and not result.throws:
            raise KeyboardInterrupt
        if not result.throws:
            fault = next(iter(result.failed.values()), "nothing")
            raise SpecError(f"every throw failed: {fault}", fix="use other models or another scene")
        # A temporary folder is deleted with the result.
        weakref.finalize(result, cleanup.pop_all().close)
    return result


def _title(study: Study) -> str:
    models = ", ".join(Path(name).stem if "/" in name else name for name in study.models)
    titles = {
        "pour": "Pours of {} onto {}",
        "knock": "Pours of {} onto a team that stands on {}",
        "tumbler": "Throws of {} in a tumbler on {}",
        "tower": "Throws of {} through a tower on {}",
    }
    template = titles.get(str(study.kind), f"{study.kind.capitalize()}s of {{}} on {{}}")
    places = ", ".join(Path(name).stem for name in study.places or (study.scene,))
    return template.format(models, places)


def _pieces(
    study: Study, made_of: dict[str, Any]
) -> tuple[dict[str, Body], dict[int, Body], Board | None, list[str]]:
    """Return the dice by model and by cell, the board, and the inputs that have changed since."""
    try:
        plan = StudyPlan.read(study)
        all_bodies = plan.bodies
    except PigglesimError as fault:
        return {}, {}, None, [f"no spheres, maps or exact shares in the report: {fault}"]
    notes = []
    by_model: dict[str, list[Body]] = defaultdict(list)
    unchanged: dict[tuple[str, float | None], Body] = {}
    for (name, grams), body in all_bodies.items():
        label = body_name(name, grams)
        if made_of["models"].get(label) == body.sha256:
            unchanged[name, grams] = body
            by_model[body.model].append(body)
        else:
            notes.append(f"{label} is no longer what was thrown: no sphere of it in the report")
    # With several ballasts, a model's name does not identify one body.
    bodies = {model: own[0] for model, own in by_model.items() if len(own) == 1}
    cell_bodies: dict[int, Body] = {}
    for cell, setup in enumerate(plan.setups):
        thrown = {unchanged.get((name, setup.ballast_g)) for name in setup.models}
        if len(thrown) == 1 and (only := thrown.pop()) is not None:
            cell_bodies[cell] = only
    board = plan.base.place.board if isinstance(plan.base.place, Scene) else None
    if plan.base.place.sha256 != made_of["scene_sha256"]:
        notes.append(f"{study.scene} is no longer what was thrown on: no maps in the report")
        board = None
    elif len(study.places) > 1 and board is not None:
        notes.append("the scene varies: no maps in the report")
        board = None
    return bodies, cell_bodies, board, notes
