"""Lord of the P.I.G.S. as an environment: PettingZoo's suites, numbers for actions, no secrets."""

import numpy as np
import pytest

from pigglesim.chance_types import ShuffleResult
from pigglesim.envs.episode import encoder_of
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.lord_of_the_pigs.state import LordPhase
from pigglesim.landing import Seat
from tests.random_games import walk
from tests.random_lord import NEXT, at, turn_position
from tests.unit.games.test_lord_properties import permuted

GAME = LordOfThePigs()
ENCODER = encoder_of(GAME)


@pytest.mark.parametrize("seed", range(2))
def test_every_position_lies_within_the_bounds_and_goes_round_with_the_actors(seed):
    low, high = ENCODER.layout.low, ENCODER.layout.high
    for move in walk(GAME, seed):
        turned = turn_position(move.after)
        for seat in GAME.seats:
            numbers = ENCODER.encode(GAME.observe(move.after, seat), seat)
            assert numbers.shape == (ENCODER.layout.size,)
            assert (low <= numbers).all()
            assert (numbers <= high).all()
            same = ENCODER.encode(GAME.observe(turned, NEXT[seat]), NEXT[seat])
            assert np.array_equal(numbers, same)


def test_nothing_hidden_is_in_the_numbers():
    rng = np.random.default_rng(0)
    for move in walk(GAME, 3):
        if isinstance(move.move, ShuffleResult):
            continue
        for seat in GAME.seats:
            other = permuted(move.after, seat, rng)
            numbers = ENCODER.encode(GAME.observe(move.after, seat), seat)
            assert np.array_equal(numbers, ENCODER.encode(GAME.observe(other, seat), seat))


def test_numbers_by_hand():
    state = at(
        LordPhase.VOTING,
        hands={"Banker": "C1 C1 R3"},
        table=[("Energy.U1", "Banker:C2 President:C1 +")],
        ratings=(1, 2, 3, 4),
        asked=["Banker"],
    )
    numbers = ENCODER.encode(GAME.observe(state, Seat.B), Seat.B)

    def column(block, name):
        return ENCODER.layout.column(numbers, block, name).tolist()

    assert column("actors", "rating") == pytest.approx([0.2, 0.3, 0.4, 0.1])
    assert column("actors", "first") == [0.0, 0.0, 0.0, 1.0]
    assert column("cards", "hand")[:13] == [2.0] + [0.0] * 11 + [1.0]
    assert sum(column("cards", "hand")) == 3.0
    assert column("cards", "voted")[1] == 1.0
    # The Energy Tycoon sits opposite: 29 own cards, 29 of the next, 18 commons, then U1.
    row = 29 + 29 + 18
    assert np.flatnonzero(column("actions", "there")).tolist() == [row]
    names = ("votes_own", "votes_next", "votes_opposite", "votes_before", "added", "missing")
    assert [column("actions", name)[row] for name in names] == [1.0, 0.0, 0.0, 1.0, 1.0, 0.0]
    assert column("table", "to_move") == [1.0]
