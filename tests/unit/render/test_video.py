"""Videos are opened again: as many frames as there should be, of that size, and they move."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from pigglesim.errors import SpecError
from pigglesim.render.camera import MAX_SIDE, Shot, check_size, parse_size
from pigglesim.render.offscreen import frame_times, save_picture, save_video
from pigglesim.scene.load import load_scene
from tests.support.graphics import frames_of, size_of
from tests.unit.films.rolls import pours

SCENE = load_scene("piggles_classic")
SHOT = Shot(size=(160, 90), fps=10.0)


@pytest.fixture
def film():
    return pours()[1]


@pytest.mark.usefixtures("graphics")
@pytest.mark.parametrize("kind", ["mp4", "webm"])
def test_a_video_has_its_frames_and_its_size_and_it_moves(kind, film, tmp_path):
    file, calls = tmp_path / f"roll.{kind}", []
    save_video([film], SCENE, file, shot=SHOT, on_progress=lambda *done: calls.append(done))
    assert size_of(file) == SHOT.size
    frames = frames_of(file, SHOT.size)
    count = len(frame_times(film, SHOT))
    assert len(frames) == count
    assert calls == [(k, count) for k in range(1, count + 1)]
    moved = np.abs(np.diff(frames.astype(int), axis=0)).mean(axis=(1, 2, 3))
    assert moved.max() > 1.0
    # The end is held, so that it can be read.
    assert moved[-10:].max() < 0.1 * moved.max()
    assert [each.name for each in tmp_path.iterdir()] == [file.name]


@pytest.mark.slow
@pytest.mark.usefixtures("graphics")
def test_a_gif_of_two_rolls_lasts_as_long_as_both(tmp_path):
    file, films = tmp_path / "rolls.gif", pours()
    save_video(films, SCENE, file, shot=SHOT)
    with Image.open(file) as gif:
        assert gif.size == (160, 90)
        # Frames that are alike are one that is shown longer.
        shown = 0
        for number in range(gif.n_frames):
            gif.seek(number)
            shown += gif.info["duration"]
    assert shown == 100 * sum(len(frame_times(each, SHOT)) for each in films)


@pytest.mark.usefixtures("graphics")
def test_a_video_that_breaks_off_leaves_what_was_there(film, tmp_path):
    for kind in ("mp4", "gif"):
        file = tmp_path / f"roll.{kind}"
        file.write_text("before")

        def stop(done, count):
            if done == 3:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            save_video([film], SCENE, file, shot=SHOT, on_progress=stop)
        assert file.read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.usefixtures("graphics")
def test_a_picture_has_the_requested_size_and_the_same_bytes_again(film, tmp_path):
    files = [tmp_path / "one.png", tmp_path / "two.png"]
    for file in files:
        save_picture(film, SCENE, file, shot=replace(SHOT, size=(161, 91)), time=None)
    with Image.open(files[0]) as picture:
        assert picture.size == (161, 91)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert sorted(tmp_path.iterdir()) == files


def test_sizes_are_read_and_limits_named():
    assert parse_size("1280x720") == parse_size("1280X720") == (1280, 720)
    check_size((MAX_SIDE, 16))
    for text in ("20000x20000", "8193x16", "8x8", "0x0", "9" * 5000 + "x5", "8192x8192"):
        with pytest.raises(SpecError, match="16 to 8192 pixels, at most 33 million") as e:
            parse_size(text)
        check_size(parse_size(e.value.fix.removeprefix("use --size ")))
    for text in ("", "x", "720", "1280*720", "-1x5", "1.5x2", "²x2"):
        with pytest.raises(SpecError, match="--size 1280x720"):
            parse_size(text)


def test_a_gif_that_would_fill_the_memory_is_refused(film, tmp_path):
    with pytest.raises(SpecError, match=r"million pixels.*roll\.mp4"):
        save_video([film] * 20, SCENE, tmp_path / "roll.gif", shot=Shot())
    assert not list(tmp_path.iterdir())
