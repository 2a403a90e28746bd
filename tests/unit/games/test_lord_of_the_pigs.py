"""The rules of Lord of the P.I.G.S. one by one, in positions made by hand."""

from dataclasses import replace

import pytest

from pigglesim.chance_types import ShuffleResult
from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import NonPlayer
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.lord_of_the_pigs.state import (
    CARD_NAMES,
    CARDS,
    DECK,
    SEATS,
    Event,
    LordPhase,
    LordRules,
    read_card,
)
from tests.lord_table import GAME, play, texts
from tests.random_lord import at


def test_every_card_of_every_actor_has_a_name_of_its_own():
    names = [name for own in CARD_NAMES.values() for name in own.values()]
    assert len(set(names)) == len(names) == 4 * len(CARDS)
    assert all(set(own) == set(CARDS) for own in CARD_NAMES.values())
    # What cannot be read in the source stands for itself.
    lost = {name for own in CARD_NAMES.values() for name in own.values() if name[-2:] in CARDS}
    assert lost == {"Corporate C1", "Corporate C2", "Energy C1", "Energy C2"}


def test_a_tag_in_cyrillic_is_the_same_card():
    assert read_card("\u04213") == "C3"


def test_a_game_begins_with_five_shuffles_and_three_cards_each_then_one_more():
    state, thrower = GAME.initial_state(), []
    while GAME.turn(state) is NonPlayer.CHANCE:
        request = GAME.chance_request(state)
        thrower.append((request.thrower, len(request.cards)))
        state = GAME.apply_outcome(state, ShuffleResult(cards=request.cards[::-1]))
    assert thrower == [*((seat, 29) for seat in SEATS), (SEATS[0], 20)]
    # Business as usual comes last in the list of Events, and so first here.
    assert state.event is Event.BUSINESS_AS_USUAL
    assert [len(side.hand) for side in state.sides] == [4] * 4
    assert [len(side.deck) for side in state.sides] == [25] * 4
    assert (state.ratings, state.stability) == ((0, 0, 0, 0), 5)
    # Nothing is submitted yet: nobody votes.
    assert state.phase is LordPhase.SUBMISSION
    assert GAME.turn(state) == SEATS[0]


def test_a_shuffle_of_other_cards_is_refused():
    state = GAME.initial_state()
    with pytest.raises(SpecError, match="not the 29 requested"):
        GAME.apply_outcome(state, ShuffleResult(cards=DECK[:-1]))


def test_an_empty_deck_is_made_of_the_discard_pile():
    state = at(LordPhase.SUBMISSION, asked=["Energy"], event=Event.FLASH_FLOODS)
    banker = state.sides[1]
    bare = replace(banker, deck=(), discard=banker.deck)
    state = replace(state, sides=(state.sides[0], bare, *state.sides[2:]))
    state = replace(state, event_deck=("business_as_usual", *state.event_deck[1:]))
    state = GAME.apply_action(state, GAME.parse_action("pass"))
    # The Banker is first now, and draws first.
    assert GAME.chance_request(state).thrower == SEATS[1]
    state = GAME.apply_outcome(state, ShuffleResult(cards=banker.deck))
    assert state.sides[1].hand == banker.deck[:1]
    assert state.sides[1].discard == ()
    assert [len(side.hand) for side in state.sides] == [1] * 4


def test_nobody_votes_without_a_card_or_for_the_own_action_in_diplomacy_wars():
    table = [("Banker.C1", ""), ("Energy.C3", "")]
    state = at(LordPhase.VOTING, hands={"Banker": "C1 C1 U4"}, table=table, asked=["Banker"])
    votes = [f"vote {card} {name}" for card in ("C1", "U4") for name in ("Banker.C1", "Energy.C3")]
    assert texts(state) == [*votes, "pass"]
    wars = LordOfThePigs(rules=LordRules(diplomacy_wars=True))
    assert texts(state, wars) == ["vote C1 Energy.C3", "vote U4 Energy.C3", "pass"]
    with pytest.raises(IllegalActionError, match="R5"):
        play(state, "vote C1 Banker.C1", game=wars)


def test_votes_activate_what_reaches_its_threshold_and_the_rest_stays():
    table = [("Banker.C1", "President:C6"), ("Energy.U1", "Corporate:C6")]
    state = at(LordPhase.VOTING, hands={"Banker": "C2"}, table=table, asked=["Banker"])
    state = play(state, "vote C2 Banker.C1")
    assert [each.name for each in state.submitted] == ["Energy.U1"]
    assert state.submitted[0].vote_count == 1
    assert state.ratings == (1, 2, 1, 0)
    assert state.stability == 6
    # The Action and both votes went to the discard piles of their owners.
    assert state.sides[1].discard == ("C2", "C1")
    assert state.sides[0].discard == ("C6",)


def test_votes_on_what_fails_are_lost_where_they_do_not_persist():
    table = [("Energy.U1", "Corporate:C6 +")]
    game = LordOfThePigs(rules=LordRules(votes_persist=False, events=False))
    state = at(LordPhase.VOTING, hands={"Banker": "C2"}, table=table, asked=["Banker"])
    state = play(state, "pass", game=game)
    assert state.submitted[0].vote_count == 0
    assert state.sides[2].discard == ("C6",)


