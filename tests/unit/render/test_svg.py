"""Drawings from above: what is drawn is what is read, and a name is only a name."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from shapely import Point, Polygon, union_all

from pigglesim.bodies.load import load_model
from pigglesim.landing import LineRule, ReadingRules, RestPlace, Seat
from pigglesim.landing_reading import read_landing
from pigglesim.render.svg import (
    BoardBody,
    board_svg,
    box_about,
    label_spots,
    outlines,
    overlap_area,
)
from pigglesim.rotations import axis_angle, from_matrix, multiply, rotate
from pigglesim.scene.scene import Board
from tests.support.footprints import classify

BOARD = Board()
SVG = "{http://www.w3.org/2000/svg}"
PIGGLE = load_model("piggle")


def drawn(text):
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    return root


def loops(path):
    """Return the corners of each closed line of a path [mm], North up."""
    found = []
    for loop in re.findall(r"M([^z]*)z", path):
        start, rest = loop.split("l")
        steps = [list(map(float, start.split()))]
        numbers = list(map(float, rest.split()))
        steps += [numbers[k : k + 2] for k in range(0, len(numbers), 2)]
        found.append(np.cumsum(steps, axis=0) * [1.0, -1.0])
    return found


def area(path):
    """Return the polygon of a path by the even-odd rule."""
    whole = Polygon()
    for loop in loops(path):
        whole = whole.symmetric_difference(Polygon(loop))
    return whole


def turned_anyhow(pose, rng):
    """Return the rotation of a body in a stable pose, turned anyhow about the vertical."""
    down = np.asarray(pose.down)
    across = np.cross(down, [0.31, 0.52, 0.80])
    across /= np.linalg.norm(across)
    # Rows: what of the body points East, North and up.
    tilt = from_matrix(np.array([across, np.cross(-down, across), -down]))
    turn = axis_angle(np.array([0.0, 0.0, 1.0]), rng.uniform(0.0, 2.0 * np.pi))
    return multiply(turn, tilt)


def resting(rng):
    """Return how a Piggle rests alone: in a stable pose, anywhere, turned anyhow."""
    pose = PIGGLE.poses[rng.integers(len(PIGGLE.poses))]
    rotation = tuple(turned_anyhow(pose, rng).tolist())
    x, y = rng.uniform(-0.14, 0.14, 2)
    return RestPlace(position=(float(x), float(y), pose.height), rotation=rotation)


def scattered(count, rules, seed):
    """Return Piggles that rest alone anywhere, as they are read."""
    rng = np.random.default_rng(seed)
    read = [read_landing(PIGGLE, resting(rng), (), board=BOARD, rules=rules) for _ in range(count)]
    return [
        BoardBody(name=f"A{k}", landing=each, place=each.place, body=PIGGLE, owner=Seat.A)
        for k, each in enumerate(read, start=1)
    ]


@pytest.mark.slow
def test_the_zone_of_the_drawn_place_is_the_zone_read():
    lying = scattered(60, ReadingRules(), 3)
    root = drawn(board_svg(BOARD, lying))
    regions = {
        path.get("data-zone"): area(path.get("d"))
        for path in root.iter(f"{SVG}path")
        if path.get("data-zone")
    }
    lines = regions.pop("line")
    groups = [group for group in root.iter(f"{SVG}g") if group.get("data-name")]
    assert len(groups) == len(lying)
    zones = {each.name: each.landing.zone.value for each in lying}
    seen = set()
    for group in groups:
        polygon = next(group.iter(f"{SVG}polygon"))
        corners = [list(map(float, pair.split(","))) for pair in polygon.get("points").split()]
        foot = Polygon(np.array(corners) * [1.0, -1.0]).buffer(0.011)
        inside = [name for name, region in regions.items() if region.contains(foot.centroid)]
        zone = zones[group.get("data-name")]
        assert zone == group.get("data-zone")
        assert zone.startswith("line:") if foot.intersects(lines) else zone == inside[0]
        seen.add(zone)
    assert len(seen) >= 7


@pytest.mark.parametrize("rule", [LineRule.COM, LineRule.CONTACT_CENTROID])
def test_where_a_point_decides_the_zone_a_point_is_drawn(rule):
    rules = ReadingRules(line_rule=rule)
    lying = scattered(8, rules, 6)
    root = drawn(board_svg(BOARD, lying, reading=rules))
    for group in root.iter(f"{SVG}g"):
        if not group.get("data-name"):
            continue
        (dot,) = group.iter(f"{SVG}circle")
        point = np.array([[float(dot.get("cx")), -float(dot.get("cy"))]]) / 1e3
        assert classify(BOARD, point).value == group.get("data-zone")


def winding(loop, points):
    """Return how often a closed line goes round each point."""
    a, b = loop[:, None] - points, np.roll(loop, -1, axis=0)[:, None] - points
    turns = np.arctan2(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0], (a * b).sum(axis=-1))
    return np.round(turns.sum(axis=0) / (2.0 * np.pi)).astype(int)


def test_outlines_cover_what_the_faces_that_look_up_cover():
    rng = np.random.default_rng(5)
    for _ in range(3):
        place = resting(rng)
        skin = PIGGLE.skin
        turned = rotate(np.array(place.rotation), skin.vertices - PIGGLE.mass.centre)
        flat = (turned + place.position)[:, :2]
        for outline in outlines(PIGGLE, place):
            if outline.part not in {"snout", "ear_left", "foot_right", "tail"}:
                continue
            own = np.array(skin.face_parts) == outline.part
            own &= np.array(skin.face_materials) == outline.material
            cells = [Polygon(flat[face]) for face in skin.faces[own]]
            up = [cell for cell in cells if cell.area > 1e-12 and cell.exterior.is_ccw]
            seen = union_all(up)
            low, high = np.array(seen.bounds).reshape(2, 2)
            points = rng.uniform(low - 1e-3, high + 1e-3, (150, 2))
            inside = sum(winding(loop, points) for loop in outline.loops) != 0
            for point, found in zip(points, inside, strict=True):
                if seen.boundary.distance(Point(point)) > 3e-4:
                    assert found == seen.contains(Point(point))


def test_labels_cover_neither_each_other_nor_what_they_name():
    grid = range(-150, 151, 60)
    things = [box_about(x, y, 24.0, 24.0) for x in grid for y in grid]
    labels = label_spots(things, [15.0] * len(things), height=6.4, limit=181.0)
    for k, (label, thing) in enumerate(zip(labels, things, strict=True)):
        assert np.abs(label).max() <= 181.0
        assert overlap_area(label[None], np.array([*labels[:k], *things])) == [0.0]
        assert np.abs(label - thing).max() < 40.0
