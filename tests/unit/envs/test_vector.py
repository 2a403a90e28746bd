"""Many matches in compiled code are those of the rules, step by step."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import pigglesim.envs.gymnasium as adapter
from pigglesim.agents.places import next_bits
from pigglesim.envs.episode import game_of
from pigglesim.envs.vector import MAX_PLACES, SeatVectorEnv
from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.piggles.state import PigglesPhase
from tests.support.mirrored_matches import compare

WORN = {
    "team_a": "yellow+adjacent blue+left red+across green+right orange+split blue+arrow_cw",
    "team_b": "red+arrow_ccw red+spiral_cw red+spiral_ccw yellow+across blue+adjacent green+split",
}
TEAMS = {name: ",".join(f"piggle+{each}" for each in worn.split()) for name, worn in WORN.items()}
CAPTURES = {"team_a": "piggle+yellow+adjacent", "team_b": "piggle+blue+adjacent"}
"""Yellow Piggles shield one another's targets, and Blue's rolls capture."""
RULES = ("classic", "modern", "pig_pile", "piggy_six", "piggyback")
PILE_RULES = {
    "players": 3,
    "draw_to": "four",
    "two_player_reverse": True,
    "join_zones": True,
    "voluntary_pickup": True,
    "wash_any_time": True,
    "wild_mix": True,
    "rounds": 3,
}


@pytest.mark.parametrize(
    ("rules", "opponent", "options"),
    [
        ("classic", "greedy", {}),
        ("classic", "threshold:5", {"seat": "B", "team_a": "premium"}),
        ("classic", "uniform", {"house_rules": {"alternate_start": True, "rounds": 7}}),
        ("modern", "greedy", TEAMS),
        ("modern", "uniform", CAPTURES),
        ("modern", "greedy", {**TEAMS, "house_rules": {"actors": "all_own_up", "rounds": 5}}),
        ("pig_pile", "greedy", {}),
        ("pig_pile", "greedy", {"house_rules": {"players": 4, "advanced_deal": True}}),
        ("pig_pile", "uniform", {"seat": "B", "house_rules": PILE_RULES}),
        ("pig_pile", "uniform", {"house_rules": {"players": 5, "rounds": 4, "turn_cap": 12}}),
        ("piggyback", "greedy", {}),
        ("piggyback", "greedy", {"seat": "B", "house_rules": {"merge_rule": "en", "cap": 60}}),
        ("piggyback", "uniform", {"seat": "A", "house_rules": {"start": "blue", "cap": 200}}),
        ("piggy_six", "greedy", {}),
        ("piggy_six", "hold:9", {"house_rules": {"end": "race", "target": 30}}),
        ("piggy_six", "uniform", {"seat": "C", "house_rules": {"players": 4, "target": 25}}),
        ("piggy_six", "greedy", {"house_rules": {"three_dice": True, "must_roll": False}}),
        ("piggy_six", "greedy", {"house_rules": {"players": 3, "round_cap": 6, "roll_cap": 4}}),
    ],
)
def test_every_step_is_that_of_the_rules(rules, opponent, options):
    matches, decisions, _ = compare(
        rules, places=6, matches=12, seed=11, opponent=opponent, **options
    )
    assert matches >= 12
    assert decisions > 60


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_thousands_of_matches_are_those_of_the_rules(rules):
    options, matches = TEAMS if rules == "modern" else {}, 150 if rules == "pig_pile" else 1500
    found = compare(rules, places=100, matches=matches, seed=5, opponent="uniform", **options)
    assert found[0] >= matches
    assert PigglesPhase.SUDDEN in found[2] or "piggles" not in game_of(rules)


def play(env, steps, seed):
    """Take random legal actions; return everything that was seen."""
    rng, (seen, _) = np.random.default_rng(1), env.reset(seed=seed)
    found = []
    for _ in range(steps):
        actions = (rng.random(seen["action_mask"].shape) * seen["action_mask"]).argmax(axis=1)
        seen, rewards, ended, _, infos = env.step(actions)
        found.append((seen, rewards, ended, infos))
    return found


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_seeds_reproduce_at_any_number_of_places(mode):
    def rows(places, seed):
        env = SeatVectorEnv("classic", num_envs=places, autoreset_mode=mode)
        seen, _ = env.reset(seed=seed)
        found = [seen["observation"].copy()]
        for _ in range(20):
            # The lowest legal load but the empty one, which depends on the place alone.
            actions = seen["action_mask"][:, 1:].argmax(axis=1) + seen["action_mask"][:, 1:].any(1)
            seen, rewards, _, _, _ = env.step(actions)
            found.append(np.column_stack([seen["observation"], rewards]))
        return found

    few, many = rows(3, 7), rows(10, [9, *range(100, 107), 8, 7])
    for a, b in zip(few, many, strict=True):
        assert np.array_equal(a, b[[9, 8, 0]])
    assert any((a != b).any() for a, b in zip(few, rows(3, 8), strict=True))


def test_the_next_match_begins_as_its_mode_says():
    steps = {
        mode: play(SeatVectorEnv("classic", num_envs=1, seat="A", autoreset_mode=mode), 30, 4)
        for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)
    }
    later = next(at for at, (*_, ended, _) in enumerate(steps[AutoresetMode.NEXT_STEP]) if ended[0])
    last, rewards, _, infos = steps[AutoresetMode.NEXT_STEP][later]
    assert not last["action_mask"].any()
    assert rewards[0] in {-1.0, 0.0, 1.0}
    assert infos["_scores"][0]
    begun, rewards, ended, infos = steps[AutoresetMode.NEXT_STEP][later + 1]
    assert (rewards[0], ended[0], infos) == (0.0, False, {})
    assert begun["action_mask"].sum() == 64
    same, rewards, ended, infos = steps[AutoresetMode.SAME_STEP][later]
    assert ended[0]
    assert np.array_equal(infos["final_obs"][0]["observation"], last["observation"][0])
    assert np.array_equal(same["observation"], begun["observation"])
    assert set(infos) == {"final_obs", "_final_obs", "final_info", "_final_info"}


def test_without_autoreset_a_mask_says_where_the_next_match_begins():
    env = SeatVectorEnv("classic", num_envs=4, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=1)
    seen, rewards, ended, _, _ = env.step(np.array([0, 64, 0, 999]))
    assert rewards.tolist() == [0.0, -1.0, 0.0, -1.0]
    assert ended.tolist() == [False, True, False, True]
    assert not seen["action_mask"][[1, 3]].any()
    with pytest.raises(SpecError, match="match 1 is over"):
        env.step(np.zeros(4, dtype=int))
    before = seen["observation"].copy()
    seen, _ = env.reset(options={"reset_mask": ended})
    assert np.array_equal(seen["observation"][~ended], before[~ended])
    assert seen["action_mask"][[1, 3]].any(axis=1).all()
    env.step(np.zeros(4, dtype=int))


def test_an_illegal_action_raises_and_changes_nothing():
    env = SeatVectorEnv("modern", num_envs=3, illegal="raises")
    seen, _ = env.reset(seed=1)
    before = seen["observation"].copy()
    for action in (-1, 64, 2654, 10**9):
        with pytest.raises(IllegalActionError, match=f"action {action} of match 1 is illegal"):
            env.step(np.array([0, action, 0]))
    assert np.array_equal(env._seen["observation"], before)
    assert np.array_equal(env.reset(seed=1)[0]["observation"], before)


def test_the_reward_by_score_is_the_difference():
    env = SeatVectorEnv("classic", num_envs=50, rewards="score")
    seen, _ = env.reset(seed=3)
    for _ in range(6):
        highest = seen["action_mask"].shape[1] - 1 - seen["action_mask"][:, ::-1].argmax(axis=1)
        seen, rewards, ended, _, infos = env.step(highest)
    assert ended.all()
    lead = infos["scores"]["A"] - infos["scores"]["B"]
    assert np.array_equal(rewards, np.where(env.seats == 0, lead, -lead))
    env.reset(seed=3)
    assert env.step(np.full(50, 64))[1].tolist() == [-108.0] * 50


def test_returned_arrays_are_new_unless_copies_are_switched_off():
    for copy in (True, False):
        env = SeatVectorEnv("classic", num_envs=2, copy=copy)
        first = env.reset(seed=1)[0]["observation"]
        assert np.shares_memory(first, env.reset(seed=2)[0]["observation"]) is not copy


class OnePlace(gymnasium.Env):
    """One place as an environment, for Gymnasium's checker of those."""

    def __init__(self, rules):
        self._env = SeatVectorEnv(rules, num_envs=1, autoreset_mode=AutoresetMode.DISABLED)
        self.action_space = self._env.single_action_space
        self.observation_space = self._env.single_observation_space

    def reset(self, *, seed=None, options=None):
        """Begin a match."""
        super().reset(seed=seed)
        return self._own(self._env.reset(seed=seed, options=options)[0]), {}

    def step(self, action):
        """Take an action."""
        seen, rewards, ended, truncated, _ = self._env.step(np.array([action]))
        return self._own(seen), float(rewards[0]), bool(ended[0]), bool(truncated[0]), {}

    def _own(self, seen):
        return {name: part[0] for name, part in seen.items()}


