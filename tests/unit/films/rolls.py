"""Rolls on physics, filmed for tests, and films made up."""

from functools import cache

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pigglesim.bodies.load import load_model
from pigglesim.chance.physical import FilmedChance, PhysicalChance
from pigglesim.films.film import Film, FilmActor, Frames, Impact
from pigglesim.landing import Landing, Orientation, RestPlace, RollRequest, Seat, Zone
from pigglesim.physics.engines import make_engine
from pigglesim.scene.load import load_scene

SCENE = load_scene("piggles_classic")
A = tuple(f"A{n}" for n in range(1, 7))
B = tuple(f"B{n}" for n in range(1, 7))


def physics(watch=None, engine="bullet", seed=13):
    models = dict.fromkeys((*A, *B), load_model("piggle"))
    return PhysicalChance(
        scene=SCENE, models=models, engine=make_engine(engine), seed=seed, watch=watch
    )


def onto_a_board(source, *, loaded=3):
    """Return the results of two rolls, the second onto what the first has left."""
    first = source.answer(RollRequest(thrower=Seat.B, piggles=B[:loaded]), index=0)
    standing = tuple(entry for entry in first.landings if entry[1].zone is not Zone.OFF)
    request = RollRequest(thrower=Seat.A, piggles=A[:loaded], standing=standing)
    return first, source.answer(request, index=1)


@cache
def pours(engine="bullet", seed=13):
    """Return a pour of six onto a cleared board and one onto what the first has left."""
    films = []
    onto_a_board(
        FilmedChance(
            source=physics(engine=engine, seed=seed), show=lambda _, film: films.append(film)
        ),
        loaded=6,
    )
    return tuple(films)


def standing_after(film):
    """Return how many bodies of a film are left on the board."""
    return sum(landing.zone is not Zone.OFF for _, landing in film.readings)


def turning(angles, axis=(0.0, 0.0, 1.0)):
    """Return unit quaternions about an axis, shape [len(angles), 4]."""
    half = np.asarray(angles)[:, None] / 2.0
    return np.hstack([np.sin(half) * np.array(axis), np.cos(half)])


def small_film(times=(0.0, 0.1, 0.2), *, xs=None, angles=None, cups=0, impacts=(), **more):
    """Return a film of one body that moves along x and turns about z, and a cup at first."""
    times = np.array(times, dtype=float)
    count = len(times)
    positions = np.zeros((count, 1, 3))
    positions[:, 0, 0] = np.zeros(count) if xs is None else xs
    with_cup = (np.arange(count) < cups)[:, None]
    tipped = turning(np.where(np.isfinite(times), times, 0.0), (1.0, 0.0, 0.0))
    return Film(
        scene="piggles_classic",
        actors=(FilmActor(name="A1", model="piggle"),),
        frames=Frames(
            times=times,
            positions=positions,
            rotations=turning(np.zeros(count) if angles is None else angles)[:, None, :],
            cup_positions=np.where(with_cup, times[:, None] * np.ones(3), np.nan),
            cup_rotations=np.where(with_cup, tipped, np.nan),
        ),
        impacts=tuple(Impact(time=time, struck="A1", by="A1") for time in impacts),
        **{"origin": {}, **more},
    )


def still_frames(positions, rotations):
    """Return one frame of bodies, shapes [k, 3] and [k, 4], without a cup."""
    return Frames(
        times=np.zeros(1),
        positions=np.array([positions]),
        rotations=np.array([rotations]),
        cup_positions=np.full((1, 3), np.nan),
        cup_rotations=np.full((1, 4), np.nan),
    )


def angles_between(first, second):
    """Return the angles [rad] between unit quaternions, exact for small ones too."""
    signs = np.where(np.sum(first * second, axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    chord = np.linalg.norm(first - signs * second, axis=-1)
    return 4.0 * np.arcsin(np.minimum(chord / 2.0, 1.0))


@st.composite
def made_up_films(draw):
    """Films no physics would make: bodies that leap, turn about at once, a cup that blinks."""
    count, bodies = draw(st.integers(1, 12)), draw(st.integers(0, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    steps = draw(
        arrays.arrays(float, count, elements=st.floats(2e-9, 100.0, allow_subnormal=False))
    )
    reach = draw(st.sampled_from([0.0, 1e-5, 0.3, 900.0]))
    turns = rng.standard_normal((count, bodies + 1, 4))
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    gone = np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)))[:, None]
    names = [f"die {n}" for n in range(bodies)]
    place = RestPlace(position=(0.1, -0.0, 1 / 3), rotation=(0.5, 0.5, 0.5, 0.5))
    landing = Landing(orientation=Orientation.SNOUT_UP, zone=Zone.WOODS, place=place)
    colour = draw(st.none() | st.just("red"))
    return Film(
        scene=draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=8)),
        actors=tuple(
            FilmActor(
                name=name,
                model="d6",
                owner=draw(st.none() | st.sampled_from(Seat)),
                color=colour,
                rune="burn" if colour else None,
                standing=draw(st.booleans()),
            )
            for name in names
        ),
        frames=Frames(
            times=np.cumsum(steps),
            positions=rng.uniform(-reach, reach, (count, bodies, 3)),
            rotations=turns[:, :-1],
            cup_positions=np.where(gone, np.nan, rng.uniform(-1, 1, (count, 3))),
            cup_rotations=np.where(gone, np.nan, turns[:, -1]),
        ),
        readings=tuple((name, landing) for name in names),
        impacts=tuple(Impact(time=0.1, struck=name, by=names[0]) for name in names[1:]),
        origin={"seed": draw(st.integers(0, 2**63)), "told": [None, 0.1, {"deep": True}]},
    )
