"""Chance that leaves no doubt, and the positions of random matches."""

import numpy as np

from pigglesim.agents.agent import Uniform
from pigglesim.agents.registry import make_agent
from pigglesim.chance.odds import ON_BOARD, KnockOdds, Odds, StandingOdds, ThrowOdds
from pigglesim.chance.tabular import TabularChance
from pigglesim.games.game import NonPlayer
from pigglesim.games.piggles.state import PigglesPhase
from pigglesim.landing import Orientation, Zone
from tests.support.simple_odds import knocked_alike

PLACES = [
    (Orientation.SNOUT_UP, Zone.FIELD_NORTH),
    (Orientation.SNOUT_UP, Zone.LINE_PATH_WOODS),
    (Orientation.SNOUT_DOWN, Zone.WOODS),
    (Orientation.ON_THEIR_HEAD, Zone.PATH_INNER),
    (None, Zone.OFF),
]


def certain(landing, rate, after, others=()):
    """Return chance that leaves no doubt: how all land, and how all that stand are knocked.

    `others` has the same of three Piggles of each side, which are of another model.
    """

    def odds(model, landing, rate, after):
        return Odds(
            model=model,
            thrown={6: ThrowOdds(shares={landing: 1.0}, leaning={}, throws=0)},
            knocks=knocked_alike({(6, 6): rate}, {after: 1.0}),
        )

    other = {
        name: odds("other", *others) for name in ("A2", "A3", "A6", "B1", "B2", "B5") if others
    }
    return TabularChance(seed=1, odds=odds("piggle", landing, rate, after), of_piggles=other)


def remembering(landing, seed):
    """Return chance that leaves no doubt, by which it matters how a Piggle stood.

    Whoever stands in half of all poses and zones is surely knocked, into another one each.
    """
    rng = np.random.default_rng(seed)
    after = rng.permutation(len(ON_BOARD) + 1)
    places = [*ON_BOARD, (None, Zone.OFF)]
    return TabularChance(
        seed=1,
        odds=Odds(
            model="piggle",
            thrown={6: ThrowOdds(shares={landing: 1.0}, leaning={}, throws=0)},
            knocks=KnockOdds(
                rates={(6, 6): 1.0},
                standing={
                    place: StandingOdds(
                        exposure=float(rng.integers(2)), after={places[after[at]]: 1.0}
                    )
                    for at, place in enumerate(ON_BOARD)
                },
            ),
        ),
    )


def positions(game, seed, chance):
    """Return every position of a random match before its tie-break."""
    rng = np.random.default_rng(seed)
    state, found = game.initial_state(), []
    while game.turn(state) is not NonPlayer.OVER:
        found.append(state)
        state = _next(game, state, chance, Uniform(), rng)
    return [state for state in found if state.phase is not PigglesPhase.SUDDEN]


def greedy_end(game, state, chance, *, most=60):
    """Return the end of a game between two greedy agents, or where it is after so many steps."""
    rng, greedy = np.random.default_rng(1), make_agent("greedy", game=game, chance=chance)
    for _ in range(most):
        if game.turn(state) is NonPlayer.OVER:
            break
        state = _next(game, state, chance, greedy, rng)
    return state


def _next(game, state, chance, agent, rng):
    turn = game.turn(state)
    if turn is NonPlayer.CHANCE:
        return game.apply_outcome(state, chance.draw(game.chance_request(state), rng=rng))
    action = agent.choose(game.observe(state, turn), game.legal_actions(state), rng=rng)
    return game.apply_action(state, action)
