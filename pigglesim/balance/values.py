"""What each kind of Piggle is worth in random teams: one regression for all kinds at once.

Both teams of a trial are drawn Piggle by Piggle, any colour and any rune or none alike. With the
teams exchanged under the same dice, the mean lead of the team in question owes nothing to seats,
and turns its sign if the two teams are named the other way round: so it is the sum over kinds of
value times how many more of that kind the team has, without a constant, plus noise.

There is a value for each of the 20 kinds that act by colour and direction, and for each of the
five other runes, all against a Piggle without a rune, which does nothing. A colour's value is the
plain mean over its four directions, a direction's that over the five colours. Intervals are from
White's covariance (HC1: MacKinnon and White 1985), trials being what was drawn independently.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from pigglesim.balance.parts import DIRECTIONAL
from pigglesim.balance.trial import Trial
from pigglesim.games.piggles.state import Piece, format_piece, parse_piece
from pigglesim.markings import Colour, Rune
from pigglesim.spatial import Array
from pigglesim.studies.estimate import Interval, student

__all__ = ["KINDS", "Fit", "Values", "counts_apart", "fit", "values_of"]

_RARE = tuple(rune for rune in Rune if rune not in DIRECTIONAL)
KINDS = (
    *(
        format_piece(Piece(colour=colour, rune=rune))
        for colour in Colour
        for rune in DIRECTIONAL
    ),
    *map(str, _RARE),
)  # fmt: skip
"""Every kind of Piggle that may act, the rarer runes of any colour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Coefficients of a regression without a constant."""

    values: Array
    """Shape [column_count]."""
    covariance: Array
    """Shape [column_count, column_count]."""
    trials: int
    level: float

    def of(self, weights: Array) -> Interval:
        """Return a weighted sum of the coefficients, with its interval."""
        variance = float(weights @ self.covariance @ weights)
        # As many trials as columns are met exactly, and tell nothing of the noise.
        known = self.trials > len(self.values)
        found = student(
            float(weights @ self.values),
            sqrt(max(0.0, variance)) if known else inf,
            clusters=self.trials,
            level=self.level,
        )
        return Interval(
            value=found.value, low=found.low, high=found.high, level=self.level,
            method="regression, HC1, Student",
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """What Piggles are worth, each against one without a rune."""

    trials: int
    kinds: Mapping[str, Interval]
    """By kind, as `KINDS` names them."""
    colours: Mapping[str, Interval]
    runes: Mapping[str, Interval]


def fit(apart: Array, found: Array, *, level: float = 0.95) -> Fit:
    """Return the least squares of `found` on `apart`; a column that is always 0 has the value 0.

    Args:
        apart: What trials differ by, shape [trial_count, column_count].
        found: What they came to, shape [trial_count].
        level: Share of intervals that shall hold the truth.
    """
    trials, columns = apart.shape
    bread = np.linalg.pinv(apart.T @ apart)
    values = bread @ (apart.T @ found)
    residuals = found - apart @ values
    meat = (apart * (residuals**2)[:, None]).T @ apart
    covariance = bread @ meat @ bread * (trials / max(1, trials - columns))
    return Fit(values=values, covariance=covariance, trials=trials, level=level)


def counts_apart(trials: Sequence[Trial]) -> Array:
    """Return how many more of each kind the own team has, shape [trial_count, kind_count]."""
    columns: dict[str, int | None] = {}
    found = np.zeros((len(trials), len(KINDS)))
    for row, trial in enumerate(trials):
        for sign, worn in zip((1.0, -1.0), trial.teams, strict=True):
            for word in worn:
                if word not in columns:
                    columns[word] = _column(word)
                column = columns[word]
                if column is not None:
                    found[row, column] += sign
    return found


def _column(word: str) -> int | None:
    """Return the column of a Piggle's kind, or None if it never acts."""
    piece = parse_piece(word)
    if piece.rune is None:
        return None
    return KINDS.index(word if piece.directional else str(piece.rune))


def values_of(trials: Sequence[Trial], found: Array, *, level: float = 0.95) -> Values:
    """Return what each kind, colour and rune is worth.

    Args:
        trials: Of random teams.
        found: What each trial came to for the own team, shape [trial_count].
        level: Share of intervals that shall hold the truth.
    """
    fitted = fit(counts_apart(trials), found, level=level)

    def mean(names: Sequence[str]) -> Interval:
        weights = np.zeros(len(KINDS))
        weights[[KINDS.index(name) for name in names]] = 1.0 / len(names)
        return fitted.of(weights)

    of_colour = {
        str(colour): [format_piece(Piece(colour=colour, rune=rune)) for rune in DIRECTIONAL]
        for colour in Colour
    }
    of_rune = {
        str(rune): [format_piece(Piece(colour=colour, rune=rune)) for colour in Colour]
        if rune in DIRECTIONAL
        else [str(rune)]
        for rune in Rune
    }
    return Values(
        trials=len(trials),
        kinds={name: mean([name]) for name in KINDS},
        colours={name: mean(kinds) for name, kinds in of_colour.items()},
        runes={name: mean(kinds) for name, kinds in of_rune.items()},
    )
