"""Fit of floors to counted throws: each floor of a design gets a weight.

An emulator is fitted to drops at points spread over all plausible floors. It gives the shares of
every die as smooth functions of the parameters. The prior is flat over the plausible ranges, and
the likelihood of the counts weighs every floor. The law may err, as a law that is worth some number
of throws, so the likelihood is Dirichlet-multinomial over unknown numbers. Predictions use the
weighted floors, because the best one alone is too sure: its parameters trade against each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from pigglesim.errors import SpecError
from pigglesim.experiments.counted_dice import CountedDie
from pigglesim.experiments.factors import ThrowKind
from pigglesim.experiments.floor_posterior import (
    MODEL_GRID,
    DiePrediction,
    PlausibleFloor,
    drawn_floors,
    log_likelihood_of,
    task_at,
)
from pigglesim.experiments.folder import EXACT, SeriesFolder, SeriesKind
from pigglesim.experiments.quadratics import normal_matrix, spread_evenly, terms
from pigglesim.physics.engines import make_engine
from pigglesim.rotations import Array
from pigglesim.scene.scene import Floor
from pigglesim.version import __version__


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number of a floor and its plausible range."""

    name: str
    unit: str
    low: float
    high: float
    ground: str
    """Reason for this range."""
    factor: str = ""
    """Factor of the throw that it is; empty for one of the surface."""


_SURFACE = (
    Parameter("friction", "", 0.2, 0.7, "plastics and steel on wood, dry"),
    Parameter("restitution", "", 0.2, 0.65, "hard things on wood or laminate"),
    Parameter("rolling lever", "mm", 0.1, 5.0, "from steel to printed bodies"),
)
_SPIN = Parameter(
    "spin", "rad/s", 2.0, 25.0, "up to four turns a second", factor="spin_spread_rad_s"
)
_THROWS = {
    ThrowKind.DROP: (
        Parameter("height", "mm", 50.0, 350.0, "a hand over a table", factor="height_mm"),
        Parameter("drift", "m/s", 0.0, 0.6, "let go, not thrown", factor="drift_spread_m_s"),
        _SPIN,
    ),
    ThrowKind.FLIP: (
        Parameter("height", "mm", 10.0, 500.0, "a hand over a table", factor="height_mm"),
        Parameter("rise", "mm", 10.0, 500.0, "from a gentle flip to a high one", factor="rise_mm"),
        Parameter("spin", "rad/s", 5.0, 120.0, "1 to 20 turns a second", factor="spin_rad_s"),
        Parameter(
            "wobble", "rad/s", 0.0, 10.0, "from a clean flip to a poor one",
            factor="wobble_spread_rad_s",
        ),
    ),
    ThrowKind.ROLL: (
        Parameter("height", "mm", 5.0, 100.0, "a hand close to the table", factor="height_mm"),
        Parameter("speed", "m/s", 0.3, 3.0, "from rolled to thrown", factor="speed_m_s"),
        Parameter("rolling", "", -0.2, 1.0, "from none to rolling", factor="rolling"),
        _SPIN,
    ),
    ThrowKind.TUMBLER: (
        Parameter("length", "mm", 60.0, 200.0, "a carton of dice", factor="length_mm"),
        Parameter("rate", "rad/s", 1.0, 6.0, "a slow motor to a hand", factor="rate_rad_s"),
    ),
    ThrowKind.TOWER: (
        Parameter("height", "mm", 20.0, 150.0, "let go over the tower", factor="height_mm"),
        Parameter("width", "", 2.6, 4.0, "so wide that no die sticks", factor="width"),
        Parameter("slope", "deg", 45.0, 65.0, "so steep that no die sticks", factor="slope_deg"),
    ),
}  # fmt: skip


def parameters_of(kind: ThrowKind) -> tuple[Parameter, ...]:
    """Return the parameters of a floor and a throw of a kind, with the ranges to try."""
    return (*_SURFACE, *_THROWS[kind])


PARAMETERS = parameters_of(ThrowKind.DROP)
"""Parameters of a floor and a drop; with other ranges, others may be given in their place."""

_LEVER = 2
"""The parameter that is spread by its logarithm."""
_SAMPLES = 50_000
_LAWS = MODEL_GRID[::25]
"""Throws that the law may be worth, each three times the one before."""
FLOORS = 128
"""Floors that stand for the posterior: the mean of a share strays by a tenth of its spread."""
_RIDGE = 1e-3
"""Weight, in design points, that holds undetermined slopes of the emulator at zero."""


