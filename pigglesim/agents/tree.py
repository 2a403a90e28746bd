"""Which legal actions are worth telling apart when thinking ahead."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, log, sqrt
from typing import Any

from scipy.special import stdtrit

from pigglesim.agents.playouts import serious
from pigglesim.games.game import Game
from pigglesim.games.pig_pile.game import PigPile
from pigglesim.games.pig_pile.state import Slop
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import Piggles
from pigglesim.games.piggles.state import NEUTRAL
from pigglesim.landing import Seat


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


_LEVEL = 0.95
_FEW = 5
"""Pairs that do not tell their own spread."""


@dataclass(slots=True, kw_only=True)
class Worth:
    """Mean and spread of the rewards that one player had from something."""

    visits: int = 0
    total: float = 0.0
    squares: float = 0.0
    weight: int = 1
    """Rewards within each visit, whose mean it counts as."""

    def add(self, reward: float) -> None:
        """Count one more visit."""
        self.visits += 1
        self.total += reward
        self.squares += reward * reward

    @property
    def mean(self) -> float:
        """Mean reward; one half before the first visit."""
        return self.total / self.visits if self.visits else 0.5

    @property
    def error(self) -> float:
        """Standard error of the mean.

        Few visits tell their own spread badly: it is taken to be at least that of rewards of 0
        and 1, of which one more was a 0 and one more a 1 (Agresti and Coull 1998).
        """
        if self.visits < 2:
            return inf
        spread = max(0.0, self.squares / self.visits - self.mean**2)
        rewards = self.visits * self.weight
        share = (self.mean * rewards + 1.0) / (rewards + 2.0)
        return sqrt(max(spread, share * (1.0 - share) / self.weight) / (self.visits - 1))

    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the mean, by Student, within 0 and 1."""
        if self.visits < 2:
            return 0.0, 1.0
        half = float(stdtrit(self.visits - 1, (1.0 + _LEVEL) / 2.0)) * self.error
        return max(0.0, self.mean - half), min(1.0, self.mean + half)


def leads(one: Sequence[float], other: Sequence[float], errors: float, *, weight: int) -> bool:
    """Return whether rewards are better by more than so many standard errors of the difference.

    Reward i of either was had with the same luck, so that their differences are what is told; those
    without a partner are left out. Where all are alike one more of the games is taken to differ.

    Args:
        one: Means of some games each, in order.
        other: The others'.
        errors: How many.
        weight: Games in a mean.
    """
    pairs = min(len(one), len(other))
    if pairs < _FEW:
        return False
    apart = [a - b for a, b in zip(one[:pairs], other[:pairs], strict=True)]
    mean = sum(apart) / pairs
    spread = sum((each - mean) ** 2 for each in apart) / pairs
    least = 1.0 / ((pairs * weight + 1.0) * weight)
    return mean > errors * sqrt(max(spread, least) / (pairs - 1))


@dataclass(slots=True, kw_only=True, eq=False)
class Node:
    """What follows a series of decisions, whatever chance did in between; equal to itself alone."""

    worth: Worth = field(default_factory=Worth)
    """To who decided last."""
    offered: int = 0
    """How often this could be chosen: chance decides what is legal."""
    rewards: list[float] = field(default_factory=list)
    """Of each visit, in order, just below the root: visit i of each is had with the same luck."""
    below: dict[tuple[Seat, Any], "Node"] = field(default_factory=dict)
    """What was tried next, by player and action."""


def pick(offers: list[Node], explore: float) -> Node:
    """Return the node with the highest upper confidence bound; the first of equal ones.

    UCB1 (Auer, Cesa-Bianchi and Fischer 2002), with the number of times that a node was on offer
    in place of its parent's visits, as not all are on offer each time (Cowling, Powley and
    Whitehouse 2012).

    Args:
        offers: At least one; each was visited before.
        explore: Weight of what is not known yet.
    """

    def bound(node: Node) -> float:
        visits = node.worth.visits
        return node.worth.mean + explore * sqrt(log(max(node.offered, 1)) / visits)

    return max(offers, key=bound)
