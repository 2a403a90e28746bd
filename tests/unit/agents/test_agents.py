"""The agents and their registry."""

import numpy as np
import pytest

from pigglesim.agents.greedy import Greedy, Odds, expected_gain
from pigglesim.agents.registry import agent_names, make_agent
from pigglesim.agents.uniform import Uniform
from pigglesim.errors import SpecError
from pigglesim.games.game import Concede
from pigglesim.games.piggles.classic import PigglesClassic
from pigglesim.games.piggles.house_rules import HouseRules, KitchenPenalty
from pigglesim.games.piggles.loading import Load
from pigglesim.games.piggles.state import Position, Side
from pigglesim.rolls import Seat


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_agents_by_name():
    assert agent_names() == ("uniform", "greedy", "threshold", "expectimax", "mcts")
    assert [make_agent(name).name for name in agent_names()[:3]] == list(agent_names()[:3])
    with pytest.raises(SpecError, match="try: greedy"):
        make_agent("gredy")


def test_uniform_never_concedes_and_takes_every_other_action_about_equally_often():
    stream = rng()
    legal = [Load(), Load(("A1",)), Load(("A2",)), Concede()]
    counts = dict.fromkeys(legal, 0)
    for _ in range(3000):
        counts[Uniform().choose(None, legal, rng=stream)] += 1
    assert counts[Concede()] == 0
    # Binomial(3000, 1/3): mean 1000, standard deviation 25.8; five of them either way.
    assert all(870 < counts[action] < 1130 for action in legal[:-1])


def test_uniform_concedes_when_nothing_else_is_legal():
    assert Uniform().choose(None, [Concede()], rng=rng()) == Concede()


def test_the_expected_gain_by_hand():
    odds = Odds(up=0.5, down=0.3, head=0.2, zone_points=2.0)
    # Round 6 of 6: the Tally at hand alone. Round 4: three Tallies of 1, less 0.2 in two.
    assert expected_gain(6, HouseRules(), odds) == pytest.approx(1.0)
    assert expected_gain(4, HouseRules(), odds) == pytest.approx(3.0 - 0.4)
    once = HouseRules(kitchen_penalty=KitchenPenalty.ONCE)
    assert expected_gain(4, once, odds) == pytest.approx(3.0 - 0.2)


def choose(agent: Greedy, round_number: int) -> object:
    game = PigglesClassic()
    state = Position(round=round_number, a=Side(pen=("A1", "A4", "A5")))
    return agent.choose(game.observe(state, Seat.A), game.legal_actions(state), rng=rng())


def test_greedy_loads_the_whole_pen_when_it_pays():
    assert choose(Greedy(), 1) == Load(("A1", "A4", "A5"))


def test_greedy_skips_when_heads_cost_more_than_snouts_up_pay():
    heads = Greedy(odds=Odds(up=0.1, down=0.0, head=0.9, zone_points=1.0))
    assert choose(heads, 1) == Load()
    assert choose(heads, 6) == Load(("A1", "A4", "A5")), "the last Tally fears no Kitchen"


@pytest.mark.parametrize(("pen", "loaded"), [(("A1",), ()), (("A1", "A2"), ("A1", "A2"))])
def test_a_threshold_leaves_a_small_pen_alone(pen, loaded):
    # Two Tallies left: a Piggle gains .51 * 2.2 * 2 - .08 = 2.164 points, two twice as much.
    game, agent = PigglesClassic(), make_agent("threshold:3")
    state = Position(round=5, a=Side(pen=pen))
    legal = game.legal_actions(state)
    assert agent.choose(game.observe(state, Seat.A), legal, rng=rng()) == Load(loaded)


def test_greedy_plays_piggles_only():
    with pytest.raises(SpecError, match="use the agent uniform"):
        Greedy().choose("a hand of cards", [1, 2], rng=rng())


@pytest.mark.parametrize("odds", [{"up": 0.9}, {"up": -0.1, "down": 1.02}, {"zone_points": 3.5}])
def test_impossible_odds_are_refused(odds):
    with pytest.raises(SpecError, match="try: "):
        Odds(**odds)
