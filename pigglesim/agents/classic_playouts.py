"""What games that are played on in compiled code need of house rules and odds."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, product
from typing import Any

import numpy as np

from pigglesim.agents.chance_model import ChanceModel, PiggleOdds, RollsByOdds
from pigglesim.agents.classic_kernel import (
    BOARD,
    CLASSES,
    DOWN,
    HEAD,
    KITCHEN,
    LUCK,
    MUD,
    OFF,
    PEN,
    TIED,
    TO_LOAD,
    ClassicStart,
    ClassicTable,
    play_on,
)
from pigglesim.agents.greedy import RollShares, expected_gain
from pigglesim.games.game import Game
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.house_rules import PigglesRules
from pigglesim.games.piggles.state import PEN_SIZE, PigglesPhase, PigglesState, team
from pigglesim.games.piggles.turns import EXHAUSTION_ROUND
from pigglesim.landing import BOARD_SEATS, Orientation, Seat, Zone
from pigglesim.signals import undisturbed

_FREE = ("first_player", "alternate_start", "rounds", "sudden_cap")
"""House rules of either game that may have any setting."""
_READ = ("line_rule", "contact_tolerance_mm", "knock_distance_mm", "knock_angle_deg", "reroll_cap")
"""House rules that the reading of a table needs, and odds do not."""
_AT_ONCE = 256
"""Games whose luck is held in memory."""
_NUMBERS = range(2 * PEN_SIZE + 1)
_ON_BOARD = tuple(product(Orientation, (zone for zone in Zone if zone is not Zone.OFF)))
_NUMBER_OF: Mapping[tuple[Orientation | None, Zone], int] = {
    place: number for number, place in enumerate((*_ON_BOARD, (None, Zone.OFF)))
}


def common_but_for(rules: PigglesRules, free: Collection[str] = ()) -> bool:
    """Return whether house rules are default where they matter to a game by odds.

    They may differ in who begins, how many rounds there are, how long a tie-break may take, and in
    what is named.
    """
    own, common = rules.to_mapping(), type(rules)().to_mapping()
    return all(own[name] == common[name] for name in own.keys() - {*_FREE, *_READ, *free})


def number_of(pose: Orientation | None, zone: Zone) -> int:
    """Return the number by which compiled code knows how a Piggle lies."""
    return _NUMBER_OF[pose, zone]


def landing_steps(odds: PiggleOdds) -> Any:  # noqa: ANN401 (an array)
    """Return the probability to land so or lower, by number thrown, shape [13, CLASSES]."""
    return np.array([_steps(odds.of_throw(max(number, 1)).shares) for number in _NUMBERS])


def lone_steps(thrown: Any) -> Any:  # noqa: ANN401 (arrays)
    """Return the probability of each pose or a lower one of one Piggle alone, shape [3]."""
    return thrown[1, [DOWN - 1, HEAD - 1, OFF - 1]]


def steps_after(odds: PiggleOdds) -> Any:  # noqa: ANN401 (an array)
    """Return the probability to lie so or lower after a knock, shape [OFF, CLASSES]."""
    known = odds.knocks.standing
    return np.array([_steps(known[place].after if known else {place: 1.0}) for place in _ON_BOARD])


def _steps(shares: Mapping[tuple[Orientation | None, Zone], float]) -> list[float]:
    sums = [0.0] * CLASSES
    for place, share in shares.items():
        sums[_NUMBER_OF[place]] += share
    return [step / sum(sums) for step in accumulate(sums)]


def knock_rates(odds: PiggleOdds) -> Any:  # noqa: ANN401 (an array)
    """Return the share that is knocked by thrown, standing and place, shape [13, 13, OFF]."""
    return np.array(
        [
            [
                [odds.knock_rate(max(number, 1), max(standing, 1), place) for place in _ON_BOARD]
                for standing in _NUMBERS
            ]
            for number in _NUMBERS
        ]
    )


def games_by_luck(
    play: Callable[[Any], Any], count: int, rounds: int, *, rng: np.random.Generator
) -> Any:  # noqa: ANN401 (an array)
    """Return what games come to, whose luck is drawn from `rng` before anything else.

    Args:
        play: Plays one game by each row of luck; a row of numbers of each comes back.
        count: Games.
        rounds: In a game.
        rng: What luck is drawn from.
    """
    sizes = [min(_AT_ONCE, count - done) for done in range(0, count, _AT_ONCE)]
    played = []
    for size in sizes:
        luck = rng.random((size, rounds * LUCK))
        with undisturbed():
            played.append(play(luck))
    return np.concatenate(played)


_BATCH = 64
"""Games at a time: about as long as the way through the rules that leads to them."""
_NUMBER = {piggle: at for at, piggle in enumerate((*team(Seat.A), *team(Seat.B)))}
_SEATS = BOARD_SEATS


@dataclass(frozen=True, kw_only=True)
class ClassicPlayouts:
    """Plays Classic on by odds, every seat loading its Pen whole or not at all.

    `classic_playouts` makes them where rules and odds are what compiled code knows.
    """

    rules: PigglesRules
    odds: PiggleOdds
    threshold: float = 0.0
    """Gain by `expected_gain` above which a Pen is loaded [points]; NaN: any part of it."""

    @property
    def batch(self) -> int:
        """How many games are done at a time where no number is asked for."""
        return _BATCH

    def value(
        self, state: PigglesState, count: int, *, rng: np.random.Generator
    ) -> Mapping[Seat, float]:
        """Return the mean reward of each player over so many games."""
        reward = float(self.games(state, count, rng=rng)[:, 0].mean())
        return {Seat.A: reward, Seat.B: 1.0 - reward}

    def games(self, state: PigglesState, count: int, *, rng: np.random.Generator) -> Any:  # noqa: ANN401 (an array)
        """Return A's reward and both scores at the end of so many games, shape [count, 3]."""
        start, table = _start(state), self._table
        return games_by_luck(
            lambda luck: play_on(start, table, luck, rng), count, self.rules.rounds, rng=rng
        )

    @cached_property
    def _table(self) -> ClassicTable:
        rules = self.rules
        rounds = range(1, rules.rounds + 1)
        thrown = landing_steps(self.odds)
        gains = [expected_gain(number, rules, RollShares()) for number in rounds]
        return ClassicTable(
            thrown=thrown,
            after=steps_after(self.odds),
            knocked=knock_rates(self.odds),
            poses=lone_steps(thrown),
            first=np.array([-1, *(_SEATS.index(rules.first_in(number)) for number in rounds)]),
            gains=np.array([0.0, *gains]),
            threshold=self.threshold,
            exhaustion_round=EXHAUSTION_ROUND,
            delay=2,
            sudden_cap=rules.sudden_cap,
        )


