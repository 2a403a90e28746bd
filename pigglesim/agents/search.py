"""Agents that think ahead: expectimax, and Monte Carlo tree search."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, log, sqrt
from typing import Any

import numpy as np
from scipy.special import stdtrit

from pigglesim.agents.agent import Agent, Considered, without_conceding
from pigglesim.agents.playouts import (
    ChanceModel,
    ListsOutcomes,
    Playouts,
    possible_states,
    rewards,
    settled,
)
from pigglesim.chance_types import ChanceOutcome
from pigglesim.games.game import Game, HasAlikeActions, NonPlayer
from pigglesim.landing import Seat
from pigglesim.rng import MAX_SEED, generator


def alternatives(game: Game[Any, Any], actions: Sequence[Any]) -> list[Any]:
    """Return the actions worth telling apart, in the game's order: without giving up."""
    left = without_conceding(actions)
    return list(game.distinct(left)) if isinstance(game, HasAlikeActions) else left


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectimax:
    """Chooses the action of the highest expected reward, every player doing the same.

    What is exact and what is not: the expectation over chance is exact where the model of chance
    lists its outcomes, and otherwise the mean of `samples` outcomes at each roll, drawn anew for
    each action. Below `depth` decisions a position is worth the mean of `batch` games that are
    played on from it. A game that is over by then is worth what it is worth. Players who weigh
    noisy values take the best of them for better than it is: a depth of one decision has none of
    that but at the root, and more decisions need more samples.
    """

    name: str
    """The name under which a record knows this agent, with its parameters."""
    game: Game[Any, Any]
    chance: ChanceModel
    playouts: Playouts
    depth: int = 1
    """Decisions, whoever's, the one at hand among them; one that has no choice counts for none."""
    samples: int = 100
    batch: int = 1
    """Games played on from each position at the end of the depth."""

    def choose(
        self, observation: object, legal_actions: Sequence[Any], *, rng: np.random.Generator
    ) -> Any:  # noqa: ANN401 (an action of the game)
        """Return the action that is worth most; the first of equal ones."""
        if len(left := alternatives(self.game, legal_actions)) == 1:
            return left[0]
        return self.explain(observation, legal_actions, rng=rng)[0].action

    def explain(
        self, observation: object, legal_actions: Sequence[Any], *, rng: np.random.Generator
    ) -> tuple[Considered[Any], ...]:
        """Return what was weighed, the best first.

        The intervals know of the outcomes drawn at the first roll; where all were listed, or none
        follows, a value is told without any doubt.
        """
        state = possible_states(self.game, observation)(rng)
        seat = self.game.turn(state)
        found = [
            self._considered(state, Seat(seat), action, rng)
            for action in alternatives(self.game, legal_actions)
        ]
        return tuple(sorted(found, key=lambda each: -each.value))

    def _considered(
        self,
        state: object,
        seat: Seat,
        action: Any,  # noqa: ANN401 (of the game)
        rng: np.random.Generator,
    ) -> Considered[Any]:
        after = self.game.apply_action(state, action)
        worth, value, exact = Worth(weight=self.batch), 0.0, True
        for outcome, share, listed in self._after_chance(after, rng):
            reward = self._worth(outcome, self.depth - 1, rng)[seat]
            worth.add(reward)
            value += share * reward
            exact = exact and listed
        low, high = (value, value) if exact else worth.interval()
        return Considered(
            action=action, value=value, low=low, high=high, visits=worth.visits, line=(action,)
        )

    def _after_chance(
        self, state: object, rng: np.random.Generator
    ) -> Iterator[tuple[Any, float, bool]]:
        """Yield every position after chance has had its turn, with its share and if it is exact."""
        if self.game.turn(state) is not NonPlayer.CHANCE:
            yield state, 1.0, True
            return
        request = self.game.chance_request(state)
        listed = isinstance(self.chance, ListsOutcomes)
        outcomes: Sequence[tuple[ChanceOutcome, float]]
        if isinstance(self.chance, ListsOutcomes):
            outcomes = self.chance.outcomes(request)
        else:
            drawn = (self.chance.draw(request, rng=rng) for _ in range(self.samples))
            outcomes = [(outcome, 1.0 / self.samples) for outcome in drawn]
        for outcome, share in outcomes:
            yield self.game.apply_outcome(state, outcome), share, listed

    def _worth(self, state: Any, depth: int, rng: np.random.Generator) -> Mapping[Seat, float]:  # noqa: ANN401
        """Return what a position is worth to each player."""
        game = self.game
        match game.turn(state):
            case NonPlayer.OVER:
                return rewards(game, state)
            case NonPlayer.CHANCE:
                sums = dict.fromkeys(game.scores(state), 0.0)
                for after, share, _ in self._after_chance(state, rng):
                    for seat, reward in self._worth(after, depth, rng).items():
                        sums[seat] += share * reward
                return sums
            case seat:
                actions = alternatives(game, game.legal_actions(state))
                if len(actions) == 1:
                    return self._worth(game.apply_action(state, actions[0]), depth, rng)
                if depth == 0:
                    return self.playouts.value(state, self.batch, rng=rng)
                worths = (
                    self._worth(game.apply_action(state, action), depth - 1, rng)
                    for action in actions
                )
                return max(worths, key=lambda worth: worth[seat])


