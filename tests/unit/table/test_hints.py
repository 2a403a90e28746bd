"""Reasons: what a roll gains is a reason to roll, and none to skip with an empty Pen."""

import pigglesim
from pigglesim.games.piggles.areas import Load
from pigglesim.match.replay import branch_at
from pigglesim.table.hints import advice, reason


def test_what_a_roll_gains_is_no_reason_to_skip():
    agent, found = pigglesim.make_agent("greedy"), []
    for seed in range(4):
        record = pigglesim.play_match(chance="tabular", seed=seed).record
        for number in range(len(record.decisions)):
            point = branch_at(record, number)
            game, state = point.game, point.before.state
            observation = game.observe(state, game.turn(state))
            for action in game.legal_actions(state):
                if isinstance(action, Load):
                    text = reason(agent, observation, action)
                    gains = "score by +" in text
                    assert not text or gains == bool(action.piggles)
                    found.append((bool(action.piggles), bool(text)))
    assert {(True, True), (False, False)} <= set(found)


def test_a_better_action_has_a_digit_more_where_whole_per_cents_look_alike():
    assert advice("roll", 0.6512, 0.2089, "") == "better: roll (wins 65 %, not 21 %)"
    assert advice("roll", 0.7249, 0.7182, "") == "better: roll (wins 72.5 %, not 71.8 %)"
