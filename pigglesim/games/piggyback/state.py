"""House rules, boards and states of Piggyback."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache, cached_property
from itertools import product
from operator import itemgetter

from pigglesim.errors import SpecError, cut, unknown_name
from pigglesim.games.game import JSON, Concede, Result, changed
from pigglesim.games.switches import Switches, switch
from pigglesim.landing import Seat
from pigglesim.units import whole


class Start(StrEnum):
    """Player who begins (R2)."""

    ROLL = "roll"
    """Player with the higher roll; red rolls first, and equal rolls are repeated (PB11)."""
    RED = "red"
    BLUE = "blue"


class MergeRule(StrEnum):
    """Friendly units that may be stacked, within the limit of three (PB3)."""

    FRENCH = "fr"
    """Any two units unless both hold abilities."""
    ENGLISH = "en"
    """Two units that hold at most two abilities together."""


class WarpScope(StrEnum):
    """Units that a Warp may swap (PB5)."""

    HOLDER = "holder"
    """Holder and another unit; as a defence, one of the two is the attacked unit."""
    ANY = "any"
    """Any two units of the same colour, also as a defence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggybackRules(Switches):
    """Every switch with its default; the reasons are in the rulings it names."""

    start: Start = switch(Start.ROLL, "R2", "who begins: the higher roll, or always the same side")
    start_cap: int = switch(
        100,
        "PB11",
        "repeated equal rolls for the start; after one more, red begins",
        least=0,
        most=1000,
    )
    allow_pass: bool = switch(False, "PB2", "a player who can move may pass")
    merge_rule: MergeRule = switch(
        MergeRule.FRENCH,
        "PB3",
        "two stacks that both hold abilities never merge (`fr`), or they may, with two "
        "abilities together (`en`)",
    )
    boost_continue: bool = switch(
        False, "PB4", "a boosted unit moves on after a won combat, a merge or taking a piece"
    )
    boost_permanent: bool = switch(False, "PB4", "Boosts are not used up (the French wording)")
    warp_scope: WarpScope = switch(
        WarpScope.HOLDER,
        "PB5",
        "the holder is one of the two, and so is the attacked unit; or any two friends, "
        "where the first holder on the board pays if neither holds a Warp",
    )
    pickup_later: bool = switch(False, "PB6", "a turn may be used to take the piece under a stack")
    quiet_cap: int = switch(
        100,
        "PB12",
        "consecutive turns without combat or taking a piece that make a draw",
        least=1,
        most=10_000,
    )
    cap: int = switch(1000, "PB12", "total turns that make a draw", least=1, most=10_000)


SMALLEST, LARGEST = 5, 16
"""Rows of the smallest board that holds all that a layout sets up, and of the largest."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def at(column: int, row: int, size: int) -> int:
    """Return the number of a space by its column and row, both from 1."""
    return (row - 1) * size + column - 1


def space_name(space: int, size: int) -> str:
    """Return the name of a space, such as `b1`."""
    return f"{_LETTERS[space % size]}{space // size + 1}"


def parse_space(text: str, size: int) -> int:
    """Return the number of a space by its name; raise `SpecError` if it is unknown."""
    column, row = _LETTERS.find(text[:1]) if text else -1, whole(text[1:]) or 0
    if text[1:2] == "0" or not (0 <= column < size and 0 < row <= size):
        last = space_name(size * size - 1, size)
        raise SpecError(f"unknown space {cut(repr(text))}", fix=f"use a1 to {last}")
    return at(column + 1, row, size)


@cache
def neighbours(size: int) -> tuple[tuple[int, ...], ...]:
    """Return the spaces that touch each space, by side or corner, in their order (R2)."""
    return tuple(
        tuple(
            at(column + right, row + up, size)
            for up, right in product((-1, 0, 1), repeat=2)
            if (up or right) and 1 <= column + right <= size and 1 <= row + up <= size
        )
        for row, column in product(range(1, size + 1), repeat=2)
    )


TEAM = 6
"""Units of a player (R1)."""
MOST_UNITS = 3
"""Maximum units of a stack (R4)."""
MOST_HELD = 2
"""Maximum abilities of a stack (R5)."""
BANKED = 2
"""Pieces of each ability in the bank at the start, and as many on the board (R1)."""
OTHER = {Seat.A: Seat.B, Seat.B: Seat.A}
"""The opponent of each; red is A and blue is B (PB1)."""


class Ability(StrEnum):
    """Abilities of pieces, each for one use (R6)."""

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
        """Name in the English rule book."""
        return {"green": "Boost", "orange": "Firepower", "yellow": "Luck", "mauve": "Warp"}[self]


Held = tuple[Ability, ...]
"""Abilities in the order of the enum."""
_PLACE = {ability: place for place, ability in enumerate(Ability)}


def in_order(abilities: Held | list[Ability]) -> Held:
    """Return abilities in the order of every state."""
    return tuple(sorted(abilities, key=_PLACE.__getitem__))


class PiggybackReason(StrEnum):
    """Reasons for the end of a game of Piggyback."""

    ELIMINATION = "elimination"
    """One side has no units left (R9)."""
    QUIET = "quiet"
    """Too many turns without combat or acquisition (PB12)."""
    CAP = "cap"
    """Too many turns (PB12)."""
    CONCESSION = "concession"


class PiggybackPhase(StrEnum):
    """Phases of a turn."""

    OPENING = "opening"
    """Roll for the start."""
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
    """Stack of units that move and fight as one, with their abilities."""

    units: int = 1
    held: Held = ()

    def without(self, ability: Ability, count: int = 1) -> "Stack":
        """Return this stack without its used pieces."""
        held = list(self.held)
        for _ in range(count):
            held.remove(ability)
        return Stack(self.units, tuple(held))


def parse_ability(text: str) -> Ability:
    """Return the ability of a name; raise `SpecError` if it is unknown."""
    if text not in set(Ability):
        raise unknown_name("ability", text, Ability)
    return Ability(text)


def in_place(stacks: dict[int, Stack]) -> tuple[tuple[int, Stack], ...]:
    """Return stacks by space in the order of every state."""
    return tuple(sorted(stacks.items(), key=_SPACE))


_SPACE = itemgetter(0)


@dataclass(frozen=True)
class Roam:
    """Progress of the unit that moves in this turn."""

    space: int
    steps: int = 0
    spent: int = 0
    """Boosts used in this turn."""


@dataclass(frozen=True)
class Combat:
    """Progress of a combat."""

    source: int
    """Space of the attacker."""
    target: int
    """Attacked space."""
    rolls: int = 0
    """Number of rolls in this combat of the player who rolls now."""
    face: int = 0
    """Face of the last of those rolls."""
    attack: int = 0
    """Result of the attacker, 0 before the defender's rolls."""
    winner: Seat | None = None
    loot: Held = ()
    """Unused abilities of the stack that lost, until the winner has chosen."""


