"""Time games, tree search and drawing: for those who change them."""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from pigglesim.agents.agent import Uniform
from pigglesim.agents.greedy import Greedy
from pigglesim.agents.pig_pile_playouts import PilePlayouts
from pigglesim.agents.piggyback_playouts import PiggybackPlayouts
from pigglesim.agents.playouts import AgentPlayouts
from pigglesim.agents.registry import make_agent
from pigglesim.agents.search import TreeSearch
from pigglesim.benchmarks import Spread, in_turns, ratio, spread
from pigglesim.chance.fair import FairChance
from pigglesim.chance.odds import load_odds
from pigglesim.chance.tabular import TabularChance
from pigglesim.films.store import read_film, write_film
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.pig_pile.game import PigPile
from pigglesim.games.pig_pile.house_rules import PigPileRules
from pigglesim.games.piggy_six.house_rules import Ending
from pigglesim.games.piggyback.game import Piggyback
from pigglesim.games.registry import make_game
from pigglesim.landing import Seat
from pigglesim.match.runner import play
from pigglesim.physics.engines import default_engine_name
from pigglesim.render.camera import Shot
from pigglesim.render.offscreen import Studio
from pigglesim.render.stills import scene_film
from pigglesim.render.video import expect_encoder, frame_times, save_video
from pigglesim.scene.load import load_scene
from pigglesim.solvers.dice_game import PIGGY_SIX
from pigglesim.solvers.two_players import DuelResult, solve_match

_BY_RULES, _RECORDED = 50, 25
"""Games a measurement: an eighth of a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LordFigures:
    """Games a second, by four players who decide at random."""

    by_rules: Spread
    """By the rules alone, nothing being recorded: each decides by what it sees."""
    recorded: Spread
    """By the match runner, with a record of every decision."""


def time_lord(*, repeats: int, tell: Callable[[], None] | None = None) -> LordFigures:
    """Return how many games are played a second in either way, the ways in turns.

    Args:
        repeats: How often each is timed.
        tell: Called after each measurement.
    """
    game = LordOfThePigs()
    agents = dict.fromkeys(game.seats, Uniform())

    def by_rules(repeat: int) -> int:
        plain = AgentPlayouts(game=game, chance=FairChance(seed=repeat), agent=Uniform())
        plain.value(game.initial_state(), _BY_RULES, rng=np.random.default_rng(repeat))
        return _BY_RULES

    def recorded(repeat: int) -> int:
        for seed in range(repeat * _RECORDED, (repeat + 1) * _RECORDED):
            play(game, agents=agents, chance=FairChance(seed=seed), seed=seed)
        return _RECORDED

    ways: Mapping[str, Callable[[int], int]] = {"by_rules": by_rules, "recorded": recorded}
    rates = in_turns(ways, repeats=repeats, tell=tell)
    return LordFigures(by_rules=spread(rates["by_rules"]), recorded=spread(rates["recorded"]))


_PILE_PLAYERS = (3, 4, 5, 6)
"""What the game is made for: a measurement has as many matches of each."""
_PILE_RECORDED, _PILE_BY_RULES, _PILE_COMPILED = 1, 3, 100
"""Matches of each number of players a measurement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PileFigures:
    """Matches of five rounds a second, by three to six players who decide at random."""

    compiled: Spread
    """In compiled code, as tree search plays them on."""
    by_rules: Spread
    """By the rules alone, nothing being recorded."""
    recorded: Spread
    """By the match runner, with a record of every decision."""


