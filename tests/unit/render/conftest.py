"""A roll onto what stands, filmed once for all that share it."""

from dataclasses import replace

import pytest

from pigglesim.chance.physical import FilmedChance, physical_chance
from pigglesim.landing import RollRequest, Seat, Zone
from pigglesim.render.stage import Stage
from pigglesim.scene.load import load_scene, team_models
from tests.unit.films.rolls import still_frames

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


def renamed(film, name):
    """The film, in which everything that a file may call as it likes has this name."""
    first = film.actors[0]

    def new(old):
        return name if old == first.name else old

    return replace(
        film,
        actors=(replace(first, name=name), *film.actors[1:]),
        readings=tuple((new(each), landing) for each, landing in film.readings),
        knocks=tuple(
            replace(knock, by=new(knock.by), struck=new(knock.struck)) for knock in film.knocks
        ),
        impacts=tuple(replace(hit, by=new(hit.by), struck=new(hit.struck)) for hit in film.impacts),
        origin={**film.origin, "command": name, name: {name: [name]}},
    )


@pytest.fixture(scope="package")
def hostile(film):
    return Stage.of(renamed(film, HOSTILE))


@pytest.fixture(scope="package")
def moment(film):
    """The last frame alone, without a cup: as of what was set down by hand."""
    last = still_frames(film.frames.positions[-1], film.frames.rotations[-1])
    return Stage.of(replace(film, frames=last, impacts=(), knocks=()))
