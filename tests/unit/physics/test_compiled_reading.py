"""The compiled reading against that of polygons: zones of any footprint, and of whole throws."""

import numpy as np
import pytest

import pigglesim
from pigglesim.landing import Zone
from pigglesim.physics.impulse import engine, reading
from pigglesim.reading import classify
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import INCH

BOARD = load_scene("piggles_classic").board


@pytest.fixture
def landed(monkeypatch):
    """What the compiled throws said of each body, one list of rows for each throw."""
    rows, run = [], engine.ImpulseWorld.run_throw

    def run_and_keep(world, *words, **named):
        end = run(world, *words, **named)
        rows.append(world.buffers.throw["landed"][0].tolist())
        return end

    monkeypatch.setattr(engine.ImpulseWorld, "run_throw", run_and_keep)
    return rows


def footprints(count):
    """Yield footprints all over the board, most of them close to a line."""
    rng = np.random.default_rng(7)
    places = [0.0, 4.0 * INCH, 5.0 * INCH, BOARD.lane / 2**0.5, BOARD.half]
    for _ in range(count):
        size, corners = rng.choice([1e-4, 2e-3, 0.01]), rng.integers(1, 7)
        x, y = rng.choice([-1, 1], 2) * rng.choice(places, 2) + rng.normal(0.0, 0.004, 2)
        if rng.random() < 0.4:  # along a lane, where fields have their slanted sides
            y = rng.choice([-1, 1]) * (x + rng.choice([-1, 0, 1]) * places[3])
        points = [x, y] + size * rng.standard_normal((corners, 2))
        yield np.clip(points, -BOARD.half, BOARD.half)


def test_the_zone_of_a_footprint_is_that_of_the_polygons():
    board, memory, seen = engine._board_print(BOARD), np.zeros((9, 2)), set()
    for points in footprints(6000):
        memory[: len(points)] = points
        zone = reading.ZONES[reading.zone_of(board, memory, len(points))]
        assert zone is classify(BOARD, points), points.tolist()
        seen.add(zone)
    assert seen == {*Zone} - {Zone.OFF, Zone.LINE_FIELD_PATH}


def agree(roll, rows):
    found = []
    standing = dict(roll.request.standing)
    for (name, landing), (orientation, zone, support) in zip(
        roll.landings.items(), rows, strict=False
    ):
        if landing is standing.get(name):  # nothing struck it, so it was not read again
            continue
        assert reading.ZONES[zone] is landing.zone
        assert (orientation >= 0) == (landing.orientation is not None)
        if orientation >= 0:
            assert reading.ORIENTATIONS[orientation] is landing.orientation
        found.append({0: None, reading.LEANING: "leans", reading.STACKED: "stacked"}[support])
        assert found[-1] == ("leans" if landing.leaning else "stacked" if landing.stacked else None)
    return found


@pytest.mark.parametrize(
    ("count", "model"),
    [
        (12, "piggle"),
        pytest.param(400, "piggle", marks=pytest.mark.slow),
        pytest.param(100, "premium", marks=pytest.mark.slow),
        pytest.param(100, "premium_brass", marks=pytest.mark.slow),
    ],
)
def test_the_landings_of_throws_are_those_of_the_reading(landed, count, model):
    found = []
    for seed in range(count):
        # Thrown low and softly, some lean on others.
        roll = pigglesim.roll(6, seed=seed, engine="impulse", model=model, height=2, back=3)
        found += agree(roll, landed[-1])
        onto = pigglesim.roll(6, seed=seed, engine="impulse", seat="B", onto=roll, back=0)
        found += agree(onto, landed[-1])
    assert count < 400 or {None, "leans", "stacked"} == {*found}
