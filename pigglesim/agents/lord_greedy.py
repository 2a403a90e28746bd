"""The agent that plays Lord of the P.I.G.S. for the best table at the end of the turn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.games.lord_of_the_pigs.actions import (
    CastVote,
    Discard,
    Intervene,
    PutFirst,
    ShareLoot,
    Submit,
    Sway,
    UseAlternate,
    Withdraw,
)
from pigglesim.games.lord_of_the_pigs.observation import LordObservation
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

A = TypeVar("A")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What the agent thinks a table is worth, in points of its own Rating."""

    rival: float = 0.5
    """A point of whoever leads the others."""
    others: float = 0.1
    """A point of each of the others."""
    unrest: float = 15.0
    """Social Stability 0 to whoever would lose by an uprising; 1 is half as bad, 2 a third."""
    won: float = 30.0
    """A game that is won; one that is lost costs as much."""
    hope: float = 0.8
    """Share of its worth that an Action has for each vote on the way to its threshold."""
    card: float = 0.4
    """A card of the hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LordGreedy:
    """Votes, submits and spends cards for what they change at once, as far as it can be seen.

    A table is worth the own Rating less part of the others', with fear of an uprising, or hope of
    one for whoever is last. A vote that activates an Action is worth what the Action changes; one
    on the way there, part of it. It makes no promises and remembers none.
    """

    weights: Weights = Weights()
    name: str = "greedy"
    """The name under which a record knows this agent."""

    def choose(
        self, observation: object, legal_actions: Sequence[A], *, rng: np.random.Generator
    ) -> A:
        """Return the action of the largest worth; the first of equal ones.

        Raises:
            SpecError: If the game is not Lord of the P.I.G.S.
        """
        del rng
        if not isinstance(observation, LordObservation):
            raise SpecError(
                "a game of Lord of the P.I.G.S.",
                got=type(observation).__name__,
                remedy="use the agent uniform",
            )
        seen = _SeenLord(observation, self.weights)
        return max(legal_actions, key=seen.worth)


class _SeenLord:
    """What one player thinks of the table before a decision."""

    def __init__(self, observation: LordObservation, weights: Weights) -> None:
        self.seat = observation.seat
        self.rules = observation.rules
        self.table: LordState = observation.table
        self.weights = weights
        self.now = self._value(self.table.ratings, self.table.stability)

    def worth(self, action: Any) -> float:  # noqa: ANN401 (any action of the game)
        """Return what an action gains; nothing to pass."""
        match action:
            case CastVote(card=card, on=on):
                return self._vote(self.table.submitted_action(on)) - self._price(card)
            case UseAlternate(card=card, on=on):
                return self._alternate(card, self.table.submitted_action(on)) - self._price(card)
            case ShareLoot(card=card):
                return self._share(card) - self.weights.card
            case Submit(card=card):
                return self._submission(card)
            case PutFirst(on=on):
                return self._swing(self.table.submitted_action(on))
            case Discard(card=card):
                return -self._price(card)
            case Withdraw(on=on):
                return -self._swing(self.table.submitted_action(on))
            case Sway(by=by):
                return self._after((0, 0, 0, 0, by))
            case Intervene(seat=other, by=by):
                a, b, c, d = (by if seat in {self.seat, other} else 0 for seat in SEATS)
                return self._after((a, b, c, d, 0))
            case _:
                return 0.0

    def _value(self, ratings: Four, stability: int) -> float:
        """Return what a table is worth to this player."""
        own = ratings[index(self.seat)]
        others = [rating for seat, rating in zip(SEATS, ratings, strict=True) if seat != self.seat]
        weights = self.weights
        value = own - weights.rival * max(others) - weights.others * sum(others)
        # An uprising is the nearer, the fewer points are left; only the lowest gains by it.
        danger = weights.unrest / (1.0 + stability)
        value += danger if own < min(others) else -danger
        result = judge(ratings, stability, self.rules)
        if result is not None:
            value += weights.won if result.winner is self.seat else -weights.won
        return value

    def _after(self, change: Effect) -> float:
        """Return what a change gains."""
        a, b, c, d = (
            clamped(rating + by) for rating, by in zip(self.table.ratings, change[:4], strict=True)
        )
        return self._value((a, b, c, d), clamped(self.table.stability + change[-1])) - self.now

    def _effect(self, owner: Seat, card: str) -> float:
        return self._after(under(self.table.event, effect(owner, card)))

    def _swing(self, action: Submitted) -> float:
        return self._effect(action.owner, action.card)

    def _price(self, card: str) -> float:
        """Return what it costs to give a card away: the more it would bring, the more."""
        return self.weights.card * (1.0 + CARDS[card].owner / 2.0)

    def _nearer(self, action: Submitted, votes: int) -> float:
        """Return which share of an Action's worth so many votes for it are."""
        missing = CARDS[action.card].threshold - votes
        return 1.0 if missing <= 0 else float(self.weights.hope**missing)

    def _vote(self, action: Submitted) -> float:
        if action.reached:
            return 0.0
        count = action.vote_count
        return (self._nearer(action, count + 1) - self._nearer(action, count)) * self._swing(action)

    def _alternate(self, card: str, action: Submitted) -> float:
        """Return what a vote more or less is worth now that all votes are cast."""
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
