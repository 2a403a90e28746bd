"""A person's turn at the window: what goes into the cup, and that no hold breaks the rules."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.bodies.load import load_model
from pigglesim.landing import MAX_HEADING, MAX_SWING, MIN_CUP_HEIGHT, CupHold, Seat
from pigglesim.render.camera import VIEWS, parse_camera
from pigglesim.render.session import UNMARKED, Aim
from pigglesim.rng import generator
from pigglesim.throws import Pour, legal_hold, swing_of
from tests.unit.render.shown import SCENE, Turns, at_turn, click, pixel

LENGTH = st.floats(-1.0, 1.0)
OFFERS = {seat: Turns(seat=seat).offer() for seat in (Seat.A, Seat.B)}


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
    window, _ = at_turn(Turns(seat=seat), camera=VIEWS[camera])
    side = -1.0 if seat is Seat.A else 1.0
    point = (0.04, side * 0.11, 0.0)
    window.events.move(*pixel(window, point))
    (x, y, z), _ = window.viewer.aim.cup
    assert (x, y) == pytest.approx(point[:2], abs=1e-6)
    assert z > MIN_CUP_HEIGHT


@given(x=st.integers(0, 1279), y=st.integers(0, 719), seat=st.sampled_from([Seat.A, Seat.B]))
@settings(max_examples=60)
def test_wherever_the_mouse_goes_the_tipped_cup_is_over_the_own_half(x, y, seat):
    aim = Aim(OFFERS[seat], SCENE)
    aim.point_at(*parse_camera("155,38,0.78").ray(x, y, (1280, 720)))
    (across, along, _), _ = aim.cup
    side = -1.0 if seat is Seat.A else 1.0
    # It is shaken a little further back.
    travel = SCENE.hand.start_back - SCENE.hand.end_back
    assert travel <= side * along <= SCENE.board.half + travel + 1e-9
    assert abs(across) <= SCENE.board.half + 1e-9
    assert legal_hold(SCENE, aim.hold) == aim.hold


def test_clicks_put_piggles_into_the_cup_and_back():
    window, show = at_turn()
    offer = show.offer()
    assert offer.loadable == ("A3", "A2")
    still = window.viewer.still
    where = {a.name: p for a, p in zip(offer.board.actors, still.positions, strict=True)}
    click(window, *pixel(window, where["A2"]))
    assert window.viewer.aim.chosen == ["A2"]
    inside = window.viewer.still.positions[window.viewer.number_of("A2")]
    (x, y, z), _ = window.viewer.aim.cup
    assert np.hypot(inside[0] - x, inside[1] - y) < SCENE.cup.inner_radius
    assert abs(inside[2] - z) < SCENE.cup.depth / 2
    button = dict(window.frame().sheet.areas)["pick A2"]
    click(window, button.x + 2, button.y + 2)
    assert window.viewer.aim.chosen == []
    assert show.decided == []


def test_a_press_shakes_and_letting_go_pours_from_there():
    window, show = at_turn()
    window.events.key_down("a")
    at = pixel(window, (-0.05, -0.12, 0.0))
    window.events.press(*at, "left")
    before = window.viewer.still.cup
    places = [window.viewer.still.cup]
    for _ in range(6):
        window.frame(0.05)
        places.append(window.viewer.still.cup)
    assert show.decided == []
    assert len(set(places)) > 3
    window.events.release(*at)
    ((word, piggles, hold),) = show.decided
    assert (word, set(piggles)) == ("pour", {"A2", "A3"})
    travel = SCENE.hand.start_back - SCENE.hand.end_back
    assert hold.across == pytest.approx(-0.05, abs=1e-6)
    assert hold.back == pytest.approx(0.12 - travel, abs=1e-6)
    assert before[0][:2] == pytest.approx((-0.05, -0.12), abs=1e-6)


def test_the_match_is_given_up_by_two_presses_in_a_row():
    window, show = at_turn()
    for key in ("ctrl+g", "n", "ctrl+g"):
        window.events.key_down(key)
    assert show.decided == []
    window.events.key_down("ctrl+g")
    assert show.decided == ["concede"]


def test_a_list_is_walked_by_keys_and_by_who_is_clicked():
    window, show = at_turn(listed=(("A1", "B1"), ("B1", "A1"), ("A1", "B1")))
    assert window.viewer.aim.cup is None
    # Nothing is marked at first: a key meant for the roll before takes no entry.
    for key in ("space", "return"):
        window.events.key_down(key)
    assert show.decided == []
    assert window.viewer.notice == UNMARKED
    window.events.key_down("up")
    assert window.viewer.aim.marked == 2
    window.viewer.aim.marked = -1
    window.events.key_down("down")
    assert window.viewer.aim.marked == 0
    window.events.key_down("3")
    assert window.viewer.aim.marked == 2
    window.events.key_down("down")
    assert window.viewer.aim.marked == 0
    still = window.viewer.still
    click(window, *pixel(window, still.positions[window.viewer.number_of("B1")]))
    assert window.viewer.aim.marked == 1
    window.events.key_down("s")
    window.events.key_down("return")
    assert show.decided == [("choose", 1)]


@pytest.mark.parametrize("seat", [Seat.A, Seat.B])
def test_keys_turn_the_throw_and_swing_the_cup(seat):
    window, _ = at_turn(Turns(seat=seat))
    aim = window.viewer.aim
    window.events.key_down("bracketright")
    window.events.key_down("period")
    assert np.degrees(aim.hold.heading) == pytest.approx(5.0, abs=1e-4)
    assert aim.hold.swing == pytest.approx(swing_of(SCENE.hand) + 0.1)
    for _ in range(40):
        window.events.key_down("bracketright")
        window.events.key_down("period")
    assert (aim.hold.heading, aim.hold.swing) == (MAX_HEADING, MAX_SWING)
