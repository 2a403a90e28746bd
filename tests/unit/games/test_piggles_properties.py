"""Invariants of both rule books of Piggles under random legal play, chance and house rules."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.errors import IllegalActionError
from pigglesim.games.game import Concede
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.house_rules import MudDelay
from pigglesim.games.piggles.state import (
    PEN_SIZE,
    Act,
    Done,
    PigglesPhase,
    team,
)
from pigglesim.landing import BOARD_SEATS, Orientation, RollResult, Seat
from tests.random_piggles import (
    classics,
    everything,
    moderns,
    turn_game,
    turn_move,
    turn_position,
    walk,
)

seeds = st.integers(0, 2**32 - 1)
plays = given(game=classics | moderns, seed=seeds)
often = settings(max_examples=12, deadline=None)


def check_state(game, state):
    """Check what holds of every state that came about by the rules."""
    assert everything(state) == sorted([*team(Seat.A), *team(Seat.B)])
    assert game.parse_state(game.format_state(state)) == state
    for seat in BOARD_SEATS:
        side = state.side(seat)
        held = [*side.pen, *side.cup, *side.mud_piggles, *side.kitchen]
        assert {state.controller(piggle) for piggle in held} <= {seat}
        assert side.score >= 0
        assert {*side.late, *side.charged} <= set(side.kitchen)


@often
@plays
def test_every_move_leads_from_one_possible_state_to_the_next(game, seed):
    for move in walk(game, seed):
        before, after, classic = move.before, move.after, game.name == "piggles_classic"
        assert game.validate(before) == game.validate(after) == ()
        check_state(game, before)
        for step in move.steps:
            check_state(game, step.state)
            if step.phase is PigglesPhase.RESOLVE:
                poses = {landing.orientation for _, landing in step.state.board}
                assert poses <= {Orientation.SNOUT_UP}
        if classic:
            assert not (after.captured or after.shields or after.actors or after.pending)
            for seat in BOARD_SEATS:
                assert set(before.side(seat).kitchen) <= set(after.side(seat).kitchen)
        if isinstance(move.move, Load | Act | Done | Concede):
            assert game.parse_action(game.format_action(move.move)) == move.move
        if isinstance(move.move, Load):
            loaded = move.move.piggles
            assert set(loaded) <= set(before.side(before.active).pen)
            assert len(loaded) <= PEN_SIZE
            if loaded:
                request = game.chance_request(after)
                assert (request.thrower, request.piggles) == (before.active, loaded)
                assert request.standing == before.board


@often
@plays
def test_a_tally_is_bounded_adds_up_and_touches_one_player_only(game, seed):
    zones = dict.fromkeys(BOARD_SEATS, 0)
    for move in walk(game, seed):
        old = move.before
        for step in move.steps:
            if step.tally is not None:
                tally = step.tally
                # Three for each Piggle one plays: six, or more after captures.
                own = sum(old.controller(piggle) is tally.seat for piggle in everything(old))
                assert 0 <= tally.zones <= 3 * own
                zones[tally.seat] += tally.zones
                gains = tally.zones + tally.mud_bonus + tally.kitchen_bonus
                assert tally.after == max(0, tally.before + gains - tally.penalty)
                assert step.state.side(tally.seat).score == tally.after
                assert step.state.side(tally.seat.other) == old.side(tally.seat.other)
            old = step.state
    most = 18 if not old.captured and game.name == "piggles_classic" else 36
    assert max(zones.values()) <= most * game.rules.rounds


FOLLOWERS = {
    PigglesPhase.LOAD: {PigglesPhase.ROLL, PigglesPhase.ACTION_REACTION, PigglesPhase.TALLY},
    PigglesPhase.ROLL: {PigglesPhase.ROLL, PigglesPhase.ACTION_REACTION, PigglesPhase.TALLY},
    PigglesPhase.ACTION_REACTION: {PigglesPhase.ACTION_REACTION, PigglesPhase.TALLY},
    PigglesPhase.TALLY: {PigglesPhase.RECOUP, PigglesPhase.RESOLVE},
    PigglesPhase.RESOLVE: {PigglesPhase.RECOUP, PigglesPhase.SUDDEN},
    PigglesPhase.RECOUP: {PigglesPhase.LOAD},
    PigglesPhase.SUDDEN: {PigglesPhase.SUDDEN},
}
"""Which phases may follow each (R5, R6, R16, R19)."""
ON_THE_WAY = {
    PigglesPhase.LOAD: PigglesPhase.TALLY,
    PigglesPhase.ROLL: PigglesPhase.TALLY,
    PigglesPhase.ACTION_REACTION: PigglesPhase.TALLY,
    PigglesPhase.TALLY: PigglesPhase.TALLY,
    PigglesPhase.RESOLVE: PigglesPhase.RESOLVE,
}
"""In which phase a step leaves the position when another follows at once."""
AT_LAST = {
    PigglesPhase.LOAD: {PigglesPhase.ROLL, PigglesPhase.ACTION_REACTION},
    PigglesPhase.ROLL: {PigglesPhase.ROLL, PigglesPhase.ACTION_REACTION},
    PigglesPhase.ACTION_REACTION: {PigglesPhase.ACTION_REACTION},
    PigglesPhase.RESOLVE: {PigglesPhase.RESOLVE, PigglesPhase.SUDDEN},
    PigglesPhase.RECOUP: {PigglesPhase.LOAD},
    PigglesPhase.SUDDEN: {PigglesPhase.SUDDEN},
}
"""In which phase the last step may leave it, to wait or because the game is over."""


@often
@plays
def test_steps_show_one_phase_after_the_other_and_turns_change_hands(game, seed):
    last, seat, turns = PigglesPhase.RECOUP, game.rules.first_player, 0
    for move in walk(game, seed):
        if isinstance(move.move, Concede):
            assert [(s.phase, s.seat) for s in move.steps] == [(move.before.phase, seat)]
            assert move.after.result.reason == "concession"
            return
        for number, step in enumerate(move.steps):
            assert step.phase in FOLLOWERS[last]
            assert game.name == "piggles_modern" or step.phase is not PigglesPhase.ACTION_REACTION
            if step.phase in {PigglesPhase.RESOLVE, PigglesPhase.SUDDEN}:
                assert step.seat is None
            else:
                if step.phase is PigglesPhase.RECOUP:
                    turns += 1
                    first = game.rules.first_in(turns // 2 + 1)
                    seat = first if turns % 2 == 0 else first.other
                assert step.seat is seat
            if number < len(move.steps) - 1:
                assert step.state.phase is ON_THE_WAY[step.phase]
            last = step.phase
        assert move.after.phase in AT_LAST[last]


@often
@plays
def test_recoup_starts_in_round_three_and_leaves_nothing_overdue(game, seed):
    for move in walk(game, seed):
        old = move.before
        for step in move.steps:
            if step.phase is PigglesPhase.RECOUP and step.state.result is None:
                now = step.state
                side = now.side(step.seat)
                if now.round < 3:
                    assert side.mud == old.side(step.seat).mud
                elif game.rules.mud_delay is MudDelay.NONE:
                    assert not side.mud
                else:
                    assert all(entry.round >= now.round - 1 for entry in side.mud)
                assert now.side(step.seat.other) == old.side(step.seat.other)
            old = step.state


@often
@plays
def test_every_player_has_as_many_turns_and_the_game_is_bounded(game, seed):
    moves = list(walk(game, seed))
    assert len(moves) <= game.max_length
    final = moves[-1].after
    turns = Counter(
        step.seat for move in moves for step in move.steps if step.phase is PigglesPhase.TALLY
    )
    if final.phase in {PigglesPhase.RESOLVE, PigglesPhase.SUDDEN}:
        assert set(turns.values()) == {game.rules.rounds}
    else:
        assert final.result.reason in {"concession", "exhaustion", "score", "draw"}
        assert 0 <= sum(turns.values()) < 2 * game.rules.rounds


@often
@plays
def test_what_is_not_listed_as_legal_is_refused_with_a_rule_and_changes_nothing(game, seed):
    ids = (*team(Seat.A), *team(Seat.B))
    wrong = [Done(), *(Act(a, b) for a in ids[::3] for b in ids[::4]), Load(ids[3:8:2])]
    for move in walk(game, seed):
        legal = game.legal_actions(move.before)
        text = game.format_state(move.before)
        for action in wrong:
            if action not in legal:
                with pytest.raises(IllegalActionError) as raised:
                    game.apply_action(move.before, action)
                assert raised.value.rule[0] in "RPM"
        assert game.format_state(move.before) == text


@often
@plays
def test_swapping_the_players_and_turning_the_board_changes_nothing_else(game, seed):
    turned = turn_game(game)
    assert turned.initial_state() == turn_position(game.initial_state())
    for move in walk(game, seed):
        start, other = turn_position(move.before), turn_move(move.move)
        assert set(turned.legal_actions(start)) == {
            turn_move(action) for action in game.legal_actions(move.before)
        }
        if isinstance(other, RollResult):
            after = turned.apply_outcome(start, other)
        else:
            after = turned.apply_action(start, other)
        assert after == turn_position(move.after)
