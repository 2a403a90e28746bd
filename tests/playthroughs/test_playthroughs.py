"""One whole match of every game, kept as a record: rules, notation and format stay as they were.

A record is made by `play` with `uniform` agents and `TabularChance(seed=11)` with frequent knocks;
see `fresh`. A change of the rules that alters one on purpose writes the file anew:
`PIGGLESIM_REGENERATE=1 pytest tests/playthroughs`.
"""

import os
from pathlib import Path

import pytest

from pigglesim.agents.registry import make_agent
from pigglesim.chance.tabular import Shares, TabularChance
from pigglesim.games.registry import game_names, make_game
from pigglesim.match.entries import MatchRecord, Status
from pigglesim.match.record import read_record, write_record
from pigglesim.match.replay import replay
from pigglesim.match.runner import play
from pigglesim.rolls import Seat

FOLDER = Path(__file__).parent


def fresh(name: str) -> MatchRecord:
    agents = {seat: make_agent("uniform") for seat in Seat}
    chance = TabularChance(seed=11, shares=Shares(knock=0.2, head=0.2))
    return play(make_game(name), agents=agents, chance=chance, seed=11).record


@pytest.mark.parametrize("name", game_names())
def test_the_kept_match_replays_to_its_end(name):
    path = FOLDER / f"{name}.jsonl"
    if os.environ.get("PIGGLESIM_REGENERATE"):
        write_record(fresh(name), path)
    record = read_record(path)
    assert record.header.game == name
    assert record.footer.status is Status.FINISHED
    assert any(outcome.result.knocks for outcome in record.outcomes)
    assert replay(record).record is record


def test_every_kept_match_is_of_a_game():
    assert {path.stem for path in FOLDER.glob("*.jsonl")} == set(game_names())
