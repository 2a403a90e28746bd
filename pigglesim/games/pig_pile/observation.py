"""Observations of Pig Pile, and states sampled from them (PP17).

The Draw Pile and all Slop are hidden from everyone. Others' cards in hand are hidden unless all
have seen them. In the advanced deal, others' choices are hidden until all have chosen.
"""

from dataclasses import dataclass

from pigglesim.games.game import Permutes
from pigglesim.games.pig_pile.house_rules import PigPileRules
from pigglesim.games.pig_pile.rules import UP
from pigglesim.games.pig_pile.state import (
    DECK,
    HIDDEN,
    Cards,
    PigPilePhase,
    PigPileState,
    less,
    merged,
)


@dataclass(frozen=True, kw_only=True)
class PigPileObservation(PigPileState):
    """A state in which every card that one player may not see is `HIDDEN`."""

    rules: PigPileRules
    place: int
    """Number of the player who sees this, clockwise from seat A."""

    @property
    def choice(self) -> Cards:
        """Cards that the player has chosen to be face up, while others still choose."""
        at = (self.place - self.dealer) % self.count
        return self.chosen[at] if at < len(self.chosen) else ()

    def unseen(self) -> Cards:
        """Return the cards in places unknown to the player, in ascending order."""
        parts = (*self.hands, *self.ups, self.pile, self.aside)
        return less(DECK, tuple(card for cards in parts for card in cards))


def observed(state: PigPileState, place: int, rules: PigPileRules) -> PigPileObservation:
    """Return a player's observation of a state."""
    own = (place - state.dealer) % state.count
    covered = {
        "hands": tuple(
            hand if at == place else known + (HIDDEN,) * (len(hand) - len(known))
            for at, (hand, known) in enumerate(zip(state.hands, state.known, strict=True))
        ),
        "slops": tuple((HIDDEN,) * len(cards) for cards in state.slops),
        "chosen": tuple(
            cards if at == own else (HIDDEN,) * UP for at, cards in enumerate(state.chosen)
        ),
        "draw": (HIDDEN,) * len(state.draw),
    }
    return PigPileObservation(**{**vars(state), **covered}, rules=rules, place=place)


def imagined(seen: PigPileObservation, *, rng: Permutes) -> PigPileState:
    """Return a state consistent with an observation, with unseen cards dealt uniformly.

    Others' decisions are not used as evidence. If others have chosen their face-up cards, any three
    of their seven are equally likely.
    """
    unseen = seen.unseen() if seen.phase in {PigPilePhase.CHOOSE, PigPilePhase.PLAY} else ()
    shuffled = [unseen[at] for at in rng.permutation(len(unseen))]

    def dealt(covered: Cards) -> Cards:
        number = covered.count(HIDDEN)
        cards = tuple(shuffled[:number])
        del shuffled[:number]
        return cards

    filled = [dealt(hand) for hand in seen.hands]
    choices = [tuple(sorted(cards[:UP])) for cards in filled]
    choices[seen.place] = seen.choice
    dealt_parts = {
        "hands": tuple(
            hand if at == seen.place else merged(seen.known[at], filled[at])
            for at, hand in enumerate(seen.hands)
        ),
        "slops": tuple(map(dealt, seen.slops)),
        "chosen": tuple(choices[(seen.dealer + at) % seen.count] for at in range(len(seen.chosen))),
        "draw": dealt(seen.draw),
    }
    known = {name: part for name, part in vars(seen).items() if name not in {"rules", "place"}}
    return PigPileState(**{**known, **dealt_parts})
