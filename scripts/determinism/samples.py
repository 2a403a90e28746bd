"""Results whose digests are compared: throws, films, studies, matches and solutions."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import cycle
from typing import Any

import numpy as np

from pigglesim.agents.registry import make_agent
from pigglesim.bodies.body import support_for
from pigglesim.bodies.load import load_model
from pigglesim.chance.odds import load_odds
from pigglesim.chance.physical import FilmedChance, physical_chance
from pigglesim.chance.tabular import FairChance, TabularChance
from pigglesim.chance_types import DiceRequest
from pigglesim.experiments.shard import StudyPlan, Thrower
from pigglesim.experiments.study import Study
from pigglesim.films.codec import decode, encode
from pigglesim.games.game import Game
from pigglesim.games.piggy_six import Ending
from pigglesim.games.registry import find, make_game
from pigglesim.landing import Landing, RollRequest, Seat
from pigglesim.match.runner import ChanceSource, play
from pigglesim.physics.drop import Dropper
from pigglesim.physics.engines import make_engine
from pigglesim.scene.load import load_floor, load_scene, team_models
from pigglesim.solvers.dice_game import (
    PIG,
    PIGGY_SIX,
    THREE_DICE,
    DuelResult,
    Solitaire,
    solve_turn,
)
from pigglesim.solvers.kernel import Rounds, score_sums, sweep, sweep_rounds
from pigglesim.throws import sample_drops

_SEED = 1
_KNOCKED = 3
"""Piggles of a pour that stay on the board for the next one to knock."""


def drops(engine: str, count: int) -> Iterator[object]:
    """Yield what became of drops of the Piggle and of a common die."""
    floor = load_floor("tabletop")
    for model in ("piggle", "d6"):
        body = load_model(model)
        support = support_for(body)
        dropper = Dropper(
            body,
            support,
            range(len(body.poses)),
            surface=floor.surface("plastic"),
            stepping=floor.stepping,
            engine=make_engine(engine),
        )
        trials = sample_drops(
            floor.fall, body, trials=range(count), seed=_SEED, purpose=("fingerprint",)
        )
        yield dropper.drop_all(trials)


def pours(engine: str, count: int) -> Iterator[object]:
    """Yield cups of six Piggles as they were read, each onto some of those before."""
    scene = load_scene("piggles_classic")
    chance = physical_chance(scene, team_models(scene), engine=engine, seed=_SEED)
    sides = (Seat.A, Seat.B)
    cups = {side: tuple(name for name in chance.models if name.startswith(side)) for side in sides}
    standing: tuple[tuple[str, Landing], ...] = ()
    for index in range(count):
        side = sides[index % 2]
        request = RollRequest(thrower=side, piggles=cups[side], standing=standing)
        result = chance.roll(request, index=index)
        yield result
        there = [(name, at) for name, at in result.landings if at.place and name in cups[side]]
        standing = tuple(there[:_KNOCKED])


def dice(engine: str, count: int) -> Iterator[object]:
    """Yield throws of two dice from a cup, with their places."""
    chance = physical_chance(load_scene("piggy_six"), {}, engine=engine, seed=_SEED)
    for index in range(count):
        yield chance.dice(DiceRequest(thrower=Seat.A, count=2), index=index)


def shards(engine: str) -> Iterator[object]:
    """Yield every column of a small study, shard by shard."""
    study = Study(
        models=("piggle", "d6"),
        engine=engine,
        seed=_SEED,
        throws=250,
        shard_size=250,
        factors={"friction": (0.2, 0.5)},
    )
    thrower = Thrower(StudyPlan.of(study))
    for number in range(study.shard_count):
        yield thrower.throw(number)


def films(engine: str) -> Iterator[object]:
    """Yield the bytes of a film, and what they are read as."""
    physics = physical_chance(load_scene("piggy_six"), {}, engine=engine, seed=_SEED)
    _, film = FilmedChance(source=physics).filmed(DiceRequest(thrower=Seat.A, count=2), index=0)
    # Where a film comes from tells the versions, which are not its bits.
    content = encode(replace(film, origin={"seed": _SEED}))
    yield content
    yield decode(content)


MATCHES: Mapping[str, tuple[tuple[tuple[str, ...], Mapping[str, object]], ...]] = {
    "piggles_classic": (
        (("greedy", "uniform"), {}),
        (("threshold:4", "greedy"), {"mud_delay": "none", "off_board": "kitchen"}),
        (("mcts:nodes=8", "greedy"), {}),
    ),
    "piggles_modern": (
        (("greedy", "uniform"), {}),
        (("greedy",), {"actors": "all_own_up", "effects_mandatory": True}),
        (("mcts:nodes=4", "greedy"), {}),
    ),
    "lord_of_the_pigs": (
        (("greedy", "uniform"), {}),
        (("greedy",), {"alternate_modes": False, "events": False}),
        (("uniform",), {"series": "competitive", "series_games": 2}),
    ),
    "pig_pile": (
        (("greedy", "uniform"), {}),
        (("greedy",), {"players": 3, "advanced_deal": True, "draw_to": "four", "rounds": 2}),
        (("mcts:nodes=4", "greedy"), {"players": 2, "rounds": 1}),
    ),
    "piggyback": (
        (("greedy", "uniform"), {}),
        (("uniform",), {"merge_rule": "en", "pickup_later": True}),
        (("mcts:nodes=2", "uniform"), {}),
    ),
    "piggy_six": (
        (("greedy", "hold:20"), {}),
        (("hold:15", "uniform"), {"players": 5, "target": 50, "tie": "extra_round"}),
        (("best", "greedy"), {"end": "race", "target": 50}),
    ),
}
"""Of each game, who plays (again and again around the table), and the house rules."""


def matches(name: str) -> Iterator[object]:
    """Yield every decision and outcome of the matches of a game, and their ends."""
    for seed, (agents, house_rules) in enumerate(MATCHES[name]):
        game = make_game(name, house_rules)
        odds = load_odds("piggle")
        by_odds = "tabular" in find(name).chances
        chance = TabularChance(seed=seed, odds=odds) if by_odds else FairChance(seed=seed)
        yield _played(game, agents, chance, seed)


def physical_match(engine: str) -> Iterator[object]:
    """Yield a match of Piggy Six whose dice are thrown."""
    chance = physical_chance(load_scene("piggy_six"), {}, engine=engine, seed=0)
    yield _played(make_game("piggy_six", {"target": 30}), ("hold:12",), chance, 0)


def _played(
    game: Game[Any, Any], agents: tuple[str, ...], chance: ChanceSource, seed: int
) -> tuple[object, ...]:
    belief = TabularChance(seed=0, odds=load_odds("piggle"))
    seated = {
        seat: make_agent(agent, game=game, chance=belief)
        for seat, agent in zip(game.seats, cycle(agents), strict=False)
    }
    record = play(game, agents=seated, chance=chance, seed=seed).record
    # Not the header: it tells the versions, which are not its bits.
    return record.entries, record.footer


def sweeps() -> Iterator[object]:
    """Yield the bounds that sweeps over Piggy Six have come to, and the best single turns."""
    for dice in (PIG, PIGGY_SIX, THREE_DICE):
        yield solve_turn(dice)
        for ending in Ending:
            match = DuelResult(dice=dice, target=25, ending=ending)
            table, kernel = match.fresh_table(), match.dice_table
            for _ in range(10):
                for top, end in score_sums(match.target):
                    sweep(table, kernel, match.stop_at, match.stop_at, 2, top, end)
            yield tuple(table)
    game = Solitaire(stops=(8, 14), target=15)
    size = (game.target,) * 3
    low = Rounds(np.zeros(size), np.zeros(size), np.zeros(size))
    for _ in range(5):
        for top, end in score_sums(game.target):
            sweep_rounds(low, game.won, game.bots, game.dice_table, 2, top, end)
    yield tuple(low)
