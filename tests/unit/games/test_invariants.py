"""The invariants of states: each is broken alone in a possible state, and reported by its rule."""

from dataclasses import replace

import pytest

from pigglesim.errors import PigglesimError, SpecError
from pigglesim.games.game import Result
from pigglesim.games.lord_of_the_pigs.state import Event, LordPhase, Vote
from pigglesim.games.pig_pile import DECK, PigPilePhase
from pigglesim.games.piggyback.state import PiggybackPhase, Stack
from pigglesim.games.registry import make_game
from pigglesim.landing import RollResult, Seat
from tests.support.piggyback_table import place, play, table
from tests.support.random_games import walk
from tests.support.random_lord import at


def faults(game, state):
    return list(map(str, game.validate(state)))


def put(value, path, new):
    """Return a value with the part at a path such as `sides.0.deck` changed."""
    name, _, rest = path.partition(".")
    if isinstance(value, tuple):
        k = int(name)
        return (*value[:k], put(value[k], rest, new) if rest else new, *value[k + 1 :])
    return replace(value, **{name: put(getattr(value, name), rest, new) if rest else new})


def broken(state, parts):
    for path, new in parts.items():
        state = put(state, path, new)
    return state


def reached(game, wanted):
    """Return the first state of a random game that is as wanted."""
    return next(state for state, _, _ in walk(game, 1) if wanted(state))


PILE = make_game("pig_pile", {"rounds": 5})
PLAYED = replace(
    reached(PILE, lambda s: s.phase is PigPilePhase.PLAY and len(s.pile) > 2), direction=1
)
SECOND = reached(PILE, lambda s: s.phase is PigPilePhase.PLAY and s.round == 2)
MIXING = make_game("pig_pile", {"rounds": 5, "wild_mix": True})
ADVANCED = make_game("pig_pile", {"advanced_deal": True})
CHOSEN = reached(ADVANCED, lambda s: s.phase is PigPilePhase.CHOOSE and len(s.chosen) == 2)
IDLE = next(k for k in range(4) if k != PLAYED.mover)
ABSENT = next(card for card in set(DECK) if card not in CHOSEN.hands[CHOSEN.dealer])

BACK = table()
BOARD = place(a="a1:1,b1:1oy", b="a8:1", bank="ooyy", pieces="h8:g")
FOUGHT = play(BACK, place(a="c1:1,a2:1", b="a3:1"), "a2-a3")
WON = play(BACK, place(a="a2:1y,c1:1", b="a3:1g,h8:1"), "a2-a3", 6, "stand", 1)
ROAMING = play(BACK, place(a="d3:1g", b="h8:1"), "d3-d4")
NOT_IN_ORDER = "not in the order green, orange, yellow, mauve, against R1"

SIX = make_game("piggy_six", {"players": 3})
BEGUN = replace(SIX.initial_state(), rolls=2, dice=2, total=20, bank=(99, 50, 0))
COMPLETED = replace(
    SIX.initial_state(),
    active=Seat.C,
    bank=(100, 0, 0),
    result=Result(winner=Seat.A, reason="points"),
)
SHARED = Result(winner=None, reason="points", shared=(Seat.A, Seat.B))
TOO_SOON = "without the most points or before the turn of C, against R3"

LORD = make_game("lord_of_the_pigs")
SERIES = make_game("lord_of_the_pigs", {"series": "regular", "series_games": 2})
VOTED = at(
    LordPhase.VOTING,
    hands={"President": "C2", "Energy": "C1 U1"},
    table=[("Banker.C1", "Energy:C3"), ("Banker.C1.2", "+ President:C1 Energy:C2")],
)
ORDERED = replace(VOTED, phase=LordPhase.ORDER, due=("Banker.C1.2",), asked=(Seat.B,))
SINCE = (Vote(seat=Seat.D, card="C3", after_showing=True),)

