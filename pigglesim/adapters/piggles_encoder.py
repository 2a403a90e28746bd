"""Piggles, Classic and Modern, as numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from pigglesim.adapters.layout import Floats, Layout
from pigglesim.adapters.piggles_actions import (
    CLASSIC_COUNT,
    MODERN_COUNT,
    action_at,
    action_number,
    piggles_of,
)
from pigglesim.adapters.piggles_columns import (
    FULL_TALLY,
    PHASES,
    PLACE_LIMIT,
    PLACE_UNIT,
    ZONES,
    piggles_layout,
)
from pigglesim.games.piggles.loading import Load
from pigglesim.games.piggles.pieces import NEUTRAL, Piece
from pigglesim.games.piggles.rulebook import Observation, Piggles
from pigglesim.games.piggles.state import Act, Done, MudEntry, Position, Shield
from pigglesim.markings import Colour, Rune
from pigglesim.rolls import Landing, Orientation, Seat, Zone

__all__ = ["PigglesEncoder"]


@dataclass(frozen=True, kw_only=True)
class PigglesEncoder:
    """Actions and observations of one game of Piggles.

    `layout` tells every number. Left out are how a Piggle is turned where it lies, beyond its pose,
    and how far Sudden Snout-Up has come, in which nobody decides anything.
    """

    game: Piggles

    @cached_property
    def layout(self) -> Layout:
        """What stands where in an observation."""
        return piggles_layout(self.game)

    @property
    def action_count(self) -> int:
        """How many actions there are in all, without conceding."""
        return MODERN_COUNT if self.game.lineup else CLASSIC_COUNT

    @property
    def full_score(self) -> int:
        """What six Piggles in fields pay in every round [points]."""
        return FULL_TALLY * self.game.rules.rounds

    @property
    def open_play(self) -> bool:
        """Whether everyone sees every decision and roll: so it is in Piggles."""
        return True

    def encode(self, observation: object, seat: Seat) -> Floats:
        """Return what `seat` sees as numbers, shape [layout.size]."""
        assert isinstance(observation, Observation)
        facts = _Facts(observation, seat)
        numbers = [number for piggle in piggles_of(seat) for number in facts.of_piggle(piggle)]
        numbers += facts.of_table()
        return np.array(numbers, dtype=np.float32)

    def action_number(self, action: Load | Act | Done, seat: Seat) -> int:
        """Return the number of an action of `seat`, from 0."""
        return action_number(action, seat)

    def action_at(self, number: int, seat: Seat) -> Load | Act | Done:
        """Return the action of `seat` with that number."""
        return action_at(number, seat)


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

    def __init__(self, observation: Observation, seat: Seat) -> None:
        self.position: Position = observation.position
        self.rules = observation.rules
        self.seat = seat
        self.pieces: dict[str, Piece] = dict(observation.lineup)
        sides = (self.position.a, self.position.b)
        self.pen = {piggle for side in sides for piggle in side.pen}
        self.cup = {piggle for side in sides for piggle in side.cup}
        self.board: dict[str, Landing] = dict(self.position.board)
        self.mud: dict[str, MudEntry] = {e.piggle: e for side in sides for e in side.mud}
        self.kitchen = {piggle for side in sides for piggle in side.kitchen}
        self.charged = {piggle for side in sides for piggle in side.charged}
        self.late = {piggle for side in sides for piggle in side.late}
        self.credits = dict(self.position.head_credits)
        self.shields: dict[str, Shield] = {s.piggle: s for s in self.position.shields}

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
        yield (self.position.round - entry.round) / self.rules.rounds if entry else 0.0
        yield entry is not None and entry.early
        yield piggle in self.charged
        yield piggle in self.late
        paid = self.credits.get(piggle)
        yield paid is self.seat
        yield paid is self.seat.other
        if self.pieces:
            yield self.position.controller(piggle) is self.seat
            yield from self._shielded(self.shields.get(piggle))
            yield piggle in self.position.actors
            yield piggle in self.position.acted
            yield from _worn(self.pieces.get(piggle, NEUTRAL))

    def _shielded(self, shield: Shield | None) -> tuple[float, ...]:
        if shield is None:
            return (0.0, 0.0, 0.0, 0.0)
        own = shield.by is self.seat
        return (own, not own, shield.fresh, shield.rolled)

    def of_table(self) -> Iterator[float]:
        """Yield the row of the table."""
        position, seat = self.position, self.seat
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