@dataclass(frozen=True, kw_only=True)
class PiggybackState:
    """State of a game of Piggyback."""

    phase: PiggybackPhase = PiggybackPhase.MOVE
    active: Seat = Seat.A
    """Player whose turn it is."""
    ply: int = 0
    """Number of finished turns of both players."""
    lively: int = 0
    """Value of `ply` at the end of the last turn with a combat or an acquisition."""
    a: tuple[tuple[int, Stack], ...] = ()
    """Stacks of red by space, in the order of spaces."""
    b: tuple[tuple[int, Stack], ...] = ()
    """Stacks of blue."""
    pieces: tuple[tuple[int, Ability], ...] = ()
    """Ability pieces on the board by space, in the order of spaces."""
    bank: Held = ()
    discarded: Held = ()
    opening: int = 0
    """Red's roll for the start, 0 before."""
    ties: int = 0
    """Number of equal rolls for the start."""
    roam: Roam | None = None
    """Unit that has moved, during its turn."""
    combat: Combat | None = None
    result: Result | None = None

    @property
    def round(self) -> int:
        """Number of the round, in which both players have a turn."""
        return self.ply // 2 + 1

    @property
    def fight(self) -> Combat:
        """Combat of the current phase."""
        assert self.combat is not None
        return self.combat

    def side(self, seat: Seat) -> tuple[tuple[int, Stack], ...]:
        """Return one player's stacks by space."""
        return self.a if seat is Seat.A else self.b

    def with_side(self, seat: Seat, stacks: dict[int, Stack]) -> "PiggybackState":
        """Return this state with one player's stacks put in."""
        side = in_place(stacks)
        return changed(self, a=side) if seat is Seat.A else changed(self, b=side)

    def units(self, seat: Seat) -> int:
        """Return the number of units left of a player."""
        return sum(stack.units for _, stack in self.side(seat))

    def discarding(self, abilities: Held) -> "PiggybackState":
        """Return this state with used or remaining pieces out of the game (R5)."""
        if not abilities:
            return self
        return changed(self, discarded=in_order([*self.discarded, *abilities]))


STANDARD = "standard"
"""The name of the layout of PB1."""
_COUNTS: dict[str, int] = {"red": TEAM, "blue": TEAM, **dict.fromkeys(Ability, BANKED)}


