"""The cup in a person's hand at the window, and that no hold breaks the rules."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.bodies.load import load_model
from pigglesim.landing import MAX_HEADING, MAX_SWING, MIN_CUP_HEIGHT, CupHold, Seat
from pigglesim.render.camera import VIEWS, parse_camera
from pigglesim.render.viewer import Aim
from pigglesim.rng import generator
from pigglesim.throws import Pour, legal_hold, swing_of
from tests.unit.render.shown import END, SCENE, film, in_hand, pixel, press, viewer

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


@given(x=st.integers(0, 1279), y=st.integers(0, 719), seat=st.sampled_from([Seat.A, Seat.B]))
@settings(max_examples=60)
def test_wherever_the_mouse_goes_the_tipped_cup_is_over_the_own_half(x, y, seat):
    aim = Aim(FILMS[seat], SCENE)
    aim.point_at(*parse_camera("155,38,0.78").ray(x, y, (1280, 720)))
    (across, along, _), _ = aim.cup
    side = -1.0 if seat is Seat.A else 1.0
    # It is shaken a little further back.
    travel = SCENE.hand.start_back - SCENE.hand.end_back
    assert travel <= side * along <= SCENE.board.half + travel + 1e-9
    assert abs(across) <= SCENE.board.half + 1e-9
    assert legal_hold(SCENE, aim.hold) == aim.hold


def test_the_cup_is_taken_after_the_last_roll_with_what_was_rolled_in_it():
    window, holds = in_hand()
    state = window.viewer
    still, (x, y, z) = state.still, state.aim.cup[0]
    for actor, place in zip(state.stage.film.actors, still.positions, strict=True):
        inside = np.hypot(place[0] - x, place[1] - y) < SCENE.cup.inner_radius
        assert (inside and abs(place[2] - z) < SCENE.cup.depth / 2) is not actor.standing
    press(window, "escape")
    window.frame(0.0)
    assert state.aim is None
    assert holds == []


def test_without_a_cup_the_last_roll_stays():
    window = viewer(1)
    press(window, "end", "return", "pagedown")
    window.frame(0.0)
    assert window.viewer.aim is None
    assert window.viewer.time == END


def test_a_press_shakes_and_letting_go_pours_from_there():
    window, holds = in_hand()
    at = pixel(window, (-0.05, -0.12, 0.0))
    window.events.press(*at, "left")
    before = window.viewer.still.cup
    places = [window.viewer.still.cup]
    for _ in range(6):
        window.frame(0.05)
        places.append(window.viewer.still.cup)
    assert holds == []
    assert len(set(places)) > 3
    window.events.release(*at)
    (hold,) = holds
    travel = SCENE.hand.start_back - SCENE.hand.end_back
    assert hold.across == pytest.approx(-0.05, abs=1e-6)
    assert hold.back == pytest.approx(0.12 - travel, abs=1e-6)
    assert before[0][:2] == pytest.approx((-0.05, -0.12), abs=1e-6)
    window.frame(0.0)
    # The roll is shown from its start, and the cup can be taken again after it.
    assert (window.viewer.index, window.viewer.time) == (1, 0.0)
    press(window, "end", "return", "return")
    assert len(holds) == 2


@pytest.mark.parametrize("seat", [Seat.A, Seat.B])
def test_keys_turn_the_throw_and_swing_the_cup(seat):
    window, _ = in_hand(seat)
    aim = window.viewer.aim
    window.events.key_down("bracketright")
    window.events.key_down("period")
    assert np.degrees(aim.hold.heading) == pytest.approx(5.0, abs=1e-4)
    assert aim.hold.swing == pytest.approx(swing_of(SCENE.hand) + 0.1)
    for _ in range(40):
        window.events.key_down("bracketright")
        window.events.key_down("period")
    assert (aim.hold.heading, aim.hold.swing) == (MAX_HEADING, MAX_SWING)
