"""What aim could bring: `python -m scripts.verification.aim_gain [BOARDS] [THROWS]`.

On boards as matches of greedy agents have them in round 3, seat B throws its whole Pen from the
scene's hold and from random legal ones, with common random numbers. The gain of a throw is the
change of B's lead by the end of the match if nothing else were thrown: what lies Snout-Up scores in
each remaining Tally, knocks bring their bonus, a Piggle in the Kitchen costs a point a Tally. The
best hold by half of the throws of a board is judged by the other half, so luck does not count.
"""

import sys
from math import pi

import numpy as np

from pigglesim.agents.registry import make_agent
from pigglesim.chance.physical import PhysicalChance, physical_chance
from pigglesim.experiments.statistics import Interval, mean_of
from pigglesim.games.game import NonPlayer
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.state import PigglesPhase, PigglesState
from pigglesim.games.piggles.turns import land
from pigglesim.landing import ZONE_POINTS, CupHold, Orientation, Seat
from pigglesim.rng import generator
from pigglesim.scene.load import load_scene, team_models
from pigglesim.scene.scene import INCH

_HOLDS = 24
_ROUND = 3


def boards(count: int, chance: PhysicalChance) -> list[PigglesState]:
    """Return states in which B loads in round 3, from matches of greedy agents."""
    game, found, seed = PigglesClassic(), [], 0
    greedy = make_agent("greedy", game=game)
    while len(found) < count:
        seed += 1
        state, source, number = game.initial_state(), chance.with_seed(seed), 0
        while (turn := game.turn(state)) is not NonPlayer.OVER:
            loads = state.phase is PigglesPhase.LOAD and state.active is Seat.B
            if loads and state.round == _ROUND and state.b.pen:
                found.append(state)
                break
            if isinstance(turn, Seat):
                rng = generator(seed, number)
                seen, legal = game.observe(state, turn), game.legal_actions(state)
                state = game.apply_action(state, greedy.choose(seen, legal, rng=rng))
            else:
                outcome = source.answer(game.chance_request(state), index=number)
                state = game.apply_outcome(state, outcome)
            number += 1
    return found


def holds(rng: np.random.Generator) -> list[CupHold | None]:
    """Return the scene's hold and random legal ones."""
    low = np.array([-2.5 * INCH, 2.0 * INCH, 2.0 * INCH, -pi / 6, 0.1])
    high = np.array([2.5 * INCH, 5.5 * INCH, 5.0 * INCH, pi / 6, 0.8])
    names = ("across", "back", "height", "heading", "swing")
    drawn = rng.uniform(low, high, size=(_HOLDS, len(low))).tolist()
    return [None, *(CupHold(**dict(zip(names, row, strict=True))) for row in drawn)]


def lead(game: PigglesClassic, state: PigglesState) -> float:
    """Return B's lead at the end of the match if nobody rolled again; A has tallied this round."""
    worth, left = 0.0, game.rules.rounds - state.round
    credits = dict(state.knock_credits)
    for piggle, at in state.board:
        own = state.controller(piggle) is Seat.B
        if at.orientation is Orientation.SNOUT_UP:
            worth += ZONE_POINTS[at.zone] * (left + 1 if own else -left)
        elif at.orientation is Orientation.ON_THEIR_HEAD:
            worth += -left if own else left
        if piggle in credits:
            bonus = 2 if at.orientation is Orientation.ON_THEIR_HEAD else 1
            worth += bonus if credits[piggle] is Seat.B else -bonus
    return worth + state.b.mud_bonuses


def gains(game: PigglesClassic, state: PigglesState, hold: CupHold | None, chance: PhysicalChance,
          throws: int) -> np.ndarray:  # fmt: skip
    """Return B's lead after each of some throws of its Pen, with the seeds 0, 1, 2 and so on."""
    loaded = game.apply_action(state, Load(state.b.pen, hold))
    request = game.chance_request(loaded)
    found = []
    for index in range(throws):
        landed = land(loaded, chance.roll(request, index=index), game.rules)
        found.append(lead(game, landed))
    return np.array(found)


def main() -> None:
    """Print the gain of the best of the holds over the scene's."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    throws = int(sys.argv[2]) if len(sys.argv) > 2 else 64
    game, scene = PigglesClassic(), load_scene("piggles_classic")
    chance = physical_chance(scene, team_models(scene), engine="impulse", seed=7)
    ways = holds(generator(7, "holds"))
    table = np.array(
        [[gains(game, state, hold, chance, throws) for hold in ways]
         for state in boards(count, chance)]
    )  # fmt: skip
    half = throws // 2
    first, second = table[:, :, :half].mean(2), table[:, :, half:].mean(2)

    def show(name: str, found: Interval) -> None:
        print(f"{name}: {found.value:+.2f} [{found.low:+.2f}, {found.high:+.2f}] points of lead")

    show("the scene's hold, lead after the throw", mean_of(second[:, 0]))
    spread = mean_of((table - table[:, :1]).mean(2).var(axis=1))
    print(f"variance between holds on a board: {spread.value:.2f}, noise included")
    best = first.argmax(axis=1)
    show("best hold of each board", mean_of(second[np.arange(count), best] - second[:, 0]))
    same = int(table.mean(2).mean(0)[1:].argmax()) + 1
    print("best hold for all boards:", ways[same])
    show("the same hold on all boards", mean_of((table[:, same] - table[:, 0]).mean(1)))


if __name__ == "__main__":
    main()
