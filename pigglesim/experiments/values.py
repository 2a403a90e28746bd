"""Value of a position and of each action there: the share of the win, with its interval.

Reviews, hints and analyses all take their values from here. The random numbers of a value depend on
the seed and on what the player to move sees, so one action at one position has one value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pigglesim.agents.agent import ActionValue, Agent, Explains, seated
from pigglesim.agents.playouts import (
    AgentPlayouts,
    ChanceModel,
    Playouts,
    StopsEarly,
    possible_states,
    rewards,
)
from pigglesim.agents.registry import make_agent, plays
from pigglesim.agents.search import (
    Expectimax,
    RewardEstimate,
    SearchAgent,
    alternatives,
    distinct_for,
    paired_difference,
)
from pigglesim.errors import PigglesimError, SpecError, cut
from pigglesim.experiments.interval import Interval
from pigglesim.games.game import Game, ListsChanceOutcomes, NonPlayer
from pigglesim.games.registry import find
from pigglesim.landing import Seat
from pigglesim.rng import Generator, generator, sub_seed
from pigglesim.student_t import student_quantile

EXACT = "exact"
"""Method of an interval without noise."""
LEVEL = 0.95
"""Confidence level of all intervals."""
REVIEW_SEED = 1
"""Seed of hints and of the reviews of a served match, so that their values agree."""

_SEARCH, _SLOW_SEARCH = "mcts:nodes=200", "mcts:nodes=60"
"""Agents that find the best action: with compiled playouts, and by the rules themselves."""
_SOLVER = "best"
"""Agent that knows the exact values of a game."""
_UNCOMPILED = ("lord_of_the_pigs", "piggy_six")
"""Games without compiled playouts."""
_SAMPLES = 100
"""Samples of each action."""
_GAME_SAMPLES = {"pig_pile": 200, "piggyback": 40}
"""Samples in games whose samples are of one game, or of long games."""
MIN_SAMPLES = 5
"""Minimum number of samples whose spread is used."""
_LISTED_DEPTH = 2
"""Decisions within which a game must end for its listed outcomes to give exact values."""
_CLEAR = 2.0
"""Half intervals that a loss must exceed to count."""

Values = Mapping[Seat, Interval]


class _BeyondDepth(Exception):  # noqa: N818 (ends a search)
    """A game that is not over at the depth of a search."""


class _NoPlayouts:
    """Evaluator that refuses to play, so that a search has exact values or none."""

    batch = 1

    def value(self, state: object, count: int, *, rng: Generator) -> dict[Seat, float]:
        """Raise `_BeyondDepth`."""
        raise _BeyondDepth


def reviewing_agent(game: Game[Any, Any], chance: ChanceModel) -> Agent:
    """Return the agent that finds best actions: the exact solution if there is one, or a search."""
    if plays(_SOLVER, game.name):
        best = make_agent(_SOLVER, game=game)
        if isinstance(best, Explains):
            return best
    name = _SLOW_SEARCH if game.name in _UNCOMPILED else find(game.name).adviser
    return make_agent(name, game=game, chance=chance)


def exactly(value: float, low: float | None = None, high: float | None = None) -> Interval:
    """Return a value without noise, within the bounds of its solution."""
    low, high = value if low is None else low, value if high is None else high
    return Interval(value=value, low=low, high=high, level=LEVEL, method=EXACT)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sampled:
    """Value of an action: exact, or samples with the same random numbers for each action."""

    exact: Values | None = None
    rewards: Sequence[Mapping[Seat, float]] = ()
    """Mean rewards of the seats in each sample."""
    batch: int = 1
    """Games of each sample."""

    @property
    def values(self) -> Values:
        """Value of each seat with its interval."""
        if self.exact is not None:
            return self.exact
        return {seat: self._mean([each[seat] for each in self.rewards]) for seat in self.rewards[0]}

    def _mean(self, values: Sequence[float]) -> Interval:
        estimate = RewardEstimate(weight=self.batch)
        for value in values:
            estimate.add(value)
        low, high = estimate.interval()
        return Interval(value=estimate.mean, low=low, high=high, level=LEVEL, method="Student")


class Evaluator:
    """Values positions of a game.

    An agent chooses the best action from what the player to move sees. Fresh playouts, with other
    random numbers, then value that action and any other: games to their end in which every seat
    follows the rollout policy of the agent, usually greedy. So the best action is not one that was
    merely lucky. Values are exact in solved games, and where dice are listed and the game ends
    within a few decisions.

    Args:
        game: The rules.
        chance: Belief about chance of the agent and of the playouts.
        agent: Agent that chooses; None for the usual one.
        playouts: Playouts in place of those of the agent.
        samples: Samples of each action; None for the usual number.
        seed: Root seed.
    """

    def __init__(
        self,
        game: Game[Any, Any],
        chance: ChanceModel,
        *,
        agent: Agent | None = None,
        playouts: Playouts | None = None,
        samples: int | None = None,
        seed: int = REVIEW_SEED,
    ) -> None:
        self.game, self.chance, self.seed = game, chance, seed
        self.agent = agent or reviewing_agent(game, chance)
        self._own_playouts = playouts
        self.samples = _GAME_SAMPLES.get(game.name, _SAMPLES) if samples is None else samples
        self._latest: PositionValue | None = None
        self._seated: dict[Seat, Agent] = {}

    def agent_at(self, seat: Seat) -> Agent:
        """Return the agent at a seat; it is seated once."""
        if seat not in self._seated:
            self._seated[seat] = seated(self.agent, seat)
        return self._seated[seat]

    @cached_property
    def _playouts(self) -> tuple[Playouts, int]:
        """Playouts of whole games, and the games of a sample; they may have to be compiled."""
        if self._own_playouts is not None:
            return self._own_playouts, 1
        search = self.agent
        if not isinstance(search, SearchAgent):
            search = make_agent(_SEARCH, game=self.game, chance=self.chance)
            assert isinstance(search, SearchAgent)
        playouts = search.playouts
        # A lead that is estimated after some turns is no share of the win.
        whole = playouts.to_the_end() if isinstance(playouts, StopsEarly) else playouts
        return whole, search.batch

    @property
    def batch(self) -> int:
        """Games of each sample."""
        return self._playouts[1]

    @property
    def compiled(self) -> bool:
        """True if playouts are compiled."""
        return not isinstance(self._playouts[0], AgentPlayouts)

    @property
    def games(self) -> int:
        """Games played from each action."""
        return 0 if self.solved else self.samples * self.batch

    @property
    def solved(self) -> bool:
        """True if the agent knows the exact values, so that no games are played."""
        solving = isinstance(self.agent, Explains) and not isinstance(self.agent, SearchAgent)
        return solving and plays(_SOLVER, self.game.name)

    def position(self, state: Any) -> "PositionValue":  # noqa: ANN401 (a state of the game)
        """Return the values at a position where a player is to move."""
        if self._latest is None or self._latest.state is not state:
            self._latest = PositionValue(self, state)
        return self._latest

    def shares(self, state: Any, *purpose: str | int) -> Mapping[Seat, float]:  # noqa: ANN401
        """Return the share of the win of each seat from any state, by one sample of playouts.

        Their random numbers depend on the seed and the purpose alone.
        """
        if self.game.turn(state) is NonPlayer.OVER:
            return rewards(self.game, state)
        playouts, batch = self._playouts
        return dict(playouts.value(state, batch, rng=generator(self.seed, "shares", *purpose)))

    def sampled(self, position: "PositionValue", action: Any) -> _Sampled:  # noqa: ANN401 (an action)
        """Return samples of an action's rewards: sample k has the same luck for each action."""
        game, found, over = self.game, [], True
        playouts, batch = self._playouts
        possible = possible_states(game, position.observation)
        for k in range(self.samples):
            after = game.apply_action(possible(position.stream("hidden", k)), action)
            if game.turn(after) is NonPlayer.OVER:
                found.append(rewards(game, after))
                continue
            over = False
            luck = position.stream("playouts", k)
            found.append(dict(playouts.value(after, batch, rng=luck)))
        if over and all(each == found[0] for each in found):
            return _Sampled(exact={seat: exactly(share) for seat, share in found[0].items()})
        return _Sampled(rewards=found, batch=batch)


