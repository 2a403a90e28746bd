"""PettingZoo's own suites, and what they do not ask: rules, seeds, rewards, illegal actions."""

import subprocess
import sys
import warnings
from functools import partial

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.test.state_test import test_state as pettingzoo_state_test
from pettingzoo.test.state_test import test_state_space as pettingzoo_state_space_test

from pigglesim.agents.registry import make_agent
from pigglesim.chance.odds import load_odds
from pigglesim.chance.tabular import TabularChance
from pigglesim.envs import pettingzoo
from pigglesim.envs.episode import Policy, rule_names
from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import Concede, Result
from pigglesim.games.piggy_six import PiggySixReason, PiggySixState
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS, Seat
from pigglesim.match.runner import play
from tests.support.secrets_of import found

RULES = ("classic", "modern")
EXPECTED_WARNINGS = {
    # PettingZoo tells these of every environment with an action mask that is not its own.
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or "
    "gymnasium.spaces.discrete",
}
both = pytest.mark.parametrize("rules", RULES)
six = partial(pettingzoo.env, "piggy_six")


def play_out(env, choose, seed=None):
    """Play a match; the actions, and what each player was paid."""
    env.reset(seed=seed)
    actions, paid = [], dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last(observe=False)
        paid[agent] += reward
        action = None if terminated or truncated else choose(env)
        if action is not None:
            actions.append(action)
        env.step(action)
    return actions, paid


def sampled(rng):
    """Choose uniformly by the mask alone."""
    return lambda env: int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"])))


@pytest.mark.parametrize("rules", rule_names())
def test_the_api_is_pettingzoos(rules):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        api_test(pettingzoo.env(rules), num_cycles=50)
        api_test(pettingzoo.raw_env(rules, rewards="score", concede=True), num_cycles=50)
    messages = {str(warning.message) for warning in warned}
    assert messages == EXPECTED_WARNINGS


@pytest.mark.parametrize("rules", rule_names())
def test_seeds_and_states_are_pettingzoos(rules):
    seed_test(lambda: pettingzoo.env(rules), num_cycles=50)
    env = pettingzoo.env(rules)
    pettingzoo_state_space_test(env)
    pettingzoo_state_test(env, num_cycles=10)


@both
def test_every_render_mode_is_pettingzoos(rules, capsys):
    kinds = {"ansi": lambda text: "Round 1 of 6 · Load · A (South)" in text or "B1" in text}
    render_test(lambda render_mode: pettingzoo.env(rules, render_mode=render_mode), kinds)
    assert "Round 1 of 6 · Load · A (South)" in capsys.readouterr().out


@both
def test_the_mask_holds_just_the_legal_actions(rules):
    env = pettingzoo.env(rules, concede=True)
    rng = np.random.default_rng(3)
    for seed in range(6):
        env.reset(seed=seed)
        episode = env.unwrapped.episode
        for agent in env.agent_iter():
            if env.terminations[agent]:
                assert not env.observe(agent)["action_mask"].any()
                env.step(None)
                continue
            (other,) = set(env.possible_agents) - {agent}
            assert not env.observe(other)["action_mask"].any()
            numbers = np.flatnonzero(env.observe(agent)["action_mask"])
            seat = episode.to_move
            shown = {episode.action_at(int(number), seat) for number in numbers}
            assert shown == set(episode.game.legal_actions(episode.state))
            assert Concede() in shown
            env.step(int(rng.choice(numbers[:-1])))


@both
def test_conceding_is_no_action_unless_the_option_is_set(rules):
    without, asked = pettingzoo.env(rules), pettingzoo.env(rules, concede=True)
    count = without.action_space("player_0").n
    assert asked.action_space("player_0").n == count + 1
    _, paid = play_out(asked, lambda env: count, seed=1)
    assert paid == {"player_0": -1.0, "player_1": 1.0}
    without.reset(seed=1)
    with pytest.raises(AssertionError):
        without.step(count)


