"""Piggyback as numbers: PettingZoo's suites, and every number read back to the position."""

import pytest

import pigglesim.envs.gymnasium  # noqa: F401 (makes its ids known)
from pigglesim.envs.piggyback import PiggybackEncoder
from pigglesim.games.piggyback.state import Ability, PiggybackPhase
from pigglesim.landing import BOARD_SEATS, Seat
from tests.piggyback_table import PLAIN, place
from tests.random_games import walk
from tests.random_piggyback import turn_move, turn_position

ENCODER = PiggybackEncoder(game=PLAIN)


def test_the_usual_board_has_the_numbers_that_the_table_of_actions_tells():
    numbers = {
        "a1-b1": 0, "h8-g8": 419, "a1-b1 take": 420, "warp a1 a1": 840, "warp b1 a1": 904,
        "take a1": 4936, "respawn a1": 5000, "stand": 5064, "stand +2": 5066,
        "keep green green": 5067, "keep nothing": 5081, "pass": 5082, "leave": 5087,
    }  # fmt: skip
    for text, number in numbers.items():
        if text != "leave":
            assert ENCODER.action_number(PLAIN.parse_action(text), Seat.A) == number
    assert ENCODER.action_count == 5087
    # Blue sees the board turned.
    assert ENCODER.action_number(PLAIN.parse_action("h8-g8"), Seat.B) == 0


def test_both_seats_see_the_same_position_alike():
    for seed in range(4):
        for step in walk(PLAIN, seed):
            if step.before.phase is PiggybackPhase.OPENING:
                continue
            for seat, other in (BOARD_SEATS, BOARD_SEATS[::-1]):
                seen = ENCODER.encode(PLAIN.observe(step.before, seat), seat)
                turned = turn_position(step.before)
                again = ENCODER.encode(PLAIN.observe(turned, other), other)
                assert (seen == again).all()
                if PLAIN.turn(step.before) is seat:
                    assert ENCODER.action_number(step.move, seat) == ENCODER.action_number(
                        turn_move(step.move), other
                    )


def test_a_space_tells_stack_piece_and_colour():
    state = place("d4:2gy", "h8:3oo", "a4:g,d4:m")
    seen = ENCODER.encode(PLAIN.observe(state, Seat.B), Seat.B)
    rows = dict(
        zip(ENCODER.layout.blocks[0].rows, ENCODER.layout.split(seen)["spaces"], strict=True)
    )
    names = [column.name for column in ENCODER.layout.blocks[0].columns]

    def told(space):
        return {name: x for name, x in zip(names, rows[space].tolist(), strict=True) if x}

    assert told("a1") == {"own": 1.0, "held_orange": 1.0}
    third = pytest.approx(2 / 3)
    expected = {"other": third, "held_green": 0.5, "held_yellow": 0.5, "lying_mauve": 1.0}
    assert told("e5") == expected
    assert told("h5") == {"lying_green": 1.0, "initial_green": 1.0}
    assert [ability.value for ability in Ability] == ["green", "orange", "yellow", "mauve"]
