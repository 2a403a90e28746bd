"""What every game of the registry keeps to, whatever its rules."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from pigglesim.chance_types import DiceResult, ShuffleResult
from pigglesim.errors import PigglesimError, SpecError
from pigglesim.games.game import Concede, Game, NonPlayer, Result
from pigglesim.games.registry import game_names, make_game
from pigglesim.landing import RollResult, Seat
from tests.simple_odds import simple_chance

GAMES = [make_game(name) for name in game_names()]
SEEDS = range(6)
OUTCOMES = (RollResult, DiceResult, ShuffleResult)


def walk(game: Game[Any, Any], seed: int) -> Iterator[tuple[Any, Any, Any]]:
    """Play at random, giving each position, the action or outcome, and the position after it."""
    rng = np.random.default_rng(seed)
    chance = simple_chance(seed=seed, knock=0.3, leaning=0.1)
    state, rolls = game.initial_state(), 0
    while game.turn(state) is not NonPlayer.OVER:
        if game.turn(state) is NonPlayer.CHANCE:
            move: Any = chance.answer(game.chance_request(state), index=rolls)
            after = game.apply_outcome(state, move)
            rolls += 1
        else:
            legal = [a for a in game.legal_actions(state) if not isinstance(a, Concede)]
            move = legal[int(rng.integers(len(legal)))]
            after = game.apply_action(state, move)
        yield state, move, after
        state = after


runs = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


def test_the_known_games_are_these():
    assert game_names() == (
        "piggles_classic",
        "piggles_modern",
        "lord_of_the_pigs",
        "pig_pile",
        "piggyback",
        "piggy_six",
    )


def test_an_unknown_game_is_told_with_the_nearest():
    with pytest.raises(SpecError, match="try: piggles_classic"):
        make_game("pigles_clasic")


@runs
def test_a_game_makes_itself_again_from_its_settings(game):
    assert make_game(game.name, dict(game.settings())) == game


@runs
@pytest.mark.parametrize("seed", SEEDS)
def test_someone_can_always_go_on_until_it_is_over(game, seed):
    moves = list(walk(game, seed))
    assert 0 < len(moves) <= game.max_length
    for before, _, _ in moves:
        assert game.result(before) is None
        is_player = isinstance(game.turn(before), Seat)
        assert bool(game.legal_actions(before)) is is_player
    final = moves[-1][2]
    assert isinstance(game.result(final), Result)
    assert game.legal_actions(final) == ()
    assert all(type(score) is int for score in game.scores(final).values())


@runs
@pytest.mark.parametrize("seed", SEEDS)
def test_moves_leave_the_position_they_were_made_in_alone(game, seed):
    for before, move, after in walk(game, seed):
        text = game.format_state(before)
        apply = game.apply_outcome if isinstance(move, OUTCOMES) else game.apply_action
        assert apply(before, move) == after
        assert game.format_state(before) == text


@runs
@pytest.mark.parametrize("seed", SEEDS)
def test_texts_read_back_and_actions_differ(game, seed):
    moves = list(walk(game, seed))
    final = moves[-1][2]
    assert game.parse_state(game.format_state(final)) == final
    for before, _, _ in moves:
        assert game.parse_state(game.format_state(before)) == before
        legal = game.legal_actions(before)
        texts = [game.format_action(action) for action in legal]
        assert len(set(texts)) == len(texts)
        assert tuple(game.parse_action(text) for text in texts) == legal


@runs
@pytest.mark.parametrize("seed", SEEDS)
def test_outcomes_read_back_in_the_position_they_answer(game, seed):
    for before, move, _ in walk(game, seed):
        if isinstance(move, OUTCOMES):
            text = game.format_outcome(before, move)
            assert repr(game.parse_outcome(before, text)) == repr(move)
            assert text == " ".join(text.split())
            assert not set(text) & set("{};")


@runs
def test_rounds_are_numbered_from_one_and_never_fall(game):
    rounds = [game.round_of(before) for before, _, _ in walk(game, 1)]
    assert rounds[0] == 1
    assert rounds == sorted(rounds)
    assert set(rounds) == set(range(1, rounds[-1] + 1))


@runs
def test_positions_are_frozen_and_fit_as_keys(game):
    state = game.initial_state()
    assert hash(state) == hash(game.initial_state())
    with pytest.raises(AttributeError):
        setattr(state, fields(state)[0].name, 9)


@runs
def test_actions_and_outcomes_out_of_turn_are_refused(game):
    for before, move, _ in walk(game, 1):
        with pytest.raises(PigglesimError, match="try: "):
            if isinstance(move, OUTCOMES):
                game.apply_action(before, Concede())
            else:
                game.apply_outcome(before, RollResult(landings=()))


@runs
def test_every_position_can_be_seen_from_every_seat(game):
    for before, _, _ in walk(game, 2):
        for seat in game.seats:
            assert game.observe(before, seat) == game.observe(before, seat)
            assert hash(game.observe(before, seat)) is not None


@runs
def test_whoever_may_give_up_ends_the_game_in_a_possible_position(game):
    for before, _, _ in walk(game, 3):
        if Concede() not in game.legal_actions(before):
            continue
        after = game.apply_action(before, Concede())
        assert game.turn(after) is NonPlayer.OVER
        assert game.result(after).winner not in {None, game.turn(before)}
        assert game.validate(after) == ()
        assert game.parse_state(game.format_state(after)) == after
        assert game.legal_actions(after) == ()