def classic_playouts(
    game: Game[Any, Any], chance: ChanceModel, *, threshold: float = 0.0
) -> ClassicPlayouts | None:
    """Return playouts in compiled code; None where it does not know the rules or the chance.

    It knows Classic by odds, under house rules whose settings are default where they matter, but
    for who begins, how many rounds there are and how long a tie-break may take.
    """
    if not isinstance(game, PigglesClassic) or not isinstance(chance, RollsByOdds):
        return None
    if not common_but_for(game.rules):
        return None
    return ClassicPlayouts(rules=game.rules, odds=chance.odds, threshold=threshold)


def _start(state: PigglesState) -> ClassicStart:
    """Return a position, in which a player is to load or chance to roll, as numbers."""
    where = np.full(2 * PEN_SIZE, KITCHEN)
    since, lies, owed = np.zeros_like(where), np.zeros_like(where), np.full_like(where, -1)
    for side in (state.a, state.b):
        for piggle in (*side.pen, *side.cup):
            where[_NUMBER[piggle]] = PEN
        for entry in side.mud:
            where[_NUMBER[entry.piggle]] = MUD
            since[_NUMBER[entry.piggle]] = entry.round
    for piggle, landing in state.board:
        where[_NUMBER[piggle]] = BOARD
        lies[_NUMBER[piggle]] = number_of(landing.orientation, landing.zone)
    for piggle, seat in state.head_credits:
        owed[_NUMBER[piggle]] = _SEATS.index(seat)
    return ClassicStart(
        where=where,
        since=since,
        lies=lies,
        owed=owed,
        scores=np.array([state.a.score, state.b.score]),
        round=state.round,
        seat=_SEATS.index(state.active),
        loaded=_loaded(state),
    )


def _loaded(state: PigglesState) -> int:
    match state.phase:
        case PigglesPhase.LOAD:
            return TO_LOAD
        case PigglesPhase.ROLL:
            return len(state.side(state.active).cup)
        case PigglesPhase.SUDDEN:
            return TIED
        case _:
            raise ValueError(f"nobody is to move or to roll in phase {state.phase}")