CLASSIC, MODERN = make_game("piggles_classic"), make_game("piggles_modern")
AGED = make_game("piggles_modern", {"mud_delay": "none"})
PENS = "A.pen=A1,A2,A3,A4,A5,A6 B.pen=B1,B2,B3,B4,B5,B6"
FIVE = "A.pen=A2,A3,A4,A5,A6 B.pen=B1,B2,B3,B4,B5,B6"
LIES = f"round=1 board=A1:up@field:N {FIVE}"
FELL = f"active=B board=A1:down@field:N {FIVE}"


@pytest.mark.parametrize(
    ("game", "state", "parts", "fault"),
    [
        (PILE, PLAYED, {"hands": PLAYED.hands[:-1]}, "hands of 3 players, not 4, against PP1"),
        (
            PILE,
            PLAYED,
            {"known": (*PLAYED.known, ())},
            "known cards of 5 players, not 4, against PP1",
        ),
        (PILE, PLAYED, {"ups": PLAYED.ups[:-1]}, "face-up cards of 3 players, not 4, against PP1"),
        (PILE, PLAYED, {"slops": PLAYED.slops[:-1]}, "Slop of 3 players, not 4, against PP1"),
        (PILE, PLAYED, {"pigs": (0, 0, 0)}, "pigs of 3 players, not 4, against PP1"),
        (PILE, PLAYED, {"awards": (1, 2)}, "awards of 2 players, not 4, against PP1"),
        (PILE, PLAYED, {"mover": 4}, "players (0, 4), not all from 0 to 3, against PP1"),
        (PILE, PLAYED, {"dealer": -1}, "players (-1, 3), not all from 0 to 3, against PP1"),
        (PILE, PLAYED, {"draw": PLAYED.draw[1:]}, "too few cards 3, against R1"),
        (PILE, PLAYED, {"draw": PLAYED.draw[2:]}, "too few cards 2 3, against R1"),
        (PILE, PLAYED, {"draw": PLAYED.draw[:1] + PLAYED.draw}, "too many cards 3, against R1"),
        (
            PILE,
            PLAYED,
            {"draw": (13, *PLAYED.draw[1:])},
            "cards [13], not from 0 to 12, against R1",
        ),
        (
            PILE,
            PLAYED,
            {"known.1": (12,) * 6},
            "known cards 12 12 12 12 12 12 not in the hand of player 1, against PP17",
        ),
        (
            PILE,
            PLAYED,
            {"hands.2": PLAYED.hands[2][::-1]},
            "cards 7 1 W W not in ascending order, against R2",
        ),
        (PILE, PLAYED, {"direction": 2}, "direction 2, not 1 or -1, against R5"),
        (PILE, PLAYED, {"direction": 0}, "direction 0, not 1 or -1, against R5"),
        (PILE, PLAYED, {"round": 6}, "round 6, not one of 1 to 5, against R10"),
        (PILE, PLAYED, {"dealer": 1}, "dealer 1 in round 1, not 0, against R10"),
        (PILE, PLAYED, {"turns": 2000}, "2000 turns, not below 2000, against PP13"),
        (PILE, PLAYED, {"turns": -1}, "-1 turns, not below 2000, against PP13"),
        (PILE, PLAYED, {"chosen": ((1, 2, 3),)}, "chosen cards after the choice, against PP18"),
        (PILE, PLAYED, {"mixed": True}, "no Hog Wild mixed in below the top card, against PP6"),
        (MIXING, PLAYED, {"mixed": True}, "no Hog Wild mixed in below the top card, against PP6"),
        (PILE, PLAYED, {"pigs": (1, 0, 0, 0)}, "1 pigs after 0 rounds, against R9"),
        (
            PILE,
            PLAYED,
            {"pigs": (1, -1, 0, 0)},
            "pigs (1, -1, 0, 0), not 40 or fewer in all, against R1",
        ),
        (PILE, PLAYED, {"out": (IDLE,)}, "player 0, out, has 10 cards, against R9"),
        (PILE, PLAYED, {"out": (IDLE, IDLE)}, "out twice in (0, 0), against R9"),
        (
            PILE,
            PLAYED,
            {"slops.0": (*PLAYED.slops[0], PLAYED.draw[0]), "draw": PLAYED.draw[1:]},
            "3 cards face up and 4 face down, against R2",
        ),
        (
            PILE,
            PLAYED,
            {"hands.1": (), "known.1": (), "draw": (*PLAYED.draw, *PLAYED.hands[1])},
            "an empty hand while there is a Draw Pile, against R7",
        ),
        (
            PILE,
            PLAYED,
            {"slops.0": PLAYED.slops[0][1:], "aside": PLAYED.aside + PLAYED.slops[0][:1]},
            "Slop played under face-up cards, against R8",
        ),
        (PILE, SECOND, {"pigs": (3, 2, 1, 1)}, "7 pigs after 1 rounds, against R9"),
        (PILE, CHOSEN, {}, "a choice of cards without advanced_deal, against R2"),
        (
            ADVANCED,
            CHOSEN,
            {"chosen.0": CHOSEN.chosen[0][:2]},
            "5 7 chosen, not 3 of the hand, against R2",
        ),
        (
            ADVANCED,
            CHOSEN,
            {"chosen.0": (ABSENT,) * 3},
            "W W W chosen, not 3 of the hand, against R2",
        ),
        (
            ADVANCED,
            CHOSEN,
            {"mover": (CHOSEN.mover + 1) % 4},
            "player 3 to choose before player 2, against PP18",
        ),
        (ADVANCED, CHOSEN, {"turns": 1}, "cards played in phase choose, against R3"),
        (
            ADVANCED,
            CHOSEN,
            {"hands.3": CHOSEN.hands[3][1:], "draw": (CHOSEN.hands[3][0], *CHOSEN.draw)},
            "hands to choose from without 7 cards each, against R2",
        ),
        (BACK, BOARD, {"a.0.1": Stack(4)}, "4 units on a1, not 1 to 3, against R4"),
        (BACK, BOARD, {"a.0.1": Stack(0)}, "0 units on a1, not 1 to 3, against R4"),
        (
            BACK,
            BOARD,
            {"a": BOARD.a[::-1]},
            "the spaces b1,a1 of a, not in order or not once, against R1",
        ),
        (BACK, BOARD, {"b": (BOARD.a[0], *BOARD.b)}, "2 stacks on a1, against R4"),
        (
            BACK,
            BOARD,
            {"a": ((0, Stack(3)), (1, Stack(3)), (2, Stack(1, BOARD.a[1][1].held)))},
            "7 units of A, above 6, against R1",
        ),
        (BACK, BOARD, {"discarded": BOARD.discarded[1:]}, "3 pieces of green, not 4, against R1"),
        (
            BACK,
            BOARD,
            {"bank": BOARD.bank[::-1]},
            f"bank yellow, yellow, orange, orange, {NOT_IN_ORDER}",
        ),
        (
            BACK,
            BOARD,
            {"discarded": BOARD.discarded[::-1]},
            "discarded mauve, mauve, mauve, mauve, yellow, orange, green, green, green, "
            f"{NOT_IN_ORDER}",
        ),
        (BACK, BOARD, {"phase": PiggybackPhase.ROAM}, "no moved unit in phase roam, against PB4"),
        (BACK, BOARD, {"b": ()}, "no units on one side during play, against R9"),
        (BACK, BOARD, {"result": COMPLETED.result}, "a result in phase move, against R9"),
        (BACK, BOARD, {"lively": -1}, "lively=-1 ply=0, with a cap of 1000, against PB12"),
        (BACK, BOARD, {"lively": 2}, "lively=2 ply=0, with a cap of 1000, against PB12"),
        (BACK, BOARD, {"ply": 1001}, "lively=0 ply=1001, with a cap of 1000, against PB12"),
        (BACK, BOARD, {"opening": 7}, "opening=7 after 0 equal rolls, against PB11"),
        (BACK, BOARD, {"opening": -1}, "opening=-1 after 0 equal rolls, against PB11"),
        (BACK, BOARD, {"ties": -1}, "opening=0 after -1 equal rolls, against PB11"),
        (BACK, BOARD, {"ties": 10_000}, "opening=0 after 10000 equal rolls, against PB11"),
        (
            BACK,
            BOARD,
            {"a.1.1": Stack(1, BOARD.a[1][1].held[::-1])},
            "abilities yellow, orange on b1, above 2 or not in order, against R5",
        ),
        (
            BACK,
            BOARD,
            {"pieces": BOARD.pieces * 2, "discarded": BOARD.discarded[1:]},
            "the spaces h8,h8 of pieces, not in order or not once, against R1",
        ),
        (BACK, ROAMING, {"phase": PiggybackPhase.MOVE}, "a moved unit in phase move, against PB4"),
        (
            BACK,
            BOARD,
            {"phase": PiggybackPhase.OVER},
            "no result in phase over, against R9",
        ),
        (
            BACK,
            WON,
            {"combat.winner": None},
            "no winner of the combat in phase keep, against R7",
        ),
        (BACK, FOUGHT, {"combat.source": 48}, "the attacker is not on a7, against R3"),
        (
            BACK,
            FOUGHT,
            {"combat.target": FOUGHT.combat.source},
            "the attacked stack is not on a2, against R3",
        ),
        (
            BACK,
            FOUGHT,
            {"combat.winner": Seat.A},
            "a winner of the combat in phase attack_roll, against R7",
        ),
        (BACK, FOUGHT, {"combat": None}, "no combat in phase attack_roll, against R7"),
        (BACK, WON, {"combat.target": 36}, "the winner is not on e5, against R3"),
        (BACK, ROAMING, {"roam.space": 28}, "the unit that moves on is not on e4, against R3"),
        (SIX, BEGUN, {"bank": (1, 2)}, "points of 2 players, not 3, against R3"),
        (SIX, BEGUN, {"bank": (1, -2, 0)}, "points of -2, against R1"),
        (SIX, BEGUN, {"active": Seat.D}, "the turn of the missing player D, against R3"),
        (SIX, BEGUN, {"bank": (99, 100, 0)}, "B had the target of 100 before round 1, against R3"),
        (SIX, BEGUN, {"round": 0}, "round 0, not one of 1 to 1000, against longest game"),
        (SIX, BEGUN, {"total": 21}, "21 points of 2 rolls without a six, against R1"),
        (SIX, BEGUN, {"total": 3}, "3 points of 2 rolls without a six, against R1"),
        (SIX, BEGUN, {"dice": 3}, "3 dice in a turn begun, against R6"),
        (SIX, BEGUN, {"dice": 0}, "0 dice in a turn begun, against R6"),
        (
            SIX,
            COMPLETED,
            {"active": Seat.B},
            f"A won after the turn of B, {TOO_SOON}",
        ),
        (
            SIX,
            COMPLETED,
            {"active": Seat.B, "bank": (100, 100, 0), "result": SHARED},
            f"A, B won after the turn of B, {TOO_SOON}",
        ),
        (
            SIX,
            COMPLETED,
            {"bank": (100, 101, 0)},
            f"A won after the turn of C, {TOO_SOON}",
        ),
        (
            SIX,
            COMPLETED,
            {"rolls": 1, "dice": 2, "total": 2},
            "C has begun a turn after the end, against R3",
        ),
        (
            make_game("piggy_six", {"players": 3, "end": "race"}),
            COMPLETED,
            {"result": None},
            "the race goes on after a player has won it, against PS7",
        ),
        (
            make_game("piggy_six", {"solitaire": True}),
            make_game("piggy_six", {"players": 3}).initial_state(),
            {"active": Seat.B},
            "the imaginary player B is to decide, against R5",
        ),
        (LORD, VOTED, {"ratings": (11, 0, 0, 0)}, "President 11, not 0 to 10, against R1"),
        (LORD, VOTED, {"ratings": (0, 0, 0, -1)}, "Energy -1, not 0 to 10, against R1"),
        (LORD, VOTED, {"stability": 11}, "Social Stability 11, not 0 to 10, against R1"),
        (
            LORD,
            VOTED,
            {"event_deck": VOTED.event_deck[1:]},
            "19 Events that are not the 20, against R9",
        ),
        (LORD, VOTED, {"event": Event.FLASH_FLOODS}, "21 Events that are not the 20, against R9"),
        (LORD, VOTED, {"turn": 0}, "turn 0, not one of 1 to 200, against LP18"),
        (LORD, VOTED, {"turn": 201}, "turn 201, not one of 1 to 200, against LP18"),
        (LORD, VOTED, {"game": 2}, "game 2 or points without a series, against R10"),
        (LORD, VOTED, {"points": (0, 0, 1, 0)}, "game 1 or points without a series, against R10"),
        (
            LORD,
            VOTED,
            {"due": ("Banker.C2",)},
            "the activated Banker.C2 is not in the Game Area, against R6",
        ),
        (LORD, VOTED, {"due": ("Banker.C1",)}, "Banker.C1 activated with 1 votes, against R6"),
        (LORD, VOTED, {"asked": ()}, "nobody is to decide, against LP19"),
        (LORD, VOTED, {"draws": (Seat.B,)}, "27 cards to draw and 0 to shuffle, against R4"),
        (
            LORD,
            VOTED,
            {"current": "Banker.C1.2"},
            "Banker.C1.2 to be shared in phase voting, against LP5",
        ),
        (
            LORD,
            VOTED,
            {"phase": LordPhase.SHARE},
            "no Action to be shared in phase share, against LP5",
        ),
        (LORD, VOTED, {"used": 1000}, "1000 Alternate Modes, above 29, against LP3"),
        (
            LORD,
            VOTED,
            {"sides.0.deck": VOTED.sides[0].deck[1:]},
            "President has 2 cards C1, not 3, against R2",
        ),
        (
            LORD,
            VOTED,
            {"sides.0.deck": ("X1", *VOTED.sides[0].deck)},
            "President has 1 cards X1, not 0, against R2",
        ),
        (LORD, VOTED, {"submitted.1.markers": -1}, "-1 added votes, against LP4"),
        (
            LORD,
            VOTED,
            {"submitted.1.name": "Banker.C1"},
            "several submitted Actions named Banker.C1, against R7",
        ),
        (
            LORD,
            VOTED,
            {"sides.3.shown": ("C3", "C4")},
            "Energy has shown C3 C4, which are elsewhere, against LP16",
        ),
        (
            LORD,
            VOTED,
            {
                "draws": (Seat.B,),
                "sides.1.deck": VOTED.sides[1].deck[1:],
                "sides.1.discard": VOTED.sides[1].deck[:1],
            },
            "26 cards to draw and 1 to shuffle, against R4",
        ),
        (
            LORD,
            VOTED,
            {"sides.3.shown": ("C3",)},
            "Energy has shown C3, which are elsewhere, against LP16",
        ),
        (
            LORD,
            VOTED,
            {"phase": LordPhase.UPKEEP},
            "President is to decide in phase upkeep, against LP19",
        ),
        (
            LORD,
            VOTED,
            {"phase": LordPhase.DEAL},
            "President is to decide in phase deal, against LP19",
        ),
        (
            LORD,
            VOTED,
            {"phase": LordPhase.EVENT},
            "President is to decide in phase event, without an answer to the Event, against LP17",
        ),
        (
            LORD,
            at(LordPhase.EVENT, event=Event.FLASH_FLOODS),
            {},
            "President is to decide in phase event, without an answer to the Event, against LP17",
        ),
        (
            LORD,
            ORDERED,
            {"asked": (Seat.A,)},
            "President is to decide in phase order, without an activated Action, against LP10",
        ),
        (
            make_game("lord_of_the_pigs", {"events": False}),
            VOTED,
            {},
            "Events, which the house rules exclude, against R10",
        ),
        (SERIES, VOTED, {"game": 3}, "game 3, not one of 1 to 2, against LP18"),
    ],
)
def test_each_fault_is_reported_alone_with_its_rule(game, state, parts, fault):
    assert faults(game, broken(state, parts)) == [fault]


