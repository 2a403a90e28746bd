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
    return [each.rule for each in game.validate(state)]


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
    ("game", "state", "parts", "rule"),
    [
        (PILE, PLAYED, {"hands": PLAYED.hands[:-1]}, "PP1"),
        (PILE, PLAYED, {"known": (*PLAYED.known, ())}, "PP1"),
        (PILE, PLAYED, {"ups": PLAYED.ups[:-1]}, "PP1"),
        (PILE, PLAYED, {"slops": PLAYED.slops[:-1]}, "PP1"),
        (PILE, PLAYED, {"pigs": (0, 0, 0)}, "PP1"),
        (PILE, PLAYED, {"awards": (1, 2)}, "PP1"),
        (PILE, PLAYED, {"mover": 4}, "PP1"),
        (PILE, PLAYED, {"dealer": -1}, "PP1"),
        (PILE, PLAYED, {"draw": PLAYED.draw[1:]}, "R1"),
        (PILE, PLAYED, {"draw": PLAYED.draw[:1] + PLAYED.draw}, "R1"),
        (PILE, PLAYED, {"draw": (13, *PLAYED.draw[1:])}, "R1"),
        (PILE, PLAYED, {"known.1": (12,) * 6}, "PP17"),
        (PILE, PLAYED, {"hands.2": PLAYED.hands[2][::-1]}, "R2"),
        (PILE, PLAYED, {"direction": 2}, "R5"),
        (PILE, PLAYED, {"direction": 0}, "R5"),
        (PILE, PLAYED, {"round": 6}, "R10"),
        (PILE, PLAYED, {"dealer": 1}, "R10"),
        (PILE, PLAYED, {"turns": 2000}, "PP13"),
        (PILE, PLAYED, {"turns": -1}, "PP13"),
        (PILE, PLAYED, {"chosen": ((1, 2, 3),)}, "PP18"),
        (PILE, PLAYED, {"mixed": True}, "PP6"),
        (MIXING, PLAYED, {"mixed": True}, "PP6"),
        (PILE, PLAYED, {"pigs": (1, 0, 0, 0)}, "R9"),
        (PILE, PLAYED, {"pigs": (1, -1, 0, 0)}, "R1"),
        (PILE, PLAYED, {"out": (IDLE,)}, "R9"),
        (PILE, PLAYED, {"out": (IDLE, IDLE)}, "R9"),
        (
            PILE,
            PLAYED,
            {"slops.0": (*PLAYED.slops[0], PLAYED.draw[0]), "draw": PLAYED.draw[1:]},
            "R2",
        ),
        (
            PILE,
            PLAYED,
            {"hands.1": (), "known.1": (), "draw": (*PLAYED.draw, *PLAYED.hands[1])},
            "R7",
        ),
        (
            PILE,
            PLAYED,
            {"slops.0": PLAYED.slops[0][1:], "aside": PLAYED.aside + PLAYED.slops[0][:1]},
            "R8",
        ),
        (PILE, SECOND, {"pigs": (3, 2, 1, 1)}, "R9"),
        (PILE, CHOSEN, {}, "R2"),
        (ADVANCED, CHOSEN, {"chosen.0": CHOSEN.chosen[0][:2]}, "R2"),
        (ADVANCED, CHOSEN, {"chosen.0": (ABSENT,) * 3}, "R2"),
        (ADVANCED, CHOSEN, {"mover": (CHOSEN.mover + 1) % 4}, "PP18"),
        (ADVANCED, CHOSEN, {"turns": 1}, "R3"),
        (
            ADVANCED,
            CHOSEN,
            {"hands.3": CHOSEN.hands[3][1:], "draw": (CHOSEN.hands[3][0], *CHOSEN.draw)},
            "R2",
        ),
        (BACK, BOARD, {"a.0.1": Stack(4)}, "R4"),
        (BACK, BOARD, {"a.0.1": Stack(0)}, "R4"),
        (BACK, BOARD, {"a": BOARD.a[::-1]}, "R1"),
        (BACK, BOARD, {"b": (BOARD.a[0], *BOARD.b)}, "R4"),
        (
            BACK,
            BOARD,
            {"a": ((0, Stack(3)), (1, Stack(3)), (2, Stack(1, BOARD.a[1][1].held)))},
            "R1",
        ),
        (BACK, BOARD, {"discarded": BOARD.discarded[1:]}, "R1"),
        (BACK, BOARD, {"bank": BOARD.bank[::-1]}, "R1"),
        (BACK, BOARD, {"discarded": BOARD.discarded[::-1]}, "R1"),
        (BACK, BOARD, {"phase": PiggybackPhase.ROAM}, "PB4"),
        (BACK, BOARD, {"b": ()}, "R9"),
        (BACK, BOARD, {"result": COMPLETED.result}, "R9"),
        (BACK, BOARD, {"lively": -1}, "PB12"),
        (BACK, BOARD, {"lively": 2}, "PB12"),
        (BACK, BOARD, {"ply": 1001}, "PB12"),
        (BACK, BOARD, {"opening": 7}, "PB11"),
        (BACK, BOARD, {"opening": -1}, "PB11"),
        (BACK, BOARD, {"ties": -1}, "PB11"),
        (BACK, BOARD, {"ties": 10_000}, "PB11"),
        (BACK, FOUGHT, {"combat.source": 48}, "R3"),
        (BACK, FOUGHT, {"combat.target": FOUGHT.combat.source}, "R3"),
        (BACK, FOUGHT, {"combat.winner": Seat.A}, "R7"),
        (BACK, FOUGHT, {"combat": None}, "R7"),
        (BACK, WON, {"combat.target": 36}, "R3"),
        (BACK, ROAMING, {"roam.space": 28}, "R3"),
        (SIX, BEGUN, {"bank": (1, 2)}, "R3"),
        (SIX, BEGUN, {"bank": (1, -2, 0)}, "R1"),
        (SIX, BEGUN, {"active": Seat.D}, "R3"),
        (SIX, BEGUN, {"bank": (99, 100, 0)}, "R3"),
        (SIX, BEGUN, {"round": 0}, "longest game"),
        (SIX, BEGUN, {"total": 21}, "R1"),
        (SIX, BEGUN, {"total": 3}, "R1"),
        (SIX, BEGUN, {"dice": 3}, "R6"),
        (SIX, BEGUN, {"dice": 0}, "R6"),
        (SIX, COMPLETED, {"active": Seat.B}, "R3"),
        (SIX, COMPLETED, {"bank": (100, 101, 0)}, "R3"),
        (SIX, COMPLETED, {"rolls": 1, "dice": 2, "total": 2}, "R3"),
        (make_game("piggy_six", {"players": 3, "end": "race"}), COMPLETED, {"result": None}, "PS7"),
        (
            make_game("piggy_six", {"solitaire": True}),
            make_game("piggy_six", {"players": 3}).initial_state(),
            {"active": Seat.B},
            "R5",
        ),
        (LORD, VOTED, {"ratings": (11, 0, 0, 0)}, "R1"),
        (LORD, VOTED, {"ratings": (0, 0, 0, -1)}, "R1"),
        (LORD, VOTED, {"stability": 11}, "R1"),
        (LORD, VOTED, {"event_deck": VOTED.event_deck[1:]}, "R9"),
        (LORD, VOTED, {"event": Event.FLASH_FLOODS}, "R9"),
        (LORD, VOTED, {"turn": 0}, "LP18"),
        (LORD, VOTED, {"turn": 201}, "LP18"),
        (LORD, VOTED, {"game": 2}, "R10"),
        (LORD, VOTED, {"points": (0, 0, 1, 0)}, "R10"),
        (LORD, VOTED, {"due": ("Banker.C2",)}, "R6"),
        (LORD, VOTED, {"due": ("Banker.C1",)}, "R6"),
        (LORD, VOTED, {"asked": ()}, "LP19"),
        (LORD, VOTED, {"draws": (Seat.B,)}, "R4"),
        (LORD, VOTED, {"current": "Banker.C1.2"}, "LP5"),
        (LORD, VOTED, {"used": 1000}, "LP3"),
        (LORD, VOTED, {"sides.0.deck": VOTED.sides[0].deck[1:]}, "R2"),
        (LORD, VOTED, {"sides.0.deck": ("X1", *VOTED.sides[0].deck)}, "R2"),
        (LORD, VOTED, {"submitted.1.markers": -1}, "LP4"),
        (LORD, VOTED, {"submitted.1.name": "Banker.C1"}, "R7"),
        (LORD, VOTED, {"sides.3.shown": ("C3",)}, "LP16"),
        (LORD, VOTED, {"phase": LordPhase.UPKEEP}, "LP19"),
        (LORD, VOTED, {"phase": LordPhase.DEAL}, "LP19"),
        (LORD, VOTED, {"phase": LordPhase.EVENT}, "LP17"),
        (LORD, at(LordPhase.EVENT, event=Event.FLASH_FLOODS), {}, "LP17"),
        (LORD, ORDERED, {"asked": (Seat.A,)}, "LP10"),
        (make_game("lord_of_the_pigs", {"events": False}), VOTED, {}, "R10"),
        (SERIES, VOTED, {"game": 3}, "LP18"),
    ],
)
def test_each_fault_is_reported_alone_by_its_rule(game, state, parts, rule):
    assert faults(game, broken(state, parts)) == [rule]


