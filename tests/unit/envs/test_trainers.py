"""A learner of another library learns in the environments, by their masks, texts and rewards."""

from math import sqrt

import gymnasium
import numpy as np
import pytest
from open_spiel.python.algorithms.tabular_qlearner import QLearner
from open_spiel.python.rl_environment import StepType, TimeStep

import pigglesim.envs.gymnasium  # noqa: F401 (registers its ids)
from pigglesim.envs import pettingzoo

MATCHES = 2000
TABLE = {"house_rules": {"target": 10}, "observation_strings": True}
"""Piggy Six to 10 points: some thousand observations."""

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def same_exploration():
    np.random.seed(1)  # noqa: NPY002 (where OpenSpiel draws from)


def step(seen, reward, over, info):
    """Return a step of an environment as OpenSpiel's agents take it."""
    seats = len("AB")
    observations = {
        "info_state": [info["observation_string"]] * seats,
        "legal_actions": [np.flatnonzero(seen["action_mask"]).tolist()] * seats,
    }
    kind = StepType.LAST if over else StepType.MID
    return TimeStep(observations, [reward] * seats, [1.0] * seats, kind)


def expect_better_than_even(rewards):
    """Expect the 95 % interval of the share of the win to be above one half."""
    shares = (np.array(rewards) + 1.0) / 2.0
    assert shares.mean() - 1.96 * shares.std() / sqrt(len(shares)) > 0.5


def play(env, players):
    """Play a match of learners in turn, and return the reward of each."""
    env.reset()
    rewards = {}
    for agent in env.agent_iter():
        seen, reward, over, _, info = env.last()
        output = players[agent](step(seen, reward, over, info))
        rewards[agent] = reward
        env.step(None if over else int(output.action))
    return rewards


def test_learners_of_openspiel_learn_to_play_each_other_in_pettingzoo():
    env = pettingzoo.env("piggy_six", seed=1, **TABLE)
    names = env.possible_agents
    learners = {name: QLearner(at, env.action_space(name).n) for at, name in enumerate(names)}
    for _ in range(5 * MATCHES):
        play(env, {name: learner.step for name, learner in learners.items()})
    rng, rewards = np.random.default_rng(1), []

    class Uniform:
        def __init__(self, seen):
            self.action = rng.choice(seen.observations["legal_actions"][0] or [0])

    for number in range(MATCHES):
        mine = names[number % 2]
        trained = learners[mine]
        players = dict.fromkeys(names, Uniform)
        players[mine] = lambda seen, trained=trained: trained.step(seen, is_evaluation=True)
        rewards.append(play(env, players)[mine])
    expect_better_than_even(rewards)


def test_a_learner_of_openspiel_learns_to_beat_an_agent_in_gymnasium():
    env = gymnasium.make("PiggySix-v0", opponent="uniform", **TABLE)
    env.reset(seed=1)
    learner = QLearner(0, env.action_space.n)

    def play_once(evaluate):
        seen, info = env.reset()
        reward, over = 0.0, False
        while output := learner.step(step(seen, reward, over, info), is_evaluation=evaluate):
            if over:
                break
            seen, reward, over, _, info = env.step(int(output.action))
        return reward

    for _ in range(5 * MATCHES):
        play_once(False)
    expect_better_than_even([play_once(True) for _ in range(MATCHES)])
