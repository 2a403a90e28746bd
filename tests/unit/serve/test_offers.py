"""What a page may choose from: agents that play the game, and no names in the client itself."""

import re
from pathlib import Path

import pytest

import pigglesim
from pigglesim.agents.registry import agent_names, make_agent
from pigglesim.chance.tabular import believed_chance
from pigglesim.errors import SpecError
from pigglesim.games.registry import game_names, make_game
from pigglesim.serve import offers

ROOMS = Path(pigglesim.__file__).parent


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


COMMON = {
    *("aim", "best", "hold"),
    *("actors", "end", "left", "players", "rounds", "start", "target", "team_a", "team_b"),
}
"""Names of agents and of house rules that are words of other things, too."""
DRAWN = {"layout", "order", "uniform"}
"""Such names among the words of shaders and of the hand."""


def known_names(source):
    """Return the names of games, agents and house rules in a program, comments apart."""
    rules = (rule for game in game_names() for rule in make_game(game).settings())
    words = re.findall(r"[A-Za-z_]\w*", re.sub(r"//[^\n]*|/\*.*?\*/", "", source, flags=re.DOTALL))
    return {*words} & ({*game_names(), *agent_names(), *rules} - COMMON)


def test_the_client_knows_no_game_no_agent_and_no_rule_by_name():
    for room, words in {"render": DRAWN, "serve": set(), "site": set()}.items():
        paths = [*(ROOMS / room / "web").rglob("*.js")]
        assert paths
        for path in paths:
            assert known_names(path.read_text(encoding="utf-8")) <= words, path.name
    planted = ("state.game === `pig_pile`", "if (rules.solitaire) roll()", 'players = ["greedy"]')
    assert all(map(known_names, planted))
