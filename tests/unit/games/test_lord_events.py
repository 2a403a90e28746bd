"""Lord of the P.I.G.S.: events, ends, series, and what is refused."""

import pytest

from pigglesim.errors import IllegalActionError
from pigglesim.games.game import NonPlayer
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.lord_of_the_pigs.state import (
    ACTORS,
    DECK,
    SEATS,
    Event,
    LordPhase,
    LordRules,
    Series,
    actor,
)
from pigglesim.games.lord_of_the_pigs.turns import series_points
from tests.lord_table import GAME, play, revealed, texts
from tests.random_lord import at


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


def test_without_events_there_is_no_event_deck():
    game = LordOfThePigs(rules=LordRules(events=False))
    assert game.initial_state().event_discard == ()


def test_who_has_ten_alone_wins_at_the_end_of_the_turn():
    state = at(
        LordPhase.SUBMISSION, asked=["Energy"], hands={"Energy": "C1"}, ratings=(10, 9, 3, 0)
    )
    state = play(state, "pass")
    assert (state.result.winner, state.result.reason) == (SEATS[0], "rating")
    assert GAME.turn(state) is NonPlayer.OVER
    with pytest.raises(IllegalActionError, match="start a new game"):
        play(state, "pass")


def test_a_game_is_broken_off_at_the_cap():
    game = LordOfThePigs(rules=LordRules(turn_cap=7))
    state = at(LordPhase.SUBMISSION, asked=["Energy"], hands={"Energy": "C1"}, turn=7)
    result = play(state, "pass", game=game).result
    assert (result.winner, result.reason, result.shared) == (None, "turn_cap", ())


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


@pytest.mark.parametrize(
    ("action", "fault"),
    [
        ("vote C2 Banker.C1", "use vote C1 Banker.C1"),
        ("vote C1 Energy.C1", "phase voting"),
        ("submit C1", "R5"),
        ("stability +1", "by Energy"),
    ],
)
def test_an_illegal_action_is_told_with_what_is_legal(action, fault):
    state = at(
        LordPhase.VOTING, hands={"Energy": "C1"}, table=[("Banker.C1", "")], asked=["Energy"]
    )
    before = GAME.format_state(state)
    with pytest.raises(IllegalActionError, match=fault):
        play(state, action)
    assert GAME.format_state(state) == before


def test_actors_sit_in_their_order():
    assert [actor(seat) for seat in SEATS] == list(ACTORS)
    assert all(each.seat == seat for each, seat in zip(ACTORS, SEATS, strict=True))


def test_who_has_no_card_left_to_draw_draws_none():
    state = at(LordPhase.SUBMISSION, hands={"Banker": " ".join(DECK)}, asked=["Energy"])
    after = play(state, "pass")
    assert after.turn == state.turn + 1
    assert [len(side.hand) for side in after.sides] == [1, len(DECK), 1, 1]


def test_games_that_are_no_series_pay_no_points():
    assert series_points(Series.OFF, (10, 3, 2, 1), SEATS[0], uprising=False) == (0, 0, 0, 0)


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
