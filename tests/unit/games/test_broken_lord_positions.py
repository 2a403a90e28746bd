"""Positions of Lord of the P.I.G.S. that cannot be: each fault is told alone, with its rule."""

from dataclasses import replace

import pytest

from pigglesim.errors import SpecError
from pigglesim.games.lord_of_the_pigs.state import SEATS, Event, LordPhase, Vote
from pigglesim.games.registry import make_game
from pigglesim.landing import Seat
from tests.broken_positions import assert_only, told
from tests.random_lord import at

LORD = make_game("lord_of_the_pigs")
VOTED = at(
    LordPhase.VOTING,
    hands={"President": "C2", "Energy": "C1 U1"},
    table=[("Banker.C1", "Energy:C3"), ("Banker.C1.2", "+ President:C1 Energy:C2")],
)


def with_side(position, seat, **parts):
    sides = list(position.sides)
    number = "ABCD".index(seat)
    sides[number] = replace(sides[number], **parts)
    return replace(position, sides=tuple(sides))


@pytest.mark.parametrize(
    ("parts", "rule", "text"),
    [
        ({"ratings": (11, 0, 0, 0)}, "R1", "President from 0 to 10, got 11"),
        ({"ratings": (0, 0, 0, -1)}, "R1", "Energy from 0 to 10, got -1"),
        ({"stability": 11}, "R1", "Social Stability from 0 to 10, got 11"),
        ({"event_deck": VOTED.event_deck[1:]}, "R9", "each as often as in the deck"),
        ({"event": Event.FLASH_FLOODS}, "R9", "the 20 Events"),
        ({"turn": 0}, "LP18", "a turn from 1 to 200, got 0"),
        ({"turn": 201}, "LP18", "a turn from 1 to 200, got 201"),
        ({"points": (0, 0, 1, 0)}, "R10", "one game without points"),
        ({"due": ("Banker.C2",)}, "R6", "activated Actions in the Game Area, got Banker.C2"),
        ({"due": ("Banker.C1",)}, "R6", "2 votes for Banker.C1, which is activated, got 1"),
        ({"asked": ()}, "LP19", "somebody who decides, got nobody"),
        ({"draws": (Seat.B,)}, "R4", "an empty deck of Banker and cards to shuffle"),
        ({"current": "Banker.C1.2"}, "LP5", "just in the phase share, got Banker.C1.2 in phase"),
        ({"used": 1000}, "LP3", "Alternate Modes, got 1000"),
    ],
)
def test_in_lord_each_fault_is_told_alone(parts, rule, text):
    assert told(LORD, VOTED) == []
    assert_only(LORD, replace(VOTED, **parts), rule, text)


def test_in_lord_extremes_that_play_can_reach_are_no_faults():
    for parts in (
        {"ratings": (10, 0, 10, 0), "stability": 10},
        {"stability": 0, "turn": 200},
        {"due": ("Banker.C1.2",)},
    ):
        assert told(LORD, replace(VOTED, **parts)) == []


def test_in_lord_cards_votes_and_names_are_counted():
    deck = VOTED.sides[0].deck
    assert_only(LORD, with_side(VOTED, "A", deck=deck[1:]), "R2", "3 of C1 among the 29 of Pres")
    more = with_side(VOTED, "A", deck=("X1", *deck))
    assert_only(LORD, more, "R2", "0 of X1 among the 29 of President, got 1")
    first, second = VOTED.submitted
    taken = replace(VOTED, submitted=(first, replace(second, markers=-1)))
    assert_only(LORD, taken, "LP4", "0 or more added votes, got -1")
    alike = replace(VOTED, submitted=(first, replace(second, name=first.name)))
    assert_only(LORD, alike, "R7", "each submitted Action under a name of its own, got Banker.C1")


def test_in_lord_what_was_shown_is_in_the_hand_or_in_a_vote_since():
    assert told(LORD, with_side(VOTED, "D", shown=("C1", "U1"))) == []
    assert_only(LORD, with_side(VOTED, "D", shown=("C3",)), "LP16", "what Energy has shown")
    first, second = VOTED.submitted
    since = replace(first, votes=(Vote(seat=Seat.D, card="C3", after_showing=True),))
    hidden = replace(VOTED, submitted=(since, second))
    assert told(LORD, with_side(hidden, "D", shown=("C3",))) == []


def test_in_lord_house_rules_leave_out_what_they_leave_out():
    plain = make_game("lord_of_the_pigs", {"events": False})
    assert_only(plain, VOTED, "R10", "no Events, got some")
    assert told(plain, replace(VOTED, event_deck=())) == []
    series = make_game("lord_of_the_pigs", {"series": "regular", "series_games": 2})
    assert told(series, replace(VOTED, game=2, points=(3, 0, 0, 1))) == []
    assert_only(series, replace(VOTED, game=3), "LP18", "a game from 1 to 2, got 3")
    assert_only(LORD, replace(VOTED, game=2), "R10", "one game without points")


@pytest.mark.parametrize(
    ("phase", "parts", "rule", "text"),
    [
        (LordPhase.UPKEEP, {}, "LP19", "a phase in which President, who is asked, decides"),
        (LordPhase.DEAL, {}, "LP19", "a phase in which President, who is asked, decides"),
        (LordPhase.EVENT, {}, "LP17", "an Event that President, who is asked, can answer"),
        (LordPhase.EVENT, {"event": Event.FLASH_FLOODS}, "LP17", "can answer, got flash_floods"),
        (LordPhase.VOTING, {"asked": ()}, "LP19", "somebody who decides, got nobody"),
    ],
)
def test_in_lord_whoever_is_asked_has_something_to_decide(phase, parts, rule, text):
    # Else there would be a player to move without a legal action.
    broken = at(phase, **parts)
    assert_only(LORD, broken, rule, text)
    with pytest.raises(SpecError, match=text):
        LORD.parse_state(LORD.format_state(broken))
    # What is told to do instead reads back: the actors, by their names.
    if not broken.asked:
        (fault,) = LORD.validate(broken)
        assert LORD.parse_state(f"{LORD.format_state(broken)} {fault.remedy}").asked == SEATS


def test_in_lord_only_an_owner_of_activated_actions_orders_them():
    waiting = replace(VOTED, phase=LordPhase.ORDER, due=("Banker.C1.2",), asked=(Seat.B,))
    assert told(LORD, waiting) == []
    assert_only(LORD, replace(waiting, asked=(Seat.A,)), "LP10", "an owner of activated Actions")
