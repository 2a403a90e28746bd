"""The agents and their registry."""

import numpy as np
import pytest

from pigglesim.agents.agent import Uniform
from pigglesim.agents.greedy import Greedy, RollShares, expected_gain
from pigglesim.agents.registry import make_agent
from pigglesim.games.game import Concede
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import PigglesClassic, PigglesModern
from pigglesim.games.piggles.state import (
    Act,
    KitchenPenalty,
    MudEntry,
    PigglesPhase,
    PigglesRules,
    PigglesSide,
    PigglesState,
)
from pigglesim.landing import Landing, Orientation, Seat, Zone


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_uniform_never_concedes_and_takes_every_other_action_about_equally_often():
    stream = rng()
    legal = [Load(), Load(("A1",)), Load(("A2",)), Concede()]
    counts = dict.fromkeys(legal, 0)
    for _ in range(3000):
        counts[Uniform().choose(None, legal, rng=stream)] += 1
    assert counts[Concede()] == 0
    # Binomial(3000, 1/3): mean 1000, standard deviation 25.8; five of them either way.
    assert all(870 < counts[action] < 1130 for action in legal[:-1])


def test_the_expected_gain_by_hand():
    odds = RollShares(up=0.5, down=0.3, head=0.2, zone_points=2.0)
    # Round 6 of 6: the Tally at hand alone. Round 4: three Tallies of 1, less 0.2 in two.
    assert expected_gain(6, PigglesRules(), odds) == pytest.approx(1.0)
    assert expected_gain(4, PigglesRules(), odds) == pytest.approx(3.0 - 0.4)
    once = PigglesRules(kitchen_penalty=KitchenPenalty.ONCE)
    assert expected_gain(4, once, odds) == pytest.approx(3.0 - 0.2)


def choose(agent: Greedy, round_number: int) -> object:
    game = PigglesClassic()
    state = PigglesState(round=round_number, a=PigglesSide(pen=("A1", "A4", "A5")))
    return agent.choose(game.observe(state, Seat.A), game.legal_actions(state), rng=rng())


def test_greedy_loads_the_whole_pen_when_it_pays():
    assert choose(Greedy(), 1) == Load(("A1", "A4", "A5"))


def test_greedy_skips_when_heads_cost_more_than_snouts_up_pay():
    heads = Greedy(odds=RollShares(up=0.1, down=0.0, head=0.9, zone_points=1.0))
    assert choose(heads, 1) == Load()
    assert choose(heads, 6) == Load(("A1", "A4", "A5")), "the last Tally fears no Kitchen"


@pytest.mark.parametrize(("pen", "loaded"), [(("A1",), ()), (("A1", "A2"), ("A1", "A2"))])
def test_a_threshold_leaves_a_small_pen_alone(pen, loaded):
    # Two Tallies left: a Piggle gains .51 * 2.2 * 2 - .08 = 2.164 points, two twice as much.
    game, agent = PigglesClassic(), make_agent("threshold:3")
    state = PigglesState(round=5, a=PigglesSide(pen=pen))
    legal = game.legal_actions(state)
    assert agent.choose(game.observe(state, Seat.A), legal, rng=rng()) == Load(loaded)


def modern(*markings: str) -> PigglesModern:
    worn = [*markings, *["-"] * (6 - len(markings))]
    return PigglesModern.from_settings({"team_a": worn, "team_b": ["red"] * 6})


def lying(pose: Orientation, zone: Zone = Zone.FIELD_NORTH) -> Landing:
    return Landing(orientation=pose, zone=zone)


UP, DOWN, HEAD = Orientation


def act(game: PigglesModern, board: dict[str, Landing], **parts: object) -> object:
    state = PigglesState(
        phase=PigglesPhase.ACTION_REACTION,
        board=tuple(sorted(board.items())),
        actors=("A1",),
        **parts,
    )
    return Greedy().choose(game.observe(state, Seat.A), game.legal_actions(state), rng=rng())


def test_greedy_takes_the_effect_with_the_best_swing():
    orange = modern("orange+adjacent")
    board = {"A1": lying(UP), "B1": lying(DOWN), "B2": lying(UP), "B3": lying(HEAD)}
    # B2 loses 3, and its Kitchen costs 1; every one of them pays 2.
    assert act(orange, board) == Act("A1", "B2")
    blue = modern("blue+adjacent")
    assert act(blue, {"A1": lying(UP), "A2": lying(UP), "B1": lying(UP)}) == Act("A1", "B1")
    assert act(blue, {"A1": lying(UP), "A2": lying(DOWN), "B1": lying(DOWN)}) == Act("A1", "A2")
    arrow = modern("red+arrow_cw", "red", "red")
    turned = {"A1": lying(UP), "A2": lying(DOWN, Zone.WOODS), "A3": lying(DOWN)}
    assert act(arrow, turned) == Act("A1", "A3")


def test_greedy_brings_its_own_back_where_it_costs_nothing():
    mud = PigglesSide(mud=(MudEntry(piggle="A2", round=1),))
    assert act(modern("green+adjacent"), {"A1": lying(UP)}, a=mud) == Act("A1", "A2")
    kitchen = PigglesSide(kitchen=("A2", "A3"))
    spiral = modern("red+spiral_ccw", "blue", "red")
    assert act(spiral, {"A1": lying(UP)}, a=kitchen) == Act("A1", "A3")
