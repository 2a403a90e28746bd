"""Counts of game trees: those of the page, and some that are counted by hand."""

import re

import pytest

from pigglesim.games.registry import game_names, make_game
from scripts.documentation.pages import ROOT
from scripts.verification.perft import perft

PAGE = (ROOT / "docs" / "games" / "index.md").read_text()
ROW = re.compile(r"^\| `(\w+)` \| (?:default|`([\w= ]+)`) \| ([\d, ]+) \|$", re.MULTILINE)
TABLE = [
    (name, rules, [int(word) for word in counts.split(", ")])
    for name, rules, counts in ROW.findall(PAGE)
]
SOON = 5000
"""Leaves that are counted in no time."""


def counted(name, rules, depths):
    game = make_game(name, dict(word.split("=") for word in rules.split()))
    return [perft(game, game.initial_state(), depth) for depth in depths]


def test_the_page_has_every_game_by_its_default_rules_and_others():
    assert sorted(name for name, rules, _ in TABLE if not rules) == sorted(game_names())
    assert sorted(name for name, rules, _ in TABLE if rules) == sorted(game_names())


@pytest.mark.parametrize(("name", "rules", "counts"), TABLE)
def test_shallow_trees_have_the_leaves_of_the_page(name, rules, counts):
    few = [count for count in counts if count <= SOON]
    assert counted(name, rules, range(1, len(few) + 1)) == few


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rules", "counts"), TABLE)
def test_deep_trees_have_the_leaves_of_the_page(name, rules, counts):
    deep = {depth: count for depth, count in enumerate(counts, 1) if count > SOON}
    assert counted(name, rules, deep) == list(deep.values())


def test_trees_that_are_counted_by_hand():
    # 64 loads and conceding; each of 63 is rolled, and after a skip the other has 65 actions.
    assert counted("piggles_classic", "", (0, 1, 2)) == [1, 65, 63 + 65]
    # The first roll is compulsory: 15 of its 21 results have no six, and may be followed by a stop.
    assert counted("piggy_six", "", (1, 2, 3)) == [1, 21, 15 * 2 + 6]
    assert counted("piggy_six", "must_roll=off", (1, 2)) == [2, 21 + 2]
    # A roll of each for the start; of the 36 the six equal ones are rolled again.
    assert counted("piggyback", "", (1, 2, 3)) == [6, 36, 30 * 31 + 6 * 6]


def test_a_game_that_is_over_has_no_leaves():
    game = make_game("piggles_classic")
    ended = game.apply_action(game.initial_state(), game.parse_action("concede"))
    assert (perft(game, ended, 0), perft(game, ended, 1)) == (1, 0)
