"""Which floor agrees best with counted throws, and what the counts cannot tell.

Drops at points spread over all plausible floors teach an emulator the shares of every die as
smooth functions of the parameters. Under a flat prior over the plausible ranges, the likelihood
of the counts then weighs every floor: its mean is the fit, its spread is what is known.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.scene.floor import Fall, Floor, Surface
from pigglesim.scene.material import Contact
from pigglesim.spatial import Array
from pigglesim.validation.counted import CountedDie

__all__ = ["PARAMETERS", "Emulator", "Parameter", "Posterior", "at_point", "design", "posterior"]


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
"""What a floor and a drop are made of. The lever is spread by its logarithm."""

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
class Posterior:
    """What counts tell of the floor."""

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
) -> Posterior:
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
    return Posterior(
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
