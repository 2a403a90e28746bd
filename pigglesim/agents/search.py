"""Agents that think ahead: expectimax, and Monte Carlo tree search."""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, inf, log, sqrt
from typing import Any, NamedTuple

from pigglesim.agents.agent import Action, ActionValue, Agent, State, without_conceding
from pigglesim.agents.playouts import (
    ChanceModel,
    Playouts,
    odds_of_piggles,
    possible_states,
    rewards,
    settled,
)
from pigglesim.games.game import Game, ListsChanceOutcomes, NonPlayer, distinct
from pigglesim.landing import Seat
from pigglesim.rng import MAX_SUB_SEED, Generator, generator
from pigglesim.student_t import student_quantile


def alternatives(
    game: Game[Any, Any], actions: Sequence[Any], chance: ChanceModel | None = None
) -> list[Any]:
    """Return the distinct actions in the game's order, without conceding."""
    return distinct_for(game, without_conceding(actions), chance)


def distinct_for(
    game: Game[Any, Any], actions: Sequence[Any], chance: ChanceModel | None
) -> list[Any]:
    """Return the first of each set of equivalent actions.

    Loads that differ in models are not equivalent; the model of chance knows the models.
    """
    models = {piggle: odds.model for piggle, odds in odds_of_piggles(chance).items()}
    return distinct(game, actions, models)


_LEVEL = 0.95
_MIN_PAIRS = 5
"""Minimum number of pairs whose spread is used."""


@dataclass(slots=True, kw_only=True)
class RewardEstimate:
    """Mean and spread of rewards of one player."""

    visits: int = 0
    total: float = 0.0
    squares: float = 0.0
    weight: int = 1
    """Number of games per visit; their mean is its reward."""

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

        The spread is at least that of the rewards with one more 0 and one more 1, because few
        visits estimate their spread badly (Agresti and Coull 1998).
        """
        if self.visits < 2:
            return inf
        spread = max(0.0, self.squares / self.visits - self.mean**2)
        rewards = self.visits * self.weight
        share = (self.mean * rewards + 1.0) / (rewards + 2.0)
        return sqrt(max(spread, share * (1.0 - share) / self.weight) / (self.visits - 1))

    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the mean, by Student's t, within 0 and 1."""
        if self.visits < 2:
            return 0.0, 1.0
        half = student_quantile(self.visits - 1, _LEVEL) * self.error
        return max(0.0, self.mean - half), min(1.0, self.mean + half)


def paired_difference(
    one: Sequence[float], other: Sequence[float], *, weight: int
) -> tuple[float, float]:
    """Return the mean difference of rewards and its standard error.

    Reward i of both lists was sampled with the same random numbers, so differences are paired and
    rewards without a partner ignored. The spread is at least that of one more differing game.

    Rewards are means of `weight` games each. There must be at least two pairs.
    """
    pairs = min(len(one), len(other))
    differences = [a - b for a, b in zip(one[:pairs], other[:pairs], strict=True)]
    # A plain sum has other last digits in other versions of Python.
    mean = fsum(differences) / pairs
    spread = fsum((difference - mean) ** 2 for difference in differences) / pairs
    min_spread = 1.0 / ((pairs * weight + 1.0) * weight)
    return mean, sqrt(max(spread, min_spread) / (pairs - 1))


def leads(one: Sequence[float], other: Sequence[float], errors: float, *, weight: int) -> bool:
    """Return whether rewards are better by more than some standard errors of the difference.

    The arguments are those of `paired_difference`.
    """
    if min(len(one), len(other)) < _MIN_PAIRS:
        return False
    mean, error = paired_difference(one, other, weight=weight)
    return mean > errors * error


@dataclass(slots=True, kw_only=True, eq=False)
class Node:
    """A sequence of decisions, with any chance between them; equal only to itself."""

    reward: RewardEstimate = field(default_factory=RewardEstimate)
    """Rewards of the player who decided last."""
    offered: int = 0
    """Number of times that the last decision was legal, which depends on chance."""
    rewards: list[float] = field(default_factory=list)
    """Reward of each visit just below the root; visits i of all nodes share random numbers."""
    below: dict[tuple[Seat, Any], "Node"] = field(default_factory=dict)
    """Child nodes tried so far, by player and action."""


