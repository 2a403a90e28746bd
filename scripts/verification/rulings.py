"""What the rulings do to matches: `python -m scripts.verification.rulings [MATCHES]`.

Greedy agents play the same seeds on physics by the defaults and by the earlier rulings. It prints
means a match with 95 % intervals, of both sides together.
"""

import sys
from collections.abc import Callable
from functools import partial

import numpy as np

from pigglesim.agents.greedy import Greedy
from pigglesim.chance.physical import physical_chance
from pigglesim.experiments.balance import SOURCES, AttributionRecorder
from pigglesim.experiments.statistics import mean_of
from pigglesim.experiments.worker_pool import map_in_order
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS
from pigglesim.match.runner import play
from pigglesim.scene.load import load_scene, team_models

_CLASSIC = {"mud_bonus": "off_board", "exhaustion": "before_recoup", "sudden_choice": "first"}
_MODERN = {"line_counts_as_field": "off", "shield_until": "roll", "green_clock": "restart"}
EARLIER = {"piggles_classic": _CLASSIC, "piggles_modern": _CLASSIC | _MODERN}
FIGURES = (
    "effects used",
    "knocks",
    "flips by knocks",
    "points for knocks",
    "points for effects",
    "decisions",
    "rolls",
    "score of a player",
)


def measured(game_name: str, rules: dict[str, str]) -> Callable[[int], tuple[float, ...]]:
    """Return the function that plays a match of a seed and returns its figures."""
    game, scene = make_game(game_name, rules), load_scene(game_name)
    physics = physical_chance(scene, team_models(scene), engine="impulse", seed=0)

    def figures(seed: int) -> tuple[float, ...]:
        recorder = AttributionRecorder(game)
        agents = {seat: Greedy() for seat in BOARD_SEATS}
        match = play(
            game,
            agents=agents,
            chance=physics.with_seed(seed),
            seed=seed,
            on_event=recorder,
            forfeits=False,
        )
        account = recorder.attribution()
        points = dict(zip(SOURCES, account.sources, strict=True))
        knocks = [knock for outcome in match.record.outcomes for knock in outcome.roll.knocks]
        return (
            sum(count.used for count in account.effects.values()),
            len(knocks),
            sum(knock.flipped for knock in knocks),
            points["knocks"],
            points["effects"],
            account.decisions,
            account.rolls,
            float(np.mean(list(game.scores(match.state).values()))),
        )

    return figures


def main() -> None:
    """Print a table for each game."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for game, rules in EARLIER.items():
        now, before = (
            np.array(list(map_in_order(partial(measured, game, way), range(matches), workers=1)))
            for way in ({}, rules)
        )
        print(f"| {game}, a match | earlier rulings | rulings | difference |")
        print("|---|---|---|---|")
        for at, name in enumerate(FIGURES):
            columns = (before[:, at], now[:, at], now[:, at] - before[:, at])
            texts = [f"{x.value:.2f} ± {(x.high - x.low) / 2:.2f}" for x in map(mean_of, columns)]
            print(f"| {name} |", " | ".join(texts), "|")
        print(flush=True)


if __name__ == "__main__":
    main()
