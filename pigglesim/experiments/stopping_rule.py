"""How many throws a study needs, so that every share is known to a wanted width."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from pigglesim.experiments.estimates import Counts
from pigglesim.experiments.statistics import Moments, binomial, share_from
from pigglesim.experiments.study import Study

FIRST_DROPS = 10.0
FIRST_POURS = 8.0
"""Throws of a cell before its first look, times the half-width: fewer do not show the correlation
of the dice of a pour, or the spread of a rare share."""
_MAX_GROWTH = 4.0
"""Maximum growth of a cell at a look, because the first looks estimate the spread badly."""
_MARGIN = 1.03
"""Ratio of added throws to those that seem necessary, so that looks are few."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Required width of every orientation's interval, and the throws that it takes.

    Multi-stage sampling towards intervals of fixed width: after a first round, each look adds the
    throws that the spread so far requires, a thirtieth more and at most four times as many. Purely
    sequential stopping is right in the limit (Chow and Robbins 1965, "On the asymptotic theory of
    fixed-width sequential confidence intervals for the mean"), but looking after every throw tends
    to stop where the spread is small by chance. A first round that is not small and few looks make
    that rare (Stein 1945, "A two-sample test for a linear hypothesis whose power is independent of
    the variance"; Hall 1981, "Asymptotic theory of triple sampling for sequential estimation of a
    mean"). The throws of a cell depend only on its counts after whole rounds.

    Measured coverage at 95 %, 10,000 studies each (± 0.004), with half-widths of 0.005, 0.01 and
    0.02 and shares of 0.02, 0.08, 0.41 and 0.5: 0.946 to 0.965 for single dice, 0.943 to 0.954 for
    pours of six whose dice are correlated by 0, 0.1 or 0.3. A study takes a thirtieth more throws
    than it would if the shares were known beforehand.
    """

    half_width: float
    level: float = 0.95
    single: bool = False
    """True if throws are single dice, each independent."""

    def more_blocks(self, cells: Sequence[Counts], *, size: int) -> int:
        """Return the number of blocks of `size` throws to add to every cell; 0 if all are done.

        All cells get as many as the one that needs most, so that they stay comparable.
        """
        missing = [self.more(counts.throws, _sums(counts)) for counts in cells]
        return ceil(max(missing, default=0) / size)

    def reached(self, cells: Sequence[Counts]) -> bool:
        """Return whether all intervals of all cells are narrow enough."""
        return all(self.widest(_sums(counts)) <= self.half_width for counts in cells)

    def widest(self, sums: Sequence[Moments]) -> float:
        """Return the largest half-width; 0.5 if there is no interval yet."""
        shares = [
            binomial(moments.hits, moments.trials, level=self.level)
            if self.single
            else share_from(moments, level=self.level)
            for moments in sums
        ]
        return max(((share.high - share.low) / 2.0 for share in shares), default=0.5)

    def more(self, throws: int, sums: Sequence[Moments]) -> int:
        """Return the throws that a cell needs before the next look; 0 if it is done.

        `sums` are those of each orientation, after whole rounds.
        """
        first = ceil((FIRST_DROPS if self.single else FIRST_POURS) / self.half_width)
        if throws < first:
            return first - throws
        widest = self.widest(sums)
        if widest <= self.half_width:
            return 0
        growth = _MARGIN * (widest / self.half_width) ** 2
        return ceil(throws * (min(growth, _MAX_GROWTH) - 1.0))


def _sums(counts: Counts) -> list[Moments]:
    return [counts.moments(name) for name in counts.hits]


def target_of(study: Study) -> Target | None:
    """Return the precision that a study must reach, if any."""
    single = study.kind.single
    if not study.half_width:
        return None
    return Target(half_width=study.half_width, level=study.level, single=single)