@pytest.mark.parametrize(
    ("game", "words", "fault"),
    [
        (CLASSIC, f"round=7 {PENS}", "round 7, not one of 1 to 6, against R5"),
        (CLASSIC, f"A.score=-1 {PENS}", "A.score of -1, against R11"),
        (CLASSIC, f"B.mud_bonuses=-2 {PENS}", "B.mud_bonuses of -2, against R11"),
        (CLASSIC, f"A.kitchen_bonuses=-1 {PENS}", "A.kitchen_bonuses of -1, against R11"),
        (CLASSIC, f"actors=A1 {PENS}", "actors, which Classic has not, against R19"),
        (CLASSIC, f"acted=A1 {PENS}", "acted, which Classic has not, against R19"),
        (CLASSIC, f"shields=A1:B {PENS}", "shields, which Classic has not, against R19"),
        (CLASSIC, f"pending=A1:B1 {PENS}", "pending, which Classic has not, against R19"),
        (CLASSIC, f"captured=X9 {PENS}", "captured, which Classic has not, against R19"),
        (CLASSIC, f"rerolls=11 {PENS}", "11 rerolls in a turn, not 0 to 10, against P12"),
        (CLASSIC, f"phase=tally {PENS}", "phase tally, which waits for nobody, against R6"),
        (
            CLASSIC,
            f"phase=action_reaction {PENS}",
            "phase action_reaction, which waits for nobody, against R6",
        ),
        (CLASSIC, f"phase=roll {PENS}", "no Piggle in a cup in phase roll, against R9"),
        (
            CLASSIC,
            "A.cup=A1,A2 A.pen=A3,A4,A5,A6 B.pen=B1,B2,B3,B4,B5,B6",
            "A1 A2 in a cup in phase load, against R9",
        ),
        (CLASSIC, f"A.late=A1 {PENS}", "A1 in A.late and not in A.kitchen, against P8"),
        (CLASSIC, f"B.charged=B3 {PENS}", "B3 in B.charged and not in B.kitchen, against P8"),
        (CLASSIC, f"credits=B1:A {PENS}", "a credit for B1, which is not knocked over, against P7"),
        (
            CLASSIC,
            f"round=6 phase=sudden A.score=1 {PENS}",
            "Sudden Snout-Up at 1 : 0 in round 6 of 6, against R16",
        ),
        (
            CLASSIC,
            f"round=5 phase=sudden {PENS}",
            "Sudden Snout-Up at 0 : 0 in round 5 of 6, against R16",
        ),
        (
            CLASSIC,
            f"round=6 phase=sudden sudden.chosen=A1 A.mud=A1@6 {FIVE}",
            "A1 chosen for a tie-break in which it is not rolled, against P15",
        ),
        (
            CLASSIC,
            f"round=6 phase=sudden sudden.chosen=A1,A2 {PENS}",
            "two Piggles chosen by one player, against P15",
        ),
        (CLASSIC, f"hold=0.0,0.1,0.1 {PENS}", "a hold of empty cups in phase load, against R9"),
        (CLASSIC, FIVE, "A1 is nowhere, against R1"),
        (CLASSIC, f"A.kitchen=A1 {PENS}", "A1 in 2 places, against R1"),
        (CLASSIC, f"board=C1:up@woods {PENS}", "unknown Piggle 'C1' on the board, against R1"),
        (
            CLASSIC,
            f"active=B board=A1:off {FIVE}",
            "A1 on the board without an orientation or a zone, against P11",
        ),
        (
            CLASSIC,
            f"round=3 A.mud=A1@1 {FIVE}",
            "A1 in the Mud after a Recoup that frees it, against R7",
        ),
        (CLASSIC, f"round=2 A.mud=A1@3 {FIVE}", "A1 in the Mud since round 3 of 2, against P3"),
        (
            CLASSIC,
            f"round=2 board=A1:down@woods {FIVE}",
            "A1 on the board after Resolve, and not Snout-Up, against R13",
        ),
        (
            CLASSIC,
            f"round=6 phase=sudden board=A1:head@woods {FIVE}",
            "A1 on the board after Resolve, and not Snout-Up, against R13",
        ),
        (MODERN, f"shields=A2:A {LIES}", "1 shields of A2, or A2 off the board, against M12"),
        (MODERN, f"shields=A1:A,A1:B {LIES}", "2 shields of A1, or A1 off the board, against M12"),
        (
            MODERN,
            f"returned=A2@1 {LIES}",
            "a date of A2, which does not lie as returned, against M11",
        ),
        (
            MODERN,
            f"returned=A1@1 {LIES}",
            "a date of A1, which does not lie as returned, against M11",
        ),
        (MODERN, f"round=1 returned=A1@2 {FELL}", "A1 returned from round 2, against M11"),
        (MODERN, f"captured=X9 {LIES}", "unknown Piggle 'X9' captured, against M13"),
        (MODERN, f"acted=A1 {LIES}", "effects in phase load, against R20"),
        (
            MODERN,
            f"phase=action_reaction actors=A1 acted=A1 {LIES}",
            "A1 is to act again, against M3",
        ),
        (
            AGED,
            f"round=3 A.mud=A1@3! {FIVE}",
            "A1 in the Mud after a Recoup that frees it, against R7",
        ),
        (
            AGED,
            f"round=3 A.mud=A1@2 {FIVE}",
            "A1 in the Mud after a Recoup that frees it, against R7",
        ),
    ],
)
def test_each_fault_of_piggles_is_reported_alone_with_its_rule(game, words, fault):
    assert faults(game, game.read_state(words)) == [fault]


