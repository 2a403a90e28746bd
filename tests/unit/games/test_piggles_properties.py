"""Invariants of Piggles under random legal play, chance and house rules."""

from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.games.game import Concede
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.effects import EffectOptions, EffectVerb, aim, targets, verb_of
from pigglesim.games.piggles.state import (
    Act,
    Capture,
    Left,
    ModernRules,
    PigglesPhase,
    PigglesState,
    team,
)
from pigglesim.landing import (
    BOARD_SEATS,
    FIELD_LINES,
    FIELDS,
    Landing,
    Orientation,
    RollResult,
    Seat,
    Zone,
)
from tests.random_games import GAMES, SEEDS, house_rules, lineups, walk
from tests.random_piggles import everything, steps_of

plays = given(game=GAMES["piggles_classic"] | GAMES["piggles_modern"], seed=SEEDS)
modern_plays = given(game=GAMES["piggles_modern"], seed=SEEDS)
often = settings(max_examples=15, deadline=None)
IDS = (*team(Seat.A), *team(Seat.B))
QUARTER = dict(zip(FIELDS, (*FIELDS[1:], FIELDS[0]), strict=True))
QUARTER |= {FIELD_LINES[field]: FIELD_LINES[after] for field, after in QUARTER.items()}


@often
@plays
def test_a_tally_is_bounded_adds_up_and_touches_one_player_only(game, seed):
    zones = dict.fromkeys(BOARD_SEATS, 0)
    for move in walk(game, seed, conceding=0.01):
        old = move.before
        for step in steps_of(game, move):
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


@often
@plays
def test_steps_show_one_phase_after_the_other_and_turns_change_hands(game, seed):
    last, seat, turns = PigglesPhase.RECOUP, game.rules.first_player, 0
    for move in walk(game, seed, conceding=0.01):
        steps = steps_of(game, move)
        if isinstance(move.move, Concede):
            conceder = game.turn(move.before)
            assert [(s.phase, s.seat) for s in steps] == [(move.before.phase, conceder)]
            assert conceder is seat or move.before.phase is PigglesPhase.SUDDEN
            assert move.after.result.reason == "concession"
            return
        for step in steps:
            assert step.phase in FOLLOWERS[last]
            assert game.name == "piggles_modern" or step.phase is not PigglesPhase.ACTION_REACTION
            if step.phase in {PigglesPhase.RESOLVE, PigglesPhase.SUDDEN}:
                # In a tie-break players choose (P15); the rest concerns both.
                chooses = step.phase is PigglesPhase.SUDDEN and isinstance(move.move, Load)
                assert step.seat is (game.turn(move.before) if chooses else None)
            else:
                if step.phase is PigglesPhase.RECOUP:
                    turns += 1
                    first = game.rules.first_in(turns // 2 + 1)
                    seat = first if turns % 2 == 0 else first.other
                assert step.seat is seat
            last = step.phase
        assert move.after.phase not in {PigglesPhase.TALLY, PigglesPhase.RECOUP}


@often
@modern_plays
def test_each_piggle_acts_once_a_turn_snout_up_and_of_the_player_whose_turn_it_is(game, seed):
    turn, acted = None, Counter()
    for move in walk(game, seed):
        before = move.before
        if (before.round, before.active) != turn:
            turn, acted = (before.round, before.active), Counter()
        if isinstance(move.move, Act):
            piggle, target = move.move.piggle, move.move.target
            acted[piggle] += 1
            assert acted[piggle] == 1
            assert target != piggle
            assert before.controller(piggle) is before.active
            assert before.landing(piggle).orientation is Orientation.SNOUT_UP
            assert verb_of(game.effects.piece(piggle), game.rules) is not None


@often
@modern_plays
def test_an_effect_does_to_its_target_what_it_says_and_to_no_other_place(game, seed):
    for move in walk(game, seed):
        if not isinstance(move.move, Act):
            continue
        first, target = steps_of(game, move)[0].state, move.move.target
        verb = game.effects.verb(move.move.piggle)
        lay = move.before.landing(target) is not None
        shielded = target in {s.piggle for s in move.before.shields if s.rolled}
        others = [entry for entry in move.before.board if entry[0] != target]
        assert [entry for entry in first.board if entry[0] != target] == others
        match verb:
            case EffectVerb.BURN | EffectVerb.DAMAGE:
                assert lay
                assert not shielded
                side = first.side(first.controller(target))
                assert target in (side.kitchen if verb is EffectVerb.BURN else side.mud_piggles)
            case EffectVerb.SHIELD:
                assert (target, move.before.active) in {(s.piggle, s.by) for s in first.shields}
            case EffectVerb.RESCUE:
                assert target in first.side(move.before.active).pen
            case EffectVerb.DEMOTE:
                assert target in first.side(first.controller(target)).mud_piggles
            case _:
                assert first.pending == move.move


@often
@modern_plays
def test_piggles_change_hands_by_a_shield_or_a_spiral_alone(game, seed):
    for move in walk(game, seed):
        first = steps_of(game, move)[0].state
        for piggle in set(move.after.captured) - set(move.before.captured):
            shielded = piggle in {shield.piggle for shield in move.before.shields}
            rolled = isinstance(move.move, RollResult) and move.before.pending is None
            rescued = isinstance(move.move, Act) and move.move.target == piggle
            assert (shielded and rolled) or rescued
            assert piggle in first.side(first.controller(piggle)).pen
        for piggle in set(move.before.captured) - set(move.after.captured):
            returned = game.rules.capture is Capture.RETURN
            home = piggle in first.side(Seat(piggle[0])).pen
            assert returned or home


landings = st.builds(
    Landing,
    orientation=st.sampled_from(Orientation),
    zone=st.sampled_from([zone for zone in Zone if zone is not Zone.OFF]),
)
boards = st.dictionaries(st.sampled_from(IDS), landings).map(
    lambda board: tuple(sorted(board.items()))
)


@given(board=boards, rules=house_rules(ModernRules), lineup=lineups())
def test_a_quarter_turn_of_the_board_commutes_with_direction(board, rules, lineup):
    if rules.left is Left.PLAYER_VIEW:
        rules = replace(rules, left=Left.CLOCKWISE)
    table = EffectOptions(rules=rules, lineup=lineup)
    turned = tuple((p, replace(at, zone=QUARTER.get(at.zone, at.zone))) for p, at in board)
    before, after = PigglesState(board=board), PigglesState(board=turned)
    for piggle, _ in board:
        assert targets(after, piggle, table) == targets(before, piggle, table)
        field = aim(before, piggle, table)
        assert aim(after, piggle, table) is (QUARTER[field] if field else None)
