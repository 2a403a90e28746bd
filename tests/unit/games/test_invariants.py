"""The invariants of states: each is broken alone in a possible state, and reported by its rule."""

from dataclasses import replace

import pytest

from pigglesim.errors import PigglesimError, SpecError
from pigglesim.games.game import Result
from pigglesim.games.lord_of_the_pigs.state import Event, LordPhase, Vote
from pigglesim.games.pig_pile.state import DECK, PigPilePhase
from pigglesim.games.piggyback.state import PiggybackPhase, Stack
from pigglesim.games.registry import make_game
from pigglesim.landing import RollResult, Seat
from tests.piggyback_table import place, play, table
from tests.random_games import walk
from tests.random_lord import at


def faults(game, state):
    return [(each.rule, f"{each.expected}, got {each.got}") for each in game.validate(state)]


def assert_only(game, state, rule, text):
    found = faults(game, state)
    assert [each for each, _ in found] == [rule], found
    assert text in found[0][1]


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
ADVANCED = make_game("pig_pile", {"advanced_deal": True})
CHOSEN = reached(ADVANCED, lambda s: s.phase is PigPilePhase.CHOOSE and len(s.chosen) == 2)
IDLE = next(k for k in range(4) if k != PLAYED.mover)
ABSENT = next(card for card in set(DECK) if card not in CHOSEN.hands[CHOSEN.dealer])

BACK = table()
BOARD = place(a="a1:1,b1:1oy", b="a8:1", bank="ooyy", pieces="h8:g")
FOUGHT = play(BACK, place(a="c1:1,a2:1", b="a3:1"), "a2-a3")
WON = play(BACK, place(a="a2:1y,c1:1", b="a3:1g,h8:1"), "a2-a3", 6, "stand", 1)
ROAMING = play(BACK, place(a="d3:1g", b="h8:1"), "d3-d4")

SIX = make_game("piggy_six", {"players": 3})
BEGUN = replace(SIX.initial_state(), rolls=2, dice=2, total=20, bank=(99, 50, 0))
COMPLETED = replace(
    SIX.initial_state(),
    active=Seat.C,
    bank=(100, 0, 0),
    result=Result(winner=Seat.A, reason="points"),
)

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


