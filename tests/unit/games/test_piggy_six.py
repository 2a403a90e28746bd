"""Piggy Six: scenarios, invariants of random play under any house rules, and faults."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings

from pigglesim.chance_types import CockedDice, DiceResult
from pigglesim.errors import IllegalActionError
from pigglesim.games.piggy_six import (
    DiceChoice,
    DiceRoll,
    Ending,
    Fate,
    PiggySix,
    PiggySixReason,
    PiggySixRules,
    Stop,
    Tie,
    fate_of,
)
from pigglesim.games.registry import make_game
from pigglesim.landing import Seat
from tests.support.random_games import GAMES, SEEDS, walk


@settings(max_examples=40)
@given(game=GAMES["piggy_six"], seed=SEEDS)
def test_points_of_random_play(game, seed):
    rules = game.rules
    turns = dict.fromkeys(game.seats, 0)
    moves = list(walk(game, seed))
    for before, move, after in moves:
        player, at = before.active, game.seats.index(before.active)
        assert (*after.bank[:at], 0, *after.bank[at + 1 :]) == (
            *before.bank[:at],
            0,
            *before.bank[at + 1 :],
        )
        gain = sum(move.faces) if isinstance(move, DiceResult) else 0
        total = before.bank[at] + before.total
        allowed = {before.bank[at], total, total + gain, 0}
        assert after.bank[at] in allowed
        if isinstance(move, DiceResult):
            sixes = move.faces.count(6)
            if after.bank[at] == 0 < before.bank[at]:
                assert sixes >= 2
            if sixes:
                assert after.bank[at] == (0 if sixes > 1 else before.bank[at])
            assert len(move.faces) in rules.dice_numbers or player in rules.stops
        over = after.result is not None
        if over or (after.active, after.round) != (player, before.round):
            turns[player] += 1
    final = moves[-1][2]
    won = final.result.shared or (final.result.winner,)
    best = max(final.bank)
    if final.result.reason == PiggySixReason.RACE:
        assert rules.end is Ending.RACE
        assert final.points_of(won[0]) >= rules.target
    else:
        assert len(set(turns.values())) == 1
        assert won == tuple(seat for seat in game.seats if final.points_of(seat) == best)
        assert best >= rules.target or final.result.reason == PiggySixReason.CAP
        assert rules.tie is Tie.SHARE or len(won) == 1 or final.result.reason == PiggySixReason.CAP


@pytest.mark.parametrize(("dice", "bust", "reset"), [(1, 1, 0), (2, 10, 1), (3, 75, 16)])
def test_fates_have_the_shares_counted_by_hand(dice, bust, reset):
    fates = [fate_of(faces) for faces in product(range(1, 7), repeat=dice)]
    assert fates.count(Fate.BUST) == bust
    assert fates.count(Fate.RESET) == reset
    assert fates.count(Fate.POINTS) == 5**dice


def test_what_may_be_done():
    standard, three = PiggySix(), make_game("piggy_six", {"three_dice": True})
    start = standard.initial_state()
    assert standard.legal_actions(start) == (DiceRoll(2),)
    later = replace(start, total=8, rolls=1, dice=2)
    assert standard.legal_actions(later) == (DiceRoll(2), Stop())
    assert three.legal_actions(later) == (DiceRoll(1), DiceRoll(2), DiceRoll(3), Stop())
    turnwise = PiggySix(rules=PiggySixRules(three_dice=True, dice_choice=DiceChoice.PER_TURN))
    assert turnwise.legal_actions(later) == (DiceRoll(2), Stop())
    free = make_game("piggy_six", {"must_roll": False})
    assert free.legal_actions(start) == (DiceRoll(2), Stop())
    assert free.apply_action(start, Stop()).active is Seat.B


@pytest.mark.parametrize(
    ("game", "action", "fault"),
    [({}, Stop(), "PS1"), ({}, DiceRoll(3), "R6"), ({"three_dice": True}, DiceRoll(4), "4 dice")],
)
def test_illegal_actions_are_reported_and_change_nothing(game, action, fault):
    rules = make_game("piggy_six", game)
    start = rules.initial_state()
    with pytest.raises(IllegalActionError, match=fault):
        rules.apply_action(start, action)
    assert start == rules.initial_state()


def test_other_number_of_dice_in_mid_turn_is_reported_by_its_ruling():
    rules = make_game("piggy_six", {"three_dice": True, "dice_choice": "per_turn"})
    rolling = rules.apply_action(rules.initial_state(), DiceRoll(3))
    rolled = rules.apply_outcome(rolling, DiceResult(faces=(1, 2, 3)))
    with pytest.raises(IllegalActionError, match="PS4"):
        rules.apply_action(rolled, DiceRoll(2))


@pytest.mark.parametrize(
    ("written", "faces", "goal_stop", "stopped"),
    [
        (94, (3, 3), True, True),  # at the target to the point (PS5)
        (93, (3, 3), True, False),
        (94, (3, 3), False, False),
        (0, (5, 5), False, True),  # at the fixed stop to the point (R5)
        (0, (5, 4), False, False),
    ],
)
def test_an_imaginary_player_stops_at_the_point_and_not_before(written, faces, goal_stop, stopped):
    game = make_game(
        "piggy_six",
        {"solitaire": True, "bot_stop_1": 10, "bot_goal_stop": goal_stop, "target": 100},
    )
    start = replace(game.initial_state(), bank=(0, written, 0), active=Seat.B, dice=2, rolling=True)
    after = game.apply_outcome(start, DiceResult(faces=faces))
    if stopped:
        assert (after.active, after.bank) == (Seat.C, (0, written + sum(faces), 0))
    else:
        assert (after.active, after.total, after.rolling) == (Seat.B, sum(faces), True)


@pytest.mark.parametrize(("first", "ended"), [(99, False), (100, True), (101, True)])
def test_the_target_to_the_point_ends_the_game_after_the_turn_of_the_last_player(first, ended):
    game = PiggySix()
    late = replace(game.initial_state(), bank=(first, 20), active=Seat.B, total=5, rolls=1, dice=2)
    after = game.apply_action(late, Stop())
    assert after.bank == (first, 25)
    if ended:
        assert (after.result.winner, after.result.reason) == (Seat.A, PiggySixReason.POINTS)
        assert game.legal_actions(after) == ()
    else:
        assert (after.result, after.active, after.round) == (None, Seat.A, 2)


@pytest.mark.parametrize("cocked", CockedDice)
def test_dice_on_the_way_wait_for_chance_which_hears_of_cocked_dice(cocked):
    game = PiggySix(rules=PiggySixRules(cocked_dice=cocked))
    rolling = game.apply_action(game.initial_state(), DiceRoll(2))
    assert game.legal_actions(rolling) == ()
    assert game.chance_request(rolling).cocked is cocked


@pytest.mark.parametrize(
    ("bank", "active", "tie", "possible"),
    [
        ((100, 100), Seat.A, Tie.EXTRA_ROUND, True),  # tied, they play another round
        ((100, 90), Seat.A, Tie.EXTRA_ROUND, False),  # the round before had a winner
        ((100, 90), Seat.B, Tie.EXTRA_ROUND, True),
        ((90, 100), Seat.B, Tie.EXTRA_ROUND, True),  # A lost in this round what tied them
        ((90, 100), Seat.B, Tie.SHARE, False),
        ((100, 100), Seat.A, Tie.SHARE, False),
    ],
)
def test_a_round_begins_with_the_target_only_after_a_tie(bank, active, tie, possible):
    game = PiggySix(rules=PiggySixRules(tie=tie))
    state = replace(game.initial_state(), bank=bank, active=active, round=5)
    assert [each.rule for each in game.validate(state)] == ([] if possible else ["R3"])
