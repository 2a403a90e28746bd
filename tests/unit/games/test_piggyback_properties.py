"""What holds in every game of Piggyback, under any house rules."""

from hypothesis import given, settings

from pigglesim.chance_types import DiceResult
from pigglesim.errors import PigglesimError
from pigglesim.games.piggyback.game import Piggyback
from pigglesim.games.piggyback.state import (
    OTHER,
    Ability,
    PiggybackPhase,
    PiggybackRules,
    Stand,
    Word,
)
from pigglesim.landing import BOARD_SEATS
from tests.random_games import GAMES, SEEDS, walk

plays = given(game=GAMES["piggyback"], seed=SEEDS)
some = settings(max_examples=25, deadline=None)


@some
@plays
def test_units_never_come_back(game, seed):
    for step in walk(game, seed):
        for seat in BOARD_SEATS:
            assert step.after.units(seat) <= step.before.units(seat)


@some
@plays
def test_a_game_ends_by_elimination_or_by_a_cap(game, seed):
    *_, (_, _, last) = walk(game, seed)
    reason, winner = last.result.reason, last.result.winner
    if reason == "elimination":
        assert last.units(OTHER[winner]) == 0 < last.units(winner)
    else:
        assert winner is None
        quiet = last.ply - last.lively
        assert quiet == game.rules.quiet_cap if reason == "quiet" else last.ply == game.rules.cap


@some
@plays
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
@plays
def test_what_is_listed_is_legal_and_what_is_not_is_refused(game, seed):
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
