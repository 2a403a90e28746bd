"""One seat of a match as an environment of Gymnasium."""

from dataclasses import astuple

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st

import pigglesim.envs.gymnasium as adapter
from pigglesim.envs import pettingzoo
from pigglesim.envs.episode import Policy, encoder_of
from pigglesim.envs.piggles import PigglesEncoder
from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.landing import BOARD_SEATS

both = pytest.mark.parametrize("rules", ["classic", "modern"])


def play_out(env, choose, seed):
    _, info = env.reset(seed=seed)
    over, paid = False, 0.0
    while not over:
        _, reward, over, truncated, info = env.step(choose(env))
        assert not truncated
        paid += reward
    return paid, info


def lowest(env):
    return int(np.flatnonzero(env.action_masks())[0])


def highest(env):
    return int(np.flatnonzero(env.action_masks())[-1])


@both
def test_the_api_is_gymnasiums(rules, capsys):
    # Warnings are errors here: it has nothing to find fault with.
    check_env(gymnasium.make(adapter.IDS[rules]).unwrapped)
    assert "Round 1 of 6" in capsys.readouterr().out


@pytest.mark.parametrize("rules", ["piggyback", "lord_of_the_pigs"])
def test_a_game_that_is_not_drawn_has_no_render_modes(rules):
    env = gymnasium.make(adapter.IDS[rules]).unwrapped
    assert env.metadata["render_modes"] == []
    check_env(env)


def test_an_illegal_action_names_the_rule_that_forbids_it():
    env = adapter.SeatEnv("piggy_six", seat="A", illegal="raises")
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match=r"'stop', by PS1; use one of 0$"):
        env.step(1)


@both
@pytest.mark.parametrize("seat", ["A", "B"])
def test_it_is_the_match_that_pettingzoo_plays(rules, seat):
    alone = adapter.SeatEnv(rules, opponent="greedy", seat=seat)
    paid, info = play_out(alone, highest, seed=8)
    env, greedy = pettingzoo.env(rules), Policy("greedy")
    env.reset(seed=8)
    own = {"A": "player_0", "B": "player_1"}[seat]
    while not env.terminations[agent := env.agent_selection]:
        mask = env.observe(agent)["action_mask"]
        env.step(int(np.flatnonzero(mask)[-1]) if agent == own else greedy(env))
    assert alone.episode.state == env.unwrapped.episode.state
    assert paid == env.rewards[own]
    assert info == env.infos[own]


@both
def test_a_step_ends_where_the_caller_decides(rules):
    env = adapter.SeatEnv(rules, opponent="uniform")
    seats = set()
    for seed in range(12):
        env.reset(seed=seed)
        seats.add(env.seat)
        over = False
        while not over:
            assert env.episode.to_move is env.seat
            _, reward, over, _, info = env.step(lowest(env))
            assert over or reward == 0.0
        assert reward == {"": 0.0, env.seat.value: 1.0}.get(info["winner"], -1.0)
    assert seats == set(BOARD_SEATS)


def test_an_illegal_action_loses_or_raises():
    env = adapter.SeatEnv("classic", seat="A")
    env.reset(seed=1)
    env.step(0b111111)
    illegal = int(np.flatnonzero(~env.action_masks())[0])
    _, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert f"action {illegal} " in info["illegal"]
    assert not env.action_masks().any()
    with pytest.raises(IllegalActionError, match=r"call reset\(\)"):
        env.step(0)
    env.reset(seed=1)
    assert env.action_masks().all()


@pytest.mark.parametrize(
    ("options", "remedy"), [({"seat": "C"}, "A, B, either"), ({"opponent": "gredy"}, "greedy")]
)
def test_a_wrong_option_is_reported_with_its_remedy(options, remedy):
    with pytest.raises(SpecError, match=remedy):
        adapter.SeatEnv(**options)
    with pytest.raises(SpecError, match="seed -1"):
        adapter.SeatEnv().reset(seed=-1)


def test_a_learner_may_aim_within_the_rules():
    env = gymnasium.make("PigglesClassic-v0", opponent="greedy", aim=True, seat="A").unwrapped
    env.reset(seed=4)
    env.action_space.seed(4)
    hold = np.array([9.0, 0.12, 0.0, -0.2, 0.5])
    env.step({"action": 63, "hold": hold})
    assert env.episode.decisions >= 1
    while env.episode.to_move is not None:
        number = int(np.flatnonzero(env.action_masks())[0])
        env.step({"action": number, "hold": env.action_space["hold"].sample()})
    with pytest.raises(SpecError, match="no cup to aim"):
        gymnasium.make("PigPile-v0", aim=True)


@given(hold=st.tuples(*[st.floats(-20.0, 20.0)] * 5))
def test_every_hold_becomes_a_legal_one(hold):
    game = PigglesClassic()
    state, load = game.initial_state(), Load(("A1", "A2"))
    held = encoder_of(game).held(load, hold)
    assert held.hold is not None
    assert game.is_legal(state, held)
    inside = all(
        low <= x <= high for x, low, high in zip(hold, *PigglesEncoder.hold_bounds, strict=True)
    )
    assert not inside or astuple(held.hold) == pytest.approx(hold)
