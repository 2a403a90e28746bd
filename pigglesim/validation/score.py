"""How well predicted shares agree with counts, beside what chance alone would do."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.spatial import Array

__all__ = ["Score", "best_matching", "deficit", "score", "total_variation"]

_RESAMPLES = 20_000
"""Samples drawn where a closed form does not hold: p is then good to .004."""
_LARGE = 5.0
"""Expected counts from which on chi-square is trusted (Cochran 1954)."""
_PSEUDO = 0.5
"""Added to every predicted count (Jeffreys), so that no outcome is held impossible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Agreement of counts with a prediction."""

    p: float
    """Probability of counts at least as far off, if the prediction is right; the prediction's own
    sampling noise is taken into account."""
    tv: float
    """Total variation between observed and predicted shares."""
    noise_tv: float
    """Its expectation if the prediction is right: what the sampling of the counts alone makes."""
    deficit: float
    """Log-likelihood of the counts under their own shares less that under the prediction."""


def total_variation(first: Array, second: Array) -> float:
    """Return half the sum of absolute differences of two share vectors, shape [outcome_count]."""
    return float(np.abs(first - second).sum() / 2.0)


def deficit(counts: Array, shares: Array) -> float:
    """Return by how much the log-likelihood of counts falls short of its greatest value.

    Args:
        counts: Shape [outcome_count].
        shares: Predicted, none of them 0 where something was counted, shape [outcome_count].
    """
    seen = counts > 0
    observed = counts[seen] / counts.sum()
    return float(np.sum(counts[seen] * np.log(observed / shares[seen])))


def best_matching(counts: Sequence[int], shares: Sequence[float]) -> tuple[int, ...]:
    """Return for each outcome the index of the count that fits it best.

    The likelihood of counts under shares is greatest where both are in the same order
    (the rearrangement inequality on counts and log shares).
    """
    by_count = sorted(range(len(counts)), key=lambda k: (counts[k], k))
    by_share = sorted(range(len(shares)), key=lambda k: (shares[k], k))
    matched = [0] * len(shares)
    for count, outcome in zip(by_count, by_share, strict=True):
        matched[outcome] = count
    return tuple(matched)


def score(
    counts: Sequence[int],
    predicted: Sequence[float],
    *,
    throws: int | None,
    matched: bool = False,
    rng: np.random.Generator,
) -> Score:
    """Score predicted shares against counts.

    Args:
        counts: How often each outcome was seen, in the order of `predicted`.
        predicted: Predicted share of each outcome; or how often it was predicted in `throws`.
        throws: How many throws the shares were counted in; None if they are exact.
        matched: Whether the counts were put in order to fit (labels unknown): chance is then
            given the same help, so that p and noise are still what they say.
        rng: Draws the samples where no closed form holds.

    Raises:
        SpecError: If nothing was counted or the lengths differ.
    """
    seen = np.asarray(counts, dtype=float)
    if len(counts) != len(predicted) or seen.sum() <= 0:
        raise SpecError(
            "counts and shares of the same outcomes",
            got=f"{len(counts)} counts, {len(predicted)} shares",
            remedy="give each outcome one count",
        )
    shares = np.asarray(predicted, dtype=float)
    if throws is not None:
        shares = (shares * throws + _PSEUDO) / (throws + _PSEUDO * len(shares))
    total = int(seen.sum())
    # Shares counted in n throws stray too: the variance of the difference is that much larger.
    inflation = 1.0 + (total / throws if throws else 0.0)
    drawn = _draws(shares, total, inflation, rng)
    if matched:
        order = np.argsort(np.argsort(shares))
        drawn = np.sort(drawn, axis=1)[:, order]
    worst = _chi_square(drawn, shares, total, inflation)
    here = float(_chi_square(seen[None, :], shares, total, inflation)[0])
    if not matched and (shares * total).min() >= _LARGE:
        from scipy.special import chdtrc  # noqa: PLC0415 (slow to import)

        p = float(chdtrc(len(counts) - 1, here))
    else:
        p = float((1 + np.sum(worst >= here * (1 - 1e-12))) / (1 + len(worst)))
    return Score(
        p=p,
        tv=total_variation(seen / total, shares),
        noise_tv=float(np.mean(np.abs(drawn / total - shares).sum(axis=1) / 2.0)),
        deficit=deficit(seen, shares),
    )


def _draws(shares: Array, total: int, inflation: float, rng: np.random.Generator) -> Array:
    """Return counts that the prediction would give, its own noise included, as rows."""
    exact = shares / shares.sum()
    if inflation == 1.0:
        return rng.multinomial(total, exact, size=_RESAMPLES).astype(float)
    throws = total / (inflation - 1.0)
    # What the shares may really be, given that they were counted in so many throws.
    truth = rng.dirichlet(exact * throws + _PSEUDO, size=_RESAMPLES)
    return rng.multinomial(total, truth).astype(float)


def _chi_square(counts: Array, shares: Array, total: int, inflation: float) -> Array:
    expected = shares * total
    found: Array = ((counts - expected) ** 2 / expected).sum(axis=1) / inflation
    return found
