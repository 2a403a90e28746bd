"""A film between its frames, and what cannot be one."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from pigglesim.errors import SpecError
from pigglesim.films.film import SPEEDS, Film, FilmActor, FilmPlayback, Impact
from tests.unit.films.rolls import made_up_films, small_film, turning


@given(made_up_films())
@settings(max_examples=50)
def test_at_a_frame_it_is_exact(film):
    for index, time in enumerate(film.frames.times):
        still = film.at(float(time))
        assert still.time == time
        assert np.array_equal(still.positions, film.frames.positions[index])
        assert np.array_equal(still.rotations, film.frames.rotations[index])
        gone = np.isnan(film.frames.cup_positions[index, 0])
        assert (still.cup is None) == gone
        if still.cup is not None:
            assert still.cup[0] == tuple(film.frames.cup_positions[index])


@pytest.mark.parametrize("angle", [1e-12, 1e-3, 1.0, 3.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_in_between_all_goes_evenly_and_turns_the_shorter_way(angle, sign):
    film = small_film((2.0, 3.0), xs=(1.0, 2.0), angles=(0.0, angle))
    flipped = film.frames.rotations * np.array([1.0, sign])[:, None, None]
    still = replace(film, frames=replace(film.frames, rotations=flipped)).at(2.25)
    assert still.positions[0].tolist() == [1.25, 0.0, 0.0]
    turned = still.rotations[0] * np.sign(still.rotations[0, 3])
    assert turned == pytest.approx(turning([angle / 4])[0], abs=1e-14)


def test_the_cup_goes_along_and_is_gone_once_the_next_frame_has_none():
    film = small_film((0.0, 0.5, 1.0), cups=2)
    position, rotation = film.at(0.25).cup
    assert position == pytest.approx((0.25, 0.25, 0.25))
    assert rotation == pytest.approx(turning([0.25], (1.0, 0.0, 0.0))[0])
    assert film.at(0.5).cup is not None
    assert film.at(0.51).cup is None


def test_it_rests_from_the_last_motion_that_is_seen():
    times = 0.1 * np.arange(100)
    film = small_film(times, xs=0.1 * np.minimum(np.arange(100), 20), cups=5)
    assert film.rests_from == pytest.approx(1.9)
    # Half a millimetre is not seen; a cup is.
    film = small_film(times, xs=np.where(np.arange(100) < 50, 0.0005, 0.0), cups=5)
    assert film.rests_from == pytest.approx(0.4)
    assert small_film((3.0,)).rests_from == 3.0


def test_it_needs_frames_of_its_own_bodies_at_a_finite_time():
    film = small_film()
    frames = film.frames
    with pytest.raises(SpecError, match="positions of the frames"):
        replace(frames, positions=frames.positions[1:])
    with pytest.raises(SpecError, match="at least one frame"):
        small_film(())
    twice = FilmActor(name="A1", model="piggle")
    with pytest.raises(SpecError, match="1 bodies, but the actors are A1, A1"):
        Film(scene="", actors=(twice, twice), frames=frames, origin={})
    with pytest.raises(SpecError, match="B9"):
        impact = Impact(time=0.0, struck="B9", by="A1")
        Film(scene="", actors=(twice,), frames=frames, impacts=(impact,), origin={})
    with pytest.raises(SpecError, match="invalid time nan"):
        film.at(float("nan"))
    with pytest.raises(ValueError, match="read-only"):
        frames.positions[0] = 1.0


STEP = 0.002
FILM = small_film(STEP * np.arange(1001), impacts=(0.5, 0.75, 0.76))
"""Two seconds at 2 ms."""


def test_speeds_are_powers_of_two_from_a_sixteenth_to_eight():
    assert SPEEDS == (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
    with pytest.raises(SpecError, match="a power of two"):
        FilmPlayback.begin(FILM, now=0.0, speed=3.0)
    with pytest.raises(SpecError, match="invalid time"):
        FilmPlayback.begin(FILM, now=float("nan"))
    with pytest.raises(SpecError, match="invalid time"):
        FilmPlayback.begin(FILM, now=0.0).scrub(float("inf"), 1.0)


@pytest.mark.parametrize("speed", SPEEDS)
def test_it_plays_at_its_speed_to_the_end_and_no_further(speed):
    played = FilmPlayback.begin(FILM, now=100.0, speed=speed)
    assert played.time(100.0) == 0.0
    assert played.time(100.0 + 1.5 / speed) == 1.5
    assert not played.over(100.0 + 1.99 / speed)
    assert played.time(100.0 + 50.0 / speed) == 2.0
    assert played.over(100.0 + 50.0 / speed)
    assert played.time(90.0) == 0.0


def test_it_does_not_drift_in_many_calls():
    # Twenty thousand pictures of a sixtieth of a second, and now and then other keys.
    played, expected = FilmPlayback.begin(FILM, now=0.0, speed=1 / 16, loop=True), Fraction(0)
    speed = Fraction(1, 16)
    for picture in range(1, 20_001):
        now = picture / 60
        expected += speed * (Fraction(now) - Fraction((picture - 1) / 60))
        assert played.time(now) == pytest.approx(float(expected % 2), abs=1e-9)
        if picture % 1000 == 0:
            played = played.pause(now).toggle(now).faster(now).slower(now)


def test_a_loop_begins_again_at_once():
    played = FilmPlayback.begin(FILM, now=0.0, loop=True)
    assert played.time(5.5) == 1.5
    assert not played.over(5.5)
    once = played.toggle_loop(5.5)
    assert once.time(5.75) == 1.75
    assert once.over(6.5)
    still = FilmPlayback.begin(small_film((3.0,)), now=0.0, loop=True)
    assert still.time(77.0) == 3.0


@pytest.mark.parametrize(("speed", "frames"), [(1 / 16, 1), (0.125, 2), (1.0, 10), (8.0, 80)])
def test_a_step_is_a_picture_and_always_another_frame(speed, frames):
    played = FilmPlayback.begin(FILM, now=0.0, speed=speed).scrub(1.0, 0.0)
    ahead = played.step(1, 0.0)
    assert not ahead.playing
    assert ahead.time(5.0) == FILM.frames.times[500 + frames]
    assert ahead.step(-1, 5.0).time(5.0) == 1.0
    assert played.step(3, 0.0).time(0.0) == FILM.frames.times[500 + 3 * frames]
    assert played.step(-3, 0.0).time(0.0) == FILM.frames.times[500 - 3 * frames]
    assert played.step(0, 0.0).time(0.0) == 1.0
    assert played.step(-10_000, 0.0).time(0.0) == 0.0
    assert played.step(10_000, 0.0).time(0.0) == 2.0


def test_marks_are_jumped_to_and_back():
    played = FilmPlayback.begin(FILM, now=0.0).pause(0.0)
    seen = []
    for _ in range(5):
        played = played.next_mark(0.0)
        seen.append(played.time(0.0))
    assert seen == [0.5, 0.75, 0.76, 2.0, 2.0]
    seen = []
    for _ in range(5):
        played = played.previous_mark(0.0)
        seen.append(played.time(0.0))
    assert seen == [0.76, 0.75, 0.5, 0.0, 0.0]
    # While it plays, the mark just reached is not the one before.
    playing = FilmPlayback.begin(FILM, now=0.0).scrub(0.5, 0.0)
    assert playing.previous_mark(0.3).time(0.3) == 0.0
    assert playing.previous_mark(0.9).time(0.9) == 0.76