@pytest.mark.parametrize(
    ("game", "state", "parts", "rule", "text"),
    [
        (PILE, PLAYED, {"hands": PLAYED.hands[:-1]}, "PP1", "hands of 4 players, got 3"),
        (PILE, PLAYED, {"known": (*PLAYED.known, ())}, "PP1", "known cards of 4 players, got 5"),
        (PILE, PLAYED, {"ups": PLAYED.ups[:-1]}, "PP1", "face-up cards of 4"),
        (PILE, PLAYED, {"slops": PLAYED.slops[:-1]}, "PP1", "Slop of 4"),
        (PILE, PLAYED, {"pigs": (0, 0, 0)}, "PP1", "pigs of 4"),
        (PILE, PLAYED, {"awards": (1, 2)}, "PP1", "awards of 4 players, got 2"),
        (PILE, PLAYED, {"mover": 4}, "PP1", "players below 4, got (0, 4)"),
        (PILE, PLAYED, {"dealer": -1}, "PP1", "players below 4"),
        (PILE, PLAYED, {"draw": PLAYED.draw[1:]}, "R1", "80 cards in all, got too few of"),
        (PILE, PLAYED, {"draw": PLAYED.draw[:1] + PLAYED.draw}, "R1", "all, got too many of"),
        (PILE, PLAYED, {"draw": (13, *PLAYED.draw[1:])}, "R1", "cards from 0 to 12, got [13]"),
        (PILE, PLAYED, {"known.1": (12,) * 6}, "PP17", "no more known than is in it"),
        (PILE, PLAYED, {"hands.2": PLAYED.hands[2][::-1]}, "R2", "in ascending order"),
        (PILE, PLAYED, {"direction": 2}, "R5", "a direction of 1 or -1, got 2"),
        (PILE, PLAYED, {"direction": 0}, "R5", "a direction of 1 or -1, got 0"),
        (PILE, PLAYED, {"round": 6}, "R10", "a round from 1 to 5, got 6"),
        (PILE, PLAYED, {"dealer": 1}, "R10", "the next dealer each round, got 1"),
        (PILE, PLAYED, {"turns": 2000}, "PP13", "turns below 2000, got 2000"),
        (PILE, PLAYED, {"turns": -1}, "PP13", "turns below 2000, got -1"),
        (PILE, PLAYED, {"chosen": ((1, 2, 3),)}, "PP18", "nothing chosen any more, got 1"),
        (PILE, PLAYED, {"pigs": (1, 0, 0, 0)}, "R9", "the pigs of 0 rounds, got 1"),
        (PILE, PLAYED, {"pigs": (1, -1, 0, 0)}, "R1", "at most 40 pigs in all"),
        (PILE, PLAYED, {"out": (IDLE,)}, "R9", f"player {IDLE} without cards"),
        (PILE, PLAYED, {"out": (IDLE, IDLE)}, "R9", "nobody out twice"),
        (
            PILE,
            PLAYED,
            {"slops.0": (*PLAYED.slops[0], PLAYED.draw[0]), "draw": PLAYED.draw[1:]},
            "R2",
            "at most 3 cards face up and 3 face down, got 3 and 4",
        ),
        (
            PILE,
            PLAYED,
            {"hands.1": (), "known.1": (), "draw": (*PLAYED.draw, *PLAYED.hands[1])},
            "R7",
            "cards in every hand while there is a Draw Pile",
        ),
        (
            PILE,
            PLAYED,
            {"slops.0": PLAYED.slops[0][1:], "aside": PLAYED.aside + PLAYED.slops[0][:1]},
            "R8",
            "all Slop while cards lie on it",
        ),
        # Four players share six pigs a round at the very most (R9).
        (PILE, SECOND, {"pigs": (3, 2, 1, 1)}, "R9", "the pigs of 1 rounds, got 7"),
        (PILE, CHOSEN, {}, "R2", "no choice without advanced_deal"),
        (ADVANCED, CHOSEN, {"chosen.0": CHOSEN.chosen[0][:2]}, "R2", "3 chosen of the hand"),
        (ADVANCED, CHOSEN, {"chosen.0": (ABSENT,) * 3}, "R2", "3 chosen of the hand"),
        (ADVANCED, CHOSEN, {"mover": (CHOSEN.mover + 1) % 4}, "PP18", "next from the dealer on"),
        (ADVANCED, CHOSEN, {"turns": 1}, "R3", "nothing played yet"),
        (
            ADVANCED,
            CHOSEN,
            {"hands.3": CHOSEN.hands[3][1:], "draw": (CHOSEN.hands[3][0], *CHOSEN.draw)},
            "R2",
            "7 cards in each hand to choose from",
        ),
        (BACK, BOARD, {"a.0.1": Stack(4)}, "R4", "1 to 3 units on"),
        (BACK, BOARD, {"a.0.1": Stack(0)}, "R4", "1 to 3 units on"),
        (BACK, BOARD, {"a": BOARD.a[::-1]}, "R1", "the spaces of a in their order"),
        (BACK, BOARD, {"b": (BOARD.a[0], *BOARD.b)}, "R4", "one stack on a space, got 2 on"),
        (
            BACK,
            BOARD,
            {"a": ((0, Stack(3)), (1, Stack(3)), (2, Stack(1, BOARD.a[1][1].held)))},
            "R1",
            "at most 6 units of A, got 7",
        ),
        (BACK, BOARD, {"discarded": BOARD.discarded[1:]}, "R1", "4 pieces of"),
        (BACK, BOARD, {"bank": BOARD.bank[::-1]}, "R1", "the bank in the order of green"),
        (BACK, BOARD, {"discarded": BOARD.discarded[::-1]}, "R1", "the discarded in the order"),
        (BACK, BOARD, {"phase": PiggybackPhase.ROAM}, "PB4", "a unit that has moved while its"),
        (BACK, BOARD, {"b": ()}, "R9", "units on both sides while play goes on"),
        (BACK, BOARD, {"result": COMPLETED.result}, "R9", "a result when"),
        (BACK, BOARD, {"lively": -1}, "PB12", "lively=-1 ply=0"),
        (BACK, BOARD, {"lively": 2}, "PB12", "lively=2 ply=0"),
        (BACK, BOARD, {"ply": 1001}, "PB12", "ply=1001"),
        (BACK, BOARD, {"opening": 7}, "PB11", "got opening=7"),
        (BACK, BOARD, {"opening": -1}, "PB11", "got opening=-1"),
        (BACK, BOARD, {"ties": -1}, "PB11", "ties=-1"),
        (BACK, BOARD, {"ties": 10_000}, "PB11", "ties=10000"),
        (BACK, FOUGHT, {"combat.source": 48}, "R3", "the attacker on a7, got none"),
        (BACK, FOUGHT, {"combat.target": FOUGHT.combat.source}, "R3", "the attacked on a2"),
        (BACK, FOUGHT, {"combat.winner": Seat.A}, "R7", "a winner once both have rolled and not"),
        (BACK, FOUGHT, {"combat": None}, "R7", "a combat in its own phases"),
        (BACK, WON, {"combat.target": 36}, "R3", "the winner on"),
        (BACK, ROAMING, {"roam.space": 28}, "R3", "a unit that moves on on e4, got none"),
        (SIX, BEGUN, {"bank": (1, 2)}, "R3", "points of 3 players, got 2"),
        (SIX, BEGUN, {"bank": (1, -2, 0)}, "R1", "points of 0 or more, got -2"),
        (SIX, BEGUN, {"active": Seat.D}, "R3", "the turn of A or B or C, got D"),
        (SIX, BEGUN, {"round": 0}, "longest game", "got 0"),
        (SIX, BEGUN, {"total": 21}, "R1", "2 of 4 to 20 points, got 21 points"),
        (SIX, BEGUN, {"total": 3}, "R1", "2 of 4 to 20 points, got 3 points"),
        (SIX, BEGUN, {"dice": 3}, "R6", "2 dice in a turn begun, 0 before its start, got 3"),
        (SIX, BEGUN, {"dice": 0}, "R6", "2 dice in a turn begun, 0 before its start, got 0"),
        (SIX, COMPLETED, {"active": Seat.B}, "R3", "the most points to win when C has had"),
        (SIX, COMPLETED, {"bank": (100, 101, 0)}, "R3", "the most points to win"),
        (SIX, COMPLETED, {"rolls": 1, "dice": 2, "total": 2}, "R3", "no turn begun after the end"),
        (
            make_game("piggy_six", {"players": 3, "end": "race"}),
            COMPLETED,
            {"result": None},
            "PS7",
            "the end of a race that has been won",
        ),
        (
            make_game("piggy_six", {"solitaire": True}),
            make_game("piggy_six", {"players": 3}).initial_state(),
            {"active": Seat.B},
            "R5",
            "an imaginary player with dice in the hand",
        ),
        (LORD, VOTED, {"ratings": (11, 0, 0, 0)}, "R1", "President from 0 to 10, got 11"),
        (LORD, VOTED, {"ratings": (0, 0, 0, -1)}, "R1", "Energy from 0 to 10, got -1"),
        (LORD, VOTED, {"stability": 11}, "R1", "Social Stability from 0 to 10, got 11"),
        (LORD, VOTED, {"event_deck": VOTED.event_deck[1:]}, "R9", "each as often as in the deck"),
        (LORD, VOTED, {"event": Event.FLASH_FLOODS}, "R9", "the 20 Events"),
        (LORD, VOTED, {"turn": 0}, "LP18", "a turn from 1 to 200, got 0"),
        (LORD, VOTED, {"turn": 201}, "LP18", "a turn from 1 to 200, got 201"),
        (LORD, VOTED, {"game": 2}, "R10", "one game without points"),
        (LORD, VOTED, {"points": (0, 0, 1, 0)}, "R10", "one game without points"),
        (LORD, VOTED, {"due": ("Banker.C2",)}, "R6", "Actions in the Game Area, got Banker.C2"),
        (LORD, VOTED, {"due": ("Banker.C1",)}, "R6", "2 votes for Banker.C1, which is activated"),
        (LORD, VOTED, {"asked": ()}, "LP19", "somebody who decides, got nobody"),
        (LORD, VOTED, {"draws": (Seat.B,)}, "R4", "an empty deck of Banker and cards to shuffle"),
        (LORD, VOTED, {"current": "Banker.C1.2"}, "LP5", "just in the phase share, got Banker.C1"),
        (LORD, VOTED, {"used": 1000}, "LP3", "Alternate Modes, got 1000"),
        (LORD, VOTED, {"sides.0.deck": VOTED.sides[0].deck[1:]}, "R2", "3 of C1 among the 29 of P"),
        (
            LORD,
            VOTED,
            {"sides.0.deck": ("X1", *VOTED.sides[0].deck)},
            "R2",
            "0 of X1 among the 29 of President, got 1",
        ),
        (LORD, VOTED, {"submitted.1.markers": -1}, "LP4", "0 or more added votes, got -1"),
        (
            LORD,
            VOTED,
            {"submitted.1.name": "Banker.C1"},
            "R7",
            "each submitted Action under a name of its own, got Banker.C1",
        ),
        (LORD, VOTED, {"sides.3.shown": ("C3",)}, "LP16", "what Energy has shown"),
        (LORD, VOTED, {"phase": LordPhase.UPKEEP}, "LP19", "a phase in which President, who is"),
        (LORD, VOTED, {"phase": LordPhase.DEAL}, "LP19", "a phase in which President, who is"),
        (LORD, VOTED, {"phase": LordPhase.EVENT}, "LP17", "an Event that President, who is asked"),
        (
            LORD,
            at(LordPhase.EVENT, event=Event.FLASH_FLOODS),
            {},
            "LP17",
            "can answer, got flash_floods",
        ),
        (LORD, ORDERED, {"asked": (Seat.A,)}, "LP10", "an owner of activated Actions"),
        (make_game("lord_of_the_pigs", {"events": False}), VOTED, {}, "R10", "no Events, got some"),
        (SERIES, VOTED, {"game": 3}, "LP18", "a game from 1 to 2, got 3"),
    ],
)
def test_each_fault_is_reported_alone_by_its_rule(game, state, parts, rule, text):
    assert_only(game, broken(state, parts), rule, text)


