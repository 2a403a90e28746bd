"""Rolls as JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pigglesim.errors import RecordError
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
from pigglesim.roll_codec import result_from_json, result_to_json

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
    again = result_from_json(json.loads(json.dumps(result_to_json(result))))
    assert again == result
    assert repr(again) == repr(result), "even 0.0 and -0.0 are told apart"


GOOD = {"landings": {"A1": {"orientation": "up", "zone": "woods"}}, "knocks": []}


@pytest.mark.parametrize(
    ("plain", "fault"),
    [
        ({"knocks": []}, "dict for landings"),
        (
            {**GOOD, "landings": {"A1": {"orientation": "up", "zone": "moon"}}},
            "known orientation and zone",
        ),
        (
            {**GOOD, "landings": {"A1": {"orientation": "side", "zone": "woods"}}},
            "known orientation and zone",
        ),
        (
            {**GOOD, "landings": {"A1": {"orientation": "up", "zone": "woods", "position": [1.0]}}},
            "3 numbers for position",
        ),
        (
            {**GOOD, "landings": {"A1": {"orientation": "up", "zone": "woods", "class": "side"}}},
            "class name, no orientation, and a zone on the board",
        ),
        (
            {**GOOD, "landings": {"A1": {"orientation": None, "zone": "off", "class": "side"}}},
            "class name, no orientation, and a zone on the board",
        ),
        (
            {
                **GOOD,
                "landings": {"A1": {"orientation": None, "zone": "woods", "class": "\x1b[31m"}},
            },
            "class name, no orientation, and a zone on the board",
        ),
        ({**GOOD, "knocks": [3]}, "dict for knock"),
        ({**GOOD, "knocks": [{"struck": "A1"}]}, "str for by"),
        ({**GOOD, "settle": {"status": "boiled", "time": 1.0}}, "known settle status"),
        ({**GOOD, "settle": {"status": "settled", "time": "1"}}, "float for time"),
    ],
)
def test_faults_are_told(plain, fault):
    assert result_from_json(GOOD).landings[0][0] == "A1"
    with pytest.raises(RecordError, match=fault):
        result_from_json(plain)
