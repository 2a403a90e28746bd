"""A game small enough to be solved by hand, and models of chance whose every answer is known."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pigglesim.games.game import NonPlayer, Result
from pigglesim.landing import BOARD_SEATS, Landing, Orientation, RollRequest, RollResult, Seat, Zone

UP, DOWN = Orientation.SNOUT_UP, Orientation.SNOUT_DOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceState:
    """Points of both, turns done, and whether a roll is due."""

    points: tuple[int, int] = (0, 0)
    turns: int = 0
    rolling: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceSeen:
    """Everything."""

    state: RaceState
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """Each turn take a point, or roll for three; after so many turns the higher wins."""

    turns: int = 4
    name: str = "race"
    prize: int = 3

    @property
    def seats(self) -> tuple[Seat, ...]:
        return BOARD_SEATS

    @property
    def max_length(self) -> int:
        return 2 * self.turns

    def settings(self) -> dict[str, Any]:
        return {"turns": self.turns, "prize": self.prize}

    def initial_state(self) -> RaceState:
        return RaceState()

    def turn(self, state: RaceState) -> Seat | NonPlayer:
        if state.rolling:
            return NonPlayer.CHANCE
        return NonPlayer.OVER if state.turns == self.turns else BOARD_SEATS[state.turns % 2]

    def legal_actions(self, state: RaceState) -> tuple[str, ...]:
        return ("take", "roll") if isinstance(self.turn(state), Seat) else ()

    def apply_action(self, state: RaceState, action: str) -> RaceState:
        return replace(state, rolling=True) if action == "roll" else self._moved(state, 1)

    def chance_request(self, state: RaceState) -> RollRequest:
        return RollRequest(thrower=BOARD_SEATS[state.turns % 2], piggles=("A1",))

    def apply_outcome(self, state: RaceState, outcome: RollResult) -> RaceState:
        won = outcome.landings[0][1].orientation is UP
        return self._moved(replace(state, rolling=False), self.prize if won else 0)

    def _moved(self, state: RaceState, gain: int) -> RaceState:
        a, b = state.points
        points = (a + gain, b) if state.turns % 2 == 0 else (a, b + gain)
        return replace(state, points=points, turns=state.turns + 1)

    def observe(self, state: RaceState, seat: Seat) -> object:
        return RaceSeen(state=state, seat=seat)

    def result(self, state: RaceState) -> Result | None:
        if self.turn(state) is not NonPlayer.OVER:
            return None
        a, b = state.points
        winner = None if a == b else Seat.A if a > b else Seat.B
        return Result(winner=winner, reason="points")

    def scores(self, state: RaceState) -> Mapping[Seat, int]:
        return dict(zip(BOARD_SEATS, state.points, strict=True))

    def format_action(self, action: str) -> str:
        return action

    def parse_action(self, text: str) -> str:
        return text

    def format_state(self, state: RaceState) -> str:
        return f"{state.points} {state.turns} {state.rolling}"

    def parse_state(self, text: str) -> RaceState:
        raise ValueError(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coin:
    """A Piggle that lands Snout-Up so often, and Snout-Down else."""

    up: float

    def draw(self, request: RollRequest, *, rng: Any) -> RollResult:
        return _landed(request, UP if rng.random() < self.up else DOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRace(Race):
    """The same race with a coin that is part of the rules, so that its outcomes are listed."""

    up: float

    def chance_outcomes(self, state: RaceState) -> list[tuple[RollResult, float]]:
        request = self.chance_request(state)
        return [(_landed(request, UP), self.up), (_landed(request, DOWN), 1.0 - self.up)]


def _landed(request: RollRequest, pose: Orientation) -> RollResult:
    landing = Landing(orientation=pose, zone=Zone.FIELD_NORTH)
    return RollResult(landings=((request.piggles[0], landing),))


def solved(race: Race, up: float, points: tuple[int, int], turns: int) -> float:
    """Return what a position is worth to A if both play their best, by going through it all."""
    a, b = points
    if turns == race.turns:
        return (1.0 + (a > b) - (a < b)) / 2.0

    def after(gain: int) -> float:
        moved = (a + gain, b) if turns % 2 == 0 else (a, b + gain)
        return solved(race, up, moved, turns + 1)

    choices = (after(1), up * after(race.prize) + (1.0 - up) * after(0))
    return max(choices) if turns % 2 == 0 else min(choices)
