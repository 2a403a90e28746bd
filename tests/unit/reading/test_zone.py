from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from shapely import MultiPoint

from pigglesim.landing import ZONE_POINTS, Zone
from pigglesim.scene.scene import INCH, Board
from tests.support.footprints import classify

BOARD = Board()
# GEOS divides by zero at coordinates that are nearly zero, far below the size of an atom.
SPAN = st.floats(-6.49, 6.49).map(lambda inches: round(inches, 9))


def point_zone(x, y):
    """The zone of a point [in], from inequalities alone; None within a hair of a line's border."""
    a, b, half = abs(x), abs(y), 1 / 25.4
    ring, lane = max(a, b), abs(a - b) / 2**0.5
    # Outside of the square its corners are nearest: the line drawn round it has round ones.
    borders = [5 - ring if ring < 5 else float(np.hypot(max(a - 5, 0), max(b - 5, 0)))]
    if ring < 5 - half - 1e-9:
        # Distance to the nearest edge of a field's triangle, by clamping to each edge.
        corners = np.array([(0, 2**-0.5), (4 - 2**-0.5, 4), (2**-0.5 - 4, 4)])
        p = np.array([a, b] if b >= a else [b, a])
        gaps = []
        for k in range(3):
            s, e = corners[k], corners[(k + 1) % 3]
            t = np.clip((p - s) @ (e - s) / ((e - s) @ (e - s)), 0, 1)
            gaps.append(np.linalg.norm(s + t * (e - s) - p))
        borders.append(min(gaps))
        if abs(min(gaps) - half) < 1e-6:
            return None
    if abs(borders[0] - half) < 1e-6:
        return None
    if borders[0] < half:
        return Zone.LINE_PATH_WOODS
    if ring > 5:
        return Zone.WOODS
    lined = borders[1] < half
    if ring > 4 and not lined:
        return Zone.PATH_OUTER
    if lane < 0.5 and not lined:
        return Zone.PATH_INNER
    point = ("N" if y > 0 else "S") if b > a else "E" if x > 0 else "W"
    return Zone(f"line:{point}/path" if lined else f"field:{point}")


def inches(*points):
    return np.array(points, dtype=float) * INCH


@settings(max_examples=400)
@given(SPAN, SPAN)
@example(5.03125, 5.03125)
def test_a_point_is_classified_as_the_inequalities_say(x, y):
    expected = point_zone(x, y)
    if expected is not None:
        assert classify(BOARD, inches((x, y))) is expected


TURN, MIRROR = str.maketrans("NWSE", "WSEN"), str.maketrans("EW", "WE")


def mapped(zone, points):
    """The zone with its compass point mapped."""
    kind, colon, rest = zone.value.partition(":")
    return Zone(kind + colon + rest.translate(points))


@settings(max_examples=150)
@given(st.lists(st.tuples(SPAN, SPAN), min_size=1, max_size=5))
def test_zones_are_symmetric_under_the_eight_symmetries_of_the_square(points):
    # Between two fields equally near the order of the fields decides.
    x, y = np.abs(np.mean(points, axis=0))
    assume(abs(x - y) > 1e-6 and (min(x, y) > 1e-6 or len(points) == 1))
    here = classify(BOARD, inches(*points))
    quarter = classify(BOARD, inches(*[(-y, x) for x, y in points]))
    mirrored = classify(BOARD, inches(*[(-x, y) for x, y in points]))
    assert quarter is mapped(here, TURN)
    assert mirrored is mapped(here, MIRROR)


@pytest.mark.slow
@settings(max_examples=150)
@given(st.lists(st.tuples(SPAN, SPAN), min_size=3, max_size=5))
def test_the_lowest_region_that_a_footprint_touches_pays(points):
    corners = np.array(points)
    rng = np.random.default_rng(3)
    weights = rng.dirichlet(np.ones(len(corners)), 200)
    inside = [point_zone(x, y) for x, y in weights @ corners]
    lowest = min(ZONE_POINTS[zone] for zone in inside if zone is not None)
    # Any point inside is a part of the footprint: the whole never pays more than it.
    assert ZONE_POINTS[classify(BOARD, corners * INCH)] <= lowest


@pytest.mark.parametrize(
    ("points", "zone"),
    [
        ([(0, 2), (0.2, 2.2)], Zone.FIELD_NORTH),
        ([(0, 3.9), (0, 4.1)], Zone.LINE_NORTH),
        ([(0, 3.8), (0, 5.2)], Zone.LINE_PATH_WOODS),
        ([(0, 4.9), (0, 5.1)], Zone.LINE_PATH_WOODS),
        ([(0, 4.45), (0, 4.55)], Zone.PATH_OUTER),
        ([(0, 0)], Zone.PATH_INNER),
        ([(2, 2)], Zone.PATH_INNER),
        ([(0, 3.98)], Zone.LINE_NORTH),
        # Across a lane: of two fields, the nearer to the middle of the footprint.
        ([(3, 1.5), (1.5, 3), (3, 1)], Zone.LINE_EAST),
        ([(3, 1.5), (1.5, 3), (1, 3)], Zone.LINE_NORTH),
        # Beside the middle of a line's ends, on the path of another field.
        ([(-3.9, 0), (-4.2, 3.0), (-4.3, 3.2)], Zone.LINE_WEST),
        ([(0, 3.95)], Zone.FIELD_NORTH),
        ([(6, 6)], Zone.WOODS),
        ([(1.1, 0), (0, 1)], Zone.LINE_EAST),
    ],
)
def test_footprints_with_a_known_zone(points, zone):
    assert classify(BOARD, inches(*points)) is zone


def test_area_fractions_are_those_of_the_geometry():
    s, w, i, lane = 13.0, 1.5, 8.0, 1.0
    ring = (s - 2 * w) ** 2 - i**2
    # A lane is a strip along a diagonal, cut by the square's corners and crossing the other once.
    strip = i * 2**0.5 * lane - lane**2 / 2
    lanes = 2 * strip - lane**2
    exact = {"woods": s**2 - (s - 2 * w) ** 2, "outer": ring, "inner": lanes}
    exact["fields"] = s**2 - sum(exact.values())
    area = {zone: region.area / INCH**2 for zone, region in BOARD.regions.items()}
    assert area[Zone.WOODS] == pytest.approx(exact["woods"])
    assert area[Zone.PATH_OUTER] == pytest.approx(exact["outer"])
    assert area[Zone.PATH_INNER] == pytest.approx(exact["inner"])
    fields = [value for zone, value in area.items() if zone.value.startswith("field")]
    assert fields == pytest.approx([exact["fields"] / 4] * 4)


@pytest.mark.parametrize(
    ("y", "border", "on_line", "beside"),
    [
        (3.95, Zone.LINE_NORTH, Zone.LINE_NORTH, Zone.FIELD_NORTH),
        (5.05, Zone.LINE_PATH_WOODS, Zone.LINE_PATH_WOODS, Zone.WOODS),
    ],
)
def test_a_footprint_just_as_far_as_a_line_is_wide_touches_it(y, border, on_line, beside):
    points = inches((0, y))
    distance = MultiPoint(points).distance(BOARD.lines[border])
    # The last digit of a distance depends on the order of sums.
    assert classify(replace(BOARD, line=2.0 * distance + 1e-15), points) is on_line
    assert classify(replace(BOARD, line=2.0 * distance - 1e-15), points) is beside