class Ranges:
    """The ranges of parameters, each from -1 to 1."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self.parameters = tuple(parameters)
        ends = np.array([(p.low, p.high) for p in parameters])
        ends[_LEVER] = np.log(ends[_LEVER])
        self._low, self._high = ends.T

    @property
    def throw(self) -> tuple[str, ...]:
        """Factors of the throw, in the order of the parameters."""
        return tuple(p.factor for p in self.parameters if p.factor)

    def points(self, unit: Array) -> Array:
        """Return points in the units of the parameters, shape [count, parameter_count]."""
        points: Array = self._low + (self._high - self._low) * (unit + 1.0) / 2.0
        points[:, _LEVER] = np.exp(points[:, _LEVER])
        return points

    def features(self, points: Array) -> Array:
        """Return 1, every parameter from -1 to 1, every square and every product, as columns."""
        moved = points.copy()
        moved[:, _LEVER] = np.log(moved[:, _LEVER])
        return terms(2.0 * (moved - self._low) / (self._high - self._low) - 1.0)

    def design(self, count: int, *, seed: int) -> Array:
        """Return points spread evenly over all ranges, shape [count, parameter_count]."""
        return self.points(2.0 * spread_evenly(count, len(self._low), seed=seed) - 1.0)


class Emulator:
    """Shares of one die's outcomes as smooth functions of the floor.

    Log shares, up to their mean, are quadratic in the parameters, fitted by least squares.

    Args:
        ranges: Ranges of the parameters.
        points: Shape [point_count, parameter_count].
        counts: Drops by outcome at each point, shape [point_count, outcome_count].
    """

    def __init__(self, ranges: Ranges, points: Array, counts: Array) -> None:
        self.ranges = ranges
        features = ranges.features(points)
        if len(points) < 2 * features.shape[1]:
            raise SpecError(
                f"{len(points)} points are too few for the emulator",
                fix=f"use --points {2 * features.shape[1]} or more",
            )
        # Half a drop each, so that an outcome never seen has a logarithm too.
        shares = (counts + 0.5) / (counts.sum(axis=1, keepdims=True) + 0.5 * counts.shape[1])
        logs = np.log(shares)
        logs -= logs.mean(axis=1, keepdims=True)
        normal = normal_matrix(features, _RIDGE)
        self._weights = np.linalg.solve(normal, features.T @ logs)
        residual = logs - features @ self._weights
        spare = max(len(points) - features.shape[1], 1)
        self._covariance = np.linalg.inv(normal)
        self._noise = residual.T @ residual / spare

    def shares(self, points: Array) -> Array:
        """Return the shares at points, shape [point_count, outcome_count]."""
        raised = np.exp(self.ranges.features(points) @ self._weights)
        shares: Array = raised / raised.sum(axis=1, keepdims=True)
        return shares

    def change(self, point: Array, other: Array) -> tuple[Array, Array]:
        """Return how the shares change from one point to another, and the standard error.

        Both have shape [outcome_count]. The error is linearised in the fitted logarithms of all
        shares, whose noise is correlated: the more of one outcome, the less of the others.
        """
        pair = np.stack([point, other])
        shares, features = self.shares(pair), self.ranges.features(pair)
        # Of each share by each logarithm, at both points.
        slopes = shares[:, :, None] * (np.eye(shares.shape[1]) - shares[:, None, :])
        gradient = slopes[1][:, :, None] * features[1] - slopes[0][:, :, None] * features[0]
        variance = np.einsum(
            "kaf,fg,kbg,ab->k", gradient, self._covariance, gradient, self._noise, optimize=True
        )
        return shares[1] - shares[0], np.sqrt(np.maximum(variance, 0.0))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FitPosterior:
    """Posterior of the floor, given the counts."""

    mean: Array
    """Shape [parameter_count], in the order and the units of `PARAMETERS`."""
    low: Array
    """5 % quantile, shape [parameter_count]."""
    high: Array
    """95 % quantile, shape [parameter_count]."""
    narrowing: Array
    """1 minus the ratio of the standard deviations of posterior and prior, shape [parameter_count];
    near 0 where the counts show nothing."""
    deficit: float
    """Minimum sum of the deficits of all dice."""
    best: Array
    """Most likely of the floors that were weighed, shape [parameter_count]."""
    log_evidence: float
    """Logarithm of the mean of exp(-deficit) over the prior: the marginal likelihood of the law."""
    floors: tuple[PlausibleFloor, ...]
    """Floors that stand for the posterior, by weight."""


def posterior(
    emulators: Sequence[Emulator],
    dice: Sequence[CountedDie],
    *,
    rng: np.random.Generator,
    floors: int = FLOORS,
    samples: int = _SAMPLES,
) -> FitPosterior:
    """Return the posterior of the floor, given an emulator and the counts of each die.

    `rng` draws `samples` floors that are weighed; at most `floors` of them stand for all.
    """
    ranges = emulators[0].ranges
    unit = rng.uniform(-1.0, 1.0, (samples, len(ranges.parameters)))
    points = ranges.points(unit)
    total, logs = np.zeros(samples), np.zeros((len(_LAWS), samples))
    for emulator, die in zip(emulators, dice, strict=True):
        shares = emulator.shares(points)
        counts = np.array(die.counts, dtype=float)
        if not die.labels_known:
            # Both in the same order is the best matching.
            shares, counts = np.sort(shares, axis=1), np.sort(counts)
        counted = counts > 0
        own_likelihood = float(np.sum(counts[counted] * np.log(counts[counted] / counts.sum())))
        total += own_likelihood - np.log(shares) @ counts
        logs += [log_likelihood_of(counts, shares, throws) for throws in _LAWS]
    log_evidence = float(np.log(np.exp(total.min() - total).mean()) - total.min())
    weights = np.exp(logs - logs.max()).sum(axis=0)
    weights /= weights.sum()
    mean = weights @ points
    low, high = np.quantile(points, (0.05, 0.95), axis=0, weights=weights, method="inverted_cdf")
    in_unit = weights @ unit
    spread = np.sqrt(weights @ (unit - in_unit) ** 2)
    return FitPosterior(
        mean=mean,
        low=low,
        high=high,
        narrowing=1.0 - spread * np.sqrt(3.0),
        deficit=float(total.min()),
        best=points[int(np.argmin(total))],
        log_evidence=log_evidence,
        floors=tuple(drawn_floors(points, weights, throw=ranges.throw, count=floors)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FitFloor:
    """Drops of every die on one floor of the design."""

    __pydantic_config__ = EXACT

    index: Annotated[int, Field(ge=0)]
    counts: tuple[tuple[Annotated[int, Field(ge=0)], ...], ...]
    """Drops by outcome of each die."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Drops of some dice on floors all over the plausible range."""

    dice: tuple[CountedDie, ...]
    ground: Floor
    engine: str
    drops: int
    """Drops of each die on each floor."""
    seed: int
    parameters: tuple[Parameter, ...] = ()
    """Parameters and their ranges; empty for those of the kind of throw."""

    def __post_init__(self) -> None:
        kinds = {die.kind: die.name for die in self.dice}
        if len(kinds) > 1:
            listed = " and ".join(f"{name} as a {kind}" for kind, name in kinds.items())
            raise SpecError(f"{listed}: a fit is of one kind of throw", fix="add --kind drop")
        object.__setattr__(self, "parameters", self.parameters or parameters_of(self.kind))

    @property
    def kind(self) -> ThrowKind:
        """Kind of throw of all dice."""
        return self.dice[0].kind

    @property
    def ranges(self) -> Ranges:
        """Ranges of the parameters."""
        return Ranges(self.parameters)

    def drop_floor(self, index: int) -> FitFloor:
        """Drop every die on floor number `index` of the design."""
        point = self.ranges.design(index + 1, seed=self.seed)[index].tolist()
        at = PlausibleFloor.of_point(point, self.ranges.throw, weight=1.0)
        tasks = [
            task_at(at, die, self.ground, f"floor {index}", engine=self.engine, seed=self.seed)
            for die in self.dice
        ]
        counts = tuple(task.drop(range(self.drops)).counts[:-1] for task in tasks)
        return FitFloor(index=index, counts=counts)

    def predict(
        self, known: FitPosterior, die: CountedDie, *, throws: int, workers: int
    ) -> DiePrediction:
        """Drop a die on the floors of a posterior."""
        return DiePrediction.on(
            known.floors,
            die,
            self.ground,
            throws=throws,
            engine=self.engine,
            seed=self.seed,
            workers=workers,
        )

    def emulators(self, floors: Sequence[FitFloor]) -> list[Emulator]:
        """Return an emulator of each die, from the first floors of the design."""
        points = self.ranges.design(len(floors), seed=self.seed)
        return [
            Emulator(
                self.ranges, points, np.array([floor.counts[k] for floor in floors], dtype=float)
            )
            for k in range(len(self.dice))
        ]


_KIND: SeriesKind[dict[str, Any], FitFloor] = SeriesKind(
    series="fit", items="floors", definition=dict, item=FitFloor
)


def fit_folder(path: Path, fit: Fit, *, points: int) -> SeriesFolder[dict[str, Any], FitFloor]:
    """Open the folder of a fit, made if there is none, to add floors to it.

    Raises:
        RecordError: If the folder is of another fit or in use.
        StoreError: If it cannot be written.
    """
    definition = {
        "seed": fit.seed,
        "drops": fit.drops,
        "dice": [die.name for die in fit.dice],
        "throws": [f"{die.kind} {sorted(die.throw.items())}" for die in fit.dice],
    }
    engine = make_engine(fit.engine)
    made_of = {
        "pigglesim": __version__,
        "engine": engine.name,
        "engine_version": engine.version,
        "floor": fit.ground.id,
        "floor_sha256": fit.ground.sha256,
        "dice": {die.name: die.sha256 for die in fit.dice},
    }
    return SeriesFolder(path, _KIND, definition, made_of, wanted=points)