@pytest.mark.parametrize("rules", RULES)
def test_the_api_is_gymnasiums(rules):
    check_env(OnePlace(rules), skip_render_check=True)
    # Warnings are errors here: it has nothing to find fault with.
    env = gymnasium.make_vec(adapter.IDS[rules], num_envs=5, opponent="uniform")
    assert isinstance(env, SeatVectorEnv)
    seen, _ = env.reset(seed=1)
    assert env.observation_space.contains(seen)
    seen, *_ = env.step(env.action_space.sample())
    assert env.observation_space.contains(seen)
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    wrapped.reset(seed=1)
    for _ in range(3):
        _, _, ended, _, infos = wrapped.step(np.full(5, env.single_action_space.n - 1))
    assert "episode" in infos or not ended.any()


def test_other_games_have_no_vector_environment():
    compiled = {rules for rules, name in adapter.IDS.items() if has_vector(name)}
    assert compiled == {*RULES}
    for rules in adapter.IDS.keys() - compiled:
        with pytest.raises(SpecError, match=f"does not play {rules}.*expected classic, modern"):
            SeatVectorEnv(rules, num_envs=2)


def has_vector(name):
    return gymnasium.spec(name).vector_entry_point is not None


def test_spaces_are_those_of_one_match():
    for rules in RULES:
        one, many = adapter.SeatEnv(rules), SeatVectorEnv(rules, num_envs=2)
        assert many.single_observation_space == one.observation_space
        assert many.single_action_space == one.action_space
        assert str(many.layout) == str(one.layout)