@both
@pytest.mark.parametrize("agents", [("uniform", "greedy"), ("greedy", "uniform")])
def test_policies_play_the_match_of_the_same_seed(rules, agents):
    env = pettingzoo.env(rules)
    players = dict(zip(env.possible_agents, map(Policy, agents), strict=True))
    game = make_game(env.unwrapped.episode.game.name)
    for seed in (5, 6):
        play_out(env, lambda env: players[env.agent_selection](env), seed=seed)
        match = play(
            game,
            agents={seat: make_agent(name) for seat, name in zip(BOARD_SEATS, agents, strict=True)},
            chance=TabularChance(seed=seed, odds=load_odds("piggle")),
            seed=seed,
        )
        state = env.unwrapped.episode.state
        assert game.format_state(state) == game.format_state(match.state)


@both
def test_the_same_seed_is_the_same_trajectory(rules):
    def trajectory(env, seeds):
        seen = []
        rng = np.random.default_rng(1)
        for seed in seeds:
            env.reset(seed=seed)
            choose = sampled(rng)
            for agent in env.agent_iter():
                seed = env.unwrapped.episode.seed
                seen.append((env.observe(agent)["observation"].tobytes(), seed))
                env.step(None if env.terminations[agent] else choose(env))
        return seen

    first = trajectory(pettingzoo.env(rules), (9, None, None))
    assert first == trajectory(pettingzoo.env(rules, seed=9), (None, None, None))
    # Matches without a seed of their own differ from each other.
    assert len({seed for _, seed in first}) == 3
    other = pettingzoo.env(rules)
    play_out(other, Policy("uniform"), seed=4)
    assert first == trajectory(other, (9, None, None))
    assert first != trajectory(other, (8, None, None))


@both
@pytest.mark.parametrize("rewards", ["result", "score"])
def test_rewards_cancel_and_follow_the_result(rules, rewards):
    env = pettingzoo.env(rules, rewards=rewards)
    results = set()
    for seed in range(12):
        env.reset(seed=seed)
        choose = sampled(np.random.default_rng(seed))
        while not env.terminations[env.agent_selection]:
            assert set(env.rewards.values()) == {0.0}
            env.step(choose(env))
        paid = dict(env.rewards)
        assert sum(paid.values()) == 0.0
        info = env.infos["player_0"]
        lead = info["scores"]["A"] - info["scores"]["B"]
        won = {"A": 1.0, "B": -1.0, "": 0.0}[info["winner"]]
        assert paid["player_0"] == (won if rewards == "result" else lead)
        results.add(won)
    assert {1.0, -1.0} <= results


def some_illegal(env):
    """Play a little; a number outside the mask where that has led to."""
    env.reset(seed=1)
    for _ in range(4):
        env.step(Policy("greedy")(env))
    return int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)[0])


@both
def test_an_illegal_action_loses(rules):
    for rewards, penalty in (("result", -1.0), ("score", -108.0)):
        env = pettingzoo.env(rules, rewards=rewards)
        illegal = some_illegal(env)
        mover = env.agent_selection
        env.step(illegal)
        assert env.rewards == {**dict.fromkeys(env.possible_agents, 0.0), mover: penalty}
        assert all(env.terminations.values())
        assert Policy("greedy")(env) is None


@both
def test_an_illegal_action_raises_if_the_option_is_set(rules):
    env = pettingzoo.env(rules, illegal="raises")
    illegal, episode = some_illegal(env), env.unwrapped.episode
    before, legal = episode.state, next(iter(episode.legal))
    named = episode.game.format_action(episode.action_at(illegal, episode.to_move))
    with pytest.raises(IllegalActionError, match=f"action {illegal} .*'{named}'.*{legal}"):
        env.step(illegal)
    assert episode.state is before
    env.step(legal)
    assert episode.state is not before


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"rules": "clasic"}, "classic"),
        ({"chance": "tabluar"}, "tabular"),
        ({"rewards": "results"}, "result"),
        ({"illegal": "raise"}, "raises"),
        ({"render_mode": "ANSI"}, "ansi"),
        ({"house_rules": {"mud_dely": "none"}}, "mud_delay"),
        ({"engine": "bullet"}, "--engine.*--chance physical"),
        ({"chance": "physical", "odds": "piggle"}, "--odds.*--chance tabular"),
        ({"rules": "pig_pile", "scene": "piggles_classic"}, "no scene"),
        ({"seed": -1}, "seed=7"),
    ],
)
def test_a_wrong_option_is_reported_with_its_remedy(options, remedy):
    with pytest.raises(SpecError, match=remedy):
        pettingzoo.env(**options)


