"""What a player sees of a match of Pig Pile, and how what is hidden can be imagined (PP17).

Hidden are the Draw Pile, all Slop from everyone, what others hold and was never seen, and in the
advanced deal what others have chosen until all have.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pigglesim.games.pig_pile.house_rules import PigPileRules
from pigglesim.games.pig_pile.rules import UP
from pigglesim.games.pig_pile.state import DECK, Cards, PigPilePhase, PigPileState, less, merged


class Permutes(Protocol):
    """What brings things into a random order, such as a generator of random numbers."""

    def permutation(self, x: int, /) -> Sequence[int]:
        """Return the numbers below `x` in an order as likely as any other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PigPileObservation:
    """Everything that one player may know; players are numbers, clockwise from seat A."""

    rules: PigPileRules
    place: int
    """Who sees this."""
    phase: PigPilePhase
    round: int
    dealer: int
    mover: int
    direction: int
    tied: bool
    turns: int
    hand: Cards
    """The player's own."""
    hand_counts: tuple[int, ...]
    """Cards in each hand."""
    known: tuple[Cards, ...]
    """The part of each hand that all have seen."""
    ups: tuple[Cards, ...]
    slop_counts: tuple[int, ...]
    chosen: Cards
    """What the player has chosen to lie face up, while others still choose."""
    chosen_count: int
    """How many have chosen, from the dealer on."""
    draw_count: int
    pile: Cards
    aside: Cards
    out: tuple[int, ...]
    pigs: tuple[int, ...]
    awards: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many play."""
        return len(self.hand_counts)

    def cards_of(self, place: int) -> int:
        """Return how many cards a player has, wherever they are."""
        return self.hand_counts[place] + len(self.ups[place]) + self.slop_counts[place]

    def unseen(self) -> Cards:
        """Return the cards whose place the player does not know, in ascending order."""
        others = (cards for at, cards in enumerate(self.known) if at != self.place)
        seen = (self.hand, *others, *self.ups, self.pile, self.aside)
        return less(DECK, tuple(card for cards in seen for card in cards))


def observed(state: PigPileState, place: int, rules: PigPileRules) -> PigPileObservation:
    """Return what a player sees of a state."""
    at = (place - state.dealer) % state.count
    return PigPileObservation(
        rules=rules,
        place=place,
        phase=state.phase,
        round=state.round,
        dealer=state.dealer,
        mover=state.mover,
        direction=state.direction,
        tied=state.tied,
        turns=state.turns,
        hand=state.hands[place],
        hand_counts=tuple(map(len, state.hands)),
        known=state.known,
        ups=state.ups,
        slop_counts=tuple(map(len, state.slops)),
        chosen=state.chosen[at] if at < len(state.chosen) else (),
        chosen_count=len(state.chosen),
        draw_count=len(state.draw),
        pile=state.pile,
        aside=state.aside,
        out=state.out,
        pigs=state.pigs,
        awards=state.awards,
    )


def imagined(seen: PigPileObservation, *, rng: Permutes) -> PigPileState:
    """Return a state that fits what a player sees, every way to deal the unseen alike likely.

    What others may have meant by playing as they did is left out. Where others have chosen what
    shall lie face up, any three of their seven may be it.
    """
    unseen = seen.unseen() if seen.phase in {PigPilePhase.CHOOSE, PigPilePhase.PLAY} else ()
    shuffled = [unseen[at] for at in rng.permutation(len(unseen))]

    def taken(number: int) -> Cards:
        cards = tuple(shuffled[:number])
        del shuffled[:number]
        return cards

    hands, chosen = [], []
    for place, number in enumerate(seen.hand_counts):
        known = seen.known[place]
        cards = () if place == seen.place else taken(number - len(known))
        hands.append(seen.hand if place == seen.place else merged(known, cards))
        chosen.append(seen.chosen if place == seen.place else tuple(sorted(cards[:UP])))
    order = [(seen.dealer + at) % seen.count for at in range(seen.chosen_count)]
    return PigPileState(
        phase=seen.phase,
        round=seen.round,
        dealer=seen.dealer,
        mover=seen.mover,
        direction=seen.direction,
        tied=seen.tied,
        turns=seen.turns,
        hands=tuple(hands),
        known=seen.known,
        ups=seen.ups,
        slops=tuple(taken(number) for number in seen.slop_counts),
        chosen=tuple(chosen[place] for place in order),
        draw=taken(seen.draw_count),
        pile=seen.pile,
        aside=seen.aside,
        out=seen.out,
        pigs=seen.pigs,
        awards=seen.awards,
    )
