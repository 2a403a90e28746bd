"""Counted throws of real dice, and how well simulated drops predict them.

A die is a folder with a `die.toml`.
"""

import hashlib
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import astuple, dataclass, field, replace
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from pigglesim.bodies.body import Body, Skin, support_for
from pigglesim.bodies.load import MODEL_FILE, check_mesh, load_model
from pigglesim.bodies.mesh import convex_hull, hull_of, mass_of
from pigglesim.bodies.mesh_files import MESH_FILE, triangles_in
from pigglesim.bodies.support import SupportFunction
from pigglesim.errors import SpecError, unknown_name
from pigglesim.experiments.factors import Level, ThrowKind, release_of
from pigglesim.experiments.fairness import MIN_EXPECTED
from pigglesim.experiments.statistics import SOURCES, Share, binomial, plausible_share
from pigglesim.experiments.worker_pool import map_in_order
from pigglesim.files import FileKind, decoded, parse_toml, read_beside, read_file, validated
from pigglesim.physics.drop import DropEnding, Dropper
from pigglesim.physics.engines import make_engine
from pigglesim.rng import generator
from pigglesim.rotations import Array, Indices
from pigglesim.scene.load import load_floor
from pigglesim.scene.scene import Floor, Release, Stepping, Surface
from pigglesim.throws import sample_drops
from pigglesim.units import INCHES

DIE_FILE = FileKind(name="die", values=5_000)
_SHALLOW = 1e-4
"""Depth [m] below which a pose that no outcome lists counts for the pose into which it spills; a
printed layer is as deep."""
_DENSITIES = {"plastic": 1100.0, "printed": 1100.0, "steel": 7850.0}
"""Density by material [kg/m3]. A die alone on a floor moves alike at any density."""

Number = Annotated[float, Field(allow_inf_nan=False)]
Side = Annotated[float, Field(ge=1e-3, le=1e6, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=10**9)]
Word = Annotated[str, Field(min_length=1, max_length=80)]


class _CountTable(BaseModel):
    # Other keys are notes of whoever counted.
    model_config = ConfigDict(extra="ignore", frozen=True)


