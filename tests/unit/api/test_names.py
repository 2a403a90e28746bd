"""What can be named, and what a name gives."""

import numpy as np
import pytest

import pigglesim
from pigglesim.bodies.body import support_of


def test_every_name_that_is_known_can_be_used():
    known = pigglesim.known()
    for name in known.games:
        assert pigglesim.make_game(name).name == name
    for name in known.scenes:
        assert pigglesim.load_scene(name).id == name
    for name in known.models:
        assert pigglesim.load_model(name).model == name
    assert {"greedy", "mcts"} <= set(known.agents)
    assert "bullet" in known.engines


def test_an_agent_decides_in_a_position():
    game = pigglesim.make_game("piggles_classic", {"rounds": 1})
    agent = pigglesim.make_agent("expectimax:samples=2", game=game)
    state = game.initial_state()
    seat, legal = game.turn(state), game.legal_actions(state)
    rng = np.random.default_rng(1)
    assert agent.choose(game.observe(state, seat), legal, rng=rng) in legal
    with pytest.raises(pigglesim.PigglesimError, match="agent mcts has no game"):
        pigglesim.make_agent("mcts")


def test_poses_of_a_die_are_its_faces():
    found = pigglesim.poses("d6")
    assert sum(found.shares.values()) == pytest.approx(1.0, abs=1e-12)
    assert list(found.classes) == sorted(found.classes, key=found.classes.get, reverse=True)
    for share in found.shares.values():
        assert share == pytest.approx(1 / 6, abs=5e-4)
    pigs = pigglesim.poses("piggle")
    support = support_of(pigs.body.hull, pigs.body.mass.centre)
    assert list(pigs.shares.values()) == support.shares()
    assert set(pigs.classes) == {"Snout-Up", "Snout-Down", "On-Their-Head"}
    assert pigs.document()["classes"] == pigs.classes
    assert "exact" in repr(pigs)
