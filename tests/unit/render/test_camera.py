import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pigglesim.api.roll_files import Look
from pigglesim.errors import SpecError
from pigglesim.films.film import Film, FilmActor, Frames
from pigglesim.landing import RestPlace
from pigglesim.render.camera import NEARING, VIEWS, Camera, Shot, parse_camera, still_camera
from pigglesim.scene.load import load_scene

SIZE = (640, 360)
CAMERAS = st.builds(
    Camera,
    target=st.tuples(st.floats(-0.2, 0.2), st.floats(-0.2, 0.2), st.floats(0.0, 0.2)),
    azimuth=st.floats(-math.pi, math.pi),
    elevation=st.floats(math.radians(2.0), math.pi / 2.0),
    distance=st.floats(0.1, 2.0),
)
PIXELS = st.tuples(st.floats(0, SIZE[0]), st.floats(0, SIZE[1]))


@given(CAMERAS, PIXELS, st.floats(0.05, 3.0))
def test_what_a_pixel_shows_is_seen_there(camera, pixel, along):
    eye, direction = camera.ray(*pixel, SIZE)
    seen = camera.project((eye + along * direction)[None], SIZE)
    assert seen[0, :2] == pytest.approx(pixel, abs=1e-6)


@given(CAMERAS, st.floats(-10, 10), st.floats(-4, 4))
def test_orbiting_goes_round_and_never_under_the_board(camera, around, upward):
    moved = camera.orbit(around, upward)
    assert moved.distance == camera.distance and moved.target == camera.target
    assert 0.0 < moved.elevation <= math.pi / 2.0
    back = moved.orbit(-around, 0.0)
    assert math.cos(back.azimuth - camera.azimuth) == pytest.approx(1.0)


@given(
    CAMERAS,
    st.lists(
        st.tuples(st.floats(-0.2, 0.2), st.floats(-0.2, 0.2), st.floats(0, 0.3)),
        min_size=2,
        max_size=8,
        unique=True,
    ),
    st.sampled_from([0.5, 1.0, 16 / 9]),
)
def test_framing_shows_all_and_comes_as_near_as_it_can(camera, points, aspect):
    points = np.array(points)
    framed = camera.framing(points, aspect, margin=0.05)
    size = (1000.0 * aspect, 1000.0)
    projected = framed.project(points, size)
    seen, away = projected[:, :2] / size, projected[:, 2].min()
    if 0.06 < framed.distance < 2.9:
        assert seen.min() >= 0.05 - 1e-6
        assert seen.max() <= 0.95 + 1e-6
        touching = np.abs(np.stack([seen - 0.05, 0.95 - seen])).min()
        assert touching < 1e-6 or away == pytest.approx(0.05)
    assert (framed.azimuth, framed.elevation) == (camera.azimuth, camera.elevation)


def test_a_camera_is_read_from_numbers_or_a_name():
    camera = parse_camera("200,35,0.7")
    assert camera.azimuth % (2 * math.pi) == pytest.approx(math.radians(200.0))
    assert (camera.elevation, camera.distance) == pytest.approx((math.radians(35.0), 0.7))
    assert parse_camera("top") is VIEWS["top"]


@pytest.mark.parametrize(
    "text", ["1,2", "1,2,3,4", "a,b,c", "0,nan,1", "0,91,1", "0,45,99", "0,-5,1"]
)
def test_a_camera_that_is_none_is_refused_with_an_example(text):
    with pytest.raises(SpecError, match=r"--camera 155,38,0\.78, or a name: table"):
        parse_camera(text)


@pytest.mark.parametrize("numbers", [(155.0,), (155, 38, 0.78, 1), (155, 38, math.nan), ()])
def test_numbers_that_are_no_camera_are_refused_as_their_text_is(numbers):
    with pytest.raises(SpecError, match=r"--camera 155,38,0\.78, or a name: table"):
        Look(camera=numbers).picture()


def test_a_camera_in_numbers_has_every_digit():
    shot = Look(camera=(155.1234567, 38.7654321, 0.78123456), size=(640, 360)).picture()
    assert math.degrees(shot.camera.azimuth) == pytest.approx(155.1234567, abs=1e-12)
    assert math.degrees(shot.camera.elevation) == pytest.approx(38.7654321, abs=1e-12)
    assert (shot.camera.distance, shot.size, shot.framed) == (0.78123456, (640, 360), False)


def test_the_camera_is_near_dice_at_the_end_alone():
    """Two dice roll along, and come to rest away from the middle of a board without a print."""
    scene, shot = load_scene("piggy_six"), Shot()
    upright = (0.0, 0.0, 0.0, 1.0)
    lie = Frames.still([
        RestPlace(position=(x, 0.1, 0.009), rotation=upright) for x in (0.05, 0.11)
    ])  # fmt: skip
    times = np.array([0.0, 1.0, 1.0 + NEARING])
    frames = Frames(times=times, **{
        name: np.repeat(getattr(lie, name), 3, axis=0)
        for name in ("positions", "rotations", "cup_positions", "cup_rotations")
    })  # fmt: skip
    actors = (FilmActor(name="die 1", model="d6"), FilmActor(name="die 2", model="d6"))
    film = Film(scene="piggy_six", actors=actors, frames=frames, origin={})
    before, end = (still_camera(film, scene, shot, time) for time in (1.0, 1.0 + NEARING))
    seen = end.project(film.frames.positions[-1], shot.size)
    # They are in the middle of the picture, and half as large again as with the whole board.
    assert seen[:, 0].mean() == pytest.approx(shot.size[0] / 2, abs=0.02 * shot.size[0])
    assert end.distance < before.distance / 1.5
    corners = np.array([[x, y, 0.0] for x in (-1, 1) for y in (-1, 1)]) * scene.board.half
    assert before.project(corners, shot.size)[:, :2].min() > 0


@pytest.mark.parametrize("name", ["piggy_six", "piggles_classic"])
def test_a_film_without_bodies_shows_the_whole_board_at_its_end(name):
    scene, shot = load_scene(name), Shot()
    film = Film(scene=name, actors=(), frames=Frames.still([]), origin={})
    camera = still_camera(film, scene, shot, film.end)
    corners = np.array([[x, y, 0.0] for x in (-1, 1) for y in (-1, 1)]) * scene.board.half
    seen = camera.project(corners, shot.size)[:, :2]
    assert seen.min() > 0
    assert np.all(seen < shot.size)
