"""Piggles, Classic and Modern, as numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

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
from pigglesim.rolls import Landing, Orientation, Seat

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
        yield from self._lying(self.board.get(piggle))
        entry = self.mud.get(piggle)
        yield (self.position.round - entry.round) / self.rules.rounds if entry else 0.0
        yield entry is not None and entry.early
        yield piggle in self.charged
        yield piggle in self.late
        paid = self.credits.get(piggle)
        yield paid is self.seat
        yield paid is self.seat.other
        if self.pieces:
            yield from self._modern(piggle)

    def _lying(self, landing: Landing | None) -> Iterator[float]:
        """Yield pose, zone and place."""
        pose = landing.orientation if landing else None
        zone = landing.zone if landing else None
        yield from (pose is each for each in Orientation)
        yield from (zone is each for each in ZONES[self.seat])
        yield landing is not None and landing.leaning
        yield landing is not None and landing.stacked
        place = landing.place if landing else None
        if place is None:
            yield from (0.0, 0.0, 0.0)
            return
        half_turn = 1.0 if self.seat is Seat.A else -1.0
        yield 1.0
        for metres in place.position[:2]:
            yield min(max(half_turn * metres / PLACE_UNIT, -PLACE_LIMIT), PLACE_LIMIT)

    def _modern(self, piggle: str) -> Iterator[float]:
        """Yield what Modern adds."""
        yield self.position.controller(piggle) is self.seat
        shield = self.shields.get(piggle)
        yield shield is not None and shield.by is self.seat
        yield shield is not None and shield.by is not self.seat
        yield shield is not None and shield.fresh
        yield shield is not None and shield.rolled
        yield piggle in self.position.actors
        yield piggle in self.position.acted
        piece = self.pieces.get(piggle, NEUTRAL)
        yield from (piece.colour is colour for colour in Colour)
        yield from (piece.rune is rune for rune in Rune)

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
