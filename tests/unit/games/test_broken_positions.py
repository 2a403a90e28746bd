"""Positions that no play leads to: what is broken is told by its rule, and nothing else is."""

from dataclasses import replace

import pytest

from pigglesim.errors import SpecError
from pigglesim.games.game import Result
from pigglesim.games.lord_of_the_pigs.house_rules import LordRules
from pigglesim.games.pig_pile.house_rules import PigPileRules as PileRules
from pigglesim.games.pig_pile.state import DECK
from pigglesim.games.pig_pile.state import PigPilePhase as PilePhase
from pigglesim.games.piggles.house_rules import PigglesRules
from pigglesim.games.piggles.turns import concede
from pigglesim.games.piggy_six.rules import begin_turn
from pigglesim.games.piggyback.state import Layout, Stack
from pigglesim.games.piggyback.state import PiggybackPhase as BackPhase
from pigglesim.games.registry import make_game
from pigglesim.landing import CupHold, Seat
from tests.broken_positions import assert_only, told
from tests.piggyback_table import place, play, table
from tests.random_games import walk


def reached(game, wanted, seed=1):
    """Return the first position of a random game that is as wanted."""
    return next(state for state, _, _ in walk(game, seed) if wanted(state))


PILE = make_game("pig_pile", {"rounds": 5})
PLAYED = reached(PILE, lambda s: s.phase is PilePhase.PLAY and len(s.pile) > 2)
FIRST = replace(PLAYED, direction=1)


def without(cards, *gone):
    left = list(cards)
    for card in gone:
        left.remove(card)
    return tuple(left)


def at_place(parts, place, new):
    return tuple(new if k == place else part for k, part in enumerate(parts))


@pytest.mark.parametrize(
    ("parts", "rule", "text"),
    [
        ({"hands": FIRST.hands[:-1]}, "PP1", "hands of 4 players, got 3"),
        ({"known": (*FIRST.known, ())}, "PP1", "known cards of 4 players, got 5"),
        ({"ups": FIRST.ups[:-1]}, "PP1", "face-up cards of 4"),
        ({"slops": FIRST.slops[:-1]}, "PP1", "Slop of 4"),
        ({"pigs": (0, 0, 0)}, "PP1", "pigs of 4"),
        ({"awards": (1, 2)}, "PP1", "awards of 4 players, got 2"),
        ({"mover": 4}, "PP1", "players below 4, got (0, 4)"),
        ({"dealer": -1}, "PP1", "players below 4"),
        ({"draw": without(FIRST.draw, FIRST.draw[0])}, "R1", "80 cards in all, got too few of"),
        ({"draw": (FIRST.draw[0], *FIRST.draw)}, "R1", "80 cards in all, got too many of"),
        ({"draw": (13, *FIRST.draw[1:])}, "R1", "cards from 0 to 12, got [13]"),
        ({"known": at_place(FIRST.known, 1, (12,) * 6)}, "PP17", "no more known than is in it"),
        ({"hands": at_place(FIRST.hands, 2, FIRST.hands[2][::-1])}, "R2", "in ascending order"),
        ({"direction": 2}, "R5", "a direction of 1 or -1, got 2"),
        ({"direction": 0}, "R5", "a direction of 1 or -1, got 0"),
        ({"round": 6}, "R10", "a round from 1 to 5, got 6"),
        ({"dealer": 1}, "R10", "the next dealer each round, got 1"),
        ({"turns": 2000}, "PP13", "turns below 2000, got 2000"),
        ({"turns": -1}, "PP13", "turns below 2000, got -1"),
        ({"chosen": ((1, 2, 3),)}, "PP18", "nothing chosen any more, got 1"),
        ({"pigs": (1, 0, 0, 0)}, "R9", "the pigs of 0 rounds, got 1"),
        ({"pigs": (1, -1, 0, 0)}, "R1", "at most 40 pigs in all"),
    ],
)
def test_in_pig_pile_each_fault_is_told_alone(parts, rule, text):
    assert told(PILE, FIRST) == []
    assert_only(PILE, replace(FIRST, **parts), rule, text)


