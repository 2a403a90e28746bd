"""What a hold for each board brings: `python -m scripts.verification.aim_gain [BOARDS [SCALE]]`.

On boards as matches of greedy agents have them in round 3, seat B throws its whole Pen from the
scene's hold, from that of the agent `aim`, and from random legal ones. The gain of a throw is the
change of B's lead by the end of the match if nothing else were thrown: what lies Snout-Up scores in
each remaining Tally, knocks bring their bonus, a Piggle in the Kitchen costs a point a Tally. The
best hold of a board is found by successive halving, each round with new throws, and judged by
throws that no round used, so luck does not count. Compared holds have common random numbers.
"""

import sys
from math import pi

import numpy as np

from pigglesim.agents.registry import make_agent
from pigglesim.chance.physical import PhysicalChance, physical_chance
from pigglesim.experiments.statistics import mean_of
from pigglesim.games.game import NonPlayer
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.state import PigglesPhase, PigglesState
from pigglesim.games.piggles.turns import land
from pigglesim.landing import ZONE_POINTS, CupHold, Orientation, Seat
from pigglesim.rng import generator
from pigglesim.scene.load import load_scene, team_models
from pigglesim.scene.scene import INCH

_HOLDS = 22
_ROUND = 3
_ROUNDS = ((8, 8), (16, 3), (48, 1))
"""Throws of each hold in a round of the search, and the holds that it keeps."""
_JUDGING = 64
LOW = CupHold(across=0.0, back=4.7 * INCH, height=2.0 * INCH)
"""The hold of the agent `aim`."""


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


def holds(rng: np.random.Generator) -> list[CupHold]:
    """Return random legal holds."""
    low = np.array([-2.5 * INCH, 2.0 * INCH, 2.0 * INCH, -pi / 6, 0.1])
    high = np.array([2.5 * INCH, 5.5 * INCH, 5.0 * INCH, pi / 6, 0.8])
    names = ("across", "back", "height", "heading", "swing")
    drawn = rng.uniform(low, high, size=(_HOLDS, len(low))).tolist()
    return [CupHold(**dict(zip(names, row, strict=True))) for row in drawn]


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
          throws: range) -> float:  # fmt: skip
    """Return B's mean lead after throws of its Pen by some seeds."""
    loaded = game.apply_action(state, Load(state.b.pen, hold))
    request = game.chance_request(loaded)
    found = [
        lead(game, land(loaded, chance.roll(request, index=index), game.rules)) for index in throws
    ]
    return float(np.mean(found))


def main() -> None:
    """Print what the best hold of each board gains over fixed holds."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    scale = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    game, scene = PigglesClassic(), load_scene("piggles_classic")
    chance = physical_chance(scene, team_models(scene), engine="impulse", seed=7)
    ways = [None, LOW, *holds(generator(7, "holds"))]
    rows = []
    for state in boards(count, chance):
        left, begin = list(range(len(ways))), 0
        for throws, kept in _ROUNDS:
            seeds = range(begin, begin + scale * throws)
            means = {way: gains(game, state, ways[way], chance, seeds) for way in left}
            left, begin = sorted(left, key=lambda way: -means[way])[:kept], seeds.stop
        seeds = range(begin, begin + scale * _JUDGING)
        judged = {way: gains(game, state, ways[way], chance, seeds) for way in {0, 1, left[0]}}
        rows.append((judged[0], judged[1], judged[left[0]]))
        table = np.array(rows)
        if len(rows) < 2:
            continue
        print(f"{len(rows)} boards")
        for name, values in (
            ("scene's hold, lead after the throw", table[:, 0]),
            ("aim's hold minus the scene's", table[:, 1] - table[:, 0]),
            ("best hold of each board minus the scene's", table[:, 2] - table[:, 0]),
            ("best hold of each board minus aim's", table[:, 2] - table[:, 1]),
        ):
            found = mean_of(values)
            print(f"{name}: {found.value:+.2f} [{found.low:+.2f}, {found.high:+.2f}]", flush=True)


if __name__ == "__main__":
    main()