def test_streams_are_splitmix64():
    # The first outputs for the seed 1234567, as published with the reference code.
    streams = np.array([1234567, 0], dtype=np.uint64)
    found = [int(next_bits(streams, 0)) for _ in range(3)]
    assert found == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"num_envs": 0}, rf"invalid number of matches 0 \(expected 1 to {MAX_PLACES}\)"),
        ({"num_envs": 10**7}, "invalid number of matches 10000000"),
        ({"rules": "chess"}, "chess"),
        ({"num_envs": 2.5}, "invalid number of matches 2.5"),
        ({"chance": "physical"}, "compiled code has no chance=physical"),
        ({"opponent": "mcts"}, r"play as 'mcts' \(expected greedy, threshold, uniform\); use"),
        ({"opponent": "hold"}, "play as 'hold'"),
        ({"opponent": "cmd:python3 player.py"}, "play as 'cmd:python3 player.py'"),
        ({"rules": "piggy_six", "opponent": "optimal"}, "expected greedy, hold, uniform"),
        ({"rules": "piggy_six", "house_rules": {"solitaire": True}}, "support solitaire="),
        ({"rules": "pig_pile", "opponent": "threshold"}, "expected greedy, uniform"),
        ({"opponent": "nobody"}, "nobody"),
        ({"seat": "C"}, "seat"),
        ({"rewards": "money"}, "kind of rewards"),
        ({"illegal": "wins"}, "illegal action"),
        ({"autoreset_mode": "never"}, "autoreset mode"),
        ({"house_rules": {"mud_delay": "none"}}, "does not support mud_delay=none"),
    ],
)
def test_bad_input_is_one_line(arguments, said):
    with pytest.raises(SpecError, match=said) as fault:
        SeatVectorEnv(**{"rules": "classic", "num_envs": 2, **arguments})
    assert "\n" not in str(fault.value)


def test_a_caller_who_never_decides_is_reported():
    rules = {"turn_cap": 1, "rounds": 1, "players": 2}
    env = SeatVectorEnv("pig_pile", num_envs=2, seat="B", house_rules=rules)
    with pytest.raises(SpecError, match="1000 matches ended before the caller of match 0 decided"):
        env.reset(seed=1)


def test_bad_steps_and_seeds_are_one_line():
    env = SeatVectorEnv("classic", num_envs=2)
    with pytest.raises(SpecError, match="has not begun"):
        env.step(np.zeros(2, dtype=int))
    for seed in (-1, [1], [1, 2, 3], [1, -2]):
        with pytest.raises(SpecError):
            env.reset(seed=seed)
    env.reset(seed=1)
    for actions in (0, [0], [0.5, 1.0], [[0], [1]]):
        with pytest.raises(SpecError, match="actions of shape"):
            env.step(actions)
    with pytest.raises(SpecError, match="reset_mask"):
        env.reset(options={"reset_mask": [True, False]})