def time_pig_pile(*, repeats: int, tell: Callable[[], None] | None = None) -> PileFigures:
    """Return how many matches are played a second in each way, the ways in turns.

    Args:
        repeats: How often each is timed.
        tell: Called after each measurement.
    """
    games = [PigPile(rules=PigPileRules(players=players)) for players in _PILE_PLAYERS]

    def compiled(repeat: int) -> int:
        for game in games:
            quick = PilePlayouts(rules=game.rules, by_worth=False)
            rng = np.random.default_rng(repeat)
            quick.matches(game.initial_state(), _PILE_COMPILED, rng=rng)
        return _PILE_COMPILED * len(games)

    def by_rules(repeat: int) -> int:
        for game in games:
            plain = AgentPlayouts(game=game, chance=FairChance(seed=repeat), agent=Uniform())
            plain.value(game.initial_state(), _PILE_BY_RULES, rng=np.random.default_rng(repeat))
        return _PILE_BY_RULES * len(games)

    def recorded(repeat: int) -> int:
        for game in games:
            agents = dict.fromkeys(game.seats, Uniform())
            for seed in range(repeat * _PILE_RECORDED, (repeat + 1) * _PILE_RECORDED):
                play(game, agents=agents, chance=FairChance(seed=seed), seed=seed)
        return _PILE_RECORDED * len(games)

    ways: Mapping[str, Callable[[int], int]] = {
        "compiled": compiled,
        "by_rules": by_rules,
        "recorded": recorded,
    }
    rates = in_turns(ways, repeats=repeats, tell=tell)
    return PileFigures(**{name: spread(rates[name]) for name in ways})


_BACK_COMPILED, _BACK_BY_RULES, _BACK_MATCHES = 2000, 20, 5
"""Games of each a measurement: some tenths of a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggybackFigures:
    """How fast games are from the first roll to the end, uniform against uniform."""

    compiled: Spread
    """Games a second in compiled code, as tree search plays on."""
    by_rules: Spread
    """Games a second by the rules alone."""
    matches: Spread
    """Matches a second with every decision and roll in a record."""


def time_piggyback(*, repeats: int, tell: Callable[[], None] | None = None) -> PiggybackFigures:
    """Return how many games and matches there are a second.

    Args:
        repeats: How often each is timed.
        tell: Called after each measurement.
    """
    game, agent = Piggyback(), Uniform()
    state = game.initial_state()
    quick = PiggybackPlayouts(game=game, greedy=False, horizon=game.max_length)
    plain = AgentPlayouts(game=game, chance=FairChance(seed=0), agent=agent)
    quick.value(state, 1, rng=np.random.default_rng(0))

    def compiled(repeat: int) -> int:
        quick.value(state, _BACK_COMPILED, rng=np.random.default_rng(repeat))
        return _BACK_COMPILED

    def by_rules(repeat: int) -> int:
        plain.value(state, _BACK_BY_RULES, rng=np.random.default_rng(repeat))
        return _BACK_BY_RULES

    def matches(repeat: int) -> int:
        for seed in range(repeat * _BACK_MATCHES, (repeat + 1) * _BACK_MATCHES):
            agents = dict.fromkeys(game.seats, agent)
            play(game, agents=agents, chance=FairChance(seed=seed), seed=seed)
        return _BACK_MATCHES

    ways = {"compiled": compiled, "by_rules": by_rules, "matches": matches}
    rates = in_turns(ways, repeats=repeats, tell=tell)
    return PiggybackFigures(**{way: spread(rates[way]) for way in ways})


_SIX_MATCHES = 20
"""Matches a measurement: about an eighth of a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SixFigures:
    """How fast Piggy Six is played and solved."""

    turns: Spread
    """Turns a second in whole matches of uniform against uniform, recorded as always."""
    solves: Mapping[str, Spread]
    """Seconds of one core to solve two players to 100, by ending."""


def time_piggy_six(*, repeats: int, tell: Callable[[], None] | None = None) -> SixFigures:
    """Return how long matches and solutions take.

    Args:
        repeats: How often matches are timed; solutions once.
        tell: Called after each measurement.
    """
    rates = in_turns({"turns": _turns()}, repeats=repeats, tell=tell)
    solves = {}
    for ending in Ending:
        # What is compiled the first time is not what is measured.
        solve_match(DuelResult(dice=PIGGY_SIX, target=2, ending=ending), afresh=True)
        start = time.process_time()
        solve_match(DuelResult(dice=PIGGY_SIX, ending=ending), afresh=True)
        solves[str(ending).replace("_", "-")] = spread([time.process_time() - start])
        if tell is not None:
            tell()
    return SixFigures(turns=spread(rates["turns"]), solves=solves)


