"""Agents of Pig Pile: greedy is better than chance, and compiled matches are those of the rules."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.agents.compiled_playouts import house_of, table_of
from pigglesim.agents.pig_pile_kernel import HAND, KNOWN, OUT, PIGS, UP, play_on
from pigglesim.agents.pile_greedy import PileGreedy
from pigglesim.agents.registry import make_agent
from pigglesim.agents.search import alternatives
from pigglesim.chance.tabular import FairChance
from pigglesim.chance_types import ShuffleResult
from pigglesim.games.game import NonPlayer
from pigglesim.games.pig_pile import DECK, PigPile, PigPileRules, Slop, format_card
from pigglesim.landing import Seat
from tests.support.random_games import GAMES, walk

SEEDS = st.integers(0, 10**9)
GREEDY = PileGreedy()


def shuffled(rng):
    """The shuffle of compiled matches."""
    deck = list(DECK)
    for last in range(len(deck) - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        deck[last], deck[other] = deck[other], deck[last]
    return ShuffleResult(cards=tuple(map(format_card, deck)))


def played(game, state, by_worth, rng):
    """The end of a match by the rules, drawn from as compiled matches draw."""
    decisions = 0
    while (turn := game.turn(state)) is not NonPlayer.OVER:
        if turn is NonPlayer.CHANCE:
            state = game.apply_outcome(state, shuffled(rng))
            continue
        legal = game.legal_actions(state)
        if by_worth[state.mover]:
            action = GREEDY.choose(game.observe(state, turn), legal, rng=rng)
        else:
            action = legal[int(rng.random() * len(legal))]
        state = game.apply_action(state, action)
        decisions += 1
    return state, decisions


@settings(max_examples=60)
@given(game=GAMES["pig_pile"], seed=SEEDS, data=st.data())
def test_a_compiled_match_is_the_match_by_the_rules(game, seed, data):
    """From any position, under any house rules, whoever decides by worth: to the last card."""
    positions = [before for before, _, _ in walk(game, seed)]
    start = positions[data.draw(st.integers(0, len(positions) - 1))]
    players = game.rules.players
    by_worth = data.draw(st.lists(st.booleans(), min_size=players, max_size=players))
    rng = np.random.default_rng(seed)
    end, decisions = played(game, start, by_worth, rng)
    table, own = table_of(start), np.random.default_rng(seed)
    assert play_on(table, house_of(game.rules), np.array(by_worth, dtype=int), own) == decisions
    assert tuple(table.players[PIGS]) == end.pigs
    assert own.random() == rng.random()
    expected = table_of(end)
    for zone in (HAND, UP, KNOWN):
        assert (table.held[zone] == expected.held[zone]).all()
    assert (table.players[OUT] == expected.players[OUT]).all()
    assert (table.facts[:5] == expected.facts[:5]).all()


def test_face_down_cards_are_alike_to_search():
    game, seen = PigPile(rules=PigPileRules(players=3)), set()
    for before, _, _ in walk(game, 3):
        legal = game.legal_actions(before)
        apart = alternatives(game, legal)
        if legal and isinstance(legal[0], Slop):
            assert apart == [Slop(1)]
            seen.add(len(legal))
        else:
            assert apart == list(legal)
    assert seen == {1, 2, 3}


def test_search_looks_at_no_card_that_it_may_not_see():
    """The same choice, whatever is hidden: the observation alone decides."""
    game = PigPile(rules=PigPileRules(players=3))
    state = game.apply_outcome(game.initial_state(), shuffled(np.random.default_rng(2)))
    other = replace(state, draw=state.draw[::-1], slops=state.slops[::-1])
    search = make_agent("mcts:60", game=game, chance=FairChance(seed=1))
    chosen = {
        search.choose(
            game.observe(each, Seat.A), game.legal_actions(each), rng=np.random.default_rng(7)
        )
        for each in (state, other)
    }
    assert len(chosen) == 1
