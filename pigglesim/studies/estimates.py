"""Estimates of a study: all numbers with their intervals, by cell and between cells."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import duckdb

from pigglesim.landing import Zone
from pigglesim.notebook_display import displayed
from pigglesim.studies.counts import (
    NO_ORIENTATION,
    POINTS,
    CellCounts,
    Counted,
    Ratio,
    count_throws,
    lying,
    showing,
)
from pigglesim.studies.statistics import (
    Independence,
    Interval,
    Method,
    Moments,
    Posterior,
    Share,
    binomial,
    difference,
    independence_of,
    mean_from,
    posterior_of,
    share_from,
)

Level = str | int | float
"""Value of a factor."""

_POINTS: Ratio = (POINTS, "rolled")
_OFF: Ratio = (lying(Zone.OFF), "rolled")
_KNOCKED: Ratio = ("knocked", "stood")
_QUANTITIES: Mapping[Ratio, str] = {
    _POINTS: "points a die",
    _OFF: "off the board",
    _KNOCKED: "knocked",
}
"""Quantities that are compared between cells, besides orientations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointTable:
    """Shares of all rolled dice by orientation and zone; in all they are 1."""

    orientations: tuple[str, ...]
    """The last is `none`: of dice off the board, and of those not at rest in time."""
    zones: tuple[str, ...]
    shares: tuple[tuple[Share, ...], ...]
    """Shares by orientation, then zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellAnswers:
    """Estimates for one combination of factor levels."""

    cell: int
    factors: Mapping[str, Level]
    """Level of each factor that the study varies; empty if none is."""
    throws: int
    dice: int
    """Rolled, over all throws."""
    unsettled: int
    """Dice that still moved when time was up."""
    orientations: tuple[str, ...]
    """Orientations in the order of the rules or of numbers, then all others."""
    shares: tuple[Share, ...]
    """Share of each orientation among the dice that show one; a throw is a cluster."""
    posterior: Posterior
    joint: JointTable | None = None
    """This and all below: None for single dice on a floor."""
    zones: Mapping[str, Share] | None = None
    points_per_die: Interval | None = None
    points_per_throw: Interval | None = None
    leaning: Share | None = None
    """Among the dice on the board: that lean on another or lie on it."""
    off_board: Share | None = None
    independence: Independence | None = None
    """None for throws of one die."""
    knocked: Share | None = None
    """Among the dice that stood; None where none did."""
    knocks_per_throw: Interval | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Effect of changing one factor from one level to another, all other levels the same."""

    factor: str
    low: Level
    high: Level
    """Level that is compared with `low`."""
    others: Mapping[str, Level]
    quantity: str
    """An orientation, `points a die`, `off the board` or `knocked`."""
    difference: Interval
    """At `high`, less at `low`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyAnswers:
    """Estimates of a study."""

    cells: tuple[CellAnswers, ...]
    contrasts: tuple[Contrast, ...]
    level: float
    """Confidence level of all intervals."""

    def _repr_html_(self) -> str | None:
        return displayed("study_html", self)


def answer(
    connection: duckdb.DuckDBPyConnection,
    *,
    kind: str,
    factors: Sequence[str],
    level: float = 0.95,
    method: Method = Method.WILSON,
) -> StudyAnswers:
    """Return what the throws of a study say.

    Single dice are independent, and their shares binomial. Dice of one pour are a cluster:
    intervals of shares, means and likeness come from how pours scatter. A difference between two
    cells takes in that throws of the same trial number have the same randomness: what they share
    cancels, as far as their products over the common trials tell.

    Args:
        connection: Holds the view `throws`, of the columns of `COLUMNS` and one of each factor.
        kind: `drop`, `pour` or `knock`.
        factors: Columns of the factors that the study varies.
        level: Confidence level of all intervals.
        method: Form of the intervals of shares.

    Raises:
        SpecError: If the kind or a factor is unknown, or there is no throw.
    """
    counted = count_throws(connection, kind=kind, factors=factors, compared=tuple(_QUANTITIES))
    estimate = _Estimator(single=kind == "drop", level=level, method=method)
    return StudyAnswers(
        cells=tuple(estimate.cell(counted, cell) for cell in counted.cells),
        contrasts=tuple(estimate.contrasts(counted, factors)),
        level=level,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Estimator:
    """Makes estimates of sums."""

    single: bool
    level: float
    method: Method

    def cell(self, counted: Counted, counts: CellCounts) -> CellAnswers:
        """Return what one cell says."""
        shown = [counts.ratios[showing(name), "shown"] for name in counted.orientations]
        sums = counts.sums
        plain = CellAnswers(
            cell=counts.cell,
            factors=counts.factors,
            throws=counts.throws,
            dice=sums["rolled"],
            unsettled=sums["unsettled"],
            orientations=counted.orientations,
            shares=tuple(self.share(each) for each in shown),
            posterior=posterior_of(shown, single=self.single, level=self.level),
        )
        if self.single:
            return plain
        ratios, stood = counts.ratios, sums["stood"] > 0
        rows = (*counted.orientations, NO_ORIENTATION)
        joint = tuple(
            tuple(self.share(ratios[lying(zone, name), "rolled"]) for zone in counted.zones)
            for name in rows
        )
        return replace(
            plain,
            joint=JointTable(orientations=rows, zones=counted.zones, shares=joint),
            zones={zone: self.share(ratios[lying(zone), "rolled"]) for zone in counted.zones},
            points_per_die=self._mean(ratios[_POINTS]),
            points_per_throw=self._mean(ratios[POINTS, "throws"]),
            leaning=self.share(ratios["leaning", "on board"]),
            off_board=self.share(ratios[_OFF]),
            independence=independence_of(counts.patterns, level=self.level),
            knocked=self.share(ratios[_KNOCKED]) if stood else None,
            knocks_per_throw=self._mean(ratios["knocked", "throws"]) if stood else None,
        )

    def share(self, sums: Moments) -> Share:
        """Return a share with its interval."""
        if self.single:
            return binomial(sums.hits, sums.trials, level=self.level, method=self.method)
        return share_from(sums, level=self.level, method=self.method)

    def contrasts(self, counted: Counted, factors: Sequence[str]) -> Iterator[Contrast]:
        """Yield what each factor does, for every quantity that both cells tell of."""
        cells = {counts.cell: counts for counts in counted.cells}
        for factor in factors:
            for (base, other), pair in counted.pairs.items():
                low, high = cells[base], cells[other]
                if low.factors[factor] == high.factors[factor]:
                    continue
                for ratio, products in pair.items():
                    first, second = low.ratios[ratio], high.ratios[ratio]
                    if not (first.trials and second.trials):
                        continue
                    estimate = self._mean if ratio == _POINTS else self.share
                    yield Contrast(
                        factor=factor,
                        low=low.factors[factor],
                        high=high.factors[factor],
                        others={key: at for key, at in low.factors.items() if key != factor},
                        quantity=_QUANTITIES.get(ratio) or ratio[0].removeprefix(showing("")),
                        difference=difference(
                            estimate(first),
                            estimate(second),
                            correlation=products.correlation(first, second),
                        ),
                    )

    def _mean(self, sums: Moments) -> Interval:
        return mean_from(sums, level=self.level)
