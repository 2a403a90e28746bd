"""Checks of a game in random play, for any game under any house rules."""

import json
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from pigglesim.chance_types import DiceResult, ShuffleResult
from pigglesim.errors import IllegalActionError, PigglesimError, SpecError
from pigglesim.games.game import Concede, Result
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.piggyback.state import PiggybackPhase, WarpScope
from pigglesim.games.registry import make_game
from pigglesim.landing import RollResult, Seat
from pigglesim.match.record import read_record
from tests.support import random_lord, random_piggles, random_piggyback
from tests.support.random_games import walk

PLAYTHROUGHS = Path(__file__).parents[1] / "playthroughs"
OUTCOMES = (RollResult, DiceResult, ShuffleResult)


def turned_lord(game):
    actors = list(type(game.rules.first_actor))
    following = actors[(actors.index(game.rules.first_actor) + 1) % len(actors)]
    return LordOfThePigs(rules=replace(game.rules, first_actor=following))


TURNED = {
    "piggles_classic": (random_piggles.turn_game, random_piggles),
    "piggles_modern": (random_piggles.turn_game, random_piggles),
    "lord_of_the_pigs": (turned_lord, random_lord),
    "piggyback": (lambda game: game, random_piggyback),
}
"""For each game the same with the players in other seats, and what turns its states and moves."""


def check_start(game):
    """Check the settings and the first state of a game."""
    assert make_game(game.name, json.loads(json.dumps(dict(game.settings())))) == game
    state = game.initial_state()
    assert hash(state) == hash(game.initial_state())
    with pytest.raises(AttributeError):
        setattr(state, fields(state)[0].name, 9)


def check_state(game, state):
    """Check what holds of every state that came about by the rules."""
    assert game.validate(state) == ()
    assert game.parse_state(game.format_state(state)) == state
    for seat in game.seats:
        seen = game.observe(state, seat)
        assert (seen, hash(seen)) == (game.observe(state, seat), hash(seen))


def check_move(game, before, move, after):
    """Check one action or outcome."""
    text, legal = game.format_state(before), game.legal_actions(before)
    assert game.result(before) is None
    assert bool(legal) is isinstance(game.turn(before), Seat)
    if isinstance(move, OUTCOMES):
        assert game.apply_outcome(before, move) == after
        words = game.format_outcome(before, move)
        assert repr(game.parse_outcome(before, words)) == repr(move)
        assert words == " ".join(words.split())
        assert not set(words) & set("{};")
        with pytest.raises(PigglesimError, match="; "):
            game.apply_action(before, Concede())
    else:
        assert game.apply_action(before, move) == after
        texts = [game.format_action(action) for action in legal]
        assert len(set(texts)) == len(texts)
        assert tuple(map(game.parse_action, texts)) == legal
    # An answer of another kind or to another question, and one that was not asked for.
    for answer in (RollResult(landings=()), DiceResult(faces=(7, 0)), ShuffleResult(cards=("X",))):
        with pytest.raises(SpecError, match="; "):
            game.apply_outcome(before, answer)
    assert game.format_state(before) == text


def check_game(game, seed):
    """Check a whole random game, the details of one move in five."""
    check_start(game)
    moves = list(walk(game, seed, conceding=0.01))
    assert 0 < len(moves) <= game.max_length
    for number, (before, move, after) in enumerate(moves):
        if (number + seed) % 5 == 0:
            check_state(game, after)
            check_move(game, before, move, after)
    before, move, final = moves[-1]
    check_state(game, final)
    result = game.result(final)
    assert isinstance(result, Result)
    assert move != Concede() or result.winner not in {None, game.turn(before)}
    assert game.legal_actions(final) == ()
    assert all(type(score) is int for score in game.scores(final).values())
    rounds = [game.round_of(before) for before, _, _ in moves]
    assert set(rounds) == set(range(1, rounds[-1] + 1))
    assert rounds == sorted(rounds)


def check_seats(game, seed):
    """Check that players who exchange seats exchange everything, in games with alike seats."""
    turned, how = TURNED[game.name][0](game), TURNED[game.name][1]
    # In Piggyback whose Warp is spent for two others goes by the order of spaces.
    any_warp = getattr(game.rules, "warp_scope", None) is WarpScope.ANY
    for before, move, after in walk(game, seed):
        if before.phase is PiggybackPhase.OPENING:
            continue
        start, other = how.turn_position(before), how.turn_move(move)
        if isinstance(move, OUTCOMES):
            assert turned.apply_outcome(start, other) == how.turn_position(after)
        elif not any_warp:
            legal = {how.turn_move(action) for action in game.legal_actions(before)}
            assert set(turned.legal_actions(start)) == legal
            assert turned.apply_action(start, other) == how.turn_position(after)


@cache
def recorded_actions(name):
    """Return the actions of recorded matches of a game, whatever its house rules were there."""
    paths = [*PLAYTHROUGHS.glob(f"{name}.jsonl"), *PLAYTHROUGHS.glob(f"{name}-*.jsonl")]
    texts = {entry.action for path in paths for entry in read_record(path).decisions}
    # A list of legal actions has no holds of the cup: they are continuous.
    return [make_game(name).parse_action(text) for text in sorted(texts) if "hold" not in text]


def check_legal_actions(game, seed):
    """Try actions in some states of a whole game: each is taken just if it is listed.

    They are those of the game itself, and of recorded matches.
    """
    rng = np.random.default_rng(seed)
    moves = list(walk(game, seed))
    legal = {before: game.legal_actions(before) for before, _, _ in moves}
    every = sorted({action for actions in legal.values() for action in actions}, key=repr)
    if not every:  # a solitaire game that the imaginary players win
        return
    every += recorded_actions(game.name)
    for before in [moves[int(at)].before for at in rng.choice(len(moves), 4)]:
        text = game.format_state(before)
        for action in [every[int(at)] for at in rng.choice(len(every), 30)]:
            assert game.is_legal(before, action) is (action in legal[before])
            if action in legal[before]:
                game.apply_action(before, action)
                continue
            with pytest.raises(IllegalActionError) as raised:
                game.apply_action(before, action)
            assert raised.value.rule
        assert game.format_state(before) == text


def check_imagined(game, seed):
    """Check the states that a player takes to be possible, in games with hidden cards."""
    rng = np.random.default_rng(seed)
    for number, (before, _, _) in enumerate(walk(game, seed)):
        turn = game.turn(before)
        if number % 5 == 0 and isinstance(turn, Seat):
            seen = game.observe(before, turn)
            imagined = game.imagine(seen, rng=rng)
            assert game.validate(imagined) == ()
            assert game.observe(imagined, turn) == seen
            assert game.legal_actions(imagined) == game.legal_actions(before)
