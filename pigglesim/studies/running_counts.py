"""Running counts of a study: enough for every share and its interval, however many the throws."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pigglesim.studies.estimate import Moments, Share, share_from

__all__ = ["Counts"]

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
