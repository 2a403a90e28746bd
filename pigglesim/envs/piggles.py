"""Actions and observations of Piggles as numbers.

Actions have a fixed order, the same for both seats.

Piggles go by number: 0 to 5 are the mover's own team A1 to A6 (or B1 to B6), 6 to 11 the other's.

| numbers | action |
|---|---|
| 0 to 63 | load: bit k of the number is Piggle k of the own team; 0 skips the roll |
| 64 to 2509 | Modern: loads with captured Piggles among them, by size and then by number |
| 2510 to 2653 | Modern: Piggle p acts on Piggle t, 2510 + 12 p + t |
| 2654 | Modern: done |
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations

from pigglesim.envs.encoding import ActionList, Block, Column, Encoder, FeatureLayout
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import Piggles, PigglesObservation
from pigglesim.games.piggles.state import (
    NEUTRAL,
    PEN_SIZE,
    Act,
    Done,
    MudEntry,
    Piece,
    PigglesPhase,
    PigglesState,
    Shield,
    in_order,
    team,
)
from pigglesim.landing import Landing, Orientation, Seat, Zone
from pigglesim.markings import Colour, Rune
from pigglesim.scene.scene import Board

PIGGLES = 2 * PEN_SIZE
"""Piggles of both teams."""
CLASSIC_COUNT = 1 << PEN_SIZE
"""Actions of Classic: the loads of the own team."""


@cache
def piggles_of(seat: Seat) -> tuple[str, ...]:
    """Return the ids of all Piggles in the order of their numbers for `seat`."""
    return (*team(seat), *team(seat.other))


def _actions_of(seat: Seat) -> tuple[Load | Act | Done, ...]:
    """Return every action of a seat in Modern; those of Classic come first."""
    ids = piggles_of(seat)
    return (
        *(
            Load(tuple(ids[k] for k in range(PEN_SIZE) if number >> k & 1))
            for number in range(CLASSIC_COUNT)
        ),
        *(
            Load(in_order(ids[k] for k in chosen))
            for size in range(1, PEN_SIZE + 1)
            for chosen in combinations(range(PIGGLES), size)
            if chosen[-1] >= PEN_SIZE
        ),
        *(Act(piggle, target) for piggle in ids for target in ids),
        Done(),
    )


@cache
def _action_list(seat: Seat, *, modern: bool) -> ActionList[Load | Act | Done]:
    actions = _actions_of(seat)
    return ActionList(actions if modern else actions[:CLASSIC_COUNT])


FULL_TALLY = 3 * PEN_SIZE
"""What six Piggles in fields pay in one Tally (R3): the unit of points."""
PLACE_UNIT = Board().half
"""Half the side of the common board [m]: the unit of places."""
PLACE_LIMIT = 2.0
"""Places farther out, on larger boards, are told as this far."""
PHASES = (PigglesPhase.LOAD, PigglesPhase.ROLL, PigglesPhase.ACTION_REACTION, PigglesPhase.SUDDEN)
"""The phases that wait for a player or for chance."""

_SHARED = (
    Zone.PATH_INNER,
    Zone.PATH_OUTER,
    Zone.WOODS,
    Zone.LINE_FIELD_PATH,
    Zone.LINE_PATH_WOODS,
)
ZONES = {
    Seat.A: (Zone.FIELD_SOUTH, Zone.FIELD_NORTH, Zone.FIELD_WEST, Zone.FIELD_EAST, *_SHARED),
    Seat.B: (Zone.FIELD_NORTH, Zone.FIELD_SOUTH, Zone.FIELD_EAST, Zone.FIELD_WEST, *_SHARED),
}
"""Zones in the order of their columns, for each seat."""

_FIELDS = ("near", "far", "left", "right")


def _flags(pairs: dict[str, str]) -> tuple[Column, ...]:
    return tuple(Column(name=name, meaning=meaning) for name, meaning in pairs.items())


def _piggle_columns() -> tuple[Column, ...]:
    zones = {f"field_{side}": f"wholly in the {side} field" for side in _FIELDS}
    zones |= {zone.value.replace(":", "_").replace("/", "_"): f"at {zone}" for zone in _SHARED}
    limit = PLACE_LIMIT
    return (
        *_flags(
            {
                "pen": "in a Pen",
                "cup": "in a cup",
                "board": "on the board",
                "mud": "in a Mud",
                "kitchen": "in a Kitchen",
            }
        ),
        *_flags({pose.value: f"lies {pose.label}" for pose in Orientation}),
        *_flags(zones),
        *_flags({"leaning": "leans on another", "stacked": "lies on others alone"}),
        *_flags({"placed": "physics tells its place"}),
        Column(
            name="right",
            meaning="right of the middle of the board [0.1651 m]",
            low=-limit,
            high=limit,
        ),
        Column(
            name="ahead",
            meaning="ahead of the middle of the board [0.1651 m]",
            low=-limit,
            high=limit,
        ),
        Column(name="mud_rounds", meaning="how long it has been there [rounds of the game]"),
        *_flags(
            {
                "mud_early": "went in before its owner's turn of that round",
                "charged": "has cost its point in the Kitchen",
                "late": "in the Kitchen since its player's last Tally",
                "credit_own": "on its head, and pays me if it goes to the Kitchen",
                "credit_other": "on its head, and pays the other if it goes to the Kitchen",
            }
        ),
    )


def _modern_columns() -> tuple[Column, ...]:
    return _flags(
        {
            "mine": "I control it",
            "shield_own": "I shield it",
            "shield_other": "the other shields it",
            "shield_fresh": "the turn of that shield goes on",
            "shield_rolled": "the roll of that shield has begun",
            "may_act": "may still act in this phase",
            "acted": "has acted in this turn",
            **{colour.value: f"wears {colour.label}" for colour in Colour},
            **{f"rune_{rune.value}": f"bears {rune.label}" for rune in Rune},
        }
    )


def _table_columns(game: Piggles) -> tuple[Column, ...]:
    rules = game.rules
    # A Piggle is knocked off at most once a roll, and comes back at most once an effect.
    knocks = float(PIGGLES * (rules.reroll_cap + 3))
    most = rules.rounds * (3 * PIGGLES + 3 * knocks) / FULL_TALLY
    return (
        Column(name="round", meaning="this round, from 1 [rounds of the game]"),
        *_flags({"first": "I go first in this round", "to_move": "I am the active player"}),
        *_flags({phase.value: f"waits in the phase {phase}" for phase in PHASES}),
        *_flags({"over": "the game is over"}),
        Column(name="score_own", meaning="my points [18 points]", high=most),
        Column(name="score_other", meaning="the other's points [18 points]", high=most),
        Column(
            name="mud_own",
            meaning="Piggles I knocked into the Mud since my last Tally",
            high=knocks,
        ),
        Column(name="mud_other", meaning="the same of the other", high=knocks),
        Column(
            name="kitchen_own",
            meaning="Piggles I sent to the Kitchen since my last Tally",
            high=knocks,
        ),
        Column(name="kitchen_other", meaning="the same of the other", high=knocks),
        Column(name="rerolls", meaning="rerolls in this turn", high=max(1.0, rules.reroll_cap)),
    )


def piggles_layout(game: Piggles) -> FeatureLayout:
    """Return what stands where in an observation of a game of Piggles."""
    rows = tuple(f"{side} {k}" for side in ("own", "other") for k in range(1, PEN_SIZE + 1))
    modern = _modern_columns() if game.lineup else ()
    return FeatureLayout(
        blocks=(
            Block(name="piggles", rows=rows, columns=(*_piggle_columns(), *modern)),
            Block(name="table", rows=("table",), columns=_table_columns(game)),
        )
    )


@dataclass(frozen=True, kw_only=True)
class PigglesEncoder(Encoder[Load | Act | Done]):
    """Actions and observations of one game of Piggles.

    `layout` tells every number. Left out are how a Piggle is turned where it lies, beyond its pose,
    and how far Sudden Snout-Up has come, in which nobody decides anything.
    """

    game: Piggles

    @cached_property
    def layout(self) -> FeatureLayout:
        """What stands where in an observation."""
        return piggles_layout(self.game)

    @property
    def full_score(self) -> int:
        """What six Piggles in fields pay in every round [points]."""
        return FULL_TALLY * self.game.rules.rounds

    def numbers(self, observation: PigglesObservation, seat: Seat) -> Iterator[float]:
        """Yield what `seat` sees as numbers."""
        facts = _Facts(observation, seat)
        for piggle in piggles_of(seat):
            yield from facts.of_piggle(piggle)
        yield from facts.of_table()

    def actions(self, seat: Seat) -> ActionList[Load | Act | Done]:
        """Return all actions of `seat`."""
        return _action_list(seat, modern=bool(self.game.lineup))

    def action_number(self, action: Load | Act | Done, seat: Seat) -> int:
        """Return the number of an action of `seat`, from 0, wherever the cup is held."""
        if isinstance(action, Load):
            action = Load(in_order(action.piggles))
        return super().action_number(action, seat)


@cache
def _lying(
    pose: Orientation | None,
    zone: Zone,
    leaning: bool,  # noqa: FBT001 (a key of the cache)
    stacked: bool,  # noqa: FBT001
    seat: Seat,
) -> tuple[float, ...]:
    """Return how a Piggle lies, and in which zone `seat` sees it."""
    poses = (pose is each for each in Orientation)
    zones = (zone is each for each in ZONES[seat])
    return (*poses, *zones, leaning, stacked)


def _placed(landing: Landing, seat: Seat) -> tuple[float, ...]:
    """Return where physics left a Piggle, as `seat` sees it."""
    if landing.place is None:
        return _NO_PLACE
    half_turn = 1.0 if seat is Seat.A else -1.0
    right, ahead = (
        min(max(half_turn * metres / PLACE_UNIT, -PLACE_LIMIT), PLACE_LIMIT)
        for metres in landing.place.position[:2]
    )
    return (1.0, right, ahead)


_NO_PLACE = (0.0, 0.0, 0.0)
_NOWHERE = (0.0,) * (len(Orientation) + len(ZONES[Seat.A]) + 2 + len(_NO_PLACE))
"""Of a Piggle that is not on the board."""


@cache
def _worn(piece: Piece) -> tuple[float, ...]:
    """Return the markings of a Piggle."""
    colours = (piece.colour is colour for colour in Colour)
    return (*colours, *(piece.rune is rune for rune in Rune))


class _Facts:
    """Everything that a position says, by Piggle."""

    def __init__(self, observation: PigglesObservation, seat: Seat) -> None:
        self.state: PigglesState = observation.state
        self.rules = observation.rules
        self.seat = seat
        self.pieces: dict[str, Piece] = dict(observation.lineup)
        sides = (self.state.a, self.state.b)
        self.pen = {piggle for side in sides for piggle in side.pen}
        self.cup = {piggle for side in sides for piggle in side.cup}
        self.board: dict[str, Landing] = dict(self.state.board)
        self.mud: dict[str, MudEntry] = {e.piggle: e for side in sides for e in side.mud}
        self.kitchen = {piggle for side in sides for piggle in side.kitchen}
        self.charged = {piggle for side in sides for piggle in side.charged}
        self.late = {piggle for side in sides for piggle in side.late}
        self.credits = dict(self.state.head_credits)
        self.shields: dict[str, Shield] = {s.piggle: s for s in self.state.shields}

    def of_piggle(self, piggle: str) -> Iterator[float]:
        """Yield the row of a Piggle."""
        for area in (self.pen, self.cup, self.board, self.mud, self.kitchen):
            yield piggle in area
        landing = self.board.get(piggle)
        if landing is None:
            yield from _NOWHERE
        else:
            zone, pose = landing.zone, landing.orientation
            yield from _lying(pose, zone, landing.leaning, landing.stacked, self.seat)
            yield from _placed(landing, self.seat)
        entry = self.mud.get(piggle)
        yield (self.state.round - entry.round) / self.rules.rounds if entry else 0.0
        yield entry is not None and entry.early
        yield piggle in self.charged
        yield piggle in self.late
        paid = self.credits.get(piggle)
        yield paid is self.seat
        yield paid is self.seat.other
        if self.pieces:
            yield self.state.controller(piggle) is self.seat
            yield from self._shielded(self.shields.get(piggle))
            yield piggle in self.state.actors
            yield piggle in self.state.acted
            yield from _worn(self.pieces.get(piggle, NEUTRAL))

    def _shielded(self, shield: Shield | None) -> tuple[float, ...]:
        if shield is None:
            return (0.0, 0.0, 0.0, 0.0)
        own = shield.by is self.seat
        return (own, not own, shield.fresh, shield.rolled)

    def of_table(self) -> Iterator[float]:
        """Yield the row of the table."""
        position, seat = self.state, self.seat
        yield position.round / self.rules.rounds
        yield self.rules.first_in(position.round) is seat
        yield position.active is seat
        over = position.result is not None
        yield from (not over and position.phase is phase for phase in PHASES)
        yield over
        own, other = position.side(seat), position.side(seat.other)
        yield from (own.score / FULL_TALLY, other.score / FULL_TALLY)
        yield from (own.mud_bonuses, other.mud_bonuses)
        yield from (own.kitchen_bonuses, other.kitchen_bonuses)
        yield position.rerolls
