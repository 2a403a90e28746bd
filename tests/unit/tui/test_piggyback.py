"""How Piggyback shows itself: the drawn board, what is said of decisions, rolls and ends."""

import pytest

from pigglesim.agents.registry import make_agent
from pigglesim.chance.tabular import FairChance
from pigglesim.landing import BOARD_SEATS, Seat
from pigglesim.match.runner import play
from pigglesim.tui.piggyback import PiggybackView
from tests.piggyback_table import PLAIN, place
from tests.piggyback_table import play as after

VIEW = PiggybackView(PLAIN)
START = """\
  8   ·    B1   B1   B1   B1   B1   B1   ·
  7   ·    ·    ·    ·    ·    ·    ·    ·
  6   ·    ·    ·    ·    ·    ·    ·    ·
  5  (m)   ·   (y)   ·    ·   (o)   ·   (g)
  4  (g)   ·   (o)   ·    ·   (y)   ·   (m)
  3   ·    ·    ·    ·    ·    ·    ·    ·
  2   ·    ·    ·    ·    ·    ·    ·    ·
  1   ·    A1   A1   A1   A1   A1   A1   ·
      a    b    c    d    e    f    g    h
"""


def drawn(state, viewer):
    return [line.rstrip() for line in VIEW.table(state, viewer).plain.splitlines()]


@pytest.mark.parametrize("viewer", [None, Seat.A])
def test_the_board_is_seen_from_the_viewers_side(viewer):
    assert drawn(PLAIN.initial_state(), viewer) == START.splitlines()


def test_blue_sees_the_board_turned():
    *rows, letters = START.splitlines()
    turned = [f"{8 - row:>3}" for row in range(8)]
    seen = drawn(PLAIN.initial_state(), Seat.B)
    assert [line[:3] for line in seen[:8]] == turned[::-1]
    assert [line[3:].split() for line in seen[:8]] == [
        line[3:].split()[::-1] for line in reversed(rows)
    ]
    assert seen[8].split() == letters.split()[::-1]


def test_stacks_show_their_units_their_abilities_and_a_piece_below():
    state = place("d4:2gy,e5:1", "h8:3oo", "e5:m")
    words = " ".join(drawn(state, Seat.A)).split()
    assert {"A2gy", "A1,", "B3oo"} <= set(words)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (place("d4:1,d3:2", "e5:3y,h8:1", "c5:o"),
         {"d4 to d5", "d4 to e5, attacking a stack of 3 with Luck", "d4 to c5, acquiring Firepower",
          "d4 to c5, leaving Firepower there", "d4 to d3, stacking 3 units", "concede"}),
        (place("d4:1m,a1:1", "h8:1"), {"Warp: swap d4 with a1"}),
        (after(PLAIN, place("d4:1oy", "d5:1,h8:1"), "d4-d5", 3),
         {"roll again by Luck", "stand on 3", "stand on 3 + 1 by Firepower = 4"}),
        (after(PLAIN, place("d4:2", "d5:1,h8:1"), "d4-d5", 3), {"roll again"}),
        (after(PLAIN, place("d4:1g", "h8:1"), "d4-d5"), {"move no further"}),
        (after(PLAIN, place("d4:1", "d5:1m,h8:1"), "d4-d5"), {"fight without a Warp"}),
        (after(PLAIN, place("d4:1", "d5:1oy,h8:1"), "d4-d5", 6, 1, "stand"),
         {"keep Firepower and Luck", "keep Luck", "keep nothing"}),
        (after(PLAIN, place("d4:1", "d5:1,h8:1", bank="g"), "d4-d5", 6, 1),
         {"put a piece from the bank on a4", "take nothing from the bank"}),
    ],
)  # fmt: skip
def test_decisions_are_said_as_people_say_them(state, said):
    actions = PLAIN.legal_actions(state)
    told = [VIEW.say(state, action) for action in actions]
    assert said <= set(told)
    assert len(set(told)) == len(told)


def test_a_match_is_told_to_its_end():
    lines = []
    agents = {seat: make_agent("greedy", game=PLAIN) for seat in BOARD_SEATS}
    for seed in range(4):
        play(
            PLAIN,
            agents=agents,
            chance=FairChance(seed=seed),
            seed=seed,
            on_event=lambda event: lines.extend(VIEW.story(event)),
        )
    told = " | ".join(line.text for line in lines)
    for words in (
        "Red rolls ", "begins", "acquiring Luck", "wins the combat in attack: ",
        "wins the combat in defence: ", "comes back on ", "Out of the game: Firepower", "; units: ",
    ):  # fmt: skip
        assert words in told
