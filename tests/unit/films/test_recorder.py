"""Who watches a roll sees all of it and changes no bit; the film of it is the truth."""

import numpy as np
import pytest

from pigglesim.bodies.load import load_models
from pigglesim.chance.physical import FilmedChance
from pigglesim.chance_types import CockedDice, DiceRequest
from pigglesim.films.codec import encode
from pigglesim.json_codec import to_json
from pigglesim.landing import (
    Cocked,
    ReadingRules,
    RollRequest,
    Seat,
)
from pigglesim.scene.load import load_scene
from tests.unit.films.rolls import SCENE, A, onto_a_board, physics, pours, standing_after

STEP = SCENE.stepping.time_step


@pytest.mark.parametrize("engine", ["bullet", "mujoco", "impulse"])
def test_filming_changes_no_bit(engine):
    films, moments = [], []
    unseen = onto_a_board(physics(engine=engine))
    source = physics(moments.append, engine=engine)
    seen = onto_a_board(FilmedChance(source=source, show=lambda *shown: films.append(shown)))
    assert [to_json(each) for each in seen] == [to_json(each) for each in unseen]
    assert [index for index, _ in films] == [0, 1]
    assert len(moments) == sum(film.frames.count for _, film in films)
    for (_, film), result in zip(films, unseen, strict=True):
        assert film.readings == result.landings
        assert film.knocks == result.knocks
        assert film.end == pytest.approx(result.settle.time)


def test_a_film_is_the_same_from_whole_throws_and_from_single_moments():
    """A recorder without another watcher takes all moments of a compiled throw at once."""
    films = {True: [], False: []}
    for at_once, shown in films.items():
        source = physics(*([] if at_once else [lambda _: None]), engine="impulse")
        onto_a_board(FilmedChance(source=source, show=lambda _, film, to=shown: to.append(film)))
    assert [encode(film) for film in films[True]] == [encode(film) for film in films[False]]
    assert any(film.impacts for film in films[True])


def test_a_film_has_every_step_and_ends_as_it_was_read():
    films = pours()
    for film, standing in zip(films, (0, standing_after(films[0])), strict=True):
        frames = film.frames
        assert frames.times == pytest.approx(STEP * np.arange(frames.count))
        assert [actor.standing for actor in film.actors] == [False] * 6 + [True] * standing
        ends = [landing.place for _, landing in film.readings]
        assert [place.position for place in ends] == [tuple(at) for at in film.at(9.9).positions]
        turned = [place.rotation for place in ends]
        assert turned == [tuple(at) for at in film.at(9.9).rotations]
        # Nobody is moved to get there: what is read is what was left, but for its sinking home.
        last = np.linalg.norm(np.diff(frames.positions[-2:], axis=0), axis=-1)
        assert np.max(last) < 1e-3


def test_whoever_was_struck_was_touched_before_it_moved():
    film = pours()[1]
    assert film.knocks
    assert {(knock.struck, knock.by) for knock in film.knocks} <= {
        (hit.struck, hit.by) for hit in film.impacts
    }
    names = [actor.name for actor in film.actors]
    for hit in film.impacts:
        struck, by = names.index(hit.struck), names.index(hit.by)
        assert film.actors[struck].standing
        assert not film.actors[by].standing
        was = film.frames.positions[0, struck]
        assert np.linalg.norm(film.at(hit.time - STEP).positions[struck] - was) < 5e-4
    assert list(film.impacts) == sorted(film.impacts, key=lambda hit: hit.time)


@pytest.mark.slow
def test_a_nudge_follows_in_time_from_where_all_was_read():
    plain = physics()
    for index in range(40):
        leaning = plain.roll(RollRequest(thrower=Seat.A, piggles=A), index=index)
        if any(landing.leaning for _, landing in leaning.landings):
            break
    reading = ReadingRules(cocked=Cocked.NUDGE)
    request = RollRequest(thrower=Seat.A, piggles=A, reading=reading)
    result, film = FilmedChance(source=plain).filmed(request, index=index)
    assert result == plain.roll(request, index=index)
    frames = film.frames
    assert np.all(np.diff(frames.times) > 0.0)
    begins = round(leaning.settle.time / STEP)
    assert frames.count > begins + 10
    there = [landing.place.position for _, landing in leaning.landings]
    assert [tuple(at) for at in frames.positions[begins]] == there
    assert np.isnan(frames.cup_positions[begins:]).all()
    # Those pushed rise a little; nobody leaps to where the nudge begins.
    assert np.max(np.abs(np.diff(frames.positions[begins - 1 :], axis=0))) < 2e-3
    assert film.impacts == ()


def test_dice_are_filmed_through_all_their_throws():
    scene = load_scene("piggy_six")
    die = load_models(["d6"])["d6"]
    plain = physics()
    source = type(plain)(scene=scene, models={}, engine=plain.engine, seed=2, die=die)
    shown = []
    chance = FilmedChance(source=source, show=lambda *film: shown.append(film))
    request = DiceRequest(thrower=Seat.B, count=3, cocked=CockedDice.REROLL)
    again = next(n for n in range(60) if source.dice(request, index=n).throws > 1)
    for index in (0, again):
        result = source.answer(request, index=index)
        assert chance.answer(request, index=index) == result
        _, film = shown[-1]
        assert [actor.name for actor in film.actors] == [f"die {n}" for n in range(1, 4)]
        assert {(actor.model, actor.owner) for actor in film.actors} == {("d6", Seat.B)}
        assert film.origin["faces"] == list(result.faces)
        assert film.readings == ()
        ends = [tuple(at) for at in film.frames.positions[-1]]
        assert ends == [place.position for place in result.places]
        # The cup comes once for every throw.
        with_cup = ~np.isnan(film.frames.cup_positions[:, 0])
        assert 1 + np.sum(np.diff(with_cup.astype(int)) == 1) == result.throws
        assert len(encode(film)) < 24_000 * result.throws
