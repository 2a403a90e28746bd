"""The greedy agent of Lord of the P.I.G.S.: it plays for the best table after the turn."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from pigglesim.agents.agent import OneStepAgent
from pigglesim.games.lord_of_the_pigs import actions
from pigglesim.games.lord_of_the_pigs.game import LordObservation
from pigglesim.games.lord_of_the_pigs.state import (
    CARDS,
    SEATS,
    Alternate,
    Effect,
    LordState,
    Submitted,
    effect,
    index,
    under,
)
from pigglesim.games.lord_of_the_pigs.turns import Four, clamped, judge, shared_with
from pigglesim.landing import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weights of the value of a table, in points of the own Rating."""

    rival: float = 0.5
    """Cost of a point of the best other player."""
    others: float = 0.1
    """Cost of a point of each other player."""
    unrest: float = 15.0
    """Cost of Social Stability 0 to a player who would lose by an uprising; 1 costs half of it."""
    won: float = 30.0
    """Value of a won game; a lost one costs as much."""
    hope: float = 0.8
    """Discount of an Action for each vote that it lacks."""
    card: float = 0.4
    """Value of a card in hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LordGreedy(OneStepAgent):
    """An agent that votes, submits and spends cards for their visible effect on the table.

    The value of a table is the own Rating less part of the others'. An expected uprising lowers it,
    or raises it for the lowest player. A vote that activates an Action has the Action's value; an
    earlier vote has part of it. The agent ignores promises.
    """

    title: ClassVar = "Lord of the P.I.G.S."
    observes: ClassVar = LordObservation

    weights: Weights = Weights()

    def value_function(self, observation: LordObservation) -> Callable[[Any], float]:
        """Return the value gained by an action, 0 for passing."""
        return _LordValue(observation, self.weights)


class _LordValue:
    """The value gained by each action at one observation."""

    def __init__(self, observation: LordObservation, weights: Weights) -> None:
        self.seat = observation.seat
        self.rules = observation.rules
        self.table: LordState = observation.table
        self.weights = weights
        self.now = self._value(self.table.ratings, self.table.stability)

    def __call__(self, action: Any) -> float:  # noqa: ANN401 (any action of the game)
        match action:
            case actions.CastVote(card=card, on=on):
                return self._vote(self.table.submitted_action(on)) - self._price(card)
            case actions.UseAlternate(card=card, on=on):
                return self._alternate(card, self.table.submitted_action(on)) - self._price(card)
            case actions.ShareLoot(card=card):
                return self._share(card) - self.weights.card
            case actions.Submit(card=card):
                return self._submission(card)
            case actions.PutFirst(on=on):
                return self._swing(self.table.submitted_action(on))
            case actions.Discard(card=card):
                return -self._price(card)
            case actions.Withdraw(on=on):
                return -self._swing(self.table.submitted_action(on))
            case actions.Sway(by=by):
                return self._after((0, 0, 0, 0, by))
            case actions.Intervene(seat=other, by=by):
                a, b, c, d = (by if seat in {self.seat, other} else 0 for seat in SEATS)
                return self._after((a, b, c, d, 0))
            case _:
                return 0.0

    def _value(self, ratings: Four, stability: int) -> float:
        own = ratings[index(self.seat)]
        others = [rating for seat, rating in zip(SEATS, ratings, strict=True) if seat != self.seat]
        weights = self.weights
        value = own - weights.rival * max(others) - weights.others * sum(others)
        # Fewer points left mean a nearer uprising, from which only the lowest player gains.
        danger = weights.unrest / (1.0 + stability)
        value += danger if own < min(others) else -danger
        result = judge(ratings, stability, self.rules)
        if result is not None:
            value += weights.won if result.winner is self.seat else -weights.won
        return value

    def _after(self, change: Effect) -> float:
        a, b, c, d = (
            clamped(rating + by) for rating, by in zip(self.table.ratings, change[:4], strict=True)
        )
        return self._value((a, b, c, d), clamped(self.table.stability + change[-1])) - self.now

    def _effect(self, owner: Seat, card: str) -> float:
        return self._after(under(self.table.event, effect(owner, card)))

    def _swing(self, action: Submitted) -> float:
        return self._effect(action.owner, action.card)

    def _price(self, card: str) -> float:
        """Return the cost of giving a card away, which grows with its effect for the owner."""
        return self.weights.card * (1.0 + CARDS[card].owner / 2.0)

    def _nearer(self, action: Submitted, votes: int) -> float:
        """Return the share of an Action's value that a number of votes for it has."""
        missing = CARDS[action.card].threshold - votes
        return 1.0 if missing <= 0 else float(self.weights.hope**missing)

    def _vote(self, action: Submitted) -> float:
        if action.reached:
            return 0.0
        count = action.vote_count
        return (self._nearer(action, count + 1) - self._nearer(action, count)) * self._swing(action)

    def _alternate(self, card: str, action: Submitted) -> float:
        """Return the gain of one vote more or less, once all votes are cast."""
        plus = CARDS[card].alternate is Alternate.PLUS
        threshold, count = CARDS[action.card].threshold, action.vote_count
        if plus:
            return self._swing(action) if count + 1 == threshold else 0.0
        return -self._swing(action) if count == threshold else 0.0

    def _share(self, card: str) -> float:
        action = self.table.submitted_action(self.table.current)
        change = under(self.table.event, effect(action.owner, action.card))
        own = index(self.seat)
        gain = list(change)
        gain[own] += change[index(shared_with(self.seat, card))]
        a, b, c, d, stability = gain
        return self._after((a, b, c, d, stability)) - self._after(change)

    def _submission(self, card: str) -> float:
        swing = self._effect(self.seat, card)
        return swing * float(self.weights.hope ** (CARDS[card].threshold - 1))
