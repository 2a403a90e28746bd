"""What holds in every match of Pig Pile, whatever is played and whatever the house rules."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.chance_types import ShuffleResult
from pigglesim.errors import IllegalActionError
from pigglesim.games.pig_pile.game import PigPile, act
from pigglesim.games.pig_pile.rules import round_awards
from pigglesim.games.pig_pile.state import (
    DECK,
    PIG_PEN,
    FaceUp,
    PickUp,
    PigPilePhase,
    PigPileRules,
    Play,
    Slop,
)
from pigglesim.landing import Seat
from tests.random_games import GAMES, SEEDS, walk
from tests.random_pig_pile import with_hidden_changed

COMMON = [PigPile(rules=PigPileRules(players=n, rounds=2)) for n in range(2, 9)]
plays = given(game=GAMES["pig_pile"], seed=SEEDS)
many = settings(max_examples=20, deadline=None)


def test_the_deck_is_as_the_box_says():
    assert Counter(DECK) == {0: 8, **dict.fromkeys(range(1, 13), 6)}
    assert len(DECK) == 80


@many
@plays
def test_cards_move_only_as_the_rules_say(game, seed):
    for before, move, _ in walk(game, seed):
        if isinstance(move, ShuffleResult | FaceUp):
            continue
        after, place = act(before, move, game.rules), before.mover
        grown = len(after.pile) - len(before.pile)
        match move:
            case Play(cards=cards):
                washed = not after.pile
                assert washed or grown == len(cards)
                assert (len(after.aside) > len(before.aside)) is washed
                assert washed or after.pile[-1] == max(cards)
                top = before.pile[-1] if before.pile else 0
                free = max(cards) == 0 or (max(cards) == 8 and game.rules.wash_any_time)
                assert free or max(cards) >= top
                # Who washes plays on, if there is anything left to play.
                assert not washed or after.mover == place or place in after.out
            case PickUp() | Slop():
                assert after.pile == () or grown == 1
        if len(after.hands[place]) == 0:
            assert after.draw == ()
        others = [at for at in range(before.count) if at != place]
        assert all(after.hands[at] == before.hands[at] for at in others)


@many
@plays
def test_pigs_are_paid_as_the_rules_say(game, seed):
    for before, move, after in walk(game, seed):
        assert sum(after.pigs) <= PIG_PEN
        if isinstance(move, ShuffleResult | FaceUp) or after.turns == before.turns + 1:
            assert after.phase is PigPilePhase.OVER or after.pigs == before.pigs
            continue
        ended = act(before, move, game.rules)
        awards = round_awards(ended)
        assert [a + b for a, b in zip(before.pigs, awards, strict=True)] == list(after.pigs)
        counts = [ended.cards_of(at) for at in ended.left]
        alone = counts.count(max(counts)) == 1
        if len(ended.out) == 2 and alone and before.pen >= before.count + 2:
            assert sum(awards) == before.count + 2
        if ended.out:
            assert awards[ended.out[0]] == min(3, before.pen)


@pytest.mark.parametrize("game", COMMON, ids=lambda game: str(game.rules.players))
def test_the_next_player_is_the_nearest_who_is_still_in(game):
    turned = 0
    for before, move, _ in walk(game, game.rules.players):
        if not isinstance(move, Play) or move.value in {4, 8}:
            continue
        after = act(before, move, game.rules)
        if after.mover == before.mover or len(after.out) == 2:
            continue
        ring = [at for at in range(before.count) if at in {*after.left, before.mover}]
        step = after.direction if not before.tied else 2 * after.direction
        if before.tied and before.mover in after.out:
            continue
        assert ring[(ring.index(before.mover) + step) % len(ring)] == after.mover
        turned += 1
    assert turned > 100


@many
@plays
def test_what_a_player_may_not_see_changes_nothing_it_sees(game, seed):
    rng = np.random.default_rng(seed)
    for number, (before, _, _) in enumerate(walk(game, seed)):
        if before.phase is PigPilePhase.DEAL or number % 7:
            continue
        for place, seat in enumerate(game.seats):
            other = with_hidden_changed(before, place, rng)
            assert game.validate(other) == ()
            assert game.observe(other, seat) == game.observe(before, seat)
        mine = with_hidden_changed(before, before.mover, rng)
        assert game.legal_actions(mine) == game.legal_actions(before)


@many
@plays
def test_what_is_imagined_could_be_and_looks_the_same(game, seed):
    rng = np.random.default_rng(seed)
    for number, (before, _, _) in enumerate(walk(game, seed)):
        if number % 11:
            continue
        for seat in game.seats:
            seen = game.observe(before, seat)
            imagined = game.imagine(seen, rng=rng)
            assert game.validate(imagined) == ()
            assert game.observe(imagined, seat) == seen


def test_what_is_imagined_is_dealt_evenly():
    """Each unseen card is as often in each place that is not seen: by chi squared."""
    game = PigPile(rules=PigPileRules(players=3))
    deal = ShuffleResult(cards=tuple(map(str, [*range(1, 13)] * 6)) + ("W",) * 8)
    state = game.apply_outcome(game.initial_state(), deal)
    seen = game.observe(state, Seat.B)
    rng, trials = np.random.default_rng(5), 4000
    unseen = Counter(seen.unseen())
    found = Counter(game.imagine(seen, rng=rng).slops[0][0] for _ in range(trials))
    whole = sum(unseen.values())
    assert whole == 80 - 4 - 9
    chi = sum(
        (found[card] - trials * count / whole) ** 2 / (trials * count / whole)
        for card, count in unseen.items()
    )
    # 12 degrees of freedom: above 32.9 once in a thousand times.
    assert chi < 32.9


def test_what_was_picked_up_is_known_until_it_is_played():
    game = PigPile(rules=PigPileRules(players=3))
    checked = 0
    for before, move, _ in walk(game, 4):
        if not isinstance(move, PickUp | Play):
            continue
        after, place = act(before, move, game.rules), before.mover
        known, was = Counter(after.known[place]), Counter(before.known[place])
        if isinstance(move, PickUp):
            along = [] if move.face_up is None else [move.face_up]
            assert known == was + Counter(before.pile) + Counter(along)
        elif before.hands[place]:
            assert known == was - Counter(move.cards)
        checked += 1
    assert checked > 500


@many
@given(game=GAMES["pig_pile"], seed=SEEDS, turned=st.integers(1, 7))
def test_it_does_not_matter_who_sits_where(game, seed, turned):
    """Everyone moved on by some seats, the dealer too: the same match, moved on."""
    n = game.rules.players
    dealer = list(Seat)[(list(Seat).index(game.rules.first_dealer) + turned) % n]
    other = PigPile(rules=replace(game.rules, first_dealer=dealer))

    def moved(cards):
        return tuple(cards[(at - turned) % n] for at in range(len(cards)))

    def moved_deal(deal):
        tens = [deal.cards[10 * at : 10 * at + 10] for at in range(n)]
        rest = deal.cards[10 * n :]
        return ShuffleResult(cards=tuple(card for ten in moved(tens) for card in ten) + rest)

    state = other.initial_state()
    for _, move, after in walk(game, seed):
        if isinstance(move, ShuffleResult):
            state = other.apply_outcome(state, moved_deal(move))
        else:
            state = other.apply_action(state, move)
        assert state.hands == moved(after.hands)
        assert state.draw == after.draw
        assert state.pigs == moved(after.pigs) or after.pen == 0
        assert state.mover == (after.mover + turned) % n


@many
@plays
def test_what_is_not_legal_is_refused_with_a_remedy(game, seed):
    rng = np.random.default_rng(seed)
    other = [Play((1,)), Play((12, 12)), Play((0, 5)), PickUp(), PickUp(3), Slop(1), Slop(4)]
    other += [Play(()), FaceUp((1, 2, 3))]
    for before, _, _ in walk(game, seed):
        if before.phase is PigPilePhase.DEAL:
            continue
        move = other[int(rng.integers(len(other)))]
        if move not in game.legal_actions(before):
            text = game.format_state(before)
            with pytest.raises(IllegalActionError):
                game.apply_action(before, move)
            assert game.format_state(before) == text
