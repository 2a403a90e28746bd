"""House rules of Pig Pile: one switch for each ruling that a table may change.

For switches with two settings, true means the setting declared first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Self

from pigglesim.errors import SpecError
from pigglesim.games.switches import Switches, switch
from pigglesim.landing import Seat


@unique
class DrawTo(StrEnum):
    """Number of cards drawn after a play, while the Draw Pile lasts (PP3)."""

    ONE = "one"
    """One card after any play."""
    FOUR = "four"
    """Cards up to a hand of four; none for a larger hand."""


_NUMBERS: Mapping[object, str] = {1: DrawTo.ONE, 4: DrawTo.FOUR}
"""Settings of `draw_to` written as numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PigPileRules(Switches):
    """House rules of a table; the defaults are the rulings."""

    players: int = switch(4, "PP1", least=2, most=8)
    """Number of players: the game is made for 3 to 6; 2, 7 and 8 are experiments."""
    rounds: int = switch(5, "R10", least=1, most=100)
    first_dealer: Seat = switch(Seat.A, "R10")
    advanced_deal: bool = switch(False, "R2, PP18")
    """True if players choose three of seven cards to be face up, hidden until all have chosen."""
    voluntary_pickup: bool = switch(False, "PP2")
    """True if a player who could play may pick up the pile."""
    draw_to: DrawTo = switch(DrawTo.ONE, "PP3")
    wash_any_time: bool = switch(False, "PP4")
    """True if an 8 may be played on any card."""
    wash_cancels_effect: bool = switch(False, "PP5")
    """True if a 4 or an 11 that washes the pile away has no other effect."""
    wild_triple: bool = switch(True, "PP6")
    """True if three Hog Wilds in a row are identical cards, and wash."""
    wild_mix: bool = switch(False, "PP6")
    """True if Hog Wilds may be played below cards of one value and then count as that value."""
    two_player_reverse: bool = switch(False, "PP10")
    """True if an 11 between the last two players gives its player another turn, as a 4 does."""
    join_zones: bool = switch(False, "PP15")
    """True if equal face-up cards may be played together with the last of a hand."""
    turn_cap: int = switch(2000, "PP13", least=1, most=100_000)
    """Maximum decisions of a round, after which it is counted as it is."""

    def __post_init__(self) -> None:
        Switches.__post_init__(self)
        if self.first_dealer not in self.seats:
            raise SpecError(
                repr(str(self.first_dealer)),
                expected=f"a first_dealer among {self.players} players",
                fix=f"first_dealer={self.seats[0]}, or more players (R10)",
            )

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> Self:
        """Return the house rules in a JSON or TOML table; missing ones are default."""
        given = dict(mapping)
        number = given.get("draw_to")
        if type(number) is int and number in _NUMBERS:
            given["draw_to"] = _NUMBERS[number]
        return super(PigPileRules, cls).from_mapping(given)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Players in clockwise order."""
        return tuple(Seat)[: self.players]
