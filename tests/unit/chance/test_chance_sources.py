"""Chance from scripts, records and tables."""

import pytest

from pigglesim.chance.recorded import RecordedChance, RecordedRoll, ScriptedChance
from pigglesim.chance.tabular import Shares, TabularChance
from pigglesim.errors import SpecError
from pigglesim.games.piggles.turns import check_outcome
from pigglesim.landing import Landing, Orientation, RollRequest, RollResult, Seat, Zone

UP = Landing(orientation=Orientation.SNOUT_UP, zone=Zone.WOODS)
REQUEST = RollRequest(thrower=Seat.A, piggles=("A1", "A2"), standing=(("B1", UP),))
RESULT = RollResult(landings=(("A1", UP), ("A2", UP), ("B1", UP)))


def test_a_script_answers_in_order_and_says_when_it_ends():
    other = RollResult(landings=(("A1", UP),))
    chance = ScriptedChance([RESULT, other])
    assert [chance.answer(REQUEST, index=i) for i in (0, 1, 0)] == [RESULT, other, RESULT]
    with pytest.raises(SpecError, match="a script with answer 2, for A, got 2 answers"):
        chance.answer(REQUEST, index=2)


def test_a_record_answers_only_what_was_asked_then():
    chance = RecordedChance([RecordedRoll(thrower=Seat.A, piggles=("A1", "A2"), result=RESULT)])
    assert chance.answer(REQUEST, index=0) is RESULT
    with pytest.raises(SpecError, match="A1 A2 by A in the record"):
        chance.answer(RollRequest(thrower=Seat.B, piggles=("B1",)), index=0)
    with pytest.raises(SpecError, match="a record of 1 rolls"):
        chance.answer(REQUEST, index=1)


def test_a_table_answers_each_roll_from_a_stream_of_its_own():
    first, again = TabularChance(seed=5), TabularChance(seed=5)
    later = first.roll(REQUEST, index=3)
    assert [again.roll(REQUEST, index=i) for i in range(4)][3] == later
    assert TabularChance(seed=6).roll(REQUEST, index=3) != later


def test_a_table_keeps_to_its_shares_and_answers_the_request():
    zones = {Zone.WOODS: 3.0, Zone.OFF: 1.0}
    chance = TabularChance(seed=1, shares=Shares(up=1.0, down=0.0, head=0.0, zones=zones, knock=1))
    off = 0
    for index in range(400):
        result = chance.answer(REQUEST, index=index)
        check_outcome(REQUEST, result)
        assert [knock.struck for knock in result.knocks] == ["B1"]
        for _, landing in result.landings:
            off += landing.zone is Zone.OFF
            assert landing.orientation in {Orientation.SNOUT_UP, None}
    # Binomial(1200, 1/4): mean 300, standard deviation 15; five of them either way.
    assert 225 < off < 375


def test_impossible_shares_are_refused():
    with pytest.raises(SpecError, match="leave the defaults"):
        Shares(zones={Zone.WOODS: 0.0})


def test_each_source_says_where_it_comes_from():
    kinds = [
        source.provenance()["source"]
        for source in (ScriptedChance([]), RecordedChance([]), TabularChance(seed=1))
    ]
    assert kinds == ["scripted", "recorded", "tabular"]
    assert TabularChance(seed=7).provenance()["seed"] == 7