@pytest.mark.parametrize(
    ("game", "words", "rule", "text"),
    [
        (CLASSIC, f"round=7 {PENS}", "R5", "a round from 1 to 6, got 7"),
        (CLASSIC, f"A.score=-1 {PENS}", "R11", "A.score of 0 or more, got -1"),
        (CLASSIC, f"B.mud_bonuses=-2 {PENS}", "R11", "B.mud_bonuses of 0 or more, got -2"),
        (CLASSIC, f"A.kitchen_bonuses=-1 {PENS}", "R11", "A.kitchen_bonuses of 0 or more, got -1"),
        (CLASSIC, f"actors=A1 {PENS}", "R19", "no actors in Classic"),
        (CLASSIC, f"acted=A1 {PENS}", "R19", "no acted in Classic"),
        (CLASSIC, f"shields=A1:B {PENS}", "R19", "no shields in Classic"),
        (CLASSIC, f"pending=A1:B1 {PENS}", "R19", "no pending in Classic"),
        (CLASSIC, f"captured=X9 {PENS}", "R19", "no captured in Classic"),
        (CLASSIC, f"rerolls=11 {PENS}", "P12", "0 to 10 rerolls in a turn, got 11"),
        (CLASSIC, f"phase=tally {PENS}", "R6", "a phase that waits, got tally"),
        (CLASSIC, f"phase=action_reaction {PENS}", "R6", "a phase that waits, got action_reaction"),
        (CLASSIC, f"phase=roll {PENS}", "R9", "Piggles in a cup just in the Roll phase, got none"),
        (CLASSIC, f"A.late=A1 {PENS}", "P8", "A.late of Piggles in A.kitchen, got A1"),
        (CLASSIC, f"B.charged=B3 {PENS}", "P8", "B.charged of Piggles in B.kitchen, got B3"),
        (CLASSIC, f"credits=B1:A {PENS}", "P7", "B1 on its head, for A is to be paid for it"),
        (CLASSIC, f"round=6 phase=sudden A.score=1 {PENS}", "R16", "a tie after round 6"),
        (CLASSIC, f"round=5 phase=sudden {PENS}", "R16", "a tie after round 6"),
        (
            CLASSIC,
            f"hold=0.0,0.1,0.1 {PENS}",
            "R9",
            "a hold of a loaded cup, got one in phase load",
        ),
        (CLASSIC, FIVE, "R1", "A1 in a Pen, Mud, Kitchen, cup or on the board, got nowhere"),
        (CLASSIC, f"A.kitchen=A1 {PENS}", "R1", "A1 in one place, got 2 places"),
        (CLASSIC, f"board=C1:up@woods {PENS}", "R1", "a known Piggle on the board, got 'C1'"),
        (CLASSIC, f"active=B board=A1:off {FIVE}", "P11", "A1 in a pose and a zone of the board"),
        (CLASSIC, f"round=3 A.mud=A1@1 {FIVE}", "R7", "A1 back in the Pen since the Recoup"),
        (CLASSIC, f"round=2 A.mud=A1@3 {FIVE}", "P3", "since a round from 1 to 2, got 3"),
        (CLASSIC, f"round=2 board=A1:down@woods {FIVE}", "R13", "A1 Snout-Up, as all on the board"),
        (CLASSIC, f"round=6 phase=sudden board=A1:head@woods {FIVE}", "R13", "A1 Snout-Up"),
        (MODERN, f"shields=A2:A {LIES}", "M12", "one shield of A2, on the board, got not on the"),
        (MODERN, f"shields=A1:A,A1:B {LIES}", "M12", "one shield of A1, on the board, got 2"),
        (MODERN, f"captured=X9 {LIES}", "M13", "known Piggles captured, got 'X9'"),
        (MODERN, f"acted=A1 {LIES}", "R20", "that act just in Action & Reaction, got phase load"),
        (MODERN, f"phase=action_reaction actors=A1 acted=A1 {LIES}", "M3", "A1 to act once"),
        (AGED, f"round=3 A.mud=A1@3! {FIVE}", "R7", "A1 back in the Pen since the Recoup"),
        (AGED, f"round=3 A.mud=A1@2 {FIVE}", "R7", "A1 back in the Pen since the Recoup"),
    ],
)
def test_each_fault_of_piggles_is_reported_alone_by_its_rule(game, words, rule, text):
    assert_only(game, game.read_state(words), rule, text)


