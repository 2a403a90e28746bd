"""Observations as text: the same just where the observation is, and nothing that is hidden."""

import numpy as np
import pytest

from pigglesim.agents.agent import Uniform
from pigglesim.chance.tabular import FairChance
from pigglesim.chance_types import ShuffleResult
from pigglesim.games.game import NonPlayer
from pigglesim.games.registry import game_names, make_game
from pigglesim.match.entries import Decision
from pigglesim.match.runner import Players, Progress, next_entry
from tests.random_games import walk


@pytest.mark.parametrize("name", game_names())
def test_observations_and_their_strings_are_one_to_one(name):
    game = make_game(name, {"advanced_deal": True} if name == "pig_pile" else {})
    texts, seen = {}, {}
    for _, _, state in walk(game, 5):
        for seat in game.seats:
            view, text = game.observe(state, seat), game.observation_string(state, seat)
            assert texts.setdefault(view, text) == text
            assert seen.setdefault(text, view) == view
            assert text == " ".join(text.split())
    assert len(texts) > 20


@pytest.mark.parametrize("name", ["lord_of_the_pigs", "pig_pile"])
def test_only_those_who_see_cards_have_them_in_their_strings(name):
    game, rng = make_game(name), np.random.default_rng(2)
    exchanged = 0
    for state, _, _ in walk(game, 2):
        mover = game.turn(state)
        if mover is NonPlayer.CHANCE:
            continue
        # The same for the mover, with the hidden cards of the others in other places.
        other = game.imagine(game.observe(state, mover), rng=rng)
        assert game.observation_string(other, mover) == game.observation_string(state, mover)
        exchanged += any(
            game.observation_string(other, seat) != game.observation_string(state, seat)
            for seat in game.seats
        )
    assert exchanged > 20


def after_deal(game, *swap):
    """Return a match of Pig Pile after a deal of a shuffled deck with two cards exchanged."""
    start = game.initial_state()
    request = game.chance_request(start)
    cards = list(FairChance(seed=1).draw(request, rng=np.random.default_rng(1)).cards)
    if swap:
        one, other = swap
        assert cards[one] != cards[other]
        cards[one], cards[other] = cards[other], cards[one]
    return Progress(state=game.apply_outcome(start, ShuffleResult(cards=tuple(cards))))


def test_an_information_state_remembers_all_that_was_seen_and_no_more():
    game = make_game("pig_pile", {"rounds": 1})
    players = Players(agents=dict.fromkeys(game.seats, Uniform()), seed=3)
    played, same = after_deal(game), after_deal(game, 78, 79)
    for _ in range(6):
        played, same = (
            each.then(*next_entry(game, each, players, FairChance(seed=0)))
            for each in (played, same)
        )
    assert played.state != same.state
    for seat in game.seats:
        # The bottom of the Draw Pile is exchanged, which nobody has seen.
        text = played.information_state_string(game, seat)
        assert text == same.information_state_string(game, seat)
        lines = text.splitlines()
        own = [entry.action for entry in played.entries if entry.seat is seat]
        assert [line for line in lines if not line.startswith("seat=")] == own
        assert lines[-1] == game.observation_string(played.state, seat)
        assert len(lines) == 7 + len(own)
    assert all(isinstance(entry, Decision) for entry in played.entries)
