"""What a Piggle does when it acts, and on whom it can (R20-R24, M4-M8, M11-M18)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto, unique

from pigglesim.games.change import changed
from pigglesim.games.piggles.directions import field_of, field_towards
from pigglesim.games.piggles.modern_rules import (
    GreenOwner,
    GreenWindow,
    ModernRules,
    Rune78Scope,
    TargetScope,
)
from pigglesim.games.piggles.pieces import NEUTRAL, Lineup, Piece
from pigglesim.games.piggles.state import Position, in_order
from pigglesim.markings import Colour, Rune
from pigglesim.rolls import BOARD_SEATS, Landing, Orientation, Seat, Zone

__all__ = ["REMOVES", "Table", "Verb", "aim", "protected", "shielded_from", "targets", "verb_of"]


@unique
class Verb(Enum):
    """What an effect does to its target."""

    BURN = auto()
    """To the Kitchen."""
    DAMAGE = auto()
    """To the Mud."""
    CRIT = auto()
    """Rolled again."""
    HEALTH = auto()
    """Out of the Mud onto the board."""
    SHIELD = auto()
    """Protected in the next roll."""
    TURN_UP = auto()
    TURN_DOWN = auto()
    RESCUE = auto()
    """Out of the Mud into the Pen."""
    DEMOTE = auto()
    """Out of the Kitchen into the Mud."""
    SUMMON = auto()
    """Out of the Pen onto the board."""


REMOVES = frozenset({Verb.BURN, Verb.DAMAGE})
"""What a shield protects against in Action & Reaction (M12)."""

_OF_COLOUR = {
    Colour.ORANGE: Verb.BURN,
    Colour.RED: Verb.DAMAGE,
    Colour.BLUE: Verb.CRIT,
    Colour.GREEN: Verb.HEALTH,
    Colour.YELLOW: Verb.SHIELD,
}
_OF_RUNE = {
    Rune.ARROW_CW: Verb.TURN_UP,
    Rune.ARROW_CCW: Verb.TURN_DOWN,
    Rune.SPIRAL_CW: Verb.RESCUE,
    Rune.SPIRAL_CCW: Verb.DEMOTE,
    Rune.SPLIT: Verb.SUMMON,
}
_HARMS = REMOVES | {Verb.CRIT}
_PREVIOUS_ROUND = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What stays the same through a game of Modern."""

    rules: ModernRules
    lineup: Lineup
    _pieces: dict[str, Piece] = field(init=False, repr=False, compare=False)
    _verbs: dict[str, Verb | None] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        pieces = dict(self.lineup)
        verbs = {piggle: verb_of(piece, self.rules) for piggle, piece in pieces.items()}
        object.__setattr__(self, "_pieces", pieces)
        object.__setattr__(self, "_verbs", verbs)

    def piece(self, piggle: str) -> Piece:
        """Return the markings of a Piggle."""
        return self._pieces.get(piggle, NEUTRAL)

    def verb(self, piggle: str) -> Verb | None:
        """Return what a Piggle does when it acts, or None for a neutral one."""
        return self._verbs.get(piggle)


def verb_of(piece: Piece, rules: ModernRules) -> Verb | None:
    """Return what a Piggle does when it acts, or None for a neutral one (M4, R24).

    Runes 1 to 4 give the colour its direction; runes 5 to 9 have a verb of their own, for which
    the colour is no more than a filter.
    """
    if piece.colour is None or piece.rune is None:
        return None
    if piece.directional:
        return _OF_COLOUR[piece.colour]
    return _OF_RUNE[piece.rune] if rules.rare_runes else None


def protected(position: Position, piggle: str) -> bool:
    """Return whether a shield keeps a Piggle from being removed now: its roll has begun (M12)."""
    return any(shield.piggle == piggle and shield.rolled for shield in position.shields)


def aim(position: Position, piggle: str, table: Table) -> Zone | None:
    """Return the field in which a Piggle's effect takes place, if it has one (R22, M6, M17)."""
    landing = position.landing(piggle)
    rune = table.piece(piggle).rune
    own = field_of(landing, table.rules) if landing else None
    if own is None or rune is None:
        return None
    if rune is Rune.SPLIT:
        return own
    return field_towards(own, rune, position.controller(piggle), table.rules)


def targets(position: Position, piggle: str, table: Table) -> tuple[str, ...]:
    """Return on whom a Piggle can act as things stand, in order; it acts on one of them (M7).

    Whether the Piggle may act at all in this phase is not asked here.
    """
    landing = position.landing(piggle)
    verb = table.verb(piggle)
    if verb is None or landing is None or landing.orientation is not Orientation.SNOUT_UP:
        return ()
    return in_order(_reached(position, piggle, verb, table))


def _reached(position: Position, piggle: str, verb: Verb, table: Table) -> Iterator[str]:
    seat = position.controller(piggle)
    match verb:
        case Verb.BURN | Verb.DAMAGE | Verb.CRIT | Verb.SHIELD:
            yield from _in_field(position, piggle, verb, table)
        case Verb.HEALTH:
            if aim(position, piggle, table) is not None:
                yield from _muddy(position, seat, table.rules)
        case Verb.TURN_UP:
            own = position.on_board(seat)
            yield from _flippable(own, piggle, table, Orientation.SNOUT_DOWN)
        case Verb.TURN_DOWN:
            theirs = position.on_board(seat.other)
            yield from _flippable(theirs, piggle, table, Orientation.SNOUT_UP)
        case Verb.RESCUE | Verb.DEMOTE:
            any_side = table.rules.rune78_scope is Rune78Scope.ANY
            for owner in BOARD_SEATS if any_side else (seat,):
                side = position.side(owner)
                held = side.mud_piggles if verb is Verb.RESCUE else side.kitchen
                yield from (name for name in held if _alike(name, piggle, table))
        case Verb.SUMMON:
            if aim(position, piggle, table) is not None:
                yield from position.side(seat).pen


def shielded_from(position: Position, piggle: str, target: str, table: Table) -> bool:
    """Return whether a shield is all that keeps a Piggle from removing another (M12)."""
    bare = changed(position, shields=())
    return target in targets(bare, piggle, table) and target not in targets(position, piggle, table)


def _in_field(position: Position, piggle: str, verb: Verb, table: Table) -> Iterator[str]:
    towards = aim(position, piggle, table)
    if towards is None:
        return
    seat, rules = position.controller(piggle), table.rules
    opposing_only = rules.target_scope is TargetScope.OPPONENT_ONLY and verb in _HARMS
    for name, landing in position.board:
        if name == piggle or field_of(landing, rules) is not towards:
            continue
        if opposing_only and position.controller(name) is seat:
            continue
        if verb in REMOVES and protected(position, name):
            continue
        yield name


def _muddy(position: Position, seat: Seat, rules: ModernRules) -> Iterator[str]:
    for side in BOARD_SEATS if rules.green_owner is GreenOwner.ANY else (seat,):
        for entry in position.side(side).mud:
            recent = entry.round >= position.round - _PREVIOUS_ROUND
            if recent or rules.green_window is GreenWindow.ANY:
                yield entry.piggle


def _flippable(
    lying: tuple[tuple[str, Landing], ...], piggle: str, table: Table, pose: Orientation
) -> Iterator[str]:
    for name, landing in lying:
        if landing.orientation is pose and name != piggle and _alike(name, piggle, table):
            yield name


def _alike(piggle: str, other: str, table: Table) -> bool:
    return table.piece(piggle).colour is table.piece(other).colour
