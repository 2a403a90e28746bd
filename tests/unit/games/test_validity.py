"""A position made by hand: every invariant that it breaks is told, each with its rule."""

import pytest

from pigglesim.games.piggles.notation import read_state
from pigglesim.games.registry import make_game

CLASSIC, MODERN = make_game("piggles_classic"), make_game("piggles_modern")
WHOLE = "A.pen=A1,A2,A3,A4,A5,A6 B.pen=B1,B2,B3,B4,B5,B6"


def told(words: str, game=CLASSIC, rest: str = WHOLE) -> list[str]:
    return [str(fault) for fault in game.validate(read_state(f"{words} {rest}"))]


def test_nothing_is_wrong_with_the_start():
    for game in (CLASSIC, MODERN):
        assert game.validate(game.initial_state()) == ()
        assert told("round=1 active=A phase=load", game) == []


@pytest.mark.parametrize(
    ("words", "rest", "rule", "fault"),
    [
        ("round=7", WHOLE, "R5", "a round from 1 to 6, got 7"),
        ("A.score=-1", WHOLE, "R11", "A.score of 0 or more, got -1"),
        ("A.kitchen_bonuses=-1", WHOLE, "R11", "A.kitchen_bonuses of 0 or more, got -1"),
        ("actors=A1", WHOLE, "R19", "no actors in Classic"),
        ("acted=A1", WHOLE, "R19", "no acted in Classic"),
        ("B.mud_bonuses=-2", WHOLE, "R11", "B.mud_bonuses of 0 or more, got -2"),
        ("rerolls=11", WHOLE, "P12", "0 to 10 rerolls in a turn, got 11"),
        ("phase=tally", WHOLE, "R6", "a phase that waits, got tally"),
        ("phase=roll", WHOLE, "R9", "Piggles in a cup just in the Roll phase, got none"),
        ("A.late=A1", WHOLE, "P8", "A.late of Piggles in A.kitchen, got A1"),
        ("B.charged=B3", WHOLE, "P8", "B.charged of Piggles in B.kitchen, got B3"),
        ("credits=B1:A", WHOLE, "P7", "B1 on its head, for A is to be paid for it"),
        ("phase=sudden A.score=1", WHOLE, "R16", "a tie after round 6 for Sudden Snout-Up"),
        ("captured=A1", WHOLE, "R4", "Piggles of A in the areas of A, got 'A1'"),
        ("shields=A1:B", WHOLE, "R19", "no shields in Classic"),
        ("pending=A1:B1", WHOLE, "R19", "no pending in Classic"),
        ("", "A.pen=A1,A2,A3,A4,A5 B.pen=B1,B2,B3,B4,B5,B6", "R1", "A6 in a Pen, Mud, Kitchen"),
        ("A.kitchen=A1", WHOLE, "R1", "A1 in one place, got 2 places"),
        ("A.cup=X1", WHOLE, "R4", "Piggles of A in the areas of A, got 'X1'"),
        ("board=C1:up@woods", WHOLE, "R1", "a known Piggle on the board, got 'C1'"),
    ],
)
def test_each_broken_invariant_is_told_with_its_rule(words, rest, rule, fault):
    lines = told(words, rest=rest)
    assert any(line.startswith(f"{rule}: ") and fault in line for line in lines), lines
    assert all("; try: " in line and "\n" not in line for line in lines)


@pytest.mark.parametrize(
    ("words", "rule", "fault"),
    [
        ("round=3 A.mud=A1@1", "R7", "A1 back in the Pen since the Recoup of this turn"),
        ("round=2 A.mud=A1@3", "P3", "A1 in the Mud since a round from 1 to 2, got 3"),
        ("round=2 board=A1:down@woods", "R13", "A1 Snout-Up, as all on the board after Resolve"),
        ("round=2 board=A1:off", "P11", "A1 in a pose and a zone of the board"),
        ("round=6 phase=sudden board=A1:head@woods", "R13", "A1 Snout-Up"),
    ],
)
def test_what_lies_or_sits_too_long_is_told(words, rule, fault):
    lines = told(words, rest="A.pen=A2,A3,A4,A5,A6 B.pen=B1,B2,B3,B4,B5,B6")
    assert [line for line in lines if line.startswith(f"{rule}: ") and fault in line], lines


@pytest.mark.parametrize(
    ("words", "rule", "fault"),
    [
        ("shields=A2:A", "M12", "one shield of A2, on the board, got not on the board"),
        ("shields=A1:A,A1:B", "M12", "one shield of A1, on the board, got 2"),
        ("captured=X9", "M13", "known Piggles captured, got 'X9'"),
        ("acted=A1", "R20", "Piggles that act just in Action & Reaction, got phase load"),
        ("phase=action_reaction actors=A1 acted=A1", "M3", "A1 to act once"),
    ],
)
def test_what_modern_adds_is_told(words, rule, fault):
    rest = "board=A1:up@field:N A.pen=A2,A3,A4,A5,A6 B.pen=B1,B2,B3,B4,B5,B6"
    lines = told(f"round=1 {words}", MODERN, rest)
    assert [line for line in lines if line.startswith(f"{rule}: ") and fault in line], lines
    assert len(lines) == 1


def test_a_captured_piggle_is_in_its_captors_pen_beyond_six():
    rest = "A.pen=A1,A2,A3,A4,A5,A6,B1 B.pen=B2,B3,B4,B5,B6"
    assert told("captured=B1", MODERN, rest) == []
    assert told("", MODERN, rest)[0].startswith("R4: ")


def test_all_faults_are_told_at_once():
    rules = {
        line.split(":")[0]
        for line in told(
            "round=9 A.score=-3 rerolls=99 credits=B1:A A.late=A1 board=A1:down@woods",
            rest="A.pen=A1,A2 B.pen=B1",
        )
    }
    assert {"R1", "R5", "R11", "P12", "P7", "P8", "R13"} <= rules


def test_what_went_into_the_mud_in_this_very_turn_has_had_no_recoup():
    # An effect of one's own, after the Recoup; where nothing is kept waiting in the Mud (P3).
    game = make_game("piggles_modern", {"mud_delay": "none"})
    rest = "A.pen=A2,A3,A4,A5,A6 B.pen=B1,B2,B3,B4,B5,B6"
    assert not [line for line in told("round=3 active=A A.mud=A1@3", game, rest) if "R7" in line]
    # But what the other seat sent there, earlier in the round, should be back.
    assert [line for line in told("round=3 active=A A.mud=A1@3!", game, rest) if "R7" in line]
    assert [line for line in told("round=3 active=A A.mud=A1@2", game, rest) if "R7" in line]


def test_a_shield_is_one_and_of_what_lies_on_the_board():
    rest = "board=A1:up@woods A.pen=A2,A3,A4,A5,A6 B.pen=B1,B2,B3,B4,B5,B6"
    assert told("shields=A1:A", MODERN, rest) == []
    for shields, got in (("A1:A,A1:A", "got 2"), ("A2:A", "got not on the board")):
        lines = told(f"shields={shields}", MODERN, rest)
        assert [line.split(";")[0] for line in lines] == [
            f"M12: expected one shield of {shields[:2]}, on the board, {got}"
        ]