def _turns() -> Callable[[int], int]:
    odds = TabularChance(seed=0, odds=load_odds("piggle"))
    game, agent = make_game("piggy_six"), make_agent("uniform")
    agents = dict.fromkeys(game.seats, agent)

    def matches(repeat: int) -> int:
        turns = 0
        for seed in range(repeat * _SIX_MATCHES, (repeat + 1) * _SIX_MATCHES):
            played = play(game, agents=agents, chance=odds.with_seed(seed), seed=seed)
            # Equal turns: in each round everybody has had one.
            turns += len(game.seats) * game.round_of(played.state)
        return turns

    return matches


_GAMES = 100
"""By the rules, a measurement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFigures:
    """How fast one game is played on from its first position, by odds."""

    playouts_per_second: Spread
    """In tree search: whole games, the way to them through the tree being part of the time."""
    by_rules: Spread
    """By the rules alone, greedy against greedy, one game after the other, a second."""
    vs_rules: Spread
    """The first against the second, repeat by repeat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFigures:
    """How fast tree search plays on, and the rules alone."""

    classic: GameFigures
    modern: GameFigures
    """With the standard teams."""


def time_search(*, repeats: int, tell: Callable[[], None] | None = None) -> SearchFigures:
    """Return how many games tree search plays on, in turns with the rules alone.

    Args:
        repeats: How often each is timed.
        tell: Called after each measurement.
    """
    return SearchFigures(
        classic=_timed("piggles_classic", repeats, tell),
        modern=_timed("piggles_modern", repeats, tell),
    )


def _timed(name: str, repeats: int, tell: Callable[[], None] | None) -> GameFigures:
    game = make_game(name)
    chance = TabularChance(seed=0, odds=load_odds("piggle"))
    agent = make_agent("mcts", game=game, chance=chance)
    if not isinstance(agent, TreeSearch):
        raise TypeError("mcts is no tree search")
    state = game.initial_state()
    observation, actions = game.observe(state, Seat.A), game.legal_actions(state)
    plain = AgentPlayouts(game=game, chance=chance, agent=Greedy())

    def search(repeat: int) -> int:
        weighed = agent.explain(observation, actions, rng=np.random.default_rng(repeat))
        return sum(each.visits for each in weighed) * agent.batch

    def rules(repeat: int) -> int:
        plain.value(state, _GAMES, rng=np.random.default_rng(repeat))
        return _GAMES

    rates = in_turns({"search": search, "rules": rules}, repeats=repeats, tell=tell)
    return GameFigures(
        playouts_per_second=spread(rates["search"]),
        by_rules=spread(rates["rules"]),
        vs_rules=ratio(rates, "search", "rules"),
    )


