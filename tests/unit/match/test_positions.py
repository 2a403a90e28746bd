"""Matches that start from a position: recorded, replayed, resumed and taken back from it."""

from dataclasses import replace

import pytest

from pigglesim.agents.registry import make_agent
from pigglesim.api.match import play_match
from pigglesim.api.tournament import tournament
from pigglesim.api.what_if import what_if
from pigglesim.chance.tabular import TabularChance
from pigglesim.envs import gymnasium, pettingzoo
from pigglesim.errors import RecordError, SpecError
from pigglesim.games.registry import game_names, make_game
from pigglesim.landing import BOARD_SEATS
from pigglesim.match.record import format_record, parse_record, read_record, write_record
from pigglesim.match.replay import begin, branch_at, interrupted_record, replay, without_positions
from pigglesim.match.runner import play
from tests.support.front_door import run_here
from tests.support.simple_odds import simple_odds
from tests.unit.tui.tables import session

LATE = "bank=75,88 active=B round=9 total=6 rolls=1 dice=2"
SHORT = {"pig_pile": {"rounds": 1, "turn_cap": 60}}


def uniform_match(game, *, position=None):
    return play(
        game,
        agents={seat: make_agent("uniform") for seat in game.seats},
        chance=TabularChance(seed=3, odds=simple_odds(knock=0.3)),
        seed=3,
        position=position,
    )


@pytest.mark.parametrize("name", game_names())
def test_a_match_from_the_middle_of_another_replays_from_both_forms(name):
    game = make_game(name, SHORT.get(name, {}))
    whole = uniform_match(game).record
    middle = branch_at(whole, len(whole.decisions) // 2).before.state
    played = uniform_match(game, position=game.format_state(middle))
    record = played.record
    assert record.header.position == game.format_state(middle) != whole.header.position
    assert game.round_of(middle) > 1 or name == "pig_pile"
    for text in (False, True):
        again = parse_record(format_record(record, text=text))
        assert again == record
        assert replay(again).state == played.state
    half = interrupted_record(record.header, record.entries[: len(record.entries) // 2])
    begun = begin(game, half.entries, position=half.header.position)
    assert begun.progress.footer(game) == half.footer
    with pytest.raises(RecordError):
        replay(replace(record, header=replace(record.header, position=None)))


def test_the_end_depends_on_the_position_and_the_decisions_follow_it():
    # B needs 6 more: a stop with 12 of this turn wins at once.
    won = f"{LATE} ".replace("total=6", "total=12").replace("rolls=1", "rolls=2")
    match = play_match("piggy_six", position=won, agents="hold:12", chance="fair", seed=1)
    assert [entry.action for entry in match.record.decisions] == ["stop"]
    assert (match.winner, match.scores) == ("B", {"A": 75, "B": 100})
    assert match.record.header.position == won.strip()
    branches = what_if(match, 0, times=40, seed=1)
    shares = {each.action: each.shares["B wins"].value for each in branches.actions}
    assert shares["stop"] == 1.0 > shares["roll"]


def test_an_interrupted_match_resumes_to_the_same_bytes(tmp_path):
    out, position = tmp_path / "m.jsonl", tmp_path / "p.txt"
    position.write_text(f"{LATE}\n")
    words = ("match", "piggy_six", "--chance", "fair", "--seed", 2, "--no-boards")
    assert run_here(*words, "--position", f"@{position}", "--out", out).exit_code == 0
    whole, record = out.read_bytes(), read_record(out)
    assert record.header.position == LATE
    write_record(interrupted_record(record.header, record.entries[:3]), out)
    assert run_here("match", "--resume", out, "--no-boards").exit_code == 0
    assert out.read_bytes() == whole
    middle = branch_at(record, 1)
    assert run_here(*words, "--position", f"@{out}:1", "--out", tmp_path / "n.jsonl").exit_code == 0
    start = read_record(tmp_path / "n.jsonl").header.position
    assert start == middle.game.format_state(middle.before.state)


def test_a_person_cannot_take_back_more_than_was_played(tmp_path):
    game = make_game("piggy_six")
    own = session(
        tmp_path / "m.jsonl", game=game, scene=None, practice=True, position=LATE,
        agents=dict.fromkeys(BOARD_SEATS), chance=TabularChance(seed=1, odds=simple_odds()),
    )  # fmt: skip
    own.decide(game.parse_action("stop"))
    assert own.state.bank == (75, 94)
    assert own.undo()
    assert not own.undo()
    assert game.format_state(own.state) == LATE
    assert read_record(tmp_path / "m.jsonl").header.position == LATE


def test_a_tournament_plays_both_matches_of_a_pair_from_it(tmp_path):
    # The active player stops and wins; only seats decide.
    sure = "bank=95,88 active=A round=9 total=99 rolls=10 dice=2"
    cup = tournament(
        ["hold:20", "hold:25"], game="piggy_six", position=f" {sure}",
        house_rules={"end": "race"}, pairs=3, seed=1, out=tmp_path / "cup",
    )  # fmt: skip
    assert cup.tournament.position == sure
    assert {tuple(match.points for match in pair.matches) for pair in cup.pairs} == {(1.0, 0.0)}
    assert {match.decisions for pair in cup.pairs for match in pair.matches} == {1}
    with pytest.raises(RecordError, match="position"):
        tournament(
            ["hold:20", "hold:25"], game="piggy_six", house_rules={"end": "race"}, pairs=3,
            seed=1, out=tmp_path / "cup",
        )  # fmt: skip


def test_environments_begin_from_it_and_from_the_start_after_that():
    env = pettingzoo.raw_env("piggy_six")
    env.reset(seed=1, options={"position": LATE})
    assert env.agent_selection == "player_1"
    assert env.episode.game.format_state(env.episode.state) == LATE
    with pytest.raises(SpecError, match="against R3"):
        env.reset(seed=1, options={"position": "bank=1"})
    assert env.episode.game.format_state(env.episode.state) == LATE
    env.reset()
    assert env.agent_selection == "player_0"
    alone = gymnasium.SeatEnv("piggy_six", opponent="greedy", seat="A", house_rules={"end": "race"})
    _, info = alone.reset(seed=1, options={"position": "bank=0,0 active=A round=9"})
    assert info["round"] == 9
    # B stops and wins before A is to move, whatever the seed.
    lost = "bank=0,90 active=B round=9 total=99 rolls=10 dice=2"
    with pytest.raises(SpecError, match="before A was to move"):
        alone.reset(seed=1, options={"position": lost})


def test_physics_needs_places_and_a_bare_record_has_none():
    rolled = play_match("piggles_classic", house_rules={"rounds": 2}, seed=4)
    point = branch_at(rolled.record, 2)
    placed = point.game.format_state(point.before.state)
    assert "[" in placed
    again = play_match("piggles_classic", house_rules={"rounds": 2}, seed=4, position=placed)
    bare = without_positions(again.record)
    assert replay(bare).record.footer.scores == again.record.footer.scores
    assert "[" not in (bare.header.position or "[")
    with pytest.raises(SpecError, match=r"no place.*--chance tabular"):
        play_match("piggles_classic", house_rules={"rounds": 2}, position=bare.header.position)
