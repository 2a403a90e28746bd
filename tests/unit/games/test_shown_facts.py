"""What games tell screens, agents and environments, as values and as text, and what they refuse."""

import re
from dataclasses import replace

import numpy as np
import pytest

from pigglesim.agents.agent import Uniform
from pigglesim.chance.tabular import FairChance
from pigglesim.chance_types import DiceResult, ShuffleResult
from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games import piggy_six
from pigglesim.games.game import Concede, NonPlayer, Result, distinct
from pigglesim.games.lord_of_the_pigs import state as lord
from pigglesim.games.lord_of_the_pigs.rules import ALTERNATES, PASS, PLUS, may_decide, series_points
from pigglesim.games.pig_pile import PickUp, PigPile, Play, Slop, round_awards
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.state import Act, Done, PigglesReason
from pigglesim.games.piggles.turns import concede
from pigglesim.games.piggy_six import DiceRoll
from pigglesim.games.piggyback.game import arms_of
from pigglesim.games.piggyback.state import Ability, Move, Stack
from pigglesim.games.registry import game_names, make_game
from pigglesim.landing import ClassLanding, Orientation, Seat, Zone
from pigglesim.match.entries import Decision
from pigglesim.match.runner import Players, Progress, next_event
from tests.support.piggyback_table import place
from tests.support.random_games import walk
from tests.support.random_lord import at
from tests.unit.games.test_invariants import (
    ADVANCED,
    BACK,
    CHOSEN,
    CLASSIC,
    LORD,
    MODERN,
    PENS,
    PILE,
    PLAYED,
    ROAMING,
    SIX,
)


def test_cards_events_and_actors_of_lord_have_words():
    assert len({actor.variable for actor in lord.Actor}) == 4
    assert all(event.text.endswith(".") for event in lord.Event)
    assert lord.card_name(Seat.A, "C1") == "Organic Law Against Energy Poverty"
    with pytest.raises(SpecError, match="unknown Event 'Nope'"):
        lord.read_event("Nope")
    ratings = (9, 5, 3, 1)
    assert series_points(lord.Series.OFF, ratings, Seat.A, uprising=False) == (0, 0, 0, 0)
    assert series_points(lord.Series.REGULAR, ratings, None, uprising=False) == (0, 0, 0, 0)
    assert series_points(lord.Series.COMPETITIVE, ratings, None, uprising=False) == ratings


def test_face_down_cards_and_equal_loads_are_one_choice_for_search():
    slops = [Slop(slot=1), PickUp(face_up=None), Slop(slot=2)]
    assert distinct(PigPile(), slops) == slops[:2]
    game, loads = PigglesClassic(), [Load(piggles=(name,)) for name in ("A1", "A2")]
    assert game.distinct([*loads, Concede()]) == [loads[0], Concede()]
    every = game.legal_actions(game.initial_state())
    every = [each for each in every if isinstance(each, Load)]
    assert len(game.distinct(every)) == 7
    # None to two of a heavier model, and none to four others.
    assert len(distinct(game, every, {"A2": "premium", "A5": "premium"})) == 15
    rolls = [DiceRoll(2), DiceRoll(2)]
    assert distinct(SIX, rolls) == rolls


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


@pytest.mark.parametrize("name", game_names())
def test_observations_and_their_strings_are_one_to_one(name):
    game = make_game(name, {"advanced_deal": True} if name == "pig_pile" else {})
    texts, seen = {}, {}
    for _, _, state in walk(game, 5):
        for seat in game.seats:
            view, text = game.observe(state, seat), game.observation_string(state, seat)
            assert texts.setdefault(view, text) == text
            assert seen.setdefault(text, view) == view
            assert text == " ".join(text.split())
    assert len(texts) > 20


@pytest.mark.parametrize("name", ["lord_of_the_pigs", "pig_pile"])
def test_only_those_who_see_cards_have_them_in_their_strings(name):
    game, rng = make_game(name), np.random.default_rng(2)
    exchanged = 0
    for state, _, _ in walk(game, 2):
        mover = game.turn(state)
        if mover is NonPlayer.CHANCE:
            continue
        # The same for the mover, with the hidden cards of the others in other places.
        other = game.imagine(game.observe(state, mover), rng=rng)
        assert game.observation_string(other, mover) == game.observation_string(state, mover)
        exchanged += any(
            game.observation_string(other, seat) != game.observation_string(state, seat)
            for seat in game.seats
        )
    assert exchanged > 20


