"""How alike the dice of one throw are, and what their likeness leaves of the counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan, sqrt

import numpy as np
from scipy.special import stdtr

from pigglesim.studies.estimate import Interval, Moments, student
from pigglesim.studies.quantiles import beta_quantile

__all__ = ["Independence", "Posterior", "independence_of", "posterior_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior:
    """Dirichlet posterior of all shares together, from Jeffreys' prior."""

    alphas: tuple[float, ...]
    """In the order of the shares it belongs to; scaled down where dice of a throw are alike."""
    intervals: tuple[Interval, ...]
    """Mean and equal-tailed interval of each share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Independence:
    """How alike two dice of one throw are."""

    agreement: Interval
    """Share of pairs of one throw that show the same orientation, less what independent dice of
    the same shares would."""
    p_value: float
    """Of as much or more likeness or unlikeness, were dice independent."""
    pairs: int


def posterior_of(sums: Sequence[Moments], *, single: bool, level: float) -> Posterior:
    """Return the Dirichlet posterior of all shares together, from Jeffreys' prior of 1/2 each.

    Where dice of a throw are alike, counts are first divided by the mean design effect of the
    shares (Rao and Scott 1981), taken as 1 or more: the posterior is then about as wide as the
    intervals by clusters are, over all shares together, if not for each.

    Args:
        sums: Of each share; together they make up all trials.
        single: Whether every trial is independent, and the design effect 1.
        level: Probability of each equal-tailed interval.
    """
    effect = 1.0 if single else _design_effect(sums)
    alphas = tuple(each.hits / effect + 0.5 for each in sums)
    whole = sum(alphas)
    intervals = tuple(
        Interval(
            value=alpha / whole,
            low=beta_quantile((1.0 - level) / 2.0, alpha, whole - alpha),
            high=beta_quantile((1.0 + level) / 2.0, alpha, whole - alpha),
            level=level,
            method="Dirichlet, Jeffreys' prior",
        )
        if len(alphas) > 1
        else Interval(value=1.0, low=1.0, high=1.0, level=level, method="the only orientation")
        for alpha in alphas
    )
    return Posterior(alphas=alphas, intervals=intervals)


def _design_effect(sums: Sequence[Moments]) -> float:
    # Each share's effect counts by its 1 - share; these add up to one less than the shares.
    effects = [(1.0 - each.value) * each.design_effect for each in sums if each.hits]
    known = [effect for effect in effects if isfinite(effect)]
    return max(1.0, sum(known) / (len(known) - 1)) if len(known) > 1 else 1.0


def independence_of(
    patterns: Mapping[tuple[int, ...], int], *, level: float
) -> Independence | None:
    """Return how much oftener two dice of a throw agree than independent dice would.

    Two dice of different throws are independent and have the same shares: how often they agree is
    what independence foretells, without bias, from the same throws. The interval is Student's, of
    throws as clusters, linearised: if dice are independent the first-order noise of both cancels,
    and what remains is that of pairs.

    Args:
        patterns: Throws by how many dice show each orientation.
        level: Of the interval.
    """
    if not patterns:
        # No die of the study ever showed anything.
        return None
    rows = np.array(list(patterns), dtype=float)
    often = np.array(list(patterns.values()), dtype=float)
    dice = rows.sum(axis=1)
    agreeing = (rows * (rows - 1.0)).sum(axis=1) / 2.0
    pairs = dice * (dice - 1.0) / 2.0
    throws, all_pairs, total = often.sum(), often @ pairs, often @ dice
    if not all_pairs:
        return None
    sums = often @ rows
    apart = total**2 - often @ dice**2
    if throws < 2 or not apart:
        return None
    within = (often @ agreeing) / all_pairs
    between = (sums @ sums - often @ (rows**2).sum(axis=1)) / apart
    shares = sums / total
    influence = (agreeing - within * pairs) / all_pairs
    influence -= 2.0 * (rows - np.outer(dice, shares)) @ shares / total
    error = sqrt(throws / (throws - 1.0) * (often @ influence**2))
    value = float(within - between)
    # Where all dice ever showed the same, nothing tells how alike they would be.
    spread = error if np.count_nonzero(sums) > 1 else nan
    agreement = student(value, spread, clusters=int(throws), level=level)
    size = abs(value) / error if error else (inf if value else 0.0)
    return Independence(
        agreement=agreement,
        p_value=2.0 * float(stdtr(throws - 1.0, -size)),
        pairs=int(all_pairs),
    )