def _standard(row: int, columns: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(at(column, row, 8) for column in columns)


@dataclass(frozen=True, kw_only=True)
class SpaceLayout:
    """The spaces of both armies and of each colour of ability, all different.

    Raises:
        SpecError: If a group has too many or too few spaces, or two groups share one.
    """

    size: int = 8
    """Rows, and columns, of the board."""
    red: tuple[int, ...] = _standard(1, (2, 3, 4, 5, 6, 7))
    blue: tuple[int, ...] = _standard(8, (2, 3, 4, 5, 6, 7))
    green: tuple[int, ...] = (at(1, 4, 8), at(8, 5, 8))
    orange: tuple[int, ...] = (at(3, 4, 8), at(6, 5, 8))
    yellow: tuple[int, ...] = (at(6, 4, 8), at(3, 5, 8))
    mauve: tuple[int, ...] = (at(8, 4, 8), at(1, 5, 8))

    def __post_init__(self) -> None:
        holder: dict[int, str] = {}
        for group, count in _COUNTS.items():
            spaces: tuple[int, ...] = getattr(self, group)
            if len(spaces) != count:
                raise SpecError(
                    f"{len(spaces)} spaces of {group} in the layout", fix=f"give {count} spaces"
                )
            for space in spaces:
                if space in holder:
                    where = space_name(space, self.size)
                    raise SpecError(
                        f"both {holder[space]} and {group} on {where}", fix="move one of them"
                    )
                holder[space] = group

    @cached_property
    def colours(self) -> Mapping[int, Ability]:
        """The colour of each initial space of an ability, in the order of spaces."""
        found = {space: ability for ability in Ability for space in getattr(self, ability)}
        return dict(sorted(found.items()))

    def setting(self) -> JSON:
        """Return the layout as `read_layout` reads it: the name of the usual one, or a table."""
        if self == SpaceLayout():
            return STANDARD
        table: dict[str, JSON] = {"size": self.size}
        for group in _COUNTS:
            table[group] = [space_name(space, self.size) for space in getattr(self, group)]
        return table


def read_layout(value: object) -> SpaceLayout:
    """Return the layout that a setting describes: `standard`, or a table of spaces by name.

    Missing parts are those of the usual layout. On a board of another size no part may be missing.

    Raises:
        SpecError: If a name is unknown, or the layout is invalid.
    """
    if isinstance(value, str):
        if value != STANDARD:
            raise unknown_name("layout", value, (STANDARD,))
        return SpaceLayout()
    if not isinstance(value, Mapping):
        raise SpecError(
            f"layout {value!r} is not a table", fix='write [layout] with red = ["b1", ...]'
        )
    known = [field.name for field in fields(SpaceLayout)]
    for name in value:
        if name not in known:
            raise unknown_name("part of a layout", str(name), known)
    size = value.get("size", SpaceLayout.size)
    if type(size) is not int or not SMALLEST <= size <= LARGEST:
        raise SpecError(
            f"size {size!r} of the layout",
            expected=f"{SMALLEST} to {LARGEST}",
            fix="use size = 8, the default",
        )
    missing = [group for group in _COUNTS if group not in value]
    if missing and size != SpaceLayout.size:
        raise SpecError(
            f"no {' and no '.join(missing)} in a layout of {size} rows",
            fix=f'add {missing[0]} = ["a1", ...]',
        )
    groups = {group: _spaces(group, value[group], size) for group in _COUNTS if group in value}
    return SpaceLayout(size=size, **groups)


def _spaces(group: str, value: object, size: int) -> tuple[int, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise SpecError(
            f"{group} {value!r} is not a list of spaces", fix=f'write {group} = ["a4", "h5"]'
        )
    return tuple(parse_space(name, size) for name in value)


@dataclass(frozen=True, slots=True)
class Move:
    """A stack goes to a space that touches its own (R2)."""

    source: int
    target: int
    take: bool = False
    """True if the stack acquires the piece there (R3)."""


@dataclass(frozen=True, slots=True)
class Warp:
    """Two friendly stacks change places (R6)."""

    holder: int
    """Space of the Warp's holder; under `warp_scope=any`, either one, even without a Warp."""
    partner: int


@dataclass(frozen=True, slots=True)
class Take:
    """A stack acquires the piece that it left lying under it, as its turn (PB6)."""

    space: int


@dataclass(frozen=True, slots=True)
class Stand:
    """The roller keeps the last roll and adds a number of Firepowers (R6, R7)."""

    force: int = 0


@dataclass(frozen=True, slots=True)
class Keep:
    """The winner keeps these of both stacks' unused abilities (R8)."""

    held: Held = ()


@dataclass(frozen=True, slots=True)
class Respawn:
    """The loser puts a piece from the bank on an initial space of its colour (R8)."""

    space: int


class Word(StrEnum):
    """Decisions without parameters."""

    PASS = "pass"
    """No move (PB2)."""
    END = "end"
    """No further step of a unit that could be boosted (PB4)."""
    FIGHT = "fight"
    """No Warp before the combat (R6)."""
    ROLL = "roll"
    """One more roll, the last counts (R7)."""
    LEAVE = "leave"
    """No piece from the bank (PB10)."""


PiggybackAction = Move | Warp | Take | Stand | Keep | Respawn | Word | Concede


@dataclass(frozen=True, slots=True)
class Steps:
    """The moves from one space."""

    touching: frozenset[int]
    """The spaces that can be reached."""
    plain: tuple[Move, ...]
    """The moves to each space that leave its piece there."""
    each: tuple[tuple[int, Move, Move], ...]
    """Each space with the moves to it: leaving a piece there, and taking it."""


@cache
def steps_from(size: int) -> tuple[Steps, ...]:
    """Return the moves from each space, to the spaces that touch it in their order."""
    return tuple(
        Steps(
            frozenset(touching),
            tuple(Move(space, to) for to in touching),
            tuple((to, Move(space, to), Move(space, to, take=True)) for to in touching),
        )
        for space, touching in enumerate(neighbours(size))
    )
