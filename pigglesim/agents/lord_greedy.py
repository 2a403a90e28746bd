"""The greedy agent of Lord of the P.I.G.S."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from pigglesim.agents.agent import OneStepAgent
from pigglesim.games.game import Game
from pigglesim.games.lord_of_the_pigs import rules as lord
from pigglesim.games.lord_of_the_pigs.game import LordObservation, LordOfThePigs
from pigglesim.games.lord_of_the_pigs.rules import Four, clamped, judge, shared_with
from pigglesim.games.lord_of_the_pigs.state import (
    CARDS,
    SEATS,
    Alternate,
    Effect,
    LordPhase,
    LordState,
    Submitted,
    UprisingTie,
    effect,
    index,
    under,
)
from pigglesim.landing import Seat

_RIVAL = 0.5
"""Cost of a point of the best other player, in points of the own Rating, as the next four."""
_OTHERS = 0.1
"""Cost of a point of each other player."""
_UNREST = 15.0
"""Cost of Social Stability 0 to a player who would lose by an uprising; 1 costs half of it."""
_WON = 30.0
"""Value of a won game; a lost one costs as much."""
_CARD = 0.4
"""Value of a card in hand."""
_HOPE = 0.8
"""Discount of an Action for each vote that it lacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LordGreedy(OneStepAgent):
    """An agent that votes, submits and spends cards for their visible effect on the table.

    The value of a table is the own Rating less part of the others'. An expected uprising lowers it,
    or raises it for the lowest player. A vote that activates an Action has the Action's value; an
    earlier vote has part of it. The agent ignores promises.
    """

    title: ClassVar = "Lord of the P.I.G.S."
    observes: ClassVar = LordObservation

    def value_function(self, observation: LordObservation) -> Callable[[Any], float]:
        """Return the value gained by an action, 0 for passing."""
        return _LordValue(observation)

    def shortlist(self, game: Game[Any, Any], state: LordState) -> Sequence[Any]:
        """Return the best vote and passing; in other phases all legal actions.

        The value of a vote is a gain, which depends on the Action, less the price of the card.
        """
        if state.phase is not LordPhase.VOTING:
            return game.legal_actions(state)
        assert isinstance(game, LordOfThePigs)
        rules, seat = game.rules, state.asked[0]
        value = _LordValue(LordObservation(seat=seat, table=state, rules=rules))
        wars = rules.diplomacy_wars
        targets = lord.vote_targets(state.submitted, seat, diplomacy_wars=wars)
        card = min(state.side(seat).hand, key=value.price)
        on = max((action.name for action in targets), key=value.vote_gain)
        return (lord.CastVote(card, on), lord.PASS)


# Playouts come to the same tables again and again.
@lru_cache(maxsize=1 << 16)
def _table_value(at: int, ratings: Four, stability: int, tie: UprisingTie) -> float:
    """Return the value of Ratings and Social Stability to the player at a place, from 0."""
    own, others = ratings[at], ratings[:at] + ratings[at + 1 :]
    value = own - _RIVAL * max(others) - _OTHERS * sum(others)
    # Fewer points left mean a nearer uprising, from which only the lowest player gains.
    danger = _UNREST / (1.0 + stability)
    value += danger if own < min(others) else -danger
    result = judge(ratings, stability, tie)
    if result is not None:
        value += _WON if result.winner is SEATS[at] else -_WON
    return value


@lru_cache(maxsize=1 << 16)
def _table_gain(at: int, ratings: Four, stability: int, change: Effect, tie: UprisingTie) -> float:
    """Return what a change of Ratings and Social Stability gains the player at a place."""
    changes = zip(ratings, change[:4], strict=True)
    after = tuple(clamped(rating + by) for rating, by in changes)
    gained = _table_value(at, after, clamped(stability + change[-1]), tie)
    return gained - _table_value(at, ratings, stability, tie)


class _LordValue:
    """The value gained by each action at one observation."""

    def __init__(self, observation: LordObservation) -> None:
        self.seat, self.table = observation.seat, observation.table
        self._at, self._tie = index(self.seat), observation.rules.uprising_tie
        self._actions = {action.name: action for action in self.table.submitted}
        self._gains: dict[str, float] = {}

    def __call__(self, action: Any) -> float:  # noqa: ANN401 (any action of the game)
        match action:
            case lord.CastVote(card=card, on=on):
                return self.vote_gain(on) - self.price(card)
            case lord.UseAlternate(card=card, on=on):
                return self._alternate(card, self._actions[on]) - self.price(card)
            case lord.ShareLoot(card=card):
                return self._share(card) - _CARD
            case lord.Submit(card=card):
                return self._effect(self.seat, card) * float(_HOPE ** (CARDS[card].threshold - 1))
            case lord.PutFirst(on=on):
                return self._swing(self._actions[on])
            case lord.Discard(card=card):
                return -self.price(card)
            case lord.Withdraw(on=on):
                return -self._swing(self._actions[on])
            case lord.Sway(by=by):
                return self._after((0, 0, 0, 0, by))
            case lord.Intervene(seat=other, by=by):
                moved = {self.seat, other}
                return self._after((*(by if seat in moved else 0 for seat in SEATS), 0))
            case _:
                return 0.0

    def vote_gain(self, on: str) -> float:
        """Return the gain of a vote for an Action, with any card; it is computed once."""
        if on not in self._gains:
            self._gains[on] = self._vote(self._actions[on])
        return self._gains[on]

    def _after(self, change: Effect) -> float:
        return _table_gain(self._at, self.table.ratings, self.table.stability, change, self._tie)

    def _effect(self, owner: Seat, card: str) -> float:
        return self._after(under(self.table.event, effect(owner, card)))

    def _swing(self, action: Submitted) -> float:
        return self._effect(action.owner, action.card)

    def price(self, card: str) -> float:
        """Return the cost of giving a card away, which grows with its effect for the owner."""
        return _CARD * (1.0 + CARDS[card].owner / 2.0)

    def _vote(self, action: Submitted) -> float:
        """Return the gain of one vote more; an Action has less of its value per missing vote."""
        missing = CARDS[action.card].threshold - action.vote_count
        if missing <= 0:
            return 0.0
        return float(_HOPE ** (missing - 1) - _HOPE**missing) * self._swing(action)

    def _alternate(self, card: str, action: Submitted) -> float:
        """Return the gain of one vote more or less, once all votes are cast."""
        plus = CARDS[card].alternate is Alternate.PLUS
        if action.vote_count + plus != CARDS[action.card].threshold:
            return 0.0
        return self._swing(action) if plus else -self._swing(action)

    def _share(self, card: str) -> float:
        action = self._actions[self.table.current]
        change = under(self.table.event, effect(action.owner, action.card))
        gain = list(change)
        gain[index(self.seat)] += change[index(shared_with(self.seat, card))]
        return self._after(tuple(gain)) - self._after(change)
