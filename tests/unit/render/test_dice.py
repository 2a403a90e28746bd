"""Dice at a plain table, as they are shared: with pips, on a board with nothing printed on it."""

from xml.etree import ElementTree

import numpy as np
import pytest
from shapely import Point, Polygon

from pigglesim.bodies.load import load_model
from pigglesim.chance.physical import FilmedChance, physical_chance
from pigglesim.chance_types import DiceRequest
from pigglesim.films.film import Film, FilmActor
from pigglesim.landing import Seat
from pigglesim.render.hud import reading_rows
from pigglesim.render.palette import OWNER_COLOURS
from pigglesim.render.stage import Stage
from pigglesim.render.svg import board_svg, film_bodies
from pigglesim.scene.load import load_scene
from tests.unit.films.rolls import still_frames
from tests.unit.render.test_svg import SVG, loops, turned_anyhow

DIE = load_model("d6")


def set_down(rng, owner):
    """Return a film of six dice that lie flat, turned anyhow: die N on the side opposite N."""
    positions, rotations = [], []
    for number in range(1, 7):
        (pose,) = (pose for pose in DIE.poses if pose.name == str(number))
        positions.append((0.04 * number - 0.14, rng.uniform(-0.1, 0.1), pose.height))
        rotations.append(turned_anyhow(pose, rng))
    return Film(
        scene="piggy_six",
        actors=tuple(FilmActor(name=f"die {n}", model="d6", owner=owner) for n in range(1, 7)),
        frames=still_frames(positions, rotations),
        origin={},
    )


def drawn_dice(text):
    """Return the drawn dice by name: the number told, the outline and the pips on it [mm]."""
    found = {}
    for group in ElementTree.fromstring(text).iter(f"{SVG}g"):
        if group.get("data-name"):
            halo, *pieces = (loops(path.get("d")) for path in group.iter(f"{SVG}path"))
            found[group.get("data-name")] = (int(group.get("data-face")), halo, pieces)
    return found


def test_the_upper_side_is_drawn_with_the_pips_of_its_number():
    stage = Stage.of(set_down(np.random.default_rng(2), Seat.A))
    found = drawn_dice(board_svg(stage.board, film_bodies(stage)))
    assert sorted(found) == [f"die {n}" for n in range(1, 7)]
    for name, (face, halo, pieces) in found.items():
        assert name == f"die {face}"
        body, pips = pieces
        # The die first and the pips over it, each a round spot of its own within its outline.
        assert len(body) == len(halo) == 1
        outline = Polygon(halo[0])
        assert outline.area == pytest.approx(outline.convex_hull.area, rel=1e-6)
        assert len(pips) == face
        for pip in pips:
            spot = Polygon(pip)
            assert outline.buffer(-1.0).contains(spot)
            assert spot.area == pytest.approx(np.pi * 1.36**2, rel=0.02)
        middle = np.array(outline.centroid.coords[0])
        centred = [Point(middle).within(Polygon(pip)) for pip in pips]
        assert any(centred) == (face % 2 == 1)


@pytest.mark.parametrize("seat", Seat)
def test_white_letters_are_read_on_every_owner_s_colour(seat):
    colour = OWNER_COLOURS[seat]
    shares = [int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5)]
    light = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    # WCAG 2.2, contrast (minimum), of small letters.
    assert 1.05 / (np.dot([0.2126, 0.7152, 0.0722], light) + 0.05) >= 4.5


def test_a_die_shows_its_number_at_rest_and_its_speed_before():
    chance = FilmedChance(source=physical_chance(load_scene("piggy_six"), {}, engine=None, seed=9))
    # One who sits at no side of a board, as the third of three players.
    read, film = chance.filmed(DiceRequest(thrower=Seat.C, count=2), index=0)
    stage = Stage.of(film)
    for number, face in enumerate(read.faces):
        rows, early = (dict(reading_rows(stage, number, at)) for at in (film.end, film.start))
        assert (rows["owner"], rows["shows"]) == ("C", str(face))
        assert ("speed" in rows, "speed" in early, "shows" in early) == (False, True, False)