def test_several_faults_of_piggles_are_reported_together():
    words = "round=9 A.score=-3 rerolls=99 credits=B1:A A.late=A1 board=A1:down@woods A.pen=A1,A2"
    assert faults(CLASSIC, CLASSIC.read_state(f"{words} B.pen=B1,B2,B3,B4,B5,B6")) == [
        "A1 in 2 places, against R1",
        *(f"A{number} is nowhere, against R1" for number in range(3, 7)),
        "A.score of -3, against R11",
        "A1 in A.late and not in A.kitchen, against P8",
        "round 9, not one of 1 to 6, against R5",
        "99 rerolls in a turn, not 0 to 10, against P12",
        "A1 on the board after Resolve, and not Snout-Up, against R13",
        "a credit for B1, which is not knocked over, against P7",
    ]


def test_piggles_in_areas_of_the_other_side_or_beyond_the_pen_are_reported():
    elsewhere = "in an area of A, which does not have it, against R4"
    start = CLASSIC.initial_state()
    for state, fault in (
        (CLASSIC.read_state(f"captured=A1 {PENS}"), f"'A1' {elsewhere}"),
        (CLASSIC.read_state(f"A.cup=X1 {PENS}"), f"'X1' {elsewhere}"),
        (CLASSIC.read_state(f"A.cup=X1 {PENS}"), "X1 in a cup in phase load, against R9"),
        (put(start, "a.pen", (*start.a.pen, "A1")), "7 own Piggles in A.pen, above 6, against R4"),
    ):
        assert fault in faults(CLASSIC, state)


