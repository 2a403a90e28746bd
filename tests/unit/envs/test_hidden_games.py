"""A game with hidden information, and what an environment of it shows."""

import warnings
from dataclasses import dataclass

import numpy as np
from pettingzoo.test import api_test

from pigglesim.envs.encoding import ActionList, Block, Column, Encoder, FeatureLayout
from pigglesim.envs.episode import LearningTable
from pigglesim.envs.pettingzoo import MatchEnv
from tests.tiny_games import UP, Coin, RaceState, SecretRace


@dataclass(frozen=True, slots=True, kw_only=True)
class Told(SecretRace):
    """The race of which a player sees the lead and no points, with what a record needs."""

    def round_of(self, state):
        return 1 + state.turns // 2

    def format_outcome(self, state, outcome):
        return "three" if outcome.landings[0][1].orientation is UP else "none"


@dataclass(frozen=True, kw_only=True)
class RaceEncoder(Encoder[str]):
    """Two actions, and two numbers: turns done, and who leads by how much."""

    open_play = False
    full_score = 12
    layout = FeatureLayout(
        blocks=(
            Block(
                name="race",
                rows=("race",),
                columns=(
                    Column("turns", "turns done", high=4.0),
                    Column("lead", "A's points less B's", low=-12.0, high=12.0),
                ),
            ),
        )
    )

    def rows(self, observation, seat):
        turns, lead = observation
        return (({"turns": turns, "lead": lead},),)

    def actions(self, seat):
        return ActionList(("take", "roll"))


@dataclass(frozen=True)
class Source:
    """Answers each roll from a stream of its own."""

    seed: int

    def answer(self, request, *, index):
        return Coin(up=0.5).draw(request, rng=np.random.default_rng((self.seed, index)))

    def provenance(self):
        return {}


def race():
    return MatchEnv(LearningTable(game=Told(), encoder=RaceEncoder(), chance_of=Source))


def test_a_game_of_its_own_is_an_environment():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        api_test(race(), num_cycles=20)
    assert {str(warning.message) for warning in told} == {
        # Of any environment with an action mask; and this game begins with two zeros.
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be gymnasium.spaces.box or "
        "gymnasium.spaces.discrete",
        "Observation numpy array is all zeros.",
    }


def test_nothing_hidden_is_shown():
    env = race()
    env.reset(seed=1)
    env.step(0)
    shown = []
    for unseen in (0, 5):
        env.episode.state = RaceState(points=(unseen + 1, unseen), turns=1)
        for agent in env.possible_agents:
            assert env.observe(agent)["observation"].tolist() == [1.0, 1.0]
        shown.append([env.episode.info(seat) for seat in env.episode.seats])
    assert shown[0] == shown[1]
    assert shown[0][0]["told"] == []
