"""Agents of Piggyback: greedy by its own account, and compiled games held to rules and greedy."""

from functools import cache

import numpy as np
import pytest

from pigglesim.agents.agent import Agent
from pigglesim.agents.compiled_playouts import PiggybackPlayouts, piggyback_playouts
from pigglesim.agents.piggyback_greedy import PiggybackGreedy, exchange
from pigglesim.agents.piggyback_kernel import LUCK
from pigglesim.agents.registry import make_agent
from pigglesim.chance.tabular import FairChance
from pigglesim.chance_types import DiceResult
from pigglesim.games.game import Concede, NonPlayer
from pigglesim.games.piggyback.game import Piggyback
from pigglesim.games.piggyback.state import Ability, PiggybackState, Stack
from pigglesim.landing import BOARD_SEATS, Seat
from tests.support.piggyback_table import PLAIN, SMALL, legal, place, play, table
from tests.support.random_games import walk

LONG = 100_000
TABLES = [
    PLAIN,
    table(merge_rule="en", start="blue", quiet_cap=30),
    table(layout=SMALL, start="red", cap=120),
    table(start_cap=0),
]
GREEN, ORANGE, YELLOW, MAUVE = Ability


class AnyChoice:
    """Chooses as the compiled games do when they play at random: by one number."""

    name = "any"

    def choose(self, observation, legal_actions, *, rng):
        left = [action for action in legal_actions if not isinstance(action, Concede)]
        return left[int(rng.random() * len(left))]


def by_rules(
    game: Piggyback, state: PiggybackState, agent: Agent, rng: np.random.Generator
) -> tuple[float, float, float, float]:
    """Play a game on by the rules, with the same luck for each roll of each turn as compiled."""
    luck, rolls, first = rng.random(64 * LUCK), 0, state.ply
    while (turn := game.turn(state)) is not NonPlayer.OVER:
        if turn is NonPlayer.CHANCE:
            at = ((state.ply - first) * LUCK + rolls) % len(luck)
            rolls += 1
            after = game.apply_outcome(state, DiceResult(faces=(1 + int(luck[at] * 6),)))
        else:
            seen, actions = game.observe(state, turn), game.legal_actions(state)
            after = game.apply_action(state, agent.choose(seen, actions, rng=rng))
        rolls, state = rolls if after.ply == state.ply else 0, after
    winner = state.result.winner
    share = 0.5 if winner is None else float(winner is Seat.A)
    return share, state.ply, *(state.units(seat) for seat in BOARD_SEATS)


