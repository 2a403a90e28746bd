"""A film between its frames, and what cannot be one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.errors import SpecError
from pigglesim.films.film import Film, FilmActor, Frames, Impact
from tests.unit.films.rolls import made_up_films, small_film, turning


@given(made_up_films())
@settings(max_examples=50, deadline=None)
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


@given(made_up_films(), st.floats(0.0, 1.0))
@settings(max_examples=50, deadline=None)
def test_in_between_rotations_are_unit_and_ends_hold(film, share):
    time = film.start + share * (film.end - film.start)
    lengths = np.linalg.norm(film.at(time).rotations, axis=-1)
    assert lengths == pytest.approx(np.ones_like(lengths), abs=1e-12)
    assert np.array_equal(film.at(film.end + 1.0).positions, film.frames.positions[-1])
    assert np.array_equal(film.at(film.start - 1.0).positions, film.frames.positions[0])


@pytest.mark.parametrize("angle", [1e-12, 1e-3, 1.0, 3.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_in_between_all_goes_evenly_and_turns_the_shorter_way(angle, sign):
    film = small_film((2.0, 3.0), xs=(1.0, 2.0), angles=(0.0, angle))
    flipped = film.frames.rotations * np.array([1.0, sign])[:, None, None]
    frames = Frames(
        times=film.frames.times,
        positions=film.frames.positions,
        rotations=flipped,
        cup_positions=film.frames.cup_positions,
        cup_rotations=film.frames.cup_rotations,
    )
    still = Film(scene="", actors=film.actors, frames=frames, origin={}).at(2.25)
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
        Frames(
            times=frames.times,
            positions=frames.positions[1:],
            rotations=frames.rotations,
            cup_positions=frames.cup_positions,
            cup_rotations=frames.cup_rotations,
        )
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
