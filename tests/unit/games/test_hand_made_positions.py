"""A position that can be read can be played on: words of real ones mixed at random never crash."""

import numpy as np
import pytest

from pigglesim.errors import PigglesimError
from pigglesim.games.game import Concede, NonPlayer
from pigglesim.games.registry import game_names, make_game
from pigglesim.landing import Seat
from tests.simple_odds import simple_chance

TRIES = 250
CHANCE = simple_chance(seed=3, knock=0.3, leaning=0.1)


def positions(game, seed):
    """Give the texts of all positions of a random game."""
    rng, state, rolls = np.random.default_rng(seed), game.initial_state(), 0
    while game.turn(state) is not NonPlayer.OVER:
        yield game.format_state(state)
        if game.turn(state) is NonPlayer.CHANCE:
            state = game.apply_outcome(
                state, CHANCE.answer(game.chance_request(state), index=rolls)
            )
            rolls += 1
        else:
            legal = [each for each in game.legal_actions(state) if not isinstance(each, Concede)]
            state = game.apply_action(state, legal[int(rng.integers(len(legal)))])
    yield game.format_state(state)


def mixed(texts, known, rng):
    """Return a position with a word or two left out, put in or given another's value."""
    words = dict(pair(word) for word in texts[int(rng.integers(len(texts)))].split())
    for _ in range(int(rng.integers(1, 3))):
        name = str(rng.choice(sorted(known) if rng.random() < 0.5 else sorted(words)))
        if rng.random() < 0.2:
            words.pop(name, None)
        else:
            words[name] = str(rng.choice(known[name]))
        if not words:
            break
    return " ".join(f"{name}={value}" if value else name for name, value in words.items())


def pair(word):
    name, _, value = word.partition("=")
    return name, value


@pytest.mark.parametrize("name", game_names())
def test_whoever_is_to_move_in_a_position_that_reads_can_move(name):
    game, rng = make_game(name), np.random.default_rng(5)
    texts = list(positions(game, 1))
    known: dict[str, list[str]] = {}
    for text in texts:
        for word in text.split():
            field, value = pair(word)
            known.setdefault(field, []).append(value)
    read = 0
    for _ in range(TRIES):
        text = mixed(texts, known, rng)
        try:
            state = game.parse_state(text)
        except PigglesimError:
            continue
        read += 1
        assert game.parse_state(game.format_state(state)) == state, text
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
        assert isinstance(game.validate(state), tuple)
    assert read > TRIES // 20
