"""Values of positions: the same wherever they are asked for, fresh, and calibrated."""

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
import pytest

import pigglesim
from pigglesim.agents.agent import Uniform
from pigglesim.agents.playouts import AgentPlayouts
from pigglesim.agents.registry import make_agent
from pigglesim.agents.search import Expectimax
from pigglesim.chance.tabular import believed_chance
from pigglesim.experiments.values import Evaluator, is_clear
from pigglesim.games.game import Result
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS, Seat
from pigglesim.match.entries import Decision
from pigglesim.match.replay import branch_at, interrupted_record
from pigglesim.serve.reviews import analysed, tried
from tests.support.tiny_games import Coin, Race

TICKETS = tuple(f"ticket {number}" for number in range(20))


@dataclass(frozen=True, slots=True, kw_only=True)
class Lottery(Race):
    """A takes one of many tickets, of which each wins as often as the others."""

    turns: int = 1

    def legal_actions(self, state):
        return TICKETS

    def apply_action(self, state, action):
        return replace(state, rolling=True)

    def result(self, state):
        won = state.turns and state.points[0] > 0
        return Result(winner=Seat.A if won else Seat.B, reason="ticket") if state.turns else None

    def observation_string(self, state, seat):
        return self.format_state(state)


def test_the_luckiest_of_equal_actions_is_judged_by_fresh_playouts():
    game, coin = Lottery(), Coin(up=0.5)
    playouts = AgentPlayouts(game=game, chance=coin, agent=Uniform())
    words = {"name": "e", "game": game, "chance": coin, "playouts": playouts}
    search = Expectimax(**words, samples=20)
    chosen, judged, clear = [], [], 0
    for seed in range(10):
        found = Evaluator(game, coin, agent=search, samples=40, seed=seed).position(
            game.initial_state()
        )
        first = search.explain(found.observation, TICKETS, rng=found.stream("search"))[0]
        assert first.action == found.best
        chosen.append(first.value)
        judged.append(found.values(found.best)[Seat.A].value)
        clear += sum(is_clear(found.loss(action)) for action in TICKETS)
    # The best of 20 noisy values of 0.5 is far above it; judged again it is not.
    noise = sqrt(0.25 / 40 / 10)
    assert np.mean(chosen) > 0.5 + 5 * noise
    assert abs(np.mean(judged) - 0.5) < 3 * noise
    assert clear == 0


QUIET = (
    "phase=move active=A ply=145 lively=72 a=d1:1,f4:2oy b=b1:1m,h4:3,f6:1o bank=ggom "
    "discarded=ggoyyymm"
)


@pytest.fixture(scope="module")
def piggyback():
    """The first decisions of a match of Piggyback from a position near its end."""
    record = pigglesim.play_match(
        "piggyback", agents="uniform", chance="fair", seed=9, position=QUIET
    ).record
    third = [k for k, entry in enumerate(record.entries) if isinstance(entry, Decision)][2]
    return interrupted_record(record.header, record.entries[: third + 1])


def test_review_what_if_and_position_give_the_same_numbers(piggyback):
    review = analysed(piggyback, progress=lambda done, total: None)
    decision = next(each for each in review["decisions"] if each["best"] != each["action"])
    number = decision["decision"]
    what_if = tried(piggyback, number, progress=lambda done, total: None)
    found = {each["action"]: each for each in what_if["actions"]}
    assert found[decision["action"]]["values"] == decision["after"]
    assert found[decision["best"]]["values"] == decision["before"]
    assert found[decision["action"]]["loss"] == decision["loss"]
    assert len(found) == decision["choices"]
    state = branch_at(piggyback, number).before.state
    hint = Evaluator(make_game("piggyback"), believed_chance()).position(state)
    assert make_game("piggyback").format_action(hint.best) == decision["best"]
    assert hint.values(hint.best)[hint.seat].value == decision["before"][decision["seat"]]["value"]


def test_equivalent_loads_have_one_value():
    record = pigglesim.play_match(chance="tabular", agents="uniform", seed=5).record
    first = branch_at(record, 0)
    game = first.game
    found = Evaluator(game, believed_chance(), samples=5).position(first.before.state)
    one, other = (game.parse_action(f"load {names}") for names in ("A1 A2", "A4 A6"))
    assert one != other
    assert found.same(one, other)
    assert found.values(one) == found.values(other)


def test_a_value_of_piggyback_is_that_of_whole_matches():
    """B leads, but `greedy` never attacks: every match ends as a draw, and is valued as one."""
    game = make_game("piggyback")
    state, greedy = game.parse_state(QUIET), make_agent("greedy", game=game)
    found = Evaluator(game, believed_chance(), agent=greedy, samples=5).position(state)
    values = found.values(found.best)
    record = pigglesim.play_match(
        "piggyback", agents="greedy", chance="fair", seed=1, position=QUIET
    ).record
    assert record.footer.result.winner is None
    assert values[Seat.A].value == values[Seat.B].value == 0.5


@pytest.mark.slow
def test_positions_are_won_at_the_rate_of_their_value():
    """Of positions that are valued at p, so many are won: by thirds, within three deviations."""
    rng, chance = np.random.default_rng(1), believed_chance()
    game = make_game("piggles_classic")
    evaluator = Evaluator(game, chance, agent=make_agent("greedy"), samples=5)
    values, wins = [], []
    for seed in range(80):
        record = pigglesim.play_match(chance="tabular", agents="greedy", seed=seed).record
        decision = record.decisions[int(rng.integers(len(record.decisions)))]
        found = evaluator.position(branch_at(record, decision.index).before.state)
        played = game.parse_action(decision.action)
        values.append(found.values(played)[Seat.A].value)
        wins.append(record.footer.result.shares(BOARD_SEATS)[Seat.A])
    values, wins = np.array(values), np.array(wins)
    for low, high in ((0.0, 1 / 3), (1 / 3, 2 / 3), (2 / 3, 1.01)):
        part = (low <= values) & (values < high)
        assert part.sum() > 8
        deviation = sqrt((values[part] * (1.0 - values[part])).sum() + 0.25)
        assert abs((wins - values)[part].sum()) < 3 * deviation, (low, part.sum())