@pytest.mark.parametrize(
    ("game", "state", "parts"),
    [
        (PILE, PLAYED, {}),
        (PILE, SECOND, {"pigs": (3, 2, 1, 0)}),
        (ADVANCED, CHOSEN, {}),
        (BACK, FOUGHT, {}),
        (BACK, WON, {}),
        (BACK, ROAMING, {}),
        (BACK, BOARD, {"ply": 1000, "lively": 1001}),
        (BACK, BOARD, {"lively": 1}),
        (BACK, BOARD, {"opening": 6}),
        (BACK, BOARD, {"ties": 1}),
        (BACK, place(a="a3:3,b3:3", b="c3:3,d3:3"), {}),
        (SIX, BEGUN, {"total": 4, "bank": (0, 0, 0)}),
        (SIX, COMPLETED, {}),
        (SIX, COMPLETED, {"active": Seat.B, "result": None}),
        (LORD, VOTED, {"ratings": (10, 0, 10, 0), "stability": 10}),
        (LORD, VOTED, {"stability": 0, "turn": 200}),
        (LORD, ORDERED, {}),
        (LORD, VOTED, {"sides.3.shown": ("C1", "U1")}),
        (LORD, VOTED, {"submitted.0.votes": SINCE, "sides.3.shown": ("C3",)}),
        (make_game("lord_of_the_pigs", {"events": False}), VOTED, {"event_deck": ()}),
        (SERIES, VOTED, {"game": 2, "points": (3, 0, 0, 1)}),
        (MODERN, MODERN.read_state(f"shields=A1:A {LIES}"), {}),
        (MODERN, MODERN.initial_state(), {}),
        # What went into the Mud in this very turn has had no Recoup (P3).
        (AGED, AGED.read_state(f"round=3 A.mud=A1@3 {FIVE}"), {}),
    ],
)
def test_extremes_that_play_can_reach_are_possible(game, state, parts):
    assert faults(game, broken(state, parts)) == []


