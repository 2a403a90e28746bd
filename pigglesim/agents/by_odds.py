"""What games that are played on in compiled code need of house rules and odds."""

from collections.abc import Callable, Collection, Mapping
from itertools import accumulate, product
from typing import Any

import numpy as np

from pigglesim.agents.chance_model import PiggleOdds
from pigglesim.agents.classic_kernel import CLASSES, DOWN, HEAD, LUCK, OFF
from pigglesim.games.piggles.house_rules import HouseRules
from pigglesim.games.piggles.state import PEN_SIZE
from pigglesim.rolls import Orientation, Zone
from pigglesim.undisturbed import undisturbed

__all__ = [
    "common_but_for",
    "games_by_luck",
    "knock_rates",
    "landing_steps",
    "lone_steps",
    "number_of",
    "steps_after",
]

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


def common_but_for(rules: HouseRules, free: Collection[str] = ()) -> bool:
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
