"""The films of a match: kept, or simulated again to the bit, or one line why not."""

from dataclasses import replace

import pytest

from pigglesim.agents.registry import make_agent
from pigglesim.chance.physical import FilmedChance, physical_chance
from pigglesim.errors import RecordError
from pigglesim.films.codec import encode, films_beside
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.state import PigglesRules
from pigglesim.landing import BOARD_SEATS
from pigglesim.match.replay import films_of, without_places
from pigglesim.match.runner import play
from pigglesim.scene.load import load_scene, team_models
from tests.unit.films.test_codec import assert_near

SCENE = load_scene("piggles_classic")
MODELS = team_models(SCENE)


def physics(seed=4):
    return physical_chance(SCENE, MODELS, engine="bullet", seed=seed)


def play_on(chance, *, seed=4):
    game = PigglesClassic(rules=PigglesRules.from_mapping({"rounds": 2}))
    agents = {seat: make_agent("greedy") for seat in BOARD_SEATS}
    return play(game, agents=agents, chance=chance, seed=seed, teams=MODELS).record


@pytest.fixture(scope="module")
def filmed(tmp_path_factory):
    """The record of a match, its films as they were made, and the folder where they were kept."""
    folder, made = films_beside(tmp_path_factory.mktemp("films") / "m.jsonl"), []

    def show(index, film):
        folder.write(index, film)
        made.append(film)

    return play_on(FilmedChance(source=physics(), show=show)), made, folder


def no_more():
    raise AssertionError("what was kept is not rolled again")


def test_kept_films_are_read_and_the_others_rolled_again_to_the_bit(filmed, tmp_path):
    record, made, folder = filmed
    kept = list(films_of(record, kept=folder, again=no_more))
    again = list(films_of(record, again=lambda: FilmedChance(source=physics())))
    assert [encode(film) for film in again] == [encode(film) for film in made]
    for film, stored in zip(again, kept, strict=True):
        assert_near(film, stored)
    half = films_beside(tmp_path / "half.jsonl")
    half.write(1, made[1])
    calls = []

    def source():
        calls.append(1)
        return FilmedChance(source=physics())

    mixed = list(films_of(record, kept=half, again=source))
    assert [film.origin["roll"] for film in mixed] == [0, 1, 2, 3][: len(made)]
    assert calls == [1]


def test_what_is_no_film_of_this_match_is_told(filmed, tmp_path):
    record, made, _ = filmed
    folder = films_beside(tmp_path / "m.jsonl")
    folder.write(0, made[1])
    with pytest.raises(RecordError, match=r"film of another roll; remove '.*films'"):
        next(films_of(record, kept=folder))
    folder.write(0, replace(made[0], origin={**made[0].origin, "seed": 99}))
    with pytest.raises(RecordError, match="the film of another roll"):
        next(films_of(record, kept=folder))
    folder.file(0).write_bytes(b"PIGFILM" + bytes(90))
    with pytest.raises(RecordError, match="roll-0000"):
        next(films_of(record, kept=folder))


def test_what_cannot_be_rolled_again_is_told(filmed):
    record, _, _ = filmed
    with pytest.raises(RecordError, match="roll 0 has no film"):
        next(films_of(record))
    with pytest.raises(RecordError, match="roll 0 differs"):
        next(films_of(record, again=lambda: FilmedChance(source=physics(seed=5))))
    with pytest.raises(RecordError, match="roll 0 differs"):
        next(films_of(without_places(record), again=lambda: FilmedChance(source=physics())))
