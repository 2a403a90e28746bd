"""Piggy Six as an environment: PettingZoo's own suites, and that its numbers are the position."""

import numpy as np
import pytest

from pigglesim.envs import gymnasium as _registers  # noqa: F401
from pigglesim.envs import pettingzoo
from pigglesim.envs.piggy_six import PiggySixEncoder
from pigglesim.games.game import Result
from pigglesim.games.piggy_six import DiceRoll, PiggySixReason, PiggySixState, Stop
from pigglesim.games.registry import make_game
from pigglesim.landing import Seat


def made(**options):
    return pettingzoo.env("piggy_six", **options)


def test_numbers_are_the_position_as_the_player_sees_it():
    game = make_game("piggy_six", {"players": 3, "three_dice": True})
    encoder = PiggySixEncoder(game=game)
    state = PiggySixState(bank=(10, 20, 130), active=Seat.B, total=25, rolls=2, dice=3, round=4)
    seen = encoder.layout.split(encoder.encode(game.observe(state, Seat.B), Seat.B))
    wanted = [[0.2, 1, 0, 0], [1.3, 0, 1, 0], [0.1, 0, 0, 0]]
    assert seen["players"] == pytest.approx(np.array(wanted))
    assert seen["table"][0] == pytest.approx([0.25, 0.02, 0, 0, 1, 0.004, 0])
    assert [encoder.action_at(n, Seat.A) for n in range(4)] == [
        DiceRoll(1),
        DiceRoll(2),
        DiceRoll(3),
        Stop(),
    ]
    far = PiggySixState(
        bank=(999, 0, 0), result=Result(winner=Seat.A, reason=PiggySixReason.POINTS)
    )
    row = encoder.encode(game.observe(far, Seat.A), Seat.A)
    assert (row <= encoder.layout.high).all()
    assert encoder.layout.split(row)["table"][0, -1] == 1.0


def test_a_shared_win_pays_those_who_share_it_alike():
    env = made(house_rules={"players": 3}).unwrapped
    env.reset(seed=1)
    env.episode.state = PiggySixState(
        bank=(100, 100, 7),
        active=Seat.C,
        result=Result(winner=None, reason=PiggySixReason.POINTS, shared=(Seat.A, Seat.B)),
    )
    assert env.episode.paid() == {Seat.A: 0.25, Seat.B: 0.25, Seat.C: -0.5}


def test_positions_are_shown_as_text_and_image():
    env = made(render_mode="ansi", house_rules={"target": 20})
    env.reset(seed=2)
    assert "> A ........................................ 0" in env.render()
    env.step(0)
    picture = made(render_mode="rgb_array", house_rules={"target": 20})
    picture.reset(seed=2)
    first = picture.render()
    assert first.shape[2] == 3
    for _ in range(3):
        picture.step(int(np.flatnonzero(picture.last()[0]["action_mask"])[0]))
    assert first.shape == picture.render().shape
    assert (first != picture.render()).any()


def test_dice_can_be_poured_on_physics():
    env = made(chance="physical", house_rules={"target": 5})
    env.reset(seed=3)
    env.step(0)
    assert env.unwrapped.episode.events[0] == "roll"
    assert "[" in env.unwrapped.episode.events[1]
