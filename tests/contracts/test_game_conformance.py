"""The promises that every game keeps in random play under any house rules."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.errors import IllegalActionError, PigglesimError, SpecError
from pigglesim.games.game import Concede, NonPlayer
from pigglesim.games.registry import game_names, make_game
from pigglesim.landing import Seat
from tests.support.game_checks import (
    TURNED,
    check_game,
    check_imagined,
    check_legal_actions,
    check_seats,
)
from tests.support.random_games import GAMES, SEEDS, walk
from tests.support.simple_odds import simple_chance

runs = pytest.mark.parametrize("name", game_names())


def test_the_known_games_are_these():
    assert game_names() == tuple(GAMES)
    with pytest.raises(SpecError, match="use piggles_classic"):
        make_game("pigles_clasic")


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


@pytest.mark.parametrize("name", TURNED)
@settings(max_examples=12)
@given(data=st.data(), seed=SEEDS)
def test_it_does_not_matter_who_sits_where(name, data, seed):
    check_seats(data.draw(GAMES[name]), seed)


@runs
@settings(max_examples=8)
@given(data=st.data(), seed=SEEDS)
def test_just_the_legal_actions_are_taken_and_a_refusal_changes_nothing(name, data, seed):
    check_legal_actions(data.draw(GAMES[name]), seed)


@pytest.mark.parametrize("name", ["lord_of_the_pigs", "pig_pile"])
@settings(max_examples=10)
@given(data=st.data(), seed=SEEDS)
def test_an_imagined_state_is_possible_and_looks_the_same(name, data, seed):
    check_imagined(data.draw(GAMES[name]), seed)


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
