"""Who has won at the end of a turn, and what a game pays in a series (R8, R10, LP9)."""

from pigglesim.games.game import Result
from pigglesim.games.lord_of_the_pigs.actors import SEATS, index
from pigglesim.games.lord_of_the_pigs.house_rules import HouseRules, Series, UprisingTie
from pigglesim.games.lord_of_the_pigs.state import HIGHEST, Reason
from pigglesim.rolls import Seat

__all__ = ["Four", "judge", "leaders", "series_points", "series_result"]

Four = tuple[int, int, int, int]
"""A number of each player, in Actor order."""

_REGULAR_WINNER, _REGULAR_SECOND, _REGULAR_UPRISING = 3, 1, 2
_COMPETITIVE_BONUS, _COMPETITIVE_UPRISING = 3, 5


def judge(ratings: Four, stability: int, rules: HouseRules) -> Result | None:
    """Return the result that the check at the end of a turn gives, or None to play on (R8).

    Args:
        ratings: The Ratings.
        stability: Social Stability.
        rules: The house rules.
    """
    if stability == 0:
        lowest = [seat for seat in SEATS if ratings[index(seat)] == min(ratings)]
        if len(lowest) == 1:
            return Result(winner=lowest[0], reason=Reason.UPRISING)
        if rules.uprising_tie is UprisingTie.CONTINUE:
            return None
    at_top = [seat for seat in SEATS if ratings[index(seat)] == HIGHEST]
    return Result(winner=at_top[0], reason=Reason.RATING) if len(at_top) == 1 else None


def leaders(points: Four) -> tuple[Seat, ...]:
    """Return who has the most points, in Actor order."""
    return tuple(seat for seat in SEATS if points[index(seat)] == max(points))


def series_points(scoring: Series, ratings: Four, winner: Seat | None, *, uprising: bool) -> Four:
    """Return what a game pays each player in a series (R10).

    A game that was broken off has no winner: nobody is second either, and in a Competitive series
    each is paid the own Rating.

    Args:
        scoring: How the series is scored.
        ratings: The Ratings at the end of the game.
        winner: Who has won it; None where it was broken off.
        uprising: Whether by a Social Uprising.
    """
    if scoring is Series.OFF:
        return (0, 0, 0, 0)
    regular = scoring is Series.REGULAR
    if uprising:
        prize, rest = (_REGULAR_UPRISING if regular else _COMPETITIVE_UPRISING), (0, 0, 0, 0)
    elif regular:
        prize, rest = _REGULAR_WINNER, _seconds(ratings, winner)
    else:
        prize, rest = _COMPETITIVE_BONUS, ratings
    a, b, c, d = (
        points + (prize if seat is winner else 0) for seat, points in zip(SEATS, rest, strict=True)
    )
    return a, b, c, d


def _seconds(ratings: Four, winner: Seat | None) -> Four:
    """Return a point for whoever has the highest Rating but for the winner."""
    if winner is None:
        return (0, 0, 0, 0)
    others = [seat for seat in SEATS if seat is not winner]
    best = max(ratings[index(seat)] for seat in others)
    a, b, c, d = (
        _REGULAR_SECOND if seat in others and ratings[index(seat)] == best else 0 for seat in SEATS
    )
    return a, b, c, d


def series_result(points: Four) -> Result:
    """Return how a series ends in which players have so many points: the Lord, or several."""
    most = leaders(points)
    if len(most) == 1:
        return Result(winner=most[0], reason=Reason.SERIES)
    return Result(winner=None, reason=Reason.SERIES, shared=most)
