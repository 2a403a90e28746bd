"""A roll onto what stands, filmed once for all that share it."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.chance.physical import FilmedChance, physical_chance
from pigglesim.films.film import Frames
from pigglesim.landing import RollRequest, Seat, Zone
from pigglesim.render.stage import Stage
from pigglesim.scene.load import load_scene, team_models

HOSTILE = '<img src=x onerror="hacked=1">&\'</script>\u202e\x07'
"""What a name could be that means harm."""


def _film(scene_name, seed):
    scene = load_scene(scene_name)
    chance = FilmedChance(
        source=physical_chance(scene, team_models(scene), engine=None, seed=seed),
        command=f"pigglesim roll 3 --seed {seed}",
    )
    first = RollRequest(thrower=Seat.A, piggles=("A1", "A2", "A3"))
    lying = chance.filmed(first, index=0)[0].landings
    standing = tuple((name, at) for name, at in lying if at.zone is not Zone.OFF)
    request = RollRequest(thrower=Seat.B, piggles=("B1", "B2", "B3"), standing=standing)
    return chance.filmed(request, index=1)[1]


@pytest.fixture(scope="package")
def film():
    return _film("piggles_classic", 4)


@pytest.fixture(scope="package")
def stage(film):
    return Stage.of(film)


@pytest.fixture(scope="package")
def modern():
    return Stage.of(_film("piggles_modern", 5))


@pytest.fixture(scope="package")
def hostile(film):
    """The same film, in which somebody has a name that means harm."""
    first = film.actors[0]

    def renamed(name):
        return HOSTILE if name == first.name else name

    bad = replace(
        film,
        actors=(replace(first, name=HOSTILE), *film.actors[1:]),
        readings=tuple((renamed(name), landing) for name, landing in film.readings),
        knocks=tuple(replace(knock, by=renamed(knock.by)) for knock in film.knocks),
        impacts=tuple(replace(impact, by=renamed(impact.by)) for impact in film.impacts),
        origin={**film.origin, "command": HOSTILE},
    )
    return Stage.of(bad)


@pytest.fixture(scope="package")
def moment(film):
    """The last frame alone, without a cup: as of what was set down by hand."""
    frames = film.frames
    last = Frames(
        times=frames.times[-1:],
        positions=frames.positions[-1:],
        rotations=frames.rotations[-1:],
        cup_positions=np.full((1, 3), np.nan),
        cup_rotations=np.full((1, 4), np.nan),
    )
    return Stage.of(replace(film, frames=last, impacts=(), knocks=()))
