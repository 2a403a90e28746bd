"""What tree search wins against greedy by odds, told without the noise of the dice.

Two players of almost the same strength need ten thousands of matches to be told apart. But where
tree search does what greedy would do it gains nothing, and where it departs from it the difference
can be measured there: many games are played on from either action, greedy at both seats. The sum of
these differences over the decisions of a match, in matches of tree search against greedy, has as
its mean just what tree search wins above one half (the performance difference lemma of Kakade and
Langford 2002). Run it by hand:

    python -m scripts.verification.search_gain 200 mcts:nodes=400
    python -m scripts.verification.search_gain 200 mcts piggles_modern actors=all_own_up
"""

import sys

import numpy as np

from pigglesim import rng as seeding
from pigglesim.agents.compiled_playouts import piggles_playouts
from pigglesim.agents.playouts import rewards, settled
from pigglesim.agents.registry import make_agent
from pigglesim.chance.odds import load_odds
from pigglesim.chance.tabular import TabularChance
from pigglesim.experiments.statistics import mean_of
from pigglesim.games.game import NonPlayer
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS, Seat

GAMES, AT_ONCE = 20_000, 250
"""From either action of each departure, on the same luck; so many at a time, as luck is drawn."""


def gain(game, name: str, match: int, own: Seat) -> tuple[float, int, int]:
    """Return what an agent gains by its departures in one match; how many, of which decisions."""
    chance = TabularChance(seed=0, odds=load_odds("piggle"))
    agents = {own: make_agent(name, game=game, chance=chance), own.other: make_agent("greedy")}
    greedy = make_agent("greedy")
    playouts = piggles_playouts(game, chance)
    assert playouts is not None
    rng = seeding.generator(1, "search gain", match, own)
    state, seat = settled(game, game.initial_state(), chance, rng=rng)
    found, departures, decisions = 0.0, 0, 0
    while seat is not None:
        seen, legal = game.observe(state, seat), game.legal_actions(state)
        action = agents[seat].choose(seen, legal, rng=rng)
        if seat is own:
            decisions += 1
            common = greedy.choose(seen, legal, rng=rng)
            if common != action:
                departures += 1
                after = (game.apply_action(state, one) for one in (action, common))
                seed = int(rng.integers(seeding.MAX_SUB_SEED))
                new, old = (_worth(game, playouts, one, own, seed) for one in after)
                found += new - old
        state, seat = settled(game, game.apply_action(state, action), chance, rng=rng)
    return found, departures, decisions


def _worth(game, playouts, state, own, seed):
    """Return what a position is worth to a player."""
    if game.turn(state) is NonPlayer.OVER:
        return rewards(game, state)[own]
    parts = range(GAMES // AT_ONCE)
    return np.mean(
        [playouts.value(state, AT_ONCE, rng=seeding.generator(seed, part))[own] for part in parts]
    )


def main() -> None:
    """Print what an agent wins above one half."""
    matches, name = int(sys.argv[1]), sys.argv[2]
    rules = dict(word.split("=") for word in sys.argv[4:])
    game = make_game(sys.argv[3] if len(sys.argv) > 3 else "piggles_classic", rules)
    rows = [gain(game, name, number // 2, BOARD_SEATS[number % 2]) for number in range(matches)]
    share = mean_of(np.array([row[0] for row in rows]))
    departures, decisions = (sum(row[at] for row in rows) for at in (1, 2))
    print(
        f"{name} against greedy in {game.name}: share {0.5 + share.value:.4f} "
        f"[{0.5 + share.low:.4f}, {0.5 + share.high:.4f}] ({matches} matches, "
        f"{departures} departures in {decisions} decisions)"
    )


if __name__ == "__main__":
    main()