def test_several_faults_of_piggles_are_reported_together():
    words = "round=9 A.score=-3 rerolls=99 credits=B1:A A.late=A1 board=A1:down@woods A.pen=A1,A2"
    rules = {rule for rule, _ in faults(CLASSIC, CLASSIC.read_state(f"{words} B.pen=B1"))}
    assert {"R1", "R5", "R11", "P12", "P7", "P8", "R13"} <= rules
    for misplaced in ("captured=A1", "A.cup=X1"):
        found = faults(CLASSIC, CLASSIC.read_state(f"{misplaced} {PENS}"))
        assert any(
            rule == "R4" and "Piggles of A in the areas of A" in text for rule, text in found
        )
    start = CLASSIC.initial_state()
    full = put(start, "a.pen", (*start.a.pen, "A1"))
    assert ("R4", "at most 6 Piggles in A.pen, got 7") in faults(CLASSIC, full)


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


def test_a_mover_of_pig_pile_who_is_out_is_reported_twice():
    out = faults(PILE, replace(PLAYED, out=(PLAYED.mover,)))
    assert [rule for rule, _ in out] == ["R9", "R9"]


def test_a_captured_piggle_is_in_its_captors_pen_beyond_six():
    pens = "A.pen=A1,A2,A3,A4,A5,A6,B1 B.pen=B2,B3,B4,B5,B6"
    assert faults(MODERN, MODERN.read_state(f"captured=B1 {pens}")) == []
    assert faults(MODERN, MODERN.read_state(pens))[0][0] == "R4"