def test_in_pig_pile_cards_held_wrongly_are_told():
    moved = FIRST.slops[0][0]
    up = tuple(sorted((*FIRST.ups[0], moved)))
    slops = at_place(FIRST.slops, 0, FIRST.slops[0][1:])
    faults = told(PILE, replace(FIRST, ups=at_place(FIRST.ups, 0, up), slops=slops))
    assert ("R2", "at most 3 cards face up and 3 face down, got 4 and 2") in faults
    assert ("R8", "all Slop while cards lie on it, got less") in faults
    whole = (*FIRST.slops[0], FIRST.draw[0])
    deeper = replace(FIRST, slops=at_place(FIRST.slops, 0, whole), draw=FIRST.draw[1:])
    assert_only(PILE, deeper, "R2", "got 3 and 4")
    # No hand may be empty while cards can be drawn (R7), but the cards themselves are all there.
    laid = (*FIRST.draw, *FIRST.hands[1])
    empty = replace(
        FIRST, hands=at_place(FIRST.hands, 1, ()), known=at_place(FIRST.known, 1, ()), draw=laid
    )
    assert_only(PILE, empty, "R7", "cards in every hand while there is a Draw Pile")


def test_in_pig_pile_who_is_out_has_no_cards_and_does_not_move():
    other = next(k for k in range(4) if k != FIRST.mover)
    assert_only(PILE, replace(FIRST, out=(other,)), "R9", f"player {other} without cards")
    rules = [rule for rule, _ in told(PILE, replace(FIRST, out=(FIRST.mover,)))]
    assert rules == ["R9", "R9"]
    assert_only(PILE, replace(FIRST, out=(other, other)), "R9", "nobody out twice")


def test_in_pig_pile_pigs_are_those_of_the_rounds_played():
    # Four players share six pigs a round: five, and one more for whoever is neither first nor
    # second, but for who holds most; so six a round at the very most (R9).
    second = reached(PILE, lambda s: s.phase is PilePhase.PLAY and s.round == 2)
    most = replace(second, pigs=(3, 2, 1, 0))
    assert told(PILE, most) == []
    assert_only(PILE, replace(second, pigs=(3, 2, 1, 1)), "R9", "the pigs of 1 rounds, got 7")


def test_in_the_advanced_deal_choices_are_of_the_own_hand_and_in_turn():
    game = make_game("pig_pile", {"advanced_deal": True})
    chosen = reached(game, lambda s: s.phase is PilePhase.CHOOSE and len(s.chosen) == 2)
    assert told(game, chosen) == []
    first = (chosen.chosen[0][:2], *chosen.chosen[1:])
    assert_only(game, replace(chosen, chosen=first), "R2", "3 chosen of the hand")
    absent = next(card for card in set(DECK) if card not in chosen.hands[chosen.dealer])
    second = ((absent,) * 3, *chosen.chosen[1:])
    assert_only(game, replace(chosen, chosen=second), "R2", "3 chosen of the hand")
    mover = (chosen.mover + 1) % chosen.count
    assert_only(game, replace(chosen, mover=mover), "PP18", "the next from the dealer on")
    assert_only(game, replace(chosen, turns=1), "R3", "nothing played yet")
    shorter = replace(
        chosen,
        hands=at_place(chosen.hands, 3, chosen.hands[3][1:]),
        draw=(chosen.hands[3][0], *chosen.draw),
    )
    assert_only(game, shorter, "R2", "7 cards in each hand to choose from")
    assert_only(PILE, chosen, "R2", "no choice without advanced_deal")


BACK = table()
BOARD = place(a="a1:1,b1:1oy", b="a8:1", bank="ooyy", pieces="h8:g")
FOUGHT = play(BACK, place(a="c1:1,a2:1", b="a3:1"), "a2-a3")