def pick(offers: list[Node], explore: float) -> Node:
    """Return the node with the highest upper confidence bound; the first if several are equal.

    The bound is UCB1 (Auer, Cesa-Bianchi and Fischer 2002). The number of times that a node was
    legal replaces its parent's visits, as nodes are not always legal (Cowling, Powley and
    Whitehouse 2012).

    Each node must have a visit. `explore` is the weight of exploration.
    """

    def bound(node: Node) -> float:
        visits = node.reward.visits
        return node.reward.mean + explore * sqrt(log(max(node.offered, 1)) / visits)

    return max(offers, key=bound)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAgent(ABC):
    """An agent that chooses the first of the actions that it evaluates."""

    name: str
    """Name in records, with the parameters."""
    game: Game[Any, Any]
    chance: ChanceModel
    playouts: Playouts
    batch: int = 1
    """Number of games played from each leaf."""

    def choose(
        self, observation: object, legal_actions: Sequence[Any], *, rng: Generator
    ) -> Action:
        """Return the best action."""
        if len(actions := self._alternatives(legal_actions)) == 1:
            return actions[0]
        return self.explain(observation, legal_actions, rng=rng)[0].action

    def _alternatives(self, actions: Sequence[Any]) -> list[Any]:
        return alternatives(self.game, actions, self.chance)

    @abstractmethod
    def explain(
        self, observation: object, legal_actions: Sequence[Any], *, rng: Generator
    ) -> tuple[ActionValue[Any], ...]:
        """Return the evaluated actions, the choice first and the others by value."""