def after_deal(game, *swap):
    """Return a match of Pig Pile after a deal of a shuffled deck with two cards exchanged."""
    start = game.initial_state()
    request = game.chance_request(start)
    cards = list(FairChance(seed=1).draw(request, rng=np.random.default_rng(1)).cards)
    if swap:
        one, other = swap
        assert cards[one] != cards[other]
        cards[one], cards[other] = cards[other], cards[one]
    return Progress(state=game.apply_outcome(start, ShuffleResult(cards=tuple(cards))))


def test_an_information_state_remembers_all_that_was_seen_and_no_more():
    game = make_game("pig_pile", {"rounds": 1})
    players = Players(agents=dict.fromkeys(game.seats, Uniform()), seed=3)
    played, same = after_deal(game), after_deal(game, 78, 79)
    for _ in range(6):
        played, same = (
            each.then(next_event(game, each, players, FairChance(seed=0)))
            for each in (played, same)
        )
    assert played.state != same.state
    for seat in game.seats:
        # The bottom of the Draw Pile is exchanged, which nobody has seen.
        text = played.information_state_string(game, seat)
        assert text == same.information_state_string(game, seat)
        lines = text.splitlines()
        own = [entry.action for entry in played.entries if entry.seat is seat]
        assert [line for line in lines if not line.startswith("seat=")] == own
        assert lines[-1] == game.observation_string(played.state, seat)
        assert len(lines) == 7 + len(own)
    assert all(isinstance(entry, Decision) for entry in played.entries)


ROLLING = SIX.apply_action(SIX.initial_state(), DiceRoll(2))
LOADED = CLASSIC.apply_action(CLASSIC.initial_state(), Load(("A1",)))
CONCEDED = CLASSIC.apply_action(CLASSIC.initial_state(), Concede())
DIE = DiceResult(faces=(1,))


@pytest.mark.parametrize(
    ("game", "state", "outcome", "fault"),
    [
        (SIX, ROLLING, ShuffleResult(cards=()), "type ShuffleResult (expected a throw of dice)"),
        (PILE, PILE.initial_state(), DIE, "type DiceResult (expected a shuffled deck)"),
        (CLASSIC, LOADED, DIE, "type DiceResult (expected a roll of Piggles)"),
        (SIX, ROLLING, DIE, "dice [1] (expected 2 faces from 1 to 6)"),
        (SIX, ROLLING, DiceResult(faces=(0, 1)), "dice [0, 1] (expected 2 faces from 1 to 6)"),
        (PILE, PILE.initial_state(), ShuffleResult(cards=("1",)), "that are not the 80 requested"),
        (SIX, SIX.initial_state(), DIE, "no roll or deal is due: A is to move"),
        (CLASSIC, CONCEDED, DIE, "no roll or deal is due: the game is over"),
    ],
)
def test_an_outcome_that_was_not_requested_is_refused(game, state, outcome, fault):
    with pytest.raises(SpecError, match=re.escape(fault)):
        game.apply_outcome(state, outcome)


def hand(*cards):
    return (cards, *PLAYED.hands[1:])


EIGHT = ", ".join(f"play {card}" for card in range(1, 9))
EFFECT = MODERN.read_state(
    "round=1 phase=action_reaction actors=A3 board=A3:up@field:N;B1:up@field:N "
    "A.pen=A1,A2,A4,A5,A6 B.pen=B2,B3,B4,B5,B6"
)