@pytest.mark.parametrize(
    ("parts", "rule", "text"),
    [
        ({"a": ((0, Stack(4)), BOARD.a[1])}, "R4", "1 to 3 units on"),
        ({"a": ((BOARD.a[0][0], Stack(0)), BOARD.a[1])}, "R4", "1 to 3 units on"),
        ({"a": BOARD.a[::-1]}, "R1", "the spaces of a in their order"),
        ({"discarded": BOARD.discarded[1:]}, "R1", "4 pieces of"),
        ({"bank": BOARD.bank[::-1]}, "R1", "the bank in the order of green"),
        ({"discarded": BOARD.discarded[::-1]}, "R1", "the discarded in the order of green"),
        ({"phase": BackPhase.ROAM}, "PB4", "a unit that has moved while its turn goes on"),
        ({"b": ()}, "R9", "units on both sides while play goes on"),
        ({"result": Result(winner=Seat.A, reason="elimination")}, "R9", "a result when"),
        ({"lively": -1}, "PB12", "lively=-1 ply=0"),
        ({"lively": 2}, "PB12", "lively=2 ply=0"),
        ({"ply": 1001}, "PB12", "ply=1001"),
        ({"opening": 7}, "PB11", "got opening=7"),
        ({"opening": -1}, "PB11", "got opening=-1"),
        ({"ties": -1}, "PB11", "ties=-1"),
        ({"ties": 10_000}, "PB11", "ties=10000"),
    ],
)
def test_in_piggyback_each_fault_is_told_alone(parts, rule, text):
    assert told(BACK, BOARD) == []
    assert_only(BACK, replace(BOARD, **parts), rule, text)


def test_in_piggyback_extremes_that_play_can_reach_are_no_faults():
    for parts in ({"ply": 1000, "lively": 1001}, {"lively": 1}, {"opening": 6}, {"ties": 1}):
        assert told(BACK, replace(BOARD, **parts)) == []
    assert told(BACK, place(a="a3:3,b3:3", b="c3:3,d3:3")) == []


def test_in_piggyback_a_combat_is_between_two_who_are_there():
    combat = FOUGHT.combat
    assert told(BACK, FOUGHT) == []
    faults = told(BACK, replace(FOUGHT, combat=replace(combat, source=combat.source + 40)))
    assert ("R3", "the attacker on c7, got none") in faults or faults[0][0] == "R3"
    nobody = replace(FOUGHT, combat=replace(combat, target=combat.source))
    assert_only(BACK, nobody, "R3", "the attacked on a2")
    early = replace(FOUGHT, combat=replace(combat, winner=Seat.A))
    assert_only(BACK, early, "R7", "a winner once both have rolled and not before")
    rolled = play(BACK, FOUGHT, 6, 1)
    assert rolled.combat is None or told(BACK, rolled) == []
    lost = told(BACK, replace(FOUGHT, combat=None))
    assert [rule for rule, _ in lost] == ["R7"]


def test_in_piggyback_the_winner_of_a_combat_stands_where_it_was():
    won = play(BACK, place(a="a2:1y,c1:1", b="a3:1g,h8:1"), "a2-a3", 6, "stand", 1)
    assert (won.phase, told(BACK, won)) == (BackPhase.KEEP, [])
    moved = replace(won, combat=replace(won.combat, target=won.combat.target + 20))
    assert_only(BACK, moved, "R3", "the winner on")


def test_in_piggyback_who_moves_on_is_on_the_board():
    roaming = play(BACK, place(a="d3:1g", b="h8:1"), "d3-d4")
    assert told(BACK, roaming) == []
    gone = replace(roaming, roam=replace(roaming.roam, space=roaming.roam.space + 1))
    assert_only(BACK, gone, "R3", "a unit that moves on on e4, got none")


def test_in_piggyback_two_sides_cannot_share_a_space_and_teams_have_six():
    shared = replace(BOARD, b=(BOARD.a[0], *BOARD.b))
    assert_only(BACK, shared, "R4", "one stack on a space, got 2 on")
    seven = replace(BOARD, a=((0, Stack(3)), (1, Stack(3)), (2, Stack(1, BOARD.a[1][1].held))))
    assert_only(BACK, seven, "R1", "at most 6 units of A, got 7")


SIX = make_game("piggy_six", {"players": 3})
BEGUN = replace(SIX.initial_state(), rolls=2, dice=2, total=20, bank=(99, 50, 0))


@pytest.mark.parametrize(
    ("parts", "rule", "text"),
    [
        ({"bank": (1, 2)}, "R3", "points of 3 players, got of 2"),
        ({"bank": (1, -2, 0)}, "R1", "points of 0 or more, got -2"),
        ({"active": Seat.D}, "R3", "the turn of A or B or C, got D"),
        ({"round": 0}, "longest game", "got 0"),
        ({"total": 21}, "R1", "2 rolls without a six, from 4 to 20 points"),
        ({"total": 3}, "R1", "2 rolls without a six, from 4 to 20 points"),
        ({"dice": 3}, "R6", "2 dice in a turn begun, 0 before its start, got 3"),
        ({"dice": 0}, "R6", "2 dice in a turn begun, 0 before its start, got 0"),
    ],
)
def test_in_piggy_six_each_fault_is_told_alone(parts, rule, text):
    assert told(SIX, BEGUN) == []
    assert told(SIX, replace(BEGUN, total=4, bank=(0, 0, 0))) == []
    assert_only(SIX, replace(BEGUN, **parts), rule, text)


