"""Piggy Six on the screen: what is at stake, what is told, what is offered."""

import numpy as np
import pytest

from pigglesim.agents.registry import make_agent
from pigglesim.chance_types import DiceResult
from pigglesim.games.game import NonPlayer
from pigglesim.games.piggy_six.rules import PiggySixState
from pigglesim.games.registry import make_game
from pigglesim.landing import Seat
from pigglesim.match.runner import play
from pigglesim.solvers import dice_game as kept
from pigglesim.tui.game_views import make_view
from pigglesim.tui.setting import hint
from tests.scripted_chance import ScriptedChance


def family(**rules):
    return make_view(make_game("piggy_six", rules))


def told(dice, *, stop=20, **rules):
    """Return the story of a match with given dice, in which everybody holds."""
    game = make_game("piggy_six", rules)
    shown, lines = make_view(game), []
    agents = {seat: make_agent(f"hold:{stop}", game=game) for seat in game.seats}
    results = [
        faces if isinstance(faces, DiceResult) else DiceResult(faces=faces) for faces in dice
    ]
    play(
        game,
        agents=agents,
        chance=ScriptedChance(results),
        seed=1,
        on_event=lambda event: lines.extend(line.text for line in shown.story(event)),
    )
    return lines


def test_a_match_is_told_in_plain_words():
    assert told([(3, 5), (6, 2), (6, 6), (5, 5), (4, 4), (5, 5)], stop=8, target=10) == [
        "Player A rolls ⚂ 3 ⚄ 5: + 8, 8 in this turn",
        "Player A stops with 8: 8 points",
        "Player B rolls ⚅ 6 ⚁ 2: a six, no points",
        "Player A rolls ⚅ 6 ⚅ 6: two sixes, all 8 points are lost",
        "Player B rolls ⚄ 5 ⚄ 5: + 10, 10 in this turn",
        "Player B stops with 10: 10 points",
        "Player B wins on points",
    ]


def test_ties_races_and_cocked_dice_are_told():
    again = DiceResult(faces=(5, 5), throws=3)
    lines = told([again, (5, 5)], target=10)
    assert "(cocked, thrown 3 times): + 10" in lines[0]
    assert lines[-1] == "Player A and Player B win together on points"
    assert told([(5, 5)], target=10, end="race")[-1] == "Player A wins by reaching the target first"
    capped = told([(1, 1), (1, 2)], roll_cap=1, round_cap=1)
    assert capped[1] == "Player A may roll no more and stops with 2: 2 points"
    assert "in the last round" in capped[-1]


def test_tables_show_points_as_bars():
    shown = family(target=40)
    table = shown.table(PiggySixState(bank=(20, 44), total=10, rolls=1, dice=2), None).plain
    first, second, *_ = table.splitlines()
    assert first == f"▸ Player A  {'█' * 20}{'▒' * 10}{'·' * 10}   20 + 10"
    assert second == f"  Player B  {'█' * 44}   44"
    assert "target 40" in table
    (points, turn) = shown.areas(PiggySixState(bank=(20, 44), total=10))
    assert dict(points.held) == {Seat.A: "20", Seat.B: "44"}
    assert turn.held[Seat.A] == "10"


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({}, "**100** points the round is completed"),
        ({"end": "race"}, "first wins at once"),
        ({"three_dice": True}, "For each roll choose **one die, two or three**"),
        ({"three_dice": True, "dice_choice": "per_turn"}, "For each turn"),
        ({"solitaire": True}, "stop at 8 and 14"),
        ({"tie": "extra_round"}, "one more turn"),
        ({"must_roll": False}, "may pass"),
    ],
)
def test_rules_in_brief_are_those_in_force(rules, words):
    assert words in family(**rules).rules


@pytest.mark.slow
def test_a_hint_tells_what_roll_and_stop_win(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "user_cache", lambda: tmp_path)
    game = make_game("piggy_six", {"target": 20})
    tied = PiggySixState(bank=(22, 12), active=Seat.B, total=10, rolls=2, dice=2)
    found = hint(make_agent("best", game=game), game, make_view(game), tied, seed=1, index=0)
    assert [line.text for line in found.lines] == [
        "Hint (best): Roll, wins 69.44%",
        "  or Stop with 10: 22 points, wins 50.00%",
    ]
    many = make_game("piggy_six", {"players": 3})
    state = PiggySixState(bank=(30, 0, 0), total=10, rolls=2, dice=2)
    found = hint(make_agent("best", game=many), many, make_view(many), state, seed=1, index=0)
    assert "stops at 11, with 30 points to lose" in found.lines[1].text


def test_every_position_of_a_random_game_can_be_shown():
    game = make_game("piggy_six", {"players": 7, "target": 30, "three_dice": True})
    shown, rng, state = make_view(game), np.random.default_rng(1), game.initial_state()
    while game.turn(state) is not NonPlayer.OVER:
        assert shown.heading(state)
        assert shown.guide(state, state.active)
        assert shown.table(state, None).plain
        if game.turn(state) is NonPlayer.CHANCE:
            faces = tuple(rng.integers(1, 7, game.chance_request(state).count).tolist())
            state = game.apply_outcome(state, DiceResult(faces=faces))
        else:
            legal = game.legal_actions(state)
            state = game.apply_action(state, legal[int(rng.integers(len(legal)))])
    assert "over" in shown.heading(state)
    assert "over" in shown.guide(state, None)
