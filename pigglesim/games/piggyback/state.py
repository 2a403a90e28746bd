"""A position of Piggyback: who stands where, what lies on the board and what is due."""

from dataclasses import dataclass
from enum import StrEnum, unique
from operator import itemgetter

from pigglesim.games.change import changed
from pigglesim.games.game import Result
from pigglesim.rolls import Seat

__all__ = [
    "BANKED",
    "MOST_HELD",
    "MOST_UNITS",
    "OTHER",
    "TEAM",
    "Ability",
    "Combat",
    "Held",
    "Phase",
    "Position",
    "Reason",
    "Roam",
    "Stack",
    "in_order",
    "in_place",
]

TEAM = 6
"""Units of a player (R1)."""
MOST_UNITS = 3
"""In a stack (R4)."""
MOST_HELD = 2
"""Abilities of a stack (R5)."""
BANKED = 2
"""Pieces of each ability in the bank at the start, and as many on the board (R1)."""
OTHER = {Seat.A: Seat.B, Seat.B: Seat.A}
"""The opponent of each; red is A and blue is B (PB1)."""


@unique
class Ability(StrEnum):
    """What a piece lets its holder do, once (R6)."""

    GREEN = "green"
    """Boost: move on in the same turn."""
    ORANGE = "orange"
    """Firepower: one more on the result of a combat."""
    YELLOW = "yellow"
    """Luck: one more roll."""
    MAUVE = "mauve"
    """Warp: change places with a friend."""

    @property
    def label(self) -> str:
        """The name that the English rule book uses."""
        return {"green": "Boost", "orange": "Firepower", "yellow": "Luck", "mauve": "Warp"}[self]


Held = tuple[Ability, ...]
"""Abilities in the order of the enum."""
_PLACE = {ability: place for place, ability in enumerate(Ability)}


def in_order(abilities: Held | list[Ability]) -> Held:
    """Return abilities in the order in which every position keeps them."""
    return tuple(sorted(abilities, key=_PLACE.__getitem__))


@unique
class Reason(StrEnum):
    """Why a game of Piggyback ended."""

    ELIMINATION = "elimination"
    """One side has no units left (R9)."""
    QUIET = "quiet"
    """Too many turns without combat or acquisition (PB12)."""
    CAP = "cap"
    """Too many turns (PB12)."""
    CONCESSION = "concession"


@unique
class Phase(StrEnum):
    """What is due."""

    OPENING = "opening"
    """A roll for who begins."""
    MOVE = "move"
    ROAM = "roam"
    """The unit that has moved may move on by a Boost."""
    WARP = "warp"
    """The attacked player may swap before the combat."""
    ATTACK_ROLL = "attack_roll"
    ATTACK = "attack"
    """The attacker rolls again or stands."""
    DEFENCE_ROLL = "defence_roll"
    DEFENCE = "defence"
    KEEP = "keep"
    """The winner of a combat chooses among the unused abilities of both."""
    RESPAWN = "respawn"
    """The loser may put a piece from the bank on the board."""
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Stack:
    """Units that move and fight as one, and the abilities they hold."""

    units: int = 1
    held: Held = ()

    def without(self, ability: Ability, count: int = 1) -> "Stack":
        """Return this stack after so many of its pieces were used."""
        held = list(self.held)
        for _ in range(count):
            held.remove(ability)
        return Stack(self.units, tuple(held))


def in_place(stacks: dict[int, Stack]) -> tuple[tuple[int, Stack], ...]:
    """Return stacks by space in the order in which every position keeps them."""
    return tuple(sorted(stacks.items(), key=_SPACE))


_SPACE = itemgetter(0)


@dataclass(frozen=True, slots=True)
class Roam:
    """How far the unit that moves in this turn has come."""

    space: int
    steps: int = 0
    spent: int = 0
    """Boosts used in this turn."""


@dataclass(frozen=True, slots=True)
class Combat:
    """How far a combat has come."""

    source: int
    """Space of the attacker."""
    target: int
    """Space that is attacked."""
    rolls: int = 0
    """Of the player who rolls now, in this combat."""
    face: int = 0
    """Of the last of them."""
    attack: int = 0
    """What the attacker has come to, 0 before the die was handed over."""
    winner: Seat | None = None
    loot: Held = ()
    """Unused abilities of the stack that lost, until the winner has chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Everything that the rules of Piggyback need to know to go on."""

    phase: Phase = Phase.MOVE
    active: Seat = Seat.A
    """Whose turn it is."""
    ply: int = 0
    """Turns that are over, of both players."""
    lively: int = 0
    """The value of `ply` at the end of the last turn with a combat or an acquisition."""
    a: tuple[tuple[int, Stack], ...] = ()
    """Stacks of red by space, in the order of spaces."""
    b: tuple[tuple[int, Stack], ...] = ()
    """Stacks of blue."""
    pieces: tuple[tuple[int, Ability], ...] = ()
    """Ability pieces on the board by space, in the order of spaces."""
    bank: Held = ()
    discarded: Held = ()
    opening: int = 0
    """What red has rolled for the start, 0 before."""
    ties: int = 0
    """Equal rolls for the start."""
    roam: Roam | None = None
    """The unit that has moved, while its turn goes on."""
    combat: Combat | None = None
    result: Result | None = None

    def side(self, seat: Seat) -> tuple[tuple[int, Stack], ...]:
        """Return one player's stacks by space."""
        return self.a if seat is Seat.A else self.b

    def with_side(self, seat: Seat, stacks: dict[int, Stack]) -> "Position":
        """Return this position with one player's stacks put in."""
        side = in_place(stacks)
        return changed(self, a=side) if seat is Seat.A else changed(self, b=side)

    def units(self, seat: Seat) -> int:
        """Return how many units a player has left."""
        return sum(stack.units for _, stack in self.side(seat))

    def discarding(self, abilities: Held) -> "Position":
        """Return this position with pieces out of the game that were used or left over (R5)."""
        if not abilities:
            return self
        return changed(self, discarded=in_order([*self.discarded, *abilities]))
