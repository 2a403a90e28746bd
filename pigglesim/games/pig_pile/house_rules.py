"""The house rules of Pig Pile: one switch for every ruling that a table may change.

Among switches of two settings, true means the setting declared first.
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
    """What a player draws after playing, while the Draw Pile lasts (PP3)."""

    ONE = "one"
    """One card, however many were played."""
    FOUR = "four"
    """As many as make a hand of four; none to a hand that has them."""


_NUMBERS: Mapping[object, str] = {1: DrawTo.ONE, 4: DrawTo.FOUR}
"""Settings of `draw_to` written as numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PigPileRules(Switches):
    """What this table has agreed on; the defaults are the rulings."""

    players: int = switch(4, "PP1", least=2, most=8)
    """Three to six is what the game is made for; two, seven and eight are experiments."""
    rounds: int = switch(5, "R10", least=1, most=100)
    first_dealer: Seat = switch(Seat.A, "R10")
    advanced_deal: bool = switch(False, "R2, PP18")
    """Whether players choose which three of seven cards lie face up, hidden until all have."""
    voluntary_pickup: bool = switch(False, "PP2")
    """Whether the pile may be taken up by a player who could play."""
    draw_to: DrawTo = switch(DrawTo.ONE, "PP3")
    wash_any_time: bool = switch(False, "PP4")
    """Whether an 8 may be played on any card."""
    wash_cancels_effect: bool = switch(False, "PP5")
    """Whether a 4 or an 11 that washes the pile away has no other effect."""
    wild_triple: bool = switch(True, "PP6")
    """Whether three Hog Wilds in a row are identical cards, and wash."""
    wild_mix: bool = switch(False, "PP6")
    """Whether Hog Wilds may be played beneath cards of one value, and count as that value then."""
    two_player_reverse: bool = switch(False, "PP10")
    """Whether an 11 between the last two players lets its player go on, as a 4 does."""
    join_zones: bool = switch(False, "PP15")
    """Whether equal face-up cards may be played together with the last of a hand."""
    turn_cap: int = switch(2000, "PP13", least=1, most=100_000)
    """How many decisions a round may take before it is counted as it stands."""

    def __post_init__(self) -> None:
        Switches.__post_init__(self)
        if self.first_dealer not in self.seats:
            raise SpecError(
                f"a first_dealer among {self.players} players",
                got=repr(str(self.first_dealer)),
                remedy=f"first_dealer={self.seats[0]}, or more players (R10)",
            )

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> Self:
        """Return the house rules that a JSON or TOML table gives; the rest is default."""
        given = dict(mapping)
        number = given.get("draw_to")
        if type(number) is int and number in _NUMBERS:
            given["draw_to"] = _NUMBERS[number]
        return super(PigPileRules, cls).from_mapping(given)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Who plays, clockwise."""
        return tuple(Seat)[: self.players]
