"""Piggy Six on the screen: what is at stake, what is told, what is offered."""

import numpy as np
import pytest

from pigglesim.agents.registry import make_agent
from pigglesim.chance_types import DiceResult
from pigglesim.games.piggy_six import PiggySixState
from pigglesim.games.registry import make_game
from pigglesim.landing import Seat
from pigglesim.match.runner import play
from pigglesim.solvers import dice_game as kept
from pigglesim.tui.game_view import make_view
from pigglesim.tui.session import hint
from tests.scripted_chance import ScriptedChance

RNG = np.random.default_rng(1)


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


@pytest.mark.slow
def test_a_hint_tells_what_roll_and_stop_win(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "user_cache", lambda: tmp_path)
    game = make_game("piggy_six", {"target": 20})
    tied = PiggySixState(bank=(22, 12), active=Seat.B, total=10, rolls=2, dice=2)
    found = hint(make_agent("best", game=game), game, make_view(game), tied, rng=RNG)
    assert [line.text for line in found] == [
        "Hint (best): Roll, wins 69.44%",
        "  or Stop with 10: 22 points, wins 50.00%",
    ]
    many = make_game("piggy_six", {"players": 3})
    state = PiggySixState(bank=(30, 0, 0), total=10, rolls=2, dice=2)
    found = hint(make_agent("best", game=many), many, make_view(many), state, rng=RNG)
    assert "stops at 11, with 30 points to lose" in found[1].text