class _Value(NamedTuple):
    """Value of a state in a search."""

    rewards: Mapping[Seat, float]
    exact: bool
    """True if it depends on no sample and no playout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectimax(SearchAgent):
    """Expectimax search over a few decisions, in which every player maximises its reward.

    The expectation over chance is exact if the game lists its outcomes (fair dice). Otherwise it is
    the mean of `samples` outcomes at each roll, drawn again for each action. Below `depth`
    decisions the value of a state is the mean of `batch` playouts; terminal states have their exact
    value. So in dice games a search to the end is exact. The maximum of noisy values is biased
    upwards. A depth of one has that bias only at the root, and deeper searches need more samples.
    """

    depth: int = 1
    """Number of decisions of all players, including this one; forced ones count if they roll."""
    samples: int = 100

    def explain(
        self, observation: object, legal_actions: Sequence[Any], *, rng: Generator
    ) -> tuple[ActionValue[Any], ...]:
        """Return the evaluated actions, the best first.

        Intervals cover the outcomes sampled at the first roll, or the playouts if all outcomes were
        listed. A value is exact if it depends on no sample and no playout.
        """
        state = possible_states(self.game, observation)(rng)
        seat = self.game.turn(state)
        values = [
            self._action_value(state, Seat(seat), action, rng)
            for action in self._alternatives(legal_actions)
        ]
        return tuple(sorted(values, key=lambda value: -value.value))

    def _action_value(
        self, state: object, seat: Seat, action: Action, rng: Generator
    ) -> ActionValue[Any]:
        branches, listed = self._after_chance(self.game.apply_action(state, action), rng)
        found = [(share, self._value(after, self.depth - 1, rng)) for after, share in branches]
        value = fsum(share * below.rewards[seat] for share, below in found)
        if listed and all(below.exact for _, below in found):
            estimate, low, high = RewardEstimate(), value, value
        elif listed:
            # The noise is that of playouts, whose rewards are 0 and 1, in Kish's effective number.
            visits = round(self.batch / fsum(share**2 for share, _ in found))
            total = value * visits
            estimate = RewardEstimate(visits=visits, total=total, squares=total)
            low, high = estimate.interval()
        else:
            estimate = RewardEstimate(weight=self.batch)
            for _, below in found:
                estimate.add(below.rewards[seat])
            low, high = estimate.interval()
        return ActionValue(
            action=action, value=value, low=low, high=high, visits=estimate.visits, line=(action,)
        )

    def _after_chance(
        self, state: object, rng: Generator
    ) -> tuple[Iterable[tuple[Any, float]], bool]:
        """Return states after chance with their probabilities, and whether these are exact."""
        game = self.game
        if game.turn(state) is not NonPlayer.CHANCE:
            return [(state, 1.0)], True
        if isinstance(game, ListsChanceOutcomes):
            listed = game.chance_outcomes(state)
            return ((game.apply_outcome(state, outcome), share) for outcome, share in listed), True
        request = game.chance_request(state)
        drawn = (self.chance.draw(request, rng=rng) for _ in range(self.samples))
        share = 1.0 / self.samples
        return ((game.apply_outcome(state, outcome), share) for outcome in drawn), False

    def _value(self, state: State, depth: int, rng: Generator) -> _Value:
        """Return the value of a state before a decision, a roll that follows none, or the end."""
        game, turn = self.game, self.game.turn(state)
        if turn is NonPlayer.OVER:
            return _Value(rewards(game, state), exact=True)
        if turn is not NonPlayer.CHANCE:
            actions = self._alternatives(game.legal_actions(state))
            if len(actions) == 1:
                return self._value(game.apply_action(state, actions[0]), depth, rng)
        if depth == 0:
            return _Value(self.playouts.value(state, self.batch, rng=rng), exact=False)
        if turn is NonPlayer.CHANCE:
            return self._expected(state, depth - 1, rng)
        values = [
            self._expected(game.apply_action(state, action), depth - 1, rng) for action in actions
        ]
        best = max(values, key=lambda value: value.rewards[Seat(turn)])
        return best._replace(exact=all(value.exact for value in values))

    def _expected(self, state: State, depth: int, rng: Generator) -> _Value:
        """Return the value of a state after a decision, over the outcomes of its roll, if any."""
        sums = dict.fromkeys(self.game.scores(state), 0.0)
        branches, exact = self._after_chance(state, rng)
        for after, share in branches:
            value = self._value(after, depth, rng)
            exact = exact and value.exact
            for seat, reward in value.rewards.items():
                sums[seat] += share * reward
        return _Value(sums, exact=exact)


_GUIDE_MARGIN = 1.0
"""Standard errors by which an action must exceed the guide's choice."""
_DROP_MARGIN = 3.0
"""Standard errors by which the best action leads another that is dropped from the search."""
_MIN_VISITS = 64
"""Visits of a node before the tree grows below it; fewer carry too little information."""
_CHECK_INTERVAL = 16
"""Passes between two checks of `is_settled`."""
_WIDEN = 0.25
"""Progressive widening: below the root, 1 + this times sqrt(visits) actions are tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeSearch(SearchAgent):
    """Monte Carlo tree search: chooses the action of the highest mean reward over many playouts.

    The tree is open-loop: a node is a sequence of decisions, and each pass samples every roll and
    all hidden information again. Six Piggles have about a hundred thousand outcomes of nearly equal
    value, so chance nodes would never be visited twice. The cost is that, below the root, players
    decide without having seen the rolls.

    Playouts evaluate the leaves. The guide is the rollout policy. Its choice is replaced only by an
    action that is better by a standard error of the difference, so noise does not make the search
    worse than its guide. A search with a clear answer ends early.
    """

    guide: Agent | None
    """Agent whose choice is tried first at each node; None for random rollouts."""
    nodes: int | None = None
    """Maximum number of passes through the tree per decision; None for no limit."""
    seconds: float | None = None
    """Time limit of a decision [s]; with it, choices depend on the machine."""
    explore: float = 1.0
    """Weight of exploration for one playout per leaf. For n playouts it is divided by sqrt(n), as
    is the error of their mean."""

    def explain(
        self, observation: object, legal_actions: Sequence[Any], *, rng: Generator
    ) -> tuple[ActionValue[Any], ...]:
        """Return the evaluated actions, the choice first and the others by value."""
        search = _Search(self, observation, self._alternatives(legal_actions), rng)
        for done in self._passes():
            if done and done % _CHECK_INTERVAL == 0 and search.is_settled():
                break
            search.go_down()
        return search.evaluated()

    def _passes(self) -> Iterator[int]:
        """Yield the number of finished passes before each pass within the limits, at least once."""
        end = None if self.seconds is None else time.perf_counter() + self.seconds
        done = 0
        while done == 0 or (
            (self.nodes is None or done < self.nodes) and (end is None or time.perf_counter() < end)
        ):
            yield done
            done += 1


class _Search:
    """The search for one decision."""

    def __init__(
        self,
        agent: TreeSearch,
        observation: object,
        actions: Sequence[Any],
        rng: Generator,
    ) -> None:
        self._agent, self._rng = agent, rng
        self._luck = int(rng.integers(MAX_SUB_SEED))
        self._actions = actions
        self._possible = possible_states(agent.game, observation)
        self._explore = agent.explore / sqrt(agent.batch)
        self._root = Node()
        self._guide_node: Node | None = None
        """Node of the guide's choice at the root."""
        self._dropped: list[Node] = []
        """Nodes just below the root that are dropped from the search."""

    def go_down(self) -> None:
        """Select a path to a leaf, evaluate the leaf, and add its rewards to the path."""
        agent, rng = self._agent, self._rng
        state = self._possible(rng)
        path: list[tuple[Seat, Node]] = []
        node = self._root
        while agent.game.turn(state) is not NonPlayer.OVER:
            if path and node.reward.visits < _MIN_VISITS:
                break
            state, seat = settled(agent.game, state, agent.chance, rng=rng)
            if seat is None:
                break
            actions: Sequence[Any] = self._actions
            if node is not self._root:
                actions = alternatives(agent.game, agent.game.legal_actions(state), agent.chance)
            if path and len(actions) == 1:
                action = actions[0]
            else:
                at_root = node is self._root
                action, node = self._descend(node, state, seat, actions)
                path.append((seat, node))
                if at_root:
                    # Visit i of every action has the same random numbers from now on, which reduces
                    # the variance of differences between actions.
                    rng = generator(self._luck, node.reward.visits)
            state = agent.game.apply_action(state, action)
        if agent.game.turn(state) is NonPlayer.OVER:
            result = rewards(agent.game, state)
        else:
            result = dict(agent.playouts.value(state, agent.batch, rng=rng))
        for mover, visited in path:
            visited.reward.add(result[mover])
        if path:
            mover, visited = path[0]
            visited.rewards.append(result[mover])

    def _descend(
        self, node: Node, state: object, seat: Seat, actions: Sequence[Any]
    ) -> tuple[Any, Node]:
        """Return the selected action and its node."""
        offers = [(action, node.below.get((seat, action))) for action in actions]
        tried = [(action, offer) for action, offer in offers if offer is not None]
        for _, offer in tried:
            offer.offered += 1
        width = 1.0 + _WIDEN * sqrt(node.reward.visits)
        if len(tried) < len(offers) and (node is self._root or len(tried) < width):
            untried = [action for action, offer in offers if offer is None]
            # The guide's choice is tried first.
            action = untried[0] if tried else self._preferred(state, seat, untried)
            child = Node(offered=1, reward=RewardEstimate(weight=self._agent.batch))
            node.below[seat, action] = child
            if node is self._root and not tried and self._agent.guide is not None:
                self._guide_node = child
            return action, child
        nodes = [offer for _, offer in tried]
        best = self._best_at_root(nodes) if node is self._root else pick(nodes, self._explore)
        return next(action for action, offer in tried if offer is best), best

    def _best_at_root(self, nodes: Sequence[Node]) -> Node:
        """Return the node to visit of those at the root."""
        best = pick([node for node in nodes if node not in self._dropped], self._explore)
        guide = self._guide_node
        if guide is None or guide in self._dropped or guide.reward.visits >= best.reward.visits:
            return best
        # Every action is compared with the guide's, so it gets as many visits as the best.
        return guide

    def _preferred(self, state: object, seat: Seat, actions: Sequence[Action]) -> Action:
        """Return the guide's choice; the first action without a guide."""
        agent = self._agent
        if agent.guide is None:
            return actions[0]
        return agent.guide.choose(agent.game.observe(state, seat), actions, rng=self._rng)

    def is_settled(self) -> bool:
        """Return whether every action was tried, and one clearly leads all others.

        Actions that the best one clearly leads are dropped from the search.
        """
        nodes = list(self._root.below.values())
        best = max(nodes, key=lambda node: node.reward.mean)
        self._dropped = [node for node in nodes if self._leads(best, node, _DROP_MARGIN)]
        return len(nodes) == len(self._actions) and len(self._dropped) == len(nodes) - 1

    def evaluated(self) -> tuple[ActionValue[Any], ...]:
        """Return the evaluated actions, the choice first and the others by value."""
        chosen = self._chosen()
        ranked = sorted(
            self._root.below.items(),
            key=lambda entry: (entry[1] is not chosen, -entry[1].reward.mean),
        )
        return tuple(_action_value(action, node) for (_, action), node in ranked)

    def _chosen(self) -> Node:
        """Return the node of the chosen action."""
        nodes = list(self._root.below.values())
        guide_node = self._guide_node
        if guide_node is None:
            return max(nodes, key=lambda node: (node.reward.visits, node.reward.mean))
        better = [node for node in nodes if self._leads(node, guide_node, _GUIDE_MARGIN)]
        return max(better, key=lambda node: node.reward.mean, default=guide_node)

    def _leads(self, one: Node, other: Node, errors: float) -> bool:
        return leads(one.rewards, other.rewards, errors, weight=self._agent.batch)


def _action_value(action: Action, node: Node) -> ActionValue[Action]:
    low, high = node.reward.interval()
    line = [action]
    current = node
    while current.below:
        (_, following), current = max(current.below.items(), key=lambda kv: kv[1].reward.visits)
        line.append(following)
    return ActionValue(
        action=action,
        value=node.reward.mean,
        low=low,
        high=high,
        visits=node.reward.visits,
        line=tuple(line),
    )
