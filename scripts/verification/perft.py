"""Perft: the size of a game tree, by which two implementations of the rules are compared.

The word is of chess engines. One wrong rule nearly always gives another count. This prints the
table of counts in docs/games/index.md, as deep as 300,000 leaves:

.venv/bin/python -m scripts.verification.perft
"""

from collections.abc import Callable, Sequence
from typing import Any

from pigglesim.chance_types import (
    ChanceOutcome,
    DiceRequest,
    ShuffleRequest,
    ShuffleResult,
    fair_dice,
)
from pigglesim.games.game import Game, NonPlayer
from pigglesim.games.registry import make_game
from pigglesim.landing import Landing, Orientation, RollRequest, RollResult, Zone

GAMES = (
    ("piggles_classic", {}),
    ("piggles_classic", {"off_board": "reroll"}),
    ("piggles_modern", {}),
    ("piggles_modern", {"actors": "all_own_up"}),
    ("piggy_six", {}),
    ("piggy_six", {"three_dice": "on"}),
    ("piggyback", {}),
    ("piggyback", {"start": "red"}),
    ("pig_pile", {}),
    ("pig_pile", {"advanced_deal": "on"}),
    ("lord_of_the_pigs", {}),
    ("lord_of_the_pigs", {"events": "off"}),
)
MOST = 300_000
DEEPEST = 14


_LANDINGS = {
    "1": Landing(orientation=Orientation.SNOUT_UP, zone=Zone.FIELD_NORTH),
    "2": Landing(orientation=Orientation.SNOUT_DOWN, zone=Zone.FIELD_EAST),
    "3": Landing(orientation=Orientation.ON_THEIR_HEAD, zone=Zone.FIELD_WEST),
    "4": Landing(orientation=Orientation.SNOUT_UP, zone=Zone.FIELD_SOUTH),
    "5": Landing(orientation=Orientation.SNOUT_UP, zone=Zone.FIELD_WEST),
    "6": Landing(orientation=None, zone=Zone.OFF),
}
"""Landing of each Piggle of either team in a fixed throw, by its number."""


def perft(game: Game[Any, Any], state: Any, depth: int) -> int:
    """Return the number of leaves of the game tree at a depth.

    Each action and each outcome of chance is one step. Every legal action counts, conceding too.
    Chance has the outcomes of `fixed_outcomes`. A game that ends earlier has no leaf.

    Args:
        game: The rules.
        state: Root of the tree.
        depth: Number of steps below the root, 0 or more.
    """
    if depth == 0:
        return 1
    apply: Callable[[Any, Any], Any] = game.apply_action
    steps: Sequence[Any] = game.legal_actions(state)
    if game.turn(state) is NonPlayer.CHANCE:
        apply, steps = game.apply_outcome, fixed_outcomes(game, state)
    if depth == 1:
        return len(steps)
    return sum(perft(game, apply(state, step), depth - 1) for step in steps)


def fixed_outcomes(game: Game[Any, Any], state: Any) -> Sequence[ChanceOutcome]:
    """Return the outcomes of chance that perft goes through.

    - Dice have all different results, as in `ListsChanceOutcomes`.
    - Cards stay in the order of the request.
    - Piggles land by their numbers: 1 `up@field:N`, 2 `down@field:E`, 3 `head@field:W`,
      4 `up@field:S`, 5 `up@field:W`, 6 `off`. They knock no other. A Piggle that is set down by
      hand stands as requested.
    """
    match game.chance_request(state):
        case DiceRequest() as dice:
            return [outcome for outcome, _ in fair_dice(dice.count, dice.sides)]
        case ShuffleRequest(cards=cards):
            return [ShuffleResult(cards=cards)]
        case RollRequest(piggles=(piggle,), set_down=spot) if spot is not None:
            landing = Landing(orientation=spot.orientation, zone=spot.zone)
            return [RollResult(landings=((piggle, landing),))]
        case RollRequest(piggles=piggles, standing=standing):
            rolled = tuple((piggle, _LANDINGS[piggle[1:]]) for piggle in piggles)
            return [RollResult(landings=(*rolled, *standing))]


def counts(game):
    """Return the counts of depths from 1 to the last that is not too large."""
    found = []
    for depth in range(1, DEEPEST + 1):
        found.append(perft(game, game.initial_state(), depth))
        if found[-1] * (found[-1] / found[-2] if depth > 1 else 1) > MOST:
            break
    return found


def main():
    """Print the table."""
    for name, rules in GAMES:
        words = " ".join(f"{key}={value}" for key, value in rules.items())
        leaves = ", ".join(map(str, counts(make_game(name, rules))))
        print(f"| `{name}` | {f'`{words}`' if words else 'default'} | {leaves} |", flush=True)


if __name__ == "__main__":
    main()
