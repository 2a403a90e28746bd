"""Answers, observations and actions of another kind or game: each is refused, none crashes."""

import pytest

from pigglesim.chance_types import DiceResult, ShuffleResult
from pigglesim.errors import PigglesimError, SpecError
from pigglesim.games.game import NonPlayer
from pigglesim.games.registry import game_names, make_game
from pigglesim.landing import RollResult


@pytest.mark.parametrize("name", game_names())
def test_an_answer_of_another_kind_is_told_apart(name):
    game = make_game(name)
    state = game.initial_state()
    if game.turn(state) is not NonPlayer.CHANCE:
        # Dice and loads come first where a player begins.
        state = game.apply_action(state, game.legal_actions(state)[0])
    while game.turn(state) is not NonPlayer.CHANCE:
        state = game.apply_action(state, game.legal_actions(state)[0])
    answers = (RollResult(landings=()), DiceResult(faces=(7,)), ShuffleResult(cards=("X",)))
    for answer in answers:
        with pytest.raises(SpecError, match="; try: "):
            game.apply_outcome(state, answer)


@pytest.mark.parametrize(
    "name", [name for name in game_names() if hasattr(make_game(name), "imagine")]
)
def test_only_an_observation_of_the_same_game_can_be_imagined_from(name):
    with pytest.raises(SpecError, match=r", got str; try: observe\(state, seat\)"):
        make_game(name).imagine("what I saw", rng=None)


@pytest.mark.parametrize("name", game_names())
def test_an_action_of_another_game_is_refused(name):
    game = make_game(name)
    state = game.initial_state()
    with pytest.raises((PigglesimError, AssertionError)) as told:
        game.apply_action(state, object())
    assert isinstance(told.value, PigglesimError)