def test_all_names_given_twice_are_reported_together():
    twice = "several submitted Actions named Banker.C1 Banker.C1.2, against R7"
    assert twice in faults(LORD, put(VOTED, "submitted", VOTED.submitted * 2))


def test_a_mover_of_pig_pile_who_is_out_is_reported_twice():
    assert faults(PILE, replace(PLAYED, out=(PLAYED.mover,))) == [
        f"player {PLAYED.mover}, out, has 10 cards, against R9",
        f"mover {PLAYED.mover} is out, against R9",
    ]


def test_a_captured_piggle_is_in_its_captors_pen_beyond_six():
    pens = "A.pen=A1,A2,A3,A4,A5,A6,B1 B.pen=B2,B3,B4,B5,B6"
    assert faults(MODERN, MODERN.read_state(f"captured=B1 {pens}")) == []
    assert faults(MODERN, MODERN.read_state(pens)) == [
        "'B1' in an area of A, which does not have it, against R4"
    ]


@pytest.mark.parametrize(
    ("game", "state", "rule"),
    [
        (PILE, replace(PLAYED, turns=2000), "PP13"),
        (LORD, replace(VOTED, asked=()), "LP19"),
        (LORD, replace(VOTED, phase=LordPhase.UPKEEP), "LP19"),
        (SIX, replace(BEGUN, active=Seat.D), "R3"),
    ],
)
def test_a_state_in_which_nobody_could_move_is_not_read(game, state, rule):
    with pytest.raises(SpecError, match=rule):
        game.parse_state(game.format_state(state))


@pytest.mark.parametrize(
    ("game", "words", "rule"),
    [
        (MODERN, "phase=resolve", "R6"),
        (MODERN, "phase=tally", "R6"),
        (CLASSIC, "phase=roll", "R9"),
        (CLASSIC, "phase=action_reaction", "R6"),
    ],
)
def test_a_phase_of_piggles_that_waits_for_nobody_is_read_but_not_rolled_from(game, words, rule):
    step = game.parse_state(f"round=1 active=A {words} {PENS}")
    for call in (game.chance_request, lambda s: game.apply_outcome(s, RollResult(landings=()))):
        with pytest.raises(PigglesimError, match=rule):
            call(step)
