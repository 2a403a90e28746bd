"""The agents without a search, and the registry of all."""

from dataclasses import replace
from math import radians

import numpy as np
import pytest

from pigglesim.agents.agent import Uniform
from pigglesim.agents.greedy import Greedy, RollShares, expected_gain
from pigglesim.agents.lord_greedy import LordGreedy
from pigglesim.agents.registry import canonical_name, make_agent
from pigglesim.agents.search import TreeSearch
from pigglesim.chance.odds import load_odds
from pigglesim.chance.physical import physical_chance
from pigglesim.chance.tabular import FairChance, TabularChance
from pigglesim.errors import SpecError
from pigglesim.games.game import Concede
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.lord_of_the_pigs.state import Event, LordPhase
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import PigglesClassic, PigglesModern
from pigglesim.games.piggles.state import (
    Act,
    Done,
    KitchenPenalty,
    MudEntry,
    PigglesPhase,
    PigglesRules,
    PigglesSide,
    PigglesState,
)
from pigglesim.games.registry import make_game
from pigglesim.landing import ZONE_POINTS, CupHold, Landing, Orientation, RollRequest, Seat, Zone
from pigglesim.match.runner import play
from pigglesim.scene.load import load_scene, team_models
from tests.support.random_lord import at
from tests.support.sure_chance import positions
from tests.support.tiny_games import Coin, Race

LORD = LordOfThePigs()


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


def test_aim_loads_as_greedy_and_holds_the_cup():
    game, agent = PigglesClassic(), make_agent("aim:back=3:across=-1:heading=30:swing=0.5")
    inch = 0.0254
    hold = CupHold(across=-inch, back=3 * inch, height=2 * inch, heading=radians(30.0), swing=0.5)
    state = PigglesState(round=5, a=PigglesSide(pen=("A1", "A4")))
    seen, legal = game.observe(state, Seat.A), game.legal_actions(state)
    load = agent.choose(seen, legal, rng=rng())
    assert load == Load(("A1", "A4"), hold)
    assert game.is_legal(state, load)
    tied = PigglesState(phase=PigglesPhase.SUDDEN, a=PigglesSide(pen=("A1", "A4")))
    legal = game.legal_actions(tied)
    assert agent.choose(game.observe(tied, Seat.A), legal, rng=rng()).hold is None
    empty = PigglesState(round=5, a=PigglesSide(kitchen=("A1",)))
    legal = game.legal_actions(empty)
    assert agent.choose(game.observe(empty, Seat.A), legal, rng=rng()) == Load()


@pytest.mark.slow
def test_the_low_cup_of_aim_brings_more_points_a_throw():
    scene = load_scene("piggles_classic")
    chance = physical_chance(scene, team_models(scene), engine="impulse", seed=12)
    piggles = tuple(f"A{number}" for number in range(1, 7))
    low = make_agent("aim").hold

    def points(hold: CupHold | None, index: int) -> int:
        request = RollRequest(thrower=Seat.A, piggles=piggles, hold=hold)
        landings = dict(chance.roll(request, index=index).landings)
        return sum(ZONE_POINTS[at.zone] for at in landings.values() if at.orientation is UP)

    gains = np.array([points(low, index) - points(None, index) for index in range(400)])
    assert gains.mean() > 2.0 * gains.std() / len(gains) ** 0.5


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


def test_greedy_declines_effects_that_gain_nothing():
    mud = PigglesSide(mud=(MudEntry(piggle="A2", round=1),))
    assert act(modern("green+adjacent"), {"A1": lying(UP)}, a=mud) == Done()
    pen = PigglesSide(pen=("A2",))
    assert act(modern("red+split"), {"A1": lying(UP)}, a=pen) == Done()
    yellow = modern("yellow+adjacent")
    assert act(yellow, {"A1": lying(UP), "A2": lying(UP), "B1": lying(UP)}) == Done()


def test_greedy_takes_back_what_would_wait_longer():
    spiral = modern("red+spiral_cw", "red", "red")
    mud = PigglesSide(mud=(MudEntry(piggle="A2", round=2), MudEntry(piggle="A3", round=3)))
    # A2 returns in round 4 anyway.
    assert act(spiral, {"A1": lying(UP)}, a=mud, round=3) == Act("A1", "A3")
    assert act(spiral, {"A1": lying(UP)}, a=replace(mud, mud=mud.mud[:1]), round=3) == Done()
    last = PigglesSide(mud=(MudEntry(piggle="A3", round=6),))
    assert act(spiral, {"A1": lying(UP)}, a=last, round=6) == Done()
    kitchen = PigglesSide(kitchen=("A2", "A3"))
    spiral = modern("red+spiral_ccw", "blue", "red")
    assert act(spiral, {"A1": lying(UP)}, a=kitchen) == Act("A1", "A3")


def lord_choice(state):
    seat = LORD.turn(state)
    action = LordGreedy().choose(LORD.observe(state, seat), LORD.legal_actions(state), rng=rng())
    return LORD.format_action(action)


def test_lord_greedy_votes_for_what_wins_and_with_the_card_it_needs_least():
    table = [("Banker.C2", ""), ("Energy.C6", "")]
    parts = {"table": table, "ratings": (2, 9, 3, 1), "asked": ["Banker"]}
    state = at(LordPhase.VOTING, hands={"Banker": "U1 C2"}, **parts)
    assert lord_choice(state) == "vote C2 Banker.C2"