@pytest.mark.parametrize(
    ("action", "rule", "expected", "options", "parts"),
    [
        (
            Slop(1), "R3", "cards of one value that fit", "play 9",
            {"pile": (8,), "hands": hand(2, 9)},
        ),
        (
            Play((3,)), "R4", "a pick-up, because no card fits", "pickup",
            {"pile": (9,), "hands": hand(3)},
        ),
        (
            PickUp(), "PP2", "a play while any card fits", "play 9",
            {"pile": (8,), "hands": hand(9)},
        ),
        (
            PickUp(), "R7", "a face-up card to be picked up too", "pickup 3, pickup 4",
            {"pile": (9,), "hands": hand(), "ups": ((3, 4), *PLAYED.ups[1:]), "draw": ()},
        ),
        (
            Play((3,)), "R8", "a face-down card", "slop 1, slop 2, slop 3",
            {"hands": hand(), "ups": ((), *PLAYED.ups[1:])},
        ),
        *(
            (
                Play((12,)), "R3", "cards of one value that fit", f"{EIGHT}{more}",
                {"pile": (), "hands": hand(*range(1, highest + 1))},
            )
            for highest, more in ((8, ""), (9, ", ..."))
        ),
    ],
)  # fmt: skip
def test_an_illegal_action_of_pig_pile_is_refused_with_up_to_eight_legal_ones(
    action, rule, expected, options, parts
):
    with pytest.raises(IllegalActionError) as raised:
        PILE.apply_action(replace(PLAYED, mover=0, **parts), action)
    assert str(raised.value) == (
        f"illegal action {PILE.format_action(action)!r}, by {rule} (expected {expected}); "
        f"use {options}"
    )


@pytest.mark.parametrize(
    ("game", "state", "action", "fault"),
    [
        (LORD, LORD.initial_state(), PASS, "'pass' while chance is due, by LP19; use apply_outc"),
        (CLASSIC, CONCEDED, Load(), "'skip' while the game is over, by R5; start a new game"),
        (
            ADVANCED, CHOSEN, Slop(1),
            "'slop 1', by R2 (expected three cards of the hand to be face up); use face_up W 1 2, ",
        ),
        (CLASSIC, CLASSIC.initial_state(), "x", "phase load, by R5; use one of legal_actions"),
        (
            CLASSIC, CLASSIC.read_state(f"round=6 phase=sudden {PENS}"), Done(),
            "'done' in phase sudden, by R16; use load A1, with one Piggle that is available",
        ),
        (
            CLASSIC, CLASSIC.initial_state(), Act("A1", "B1"),
            "'act A1 B1' in phase load, by R6; use load A1 A3, because Classic has no effects",
        ),
        (
            MODERN, MODERN.initial_state(), Done(),
            "'done' in phase load, by R19; use load A1 A3 or skip",
        ),
        (
            MODERN, EFFECT, Load(("A2",)),
            "'load A2' in phase action_reaction, by R20; use act A1 B2 or done",
        ),
        (
            make_game("piggles_modern", {"effects_mandatory": True}), EFFECT, Done(),
            "'done' in phase action_reaction, by M2; let every Piggle that has a target act",
        ),
        (MODERN, EFFECT, Act("A3", "B2"), "'act A3 B2', by M7 (expected a target of B1)"),
        (MODERN, EFFECT, Act("B1", "A1"), "'act B1 A1', by M1 (expected an action of A3)"),
        (
            BACK, ROAMING, BACK.parse_action("a1-a2"),
            "no unit that has moved of A can go from space 0 to 8, by R2",
        ),
        (BACK, place(a="a1:1", b="h8:1"), Move(64, 63), "no unit of A can go from space 64 to 63"),
        (BACK, place(a="a1:1", b="h8:1"), Move(-1, 0), "no unit of A can go from space -1 to 0"),
        (
            BACK, place(a="a1:1", b="h8:1"), BACK.parse_action("b1-b2"),
            "no unit of A can go from space 1 to 9, by R2",
        ),
    ],
)  # fmt: skip
def test_an_illegal_action_is_refused_with_its_rule_and_a_remedy(game, state, action, fault):
    with pytest.raises(IllegalActionError, match=re.escape(fault)):
        game.apply_action(state, action)


def test_observations_of_another_game_are_refused():
    for game, kind in ((PILE, "PigPileObservation"), (LORD, "LordObservation")):
        seen = SIX.observe(SIX.initial_state(), Seat.A)
        fault = f"an observation of type PiggySixObservation \\(expected {kind}\\)"
        with pytest.raises(SpecError, match=fault):
            game.imagine(seen, rng=np.random.default_rng(1))
