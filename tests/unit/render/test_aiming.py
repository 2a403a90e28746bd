"""The cup in a person's hand at the window, and that no hold breaks the rules."""

import re
from dataclasses import replace
from math import pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.bodies.load import load_model
from pigglesim.cup_path import legal_hold
from pigglesim.errors import SpecError
from pigglesim.hand_throw import LENGTH_UNIT, MAX_SAMPLES, RATE
from pigglesim.landing import (
    COMMON_CUP_HEIGHT,
    MAX_HEADING,
    MAX_SWING,
    MIN_CUP_HEIGHT,
    CupHold,
    Seat,
)
from pigglesim.physics.engines import make_engine
from pigglesim.physics.shaking import Shaking
from pigglesim.render import aim as at_window
from pigglesim.render.aim import Aim
from pigglesim.render.camera import VIEWS, parse_camera
from pigglesim.render.page import WEB
from pigglesim.rng import generator
from pigglesim.throws import Pour
from tests.unit.render.shown import END, SCENE, film, in_hand, pixel, press, viewer


def test_the_hand_at_the_window_is_that_of_the_page():
    text = (WEB / "hand.js").read_text()
    found = re.findall(r"^const ([A-Z_]+) = ([\d.]+|Math\.PI / 3);", text, re.MULTILINE)
    page = {name: pi / 3 if "PI" in value else float(value) for name, value in found}
    window = {
        "GENTLE": at_window._GENTLE, "SWING": at_window._SLOWEST, "HARDEST": at_window._HARDEST,
        "WIDEST": MAX_HEADING, "FASTEST": MAX_SWING, "LOWEST": MIN_CUP_HEIGHT,
        "HIGHEST": COMMON_CUP_HEIGHT, "EDGE": at_window._EDGE, "STIFF": at_window._STIFF,
        "PULL": at_window._PULL, "SPEED": at_window._SPEED, "LEAN": at_window._LEAN,
        "MOST_LEAN": at_window._MOST_LEAN, "TIP": at_window._TIP, "SWAY": at_window._SWAY,
        "BEAT": at_window._BEAT,
    }  # fmt: skip
    assert window == pytest.approx({name: page[name] for name in window})


LENGTH = st.floats(-1.0, 1.0)
FILMS = {
    seat: replace(film(), actors=tuple(replace(actor, owner=seat) for actor in film().actors))
    for seat in (Seat.A, Seat.B)
}


@given(
    place=st.tuples(LENGTH, LENGTH, LENGTH),
    heading=st.floats(-3.0, 3.0),
    swing=st.none() | st.floats(-1.0, 5.0),
    seat=st.sampled_from([Seat.A, Seat.B]),
)
@settings(max_examples=60)
def test_the_nearest_free_hold_is_never_refused(place, heading, swing, seat):
    across, back, height = place
    wish = CupHold(across=across, back=back, height=height, heading=heading, swing=swing)
    hold = legal_hold(SCENE, wish)
    pour = Pour(scene=SCENE, seat=seat, hold=hold)
    pour.sample((load_model("piggle"),), rng=generator(1, "hold"))
    assert legal_hold(SCENE, hold) == hold


@pytest.mark.parametrize("seat", [Seat.A, Seat.B])
@pytest.mark.parametrize("camera", ["table", "top", "north"])
def test_the_cup_stands_over_the_point_of_the_own_half_that_is_seen(seat, camera):
    window, _ = in_hand(seat, camera=VIEWS[camera])
    side = -1.0 if seat is Seat.A else 1.0
    point = (0.04, side * 0.11, 0.0)
    window.events.move(*pixel(window, point))
    (x, y, z), _ = window.viewer.aim.cup
    assert (x, y) == pytest.approx(point[:2], abs=1e-6)
    assert z > MIN_CUP_HEIGHT


ANYWHERE = st.tuples(st.integers(0, 1279), st.integers(0, 719), st.floats(0.0, 0.4))


