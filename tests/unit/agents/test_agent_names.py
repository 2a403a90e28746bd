"""Names of agents with parameters: read, written, and refused in one line."""

import pytest

from pigglesim.agents.registry import canonical_name, make_agent
from pigglesim.agents.search import TreeSearch
from pigglesim.errors import SpecError
from tests.tiny_games import Coin, Race

CANONICAL = {
    "greedy": "greedy",
    "threshold:4.50": "threshold:points=4.5",
    "threshold:points=3": "threshold",
    "mcts:200": "mcts:nodes=200",
    "mcts:time=0.20": "mcts:time=0.2",
    "mcts:rollout=auto:explore=1.0": "mcts",
    "mcts:playouts=8:nodes=400": "mcts:nodes=400:playouts=8",
    "expectimax:2": "expectimax:depth=2",
}


@pytest.mark.parametrize(("name", "shortest"), CANONICAL.items())
def test_a_name_has_one_shortest_form_that_means_the_same(name, shortest):
    assert canonical_name(name) == shortest
    assert canonical_name(shortest) == shortest
    made = [make_agent(word, game=Race(), chance=Coin(up=0.5)) for word in (name, shortest)]
    assert made[0] == made[1]
    assert made[0].name == shortest


FAULTS = {
    "mtcs": "'mtcs'.*mcts",
    "mcts:node=3": "'node'.*nodes",
    "mcts:nodes=0": "nodes '0' of mcts .*1 to",
    "mcts:nodes=2.5": "nodes '2.5' of mcts .*whole",
    "mcts:time=nan": "time 'nan' of mcts .*0.001 to 3600",
    "mcts:nodes=1:nodes=2": "nodes of mcts .*twice",
    "mcts:rollout=best": "'best' .*auto or greedy or uniform.*mcts:rollout=auto",
    "threshold:-1": "points '-1' of threshold",
    "threshold:many": "'many'",
    "uniform:3": "uniform .*'3'",
    "greedy:": "greedy .*''",
}


@pytest.mark.parametrize(("name", "told"), FAULTS.items())
def test_a_faulty_name_is_told_in_one_line(name, told):
    with pytest.raises(SpecError, match=told) as fault:
        canonical_name(name)
    assert "\n" not in str(fault.value)


def test_a_search_has_nodes_or_time_or_both():
    def made(name):
        agent = make_agent(name, game=Race(), chance=Coin(up=0.5))
        assert isinstance(agent, TreeSearch)
        return agent.nodes, agent.seconds

    assert made("mcts") == (400, None)
    assert made("mcts:time=2") == (None, 2.0)
    assert made("mcts:nodes=5:time=2") == (5, 2.0)