@cache
def starts(game: Piggyback) -> list[PiggybackState]:
    """Positions of every phase, from random games."""
    found = {}
    for seed in range(40):
        for state, _, _ in walk(game, seed):
            found.setdefault(state.phase, []).append(state)
    assert len(found) == 10
    return [each for phase in found.values() for each in phase[:: max(1, len(phase) // 6)]]


@pytest.mark.slow
@pytest.mark.parametrize("game", TABLES, ids=["usual", "english", "small", "no ties"])
@pytest.mark.parametrize(
    ("agent", "greedy"), [(AnyChoice(), False), (PiggybackGreedy(), True)], ids=["any", "greedy"]
)
def test_compiled_games_are_those_of_the_rules_decision_by_decision(game, agent, greedy):
    playouts = PiggybackPlayouts(game=game, greedy=greedy, horizon=LONG)
    positions = starts(game) if game == PLAIN else [game.initial_state()]
    for seed in range(60 if len(positions) > 1 else 6):
        state = positions[seed % len(positions)]
        (found,) = playouts.games(state, 1, rng=np.random.default_rng(seed))
        assert tuple(found) == by_rules(game, state, agent, np.random.default_rng(seed))


def test_a_horizon_ends_games_early_and_counts_the_lead():
    playouts = PiggybackPlayouts(game=PLAIN, horizon=4)
    ahead = place("a1:3oy,h1:2", "d5:1")
    behind = place("d5:1", "a1:3oy,h1:2")
    for state, low, high in ((ahead, 0.8, 1.0), (behind, 0.0, 0.2)):
        games = playouts.games(state, 20, rng=np.random.default_rng(1))
        assert (games[:, 1] <= 4).all()
        value = playouts.value(state, 20, rng=np.random.default_rng(1))
        assert value[Seat.A] == pytest.approx(games[:, 0].mean())
        assert low < value[Seat.A] < high
        assert value[Seat.A] + value[Seat.B] == 1.0


@pytest.mark.parametrize(
    "settings",
    [{"allow_pass": True}, {"boost_permanent": True}, {"boost_continue": True},
     {"warp_scope": "any"}, {"pickup_later": True}],
)  # fmt: skip
def test_house_rules_that_compiled_games_do_not_know_are_played_by_the_rules(settings):
    assert piggyback_playouts(table(**settings), greedy=True) is None
    game = table(**settings, cap=30)
    agent = make_agent("mcts:nodes=3", game=game, chance=FairChance(seed=0))
    seen, actions = game.observe(place("a1:1", "h8:1"), Seat.A), legal(game, place("a1:1", "h8:1"))
    chosen = agent.choose(
        seen, [game.parse_action(text) for text in actions], rng=np.random.default_rng(0)
    )
    assert game.format_action(chosen) in actions


def greedy_choice(state: PiggybackState, game: Piggyback = PLAIN) -> str:
    turn = game.turn(state)
    chosen = PiggybackGreedy().choose(
        game.observe(state, turn), game.legal_actions(state), rng=np.random.default_rng(0)
    )
    return game.format_action(chosen)


@pytest.mark.parametrize(
    ("state", "choice"),
    [
        (place("d4:1", "d5:3,h8:1"), "d4-d5"),
        # Two Firepowers are too much for it.
        (place("d4:1", "d5:3oo,h8:1"), "d4-c3"),
        (place("d4:1", "h8:1", "e5:o"), "d4-e5 take"),
        # It keeps out of reach, and of what would come within it.
        (place("d4:3", "f4:1oy"), "d4-c3"),
        # A one is rolled again, a six is not.
        (play(PLAIN, place("d4:2", "d5:1,h8:1"), "d4-d5", 1), "roll"),
        (play(PLAIN, place("d4:2", "d5:1,h8:1"), "d4-d5", 6), "stand"),
        # Nothing is spent that is not needed.
        (play(PLAIN, place("d4:1", "d5:1o,h8:1"), "d4-d5", 3, 4), "stand"),
        (play(PLAIN, place("d4:1", "d5:1o,h8:1"), "d4-d5", 3, 3), "stand +1"),
        (play(PLAIN, place("d4:1", "d5:1y,h8:1"), "d4-d5", 3, 3), "roll"),
        (play(PLAIN, place("d4:1gy", "d5:1o,h8:1"), "d4-d5", 6, "stand", 1, "stand"),
         "keep orange yellow"),
        (play(PLAIN, place("d4:1,h1:1", "d5:1,h8:1", bank="gm"), "d4-d5", 6, 1), "respawn h5"),
        # A stack is worth more than a unit: it is swapped out of the way.
        (play(PLAIN, place("d4:2", "d5:3,h8:1m"), "d4-d5"), "warp h8 d5"),
    ],
)  # fmt: skip
def test_greedy_does_what_pays_at_once(state, choice):
    assert greedy_choice(state) == choice


def test_an_exchange_is_worth_both_stacks_by_their_odds():
    assert exchange(Stack(1), Stack(1)) == pytest.approx(7 / 12 - 5 / 12)
    assert exchange(Stack(1), Stack(3)) == pytest.approx(3 * 49 / 144 - 95 / 144)
    assert exchange(Stack(1, (ORANGE,)), Stack(1)) == pytest.approx(13 / 18 - 5 / 18 * 1.25)
