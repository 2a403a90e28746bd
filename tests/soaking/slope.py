"""How much something grew over a run, with an interval that knows that neighbours are alike."""

from dataclasses import dataclass

import numpy as np

from pigglesim.rotations import Array
from pigglesim.studies.statistics import Interval

_BLOCK = 10
"""Windows that are resampled together: a busy neighbour slows several in a row."""
_RESAMPLES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """How much a value changed from the first window to the last, by a straight line."""

    start: float
    """Where the line begins."""
    change: Interval
    """From the first window to the last, in the unit of the value; 95 %."""


def growth(values: Array, *, seed: int = 0) -> Growth:
    """Return the change of a series by least squares, its interval by a moving-block bootstrap.

    Residuals are resampled in blocks around a circle, so that what lasts over several windows
    widens the interval as it should (Kuensch 1989; Politis and Romano 1992).

    Args:
        values: One for each window, in order; at least three.
        seed: Of the resampling.
    """
    y = np.asarray(values, dtype=float)
    count = len(y)
    x = np.linspace(0.0, 1.0, count)
    slope, start = np.polyfit(x, y, 1)
    residuals = y - (start + slope * x)
    rng = np.random.default_rng(seed)
    block = min(_BLOCK, count)
    blocks = -(-count // block)
    firsts = rng.integers(0, count, size=(_RESAMPLES, blocks))
    places = (firsts[:, :, None] + np.arange(block)).reshape(_RESAMPLES, -1)[:, :count] % count
    drawn = residuals[places]
    weights = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
    low, high = np.quantile(slope + drawn @ weights, [0.025, 0.975])
    return Growth(
        start=float(start),
        change=Interval(
            value=float(slope),
            low=float(low),
            high=float(high),
            level=0.95,
            method="moving-block bootstrap of residuals",
        ),
    )
