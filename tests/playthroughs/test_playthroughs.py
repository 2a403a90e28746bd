"""Whole matches of every game and of variants, kept as records: rules and format stay as they were.

A record is made by `play` with `simple_chance(seed=11)` and frequent knocks; see `fresh`. A change
of the rules that alters one on purpose writes the file anew:
`PIGGLESIM_REGENERATE=1 pytest tests/playthroughs`.
"""

import os
from pathlib import Path

import pytest

from pigglesim.agents.registry import make_agent
from pigglesim.games.registry import game_names, make_game
from pigglesim.landing import RollResult, Zone
from pigglesim.match.entries import MatchRecord, Status
from pigglesim.match.record import read_record, write_record
from pigglesim.match.replay import replay
from pigglesim.match.runner import play
from tests.support.simple_odds import ZONES, simple_chance

FOLDER = Path(__file__).parent
RARE = [
    *("orange+across", "red+arrow_cw", "red+arrow_ccw"),
    *("green+spiral_cw", "green+spiral_ccw", "blue+split"),
]
SMALL_BOARD = {
    "size": 6,
    "red": ["a1", "b1", "c1", "d1", "e1", "f1"],
    "blue": ["a6", "b6", "c6", "d6", "e6", "f6"],
    "green": ["a3", "f4"],
    "orange": ["b3", "e4"],
    "yellow": ["e3", "b4"],
    "mauve": ["f3", "a4"],
}
VARIANTS = {
    "piggles_classic-literal": {"mud_delay": "none", "off_board": "kitchen"},
    "piggles_modern-rare": {"team_a": RARE, "team_b": RARE},
    "piggles_modern-wide": {
        "actors": "all_own_up", "effects_mandatory": True, "left": "player_view",
    },
    "lord_of_the_pigs-beginners": {
        "alternate_modes": False, "events": False, "diplomacy_wars": True,
    },
    "lord_of_the_pigs-series": {
        "series": "competitive", "series_games": 2, "first_actor": "Energy",
    },
    "lord_of_the_pigs-strict": {
        "votes_persist": False, "alt_limit": 1, "minus_choice": "marker", "share_limit": 2,
        "share_amount": "actual", "share_clamp": "after_effect", "uprising_tie": "continue",
    },
    "pig_pile-advanced": {"players": 3, "advanced_deal": True, "draw_to": "four", "rounds": 2},
    "pig_pile-loose": {
        "players": 5, "first_dealer": "C", "voluntary_pickup": True, "wash_any_time": True,
        "wash_cancels_effect": True, "wild_triple": False, "wild_mix": True, "join_zones": True,
        "rounds": 2,
    },
    "pig_pile-pair": {"players": 2, "two_player_reverse": True, "rounds": 2},
    "pig_pile-crowd": {"players": 8, "turn_cap": 150},
    "piggyback-english": {"merge_rule": "en", "pickup_later": True},
    "piggyback-wild": {
        "boost_permanent": True, "boost_continue": True, "warp_scope": "any", "allow_pass": True,
    },
    "piggyback-layout": {"layout": SMALL_BOARD, "start": "blue"},
    "piggy_six-race": {"end": "race", "target": 50},
    "piggy_six-table": {"players": 7, "target": 50, "tie": "extra_round"},
    "piggy_six-solitaire": {"solitaire": True, "bot_goal_stop": True},
    "piggy_six-three": {"three_dice": True, "dice_choice": "per_turn"},
}  # fmt: skip
"""House rules of matches, by the name of their file: the game and the variant."""
MATCHES = {
    **{name: (name, {}) for name in game_names()},
    **{name: (name.partition("-")[0], rules) for name, rules in VARIANTS.items()},
}


def fresh(game: str, house_rules: dict[str, object]) -> MatchRecord:
    agent, zones = "uniform", ZONES
    if game == "piggles_modern":
        # Effects need Piggles on fields, where they seldom lie wholly, and somebody who uses them.
        agent = "greedy"
        zones = {zone: 0.3 if zone.startswith("field") else 0.1 for zone in Zone}
    chance = simple_chance(seed=11, knock=0.2, head=0.2, zones=zones)
    rules = make_game(game, house_rules)
    agents = {seat: make_agent(agent) for seat in rules.seats}
    return play(rules, agents=agents, chance=chance, seed=11).record


@pytest.mark.parametrize("name", MATCHES)
def test_the_recorded_match_replays_to_its_end(name):
    path = FOLDER / f"{name}.jsonl"
    game, house_rules = MATCHES[name]
    if os.environ.get("PIGGLESIM_REGENERATE"):
        write_record(fresh(game, house_rules), path)
    record = read_record(path)
    assert record.header.game == game
    assert record.header.house_rules == make_game(game, house_rules).settings()
    assert record.footer.status is Status.FINISHED
    rolls = [entry.result for entry in record.outcomes if isinstance(entry.result, RollResult)]
    assert not rolls or any(result.knocks for result in rolls)
    assert replay(record).record is record


def test_no_game_lacks_a_recorded_match_and_every_recorded_match_is_of_one():
    assert {path.stem for path in FOLDER.glob("*.jsonl")} == set(MATCHES)
    assert set(game_names()) <= set(MATCHES)


@pytest.mark.parametrize("name", [name for name, (game, _) in MATCHES.items() if "modern" in game])
def test_effects_take_place_in_the_recorded_matches_of_modern(name):
    record = read_record(FOLDER / f"{name}.jsonl")
    assert any(decision.action.startswith("act ") for decision in record.decisions)