_FRAMES = 30
"""Frames a measurement: a second without a graphics card."""
_IN_CUP = 0.3
"""When half of the Piggles are in the cup and half on the board [s]."""
_VIDEO = 4.0
"""Of the video that is timed [s]."""
VIDEO = Path("roll.mp4")
"""What is written for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameFigures:
    """How fast a full table is drawn, a dozen Piggles, cup and board."""

    size: tuple[int, int]
    """Of a frame [pixels]."""
    bodies: int
    drawn: Spread
    """Frames a second, drawn as a window draws them while things move."""
    smooth: Spread
    """Frames a second, drawn with smooth edges."""
    read: Spread
    """Frames a second, drawn with smooth edges and read back for a file."""
    first: Spread
    """From the start of a process to its first frame [s]."""
    video: Spread
    """To draw and write a video of four seconds at 30 frames a second [s]."""
    video_frames: int


def time_frames(
    scene_name: str, *, repeats: int, tell: Callable[[], None] | None = None
) -> FrameFigures:
    """Return how fast a full table is drawn.

    Args:
        scene_name: The table, one that comes with pigglesim.
        repeats: How often each is timed.
        tell: Called after each measurement.

    Raises:
        SpecError: If this machine cannot draw, or not write videos.
    """
    expect_encoder(VIDEO)
    scene, shot = load_scene(scene_name), Shot()
    film = scene_film(scene_name, engine=default_engine_name())
    names = ("drawn", "smooth", "read", "first", "video")
    figures: dict[str, list[float]] = {name: [] for name in names}
    with Studio(scene, shot, as_window=True) as studio:
        studio.show(film)
        for repeat in range(repeats):
            figures["drawn"].append(_rate(studio.draw, repeat))
    with Studio(scene, shot) as studio:
        studio.show(film)
        for repeat in range(repeats):
            figures["smooth"].append(_rate(studio.draw, repeat))
            figures["read"].append(_rate(studio.frame, repeat))
            if tell is not None:
                tell()
    length = _VIDEO - (len(frame_times(film, shot)) / shot.fps - (film.end - film.start))
    slow = replace(shot, slow_motion=max(1.0, length / (film.end - film.start)))
    with TemporaryDirectory() as folder:
        kept = Path(folder) / "roll.film"
        write_film(film, kept)
        for _ in range(repeats):
            figures["first"].append(_first_frame(kept))
            start = time.perf_counter()
            save_video([film], scene, kept.with_name(VIDEO.name), shot=slow)
            figures["video"].append(time.perf_counter() - start)
            if tell is not None:
                tell()
    return FrameFigures(
        size=shot.size,
        bodies=len(film.actors),
        video_frames=len(frame_times(film, slow)),
        **{name: spread(values) for name, values in figures.items()},
    )


def draw_first_frame(file: str) -> None:
    """Draw the first frame of a film in a file: what a process of its own is timed with."""
    film = read_film(Path(file))
    with Studio(load_scene(film.scene), Shot()) as studio:
        studio.show(film)
        studio.frame(film.start)


def _rate(draw: Callable[[float], object], repeat: int) -> float:
    """Return how many frames a second are drawn, each of another moment."""
    # What is compiled the first time is not what is measured.
    draw(_IN_CUP)
    start = time.perf_counter()
    for number in range(_FRAMES):
        draw(_IN_CUP + 1e-3 * (number + 1 + repeat / 7.0))
    return _FRAMES / (time.perf_counter() - start)


def _first_frame(file: Path) -> float:
    code = f"import runpy; runpy.run_path({__file__!r})['draw_first_frame']({str(file)!r})"
    start = time.perf_counter()
    subprocess.run([sys.executable, "-P", "-c", code], check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    """Time what is named and print it as JSON."""
    benchmarks: dict[str, Callable[[], object]] = {
        "lord": lambda: time_lord(repeats=asked.repeats),
        "pile": lambda: time_pig_pile(repeats=asked.repeats),
        "piggyback": lambda: time_piggyback(repeats=asked.repeats),
        "six": lambda: time_piggy_six(repeats=asked.repeats),
        "mcts": lambda: time_search(repeats=asked.repeats),
        "render": lambda: time_frames(asked.scene, repeats=asked.repeats),
    }
    parser = argparse.ArgumentParser(prog="scripts/bench_games.py", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"from {', '.join(benchmarks)}; default: all")
    parser.add_argument("--repeats", type=int, default=5, help="measurements of each")
    parser.add_argument("--scene", default="piggles_classic", help="scene that is drawn")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(benchmarks):
        parser.error(f"unknown benchmark {min(unknown)!r}")
    found = {name: asdict(benchmarks[name]()) for name in asked.names or benchmarks}
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
