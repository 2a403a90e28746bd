"""What holds in every game of Lord of the P.I.G.S., whatever the house rules."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings

from pigglesim.chance_types import ShuffleResult
from pigglesim.errors import IllegalActionError
from pigglesim.games.game import NonPlayer
from pigglesim.games.lord_of_the_pigs.actions import (
    PASS,
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
from pigglesim.games.lord_of_the_pigs.state import (
    CARDS,
    DECK,
    EVENT_DECK,
    HIDDEN,
    SEATS,
    LordPhase,
    LordReason,
    effect,
)
from tests.random_games import GAMES, SEEDS, walk
from tests.random_lord import NEXT, turn_four

plays = given(game=GAMES["lord_of_the_pigs"], seed=SEEDS)
few = settings(max_examples=25, deadline=None)
fewer = settings(max_examples=10, deadline=None)
EVERY_ACTION = [
    PASS,
    *(kind(card) for kind in (Submit, ShareLoot, Discard) for card in CARDS),
    *(Sway(by) for by in (1, -1)),
    *(Intervene(seat, by) for seat in SEATS for by in (1, -1)),
]


def test_a_deck_pays_those_beside_its_owner_alike():
    assert sum(card.copies * card.previous for card in CARDS.values()) == 5
    assert sum(card.copies * card.next for card in CARDS.values()) == 5
    assert len(DECK) == 29
    assert len(EVENT_DECK) == 20


def test_the_mirror_of_a_deck_is_the_deck():
    mirror = {"C3": "C4", "C5": "C6", "R1": "R2"}
    mirror |= {other: one for one, other in mirror.items()}
    for tag, card in CARDS.items():
        other = CARDS[mirror.get(tag, tag)]
        assert (card.previous, card.next) == (other.next, other.previous)
        same = ("copies", "threshold", "owner", "opposite", "stability")
        assert all(getattr(card, name) == getattr(other, name) for name in same)


def test_effects_go_round_with_the_actors():
    for seat in SEATS:
        for tag in CARDS:
            *ratings, stability = effect(seat, tag)
            assert effect(NEXT[seat], tag) == (*turn_four(tuple(ratings)), stability)


@fewer
@plays
def test_just_the_legal_actions_are_taken(game, seed):
    rng = np.random.default_rng(seed)
    for move in walk(game, seed):
        before = move.before
        if isinstance(move.move, ShuffleResult) or rng.random() < 0.7:
            continue
        names = [each.name for each in before.submitted] + ["Banker.C1", "Energy.U4.2"]
        onto = [kind(name) for kind in (PutFirst, Withdraw) for name in names]
        onto += [
            kind(card, name)
            for kind in (CastVote, UseAlternate)
            for card in ("C1", "C5", "C6", "U4", "R1")
            for name in names
        ]
        legal = set(game.legal_actions(before))
        # Whoever could only pass is not asked.
        assert legal != {PASS}
        for action in {*EVERY_ACTION, *onto}:
            try:
                game.apply_action(before, action)
            except IllegalActionError:
                assert action not in legal
            else:
                assert action in legal


def permuted(position, viewer, rng):
    """Return the position with whatever `viewer` cannot see dealt anew, seat by seat."""
    for at, seat in enumerate(SEATS):
        side = position.sides[at]
        votes = [v for each in position.submitted for v in each.votes if v.seat is seat]
        own = seat is viewer
        cards = [*side.deck, *([] if own else side.hand), *([] if own else (v.card for v in votes))]
        dealt = [cards[k] for k in rng.permutation(len(cards))]
        deck, dealt = tuple(dealt[: len(side.deck)]), dealt[len(side.deck) :]
        hand = side.hand if own else tuple(dealt[: len(side.hand)])
        dealt = dealt[len(side.hand) :]
        new = replace(side, deck=deck, hand=hand)
        position = replace(
            position,
            sides=(*position.sides[:at], new, *position.sides[at + 1 :]),
            submitted=tuple(
                replace(
                    each,
                    votes=tuple(
                        replace(v, card=dealt.pop()) if v.seat is seat and not own else v
                        for v in each.votes
                    ),
                )
                for each in position.submitted
            ),
        )
    events = tuple(position.event_deck[k] for k in rng.permutation(len(position.event_deck)))
    return replace(position, event_deck=events)


@fewer
@plays
def test_a_player_sees_nothing_of_what_is_hidden(game, seed):
    rng = np.random.default_rng(seed)
    for move in walk(game, seed):
        for seat in SEATS:
            seen = game.observe(move.after, seat)
            assert seen == game.observe(permuted(move.after, seat, rng), seat)
            others = [side for at, side in enumerate(seen.table.sides) if SEATS[at] is not seat]
            assert all(set(side.hand) <= {HIDDEN} for side in others)
            assert all(set(side.deck) <= {HIDDEN} for side in seen.table.sides)


@few
@plays
def test_who_is_asked_for_cards_that_few_hold_is_told_to_nobody_else(game, seed):
    for move in walk(game, seed):
        state = move.after
        if state.phase in {LordPhase.ALTERNATES, LordPhase.SHARE} and state.result is None:
            asked = state.asked[:1]
            for seat in set(SEATS) - set(asked):
                assert game.observe(state, seat).table.asked == ()
            for seat in asked:
                assert game.observe(state, seat).table.asked == state.asked


@fewer
@plays
def test_what_is_imagined_is_possible_and_looks_the_same(game, seed):
    rng = np.random.default_rng(seed)
    for move in walk(game, seed):
        turn = game.turn(move.before)
        if isinstance(turn, NonPlayer):
            continue
        seen = game.observe(move.before, turn)
        imagined = game.imagine(seen, rng=rng)
        assert game.validate(imagined) == ()
        assert game.observe(imagined, turn) == seen
        assert game.legal_actions(imagined) == game.legal_actions(move.before)


@few
@plays
def test_scores_are_those_of_the_result(game, seed):
    *_, last = walk(game, seed)
    result, scores = last.after.result, game.scores(last.after)
    if result.reason == LordReason.RATING:
        assert [seat for seat in SEATS if scores[seat] == 10] == [result.winner]
    elif result.reason == LordReason.UPRISING:
        assert last.after.stability == 0
        assert [seat for seat in SEATS if scores[seat] == min(scores.values())] == [result.winner]
    elif result.reason == LordReason.SERIES:
        won = result.shared or (result.winner,)
        assert [seat for seat in SEATS if scores[seat] == max(scores.values())] == list(won)
        assert last.after.game == game.rules.series_games
    else:
        assert result.reason == LordReason.TURN_CAP
        assert last.after.turn == game.rules.turn_cap


@few
@plays
def test_points_of_a_series_are_paid_game_by_game(game, seed):
    for move in walk(game, seed):
        before, after = move.before, move.after
        paid = sum(after.points) - sum(before.points)
        if after.game == before.game and after.result is None:
            assert paid == 0
        elif game.rules.series == "regular":
            # 3 with 1 to 3 for the second, or 2 after an uprising; nothing if broken off.
            assert paid in {0, 2, 4, 5, 6}
        elif game.rules.series == "off":
            assert paid == 0
