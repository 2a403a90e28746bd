"""Which floor agrees best with counted throws, and what the counts cannot tell.

Drops at points spread over all plausible floors teach an emulator the shares of every die as
smooth functions of the parameters. Under a flat prior over the plausible ranges, the likelihood
of the counts then weighs every floor: its mean is the fit, its spread is what is known.
"""

import json
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from pathlib import Path

import numpy as np

from pigglesim.durable_io import AppendFile, try_lock
from pigglesim.errors import SpecError
from pigglesim.rotations import Array
from pigglesim.scene.scene import Contact, Fall, Floor, Surface
from pigglesim.validation.counted import CountedDie
from pigglesim.validation.validate import (
    DropTally,
    DropTask,
    JudgedDie,
    drop_dice,
    drop_task,
    judge,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One number of a floor and the range in which it is plausible."""

    name: str
    unit: str
    low: float
    high: float
    ground: str
    """Why this range."""


PARAMETERS = (
    Parameter(
        name="friction", unit="", low=0.2, high=0.7, ground="plastics and steel on wood, dry"
    ),
    Parameter(
        name="restitution", unit="", low=0.2, high=0.65, ground="hard things on wood or laminate"
    ),
    Parameter(
        name="rolling lever",
        unit="mm",
        low=0.3,
        high=4.0,
        ground="from a machined ball's to a tenth of a die",
    ),
    Parameter(name="height", unit="mm", low=50.0, high=350.0, ground="a hand over a table"),
    Parameter(name="drift", unit="m/s", low=0.0, high=0.6, ground="let go, not thrown"),
    Parameter(name="spin", unit="rad/s", low=2.0, high=25.0, ground="up to four turns a second"),
)
"""Parameters of a floor and a drop. The lever is spread by its logarithm."""

_LEVER = 2
_SAMPLES = 200_000
_RIDGE = 1e-3
"""Weight, in design points, that holds the emulator's slopes at zero where nothing tells them."""


def design(count: int, *, seed: int) -> Array:
    """Return points spread evenly over all ranges, shape [count, parameter_count].

    A scrambled Sobol sequence (Owen 1998): its first points are spread evenly too.
    """
    from scipy.stats import qmc  # noqa: PLC0415 (slow to import)

    # Evenly spread are whole powers of two; the first points of more are those of fewer.
    sobol = qmc.Sobol(len(PARAMETERS), rng=np.random.default_rng(seed))
    unit = sobol.random_base2(max(count - 1, 1).bit_length())[:count]
    return _from_unit(2.0 * unit - 1.0)


def at_point(floor: Floor, point: Array, material: str) -> tuple[Fall, Surface]:
    """Return the drop and the surface of a point of the design.

    Args:
        floor: What else there is to a floor.
        point: Values in the order and the units of `PARAMETERS`.
        material: Whose surface is meant.
    """
    friction, restitution, lever, height, drift, spin = point.tolist()
    surface = replace(
        floor.surface(material),
        contact=Contact(friction=friction, restitution=restitution),
        rolling_lever=lever * 1e-3,
    )
    return Fall(height=height * 1e-3, drift_spread=drift, spin_spread=spin), surface


def _bounds() -> tuple[Array, Array]:
    low = np.array([p.low for p in PARAMETERS])
    high = np.array([p.high for p in PARAMETERS])
    low[_LEVER], high[_LEVER] = np.log(low[_LEVER]), np.log(high[_LEVER])
    return low, high


def _from_unit(unit: Array) -> Array:
    low, high = _bounds()
    points: Array = low + (high - low) * (unit + 1.0) / 2.0
    points[:, _LEVER] = np.exp(points[:, _LEVER])
    return points


def _to_unit(points: Array) -> Array:
    low, high = _bounds()
    moved = points.copy()
    moved[:, _LEVER] = np.log(moved[:, _LEVER])
    unit: Array = 2.0 * (moved - low) / (high - low) - 1.0
    return unit


def _features(points: Array) -> Array:
    """Return 1, every parameter, every square and every product, as columns."""
    unit = _to_unit(points)
    size = unit.shape[1]
    columns = [np.ones(len(unit))]
    columns += [unit[:, i] for i in range(size)]
    columns += [unit[:, i] * unit[:, j] for i in range(size) for j in range(i + 1)]
    return np.column_stack(columns)


class Emulator:
    """Shares of one die's outcomes as smooth functions of the floor.

    Log shares, up to their mean, are quadratic in the parameters, fitted by least squares.

    Args:
        points: Shape [point_count, parameter_count].
        counts: Drops by outcome at each point, shape [point_count, outcome_count].
    """

    def __init__(self, points: Array, counts: Array) -> None:
        features = _features(points)
        if len(points) < 2 * features.shape[1]:
            raise SpecError(
                f"at least {2 * features.shape[1]} points of the design",
                got=str(len(points)),
                remedy="raise --points",
            )
        # Half a drop each, so that an outcome never seen has a logarithm too.
        shares = (counts + 0.5) / (counts.sum(axis=1, keepdims=True) + 0.5 * counts.shape[1])
        logs = np.log(shares)
        logs -= logs.mean(axis=1, keepdims=True)
        normal = features.T @ features + _RIDGE * len(points) * np.eye(features.shape[1])
        self._weights = np.linalg.solve(normal, features.T @ logs)
        residual = logs - features @ self._weights
        spare = max(len(points) - features.shape[1], 1)
        self._covariance = np.linalg.inv(normal)
        self._scatter = np.sqrt((residual**2).sum(axis=0) / spare)

    def shares(self, points: Array) -> Array:
        """Return the shares at points, shape [point_count, outcome_count]."""
        raised = np.exp(_features(points) @ self._weights)
        shares: Array = raised / raised.sum(axis=1, keepdims=True)
        return shares

    def change(self, point: Array, other: Array) -> tuple[Array, Array]:
        """Return how the shares change from one point to another, and the standard error.

        Args:
            point: Shape [parameter_count].
            other: Shape [parameter_count].
        """
        pair = np.stack([point, other])
        first, second = self.shares(pair)
        step = _features(pair)[1] - _features(pair)[0]
        error = np.sqrt(step @ self._covariance @ step) * self._scatter
        middle = (first + second) / 2.0
        return second - first, middle * (1.0 - middle) * error


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FitPosterior:
    """Posterior of the floor, given the counts."""

    mean: Array
    """Shape [parameter_count], in the order and the units of `PARAMETERS`."""
    low: Array
    """5 % of the weight lies below, shape [parameter_count]."""
    high: Array
    """5 % lies above."""
    told: Array
    """By how much the counts narrow each range: 1 less the ratio of the spreads, of the posterior
    and of the prior; near 0 where they tell nothing."""
    deficit: float
    """Least sum of the dice's deficits."""


def posterior(
    emulators: Sequence[Emulator], dice: Sequence[CountedDie], *, rng: np.random.Generator
) -> FitPosterior:
    """Return what the counts of some dice tell of the floor.

    Args:
        emulators: One for each die.
        dice: Whose counts weigh.
        rng: Draws the floors that are weighed.
    """
    unit = rng.uniform(-1.0, 1.0, (_SAMPLES, len(PARAMETERS)))
    points = _from_unit(unit)
    total = np.zeros(_SAMPLES)
    for emulator, die in zip(emulators, dice, strict=True):
        shares = emulator.shares(points)
        counts = np.array(die.counts, dtype=float)
        if not die.labels_known:
            # Both in the same order is the best matching.
            shares, counts = np.sort(shares, axis=1), np.sort(counts)
        seen = counts > 0
        best = float(np.sum(counts[seen] * np.log(counts[seen] / counts.sum())))
        total += best - np.log(shares) @ counts
    weights = np.exp(total.min() - total)
    weights /= weights.sum()
    mean = weights @ points
    low, high = _quantiles(points, weights)
    in_unit = weights @ unit
    spread = np.sqrt(weights @ (unit - in_unit) ** 2)
    return FitPosterior(
        mean=mean,
        low=low,
        high=high,
        told=1.0 - spread * np.sqrt(3.0),
        deficit=float(total.min()),
    )


def _quantiles(points: Array, weights: Array) -> tuple[Array, Array]:
    low, high = np.zeros(points.shape[1]), np.zeros(points.shape[1])
    for k in range(points.shape[1]):
        order = np.argsort(points[:, k])
        below = np.cumsum(weights[order])
        low[k], high[k] = points[order, k][np.searchsorted(below, [0.05, 0.95])]
    return low, high


Row = list[list[int]]
"""Drops by outcome of every die on one floor."""


@dataclass(kw_only=True)
class FitRun:
    """Drops of some dice on floors all over the plausible range.

    Each line of the file is one floor, written when it is whole: stopped at any moment, a run
    goes on with the next floor.

    Raises:
        SpecError: If the file holds another fit.
    """

    path: Path
    dice: tuple[CountedDie, ...]
    ground: Floor
    engine: str
    drops: int
    seed: int
    _rows: list[Row] = field(init=False)

    def __post_init__(self) -> None:
        self._rows = self._kept()

    @property
    def done(self) -> int:
        """Number of floors that have been tried."""
        return len(self._rows)

    def go_on(self, points: int, *, workers: int) -> Generator[int, None, None]:
        """Try floors until there are `points`; yield how many drops have been added.

        Args:
            points: Floors in all.
            workers: Processes.

        Raises:
            SpecError: If the file cannot be written, or another process writes to it.
        """
        where = design(points, seed=self.seed)
        tasks = [
            self._task(where[number], die, name=f"{die.name}, floor {number}")
            for number in range(self.done, points)
            for die in self.dice
        ]
        tallies: dict[int, DropTally] = {}
        with closing(self._taken()) as file:
            for number, tally in drop_dice(tasks, drops=self.drops, workers=workers):
                tallies[number] = tallies[number] + tally if number in tallies else tally
                whole = tallies[number].drops == self.drops
                if whole and number % len(self.dice) == len(self.dice) - 1:
                    row = [list(tallies.pop(k).counts[:-1]) for k in sorted(tallies)]
                    try:
                        file.add(f"{json.dumps(row)}\n".encode())
                    except OSError as fault:
                        raise self._unwritable(fault) from None
                    self._rows.append(row)
                yield tally.drops

    def emulators(self) -> list[Emulator]:
        """Return what the drops teach of each die."""
        where = design(self.done, seed=self.seed)
        return [
            Emulator(where, np.array([row[k] for row in self._rows], dtype=float))
            for k in range(len(self.dice))
        ]

    def score_at(self, point: Array, die: CountedDie, *, throws: int, workers: int) -> JudgedDie:
        """Return how well drops on the floor of a point foretell a die's counts."""
        tasks = [self._task(point, die, name=die.name)]
        tallies = [tally for _, tally in drop_dice(tasks, drops=throws, workers=workers)]
        return judge(die, reduce(add, tallies), seed=self.seed)

    def _task(self, point: Array, die: CountedDie, *, name: str) -> DropTask:
        fall, surface = at_point(self.ground, point, die.material)
        task = drop_task(die, self.ground, engine=self.engine, seed=self.seed)
        return replace(task, name=name, fall=fall, surface=surface)

    def _head(self) -> dict[str, object]:
        dice = [die.name for die in self.dice]
        return {"seed": self.seed, "drops": self.drops, "engine": self.engine, "dice": dice}

    def _taken(self) -> AppendFile:
        """Return the file, in this process's hands, cut to its whole lines."""
        try:
            file = AppendFile(self.path)
            if try_lock(file.file) and self._kept() == self._rows:
                whole = self._whole()
                file.file.truncate(len(whole))
                if not whole:
                    file.add(f"{json.dumps(self._head())}\n".encode())
                return file
            file.close()
        except OSError as fault:
            raise self._unwritable(fault) from None
        raise SpecError(
            f"a file that nobody else writes to, {self.path}",
            got="another fit at work there",
            remedy="wait for it, or another --out",
        )

    def _unwritable(self, fault: OSError) -> SpecError:
        return SpecError(
            f"a file {self.path} that can be written",
            got=fault.strerror or str(fault),
            remedy="make room or give another --out, then run the same command: it goes on",
        )

    def _whole(self) -> bytes:
        """Return all whole lines of the file; one that was cut short counts as not written."""
        data = self.path.read_bytes() if self.path.exists() else b""
        return data[: data.rfind(b"\n") + 1]

    def _kept(self) -> list[Row]:
        """Return the rows of a file begun before."""
        try:
            whole = self._whole()
        except OSError as fault:
            raise self._unwritable(fault) from None
        if not whole:
            return []
        try:
            head, *rows = [json.loads(line) for line in whole.splitlines()]
        except ValueError as fault:
            raise SpecError(
                "a file that pigglesim fit wrote", got=str(fault), remedy="another --out"
            ) from None
        if head != self._head():
            raise SpecError(
                f"drops of the same fit, {self._head()}",
                got=f"{head}",
                remedy="the same flags, or another --out",
            )
        kept: list[Row] = rows
        return kept
