"""What holds in every game of Piggyback, under any house rules."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.chance_types import DiceResult
from pigglesim.games.game import NonPlayer
from pigglesim.games.piggyback.game import Piggyback
from pigglesim.games.piggyback.house_rules import PiggybackRules, WarpScope
from pigglesim.games.piggyback.state import OTHER, Ability, PiggybackPhase, Stand, Warp, Word
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS
from tests.random_piggyback import abilities, games, turn_move, turn_position, walk

seeds = st.integers(0, 10_000)
ALL = [ability for ability in Ability for _ in range(4)]
some = settings(max_examples=25, deadline=None)


@some
@given(games, seeds)
def test_units_never_come_back_and_pieces_are_neither_lost_nor_made(game, seed):
    before = dict.fromkeys(BOARD_SEATS, 6)
    for step in walk(game, seed):
        after = step.after
        stacks = (*after.a, *after.b)
        assert len({space for space, _ in stacks}) == len(stacks)
        assert all(1 <= stack.units <= 3 and len(stack.held) <= 2 for _, stack in stacks)
        assert abilities(after) == ALL
        assert all(after.units(seat) <= before[seat] for seat in BOARD_SEATS)
        assert game.validate(after) == ()
        before = {seat: after.units(seat) for seat in BOARD_SEATS}


@some
@given(games, seeds)
def test_a_game_ends_within_its_bound_by_elimination_or_by_a_cap(game, seed):
    steps = list(walk(game, seed))
    assert len(steps) <= game.max_length
    last = steps[-1].after
    reason, winner = last.result.reason, last.result.winner
    if reason == "elimination":
        assert last.units(OTHER[winner]) == 0 < last.units(winner)
    else:
        assert winner is None
        quiet = last.ply - last.lively
        assert quiet == game.rules.quiet_cap if reason == "quiet" else last.ply == game.rules.cap


@some
@given(games, seeds)
def test_the_last_roll_is_the_one_that_counts(game, seed):
    rolls, side = [], None
    for step in walk(game, seed):
        combat = step.after.combat
        if isinstance(step.move, DiceResult) and step.before.combat is not None:
            thrower = game.chance_request(step.before).thrower
            rolls = [*rolls, step.move.faces[0]] if thrower is side else [step.move.faces[0]]
            side = thrower
            if combat is not None and step.after.phase in {
                PiggybackPhase.ATTACK,
                PiggybackPhase.DEFENCE,
            }:
                assert combat.face == rolls[-1]
                assert combat.rolls == len(rolls)
        if isinstance(step.move, Stand) and step.before.phase is PiggybackPhase.ATTACK:
            assert combat.attack == rolls[-1] + step.move.force
        if (
            step.before.phase is not PiggybackPhase.ATTACK_ROLL
            and step.after.phase is PiggybackPhase.ATTACK_ROLL
        ):
            side = None if step.move is not Word.ROLL else side


@some
@given(games, seeds)
def test_players_exchanged_and_the_board_turned_give_the_same_game_turned(game, seed):
    for step in walk(game, seed):
        if step.before.phase is PiggybackPhase.OPENING:
            continue
        if game.rules.warp_scope is WarpScope.ANY and isinstance(step.move, Warp):
            # Whose Warp is spent for two others goes by the order of spaces.
            continue
        turned = turn_position(step.before)
        assert game.turn(turned) == (
            NonPlayer.CHANCE
            if game.turn(step.before) is NonPlayer.CHANCE
            else OTHER[game.turn(step.before)]
        )
        apply = game.apply_outcome if isinstance(step.move, DiceResult) else game.apply_action
        if game.rules.warp_scope is WarpScope.HOLDER:
            own = {turn_move(action) for action in game.legal_actions(step.before)}
            assert own == set(game.legal_actions(turned))
        assert apply(turned, turn_move(step.move)) == turn_position(step.after)


@some
@given(games, seeds)
def test_settings_positions_and_actions_read_back(game, seed):
    assert make_game("piggyback", json.loads(json.dumps(dict(game.settings())))) == game
    for number, step in enumerate(walk(game, seed)):
        text = game.format_state(step.before)
        assert game.parse_state(text) == step.before
        if number % 10 == 0 and not isinstance(step.move, DiceResult):
            legal = game.legal_actions(step.before)
            assert tuple(game.parse_action(game.format_action(each)) for each in legal) == legal


@some
@given(games, seeds)
def test_what_is_listed_is_legal_and_what_is_not_is_refused(game, seed):
    from pigglesim.errors import PigglesimError

    every = [
        "b1-b2", "b1-b2 take", "warp b1 c1", "take b1", "roll", "stand", "stand +1", "stand +2",
        "pass", "end", "fight", "leave", "keep nothing", "keep green", "keep green orange",
        "respawn a4", "respawn b4",
    ]  # fmt: skip
    for step in list(walk(game, seed))[::7]:
        if isinstance(step.move, DiceResult):
            continue
        legal = set(game.legal_actions(step.before))
        for action in (*map(game.parse_action, every), *legal):
            try:
                game.apply_action(step.before, action)
            except PigglesimError:
                assert action not in legal
            else:
                assert action in legal


def test_every_phase_ability_and_choice_comes_up_in_random_play():
    met = set()
    rules = PiggybackRules(pickup_later=True, allow_pass=True)
    for seed in range(30):
        for step in walk(Piggyback(rules=rules), seed):
            met |= {step.before.phase, type(step.move).__name__, step.after.phase}
            met |= {*step.after.discarded}
    assert met >= {
        *PiggybackPhase,
        *Ability,
        "Move",
        "Warp",
        "Take",
        "Stand",
        "Keep",
        "Respawn",
        "Word",
    }
