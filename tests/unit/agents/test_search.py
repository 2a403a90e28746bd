"""Agents that think ahead, on games that can be solved: values, choices, and what they tell."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from pigglesim.agents.agent import Uniform
from pigglesim.agents.playouts import AgentPlayouts, possible_states
from pigglesim.agents.registry import make_agent
from pigglesim.agents.search import Expectimax
from pigglesim.chance.odds import load_odds
from pigglesim.chance.tabular import FairChance, TabularChance, believed_chance
from pigglesim.chance_types import DiceResult
from pigglesim.errors import SpecError
from pigglesim.games.game import Concede, NonPlayer
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.state import MudDelay, PigglesRules, team
from pigglesim.games.piggy_six import DiceRoll, PiggySix, PiggySixRules, Stop
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS, Seat
from pigglesim.solvers.dice_game import PIGGY_SIX, THREE_DICE, DuelResult, DuelState, Solution
from tests.support.tiny_games import Coin, ListedRace, Race, RaceState, solved

POSITIONS = [
    ((a, b), turns)
    for turns in range(4)
    for a, b in product((0, 1, 3), repeat=2)
    if (turns > 0 or a == 0) and (turns > 1 or b == 0)
]


def rng(seed=1):
    return np.random.default_rng(seed)


def expectimax(chance, *, listed=False, **more):
    game = ListedRace(up=chance.up) if listed else Race()
    playouts = AgentPlayouts(game=game, chance=chance, agent=Uniform())
    return Expectimax(name="e", game=game, chance=chance, playouts=playouts, **more)


def weighed(agent, state, game=None, seed=1):
    game = game or Race()
    seat = BOARD_SEATS[state.turns % 2]
    seen, legal = game.observe(state, seat), game.legal_actions(state)
    found = agent.explain(seen, legal, rng=rng(seed))
    assert agent.choose(seen, legal, rng=rng(seed)) == found[0].action
    return found


@pytest.mark.parametrize("up", [0.2, 0.45, 0.8])
def test_expectimax_to_the_end_is_the_value_of_the_game(up):
    agent = expectimax(Coin(up=up), listed=True, depth=4)
    for points, turns in POSITIONS:
        best, other = weighed(agent, RaceState(points=points, turns=turns))
        value = solved(Race(), up, points, turns)
        if turns % 2 == 1:
            value = 1.0 - value
        assert best.value == pytest.approx(value, abs=1e-12)
        assert best.low == best.value == best.high >= other.value
        assert best.visits == 0


def test_a_shallow_expectimax_counts_on_what_its_playouts_are_worth():
    up, game = 0.45, Race()

    # Everyone takes or rolls by the toss of a coin from here on.
    def random_worth(points, turns):
        if turns == game.turns:
            return (1.0 + (points[0] > points[1]) - (points[0] < points[1])) / 2.0
        gains = ((1, 0.5), (3, 0.5 * up), (0, 0.5 * (1.0 - up)))
        side = turns % 2
        moved = lambda gain: tuple(at + gain * (n == side) for n, at in enumerate(points))  # noqa: E731
        return sum(share * random_worth(moved(gain), turns + 1) for gain, share in gains)

    exact = random_worth((1, 0), 1)
    agent = expectimax(Coin(up=up), listed=True, batch=2500)
    found = {each.action: each for each in weighed(agent, RaceState())}
    # Standard deviation of a reward is at most one half: .01 of the mean; five of them.
    assert found["take"].value == pytest.approx(exact, abs=0.05)
    # What playouts measure has an interval, of two such standard deviations on each side.
    for each in found.values():
        assert 0.01 < each.high - each.low < 0.05


def test_sampled_chance_has_an_interval_that_holds_the_exact_value():
    up, inside = 0.45, 0
    state = RaceState(points=(3, 2), turns=2)
    exact = {
        each.action: each.value
        for each in weighed(expectimax(Coin(up=up), listed=True, depth=2), state)
    }
    agent = expectimax(Coin(up=up), depth=2, samples=40, batch=1)
    for seed in range(20):
        roll = next(each for each in weighed(agent, state, seed=seed) if each.action == "roll")
        inside += roll.low <= exact["roll"] <= roll.high
        assert roll.visits == 40
    # What follows is noisy too and its best is taken: an interval that holds 95 % without that.
    assert inside >= 16


class CountedCoin(Coin):
    """A coin that counts its tosses, and stops a search that tosses on and on."""

    tosses = 0

    def draw(self, request, *, rng):
        type(self).tosses += 1
        assert self.tosses <= 2000, "the search goes on through forced rolls"
        return Coin.draw(self, request, rng=rng)


class ForcedRace(Race):
    """A race in which every turn but the first is a forced roll."""

    def legal_actions(self, state):
        return Race.legal_actions(self, state)[-1 if state.turns else 0 :]


@pytest.mark.parametrize(("depth", "tosses"), [(1, 10), (2, 10 + 10 + 10 * 10)])
def test_rolls_of_forced_decisions_count_against_the_depth(depth, tosses, monkeypatch):
    monkeypatch.setattr(CountedCoin, "tosses", 0)
    game, coin = ForcedRace(turns=6), CountedCoin(up=0.45)
    playouts = AgentPlayouts(game=game, chance=Coin(up=0.45), agent=Uniform())
    agent = Expectimax(name="e", game=game, chance=coin, playouts=playouts, depth=depth, samples=10)
    state = RaceState()
    found = agent.explain(game.observe(state, Seat.A), game.legal_actions(state), rng=rng())
    assert CountedCoin.tosses == tosses
    assert all(each.low < each.high for each in found)


class CountedPlayouts:
    """Playouts that are counted instead of played."""

    batch, count = 1, 0

    def value(self, state, count, *, rng):
        self.count += 1
        assert self.count <= 2000, "the search goes on through forced rolls"
        return dict.fromkeys(BOARD_SEATS, 0.5)


@pytest.mark.parametrize("depth", [1, 2])
def test_piggy_six_with_its_forced_first_rolls_is_searched_in_few_nodes(depth):
    # Every turn begins with a forced roll, and a six ends the turn at once.
    game, playouts = PiggySix(), CountedPlayouts()
    agent = Expectimax(
        name="e", game=game, chance=FairChance(seed=0), playouts=playouts, depth=depth
    )
    state = game.parse_state("bank=9,4 active=A round=2 total=4 rolls=1 dice=2")
    found = agent.explain(game.observe(state, Seat.A), game.legal_actions(state), rng=rng())
    assert {each.action for each in found} == {DiceRoll(2), Stop()}


@pytest.mark.parametrize("up", [0.2, 0.45, 0.8])
def test_tree_search_finds_the_best_action(up):
    game = Race()
    agent = make_agent("mcts:nodes=2000", game=game, chance=Coin(up=up))
    exact = expectimax(Coin(up=up), listed=True, depth=4)
    for points, turns in POSITIONS[::4]:
        state = RaceState(points=points, turns=turns)
        best, other = weighed(exact, state)
        if best.value - other.value > 0.08:
            assert weighed(agent, state)[0].action == best.action, (points, turns)


def test_a_game_with_secrets_that_imagines_nothing_is_refused():
    agent = make_agent("mcts", game=Race(), chance=Coin(up=0.5))
    with pytest.raises(SpecError, match="use the agent uniform"):
        agent.choose("a hand of cards", ("take", "roll"), rng=rng())


@pytest.mark.parametrize(
    "name", ["mcts:nodes=40", "expectimax:samples=5", "mcts:nodes=9:rollout=uniform"]
)
@pytest.mark.parametrize("rules", [PigglesRules(), PigglesRules(mud_delay=MudDelay.NONE, rounds=3)])
def test_the_same_numbers_make_the_same_choice_in_piggles(name, rules):
    game = PigglesClassic(rules=rules)
    agent = make_agent(name, game=game, chance=TabularChance(seed=0, odds=load_odds("piggle")))
    state = game.initial_state()
    seen, legal = game.observe(state, Seat.A), game.legal_actions(state)
    first, again = (agent.explain(seen, legal, rng=rng(3)) for _ in range(2))
    assert first == again
    assert agent.explain(seen, legal, rng=rng(4)) != first
    assert {each.action for each in first} <= set(legal) - {Concede()}
    # Piggles of a Pen are alike: one load of each number.
    numbers = [len(each.action.piggles) for each in first]
    assert len(numbers) == len(set(numbers))


def test_a_search_imagines_what_it_does_not_see():
    game = make_game("lord_of_the_pigs")
    agent = make_agent("mcts:nodes=12", game=game, chance=FairChance(seed=0))
    state, rng = game.initial_state(), np.random.default_rng(3)
    while game.turn(state) is NonPlayer.CHANCE:
        state = game.apply_outcome(
            state, FairChance(seed=1).draw(game.chance_request(state), rng=rng)
        )
    seat = game.turn(state)
    seen = game.observe(state, seat)
    draw = possible_states(game, seen)
    assert len({game.format_state(draw(np.random.default_rng(k))) for k in range(5)}) == 5
    action = agent.choose(seen, game.legal_actions(state), rng=rng)
    assert action in game.legal_actions(state)


@pytest.mark.parametrize("name", ["mcts:nodes=400", "expectimax:samples=400"])
def test_a_premium_is_worth_more_than_a_plain_piggle_and_is_not_confused_with_it(name):
    game = PigglesClassic()
    # In the last turn one Piggle on a line wins.
    gone = {"A": "A2,A3,A4,A5", "B": "B1,B2,B3,B4,B5,B6"}
    kitchens = " ".join(f"{seat}.kitchen={ids}" for seat, ids in gone.items())
    state = game.parse_state(f"round=6 A.score=34 B.score=37 A.pen=A1,A6 {kitchens}")
    seen, legal = game.observe(state, Seat.A), game.legal_actions(state)
    of_models = dict.fromkeys((*team(Seat.A), *team(Seat.B)), "piggle")
    found = {}
    for model in ("piggle", "premium"):
        belief = believed_chance(models=of_models | {"A6": model})
        agent = make_agent(name, game=game, chance=belief)
        values = agent.explain(seen, legal, rng=np.random.default_rng(1))
        found[model] = {game.format_action(each.action): each for each in values}
    assert set(found["piggle"]) == {"load A1 A6", "load A1", "skip"}
    assert set(found["premium"]) == {"load A1 A6", "load A1", "load A6", "skip"}
    # By the odds a plain Piggle wins .52 of these matches.
    own = found["premium"]
    assert own["load A6"].low > 0.53
    assert own["load A6"].value > own["load A1"].value


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
