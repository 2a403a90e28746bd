"""Pig Pile as an environment: a conforming one, whose numbers tell nothing that is hidden."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.envs.pig_pile import PigPileEncoder, numbered_actions
from pigglesim.games.pig_pile.game import PigPile
from pigglesim.games.pig_pile.state import VALUES, PigPilePhase, PigPileRules, less
from pigglesim.landing import Seat
from tests.random_games import GAMES, walk
from tests.random_pig_pile import with_hidden_changed

SEEDS = st.integers(0, 10**9)


@settings(max_examples=30, deadline=None)
@given(game=GAMES["pig_pile"], seed=SEEDS)
def test_every_number_is_within_its_bounds_and_nothing_hidden_changes_any(game, seed):
    encoder, rng = PigPileEncoder(game=game), np.random.default_rng(seed)
    layout = encoder.layout
    for number, (_, _, after) in enumerate(walk(game, seed)):
        if number % 5 or after.phase is PigPilePhase.DEAL:
            continue
        for place, seat in enumerate(game.seats):
            numbers = encoder.encode(game.observe(after, seat), seat)
            assert numbers.shape == (layout.size,)
            assert (numbers >= layout.low).all()
            assert (numbers <= layout.high).all()
            if after.phase is PigPilePhase.PLAY:
                other = with_hidden_changed(after, place, rng)
                assert (encoder.encode(game.observe(other, seat), seat) == numbers).all()


def test_the_numbers_of_actions():
    """8 + 12 x 6 plays, 3 of Slop, 14 pick-ups; 455 choices of 3 of 13; 12 x 6 x 8 mixed plays."""
    counts = [
        len(numbered_actions(PigPileRules(advanced_deal=advanced, wild_mix=mixed)))
        for advanced in (False, True)
        for mixed in (False, True)
    ]
    assert counts == [97, 97 + 576, 97 + 455, 97 + 455 + 576]


def test_the_numbers_tell_what_the_seat_sees():
    game = PigPile(rules=PigPileRules(players=3))
    encoder = PigPileEncoder(game=game)
    layout = encoder.layout
    for _, _, after in walk(game, 5):
        if after.phase is not PigPilePhase.PLAY:
            continue
        seat, place = Seat.B, 1
        numbers = encoder.encode(game.observe(after, seat), seat)
        table = layout.split(numbers)["players"]
        assert table[0, :13].tolist() == [after.hands[place].count(v) for v in VALUES]
        for step in (1, 2):
            other = (place + step) % 3
            assert table[step, :13].tolist() == [after.known[other].count(v) for v in VALUES]
            hidden = less(after.hands[other], after.known[other])
            assert layout.column(numbers, "players", "unseen")[step] == len(hidden)
        assert layout.column(numbers, "table", "draw")[0] == len(after.draw)
        top = after.pile[-1] if after.pile else None
        names = ["none", "W", *map(str, range(1, 13))]
        shown = [n for n in names if layout.column(numbers, "table", f"top_{n}")[0]]
        assert shown == [names[0 if top is None else top + 1]]
        moves = layout.column(numbers, "players", "moves").tolist()
        assert moves.index(1.0) == (after.mover - place) % 3