_CERTAIN = 1.0
"""Standard errors by which an action must look better than what the guide would do."""
_SETTLED = 3.0
"""Standard errors by which the best action leads another that need not be looked into any more."""
_OPENED = 64
"""Visits of a node before the tree goes on below it: sooner, nothing would be learnt there, and
games that are played on each from a roll of its own tell more than as many from one."""
_LOOK_EVERY = 16
"""Passes between two looks whether that is so."""
_WIDEN = 0.25
"""Below the root as many actions are tried as one and this times the root of the visits: replies
that are hardly looked into would spoil what they follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeSearch:
    """Chooses what was worth most over many games played on from here.

    The tree is open-loop: a node is a series of decisions, and each pass draws every roll, and
    what a player cannot see, anew. Six Piggles fall in some hundred thousand ways that hardly
    differ in worth: chance nodes would never be met twice. What is lost is that deep in the tree
    a player decides without having seen the rolls; at the root nothing is.

    Where the tree ends games are played on to the end. The guide is the agent that decides in
    them; its choice is left only for an action that looks better by a standard error of the
    difference, so that noise does not make the search worse than its guide. A search whose answer
    is clear ends early.
    """

    name: str
    """The name under which a record knows this agent, with its parameters."""
    game: Game[Any, Any]
    chance: ChanceModel
    playouts: Playouts
    guide: Agent | None
    """Whose choice is tried first at each node; None if its choices are random."""
    nodes: int | None = None
    """Passes through the tree for a decision; None for as many as there is time for."""
    seconds: float | None = None
    """Time for a decision [s], which makes choices depend on the machine."""
    explore: float = 1.0
    """Weight of what is not known yet, if one game is played on from each node; the mean of n
    games is sqrt(n) times as sure, and less weight is given then."""
    batch: int = 1
    """Games played on from where a pass ends."""

    def choose(
        self, observation: object, legal_actions: Sequence[Any], *, rng: np.random.Generator
    ) -> Any:  # noqa: ANN401 (an action of the game)
        """Return the action that is worth most."""
        if len(left := alternatives(self.game, legal_actions)) == 1:
            return left[0]
        return self.explain(observation, legal_actions, rng=rng)[0].action

    def explain(
        self, observation: object, legal_actions: Sequence[Any], *, rng: np.random.Generator
    ) -> tuple[Considered[Any], ...]:
        """Return what was weighed, the choice first and the others by their value."""
        search = _Search(self, observation, alternatives(self.game, legal_actions), rng)
        for done in self._passes():
            if done and done % _LOOK_EVERY == 0 and search.is_settled():
                break
            search.go_down()
        return search.weighed()

    def _passes(self) -> Iterator[int]:
        """Yield once for each pass that there are nodes and time for; at least one."""
        end = None if self.seconds is None else time.perf_counter() + self.seconds
        done = 0
        while done == 0 or (
            (self.nodes is None or done < self.nodes) and (end is None or time.perf_counter() < end)
        ):
            yield done
            done += 1


class _Search:
    """One decision being searched for.

    Args:
        agent: Whose decision.
        observation: What it sees.
        actions: What it tells apart.
        rng: What everything is drawn from.
    """

    def __init__(
        self,
        agent: TreeSearch,
        observation: object,
        actions: Sequence[Any],
        rng: np.random.Generator,
    ) -> None:
        self._agent, self._rng = agent, rng
        self._luck = int(rng.integers(MAX_SEED))
        self._actions = actions
        self._possible = possible_states(agent.game, observation)
        self._explore = agent.explore / sqrt(agent.batch)
        self._root = Node()
        self._own: Node | None = None
        """What the guide would do at the root."""
        self._beaten: list[Node] = []
        """Just below the root, what need not be looked into any more."""

    def go_down(self) -> None:
        """Go down the tree to where it ends, play on from there, and count what came of it."""
        agent, rng = self._agent, self._rng
        state = self._possible(rng)
        path: list[tuple[Seat, Node]] = []
        node = self._root
        while agent.game.turn(state) is not NonPlayer.OVER:
            if path and node.worth.visits < _OPENED:
                break
            state, seat = settled(agent.game, state, agent.chance, rng=rng)
            if seat is None:
                break
            actions: Sequence[Any] = self._actions
            if node is not self._root:
                actions = alternatives(agent.game, agent.game.legal_actions(state))
            if path and len(actions) == 1:
                action = actions[0]
            else:
                at_root = node is self._root
                action, node = self._descend(node, state, seat, actions)
                path.append((seat, node))
                if at_root:
                    # Visit i of every action has the same luck from here on: what is left of the
                    # difference between two of them is owed to the actions.
                    rng = generator(self._luck, node.worth.visits)
            state = agent.game.apply_action(state, action)
        if agent.game.turn(state) is NonPlayer.OVER:
            found = rewards(agent.game, state)
        else:
            found = dict(agent.playouts.value(state, agent.batch, rng=rng))
        for mover, seen in path:
            seen.worth.add(found[mover])
        if path:
            mover, seen = path[0]
            seen.rewards.append(found[mover])

    def _descend(
        self, node: Node, state: object, seat: Seat, actions: Sequence[Any]
    ) -> tuple[Any, Node]:
        """Return the action to look into, and its node."""
        known = [(action, node.below.get((seat, action))) for action in actions]
        old = [(action, offer) for action, offer in known if offer is not None]
        for _, offer in old:
            offer.offered += 1
        width = 1.0 + _WIDEN * sqrt(node.worth.visits)
        if len(old) < len(known) and (node is self._root or len(old) < width):
            new = [action for action, offer in known if offer is None]
            # The guide's own choice is the first of all.
            action = new[0] if old else self._preferred(state, seat, new)
            made = Node(offered=1, worth=Worth(weight=self._agent.batch))
            node.below[seat, action] = made
            if node is self._root and not old and self._agent.guide is not None:
                self._own = made
            return action, made
        if node is self._root:
            old = [(action, offer) for action, offer in old if offer not in self._beaten]
        best = pick([offer for _, offer in old], self._explore)
        own = self._own
        if (
            own is not None
            and node is self._root
            and own not in self._beaten
            and own.worth.visits < best.worth.visits
        ):
            # All are compared with it: it is known as well as any.
            best = own
        return next(action for action, offer in old if offer is best), best

    def _preferred(self, state: object, seat: Seat, actions: Sequence[Any]) -> Any:  # noqa: ANN401
        """Return what the guide would do; the first action where there is none."""
        agent = self._agent
        if agent.guide is None:
            return actions[0]
        return agent.guide.choose(agent.game.observe(state, seat), actions, rng=self._rng)

    def is_settled(self) -> bool:
        """Return whether every action was tried, and one leads all others beyond doubt.

        Those that are led so by the best are left alone from here on.
        """
        nodes = list(self._root.below.values())
        best = max(nodes, key=lambda node: node.worth.mean)
        self._beaten = [node for node in nodes if self._leads(best, node, _SETTLED)]
        return len(nodes) == len(self._actions) and len(self._beaten) == len(nodes) - 1

    def weighed(self) -> tuple[Considered[Any], ...]:
        """Return what was weighed, the choice first and the others by their value."""
        chosen = self._chosen()
        ranked = sorted(
            self._root.below.items(),
            key=lambda entry: (entry[1] is not chosen, -entry[1].worth.mean),
        )
        return tuple(_considered(action, node) for (_, action), node in ranked)

    def _chosen(self) -> Node:
        """Return the node of what to do."""
        nodes = list(self._root.below.values())
        own = self._own
        if own is None:
            return max(nodes, key=lambda node: (node.worth.visits, node.worth.mean))
        better = [node for node in nodes if self._leads(node, own, _CERTAIN)]
        return max(better, key=lambda node: node.worth.mean, default=own)

    def _leads(self, one: Node, other: Node, errors: float) -> bool:
        """Return whether an action looks better than another by so many standard errors."""
        return leads(one.rewards, other.rewards, errors, weight=self._agent.batch)


def _considered(action: Any, node: Node) -> Considered[Any]:  # noqa: ANN401 (of the game)
    low, high = node.worth.interval()
    line = [action]
    at = node
    while at.below:
        (_, following), at = max(at.below.items(), key=lambda entry: entry[1].worth.visits)
        line.append(following)
    return Considered(
        action=action,
        value=node.worth.mean,
        low=low,
        high=high,
        visits=node.worth.visits,
        line=tuple(line),
    )
