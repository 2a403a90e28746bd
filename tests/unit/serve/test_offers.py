"""What a page may choose from: agents that play the game, and no names in the client itself."""

import re
from pathlib import Path

import pytest

import pigglesim.serve
from pigglesim.agents.registry import agent_names, make_agent
from pigglesim.chance.tabular import believed_chance
from pigglesim.errors import SpecError
from pigglesim.games.registry import game_names, make_game
from pigglesim.serve import offers

CLIENT = Path(pigglesim.serve.__file__).parent / "web"


@pytest.mark.parametrize("game", game_names())
def test_the_agents_offered_are_those_that_play_the_game(game):
    rules, offered = make_game(game), offers.opponents(game)
    assert offered[0] == "greedy"
    chance = believed_chance(None, {})
    for kind in agent_names():
        if kind in offered:
            assert make_agent(kind, game=rules, chance=chance).name
        else:
            with pytest.raises(SpecError):
                make_agent(kind, game=rules, chance=chance)


def test_the_client_knows_no_game_and_no_agent_by_name():
    # These are words of other things, too: how a cup is held, the best action.
    known = {*game_names(), *agent_names()} - {"aim", "best", "hold"}
    for path in CLIENT.glob("*.js"):
        words = set(re.findall(r"""["'`](\w+)["'`]""", path.read_text(encoding="utf-8")))
        assert not words & known, path.name