def test_in_piggy_six_a_race_that_is_won_is_over_and_equal_turns_are_completed():
    race = make_game("piggy_six", {"players": 3, "end": "race"})
    fresh = replace(SIX.initial_state(), active=Seat.B, bank=(100, 0, 0))
    assert told(SIX, fresh) == []
    assert_only(race, fresh, "PS7", "the end of a race that has been won")
    assert told(race, replace(fresh, bank=(99, 0, 0))) == []
    won = Result(winner=Seat.A, reason="score")
    assert_only(SIX, replace(fresh, result=won), "R3", "the most points to win when C has had")
    ended = replace(fresh, active=Seat.C, result=won)
    assert told(SIX, ended) == []
    assert_only(SIX, replace(ended, bank=(100, 101, 0)), "R3", "the most points to win")
    begun = replace(ended, rolls=1, dice=2, total=2)
    assert_only(SIX, begun, "R3", "no turn begun after the end")


def test_in_piggy_six_imaginary_players_decide_nothing():
    alone = make_game("piggy_six", {"solitaire": True})
    imaginary = next(iter(alone.rules.stops))
    waiting = replace(alone.initial_state(), active=imaginary)
    assert_only(alone, waiting, "R5", "an imaginary player with dice in the hand")


CLASSIC = make_game("piggles_classic")


def test_in_piggles_a_pen_holds_six_and_only_a_loaded_cup_is_held():
    start = CLASSIC.initial_state()
    full = replace(start, a=replace(start.a, pen=(*start.a.pen, "A1")))
    assert ("R4", "at most 6 Piggles in A.pen, got 7") in told(CLASSIC, full)
    held = replace(start, hold=CupHold(across=0.0, back=0.1, height=0.1))
    assert_only(CLASSIC, held, "R9", "a hold of a loaded cup, got one in phase load")


def test_who_gives_up_after_the_end_changes_nothing():
    ended = concede(CLASSIC.initial_state(), Seat.A)
    assert (ended.result.winner, ended.result.reason) == (Seat.B, "concession")
    assert concede(ended, Seat.B) == ended


def test_a_broken_position_of_pig_pile_cannot_be_read():
    with pytest.raises(SpecError, match="turns below 2000, got 2000; try: end the round"):
        PILE.parse_state(PILE.format_state(replace(FIRST, turns=2000)))


def test_in_pig_pile_everybody_sees_how_many_cards_each_has():
    for seat in PILE.seats:
        seen = PILE.observe(FIRST, seat)
        assert [seen.cards_of(k) for k in range(4)] == [FIRST.cards_of(k) for k in range(4)]


def test_in_piggy_six_only_a_player_has_a_turn():
    with pytest.raises(SpecError, match="a player of A, B, C, got D; try: name one of them"):
        begin_turn(SIX.initial_state(), Seat.D, SIX.rules)


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        ({"size": 4}, "a board of 5 to 16 rows, got 4"),
        ({"size": 17}, "a board of 5 to 16 rows, got 17"),
        ({"green": (24, 64)}, "a space of green on the board, got 64"),
        ({"green": (24, -1)}, "a space of green on the board, got -1"),
    ],
)
def test_a_layout_of_piggyback_lies_on_its_board(parts, fault):
    with pytest.raises(SpecError, match=fault):
        Layout(**parts)


def test_the_first_player_of_piggles_is_one_of_two():
    with pytest.raises(SpecError, match="first_player=A"):
        PigglesRules(first_player=Seat.C)


@pytest.mark.parametrize("kind", [PigglesRules, LordRules, PileRules])
def test_house_rules_read_back_from_their_words(kind):
    rules = kind()
    assert kind.from_text(rules.to_text()) == rules
    assert rules.to_text(changed_only=True) == ""
