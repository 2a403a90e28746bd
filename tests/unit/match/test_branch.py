"""What if: another action at a recorded decision."""

from pigglesim.agents.registry import make_agent
from pigglesim.games.registry import make_game
from pigglesim.landing import Seat
from pigglesim.match.entries import Comment
from pigglesim.match.record import format_record, parse_record
from pigglesim.match.replay import branch_at, replay
from pigglesim.match.runner import play
from tests.simple_odds import simple_chance

AGENTS = {Seat.A: make_agent("greedy"), Seat.B: make_agent("uniform")}
RECORD = play(
    make_game("piggles_classic"), agents=AGENTS, chance=simple_chance(seed=4), seed=4
).record


def test_the_recorded_action_on_the_recorded_luck_gives_the_recorded_match():
    for index in range(len(RECORD.decisions)):
        point = branch_at(RECORD, index)
        again = point.play_on(
            point.decision.action, agents=AGENTS, chance=simple_chance(seed=4), seed=4
        ).record
        assert again.footer == RECORD.footer
        played = [entry for entry in again.entries if not isinstance(entry, Comment)]
        assert tuple(played) == RECORD.entries


def test_a_branch_is_a_record_that_tells_where_it_left():
    point = branch_at(RECORD, 2)
    assert point.decision == RECORD.decisions[2]
    other = next(action for action in point.actions if action != point.decision.action)
    branch = point.play_on(other, agents=AGENTS, chance=simple_chance(seed=9), seed=9).record
    assert parse_record(format_record(branch, text=True)) == branch
    assert replay(branch).record is branch
    assert branch.header.chance["before"] == RECORD.header.chance
    assert branch.header.chance["rolls_before"] == point.begun.outcomes == 2
    assert branch.header.seed == 9
    notes = [entry.text for entry in branch.entries if isinstance(entry, Comment)]
    assert notes == [f"branch at decision 2: {other} for {point.decision.action}"]
    assert branch.decisions[2].action == other
    assert branch.decisions[:2] == RECORD.decisions[:2]
