"""Expectimax in dice games: exact, as the solver and closed forms are."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from pigglesim.agents.agent import Uniform
from pigglesim.agents.playouts import AgentPlayouts
from pigglesim.agents.search import Expectimax
from pigglesim.chance.tabular import FairChance
from pigglesim.chance_types import DiceResult
from pigglesim.games.piggy_six import DiceRoll, PiggySix, PiggySixRules, Stop
from pigglesim.solvers.dice_game import PIGGY_SIX, THREE_DICE, DuelResult, DuelState, Solution


def values(game, state, actions, *, depth):
    chance = FairChance(seed=0)
    playouts = AgentPlayouts(game=game, chance=chance, agent=Uniform())
    agent = Expectimax(name="e", game=game, chance=chance, playouts=playouts, depth=depth)
    found = agent.explain(
        game.observe(state, game.turn(state)), actions, rng=np.random.default_rng(1)
    )
    assert all(each.low == each.value == each.high and each.visits == 0 for each in found)
    return {each.action: each.value for each in found}


@pytest.mark.parametrize("number", [1, 2, 3])
def test_listed_outcomes_lead_where_all_throws_of_the_dice_do(number):
    game = PiggySix(rules=PiggySixRules(three_dice=True))
    state = game.apply_action(game.parse_state("bank=9,4 active=A round=2"), DiceRoll(number))
    listed = Counter()
    for outcome, share in game.chance_outcomes(state):
        listed[game.format_state(game.apply_outcome(state, outcome))] += share
    thrown = Counter(
        game.format_state(game.apply_outcome(state, DiceResult(faces=faces)))
        for faces in product(range(1, 7), repeat=number)
    )
    assert listed == pytest.approx({text: ways / 6**number for text, ways in thrown.items()})
    assert len(game.chance_outcomes(state)) == {1: 6, 2: 21, 3: 56}[number]


@pytest.mark.parametrize(
    ("dice", "needed", "rolls"), [(PIGGY_SIX, 0, 1), (PIGGY_SIX, 5, 3), (THREE_DICE, 1, 2)]
)
def test_the_last_turn_of_piggy_six_has_the_value_that_the_solver_finds(dice, needed, rolls):
    # The second player needs so many points for a tie: these rolls without a six always win.
    duel = DuelResult(dice=dice, target=20)
    last_turn = DuelState(own=12, other=22, total=10 - needed, first=False)
    solution = Solution(match=duel, table=duel.fresh_table(), bound=1.0, sweeps=0, seconds=0.0)
    wanted = solution.action_values(last_turn, rolled=True)
    three = dice is THREE_DICE
    game = PiggySix(rules=PiggySixRules(target=20, three_dice=three, roll_cap=1 + rolls))
    state = game.parse_state(f"bank=22,12 active=B round=3 total={10 - needed} rolls=1 dice=2")
    found = values(game, state, game.legal_actions(state), depth=rolls)
    assert found.pop(Stop()) == pytest.approx(wanted.stop, abs=1e-12)
    assert {action.dice: value for action, value in found.items()} == pytest.approx(
        wanted.rolls, abs=1e-12
    )