class _OutcomeTable(_CountTable):
    label: Word
    count: Count | None = None
    down: Annotated[tuple[tuple[Number, Number, Number], ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _lengths(self) -> "_OutcomeTable":
        if any(not np.linalg.norm(direction) > 1e-9 for direction in self.down):
            raise ValueError(f"a direction of length zero in outcome {self.label!r}")
        return self


class DieTable(_CountTable):
    """The contents of a `die.toml`."""

    name: Word
    model: Word | None = None
    mesh: Word | None = None
    mesh_unit: Literal["mm", "cm", "m", "in"] | None = None
    box_mm: tuple[Side, Side, Side] | None = None
    material: Word = "printed"
    source: str = ""
    throw_count: Count | None = None
    labels_known: bool = True
    trend_only: bool = False
    throw: dict[str, Level] = {}
    counts: tuple[Count, ...] | None = None
    outcome: Annotated[tuple[_OutcomeTable, ...], Field(min_length=2)]

    @model_validator(mode="after")
    def _consistent(self) -> "DieTable":
        if [self.model, self.mesh, self.box_mm].count(None) != 2:
            raise ValueError("one of model, mesh and box_mm")
        outcome_counts = [outcome.count for outcome in self.outcome]
        if self.counts is None and any(count is None for count in outcome_counts):
            raise ValueError("a count is missing: give each outcome its count, or all in counts")
        if self.counts is not None and len(self.counts) != len(self.outcome):
            raise ValueError(f"{len(self.counts)} counts for {len(self.outcome)} outcomes")
        total = sum(self.counted())
        if self.throw_count not in {None, total}:
            raise ValueError(f"throw_count is {self.throw_count}, the counts add up to {total}")
        return self

    def counted(self) -> tuple[int, ...]:
        """Return the count of each outcome."""
        return self.counts or tuple(outcome.count or 0 for outcome in self.outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class DieOutcome:
    """One of the ways in which the die was counted."""

    label: str
    count: int
    poses: tuple[int, ...]
    """Indices of the poses of the support function that belong to it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountedDie:
    """A body, its stable poses, and the number of times that people saw it rest in each."""

    path: Path
    """Its `die.toml`."""
    name: str
    source: str
    material: str
    body: Body
    sha256: str
    """Digest of its file and its body."""
    support: SupportFunction
    outcomes: tuple[DieOutcome, ...]
    labels_known: bool
    """True if it is known which count belongs to which outcome."""
    trend_only: bool
    """True if too little is known of the throw for more than a trend."""
    kind: ThrowKind = ThrowKind.DROP
    """Kind of throw in which it was counted."""
    throw: Mapping[str, Level] = field(default_factory=dict)
    """What is known of that throw, by the names of factors of a study."""

    def release(self, floor: Floor, changes: Mapping[str, Level] | None = None) -> Release:
        """Return the throw of the die on a floor, with `changes` to what is known of it."""
        return release_of(self.kind, floor, {**self.throw, **(changes or {})})

    @property
    def counts(self) -> tuple[int, ...]:
        """Number of times that each outcome was seen."""
        return tuple(outcome.count for outcome in self.outcomes)

    def classes(self) -> list[int]:
        """Return for each pose the index of its outcome; -1 where none lists it."""
        classes = [-1] * len(self.support.poses)
        for index, outcome in enumerate(self.outcomes):
            for pose in outcome.poses:
                classes[pose] = index
        return classes


def counted_dice(folder: Path, *, kind: ThrowKind | None = None) -> list[CountedDie]:
    """Return every die counted in a folder or below it, by the order of their paths.

    `kind` is a kind of throw in place of what the files say.

    Raises:
        SpecError: If there is none, or one of them is faulty.
    """
    files = [folder] if folder.is_file() else sorted(folder.rglob("die.toml"))
    if not files:
        raise SpecError(
            f"no die.toml and no toss.toml in {folder}"
            if folder.is_dir()
            else f"no folder {str(folder)!r}",
            fix="use a folder that holds one folder per die",
        )
    dice = [read_die(path) for path in files]
    if kind is None:
        return dice
    return [die if die.kind is kind else replace(die, kind=kind, throw={}) for die in dice]


def has_counted_dice(folder: Path) -> bool:
    """Return whether a folder, or one below it, has a die that was counted."""
    return folder.name == "die.toml" if folder.is_file() else any(folder.rglob("die.toml"))


def read_die(path: Path) -> CountedDie:
    """Return the die that a `die.toml` describes.

    Raises:
        SpecError: If the file or its mesh is faulty.
    """
    where = f"{path.parent.name}/{path.name}"
    data = read_file(path, DIE_FILE)
    table = read_table(path, decoded(data, where=where))
    if not sum(table.counted()):
        raise SpecError(
            f"no throw was counted in {where}",
            fix="fill in the counts, or use pigglesim tally with a list of throws",
        )
    levels = dict(table.throw)
    kind = _kind(levels.pop("kind", ThrowKind.DROP), where)
    # On any floor: a level that cannot be is a fault of this file.
    release_of(kind, load_floor("tabletop"), levels)
    body = _model(path, table.model) if table.model else _body(path, table, data)
    support = support_for(body)
    outcomes = tuple(
        DieOutcome(label=outcome.label, count=count, poses=poses)
        for outcome, count, poses in zip(
            table.outcome, table.counted(), _poses_of(table, support, where), strict=True
        )
    )
    return CountedDie(
        path=path,
        name=table.name,
        source=table.source,
        material=table.material,
        body=body,
        sha256=hashlib.sha256(data + body.sha256.encode()).hexdigest(),
        support=support,
        outcomes=outcomes,
        labels_known=table.labels_known,
        trend_only=table.trend_only,
        kind=kind,
        throw=levels,
    )


def read_table(path: Path, text: str | None = None) -> DieTable:
    """Return the contents of a `die.toml`, or of another text for it; counts may still be 0.

    Raises:
        SpecError: If it is faulty.
    """
    where = f"{path.parent.name}/{path.name}"
    if text is None:
        text = decoded(read_file(path, DIE_FILE), where=where)
    return validated(
        DieTable.model_validate_json,
        parse_toml(text, DIE_FILE, where=where),
        expected=f"a valid die file {where}",
        fix="give name, model, mesh or box_mm, and label, count and down of each outcome",
    )


def _kind(name: Level, where: str) -> ThrowKind:
    """Return the kind of throw of a single die."""
    kinds = [kind for kind in ThrowKind if kind.single]
    if name not in kinds:
        raise unknown_name(f"kind of throw in {where}", str(name), kinds)
    return ThrowKind(name)


def _poses_of(table: DieTable, support: SupportFunction, where: str) -> list[tuple[int, ...]]:
    """Return the poses of each outcome: those into which its directions roll.

    A shallow pose without a direction belongs to the outcome into which it spills.
    """
    owner: dict[int, int] = {}
    for index, outcome in enumerate(table.outcome):
        for direction in outcome.down:
            pose = support.descend(np.array(direction))
            if owner.setdefault(pose, index) != index:
                other = table.outcome[owner[pose]].label
                raise SpecError(
                    f"{where}: {outcome.label!r} and {other!r} both roll into pose {pose}",
                    fix="correct their directions down, or make them one outcome",
                )
    listed = dict(owner)
    for pose, rest in enumerate(support.poses):
        if pose not in owner and rest.escape < _SHALLOW:
            owner[pose] = listed[_spills_into(support, pose, set(listed))]
    return [
        tuple(sorted(pose for pose, listed_index in owner.items() if listed_index == index))
        for index in range(len(table.outcome))
    ]


def _spills_into(support: SupportFunction, pose: int, goals: set[int]) -> int:
    """Return the goal whose path from a pose has the lowest saddle."""
    reached = {k: {k} for k in range(len(support.poses))}
    for saddle in support.saddles:
        joined = reached[saddle.first] | reached[saddle.second]
        for member in joined:
            reached[member] = joined
        if reached[pose] & goals:
            break
    return min(reached[pose] & goals)


def _model(path: Path, name: str) -> Body:
    """Return the body of a model file in the folder of a die; it may have ballast."""
    read_beside(path, name, MODEL_FILE)  # raises if the name points elsewhere
    return load_model(str(path.parent / name))


def _body(path: Path, table: DieTable, data: bytes) -> Body:
    skin = _box(table.box_mm) if table.box_mm else _mesh(path, table)
    check_mesh(skin.vertices, skin.faces, name=f"{path.parent.name}/{path.name}")
    digest = hashlib.sha256(data + skin.vertices.tobytes() + skin.faces.tobytes()).hexdigest()
    return solid_body(table.name, skin, material=table.material, sha256=digest)


def solid_body(name: str, skin: Skin, *, material: str, sha256: str) -> Body:
    """Return a body of one solid material."""
    hull, _ = hull_of(skin)
    density = _DENSITIES.get(material, 1000.0)
    return Body(
        model=name,
        skin=skin,
        hull=hull,
        parts=(),
        mass=mass_of(skin.vertices, skin.faces, density=density, ballast=None),
        poses=(),
        sha256=sha256,
    )


def _box(sides: tuple[float, float, float]) -> Skin:
    signs = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    mesh = convex_hull(signs * np.array(sides) * 1e-3)
    return Skin(vertices=mesh.vertices, faces=mesh.faces, face_parts=("box",) * len(mesh.faces))


def _mesh(path: Path, table: DieTable) -> Skin:
    from trimesh import Trimesh  # noqa: PLC0415 (slow to import)

    assert table.mesh is not None
    data = read_beside(path, table.mesh, MESH_FILE)
    unit = table.mesh_unit or ("m" if table.mesh.lower().endswith(".glb") else "mm")
    # It joins the corners that triangles of an STL have in common.
    mesh: Any = Trimesh(*triangles_in(data, name=table.mesh))
    vertices = np.asarray(mesh.vertices, dtype=float) * INCHES.dimension.units[unit]
    faces = np.asarray(mesh.faces, dtype=np.int64)
    return Skin(vertices=vertices, faces=faces, face_parts=("die",) * len(faces))


_DROPS, _DROPS_PER_THROW = 20_000, 10
"""Drops of a body, and the least for each throw that was counted: the noise of the prediction then
widens its distance from the counts by a twentieth at most."""


def drops_for(dice: Sequence[CountedDie]) -> int:
    """Return the drops of each of some dice that predict their counts well enough."""
    return max(_DROPS, *(_DROPS_PER_THROW * sum(die.counts) for die in dice))


def weak_p(drops: Mapping[str, tuple[int, int]]) -> str:
    """Return which p are weak, as there were fewer drops than counted throws; empty for none.

    `drops` holds the numbers of drops and of counted throws by the name of what was predicted.
    """
    weak = {name: pair for name, pair in drops.items() if pair[0] < pair[1]}
    if not weak:
        return ""
    which = ", ".join(
        f"{name} ({made:,} for {counted:,})" for name, (made, counted) in weak.items()
    )
    return f"p is weak, with fewer drops than counted throws: {which}"


BATCH = 250
"""Drops a batch: a fraction of a second, so that progress moves and little is lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DropTally:
    """Counts of some drops."""

    counts: tuple[int, ...]
    """Drops by class, in the order of the classes; the last entry: none of them."""
    endings: tuple[int, ...]
    """Drops by ending, in the order of `DropEnding`."""

    def __add__(self, other: "DropTally") -> "DropTally":
        """Return both together."""
        return DropTally(
            counts=tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)),
            endings=tuple(a + b for a, b in zip(self.endings, other.endings, strict=True)),
        )

    @property
    def drops(self) -> int:
        """Number of drops."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DropTask:
    """Conditions of the drops of one die; drop `k` is a pure function of them."""

    name: str
    """Name of the stream of random numbers, with the seed."""
    body: Body
    support: SupportFunction
    classes: tuple[int, ...]
    """Class of each pose, from 0; -1 for a pose of none."""
    class_count: int
    fall: Release
    surface: Surface
    stepping: Stepping
    engine: str
    seed: int

    def drop(self, numbers: range, rows: Indices | None = None) -> DropTally:
        """Drop the die once for each of some consecutive numbers, or some rows of these."""
        dropper = Dropper(
            self.body,
            self.support,
            self.classes,
            surface=self.surface,
            stepping=self.stepping,
            engine=make_engine(self.engine),
        )
        drops = sample_drops(
            self.fall, self.body, trials=numbers, seed=self.seed, purpose=("drop", self.name)
        )
        ends = dropper.drop_all(drops if rows is None else drops.at(rows))
        # The last entry counts class -1 of unlisted poses, and drops without a pose.
        classes = np.array([*self.classes, -1])[ends.poses]
        counts = np.bincount(classes % (self.class_count + 1), minlength=self.class_count + 1)
        endings = np.bincount(ends.endings, minlength=len(DropEnding))
        return DropTally(counts=tuple(counts.tolist()), endings=tuple(endings.tolist()))


_RESAMPLES = 20_000
"""Samples drawn where a closed form does not hold: p is then accurate to 0.004."""
_PSEUDO = 0.5
"""Count added to every predicted outcome (Jeffreys), so that none has probability 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Agreement of counts with a prediction."""

    p: float
    """Probability of counts at least as far off, if the prediction is right; the prediction's own
    sampling noise is taken into account."""
    tv: float
    """Total variation between observed and predicted shares."""
    noise_tv: float
    """Its expectation if the prediction is right, from the sampling of the counts alone."""
    deficit: float
    """Log-likelihood of the counts under their own shares less that under the prediction."""


def total_variation(first: Array, second: Array) -> float:
    """Return half the sum of absolute differences of two share vectors, shape [outcome_count]."""
    return float(np.abs(first - second).sum() / 2.0)


def deficit(counts: Array, shares: Array) -> float:
    """Return the maximum log-likelihood of counts minus that under predicted shares.

    Args:
        counts: Shape [outcome_count].
        shares: Predicted, none of them 0 where something was counted, shape [outcome_count].
    """
    counted = counts > 0
    observed = counts[counted] / counts.sum()
    return float(np.sum(counts[counted] * np.log(observed / shares[counted])))


def best_matching(counts: Sequence[int], shares: Sequence[float]) -> tuple[int, ...]:
    """Return for each outcome the index of the count that fits it best.

    The likelihood of counts under shares is greatest where both are in the same order
    (the rearrangement inequality on counts and log shares).
    """
    matched = np.zeros(len(shares), dtype=int)
    matched[np.argsort(shares, kind="stable")] = np.argsort(counts, kind="stable")
    return tuple(matched.tolist())


def score(
    counts: Sequence[int],
    predicted: Sequence[float],
    *,
    throws: float | None,
    matched: bool = False,
    rng: np.random.Generator,
) -> Score:
    """Score predicted shares against counts.

    Args:
        counts: Counts of the outcomes, in the order of `predicted`.
        predicted: Predicted share of each outcome.
        throws: Number of throws in which the shares were counted, or that would know them as well;
            None if they are exact.
        matched: True if the counts were ordered to fit, as their labels are unknown. Samples are
            then ordered as well, so that p and noise remain valid.
        rng: Draws the samples where no closed form holds.

    Raises:
        SpecError: If nothing was counted or the lengths differ.
    """
    observed = np.asarray(counts, dtype=float)
    if len(counts) != len(predicted) or observed.sum() <= 0:
        raise SpecError(
            f"{len(counts)} counts for {len(predicted)} shares", fix="give each outcome one count"
        )
    shares = np.asarray(predicted, dtype=float)
    if throws is not None:
        shares = (shares * throws + _PSEUDO) / (throws + _PSEUDO * len(shares))
    total = int(observed.sum())
    # Shares counted in n throws stray too: the variance of the difference is that much larger.
    inflation = 1.0 + (total / throws if throws else 0.0)
    samples = _draws(shares, total, inflation, rng)
    if matched:
        order = np.argsort(np.argsort(shares))
        samples = np.sort(samples, axis=1)[:, order]
    null = _chi_square(samples, shares, total, inflation)
    statistic = float(_chi_square(observed[None, :], shares, total, inflation)[0])
    if not matched and (shares * total).min() >= MIN_EXPECTED:
        from scipy.special import chdtrc  # noqa: PLC0415 (slow to import)

        p = float(chdtrc(len(counts) - 1, statistic))
    else:
        p = float((1 + np.sum(null >= statistic * (1 - 1e-12))) / (1 + len(null)))
    return Score(
        p=p,
        tv=total_variation(observed / total, shares),
        noise_tv=float(np.mean(np.abs(samples / total - shares).sum(axis=1) / 2.0)),
        deficit=deficit(observed, shares),
    )


def _draws(shares: Array, total: int, inflation: float, rng: np.random.Generator) -> Array:
    """Return counts that the prediction would give, its own noise included, as rows."""
    exact = shares / shares.sum()
    if inflation == 1.0:
        return rng.multinomial(total, exact, size=_RESAMPLES).astype(float)
    throws = total / (inflation - 1.0)
    # True shares that are compatible with the counts in so many throws.
    truth = rng.dirichlet(exact * throws + _PSEUDO, size=_RESAMPLES)
    return rng.multinomial(total, truth).astype(float)


def _chi_square(counts: Array, shares: Array, total: int, inflation: float) -> Array:
    expected = shares * total
    statistics: Array = ((counts - expected) ** 2 / expected).sum(axis=1) / inflation
    return statistics


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorBudget:
    """Relative variances of predicted shares, in units of p (1 - p) for a share p.

    Their sum is that of a Dirichlet distribution with as many pseudo-counts as one over it. So a
    prediction is worth as much as so many counted throws, and is scored like counts.
    """

    counting: float
    """Of the simulated throws: one over their number."""
    between: float
    """Between plausible floors."""
    model: float
    """Of the laws themselves: one over the throws that they are worth."""

    @property
    def throws(self) -> float:
        """Counted throws that would know the shares as well."""
        return 1.0 / (self.counting + self.between + self.model)

    def deviations(self, share: float) -> dict[str, float]:
        """Return the standard deviation of a share from each source."""
        found = np.sqrt(share * (1.0 - share) * np.array([*astuple(self)])).tolist()
        return dict(zip(SOURCES, found, strict=False))


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedDie:
    """Counts of one die, and the prediction."""

    die: CountedDie
    counts: tuple[int, ...]
    """Counts in the order of the outcomes; under the best matching where labels are unknown."""
    tally: DropTally
    predicted: tuple[Share, ...]
    """Share of each outcome among the drops that ended in one."""
    unclassified: Share
    """Share of drops that ended in none."""
    score: Score
    within: tuple[bool, ...]
    """Whether each counted share is in the 90 % interval of the prediction for so many throws."""
    budget: ErrorBudget | None
    """Sources of the prediction's error; None for drops on one floor."""
    quasi_static: tuple[float, ...]
    """Shares of the outcomes among all directions that roll there without momentum."""
    quasi_static_score: Score


def drop_task(die: CountedDie, floor: Floor, *, engine: str, seed: int) -> DropTask:
    """Return the drops of one die on a floor.

    Raises:
        SpecError: If the floor does not know the die's material.
    """
    return DropTask(
        name=die.name,
        body=die.body,
        support=die.support,
        classes=tuple(die.classes()),
        class_count=len(die.outcomes),
        fall=die.release(floor),
        surface=floor.surface(die.material),
        stepping=floor.stepping,
        engine=engine,
        seed=seed,
    )


def drop_dice(
    tasks: Sequence[DropTask], *, drops: int, workers: int
) -> Generator[tuple[int, DropTally], None, None]:
    """Yield the number of the task and the tally of each batch, until each task has its drops."""
    jobs = [
        (number, range(start, min(start + BATCH, drops)))
        for number in range(len(tasks))
        for start in range(0, drops, BATCH)
    ]
    results = map_in_order(partial(partial, _drop, tuple(tasks)), jobs, workers=workers)
    for (number, _), tally in zip(jobs, results, strict=True):
        yield number, tally


def drop_all(
    tasks: Sequence[DropTask],
    *,
    drops: int,
    workers: int,
    watch: Callable[[int], object] = lambda done: None,
    stoppable: bool = False,
) -> list[DropTally]:
    """Return the tally of each task; of the first ones, if it is stoppable and Ctrl-C ends it.

    `watch` is called after each batch with the number of drops made.
    """
    tallies: list[DropTally] = []
    results = drop_dice(tasks, drops=drops, workers=workers)
    with suppress(*[KeyboardInterrupt] * stoppable), closing(results):
        for number, tally in results:
            tallies[number:] = [reduce(add, [*tallies[number:], tally])]
            watch(sum(each.drops for each in tallies))
    return tallies


def _drop(tasks: tuple[DropTask, ...], job: tuple[int, range]) -> DropTally:
    number, drops = job
    return tasks[number].drop(drops)


def judge(
    die: CountedDie,
    tally: DropTally,
    *,
    seed: int,
    predicted: Array | None = None,
    budget: ErrorBudget | None = None,
) -> JudgedDie:
    """Return how well the drops of a die predict its counts.

    Args:
        die: The die.
        tally: Its drops.
        seed: Root seed of what is drawn to score.
        predicted: Predicted shares, shape [outcome_count]. Default: those of the drops.
        budget: Error budget of the prediction. Default: only the counting of the drops.
    """
    hits = tally.counts[:-1]
    landed = max(sum(hits), 1)
    shares = [hit / landed for hit in hits] if predicted is None else predicted.tolist()
    worth = landed if budget is None else budget.throws
    rng, matched = generator(seed, "judge", die.name), not die.labels_known

    def fit(shares: Sequence[float], throws: float | None) -> tuple[tuple[int, ...], Score]:
        counts = die.counts
        if matched:
            counts = tuple(counts[k] for k in best_matching(counts, shares))
        return counts, score(counts, shares, throws=throws, matched=matched, rng=rng)

    exact = quasi_static_of(die)
    counts, dynamic_score = fit(shares, worth)
    return JudgedDie(
        die=die,
        counts=counts,
        tally=tally,
        predicted=tuple(plausible_share(share, worth) for share in shares),
        within=tuple(
            _is_within(count, sum(counts), share, worth)
            for count, share in zip(counts, shares, strict=True)
        ),
        budget=budget,
        unclassified=binomial(tally.counts[-1], tally.drops),
        score=dynamic_score,
        quasi_static=tuple(exact),
        quasi_static_score=fit(exact, None)[1],
    )


def _is_within(count: int, total: int, share: float, worth: float) -> bool:
    """Return whether a count is in the 90 % interval of its predictive law."""
    law = count_law(total, share, worth)
    return bool(law.cdf(count) >= 0.05 and law.sf(count - 1) >= 0.05)


def count_law(total: int, share: float, worth: float) -> Any:  # noqa: ANN401 (a class of scipy)
    """Return the distribution of a count in `total` throws: a Beta-binomial about a share.

    Args:
        total: Throws.
        share: Predicted share.
        worth: Throws that the prediction is worth.
    """
    from scipy.stats import betabinom  # noqa: PLC0415 (slow to import)

    return betabinom(total, share * worth + _PSEUDO, (1.0 - share) * worth + _PSEUDO)


def quasi_static_of(die: CountedDie) -> list[float]:
    """Return the share of each outcome among directions that roll there without momentum."""
    classes = np.array(die.classes())
    listed = classes >= 0
    shares = np.bincount(
        classes[listed], np.asarray(die.support.shares())[listed], minlength=len(die.outcomes)
    )
    return [share / sum(shares) for share in shares.tolist()]
