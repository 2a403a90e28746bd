"""States of Pig Pile with hidden cards changed."""

from dataclasses import replace

import numpy as np

from pigglesim.games.pig_pile import PigPilePhase, PigPileState, less, merged


def with_hidden_changed(state: PigPileState, place: int, rng: np.random.Generator) -> PigPileState:
    """Deal all that the player at `place` may not see anew, whatever it was."""
    n = state.count
    at = (place - state.dealer) % n
    hidden = {other: less(state.hands[other], state.known[other]) for other in range(n)}
    del hidden[place]
    pool = [card for cards in (*hidden.values(), *state.slops, state.draw) for card in cards]
    rng.shuffle(pool)

    def taken(count: int) -> tuple[int, ...]:
        cards = tuple(pool[:count])
        del pool[:count]
        return cards

    hands = [
        state.hands[other]
        if other == place
        else merged(state.known[other], taken(len(hidden[other])))
        for other in range(n)
    ]
    chosen = tuple(
        cards if k == at else hands[(state.dealer + k) % n][:3]
        for k, cards in enumerate(state.chosen)
    )
    return replace(
        state,
        hands=tuple(hands),
        slops=tuple(taken(len(cards)) for cards in state.slops),
        draw=taken(len(state.draw)),
        chosen=chosen if state.phase is PigPilePhase.CHOOSE else (),
    )
