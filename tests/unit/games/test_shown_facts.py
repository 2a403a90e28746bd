"""What games tell screens, agents and environments about themselves, and what they refuse."""

from dataclasses import replace

import pytest

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games import piggy_six
from pigglesim.games.game import Concede, Result
from pigglesim.games.lord_of_the_pigs import state as lord
from pigglesim.games.lord_of_the_pigs.rules import ALTERNATES, PLUS, may_decide, series_points
from pigglesim.games.pig_pile import PickUp, PigPile, Slop, round_awards
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.state import PigglesReason
from pigglesim.games.piggles.turns import concede
from pigglesim.games.piggyback.game import arms_of
from pigglesim.games.piggyback.state import Ability, Stack
from pigglesim.games.registry import game_names, make_game
from pigglesim.landing import ClassLanding, Orientation, Seat, Zone
from tests.random_games import walk
from tests.random_lord import at


def test_cards_events_and_actors_of_lord_have_words():
    assert len({actor.variable for actor in lord.Actor}) == 4
    assert all(event.text.endswith(".") for event in lord.Event)
    assert lord.card_name(Seat.A, "C1") == "Organic Law Against Energy Poverty"
    with pytest.raises(SpecError, match="unknown Event 'Nope'"):
        lord.read_event("Nope")
    assert series_points(lord.Series.OFF, (9, 5, 3, 1), Seat.A, uprising=False) == (0, 0, 0, 0)


def test_face_down_cards_and_equal_loads_are_one_choice_for_search():
    slops = [Slop(slot=1), PickUp(face_up=None), Slop(slot=2)]
    assert PigPile().distinct(slops) == slops[:2]
    game, loads = PigglesClassic(), [Load(piggles=(name,)) for name in ("A1", "A2")]
    assert game.distinct([*loads, Concede()]) == [loads[0], Concede()]
    every = game.legal_actions(game.initial_state())
    every = [each for each in every if isinstance(each, Load)]
    assert len(game.distinct(every)) == 7
    # None to two of a heavier model, and none to four others.
    assert len(game.distinct(every, {"A2": "premium", "A5": "premium"})) == 15


def test_alternates_are_decided_where_a_plus_has_an_action_or_votes_a_minus():
    plus, minus = next(iter(PLUS)), next(iter(ALTERNATES - PLUS))
    for hand, votes, may in (
        (plus, "", True), (minus, "", False), (minus, "Energy:C3", True), ("", "Energy:C3", False),
    ):  # fmt: skip
        state = at(
            lord.LordPhase.ALTERNATES, hands={"President": hand}, table=[("Banker.C1", votes)]
        )
        seat = lord.Actor.PRESIDENT.seat
        assert may_decide(state, lord.LordPhase.ALTERNATES, seat, lord.LordRules()) is may


def test_the_last_pig_goes_to_the_fewest_cards_and_then_from_the_dealer_on():
    state = PigPile().initial_state()
    hands = ((1, 2), (3,), (4,), (5, 6, 7))
    for dealer, winner in ((0, 1), (2, 2)):
        left = replace(
            state, hands=hands, slops=((),) * 4, ups=((),) * 4, dealer=dealer, pigs=(20, 19, 0, 0)
        )
        assert left.pen == 1
        assert round_awards(left) == tuple(int(place == winner) for place in range(4))


@pytest.mark.parametrize("name", game_names())
def test_a_word_given_twice_is_refused(name):
    game = make_game(name)
    text = game.format_state(game.initial_state())
    with pytest.raises(SpecError, match="is given twice"):
        game.parse_state(f"{text} {text.split()[-1]}")
    with pytest.raises(SpecError):
        game.parse_state(text.rpartition("=")[0] + "=")


def test_a_mud_entry_without_a_round_is_refused():
    game = PigglesClassic()
    text = game.format_state(game.initial_state())
    with pytest.raises(SpecError, match="mud"):
        game.parse_state(f"{text} A.mud=A1@x")


def test_a_hidden_card_must_be_played_where_one_is_due():
    game = PigPile()
    due = (move.before for move in walk(game, 1) if isinstance(move.move, Slop))
    with pytest.raises(IllegalActionError, match="R8"):
        game.apply_action(next(due), PickUp(face_up=None))
    taking = (m.before for m in walk(game, 1) if getattr(m.move, "face_up", None) is not None)
    with pytest.raises(IllegalActionError, match="R7"):
        game.apply_action(next(taking), PickUp(face_up=None))


def test_only_one_concession_counts():
    state = concede(PigglesClassic().initial_state(), Seat.A)
    assert state.result == Result(winner=Seat.B, reason=PigglesReason.CONCESSION)
    assert concede(state, Seat.B) is state


def test_the_imaginary_players_of_the_solitaire_game_are_idle():
    game = piggy_six.PiggySix(rules=piggy_six.PiggySixRules(solitaire=True))
    assert game.idle_seats == set(game.rules.seats) - {Seat.A}


def test_the_arms_of_a_stack_are_counted():
    arms = arms_of(Stack(units=3, held=(Ability.YELLOW, Ability.ORANGE)))
    assert (arms.units, arms.luck, arms.force, arms.rolls) == (3, 1, 1, 4)


@pytest.mark.parametrize(
    "wrong", [{"class_name": ""}, {"class_name": "x", "orientation": Orientation.SNOUT_UP}]
)
def test_a_class_stands_alone_and_has_a_name(wrong):
    with pytest.raises(SpecError, match="invalid class"):
        ClassLanding(**{"orientation": None, "zone": Zone.WOODS, "place": None} | wrong)
