"""The encoders of all games: every action has a number, every number of a state its bounds."""

import numpy as np
import pytest

from pigglesim.envs.episode import encoded_games, encoder_of
from pigglesim.errors import SpecError
from pigglesim.games.game import Concede, NonPlayer
from pigglesim.games.registry import make_game
from tests.simple_odds import simple_chance

SETTINGS = {
    "piggles_modern": {"team_a": ["red+spiral_cw"] * 6, "team_b": ["blue+adjacent"] * 6},
    "pig_pile": {"players": 3, "advanced_deal": True, "wild_mix": True},
    "piggy_six": {"three_dice": True},
}


@pytest.fixture(params=encoded_games())
def game(request):
    return make_game(request.param, SETTINGS.get(request.param, {}))


def test_all_actions_have_a_number_and_a_text_of_their_own(game):
    encoder = encoder_of(game)
    for seat in game.seats[:2]:
        actions = [encoder.action_at(number, seat) for number in range(encoder.action_count)]
        assert [encoder.action_number(each, seat) for each in actions] == [*range(len(actions))]
        assert not any(isinstance(each, Concede) for each in actions)
        texts = {game.format_action(each) for each in actions}
        assert len(texts) == len(actions)


def test_legal_actions_have_numbers_and_states_are_within_their_bounds(game):
    encoder, chance, rng = encoder_of(game), simple_chance(seed=3), np.random.default_rng(4)
    low, high = encoder.layout.low, encoder.layout.high
    state, told = game.initial_state(), []
    for _ in range(150):
        turn = game.turn(state)
        if turn is NonPlayer.OVER:
            break
        for seat in game.seats:
            numbers = encoder.encode(game.observe(state, seat), seat)
            assert numbers.shape == low.shape
            assert ((low <= numbers) & (numbers <= high)).all()
        told.append(numbers.tobytes())
        if turn is NonPlayer.CHANCE:
            outcome = chance.draw(game.chance_request(state), rng=rng)
            state = game.apply_outcome(state, outcome)
            continue
        legal = [each for each in game.legal_actions(state) if not isinstance(each, Concede)]
        numbers = [encoder.action_number(each, turn) for each in legal]
        assert [encoder.action_at(number, turn) for number in numbers] == legal
        state = game.apply_action(state, legal[int(rng.integers(len(legal)))])
    assert len(set(told)) > len(told) / 3


def test_names_of_columns_are_unique_and_cover_all_rows(game):
    encoder, state = encoder_of(game), game.initial_state()
    rows = encoder.rows(game.observe(state, game.seats[0]), game.seats[0])
    for block, of_block in zip(encoder.layout.blocks, rows, strict=True):
        names = [column.name for column in block.columns]
        assert len(set(names)) == len(names)
        assert len(list(of_block)) == len(block.rows)
    assert all(column.meaning in str(encoder.layout) for column in block.columns)


def test_a_game_without_an_encoder_is_told():
    class Other:
        name = "lord_of_the_pig"

    with pytest.raises(SpecError, match="lord_of_the_pigs"):
        encoder_of(Other())
