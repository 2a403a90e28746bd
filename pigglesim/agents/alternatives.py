"""Which legal actions are worth telling apart when thinking ahead."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from pigglesim.agents.rewards import serious
from pigglesim.games.game import Game
from pigglesim.games.pig_pile.actions import Slop
from pigglesim.games.pig_pile.game import PigPile
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import Piggles
from pigglesim.games.piggles.state import NEUTRAL

__all__ = ["alternatives"]


def alternatives(game: Game[Any, Any], actions: Sequence[Any]) -> list[Any]:
    """Return one of each kind of action, in the game's order, without giving up.

    In Piggles those of a Pen that bear the same markings are alike to the rules, and to a model of
    chance of one model of Piggle: of the loads of the same markings the first stands for all. In
    Pig Pile one face-down card stands for all, which nobody can tell apart. Any other game's
    actions are all told apart.

    Args:
        game: The rules.
        actions: What they allow.
    """
    left = serious(actions)
    if isinstance(game, PigPile):
        return [one for one in left if not isinstance(one, Slop) or one.slot == 1]
    if not isinstance(game, Piggles):
        return left
    worn, kinds = dict(game.lineup), dict[object, Any]()
    for action in left:
        if isinstance(action, Load):
            # Counted, not listed: in any order they are the same load.
            pieces = Counter(worn.get(piggle, NEUTRAL) for piggle in action.piggles)
            kinds.setdefault(frozenset(pieces.items()), action)
        else:
            kinds.setdefault(action, action)
    return list(kinds.values())