class PositionValue:
    """Values at one position. Each action is valued when it is asked for, and once."""

    def __init__(self, evaluator: Evaluator, state: Any) -> None:  # noqa: ANN401 (a state)
        game = evaluator.game
        self.state, self.seat = state, Seat(game.turn(state))
        self.observation = game.observe(state, self.seat)
        self._evaluator = evaluator
        self._root = sub_seed(evaluator.seed, "value", game.observation_string(state, self.seat))
        self._legal = game.legal_actions(state)
        self.choices: tuple[Any, ...] = tuple(alternatives(game, self._legal, evaluator.chance))
        """Distinct actions, without conceding."""
        self.considered: Sequence[Any] = self.choices
        """Distinct actions, in the order in which the agent prefers them if it has one."""
        self._known: dict[Any, _Sampled] = {}
        self.best = self._representative(self._choose())
        """Best action, as far as the agent found."""

    def stream(self, *purpose: str | int) -> Generator:
        """Return a stream of random numbers of this position."""
        return generator(self._root, *purpose)

    def values(self, action: Any) -> Values:  # noqa: ANN401 (an action)
        """Return the value of each seat after an action.

        Seats whose value is unknown are left out: an exact solution may have that of the player to
        move alone.
        """
        return self._sampled(action).values

    def same(self, one: Any, other: Any) -> bool:  # noqa: ANN401 (actions)
        """Return whether two actions are equivalent."""
        return bool(self._representative(one) == self._representative(other))

    def loss(self, action: Any, *, best: Any = None) -> Interval:  # noqa: ANN401 (actions)
        """Return how much the player to move loses by an action, against `best` or the best one.

        Samples of both are paired. It may be negative, by noise or because the agent chose badly.
        """
        best = self.best if best is None else best
        if self.same(action, best):
            return exactly(0.0)
        return _loss_between(self._sampled(best), self._sampled(action), self.seat)

    def _sampled(self, action: Any) -> _Sampled:  # noqa: ANN401 (an action)
        key = self._representative(action)
        if key not in self._known:
            self._known[key] = self._evaluator.sampled(self, key)
        return self._known[key]

    def _representative(self, action: Any) -> Any:  # noqa: ANN401 (an action)
        """Return the one of the choices that is equivalent to an action; itself if none is."""
        if action in self.choices:
            return action
        game, chance = self._evaluator.game, self._evaluator.chance
        alike = (
            each for each in self.choices if len(distinct_for(game, [each, action], chance)) == 1
        )
        return next(alike, action)

    def _choose(self) -> Any:  # noqa: ANN401 (an action)
        """Return the best action, and remember exact values."""
        agent, solved = self._evaluator.agent, self._evaluator.solved
        explained = () if solved else self._listed()
        if not explained and len(self.choices) == 1 and not solved:
            return self.choices[0]
        if not explained and isinstance(agent, Explains):
            explained = agent.explain(self.observation, self._legal, rng=self.stream("search"))
        if not explained:
            return self._chosen(agent)
        self.considered = tuple(each.action for each in explained)
        for each in explained:
            if not each.visits:
                self._known[self._representative(each.action)] = self._exact(each)
        return explained[0].action

    def _listed(self) -> Sequence[ActionValue[Any]]:
        """Return exact values if the game ends within a few decisions and lists its outcomes."""
        game, chance = self._evaluator.game, self._evaluator.chance
        if not isinstance(game, ListsChanceOutcomes):
            return ()
        search = Expectimax(
            name="", game=game, chance=chance, playouts=_NoPlayouts(), depth=_LISTED_DEPTH
        )
        try:
            return search.explain(self.observation, self._legal, rng=self.stream("search"))
        except _BeyondDepth:
            return ()

    def _exact(self, found: ActionValue[Any]) -> _Sampled:
        """Return the exact value of the player to move, and of the other if there is one."""
        values = {self.seat: exactly(found.value, found.low, found.high)}
        seats = self._evaluator.game.seats
        if len(seats) == 2:
            (other,) = set(seats) - {self.seat}
            values[other] = exactly(1.0 - found.value, 1.0 - found.high, 1.0 - found.low)
        return _Sampled(exact=values)

    def _chosen(self, agent: Agent) -> Any:  # noqa: ANN401 (an action)
        """Return the choice of an agent that gives no values."""
        name, game = cut(agent.name), self._evaluator.game
        try:
            player = self._evaluator.agent_at(self.seat)
            best = player.choose(self.observation, self._legal, rng=self.stream("search"))
            is_legal = game.is_legal(self.state, best)
        except PigglesimError:
            raise
        except Exception as error:
            problem = f"agent {name} raised {type(error).__name__}: {error}"
            raise SpecError(problem, fix="correct it, or use another --agent") from error
        if not is_legal:
            problem = f"agent {name} chose an illegal action, {cut(repr(best))}"
            raise SpecError(problem, fix="correct it, or use another --agent")
        return best