@pytest.mark.parametrize(
    ("game", "words", "rule"),
    [
        (CLASSIC, f"round=7 {PENS}", "R5"),
        (CLASSIC, f"A.score=-1 {PENS}", "R11"),
        (CLASSIC, f"B.mud_bonuses=-2 {PENS}", "R11"),
        (CLASSIC, f"A.kitchen_bonuses=-1 {PENS}", "R11"),
        (CLASSIC, f"actors=A1 {PENS}", "R19"),
        (CLASSIC, f"acted=A1 {PENS}", "R19"),
        (CLASSIC, f"shields=A1:B {PENS}", "R19"),
        (CLASSIC, f"pending=A1:B1 {PENS}", "R19"),
        (CLASSIC, f"captured=X9 {PENS}", "R19"),
        (CLASSIC, f"rerolls=11 {PENS}", "P12"),
        (CLASSIC, f"phase=tally {PENS}", "R6"),
        (CLASSIC, f"phase=action_reaction {PENS}", "R6"),
        (CLASSIC, f"phase=roll {PENS}", "R9"),
        (CLASSIC, f"A.late=A1 {PENS}", "P8"),
        (CLASSIC, f"B.charged=B3 {PENS}", "P8"),
        (CLASSIC, f"credits=B1:A {PENS}", "P7"),
        (CLASSIC, f"round=6 phase=sudden A.score=1 {PENS}", "R16"),
        (CLASSIC, f"round=5 phase=sudden {PENS}", "R16"),
        (CLASSIC, f"hold=0.0,0.1,0.1 {PENS}", "R9"),
        (CLASSIC, FIVE, "R1"),
        (CLASSIC, f"A.kitchen=A1 {PENS}", "R1"),
        (CLASSIC, f"board=C1:up@woods {PENS}", "R1"),
        (CLASSIC, f"active=B board=A1:off {FIVE}", "P11"),
        (CLASSIC, f"round=3 A.mud=A1@1 {FIVE}", "R7"),
        (CLASSIC, f"round=2 A.mud=A1@3 {FIVE}", "P3"),
        (CLASSIC, f"round=2 board=A1:down@woods {FIVE}", "R13"),
        (CLASSIC, f"round=6 phase=sudden board=A1:head@woods {FIVE}", "R13"),
        (MODERN, f"shields=A2:A {LIES}", "M12"),
        (MODERN, f"shields=A1:A,A1:B {LIES}", "M12"),
        (MODERN, f"captured=X9 {LIES}", "M13"),
        (MODERN, f"acted=A1 {LIES}", "R20"),
        (MODERN, f"phase=action_reaction actors=A1 acted=A1 {LIES}", "M3"),
        (AGED, f"round=3 A.mud=A1@3! {FIVE}", "R7"),
        (AGED, f"round=3 A.mud=A1@2 {FIVE}", "R7"),
    ],
)
def test_each_fault_of_piggles_is_reported_alone_by_its_rule(game, words, rule):
    assert faults(game, game.read_state(words)) == [rule]


def test_several_faults_of_piggles_are_reported_together():
    words = "round=9 A.score=-3 rerolls=99 credits=B1:A A.late=A1 board=A1:down@woods A.pen=A1,A2"
    rules = set(faults(CLASSIC, CLASSIC.read_state(f"{words} B.pen=B1")))
    assert {"R1", "R5", "R11", "P12", "P7", "P8", "R13"} <= rules
    for misplaced in ("captured=A1", "A.cup=X1"):
        assert "R4" in faults(CLASSIC, CLASSIC.read_state(f"{misplaced} {PENS}"))
    start = CLASSIC.initial_state()
    assert "R4" in faults(CLASSIC, put(start, "a.pen", (*start.a.pen, "A1")))


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
    assert faults(PILE, replace(PLAYED, out=(PLAYED.mover,))) == ["R9", "R9"]


def test_a_captured_piggle_is_in_its_captors_pen_beyond_six():
    pens = "A.pen=A1,A2,A3,A4,A5,A6,B1 B.pen=B2,B3,B4,B5,B6"
    assert faults(MODERN, MODERN.read_state(f"captured=B1 {pens}")) == []
    assert faults(MODERN, MODERN.read_state(pens))[0] == "R4"


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
