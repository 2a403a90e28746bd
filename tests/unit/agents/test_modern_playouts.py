"""Compiled games of Modern are those of the rules: to the bit where nothing is left to chance."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from pigglesim.agents.greedy import Greedy
from pigglesim.agents.modern_playouts import ModernPlayouts, modern_playouts
from pigglesim.agents.playouts import AgentPlayouts, rewards
from pigglesim.chance.odds import load_odds
from pigglesim.chance.tabular import TabularChance
from pigglesim.games.game import NonPlayer
from pigglesim.games.piggles.effects import EffectVerb
from pigglesim.games.piggles.game import PigglesModern
from pigglesim.games.piggles.notation import parse_state
from pigglesim.games.piggles.state import PigglesPhase
from pigglesim.landing import Seat
from pigglesim.markings import Colour, Rune
from tests.sure_chance import PLACES, certain, greedy_end, positions, remembering
from tests.tiny_games import Coin

BY_ODDS = TabularChance(seed=1, odds=load_odds("piggle"))
ALIKE = ["red+arrow_cw", "red+arrow_ccw", "red+spiral_cw", "red+spiral_ccw", "red+split", "red"]


def modern(seed, **settings):
    """Return a game between two teams of any colours and runes."""
    rng = np.random.default_rng(seed)
    worn = [f"{colour}+{rune}" for colour in Colour for rune in Rune]
    teams = {name: [str(each) for each in rng.choice(worn, 6)] for name in ("team_a", "team_b")}
    return PigglesModern.from_settings({**teams, **settings})


RULES = [
    {},
    {"actors": "all_own_up", "left": "counterclockwise", "alternate_start": True, "rounds": 7},
    {"actors": "all_own_up", "left": "player_view", "target_scope": "opponent_only"},
    {"actors": "all_own_up", "team_a": ALIKE, "team_b": ALIKE, "first_player": "B"},
    {"team_a": ["yellow+adjacent"] * 6, "team_b": ["blue+adjacent"] * 6, "rare_runes": False},
]


@pytest.mark.parametrize("settings", RULES)
def test_where_chance_is_certain_every_game_is_the_same(settings):
    compared = 0
    for case, (landing, after, rate) in enumerate(product(PLACES, PLACES, (0.0, 1.0))):
        game, chance = modern(case, **settings), certain(landing, rate, after)
        quick = modern_playouts(game, chance)
        assert quick is not None
        # Positions of games that are not certain, so that all sorts of Piggles lie about.
        for state in positions(game, case, BY_ODDS)[case % 3 :: 3]:
            end = greedy_end(game, state, chance, most=400)
            if end.sudden != state.sudden or game.turn(end) is not NonPlayer.OVER:
                continue
            won, a, b = quick.games(state, 1, rng=np.random.default_rng(1))[0]
            assert (a, b) == (end.a.score, end.b.score), (landing, after, rate, state)
            assert won == rewards(game, end)[Seat.A]
            compared += 1
    assert compared > 100


def test_where_a_knock_depends_on_how_they_stood_every_game_is_the_same():
    compared = 0
    for case in range(15):
        game, chance = modern(case, **RULES[case % 3]), remembering(PLACES[case % 5], case)
        quick = modern_playouts(game, chance)
        for state in positions(game, case, BY_ODDS)[::3]:
            end = greedy_end(game, state, chance, most=400)
            if end.sudden != state.sudden or game.turn(end) is not NonPlayer.OVER:
                continue
            won, a, b = quick.games(state, 1, rng=np.random.default_rng(1))[0]
            assert (a, b) == (end.a.score, end.b.score), (case, state)
            assert won == rewards(game, end)[Seat.A]
            compared += 1
    assert compared > 50


def test_every_effect_is_compared():
    met = set()
    for settings, case in product(RULES, range(12)):
        game = modern(case, **settings)
        for state in positions(game, case, BY_ODDS):
            if state.phase is PigglesPhase.ACTION_REACTION and state.pending is None:
                met |= {game.table.verb(act.piggle) for act in game.legal_actions(state)[:-2]}
    assert met == set(EffectVerb)


@pytest.mark.parametrize("settings", [{}, RULES[1]])
def test_games_by_odds_come_out_as_by_the_rules(settings):
    game = modern(5, **settings)
    quick = modern_playouts(game, BY_ODDS)
    plain = AgentPlayouts(game=game, chance=BY_ODDS, agent=Greedy())
    rng, starts = np.random.default_rng(5), positions(game, 11, BY_ODDS)
    for state in (starts[0], starts[len(starts) // 2]):
        ends = [plain._played(state, rng) for _ in range(150)]
        slow = np.array([[rewards(game, end)[Seat.A], end.a.score, end.b.score] for end in ends])
        fast = quick.games(state, 40_000, rng=rng)
        # The spread of many games, which is the same if these are: a few may hold no rare win.
        error = np.sqrt(fast.var(axis=0) * (1.0 / len(slow) + 1.0 / len(fast)))
        # Twelve comparisons: four standard errors come by chance once in 1,300 times.
        assert np.all(np.abs(slow.mean(axis=0) - fast.mean(axis=0)) < 4.0 * error)


def test_a_tie_is_broken_by_those_who_have_a_piggle():
    game = modern(1)
    quick = modern_playouts(game, BY_ODDS)
    tied = "round=6 active=B phase=sudden A.score=9 B.score=9 "
    alone = parse_state(f"{tied} A.pen=A1,B1 captured=B1")
    both = parse_state(f"{tied} A.pen=A1 B.pen=B1")
    assert set(quick.games(alone, 50, rng=np.random.default_rng(1))[:, 0]) == {1.0}
    # Symmetric: mean one half with a standard error of .0035; five of them.
    won = quick.games(both, 20_000, rng=np.random.default_rng(1))[:, 0]
    assert won.mean() == pytest.approx(0.5, abs=0.018)


def test_only_what_is_known_is_compiled():
    assert isinstance(modern_playouts(modern(1, rare_runes=False), BY_ODDS), ModernPlayouts)
    for name, setting in (("capture", "return"), ("blue_mode", "drop_in_place")):
        assert modern_playouts(modern(1, **{name: setting}), BY_ODDS) is None
    game = modern(1)
    strange = replace(game, table=replace(game.table, rules=replace(game.rules, reroll_cap=3)))
    assert modern_playouts(strange, BY_ODDS) is not None
    assert modern_playouts(game, Coin(up=0.5)) is None