def _loss_between(best: _Sampled, played: _Sampled, seat: Seat) -> Interval:
    """Return what a seat loses by an action; samples of both actions are paired."""
    if best.exact is None and played.exact is None:
        one, other = ([each[seat] for each in part.rewards] for part in (best, played))
        mean, error = paired_difference(one, other, weight=best.batch)
        half = student_quantile(len(one) - 1, LEVEL) * error
        low, high = max(-1.0, mean - half), min(1.0, mean + half)
        return Interval(value=mean, low=low, high=high, level=LEVEL, method="paired Student")
    return difference_of(best.values[seat], played.values[seat])


def is_clear(loss: Interval) -> bool:
    """Return whether a loss exceeds twice its noise; else nothing counts as lost.

    Once its noise is not enough: of hundreds of decisions some exceed that by chance.
    """
    return loss.value > _CLEAR * (loss.value - loss.low)


def is_clearly_better(loss: Interval) -> bool:
    """Return whether an action gains more than twice the noise against the best one."""
    return -loss.value > _CLEAR * (loss.high - loss.value)


def difference_of(best: Interval, played: Interval) -> Interval:
    """Return the difference of two values of which at least one is exact."""
    return Interval(
        value=best.value - played.value,
        low=best.low - played.high,
        high=best.high - played.low,
        level=LEVEL,
        method=EXACT if best.method == played.method == EXACT else "Student",
    )
