"""The promises that every game keeps in random play under any house rules."""

import json
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.chance_types import DiceResult, ShuffleResult
from pigglesim.errors import IllegalActionError, PigglesimError, SpecError
from pigglesim.games.game import Concede, NonPlayer, Result
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.piggyback.state import PiggybackPhase, WarpScope
from pigglesim.games.registry import game_names, make_game
from pigglesim.landing import RollResult, Seat
from tests.support import random_lord, random_piggles, random_piggyback
from tests.support.random_games import GAMES, SEEDS, walk
from tests.support.simple_odds import simple_chance

OUTCOMES = (RollResult, DiceResult, ShuffleResult)
runs = pytest.mark.parametrize("name", game_names())


def test_the_known_games_are_these():
    assert game_names() == tuple(GAMES)
    with pytest.raises(SpecError, match="use piggles_classic"):
        make_game("pigles_clasic")


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


@runs
@settings(max_examples=12)
@given(data=st.data(), seed=SEEDS)
def test_random_games_fulfil_every_promise(name, data, seed):
    check_game(data.draw(GAMES[name]), seed)


@pytest.mark.slow
@runs
@settings(max_examples=100)
@given(data=st.data(), seed=SEEDS)
def test_many_random_games_fulfil_every_promise(name, data, seed):
    check_game(data.draw(GAMES[name]), seed)


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


@pytest.mark.parametrize("name", TURNED)
@settings(max_examples=12)
@given(data=st.data(), seed=SEEDS)
def test_it_does_not_matter_who_sits_where(name, data, seed):
    game = data.draw(GAMES[name])
    turned, how = TURNED[name][0](game), TURNED[name][1]
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


@runs
@settings(max_examples=8)
@given(data=st.data(), seed=SEEDS)
def test_just_the_legal_actions_are_taken_and_a_refusal_changes_nothing(name, data, seed):
    """Every action of a whole game is tried in some of its states, and is taken just if listed."""
    game, rng = data.draw(GAMES[name]), np.random.default_rng(seed)
    moves = list(walk(game, seed))
    legal = {before: game.legal_actions(before) for before, _, _ in moves}
    every = sorted({action for actions in legal.values() for action in actions}, key=repr)
    if not every:  # a solitaire game that the imaginary players win
        return
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


@pytest.mark.parametrize("name", ["lord_of_the_pigs", "pig_pile"])
@settings(max_examples=10)
@given(data=st.data(), seed=SEEDS)
def test_an_imagined_state_is_possible_and_looks_the_same(name, data, seed):
    game, rng = data.draw(GAMES[name]), np.random.default_rng(seed)
    for number, (before, _, _) in enumerate(walk(game, seed)):
        turn = game.turn(before)
        if number % 5 == 0 and isinstance(turn, Seat):
            seen = game.observe(before, turn)
            imagined = game.imagine(seen, rng=rng)
            assert game.validate(imagined) == ()
            assert game.observe(imagined, turn) == seen
            assert game.legal_actions(imagined) == game.legal_actions(before)


@runs
def test_actions_and_observations_of_another_game_are_refused(name):
    game = make_game(name)
    with pytest.raises(PigglesimError):
        game.apply_action(game.initial_state(), object())
    deciding = next(each.before for each in walk(game, 1) if game.legal_actions(each.before))
    with pytest.raises(IllegalActionError, match="; "):
        game.apply_action(deciding, "nonsense")
    if hasattr(game, "imagine"):
        with pytest.raises(SpecError, match="str"):
            game.imagine("what I saw", rng=None)


TRIES = 250
CHANCE = simple_chance(seed=3, knock=0.3, leaning=0.1)


def mixed(texts, known, rng):
    """Return a state as text with a word or two left out, put in or given another's value."""
    words = dict(word.split("=", 1) for word in texts[int(rng.integers(len(texts)))].split())
    for _ in range(int(rng.integers(1, 3))):
        name = str(rng.choice(sorted(known) if rng.random() < 0.5 else sorted(words)))
        if rng.random() < 0.2:
            words.pop(name, None)
        else:
            words[name] = str(rng.choice(known[name]))
        if not words:
            break
    return " ".join(f"{name}={value}" for name, value in words.items())


@runs
def test_a_state_that_can_be_read_can_be_played_on(name):
    game, rng = make_game(name), np.random.default_rng(5)
    texts = [game.format_state(before) for before, _, _ in walk(game, 1)]
    known: dict[str, list[str]] = {}
    for word in " ".join(texts).split():
        known.setdefault(word.split("=", 1)[0], []).append(word.split("=", 1)[1])
    read = 0
    for _ in range(TRIES):
        text = mixed(texts, known, rng)
        try:
            state = game.parse_state(text)
        except PigglesimError:
            continue
        read += 1
        assert game.parse_state(game.format_state(state)) == state, text
        assert isinstance(game.validate(state), tuple)
        turn = game.turn(state)
        if turn is NonPlayer.CHANCE:
            try:
                request = game.chance_request(state)
            except PigglesimError:
                continue
            game.apply_outcome(state, CHANCE.answer(request, index=0))
        elif isinstance(turn, Seat):
            legal = [each for each in game.legal_actions(state) if not isinstance(each, Concede)]
            assert legal, text
            for action in (legal[0], legal[-1]):
                game.apply_action(state, action)
    assert read > TRIES // 20