def test_a_shared_win_pays_those_who_share_it_alike():
    env = six(house_rules={"players": 3}).unwrapped
    env.reset(seed=1)
    env.episode.state = PiggySixState(
        bank=(100, 100, 7),
        active=Seat.C,
        result=Result(winner=None, reason=PiggySixReason.POINTS, shared=(Seat.A, Seat.B)),
    )
    assert env.episode.final_rewards() == {Seat.A: 0.25, Seat.B: 0.25, Seat.C: -0.5}


def test_positions_are_shown_as_text_and_image():
    env = six(render_mode="ansi", house_rules={"target": 20})
    env.reset(seed=2)
    assert "▸ Player A   0 ····················" in env.render()
    env.step(0)
    picture = six(render_mode="rgb_array", house_rules={"target": 20})
    picture.reset(seed=2)
    first = picture.render()
    assert first.shape[2] == 3
    for _ in range(3):
        picture.step(int(np.flatnonzero(picture.last()[0]["action_mask"])[0]))
    assert first.shape == picture.render().shape
    assert (first != picture.render()).any()


def test_dice_can_be_poured_on_physics():
    env = six(chance="physical", house_rules={"target": 5})
    env.reset(seed=3)
    env.step(0)
    assert env.unwrapped.episode.events[0] == "roll"
    assert "[" in env.unwrapped.episode.events[1]


@pytest.mark.parametrize("library", ["pettingzoo", "gymnasium"])
def test_importing_without_the_library_names_the_extra(library):
    code = f"import sys; sys.modules[{library!r}] = None; import pigglesim.envs.{library}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert f"need {library}; " in last
    assert last.endswith(" -m pip install pettingzoo gymnasium")


def test_nothing_hidden_is_shown():
    env = pettingzoo.env("pig_pile")
    play_out(env, sampled(np.random.default_rng(1)), seed=1)
    assert env.unwrapped.episode.events
    assert all(info["events"] == [] for info in env.infos.values())


def test_infos_have_observations_as_text_if_the_option_is_set():
    env = pettingzoo.env("pig_pile", observation_strings=True)
    env.reset(seed=3)
    game, state = env.unwrapped.episode.game, env.unwrapped.episode.state
    texts = [env.infos[agent]["observation_string"] for agent in env.agents]
    assert texts == [game.observation_string(state, seat) for seat in game.seats]
    assert "?" in texts[0]
    env = six()
    env.reset(seed=3)
    assert "observation_string" not in env.last()[-1]


def test_a_learner_aims_without_the_wrappers():
    env = pettingzoo.raw_env("classic", aim=True)
    env.reset(seed=3)
    agent = env.agent_selection
    env.step({"action": 1, "hold": env.action_space(agent)["hold"].high})
    assert env.episode.events[0].startswith("load A1 at 0.165")
    with pytest.raises(SpecError, match="without a hold"):
        pettingzoo.env("classic", aim=True)


def test_a_game_is_known_by_its_own_name_too():
    names = ["piggles_modern", "piggyback"]
    games = [pettingzoo.env(name).unwrapped.episode.game.name for name in names]
    assert games == names


@pytest.mark.parametrize("rules", ["pig_pile", "classic"])
def test_no_agent_learns_the_seed_before_the_end(rules):
    env = pettingzoo.env(rules, observation_strings=True)
    env.reset()
    seed, seen, rng = env.unwrapped.episode.seed, [], np.random.default_rng(2)
    assert seed.bit_length() > 100
    for _ in env.agent_iter():
        observation, reward, ended, _, info = env.last()
        if ended or len(seen) > 200:
            break
        seen += [observation["observation"].tobytes(), repr((reward, info))]
        env.step(rng.choice(np.flatnonzero(observation["action_mask"])))
    assert len(seen) > 20
    assert not found(seed, seen)
    assert not ended or info["seed"] == seed
