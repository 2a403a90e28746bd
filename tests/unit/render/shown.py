"""Films made up for viewers, without physics, and a window that is not there."""

from dataclasses import replace
from functools import cache

import numpy as np

from pigglesim.films.film import Film, FilmActor, Frames, Impact
from pigglesim.landing import Knock, Landing, Orientation, Seat, Zone
from pigglesim.render.viewer import Clip, Playlist, Scoreboard, ViewerState
from pigglesim.render.window import NullWindow
from pigglesim.scene.load import load_scene
from pigglesim.table.films import still_film

SCENE = load_scene("piggles_classic")
SIZE = (1280, 720)
LYING = (
    ("A1", Landing(orientation=Orientation.SNOUT_UP, zone=Zone.FIELD_SOUTH)),
    ("B1", Landing(orientation=Orientation.SNOUT_DOWN, zone=Zone.WOODS)),
    ("A2", Landing(orientation=Orientation.ON_THEIR_HEAD, zone=Zone.FIELD_NORTH)),
)
TEAM = dict.fromkeys(("A1", "A2", "A3", "B1", "B2"), "piggle")
OWNERS = {name: Seat(name[0]) for name in TEAM}
STRUCK, RESTS, END, SPEED = 0.4, 0.8, 1.0, 0.25
"""When B1 is struck and all lie still, the length of the film [s], how fast both go [m/s]."""


@cache
def film():
    """A1 slides along +x until 0.8 s; B1 is struck at 0.4 s and slides along +y until then; A2
    lies there all the time. The cup is gone after 0.2 s."""
    end = still_film(LYING, {}, scene=SCENE, models=TEAM, owners=OWNERS)
    times = np.linspace(0.0, END, 101)
    positions = np.repeat(end.frames.positions, len(times), axis=0)
    left = np.minimum(times - RESTS, 0.0)
    positions[:, 0, 0] += SPEED * left
    positions[:, 1, 1] += SPEED * np.clip(left, STRUCK - RESTS, 0.0)
    cup = times <= 0.2
    poses = np.where(cup[:, None], [[0.0, -0.1, 0.15]], np.nan)
    turns = np.where(cup[:, None], [[0.0, 0.0, 0.0, 1.0]], np.nan)
    return Film(
        scene=SCENE.id,
        actors=(
            FilmActor(name="A1", model="piggle", owner=Seat.A),
            FilmActor(name="B1", model="piggle", owner=Seat.B, standing=True),
            FilmActor(name="A2", model="piggle", owner=Seat.A, standing=True),
        ),
        frames=Frames(
            times=times,
            positions=positions,
            rotations=np.repeat(end.frames.rotations, len(times), axis=0),
            cup_positions=poses,
            cup_rotations=turns,
        ),
        readings=LYING,
        knocks=(
            Knock(
                struck="B1",
                by="A1",
                distance=0.1,
                angle=0.0,
                flipped=False,
                zone_changed=True,
                off_board=False,
            ),
        ),
        impacts=(Impact(time=STRUCK, struck="B1", by="A1"),),
        origin={"seed": 1},
    )


def takes(count=2):
    score, after = Scoreboard(heading="before the roll"), Scoreboard(heading="after the roll")
    for number in range(count):
        yield Clip(
            film=film(),
            title=f"roll {number}",
            score=score,
            after=after,
            story=(f"told {number}",),
        )


def viewer(count=2, *, pour=None, **more):
    """A viewer of two rolls, the first of which has just begun."""
    show = Playlist(takes(count), pour=pour)
    window = NullWindow(ViewerState(show=show, scene=SCENE, size=SIZE, **more))
    window.frame(0.0)
    return window


def in_hand(seat=Seat.A, *, pour=None, shake=None, **more):
    """A viewer with the cup in a person's hand, and the paths that were poured."""
    paths = []
    (clip,) = takes(1)
    actors = [replace(actor, owner=seat) for actor in clip.film.actors]
    clip = replace(clip, film=replace(clip.film, actors=tuple(actors)))

    def add(path):
        paths.append(path)
        return clip

    show = Playlist(iter([clip]), pour=pour or add, shake=shake)
    window = NullWindow(ViewerState(show=show, scene=SCENE, size=SIZE, **more))
    window.frame(0.0)
    press(window, "end", "return")
    window.frame(0.0)
    return window, paths


def pixel(window, point):
    """Return where a point of the world is seen, in pixels from the upper left."""
    state = window.viewer
    x, y, _ = state.camera.project(np.array([point], dtype=float), state.size)[0].tolist()
    return x, y


def click(window, x, y, button="left"):
    window.events.press(x, y, button)
    window.events.release(x, y)


def press(window, *keys):
    for key in keys:
        window.events.key_down(key)
        window.events.key_up(key)
