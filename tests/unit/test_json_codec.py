"""Dataclasses as strict JSON, shown on rolls."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pigglesim.errors import RecordError
from pigglesim.json_codec import dump_line, from_json, to_json
from pigglesim.landing import (
    ClassLanding,
    Knock,
    Landing,
    Orientation,
    RestPlace,
    RollResult,
    SettleReport,
    SettleStatus,
    Zone,
)

number = st.floats(allow_nan=False, allow_infinity=False)
places = st.builds(
    RestPlace,
    position=st.tuples(number, number, number),
    rotation=st.tuples(number, number, number, number),
)
landings = st.builds(
    Landing,
    orientation=st.none() | st.sampled_from(Orientation),
    zone=st.sampled_from(Zone),
    leaning=st.booleans(),
    stacked=st.booleans(),
    place=st.none() | places,
)
classed = st.builds(
    ClassLanding,
    class_name=st.sampled_from(["side", "6", "Rücken +1"]),
    orientation=st.none(),
    zone=st.sampled_from([zone for zone in Zone if zone is not Zone.OFF]),
    leaning=st.booleans(),
    stacked=st.booleans(),
    place=st.none() | places,
)
landings = st.one_of(landings, classed)
knocks = st.builds(
    Knock,
    struck=st.sampled_from(["A1", "B2"]),
    by=st.sampled_from(["A3", "B4"]),
    distance=number,
    angle=number,
    flipped=st.booleans(),
    zone_changed=st.booleans(),
    off_board=st.booleans(),
)
results = st.builds(
    RollResult,
    landings=st.dictionaries(st.sampled_from(["A1", "B2", "A3"]), landings).map(
        lambda table: tuple(table.items())
    ),
    knocks=st.lists(knocks, max_size=2).map(tuple),
    settle=st.none() | st.builds(SettleReport, status=st.sampled_from(SettleStatus), time=number),
)


@given(results)
def test_rolls_read_back_to_the_last_bit(result):
    again = from_json(RollResult, to_json(result))
    assert again == result
    assert repr(again) == repr(result), "even 0.0 and -0.0 are told apart"


UP = {"orientation": "up", "zone": "woods"}
CLASSED = {"orientation": None, "zone": "woods", "class_name": "side"}
KNOCK = {"struck": "A1", "by": "B1", "distance": 0.1, "angle": 1.0}


@pytest.mark.parametrize(
    ("landing", "more", "fault"),
    [
        (UP | {"zone": "moon"}, {}, "field:N"),
        (UP | {"orientation": "side"}, {}, "'up'"),
        (UP | {"place": {"position": [1.0], "orientation": [0.0] * 4}}, {}, "missing landings"),
        (UP | {"leaning": 1}, {}, "true or false"),
        (UP | {"leaning": False}, {}, "as this program writes it"),
        (UP | {"class_name": "side"}, {}, "class"),
        (CLASSED | {"zone": "off"}, {}, "class"),
        (CLASSED | {"class_name": "\x1b[31m"}, {}, "class"),
        (UP, {"knocks": [3]}, "knocks.0 3"),
        (UP, {"knocks": [KNOCK]}, "missing knocks.0.flipped"),
        (UP, {"settle": {"status": "boiled", "time": 1.0}}, "'settled'"),
        (UP, {"settle": {"status": "settled", "time": "1"}}, "settle.time .*a number"),
        (UP, {"knock": []}, "unknown key knock"),
    ],
)
def test_faults_are_reported_in_one_line(landing, more, fault):
    with pytest.raises(RecordError, match=fault):
        from_json(RollResult, dump_line({"landings": [["A1", landing]], **more}))


@pytest.mark.parametrize("text", ["", "[]", "{", '{"landings": []}', "[" * 10_000, "[NaN]"])
def test_what_is_no_roll_is_refused(text):
    with pytest.raises(RecordError):
        from_json(RollResult, text)


def test_numbers_that_are_not_finite_are_not_written():
    settle = SettleReport(status=SettleStatus.SETTLED, time=float("nan"))
    with pytest.raises(ValueError, match="JSON compliant"):
        to_json(RollResult(landings=(), settle=settle))
