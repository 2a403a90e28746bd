"""Piggles as numbers: every number means what the layout says, and every action has one number."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.envs.episode import encoder_of
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import PigglesClassic, PigglesModern
from pigglesim.games.piggles.state import Act, Done
from pigglesim.landing import BOARD_SEATS, Landing, Orientation, RestPlace, Seat, Zone
from tests import random_piggles
from tests.random_games import GAMES, walk
from tests.unit.envs.positions import read_position, told_by_numbers

any_game = st.one_of(GAMES["piggles_classic"], GAMES["piggles_modern"])


@settings(max_examples=25, deadline=None)
@given(game=any_game, seed=st.integers(0, 10_000))
def test_positions_come_back_from_their_numbers(game, seed):
    encoder = encoder_of(game)
    for move in walk(game, seed):
        for seat in BOARD_SEATS:
            numbers = encoder.encode(game.observe(move.after, seat), seat)
            assert numbers.dtype == np.float32
            assert np.all(encoder.layout.low <= numbers)
            assert np.all(numbers <= encoder.layout.high)
            position, lineup = read_position(
                encoder.layout, numbers, seat, rounds=game.rules.rounds
            )
            assert position == told_by_numbers(move.after)
            assert lineup == game.lineup


@settings(max_examples=15, deadline=None)
@given(game=any_game, seed=st.integers(0, 10_000))
def test_both_seats_see_the_same_from_their_own_side(game, seed):
    turned = random_piggles.turn_game(game)
    encoder, other = encoder_of(game), encoder_of(turned)
    for move in walk(game, seed):
        for seat in BOARD_SEATS:
            here = encoder.encode(game.observe(move.before, seat), seat)
            there = random_piggles.turn_position(move.before)
            seen = other.encode(turned.observe(there, seat.other), seat.other)
            assert np.array_equal(here, seen)
            if seat is not move.before.active or not isinstance(move.move, Load | Act | Done):
                continue
            own = encoder.action_number(move.move, seat)
            assert own == other.action_number(random_piggles.turn_move(move.move), seat.other)


def test_actions_stand_where_they_are_documented():
    classic, modern = map(encoder_of, (PigglesClassic(), PigglesModern()))
    for encoder in (classic, modern):
        assert encoder.action_at(0, Seat.A) == Load()
        assert encoder.action_at(0b000101, Seat.A) == Load(("A1", "A3"))
        assert encoder.action_at(0b000101, Seat.B) == Load(("B1", "B3"))
    assert modern.action_at(64, Seat.B) == Load(("A1",))
    assert modern.action_at(2509, Seat.A) == Load(tuple(f"B{k}" for k in range(1, 7)))
    assert modern.action_at(2510 + 12 * 0 + 7, Seat.A) == Act("A1", "B2")
    assert modern.action_at(2510 + 12 * 6 + 1, Seat.A) == Act("B1", "A2")
    assert modern.action_at(2654, Seat.A) == Done()
    assert (classic.action_count, modern.action_count) == (64, 2655)


@pytest.mark.parametrize(("seat", "right", "ahead"), [(Seat.A, 0.5, -0.25), (Seat.B, -0.5, 0.25)])
def test_places_turn_with_the_seat(seat, right, ahead):
    game = PigglesClassic()
    encoder = encoder_of(game)
    half = 6.5 * 0.0254
    place = RestPlace(position=(0.5 * half, -0.25 * half, 0.01), rotation=(0, 0, 0, 1))
    at = Landing(orientation=Orientation.SNOUT_UP, zone=Zone.PATH_INNER, place=place)
    far = replace(at, place=RestPlace(position=(9.0, 0.0, 0.01), rotation=(0, 0, 0, 1)))
    start = game.initial_state()
    pen = replace(start.a, pen=start.a.pen[2:])
    position = replace(start, a=pen, board=(("A1", at), ("A2", far)))
    numbers = encoder.encode(game.observe(position, seat), seat)
    row = 0 if seat is Seat.A else 6

    def told(name, k=0):
        return encoder.layout.column(numbers, "piggles", name)[row + k]

    assert told("placed") == 1.0
    assert told("right") == pytest.approx(right)
    assert told("ahead") == pytest.approx(ahead)
    assert told("right", 1) == (2.0 if seat is Seat.A else -2.0)
    assert encoder.layout.column(numbers, "piggles", "placed").sum() == 2.0
