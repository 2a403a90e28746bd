"""The stills in the README: each stable pose of each model, and each scene, drawn again.

`scripts/make_stills` writes them, the same every time on one machine.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import radians
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pigglesim.bodies.body import StablePose
from pigglesim.bodies.load import load_model
from pigglesim.chance.physical import FilmedChance, physical_chance
from pigglesim.chance_types import DiceRequest
from pigglesim.data_files import model_names, scene_names
from pigglesim.durable_io import atomic_file
from pigglesim.films.film import Film, FilmActor, Frames
from pigglesim.landing import RestPlace, RollRequest, Seat, Zone
from pigglesim.render.body_sheets import standing
from pigglesim.render.camera import Camera, Shot
from pigglesim.render.offscreen import studio
from pigglesim.rotations import from_matrix
from pigglesim.scene.load import load_scene, team_models

_SCENE = "piggles_classic"
_POSE_SIZE, _SCENE_SIZE = (240, 180), (640, 360)
_SPOT = (0.0, -0.068)
"""Where a body is shown [m]: in the South field, with its lines about it."""
_SEED, _ENGINE = 12, "bullet"
_LOW, _HIGH = 28.0, 68.0
"""How far above the horizon one looks from [degrees]."""
_COLOURS = 96


def draw_stills() -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """Yield the name of each still and what it shows, RGB, shape [height, width, 3]."""
    plain = Shot(size=_POSE_SIZE, framed=False, labels=False)
    with studio(load_scene(_SCENE), plain) as drawn:
        for model in model_names():
            body = load_model(model)
            highest = max(body.poses, key=lambda pose: (len(pose.name), pose.name))
            for pose in body.poses if body.pig else [highest]:
                film = pose_film(model, pose)
                drawn.shot = replace(plain, camera=_near(film, pose))
                drawn.show(film)
                yield f"{model}-{pose.name}", drawn.frame(film.end)
    for name in scene_names():
        film = scene_film(name)
        with studio(load_scene(name), Shot(size=_SCENE_SIZE)) as drawn:
            drawn.show(film)
            yield name, drawn.frame(film.end)


def pose_film(model: str, pose: StablePose) -> Film:
    """Return a film of one moment: a body alone on the board, in a stable pose."""
    x, y, z, w = from_matrix(standing(pose.down)).tolist()
    place = RestPlace(position=(*_SPOT, pose.height), rotation=(x, y, z, w))
    return _lying(_SCENE, [FilmActor(name=pose.name, model=model, standing=True)], [place])


def scene_film(scene_name: str, *, engine: str = _ENGINE) -> Film:
    """Return the film of a pour onto what another pour left, or of dice as they came to lie.

    Args:
        scene_name: One that comes with pigglesim.
        engine: What pours.

    Raises:
        SpecError: If there is no such scene or engine.
    """
    scene = load_scene(scene_name)
    source = physical_chance(scene, team_models(scene), engine=engine, seed=_SEED)
    if scene.dice is not None:
        request = DiceRequest(thrower=Seat.A, count=scene.dice.most)
        places = source.dice(request, index=0).places
        names = [f"die {number + 1}" for number in range(len(places))]
        actors = [FilmActor(name=name, model=scene.dice.model) for name in names]
        return _lying(scene_name, actors, places)
    chance = FilmedChance(source=source)
    teams = {seat: tuple(n for n in source.models if n.startswith(seat)) for seat in scene.teams}
    first, _ = chance.filmed(RollRequest(thrower=Seat.B, piggles=teams[Seat.B]), index=0)
    lying = tuple(entry for entry in first.landings if entry[1].zone is not Zone.OFF)
    again = RollRequest(thrower=Seat.A, piggles=teams[Seat.A], standing=lying)
    return chance.filmed(again, index=1)[1]


def _lying(scene_name: str, actors: Sequence[FilmActor], places: Sequence[RestPlace]) -> Film:
    """Return a film of one moment, of what lies still."""
    return Film(
        scene=scene_name, actors=tuple(actors), frames=Frames.still(places), origin={"seed": _SEED}
    )


def _near(film: Film, pose: StablePose) -> Camera:
    """Return a close camera: one that looks down on what turns its face to the sky."""
    x, y, z = film.frames.positions[0, 0].tolist()
    high = _HIGH if -pose.down[2] > 0.7 else _LOW
    return Camera(
        target=(x, y, 0.9 * z), azimuth=radians(168.0), elevation=radians(high), distance=0.125
    )


def save_still(pixels: NDArray[np.uint8], file: Path, *, colours: int = _COLOURS) -> None:
    """Write a picture as a small PNG, its colours chosen for it."""
    from PIL import Image

    few = Image.fromarray(pixels).quantize(colours, kmeans=1, dither=Image.Dither.NONE)
    with atomic_file(file) as part:
        few.save(part, format="PNG", optimize=True)


def _main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, pixels in draw_stills():
        save_still(pixels, folder / f"{name}.png")
        sys.stderr.write(f"{name}.png\n")


if __name__ == "__main__":
    _main()
