"""Running counts of a study: enough for every share and its interval, however many the throws."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.studies.estimate import Moments, Share, binomial, share_from

_MOST = 10**15
"""Of any sum of a shard."""
_Sums = tuple[int, int, int]
"""Over throws: hits, their squares, and hits times trials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What some throws of one cell came to: sums, exact in any order.

    Dice count that were thrown and show an orientation.
    """

    throws: int = 0
    throws_shown: int = 0
    """Those with a die that counts."""
    shown: int = 0
    """Dice that count."""
    shown_squares: int = 0
    """Sum of the squares of their number in each throw."""
    hits: Mapping[str, _Sums] = field(default_factory=dict)
    """By orientation."""

    def __add__(self, other: "Counts") -> "Counts":
        """Return both together."""
        hits = dict(self.hits)
        for name, (a, b, c) in other.hits.items():
            x, y, z = hits.get(name, (0, 0, 0))
            hits[name] = (x + a, y + b, z + c)
        return Counts(
            throws=self.throws + other.throws,
            throws_shown=self.throws_shown + other.throws_shown,
            shown=self.shown + other.shown,
            shown_squares=self.shown_squares + other.shown_squares,
            hits=hits,
        )

    @classmethod
    def of(cls, columns: Mapping[str, Any]) -> "Counts":
        """Return the counts of the rows of one shard."""
        first = int(columns["throw"][0])
        throw = np.asarray(columns["throw"]) - first
        count = int(throw[-1]) + 1
        rolled = ~np.asarray(columns["standing"], dtype=bool)
        seen = np.asarray(columns["orientation"], dtype=object)
        names = sorted({name for name in seen[rolled].tolist() if name is not None})
        by_name = [np.bincount(throw[rolled & (seen == name)], minlength=count) for name in names]
        trials = sum(by_name, np.zeros(count, dtype=np.int64))
        return cls(
            throws=count,
            throws_shown=int(np.count_nonzero(trials)),
            shown=int(trials.sum()),
            shown_squares=int(trials @ trials),
            hits={
                name: (int(own.sum()), int(own @ own), int(own @ trials))
                for name, own in zip(names, by_name, strict=True)
            },
        )

    def moments(self, orientation: str) -> Moments:
        """Return the sums that the share of an orientation needs."""
        hits, squares, with_trials = self.hits.get(orientation, (0, 0, 0))
        return Moments(
            clusters=self.throws,
            tried=self.throws_shown,
            hits=hits,
            trials=self.shown,
            hits_hits=squares,
            hits_trials=with_trials,
            trials_trials=self.shown_squares,
        )

    def share(self, orientation: str, *, level: float = 0.95) -> Share:
        """Return the share of an orientation with a cluster-robust interval."""
        return share_from(self.moments(orientation), level=level)

    def to_json(self) -> str:
        """Return the counts as one line."""
        sums = [self.throws, self.throws_shown, self.shown, self.shown_squares]
        return json.dumps([*sums, dict(sorted(self.hits.items()))])

    @classmethod
    def from_json(cls, text: str) -> "Counts":
        """Return the counts of such a line.

        Raises:
            ValueError: If it is none.
        """
        try:
            throws, throws_shown, shown, squares, hits = json.loads(text)
            sums = {str(name): (a, b, c) for name, (a, b, c) in hits.items()}
        except (TypeError, AttributeError, RecursionError) as fault:
            raise ValueError(f"no counts: {fault}") from None
        numbers = [throws, throws_shown, shown, squares, *(n for own in sums.values() for n in own)]
        if not all(type(number) is int and 0 <= number <= _MOST for number in numbers):
            raise ValueError("counts that are no whole numbers, or beyond any study")
        return cls(
            throws=throws,
            throws_shown=throws_shown,
            shown=shown,
            shown_squares=squares,
            hits=sums,
        )


FIRST_DROPS = 10.0
FIRST_POURS = 8.0
"""Throws of a cell before its first look, over the half-width: the likeness of the dice of a pour,
and the spread of a rare share, take some to be told."""
_GROWTH = 4.0
"""A cell grows by no more than this at a look: the first ones know the spread badly."""
_MARGIN = 1.03
"""Throws asked for over those that seem to be needed, so that looks are few."""
_LEAST = 0.02
"""Least growth at a look."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """How narrow every orientation's interval shall be, and how many throws that takes.

    Multi-stage sampling towards an interval of fixed width: a first round, then at each look the
    throws that the spread found so far asks for, a thirtieth more, and no more than four times as
    many, until all intervals are narrow enough. Purely sequential stopping on the spread found is
    right in the limit (Chow and Robbins 1965, "On the asymptotic theory of fixed-width sequential
    confidence intervals for the mean"), but looks after every throw tend to stop where the spread
    seems small by chance; a first round that is not small and few looks after it cost little and
    keep that rare (Stein 1945, "A two-sample test for a linear hypothesis whose power is
    independent of the variance"; Hall 1981, "Asymptotic theory of triple sampling for sequential
    estimation of a mean"). What a cell wants depends on its counts after whole rounds alone, and
    on nothing drawn.

    Coverage measured at 95 %, 10,000 studies each (± .004), of half-widths .005, .01 and .02 and
    shares of .02, .08, .41 and .5: .946 to .965 of single dice, .943 to .954 of pours of six whose
    dice are correlated by 0, .1 or .3; the lowest is that of the interval itself at 400 pours of a
    share of .02. Throws in all: a thirtieth more than a share known beforehand would take.
    """

    half_width: float
    level: float = 0.95
    single: bool = False
    """Whether throws are single dice, each independent."""

    def __post_init__(self) -> None:
        if not 0.0 < self.half_width < 0.5:
            raise SpecError(
                "a half-width above 0 and below .5", got=f"{self.half_width:g}", remedy="0.01"
            )
        if not 0.0 < self.level < 1.0:
            raise SpecError("a level between 0 and 1", got=f"{self.level:g}", remedy="0.95")

    def more(self, cells: Sequence[tuple[int, Sequence[Moments]]]) -> tuple[int, ...]:
        """Return how many more throws each cell wants before the next look; 0 if it is done.

        Args:
            cells: Of each cell its throws, all rounds whole, and the sums of each orientation.
        """
        return tuple(self._more(throws, sums) for throws, sums in cells)

    def more_blocks(self, cells: Sequence[Counts], *, size: int) -> int:
        """Return how many more throws every cell is given, in blocks of `size`; 0 if all are done.

        Cells go on together, as far as the one that knows least: they stay comparable.

        Args:
            cells: Counts of each, all rounds whole.
            size: Throws of a block.
        """
        wanted = self.more([(counts.throws, _sums(counts)) for counts in cells])
        return ceil(max(wanted, default=0) / size)

    def reached(self, cells: Sequence[Counts]) -> bool:
        """Return whether all intervals of all cells are narrow enough."""
        return all(self.widest(_sums(counts)) <= self.half_width for counts in cells)

    def widest(self, sums: Sequence[Moments]) -> float:
        """Return half the width of the widest interval; .5 if there is none yet."""
        shares = [self._share(each) for each in sums]
        return max(((share.high - share.low) / 2.0 for share in shares), default=0.5)

    def _more(self, throws: int, sums: Sequence[Moments]) -> int:
        first = ceil((FIRST_DROPS if self.single else FIRST_POURS) / self.half_width)
        if throws < first:
            return first - throws
        widest = self.widest(sums)
        if widest <= self.half_width:
            return 0
        growth = _MARGIN * (widest / self.half_width) ** 2
        return ceil(throws * (min(max(growth, 1.0 + _LEAST), _GROWTH) - 1.0))

    def _share(self, sums: Moments) -> Share:
        if self.single:
            return binomial(sums.hits, sums.trials, level=self.level)
        return share_from(sums, level=self.level)


def _sums(counts: Counts) -> list[Moments]:
    return [counts.moments(name) for name in counts.hits]
