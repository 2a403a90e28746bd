"""What Snout-Up Piggles, knocks and the Kitchen are worth (R3, R11)."""

from dataclasses import dataclass

from pigglesim.games.change import changed
from pigglesim.games.piggles.house_rules import HouseRules, KitchenPenalty
from pigglesim.games.piggles.state import Position
from pigglesim.rolls import Orientation, Seat, Zone

__all__ = ["KITCHEN_BONUS", "MUD_BONUS", "ZONE_POINTS", "Tally", "book", "tally", "tally_of"]

ZONE_POINTS = {
    Zone.FIELD_NORTH: 3,
    Zone.FIELD_EAST: 3,
    Zone.FIELD_SOUTH: 3,
    Zone.FIELD_WEST: 3,
    Zone.PATH_INNER: 2,
    Zone.PATH_OUTER: 2,
    Zone.WOODS: 1,
    # A line pays the lower of its two sides (R3).
    Zone.LINE_FIELD_PATH: 2,
    Zone.LINE_PATH_WOODS: 1,
    Zone.OFF: 0,
}
"""Points of a Snout-Up Piggle by zone (R3)."""

MUD_BONUS = 1
KITCHEN_BONUS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """One player's Tally, step by step (R11)."""

    seat: Seat
    round: int
    zones: int
    """Points of own Snout-Up Piggles by zone."""
    mud_bonus: int
    kitchen_bonus: int
    penalty: int
    """Points lost to the own Kitchen, as a positive number."""
    before: int
    after: int


def tally_of(position: Position, seat: Seat, rules: HouseRules) -> Tally:
    """Return what a Tally of `seat` would book, without booking it.

    The owner's Piggles alone count (P5); the floor of zero comes last, once (P9).
    """
    side = position.side(seat)
    zones = sum(
        ZONE_POINTS[landing.zone]
        for _, landing in position.on_board(seat)
        if landing.orientation is Orientation.SNOUT_UP
    )
    mud_bonus = MUD_BONUS * side.mud_bonuses
    kitchen_bonus = KITCHEN_BONUS * side.kitchen_bonuses
    # P8: each Piggle costs a point in every own Tally, or in its first one only.
    free = set(side.charged) if rules.kitchen_penalty is KitchenPenalty.ONCE else set()
    penalty = sum(piggle not in free for piggle in side.kitchen)
    return Tally(
        seat=seat,
        round=position.round,
        zones=zones,
        mud_bonus=mud_bonus,
        kitchen_bonus=kitchen_bonus,
        penalty=penalty,
        before=side.score,
        after=max(0, side.score + zones + mud_bonus + kitchen_bonus - penalty),
    )


def tally(position: Position, seat: Seat, rules: HouseRules) -> Position:
    """Return the position after `seat` has scored; nobody else's score changes."""
    return book(position, tally_of(position, seat, rules))


def book(position: Position, counted: Tally) -> Position:
    """Return the position after a Tally that `tally_of` has counted in it."""
    side = position.side(counted.seat)
    scored = changed(
        side,
        score=counted.after,
        mud_bonuses=0,
        kitchen_bonuses=0,
        charged=side.kitchen,
        late=(),
    )
    return position.with_side(counted.seat, scored)
