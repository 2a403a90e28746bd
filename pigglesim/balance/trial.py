"""What is kept of a trial: how its matches ended, and of some how they went."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pigglesim.balance.account import Account

__all__ = ["MatchTold", "Trial"]

_MOST = 10**9
"""Of any score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchTold:
    """What is kept of a match; its own team is the one in question, whatever its seat."""

    points: float
    """Of the own team: 1 for a win, 0.5 for a draw, 0."""
    scores: tuple[int, int]
    """Of the own team and of the other."""
    reason: str
    account: Account | None = None

    @property
    def lead(self) -> int:
        """By how much the own team won."""
        return self.scores[0] - self.scores[1]

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        plain: dict[str, Any] = {
            "points": self.points, "scores": list(self.scores), "reason": self.reason,
        }  # fmt: skip
        return plain | ({"account": self.account.to_json()} if self.account else {})

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> "MatchTold":
        """Return the match that `to_json` gave."""
        own, other = plain["scores"]
        account = plain.get("account")
        points = plain["points"]
        whole = all(type(score) is int and abs(score) <= _MOST for score in (own, other))
        if not (whole and type(points) in {int, float} and 0.0 <= points <= 1.0):
            raise ValueError("no match")
        return cls(
            points=points,
            scores=(own, other),
            reason=plain["reason"],
            account=None if account is None else Account.from_json(account),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One trial that has been played."""

    index: int
    seed: int
    matches: tuple[MatchTold, ...]
    """Of a pair the own team has seat A in the first match, and seat B in the second."""
    teams: tuple[tuple[str, ...], ...] = ()
    """What the Piggles of both teams wear, where that was drawn to be told apart later."""

    @property
    def points(self) -> float:
        """Mean of the points of the own team, from 0 to 1."""
        return sum(match.points for match in self.matches) / len(self.matches)

    @property
    def lead(self) -> float:
        """Mean of what the own team scored more than the other."""
        return sum(match.lead for match in self.matches) / len(self.matches)

    def files(self) -> dict[str, str]:
        """Return nothing: all is in the line."""
        return {}

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        plain: dict[str, Any] = {
            "trial": self.index,
            "seed": self.seed,
            "matches": [match.to_json() for match in self.matches],
        }
        return plain | ({"teams": [list(team) for team in self.teams]} if self.teams else {})

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> "Trial":
        """Return the trial that `to_json` gave.

        Raises:
            ValueError: If it is none; or KeyError or TypeError.
        """
        trial = cls(
            index=plain["trial"],
            seed=plain["seed"],
            matches=tuple(MatchTold.from_json(match) for match in plain["matches"]),
            teams=tuple(tuple(team) for team in plain.get("teams", ())),
        )
        sound = (
            all(type(number) is int and number >= 0 for number in (trial.index, trial.seed))
            and trial.matches
            and all(isinstance(word, str) for team in trial.teams for word in team)
        )
        if not sound:
            raise ValueError("no trial")
        return trial
