"""Levels of opponents: each is an agent whose measured rating is above that of the level before."""

import re
from pathlib import Path

import pytest

from pigglesim.agents.registry import OPPONENTS, Level, canonical_name, parse_name, plays
from pigglesim.games.registry import find, game_names

RESULTS = Path(__file__).parents[3] / "docs" / "results" / "tournaments.md"


def measured():
    """Return the ratings of the page and their intervals by group of rows: game, then agent."""
    groups, group = {}, ""
    for line in RESULTS.read_text().replace("\N{MINUS SIGN}", "-").splitlines():
        row = re.fullmatch(r"\| (.*?) ?\|.*\| `(\S+)` \| (.*?)\[(.*), (.*?)\] \|.*\|", line)
        if row:
            group = row[1] or group
            elo, low, high = map(int, row.groups()[2:])
            groups.setdefault(group, {})[canonical_name(row[2])] = low, elo, high
    return groups


@pytest.mark.parametrize("game", game_names())
def test_each_level_is_stronger_than_the_one_before_by_measured_matches(game):
    opponents = OPPONENTS[game]
    ratings = [elo for _, elo, _ in (each.elo for each in opponents)]
    levels = [list(Level).index(each.level) for each in opponents]
    assert ratings == sorted({*ratings})
    assert levels == sorted({*levels})
    short = find(game).title.removeprefix("Piggles ")
    groups = [ratings for name, ratings in measured().items() if name.startswith(short)]
    found = [{each.agent: each.elo for each in opponents}.items() <= g.items() for g in groups]
    assert any(found), groups


@pytest.mark.parametrize("game", game_names())
def test_each_level_plays_its_game(game):
    for opponent in OPPONENTS[game]:
        kind, _ = parse_name(opponent.agent)
        assert plays(kind, game) and canonical_name(opponent.agent) == opponent.agent


def test_only_the_exact_solution_is_perfect():
    perfect = {
        each.agent for every in OPPONENTS.values() for each in every if each.level == "perfect"
    }
    assert perfect == {"optimal"}
