"""Which legal actions are worth telling apart when thinking ahead."""

from collections.abc import Sequence
from typing import Any

from pigglesim.agents.rewards import serious
from pigglesim.games.game import Game
from pigglesim.games.piggles.classic import PigglesClassic
from pigglesim.games.piggles.loading import Load

__all__ = ["alternatives"]


def alternatives(game: Game[Any, Any], actions: Sequence[Any]) -> list[Any]:
    """Return one of each kind of action, in the game's order, without giving up.

    In Piggles Classic the Piggles of a Pen are alike to the rules, and to a model of chance of one
    model of Piggle: of the loads of each number the first stands for all. Any other game's actions
    are all told apart.

    Args:
        game: The rules.
        actions: What they allow.
    """
    left = serious(actions)
    if not isinstance(game, PigglesClassic):
        return left
    kinds: dict[object, Any] = {}
    for action in left:
        kinds.setdefault(len(action.piggles) if isinstance(action, Load) else action, action)
    return list(kinds.values())
