"""Actions, landings and positions as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import Concede
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.notation import format_landing, parse_landing
from pigglesim.games.piggles.state import PigglesState
from pigglesim.landing import CupHold, Landing, Orientation, RestPlace, RollResult, Zone

GAME = PigglesClassic()
format_action, parse_action = GAME.format_action, GAME.parse_action
format_state, parse_state = GAME.format_state, GAME.parse_state


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Load(("A1", "A3")), "load A1 A3"),
        (Load(), "skip"),
        (Concede(), "concede"),
    ],
)
def test_actions_have_one_text(action, text):
    assert format_action(action) == text
    assert parse_action(text) == action


def test_a_load_may_be_typed_in_any_order():
    assert parse_action("load  A3 A1") == Load(("A1", "A3"))


def test_a_hold_reaches_the_roll_and_ends_with_it():
    game = PigglesClassic()
    action = parse_action("load A1 A2 at -0.03,0.12,0.0508")
    assert action.hold == CupHold(across=-0.03, back=0.12, height=0.0508)
    rolling = game.apply_action(game.initial_state(), action)
    request = game.chance_request(rolling)
    assert request.hold == action.hold
    assert parse_state(format_state(rolling)) == rolling
    landed = tuple(
        (name, Landing(orientation=Orientation.SNOUT_UP, zone=Zone.WOODS)) for name in ("A1", "A2")
    )
    after = game.apply_outcome(rolling, RollResult(landings=landed))
    assert after.hold is None


@pytest.mark.parametrize(
    "text",
    [
        "load A1 at 0,0.1,0.05",
        "load A1 at 0,-0.01,0.1",
        "load A1 at nan,0.1,0.1",
        "load A1 at 0,0.1,inf",
    ],
)
def test_a_hold_against_the_rules_is_refused_before_anything_rolls(text):
    game = PigglesClassic()
    with pytest.raises(IllegalActionError, match="R9"):
        game.apply_action(game.initial_state(), parse_action(text))


@pytest.mark.parametrize("text", ["load A1 at", "load A1 at 1,2", "load A1 at 1,2,x"])
def test_half_a_hold_is_no_hold(text):
    with pytest.raises((SpecError, IllegalActionError)):
        game = PigglesClassic()
        game.apply_action(game.initial_state(), parse_action(text))


@given(st.tuples(*3 * [st.floats(allow_nan=False, allow_infinity=False)]))
def test_holds_read_back_to_the_last_bit(parts):
    action = Load(("A1",), CupHold(across=parts[0], back=parts[1], height=parts[2]))
    assert repr(parse_action(format_action(action))) == repr(action)


@pytest.mark.parametrize("text", ["", "load", "jump A1", "skip A1"])
def test_no_action(text):
    with pytest.raises(SpecError, match="load A1 A3, skip or concede"):
        parse_action(text)


number = st.floats(allow_nan=False, allow_infinity=False)
places = st.builds(
    RestPlace,
    position=st.tuples(number, number, number),
    rotation=st.tuples(number, number, number, number),
)
landings = st.builds(
    Landing,
    orientation=st.sampled_from(Orientation),
    zone=st.sampled_from([zone for zone in Zone if zone is not Zone.OFF]),
    leaning=st.booleans(),
    stacked=st.booleans(),
    place=st.none() | places,
)


@given(landings)
def test_landings_read_back_to_the_last_bit(landing):
    again = parse_landing(format_landing(landing))
    assert again == landing
    assert repr(again) == repr(landing), "even 0.0 and -0.0 are told apart"


def test_off_the_board_reads_back_with_the_place_where_it_fell():
    place = RestPlace(position=(0.3, 0.1, -0.5), rotation=(0.0, 0.0, 0.0, 1.0))
    landing = Landing(orientation=None, zone=Zone.OFF, place=place)
    assert format_landing(landing) == "off[0.3,0.1,-0.5,0.0,0.0,0.0,1.0]"
    assert parse_landing(format_landing(landing)) == landing


def test_a_position_is_short():
    assert format_state(PigglesState()) == "round=1 active=A phase=load"
    text = (
        "round=3 active=B phase=load A.pen=A2 A.mud=A4@2,A5@2! A.score=3 "
        "board=A1:up@field:N;B1:up@line:path/woods+leaning result=-:draw"
    )
    assert format_state(parse_state(text)) == text
    captured = "round=1 active=A phase=load A.pen=B1,B2 captured=B1,B2"
    assert format_state(parse_state(captured)) == captured


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("round=x", "'x'"),
        ("colour=red", "'colour'"),
        ("round=1 round=2", "leave one out"),
        ("A.pen=A1 A.cup=A1", "A1 in one place"),
        ("A.pen=B1", "A1 to A6"),
        ("board=A1:up@moon", "'moon'"),
        ("board=A1:off", "A1 in a pose and a zone"),
        ("board=X1:up@woods", "'X1'"),
        ("A.mud=A1", "'A1'"),
        ("board=A1:up@woods[1,2]", "x,y,z,qx,qy,qz,qw"),
    ],
)
def test_faults_of_a_position_are_told(text, fault):
    with pytest.raises(SpecError, match=fault):
        parse_state(text)
