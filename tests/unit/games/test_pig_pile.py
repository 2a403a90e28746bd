"""Pig Pile: its rules one by one as scenarios, its notation, and what it refuses."""

from dataclasses import replace

import pytest

from pigglesim.chance.tabular import FairChance
from pigglesim.chance_types import ShuffleResult
from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.pig_pile.game import PigPile
from pigglesim.games.pig_pile.state import (
    DECK,
    DrawTo,
    FaceUp,
    PickUp,
    PigPilePhase,
    PigPileRules,
    PigPileState,
    Play,
    Slop,
    format_card,
)
from pigglesim.landing import Seat
from pigglesim.scenarios import run_scenario

GAME = PigPile(rules=PigPileRules(players=3))


BASE = {"id": "S", "game": "pig_pile", "setup": {"hand": {"A": [5, 9]}, "pile": [6]}}


def test_a_player_of_whom_nothing_is_told_plays_what_the_scenario_says():
    events = [
        {"do": "play", "player": "A", "cards": [9]},
        {"do": "play", "player": "B", "cards": [9, 9]},
        {"do": "play", "player": "B", "cards": [1]},
        {"do": "play", "player": "C", "cards": [4]},
    ]
    told = {**BASE, "events": events, "expected": {"turn": "A", "aside": [6, 9, 9, 9]}}
    assert run_scenario(told).passed
    told = {**told, "setup": {**BASE["setup"], "players": ["A", "B", "C"]}}
    assert run_scenario(told).mismatch.got == "B"
    assert run_scenario({**told, "expected": {"turn": "B"}}).passed


def dealt(game, cards=None):
    deal = ShuffleResult(cards=cards or tuple(map(format_card, DECK)))
    return game.apply_outcome(game.initial_state(), deal)


def test_the_deal_is_three_down_three_up_and_four_in_the_hand():
    state = dealt(GAME)
    assert state.slops == ((0, 0, 0), (1, 1, 1), (3, 3, 3))
    assert state.ups == ((0, 0, 0), (1, 2, 2), (3, 3, 3))
    assert state.hands == ((0, 0, 1, 1), (2, 2, 2, 2), (4, 4, 4, 4))
    assert (len(state.draw), state.draw[0], state.mover) == (50, 4, 0)


def test_in_the_advanced_deal_choices_are_hidden_until_all_have_chosen():
    game = PigPile(rules=PigPileRules(players=3, first_dealer=Seat.B, advanced_deal=True))
    first = dealt(game)
    assert (first.phase, game.turn(first)) == (PigPilePhase.CHOOSE, Seat.B)
    assert [game.format_action(a) for a in game.legal_actions(first)] == [
        "face_up 1 2 2", "face_up 2 2 2",
    ]  # fmt: skip
    second = game.apply_action(first, FaceUp((2, 2, 2)))
    other = game.apply_action(first, FaceUp((1, 2, 2)))
    assert game.observe(second, Seat.C) == game.observe(other, Seat.C)
    assert game.observe(second, Seat.B).choice == (2, 2, 2)
    third = game.apply_action(second, FaceUp((4, 4, 4)))
    assert third.ups == ((), (), ())
    last = game.apply_action(third, FaceUp((0, 0, 0)))
    assert last.ups == ((0, 0, 0), (2, 2, 2), (4, 4, 4))
    assert last.hands[1] == (1, 2, 2, 2)
    assert game.turn(last) is Seat.B


def test_each_round_has_the_next_dealer_and_goes_clockwise_again():
    game = PigPile(rules=PigPileRules(players=3, first_dealer=Seat.C, turn_cap=1))
    state, chance = game.initial_state(), FairChance(seed=3)
    for number in range(5):
        assert game.round_of(state) == number + 1
        assert state.dealer == (2 + number) % 3
        state = game.apply_outcome(state, chance.answer(game.chance_request(state), index=number))
        assert (state.direction, state.mover) == (1, state.dealer)
        state = game.apply_action(state, game.legal_actions(state)[-1])
    assert game.result(state) is not None


def ended(pigs, **rules):
    """A match whose last round is over but for one play, by which B comes second."""
    game = PigPile(rules=PigPileRules(players=len(pigs), rounds=1, **rules))
    nothing = ((),) * len(pigs)
    hands = ((), (9,), *((1,) for _ in pigs[2:-1]), (1, 1))
    state = PigPileState(
        phase=PigPilePhase.PLAY, mover=1, hands=hands, known=nothing, ups=nothing, slops=nothing,
        out=(0,), pigs=pigs,
    )  # fmt: skip
    return game, game.apply_action(state, Play((9,)))


def test_most_pigs_win_and_those_who_have_them_together_share():
    game, state = ended((0, 0, 0, 0))
    assert state.pigs == (3, 2, 1, 0)
    assert (game.result(state).winner, game.result(state).shared) == (Seat.A, ())
    game, state = ended((0, 1, 2, 0))
    result = game.result(state)
    assert (result.winner, result.shared) == (None, (Seat.A, Seat.B, Seat.C))
    assert result.shares(game.seats)[Seat.B] == pytest.approx(1 / 3)


def test_the_match_ends_with_the_last_pig():
    game = PigPile(rules=PigPileRules(players=3, rounds=100))
    _, state = ended((18, 18, 0))
    hands = ((), (9,), (1,))
    state = replace(state, phase=PigPilePhase.PLAY, mover=1, pile=(), out=(0,), hands=hands)
    state = replace(state, pigs=(18, 18, 0))
    after = game.apply_action(state, Play((9,)))
    assert after.pigs == (21, 19, 0)
    assert game.result(after).winner is Seat.A


def test_draw_to_may_be_written_as_a_number():
    assert PigPileRules.from_mapping({"draw_to": 4}).draw_to is DrawTo.FOUR
    assert PigPileRules.from_mapping({"draw_to": True}).draw_to is DrawTo.ONE


def test_a_deck_with_wrong_counts_is_refused():
    names = list(map(format_card, DECK))
    for cards in (names[1:], [*names, "W"], ["1", *names[1:]], [*names[1:], "13"]):
        with pytest.raises(SpecError, match="not the 80 requested"):
            dealt(GAME, tuple(cards))


@pytest.mark.parametrize(
    ("action", "rule"),
    [(Play((5,)), "R3"), (Play((2,)), "R3"), (PickUp(), "PP2"), (Slop(1), "R3")],
)
def test_a_refused_action_is_told_with_its_rule(action, rule):
    state = replace(dealt(GAME), mover=1, pile=(2,))
    refused = replace(state, hands=((0, 0, 1, 1), (1, 2, 3, 9), (4, 4, 5, 5)))
    if action == Play((2,)):
        refused = replace(refused, pile=(6,))
    with pytest.raises(IllegalActionError) as raised:
        GAME.apply_action(refused, action)
    assert raised.value.rule == rule
