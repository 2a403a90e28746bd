"""What holds of Piggles Modern alone, under random legal play, chance, house rules and teams."""

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.games.piggles.effects import CYCLE, EffectOptions, EffectVerb, aim, targets, verb_of
from pigglesim.games.piggles.game import PigglesModern
from pigglesim.games.piggles.house_rules import Capture, Left, ModernRules
from pigglesim.games.piggles.state import Act, PigglesState, format_piece, parse_piece, team
from pigglesim.games.registry import make_game
from pigglesim.landing import Landing, Orientation, RollResult, Seat, Zone
from pigglesim.markings import Colour, Rune
from tests.random_piggles import house_rules, lineups, moderns, walk

IDS = (*team(Seat.A), *team(Seat.B))
QUARTER = dict(zip(CYCLE, (*CYCLE[1:], CYCLE[0]), strict=True))
seeds = st.integers(0, 2**32 - 1)
often = settings(max_examples=12, deadline=None)


@often
@given(game=moderns, seed=seeds)
def test_a_game_makes_itself_again_from_its_settings(game, seed):
    del seed
    again = make_game("piggles_modern", dict(game.settings()))
    assert again == game
    for _, piece in game.lineup:
        assert parse_piece(format_piece(piece)) == piece


@often
@given(game=moderns, seed=seeds)
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
            assert verb_of(game.table.piece(piggle), game.rules) is not None


@often
@given(game=moderns, seed=seeds)
def test_an_effect_does_to_its_target_what_it_says_and_to_no_other_place(game, seed):
    for move in walk(game, seed):
        if not isinstance(move.move, Act):
            continue
        first, target = move.steps[0].state, move.move.target
        verb = game.table.verb(move.move.piggle)
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
@given(game=moderns, seed=seeds)
def test_piggles_change_hands_by_a_shield_or_a_spiral_alone(game, seed):
    for move in walk(game, seed):
        for piggle in set(move.after.captured) - set(move.before.captured):
            shielded = piggle in {shield.piggle for shield in move.before.shields}
            rolled = isinstance(move.move, RollResult) and move.before.pending is None
            rescued = isinstance(move.move, Act) and move.move.target == piggle
            assert (shielded and rolled) or rescued
            assert piggle in move.steps[0].state.side(move.steps[0].state.controller(piggle)).pen
        for piggle in set(move.before.captured) - set(move.after.captured):
            returned = game.rules.capture is Capture.RETURN
            home = piggle in move.steps[0].state.side(Seat(piggle[0])).pen
            assert returned or home


def test_random_play_reaches_every_effect():
    rng = np.random.default_rng(1)
    markings = [f"{colour}+{rune}" for colour in Colour for rune in Rune]
    seen: Counter[EffectVerb | None] = Counter()
    captured = 0
    for seed in range(120):
        teams = {key: rng.choice(markings, 6).tolist() for key in ("team_a", "team_b")}
        if seed % 3 == 0:
            teams["team_b"] = ["yellow+adjacent"] * 6
        game = PigglesModern.from_settings(teams)
        for move in walk(game, seed):
            if isinstance(move.move, Act):
                seen[game.table.verb(move.move.piggle)] += 1
            captured += len(move.after.captured) > len(move.before.captured)
    assert set(seen) == set(EffectVerb)
    assert captured > 0


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


@given(board=boards, lineup=lineups())
def test_the_two_ways_round_are_mirror_images(board, lineup):
    mirror = {Zone.FIELD_EAST: Zone.FIELD_WEST, Zone.FIELD_WEST: Zone.FIELD_EAST}
    flipped = tuple((p, replace(at, zone=mirror.get(at.zone, at.zone))) for p, at in board)
    clockwise = EffectOptions(rules=ModernRules(), lineup=lineup)
    other = EffectOptions(rules=ModernRules(left=Left.COUNTERCLOCKWISE), lineup=lineup)
    for piggle, _ in board:
        assert targets(PigglesState(board=flipped), piggle, other) == targets(
            PigglesState(board=board), piggle, clockwise
        )