@given(
    moves=st.lists(ANYWHERE, min_size=1, max_size=8),
    keys=st.tuples(st.floats(-2.0, 2.0), st.floats(-1.0, 3.0), st.floats(-0.2, 0.3)),
    sways=st.booleans(),
    seat=st.sampled_from([Seat.A, Seat.B]),
)
@settings(max_examples=40, deadline=None)
def test_any_motion_of_the_mouse_and_any_keys_make_a_legal_throw(moves, keys, sways, seat):
    aim, bodies = Aim(FILMS[seat], SCENE), (load_model("piggle"),)
    turn, harder, distance = keys
    aim.steer(turn, harder)
    aim.lift(distance)
    aim.begin(sways=sways)
    for x, y, elapsed in moves:
        aim.point_at(*parse_camera("155,38,0.78").ray(x, y, (1280, 720)))
        aim.tick(elapsed)
    pour = Pour(scene=SCENE, seat=seat)
    pour.by_hand(bodies, pour.held(bodies, aim.thrown(), rng=generator(1, "hold")))


def test_a_path_that_cannot_be_longer_is_poured():
    window, paths = in_hand()
    window.events.key_down("space")
    notices = set()
    for _ in range(200):
        window.frame(0.05)
        notices.add(window.viewer.notice)
    assert [len(path) for path in paths] == [MAX_SAMPLES]
    assert "After 10 seconds the cup lets go by itself." in notices


@pytest.mark.parametrize("seat", [Seat.A, Seat.B])
def test_an_even_motion_has_the_same_path_at_any_rate_of_pictures(seat):
    side = -1.0 if seat is Seat.A else 1.0

    def path(steps):
        aim, (x, y) = Aim(FILMS[seat], SCENE), (-0.05, side * 0.12)
        down = np.array([0.0, 0.0, -1.0])
        aim.point_at(np.array([x, y, 1.0]), down)
        aim.begin()
        for k in range(steps, 33, steps):
            aim.point_at(np.array([x + 0.003 * k, y - side * 0.002 * k, 1.0]), down)
            aim.tick(steps / RATE)
        return np.array(aim.samples)

    every, some = path(1), path(8)
    assert len(np.unique(every[:, 0])) > 30
    assert np.array_equal(every, some)


def test_the_cup_is_taken_after_the_last_roll_with_what_was_rolled_in_it():
    window, paths = in_hand()
    state = window.viewer
    still, (x, y, z) = state.still, state.aim.cup[0]
    for actor, place in zip(state.stage.film.actors, still.positions, strict=True):
        inside = np.hypot(place[0] - x, place[1] - y) < SCENE.cup.inner_radius
        assert (inside and abs(place[2] - z) < SCENE.cup.depth / 2) is not actor.standing
    press(window, "escape")
    window.frame(0.0)
    assert state.aim is None
    assert paths == []


def test_without_a_cup_the_last_roll_stays():
    window = viewer(1)
    press(window, "end", "return", "pagedown")
    window.frame(0.0)
    assert window.viewer.aim is None
    assert window.viewer.time == END


@pytest.mark.parametrize("seat", [Seat.A, Seat.B])
def test_the_mouse_moves_a_held_cup_and_its_path_is_poured(seat):
    window, paths = in_hand(seat)
    side = -1.0 if seat is Seat.A else 1.0
    start, end = (
        np.array(pixel(window, (x, side * y, 0.0))) for x, y in ((-0.05, 0.15), (0.05, 0.08))
    )
    window.events.press(*start, "left")
    window.frame(0.1)
    assert window.viewer.still.cup[0][:2] == pytest.approx((-0.05, side * 0.15), abs=1e-6)
    for share in np.linspace(0.0, 1.0, 9):
        window.events.drag(*(start + share * (end - start)), 0.0, 0.0)
        window.frame(1.0 / 32)
    # It follows the hand, leans into its motion, and stands nowhere else than on the screen.
    place, (tilt_x, tilt_y, _, _) = window.viewer.still.cup
    speed = np.array([0.1, side * -0.07]) * 32 / 8
    # A spring of rate 28, critically damped, stays behind an even motion by 2/28 s, here within the
    # time of a sample.
    behind = np.array([0.05, side * 0.08]) - speed * 2.0 / 28.0
    assert np.abs(place[:2] - behind).max() < np.abs(speed).max() / RATE
    assert np.hypot(tilt_x, tilt_y) > 0.01
    assert paths == []
    window.events.release(*end)
    (path,) = paths
    assert path[0] == path[1]
    metres = np.array(path)[:, :2] * LENGTH_UNIT
    assert metres[0] == pytest.approx((-0.05, side * 0.15), abs=LENGTH_UNIT)
    assert metres[-21] == pytest.approx(place[:2], abs=LENGTH_UNIT)
    # It is thrown where the hand was going.
    assert (metres[-1] - metres[-21])[0] > 0.0
    assert -side * (metres[-1] - metres[-21])[1] > 0.0
    window.frame(0.0)
    # The roll goes on from the release, and the cup can be taken again after it.
    assert window.viewer.index == 1
    assert window.viewer.time == pytest.approx((len(path) - 20) / RATE)
    press(window, "end", "return", "return")
    assert len(paths) == 2


