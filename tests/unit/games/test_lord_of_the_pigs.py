"""Lord of the P.I.G.S.: rules, events, ends, its page, and what holds in every game."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from pigglesim.chance_types import ShuffleResult
from pigglesim.errors import IllegalActionError
from pigglesim.games.game import NonPlayer
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.lord_of_the_pigs.rules import _shown, series_points
from pigglesim.games.lord_of_the_pigs.state import (
    CARD_NAMES,
    CARDS,
    DECK,
    EVENT_DECK,
    HIDDEN,
    SEATS,
    Event,
    LordPhase,
    LordReason,
    LordRules,
    Series,
    read_card,
)
from tests.support.random_games import GAMES, SEEDS, walk
from tests.support.random_lord import at, permuted

GAME = LordOfThePigs()


def play(state, *actions, game=GAME):
    for text in actions:
        state = game.apply_action(state, game.parse_action(text))
    return state


def texts(state, game=GAME):
    return [game.format_action(action) for action in game.legal_actions(state)]


def revealed(event, game=GAME, **parts):
    """Return the position in which this Event has just been revealed; the Banker is first."""
    state = at(LordPhase.SUBMISSION, asked=["Energy"], **parts)
    deck = sorted(state.event_deck, key=lambda other: other != event)
    state = replace(state, event_deck=tuple(deck))
    return game.apply_action(state, game.parse_action("pass"))


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


def test_a_game_can_be_imagined_before_any_card_is_shuffled():
    state, rng = GAME.initial_state(), np.random.default_rng(1)
    for seat in SEATS:
        seen = GAME.observe(state, seat)
        imagined = GAME.imagine(seen, rng=rng)
        assert GAME.validate(imagined) == ()
        assert GAME.observe(imagined, seat) == seen


def test_no_player_is_asked_first_for_a_share_who_can_only_pass():
    asked = [
        len(GAME.legal_actions(after))
        for before, _, after in walk(GAME, 3)
        if after.phase is LordPhase.SHARE and before.phase is not LordPhase.SHARE
    ]
    assert min(asked) > 1


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


def test_who_could_vote_for_the_own_action_alone_is_not_asked_in_diplomacy_wars():
    # Everybody draws a card for the next turn; the Banker is the first to vote in it.
    state = at(LordPhase.SUBMISSION, table=[("Banker.C1", "")], asked=["Energy"])
    wars = LordOfThePigs(rules=LordRules(diplomacy_wars=True))
    for game, first in ((GAME, SEATS[1]), (wars, SEATS[2])):
        following = play(state, "pass", game=game)
        assert (following.phase, following.asked[0]) == (LordPhase.VOTING, first)


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


def test_copies_of_a_card_are_distinguished():
    state = at(
        LordPhase.SUBMISSION, hands={"Banker": "C1"}, table=[("Banker.C1", "")], asked=["Banker"]
    )
    names = [each.name for each in play(state, "submit C1").submitted]
    assert names == ["Banker.C1", "Banker.C1.2"]


def test_foreign_investment_and_fair_draw_cards():
    state = revealed(Event.FOREIGN_INVESTMENT, hands={"Energy": "C1"})
    assert [len(side.hand) for side in state.sides] == [2, 2, 2, 3]
    table = [("Banker.C2", "Energy:C1")]
    parts = {"table": table, "hands": {"Energy": "C1"}, "asked": ["Energy"]}
    fair = at(LordPhase.VOTING, event=Event.NATIONAL_BUSINESS_FAIR, **parts)
    assert len(play(fair, "pass").sides[1].hand) == 2
    assert len(play(at(LordPhase.VOTING, **parts), "pass").sides[1].hand) == 0


def test_flash_floods_cost_a_card():
    state = revealed(Event.FLASH_FLOODS, hands={"Energy": "C1 C3 C3", "President": "U1"})
    # First in this turn is the Banker, and neither Banker nor Corporate holds anything.
    assert texts(state) == ["discard C1", "discard C3"]
    state = play(state, "discard C3", "discard U1")
    assert state.sides[3].discard == ("C3",)
    assert [len(side.hand) for side in state.sides] == [1, 1, 1, 3]


def test_a_general_strike_moves_stability_within_its_bounds():
    state = revealed(Event.GENERAL_STRIKE, hands={"Energy": "C1"}, stability=1)
    assert texts(state) == ["stability +1", "stability -1"]
    state = play(state, "stability -1", "stability -1", "stability +1", "stability +1")
    assert state.stability == 2


def test_an_intervention_moves_two_ratings_alike():
    state = revealed(Event.FMI_INTERVENTION, hands={"Energy": "C1"}, ratings=(0, 5, 9, 3))
    assert texts(state)[:2] == ["with President +1", "with President -1"]
    assert len(texts(state)) == 6
    state = play(state, "with President -1")
    assert state.ratings == (0, 4, 9, 3)
    # Then the Corporate Director, who is next.
    assert play(state, "with Banker +1").ratings == (0, 5, 10, 3)


def test_watchdogs_take_an_own_action_and_its_votes():
    table = [("Energy.U1", "Banker:C1 +"), ("Energy.C1", ""), ("Banker.R1", "")]
    state = revealed(Event.CIVILIAN_WATCHDOGS, hands={"Energy": "C1"}, table=table)
    # Whoever has submitted nothing is not asked (LP17).
    assert texts(state) == ["withdraw Banker.R1"]
    state = play(state, "withdraw Banker.R1")
    assert texts(state) == ["withdraw Energy.U1", "withdraw Energy.C1"]
    state = play(state, "withdraw Energy.U1")
    assert [each.name for each in state.submitted] == ["Energy.C1"]
    assert state.sides[3].discard == ("U1",)
    assert state.sides[1].discard == ("R1", "C1")


def test_scrutiny_and_beginners_know_no_alternates():
    table = [("Banker.C2", "Energy:C1")]
    parts = {"table": table, "hands": {"Energy": "C5 R1 C1"}, "asked": ["Energy"]}
    assert play(at(LordPhase.VOTING, **parts), "pass").phase is LordPhase.ALTERNATES
    scrutiny = at(LordPhase.VOTING, event=Event.INTERNATIONAL_SCRUTINY, **parts)
    assert play(scrutiny, "pass").phase is LordPhase.SUBMISSION
    beginners = LordOfThePigs(rules=LordRules(alternate_modes=False))
    assert play(at(LordPhase.VOTING, **parts), "pass", game=beginners).phase is LordPhase.SUBMISSION


def test_a_whistle_blower_shows_alternates_until_they_are_played():
    state = revealed(Event.WHISTLE_BLOWER_SCANDAL, hands={"Energy": "C1 C5 R1", "Banker": "C6"})
    assert [side.shown for side in state.sides] == [(), ("C6",), (), ("C5", "R1")]
    for seat in SEATS:
        assert GAME.observe(state, seat).table.sides[3].shown == ("C5", "R1")
    state = play(state, "pass", "pass", "submit C5")
    assert state.sides[3].shown == ("R1",)


def test_a_showing_forgets_which_votes_came_after_the_last_one():
    state = at(LordPhase.EVENT, table=[("Banker.C1", "Energy:C3 Corporate:C2")])
    (action,) = state.submitted
    late = tuple(replace(vote, after_showing=True) for vote in action.votes)
    shown = _shown(replace(state, submitted=(replace(action, votes=late),)))
    assert shown.submitted == state.submitted


def test_who_has_ten_alone_wins_at_the_end_of_the_turn():
    state = at(
        LordPhase.SUBMISSION, asked=["Energy"], hands={"Energy": "C1"}, ratings=(10, 9, 3, 0)
    )
    state = play(state, "pass")
    assert (state.result.winner, state.result.reason) == (SEATS[0], "rating")
    assert GAME.turn(state) is NonPlayer.OVER
    with pytest.raises(IllegalActionError, match="start a new game"):
        play(state, "pass")


def test_a_series_goes_on_with_new_decks_and_ends_with_the_lord():
    game = LordOfThePigs.from_settings({"series": "regular", "series_games": 2})
    over = {"asked": ["Energy"], "hands": {"Energy": "C1"}, "ratings": (10, 9, 9, 0), "turn": 5}
    state = play(at(LordPhase.SUBMISSION, **over), "pass", game=game)
    assert (state.game, state.points, state.turn, game.round_of(state)) == (2, (3, 1, 1, 0), 1, 6)
    assert (state.ratings, state.stability, state.submitted) == ((0, 0, 0, 0), 5, ())
    assert game.turn(state) is NonPlayer.CHANCE
    last = at(LordPhase.SUBMISSION, **over, game=2, points=(0, 2, 0, 0))
    state = play(last, "pass", game=game)
    assert game.scores(state) == dict(zip(SEATS, (3, 3, 1, 0), strict=True))
    assert (state.result.winner, state.result.shared) == (None, SEATS[:2])


def test_three_games_of_a_series_by_hand():
    # A set: President wins, an uprising for Energy, Banker wins.
    games = [((10, 4, 4, 1), 0, False), ((7, 6, 5, 1), 3, True), ((3, 10, 9, 8), 1, False)]
    totals = {Series.REGULAR: (3, 4, 2, 2), Series.COMPETITIVE: (16, 17, 13, 14)}
    for scoring, expected in totals.items():
        paid = [series_points(scoring, r, SEATS[w], uprising=up) for r, w, up in games]
        assert tuple(map(sum, zip(*paid, strict=True))) == expected


def test_who_has_no_card_left_to_draw_draws_none():
    state = at(LordPhase.SUBMISSION, hands={"Banker": " ".join(DECK)}, asked=["Energy"])
    after = play(state, "pass")
    assert after.turn == state.turn + 1
    assert [len(side.hand) for side in after.sides] == [1, len(DECK), 1, 1]


def test_each_added_vote_counts_and_minus_takes_the_cards_of_votes_first():
    # LP4: markers add up; -1 Vote removes the most recent card, else a marker.
    state = at(
        LordPhase.ALTERNATES,
        hands={"Banker": "C5 U3 C6", "Energy": "C6"},
        table=[("Energy.C3", "President:C1 +")],
        asked=["Banker", "Energy"],
    )
    state = play(state, "use C5 Energy.C3", "use U3 Energy.C3")
    assert state.submitted[0].markers == 3
    state = play(state, "use C6 Energy.C3")
    assert (state.submitted[0].votes, state.submitted[0].markers) == ((), 3)
    assert "C1" in state.sides[0].discard


PAGE = (Path(__file__).parents[3] / "docs" / "games" / "lord_of_the_pigs.md").read_text()


def rows(header):
    table = PAGE.split(header)[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table]


def test_the_actions_on_the_page_can_be_read():
    actions = [re.findall(r"`([^`]+)`", text)[0] for text, _ in rows("| text |")]
    assert [GAME.format_action(GAME.parse_action(text)) for text in actions] == actions
    assert len({type(GAME.parse_action(text)) for text in actions}) == len(actions) == 10


def test_the_example_is_played_as_on_the_page():
    (example,) = re.findall(r"```\n(B submit.*?)```", PAGE, re.DOTALL)
    _, vote, minus, plus = (line[2:] for line in example.splitlines())
    state = at(
        LordPhase.VOTING,
        hands={"Corporate": "C2", "President": "C6", "Banker": "C5"},
        table=[("Banker.C1", "Energy:C1")],
        asked=["Corporate"],
        first="Corporate",
    )
    state = GAME.apply_action(state, GAME.parse_action(vote))
    # Of all four only the President and the Banker hold an Alternate Mode.
    state = GAME.apply_action(state, GAME.parse_action(minus))
    assert state.sides[2].discard == ("C2",)
    state = GAME.apply_action(state, GAME.parse_action(plus))
    assert (state.ratings, state.stability) == ((1, 2, 1, 0), 6)


plays = given(game=GAMES["lord_of_the_pigs"], seed=SEEDS)
few = settings(max_examples=15)
fewer = settings(max_examples=4)


def test_a_deck_pays_those_beside_its_owner_alike():
    assert sum(card.copies * card.previous for card in CARDS.values()) == 5
    assert sum(card.copies * card.next for card in CARDS.values()) == 5
    assert len(DECK) == 29
    assert len(EVENT_DECK) == 20


def test_the_mirror_of_a_deck_is_the_deck():
    mirror = {"C3": "C4", "C5": "C6", "R1": "R2"}
    mirror |= {other: one for one, other in mirror.items()}
    for tag, card in CARDS.items():
        other = CARDS[mirror.get(tag, tag)]
        assert (card.previous, card.next) == (other.next, other.previous)
        same = ("copies", "threshold", "owner", "opposite", "stability")
        assert all(getattr(card, name) == getattr(other, name) for name in same)


@fewer
@plays
def test_a_player_sees_nothing_of_what_is_hidden(game, seed):
    rng = np.random.default_rng(seed)
    for move in walk(game, seed):
        for seat in SEATS:
            seen = game.observe(move.after, seat)
            assert seen == game.observe(permuted(move.after, seat, rng), seat)
            others = [side for k, side in enumerate(seen.table.sides) if SEATS[k] is not seat]
            assert all(set(side.hand) <= {HIDDEN} for side in others)
            assert all(set(side.deck) <= {HIDDEN} for side in seen.table.sides)


@few
@plays
def test_only_those_who_are_asked_for_cards_see_it(game, seed):
    for move in walk(game, seed):
        state = move.after
        if state.phase in {LordPhase.ALTERNATES, LordPhase.SHARE} and state.result is None:
            asked = state.asked[:1]
            for seat in set(SEATS) - set(asked):
                seen = game.observe(state, seat).table
                assert (seen.asked, seen.used) == ((), 0)
            for seat in asked:
                assert game.observe(state, seat).table.asked == state.asked


@few
@plays
def test_scores_are_those_of_the_result(game, seed):
    *_, last = walk(game, seed)
    result, scores = last.after.result, game.scores(last.after)
    if result.reason == LordReason.RATING:
        assert [seat for seat in SEATS if scores[seat] == 10] == [result.winner]
    elif result.reason == LordReason.UPRISING:
        assert last.after.stability == 0
        assert [seat for seat in SEATS if scores[seat] == min(scores.values())] == [result.winner]
    elif result.reason == LordReason.SERIES:
        won = result.shared or (result.winner,)
        assert [seat for seat in SEATS if scores[seat] == max(scores.values())] == list(won)
        assert last.after.game == game.rules.series_games
    else:
        assert result.reason == LordReason.TURN_CAP
        assert last.after.turn == game.rules.turn_cap
