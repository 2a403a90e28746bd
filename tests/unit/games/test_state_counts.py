"""Exact numbers of positions and of ways to play, against counts made without the engine."""

from collections import Counter
from itertools import product
from math import comb

import pytest

from pigglesim.games.game import Concede, NonPlayer
from pigglesim.games.piggles.state import PigglesPhase, PigglesSide, PigglesState
from pigglesim.games.registry import make_game
from pigglesim.landing import Landing, Orientation, RollResult, Seat, Zone

UP, DOWN, HEAD = Orientation
OFF = Landing(orientation=None, zone=Zone.OFF)
WAYS = (
    Landing(orientation=UP, zone=Zone.FIELD_NORTH),
    Landing(orientation=UP, zone=Zone.WOODS),
    Landing(orientation=DOWN, zone=Zone.WOODS),
    Landing(orientation=HEAD, zone=Zone.WOODS),
    OFF,
)
"""Ways in which a rolled Piggle lies; what stands is never struck."""


def outcomes(game, state):
    request = game.chance_request(state)
    if request.set_down is not None:
        spot = request.set_down
        here = Landing(orientation=spot.orientation, zone=spot.zone)
        return [RollResult(landings=((request.piggles[0], at),)) for at in (here, OFF)]
    return [
        RollResult(landings=(*zip(request.piggles, ways, strict=True), *request.standing))
        for ways in product(WAYS, repeat=len(request.piggles))
    ]


def after(game, state):
    if game.turn(state) is NonPlayer.CHANCE:
        return [game.apply_outcome(state, outcome) for outcome in outcomes(game, state)]
    return [
        game.apply_action(state, action)
        for action in game.legal_actions(state)
        if not isinstance(action, Concede)
    ]


def explore(game, start, *, stop=lambda state: False):
    """The distinct positions, and how many ways of play end (nobody concedes)."""
    ways = Counter({start: 1})
    seen = {start}
    ends = 0
    while ways:
        following = Counter()
        for state, count in ways.items():
            if game.turn(state) is NonPlayer.OVER or stop(state):
                ends += count
                continue
            for new in after(game, state):
                following[new] += count
                seen.add(new)
        ways = following
    return seen, ends


@pytest.mark.parametrize(("a", "b"), [(0, 1), (1, 1), (2, 1), (2, 2)])
def test_a_round_of_classic_has_as_many_ways_to_be_played_as_loads_and_landings(a, b):
    game = make_game("piggles_classic", {"rounds": 1})
    pens = [tuple(f"{seat}{n + 1}" for n in range(k)) for seat, k in (("A", a), ("B", b))]
    start = PigglesState(a=PigglesSide(pen=pens[0]), b=PigglesSide(pen=pens[1]))
    _, ends = explore(game, start, stop=lambda state: state.phase is PigglesPhase.SUDDEN)
    # Each Piggle is left in the Pen or rolled into one of five ways, whatever the others do.
    sums = [sum(comb(k, j) * 5**j for j in range(k + 1)) for k in (a, b)]
    assert ends == sums[0] * sums[1] == 6 ** (a + b)


def test_two_rounds_of_classic_by_a_brute_count_of_one_piggle_a_side():
    game = make_game("piggles_classic", {"rounds": 2})
    start = PigglesState(a=PigglesSide(pen=("A1",)), b=PigglesSide(pen=("B1",)))
    _, ends = explore(game, start, stop=lambda state: state.phase is PigglesPhase.SUDDEN)
    # A Piggle that stays in the Pen for a round has six ways in the next; one that was rolled has
    # none but to stay where it is, for nothing leaves the Mud before round 4.
    one = 1 * 6 + 5 * 1
    assert ends == one * one


def test_the_positions_of_a_round_of_classic_are_those_of_a_table_made_by_hand():
    game = make_game("piggles_classic", {"rounds": 1})
    start = PigglesState(a=PigglesSide(pen=("A1",)), b=PigglesSide(pen=("B1",)))
    seen, _ = explore(game, start, stop=lambda state: state.phase is PigglesPhase.SUDDEN)
    # A to load, A to roll: 2. B to load after each of A's 6 ways: 6. B to roll: 6. At the end a
    # Piggle is in the Pen, on one of two zones, in the Mud (Snout-Down or off) or in the Kitchen.
    assert len(seen) == 2 + 6 + 6 + 5 * 5


def modern(**team):
    worn = {f"team_{seat}": [*own, *["-"] * (6 - len(own))] for seat, own in team.items()}
    return make_game(
        "piggles_modern", {"rounds": 1, "team_a": ["-"] * 6, "team_b": ["-"] * 6} | worn
    )


# Where both lie in the one field, Red may act, or Blue may reroll the other, in five ways.
@pytest.mark.parametrize(("markings", "more"), [("red+adjacent", 1), ("blue+adjacent", 5)])
def test_a_round_of_modern_adds_what_effects_add(markings, more):
    start = PigglesState(a=PigglesSide(pen=("A1",)), b=PigglesSide(pen=("B1",)))
    game = modern(b=[markings])
    _, ends = explore(game, start, stop=lambda state: state.phase is PigglesPhase.SUDDEN)
    assert ends == 36 + more


@pytest.mark.parametrize(
    ("markings", "ways"),
    [
        # Done; or either first: it takes the other (1), or B1 or B2, after which the other is done
        # or takes one of the two that are left (3 each).
        (["red+adjacent", "red+adjacent"], 1 + 2 * (1 + 2 * 3)),
        # Done, or a shield for one of three.
        (["yellow+adjacent", "red"], 4),
    ],
)
def test_the_orders_of_acting_are_all_there(markings, ways):
    game = modern(a=markings)
    board = tuple((name, WAYS[0]) for name in ("A1", "A2", "B1", "B2"))
    actors = ("A1", "A2")
    start = PigglesState(
        phase=PigglesPhase.ACTION_REACTION, board=board, actors=actors, a=PigglesSide(pen=("A3",))
    )
    _, ends = explore(game, start, stop=lambda state: state.active is Seat.B)
    assert ends == ways
