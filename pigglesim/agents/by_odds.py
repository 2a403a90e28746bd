"""What games that are played on in compiled code need of house rules and odds."""

from collections.abc import Callable, Collection, Mapping
from itertools import accumulate
from typing import Any

import numpy as np

from pigglesim.agents.chance_model import PiggleOdds
from pigglesim.agents.classic_kernel import LUCK
from pigglesim.games.piggles.house_rules import HouseRules
from pigglesim.games.piggles.state import PEN_SIZE
from pigglesim.rolls import Orientation, Zone
from pigglesim.undisturbed import undisturbed

__all__ = ["common_but_for", "games_by_luck", "knock_rates", "landing_steps"]

_FREE = ("first_player", "alternate_start", "rounds", "sudden_cap")
"""House rules of either game that may have any setting."""
_READ = ("line_rule", "contact_tolerance_mm", "knock_distance_mm", "knock_angle_deg", "reroll_cap")
"""House rules that the reading of a table needs, and odds do not."""
_AT_ONCE = 256
"""Games whose luck is held in memory."""
_NUMBERS = range(2 * PEN_SIZE + 1)


def common_but_for(rules: HouseRules, free: Collection[str] = ()) -> bool:
    """Return whether house rules are default where they matter to a game by odds.

    They may differ in who begins, how many rounds there are, how long a tie-break may take, and in
    what is named.
    """
    own, common = rules.to_mapping(), type(rules)().to_mapping()
    return all(own[name] == common[name] for name in own.keys() - {*_FREE, *_READ, *free})


def landing_steps(
    odds: PiggleOdds, class_of: Callable[[Orientation | None, Zone], int], class_count: int
) -> tuple[Any, Any]:
    """Return the probability of each class or a lower one, by number thrown.

    Args:
        odds: How Piggles land.
        class_of: The class of a pose and zone.
        class_count: How many classes there are.

    Returns:
        Two arrays, of the thrown and of the knocked, each of shape [13, class_count].
    """

    def steps(shares: Mapping[tuple[Orientation | None, Zone], float]) -> list[float]:
        sums = [0.0] * class_count
        for (pose, zone), share in shares.items():
            sums[class_of(pose, zone)] += share
        return [step / sum(sums) for step in accumulate(sums)]

    thrown = [steps(odds.of_throw(max(number, 1)).shares) for number in _NUMBERS]
    after = odds.knocks.after
    return np.array(thrown), np.array([steps(after)] * len(thrown) if after else thrown)


def knock_rates(odds: PiggleOdds) -> Any:  # noqa: ANN401 (an array)
    """Return the share of the standing that is knocked, by thrown and standing, shape [13, 13]."""
    return np.array(
        [
            [odds.knock_rate(max(number, 1), max(standing, 1)) for standing in _NUMBERS]
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