def test_plus_adds_a_vote_without_a_card_and_minus_takes_the_latest():
    hands = {"President": "C5 C6"}
    table = [("Energy.R1", "Banker:C1 Corporate:C2"), ("Banker.C3", "")]
    state = at(LordPhase.ALTERNATES, hands=hands, table=table, asked=["President"])
    # One can only take away what is there.
    assert texts(state) == ["use C5 Energy.R1", "use C5 Banker.C3", "use C6 Energy.R1", "pass"]
    state = play(state, "use C5 Banker.C3")
    assert (state.submitted[1].votes, state.submitted[1].markers) == ((), 1)
    state = play(state, "use C6 Energy.R1")
    assert [vote.card for vote in state.submitted[0].votes] == ["C1"]
    assert state.sides[2].discard == ("C2",)
    assert state.sides[0].discard == ("C5", "C6")


@pytest.mark.parametrize(
    ("choice", "left", "markers"),
    [("latest", ["C1"], 1), ("earliest", ["C2"], 1), ("marker", ["C1", "C2"], 0)],
)
def test_which_vote_is_taken_away(choice, left, markers):
    game = LordOfThePigs.from_settings({"minus_choice": choice})
    table = [("Energy.U1", "Banker:C1 Corporate:C2 +"), ("Banker.R1", "")]
    state = at(LordPhase.ALTERNATES, hands={"President": "C6 U4"}, table=table, asked=["President"])
    state = play(state, "use C6 Energy.U1", game=game)
    assert [vote.card for vote in state.submitted[0].votes] == left
    assert state.submitted[0].markers == markers
    while state.submitted[0].vote_count and state.phase is LordPhase.ALTERNATES:
        state = play(state, "use U4 Energy.U1", game=game)
    assert state.submitted[0].vote_count == 1


def test_no_more_alternates_than_the_limit():
    game = LordOfThePigs(rules=LordRules(alt_limit=1))
    hands = {"President": "C5 C5", "Banker": "C5"}
    state = at(LordPhase.ALTERNATES, hands=hands, table=[("Energy.R1", "")])
    state = play(state, "use C5 Energy.R1", game=game)
    assert game.turn(state) == SEATS[1]


def test_benefits_are_shared_before_the_effect_and_clamped_once():
    # Banker's R1: President -2, Banker +4, Corporate +2, Energy +1.
    table = [("Banker.R1", "President:C1 Banker:C1 Energy:C1")]
    state = at(
        LordPhase.ALTERNATES,
        hands={"Corporate": "R2 R1", "President": "R1"},
        table=table,
        asked=["President"],
        ratings=(1, 8, 9, 0),
    )
    state = play(state, "pass") if state.phase is LordPhase.ALTERNATES else state
    assert (state.phase, GAME.turn(state)) == (LordPhase.SHARE, SEATS[0])
    # The President shares with the Banker (B), Corporate too (A), once each.
    state = play(state, "share R1", "share R2")
    assert state.ratings == (1 - 2 + 4, 10, 10, 1)
    assert state.stability == 2
    assert "R2" in state.sides[2].discard


def begun_share(settings, ratings, hands):
    game = LordOfThePigs.from_settings(settings)
    table = [("Banker.R1", "President:C1 Banker:C1 Energy:C1")]
    state = at(
        LordPhase.VOTING,
        hands={**hands, "Energy": "C1"},
        table=table,
        asked=["Energy"],
        ratings=ratings,
    )
    return game, play(state, "pass", game=game)


@pytest.mark.parametrize(
    ("settings", "president"),
    [
        ({}, 3),
        ({"share_amount": "actual"}, 1),
        ({"share_clamp": "after_effect"}, 4),
        ({"share_amount": "actual", "share_clamp": "after_effect"}, 2),
    ],
)
def test_what_a_share_pays(settings, president):
    # The President falls from 1 by 2; the Banker rises from 8 by 4, of which 2 are real.
    game, state = begun_share(settings, (1, 8, 0, 0), {"President": "R1"})
    assert play(state, "share R1", game=game).ratings[0] == president


def test_two_shares_where_two_are_allowed():
    game, state = begun_share({"share_limit": 2}, (5, 0, 0, 0), {"President": "R1 R2"})
    state = play(state, "share R1", "share R2", game=game)
    assert state.ratings[0] == 5 - 2 + 4 + 1
    game, state = begun_share({"share_limit": 0}, (5, 0, 0, 0), {"President": "R1 R2"})
    assert state.phase is LordPhase.SUBMISSION


def test_the_owner_orders_several_activated_actions():
    table = [("Banker.U2", "Energy:C1 Energy:C1"), ("Banker.C1", "Corporate:C1 Corporate:C1")]
    state = at(LordPhase.VOTING, hands={"Energy": "C2"}, table=table, asked=["Energy"])
    state = play(state, "pass")
    assert (state.phase, texts(state)) == (LordPhase.ORDER, ["first Banker.U2", "first Banker.C1"])
    assert play(state, "first Banker.U2").ratings == (1, 4, 1, 0)
    assert play(state, "first Banker.C1").ratings == (0, 4, 0, 0)


def test_copies_of_a_card_are_told_apart():
    state = at(
        LordPhase.SUBMISSION, hands={"Banker": "C1"}, table=[("Banker.C1", "")], asked=["Banker"]
    )
    names = [each.name for each in play(state, "submit C1").submitted]
    assert names == ["Banker.C1", "Banker.C1.2"]
