"""Compiled games of Classic are those of the rules: to the bit where nothing is left to chance."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from pigglesim.agents.agent import Uniform
from pigglesim.agents.classic_playouts import ClassicPlayouts, classic_playouts
from pigglesim.agents.greedy import Greedy
from pigglesim.agents.playouts import AgentPlayouts, rewards, settled
from pigglesim.chance.odds import load_odds
from pigglesim.chance.tabular import TabularChance
from pigglesim.games.game import Concede
from pigglesim.games.piggles.game import PigglesClassic, PigglesModern
from pigglesim.games.piggles.house_rules import MudDelay, PigglesRules
from pigglesim.games.piggles.notation import parse_state
from pigglesim.games.piggles.state import PigglesPhase
from pigglesim.landing import Seat
from pigglesim.rng import generator
from tests.sure_chance import PLACES, certain, greedy_end, positions, remembering


def test_a_draw_is_a_roll():
    chance = TabularChance(seed=7, odds=load_odds("piggle"))
    for state in positions(PigglesClassic(), 3, chance):
        if state.phase is PigglesPhase.ROLL:
            request = PigglesClassic().chance_request(state)
            drawn = chance.draw(request, rng=generator(7, "tabular", 4))
            assert drawn == chance.roll(request, index=4)


@pytest.mark.parametrize(
    "rules", [PigglesRules(), PigglesRules(first_player=Seat.B, alternate_start=True, rounds=7)]
)
def test_where_chance_is_certain_every_game_is_the_same(rules):
    game, compared = PigglesClassic(rules=rules), 0
    for case, (landing, after, rate) in enumerate(product(PLACES, PLACES, (0.0, 1.0))):
        chance = certain(landing, rate, after)
        quick = classic_playouts(game, chance)
        assert quick is not None
        # Positions of games that are not certain, so that all sorts of Piggles lie about.
        starts = positions(game, case, TabularChance(seed=1, odds=load_odds("piggle")))
        for state in starts[case % 3 :: 3]:
            end = greedy_end(game, state, chance)
            if end.sudden != state.sudden:
                continue
            won, a, b = quick.games(state, 1, rng=np.random.default_rng(1))[0]
            assert (a, b) == (end.a.score, end.b.score), (landing, after, rate, state)
            assert won == rewards(game, end)[Seat.A]
            compared += 1
    assert compared > 150


def test_where_a_knock_depends_on_how_they_stood_every_game_is_the_same():
    game, compared = PigglesClassic(), 0
    for case in range(15):
        chance = remembering(PLACES[case % len(PLACES)], case)
        quick = classic_playouts(game, chance)
        for state in positions(game, case, TabularChance(seed=1, odds=load_odds("piggle")))[::2]:
            end = greedy_end(game, state, chance)
            if end.sudden != state.sudden:
                continue
            won, a, b = quick.games(state, 1, rng=np.random.default_rng(1))[0]
            assert (a, b) == (end.a.score, end.b.score), (case, state)
            assert won == rewards(game, end)[Seat.A]
            compared += 1
    assert compared > 60


@pytest.mark.parametrize("agent", [Greedy(), Uniform()])
def test_games_by_odds_come_out_as_by_the_rules(agent):
    game, chance = PigglesClassic(), TabularChance(seed=1, odds=load_odds("piggle"))
    threshold = 0.0 if isinstance(agent, Greedy) else np.nan
    quick = classic_playouts(game, chance, threshold=threshold)
    plain = AgentPlayouts(game=game, chance=chance, agent=agent)
    starts = positions(game, 11, chance)
    for state in (starts[0], starts[len(starts) // 2]):
        rng = np.random.default_rng(5)
        ends = [plain._played(state, rng) for _ in range(200)]
        slow = np.array([[rewards(game, e)[Seat.A], e.a.score, e.b.score] for e in ends])
        fast = quick.games(state, 40_000, rng=rng)
        # The spread of many games, which is the same if these are: a few may hold no rare win.
        error = np.sqrt(fast.var(axis=0) * (1.0 / len(slow) + 1.0 / len(fast)))
        # Six comparisons of each agent: four standard errors come by chance once in 2,600 times.
        assert np.all(np.abs(slow.mean(axis=0) - fast.mean(axis=0)) < 4.0 * error)


def test_a_tie_is_broken_as_the_rules_break_it():
    game, chance = PigglesClassic(), TabularChance(seed=1, odds=load_odds("piggle"))
    quick = classic_playouts(game, chance)
    last = "round=6 active=B phase=load A.pen=A1 A.score=9 B.pen={} B.score=9"
    # A has the Pen and B nothing: A has won. Both have one: each wins half.
    alone = game.apply_action(parse_state(last.replace(" B.pen={}", "")), _skip(game))
    assert alone.result.winner is Seat.A
    both = game.apply_action(parse_state(last.format("B1")), _skip(game))
    assert both.phase is PigglesPhase.SUDDEN
    won = quick.games(both, 20_000, rng=np.random.default_rng(1))[:, 0]
    assert set(won) <= {0.0, 0.5, 1.0}
    # Symmetric: mean one half with a standard error of .0035; five of them.
    assert won.mean() == pytest.approx(0.5, abs=0.018)


def _skip(game):
    return game.parse_action("skip")


def test_only_what_is_known_is_compiled():
    chance = TabularChance(seed=1, odds=load_odds("piggle"))
    known = [PigglesRules(), PigglesRules(rounds=3, alternate_start=True, knock_angle_deg=9.0)]
    for rules in known:
        assert isinstance(classic_playouts(PigglesClassic(rules=rules), chance), ClassicPlayouts)
    strange = replace(PigglesRules(), mud_delay=MudDelay.NONE)
    assert classic_playouts(PigglesClassic(rules=strange), chance) is None


@pytest.mark.parametrize("game", [PigglesClassic(), PigglesModern()])
def test_greedy_chooses_as_it_does_among_all_loads(game):
    chance = TabularChance(seed=1, odds=load_odds("piggle"))
    for agent in (Greedy(), Greedy(threshold=4.0)):
        plain = AgentPlayouts(game=game, chance=chance, agent=agent)
        for state in positions(game, 4, chance):
            if isinstance(game.turn(state), Seat):
                seen, legal = game.observe(state, game.turn(state)), game.legal_actions(state)
                few = plain._offered(state)
                assert len(few) <= len(legal)
                assert agent.choose(seen, few, rng=None) == agent.choose(seen, legal, rng=None)


def test_playouts_by_the_rules_share_out_one_win():
    game, chance = PigglesClassic(), TabularChance(seed=1, odds=load_odds("piggle"))
    plain = AgentPlayouts(game=game, chance=chance, agent=Uniform())
    worth = plain.value(game.initial_state(), 3, rng=np.random.default_rng(1))
    assert sum(worth.values()) == pytest.approx(1.0)
    conceded = game.apply_action(game.initial_state(), Concede())
    assert settled(game, conceded, chance, rng=np.random.default_rng(1)) == (conceded, None)
    assert rewards(game, conceded) == {Seat.A: 0.0, Seat.B: 1.0}