def test_lord_greedy_does_not_vote_into_an_uprising_that_it_would_lose():
    parts = {"table": [("Banker.C2", "")], "hands": {"Banker": "U1"}, "asked": ["Banker"]}
    assert lord_choice(at(LordPhase.VOTING, ratings=(0, 5, 3, 3), stability=1, **parts)) == "pass"
    # The lowest of all would win by it.
    lowest = at(LordPhase.VOTING, ratings=(9, 0, 8, 7), stability=1, **parts)
    assert lord_choice(lowest) == "vote U1 Banker.C2"


@pytest.mark.parametrize("wars", [False, True])
def test_lord_greedy_chooses_as_it_does_among_all_votes(wars):
    game = make_game("lord_of_the_pigs", {"diplomacy_wars": wars})
    votes = 0
    for seed in (1, 2):
        for state in positions(game, seed, FairChance(seed=seed)):
            if isinstance(seat := game.turn(state), Seat):
                seen, legal = game.observe(state, seat), game.legal_actions(state)
                few = LordGreedy().shortlist(game, state)
                own, same = (LordGreedy().choose(seen, these, rng=None) for these in (legal, few))
                assert own == same
                votes += len(few) < len(legal)
    assert votes > 20


def test_lord_greedy_answers_events():
    parts = {"hands": {"Banker": "C1 U1"}, "asked": ["Banker"], "table": [("Banker.R3", "")]}
    calm = {"ratings": (0, 5, 3, 3), "stability": 1}
    for event, answer in (
        (Event.GENERAL_STRIKE, "stability +1"),
        (Event.CIVILIAN_WATCHDOGS, "withdraw Banker.R3"),
        (Event.FMI_INTERVENTION, "with President +1"),
        (Event.FLASH_FLOODS, "discard C1"),
    ):
        assert lord_choice(at(LordPhase.EVENT, event=event, **parts, **calm)) == answer


@pytest.mark.parametrize(
    ("name", "matches", "least"),
    # An agent as good as the others wins a quarter of 40 games of four, and 18 with p = 0.005.
    [
        ("lord_of_the_pigs", 40, 18),
        ("piggyback", 20, 16),
        pytest.param("pig_pile", 24, 13, marks=pytest.mark.slow),
    ],
)
def test_greedy_beats_uniform_from_every_seat_in_turn(name, matches, least):
    game, belief = make_game(name), TabularChance(seed=0, odds=load_odds("piggle"))
    greedy, uniform, won = make_agent("greedy", game=game), make_agent("uniform"), 0
    for number in range(matches):
        seed, at = divmod(number, len(game.seats))
        agents = {**dict.fromkeys(game.seats, uniform), game.seats[at]: greedy}
        match = play(game, agents=agents, chance=belief.with_seed(seed), seed=seed)
        won += match.state.result.winner is game.seats[at]
    assert won >= least


CANONICAL = {
    "greedy": "greedy",
    "threshold:4.50": "threshold:points=4.5",
    "threshold:points=3": "threshold",
    "aim:height=2:back=3": "aim:back=3",
    "mcts:200": "mcts:nodes=200",
    "mcts:time=0.20": "mcts:time=0.2",
    "mcts:rollout=auto:explore=1.0": "mcts",
    "mcts:playouts=8:nodes=400": "mcts:nodes=400:playouts=8",
    "expectimax:2": "expectimax:depth=2",
}


@pytest.mark.parametrize(("name", "shortest"), CANONICAL.items())
def test_a_name_has_one_shortest_form_that_means_the_same(name, shortest):
    assert canonical_name(name) == shortest
    assert canonical_name(shortest) == shortest
    # Every game has players that search; greedy ones are of games of pigglesim.
    game = None if shortest == "greedy" else Race()
    made = [make_agent(word, game=game, chance=Coin(up=0.5)) for word in (name, shortest)]
    assert made[0] == made[1]
    assert made[0].name == shortest


FAULTS = {
    "mtcs": "'mtcs'.*mcts",
    "mcts:node=3": "'node'.*nodes",
    "mcts:nodes=0": "nodes '0' of mcts .*1 to",
    "mcts:nodes=2.5": "nodes '2.5' of mcts .*whole",
    "mcts:time=nan": "time 'nan' of mcts .*0.001 to 3600",
    "mcts:nodes=1:nodes=2": "nodes of mcts .*twice",
    "mcts:rollout=best": "'best' .*auto or greedy or uniform.*mcts:rollout=auto",
    "threshold:-1": "points '-1' of threshold",
    "threshold:many": "'many'",
    "aim:height=1.9": "height '1.9' of aim .*2 to",
    "aim:swing=3": "swing '3' of aim .*0 to 2",
    "uniform:3": "uniform .*'3'",
    "greedy:": "greedy .*''",
}


@pytest.mark.parametrize(("name", "problem"), FAULTS.items())
def test_a_faulty_name_is_reported_in_one_line(name, problem):
    with pytest.raises(SpecError, match=problem):
        canonical_name(name)


def test_a_search_has_nodes_or_time_or_both():
    for name, limits in (
        ("mcts", (400, None)),
        ("mcts:time=2", (None, 2.0)),
        ("mcts:nodes=5:time=2", (5, 2.0)),
    ):
        agent = make_agent(name, game=Race(), chance=Coin(up=0.5))
        assert isinstance(agent, TreeSearch)
        assert (agent.nodes, agent.seconds) == limits
