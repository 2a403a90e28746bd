"""The sphere of directions: areas, handedness, basins and circles."""

import numpy as np
import pytest

from pigglesim.bodies.body import support_of
from pigglesim.bodies.load import load_model
from pigglesim.render.pose_sphere import (
    RIM,
    basin_image,
    down_directions,
    draw_pose_sphere,
    from_disc,
    on_disc,
)
from pigglesim.render.study_report import prepare_report
from tests.unit.render.made_studies import row, store


def directions(count, seed=0):
    found = np.random.default_rng(seed).normal(size=(count, 3))
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def thrown(places, **more):
    names = ("down_x", "down_y", "down_z")
    return [
        row(k, **dict(zip(names, map(float, place), strict=True)), **more)
        for k, place in enumerate(places)
    ]


def test_places_go_there_and_back():
    sphere = directions(500)
    side, place = on_disc(sphere)
    assert np.all(np.linalg.norm(place, axis=1) <= RIM + 1e-12)
    assert from_disc(side, place) == pytest.approx(sphere)
    assert 0 < side.sum() < 500


@pytest.mark.parametrize("name", ["piggle", "d6"])
def test_pixels_are_of_the_basin_that_descent_ends_in(name):
    body = load_model(name)
    support = support_of(body.hull, body.mass.centre)
    for side in (0, 1):
        image = basin_image(support, side, pixels=41)
        assert image[0, 0] == -1
        rows, columns = np.nonzero(image >= 0)
        for pick in np.random.default_rng(side).choice(len(rows), 60, replace=False):
            r, c = rows[pick], columns[pick]
            place = (np.array([[c, r]]) + 0.5) / 41 * 2 * RIM - RIM
            (direction,) = from_disc(np.array([side]), place)
            assert image[r, c] == support.descend(direction)


def test_a_prepared_report_needs_no_basins():
    body, thrown_once = load_model("d6"), store(thrown(directions(2)))
    prepare_report([body])
    drawn = basin_image.cache_info().misses
    draw_pose_sphere(body, down_directions(thrown_once, model="piggle"), title="d6")
    assert basin_image.cache_info().misses == drawn


def test_directions_are_counted_where_they_are():
    centres = directions(6, seed=4)
    around = np.repeat(centres, [1, 2, 3, 4, 5, 60], axis=0)
    rows = thrown(around)
    rows += thrown(centres[:1], standing=True) + thrown(centres[:1], model="premium")
    rows.append(row(99, down_x=None))
    found = down_directions(store(rows), model="piggle")
    assert sorted(found.dice.tolist()) == [1, 2, 3, 4, 5, 60]
    assert from_disc(found.side, found.place)[0] == pytest.approx(centres[-1], abs=1e-4)
    sides, places = on_disc(centres[::-1])
    assert found.side.tolist() == sides.tolist()
    assert found.place == pytest.approx(places, abs=1e-5)
