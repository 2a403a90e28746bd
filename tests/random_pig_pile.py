"""Random legal play of Pig Pile under any house rules, and positions with hidden cards changed."""

from dataclasses import fields, replace
from enum import StrEnum

import numpy as np
from hypothesis import strategies as st

from pigglesim.games.pig_pile.game import PigPile
from pigglesim.games.pig_pile.house_rules import PigPileRules
from pigglesim.games.pig_pile.state import PigPilePhase, PigPileState, less, merged
from pigglesim.landing import Seat


def _rules(players: int) -> st.SearchStrategy[PigPileRules]:
    switches = {
        spec.name: st.sampled_from(type(spec.default)) if spec.name == "draw_to" else st.booleans()
        for spec in fields(PigPileRules)
        if isinstance(spec.default, bool | StrEnum) and spec.name != "first_dealer"
    }
    return st.builds(
        PigPileRules,
        players=st.just(players),
        rounds=st.integers(1, 3),
        first_dealer=st.sampled_from(list(Seat)[:players]),
        turn_cap=st.sampled_from([1, 60, 2000]),
        **switches,
    )


house_rules = st.integers(2, 8).flatmap(_rules)
games = house_rules.map(lambda rules: PigPile(rules=rules))


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
