"""House rules of Piggy Six: one switch for each ruling that a table may change.

For switches with two settings, true means the setting declared first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique

from pigglesim.chance_types import CockedDice
from pigglesim.errors import SpecError
from pigglesim.games.switches import Switches, switch
from pigglesim.landing import Seat

MIN_PLAYERS, MAX_PLAYERS = 2, 8
_SEATS = tuple(Seat)
IMAGINARY = 2
"""Number of imaginary players of the solitaire game (R5)."""


@unique
class Ending(StrEnum):
    """End of the game (R3, PS7)."""

    EQUAL_TURNS = "equal_turns"
    """Completion of the round in which a player reaches the target; most points win."""
    RACE = "race"
    """Immediate win of the first player at the target."""


@unique
class DiceChoice(StrEnum):
    """Time of choosing the number of dice in the three-dice game (PS4)."""

    PER_ROLL = "per_roll"
    PER_TURN = "per_turn"
    """First roll of a turn, for the whole turn."""


@unique
class Tie(StrEnum):
    """Outcome of a tie for the most points (PS2)."""

    SHARE = "share"
    EXTRA_ROUND = "extra_round"
    """Extra rounds of all players, until one is ahead or nobody has the target."""


@unique
class Order(StrEnum):
    """Player who begins each round of the solitaire game (PS5)."""

    HUMAN_FIRST = "human_first"
    HUMAN_LAST = "human_last"


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggySixRules(Switches):
    """House rules of a table; the defaults are the rulings."""

    players: int = switch(2, "R3, R4", least=MIN_PLAYERS, most=MAX_PLAYERS)
    """Number of players; the solitaire game, with one person, requires the default."""
    target: int = switch(100, "R3", least=1, most=10_000)
    end: Ending = switch(Ending.EQUAL_TURNS, "PS7")
    must_roll: bool = switch(True, "PS1")
    """True if a turn has at least one roll."""
    tie: Tie = switch(Tie.SHARE, "PS2")
    three_dice: bool = switch(False, "R6")
    """True if the player chooses to roll one, two or three dice."""
    dice_choice: DiceChoice = switch(DiceChoice.PER_ROLL, "PS4")
    solitaire: bool = switch(False, "R5")
    """True if one person plays against two imaginary players with fixed stop totals."""
    bot_stop_1: int = switch(8, "R5", least=1, most=10_000)
    """Turn total at which the first imaginary player stops."""
    bot_stop_2: int = switch(14, "R5", least=1, most=10_000)
    bot_goal_stop: bool = switch(False, "PS5")
    """True if an imaginary player also stops as soon as it has the target."""
    order: Order = switch(Order.HUMAN_FIRST, "PS5")
    cocked_dice: CockedDice = switch(CockedDice.REROLL, "cocked dice")
    """Treatment of dice that do not rest on a face on the board."""
    roll_cap: int = switch(100, "longest game", least=1, most=10_000)
    """Maximum rolls in a turn, after which its total is banked."""
    round_cap: int = switch(1000, "longest game", least=1, most=100_000)
    """Maximum rounds, after which most points win."""

    def __post_init__(self) -> None:
        Switches.__post_init__(self)
        if self.solitaire and self.players != MIN_PLAYERS:
            raise SpecError(
                f"players={self.players}",
                expected="players left out of the solitaire game, which has one person",
                fix=f"leave players out, or solitaire=off for {self.players} persons",
            )

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Players with points, including imaginary ones, in the order of seats."""
        return _SEATS[: 1 + IMAGINARY if self.solitaire else self.players]

    @property
    def turn_order(self) -> tuple[Seat, ...]:
        """Players with points in the order of turns."""
        if self.solitaire and self.order is Order.HUMAN_LAST:
            human, *imaginary = self.seats
            return (*imaginary, human)
        return self.seats

    @property
    def stops(self) -> Mapping[Seat, int]:
        """Stop total of each imaginary player; empty outside the solitaire game."""
        if not self.solitaire:
            return {}
        return dict(zip(self.seats[1:], (self.bot_stop_1, self.bot_stop_2), strict=True))

    @property
    def dice_numbers(self) -> tuple[int, ...]:
        """Numbers of dice that a player may roll."""
        return (1, 2, 3) if self.three_dice else (2,)