def test_the_space_bar_shakes_and_letting_it_go_pours():
    window, paths = in_hand()
    window.events.key_down("space")
    places = set()
    for _ in range(16):
        window.frame(0.05)
        places.add(window.viewer.still.cup[0])
    assert len(places) > 8
    window.events.key_up("space")
    (path,) = paths
    across = np.diff(np.array(path)[:-20, 0])
    assert np.sum(across[1:] * across[:-1] < 0) >= 4


def test_what_is_in_a_shaken_cup_is_simulated_along_with_the_hand():
    bodies, cup, engine = (load_model("piggle"),), Pour(scene=SCENE, seat=Seat.A), make_engine()

    def shake(samples):
        begun = cup.held(bodies, samples, rng=generator(1, "hand"))
        return Shaking(cup, bodies, begun, engine=engine)

    window, _ = in_hand(shake=shake)
    window.events.key_down("space")
    within = set()
    for _ in range(20):
        window.frame(0.05)
        place, _ = window.viewer.still.cup
        (x, y, _) = np.array(window.viewer.still.positions[0]) - place
        assert np.hypot(x, y) < SCENE.cup.inner_radius
        within.add((round(x, 4), round(y, 4)))
    assert len(within) > 10
    press(window, "escape")
    window.frame(0.0)
    assert window.viewer.aim is None


@pytest.mark.parametrize("across", [0.0, 0.05])
def test_bodies_in_a_held_cup_do_not_jump_when_the_shaking_begins(across):
    bodies, cup, engine = (load_model("piggle"),), Pour(scene=SCENE, seat=Seat.A), make_engine()

    def shake(samples):
        begun = cup.held(bodies, samples, rng=generator(1, "hand"))
        return Shaking(cup, bodies, begun, engine=engine)

    def seen():
        still = window.viewer.still
        return np.array(still.positions[0]) - still.cup[0], np.array(still.rotations[0])

    window, _ = in_hand(shake=shake)
    window.viewer.aim.shift(across, 0.0)
    window.frame(0.0)
    before, turned = seen()
    # The Piggle rests on the bottom of the cup.
    assert before[2] < -SCENE.cup.depth / 2 + 0.02
    window.events.key_down("space")
    window.frame(0.0)
    after, turned_after = seen()
    assert after == pytest.approx(before, abs=1e-4)
    assert abs(turned @ turned_after) > 0.9999


def test_a_throw_that_is_refused_is_a_notice():
    def refuse(_):
        raise SpecError("no such throw", fix="throw again")

    window, _ = in_hand(pour=refuse)
    press(window, "return")
    window.frame(0.0)
    assert "no such throw" in window.viewer.notice
    assert window.viewer.aim is not None


@pytest.mark.parametrize("seat", [Seat.A, Seat.B])
def test_keys_turn_the_throw_and_swing_the_cup(seat):
    window, _ = in_hand(seat)
    aim = window.viewer.aim
    swing = aim.swing
    window.events.key_down("bracketright")
    window.events.key_down("period")
    assert np.degrees(aim.heading) == pytest.approx(5.0, abs=1e-4)
    assert aim.swing == pytest.approx(swing + 0.1)
    for _ in range(40):
        window.events.key_down("bracketright")
        window.events.key_down("period")
    assert (aim.heading, aim.swing) == (MAX_HEADING, MAX_SWING)
