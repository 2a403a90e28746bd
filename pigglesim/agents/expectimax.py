"""Expectimax: every action and every answer of chance, so many decisions deep."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pigglesim.agents.agent import Considered
from pigglesim.agents.chance_model import ChanceModel, ListsOutcomes, possible_states
from pigglesim.agents.playouts import Playouts, rewards
from pigglesim.agents.tree import Worth, alternatives
from pigglesim.chance_types import ChanceOutcome
from pigglesim.games.game import Game, NonPlayer
from pigglesim.landing import Seat

_Worth = Mapping[Seat, float]


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

    def _worth(self, state: Any, depth: int, rng: np.random.Generator) -> _Worth:  # noqa: ANN401
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