@pytest.mark.parametrize(
    ("game", "state", "text"),
    [
        (PILE, replace(PLAYED, turns=2000), "turns below 2000, got 2000; try: keep to PP13"),
        (LORD, replace(VOTED, asked=()), "somebody who decides, got nobody"),
        (LORD, replace(VOTED, phase=LordPhase.UPKEEP), "who is asked, decides"),
        (SIX, replace(BEGUN, active=Seat.D), "the turn of A or B or C, got D"),
    ],
)
def test_a_state_in_which_nobody_could_move_is_not_read(game, state, text):
    with pytest.raises(SpecError, match=text):
        game.parse_state(game.format_state(state))


@pytest.mark.parametrize(
    ("game", "words", "text"),
    [
        (MODERN, "phase=resolve", "a phase that waits, got resolve; try: keep to R6"),
        (MODERN, "phase=tally", "a phase that waits, got tally"),
        (CLASSIC, "phase=roll", "Piggles in a cup just in the Roll phase, got none in phase roll"),
        (CLASSIC, "phase=action_reaction", "a phase that waits, got action_reaction"),
    ],
)
def test_a_phase_of_piggles_that_waits_for_nobody_is_read_but_not_rolled_from(game, words, text):
    step = game.parse_state(f"round=1 active=A {words} {PENS}")
    for call in (game.chance_request, lambda s: game.apply_outcome(s, RollResult(landings=()))):
        with pytest.raises(PigglesimError, match=text):
            call(step)
