"""`hold_values`: the usual hold gives nothing, and a poor one loses."""

from dataclasses import replace

import pytest

import pigglesim
from pigglesim.errors import PigglesimError, SpecError
from pigglesim.match.entries import Comment, Decision
from pigglesim.match.record import read_record
from tests.support.own_holds import OVER_THE_EDGE, USUAL, played


def test_the_usual_hold_gives_exactly_nothing():
    (found,) = pigglesim.hold_values(played(USUAL), throws=5)
    assert (found.decision, found.seat) == (0, "A")
    assert found.hold.value == found.hold.low == found.hold.high == 0.0
    assert found.fall.low <= found.fall.value <= found.fall.high


@pytest.mark.slow
def test_a_hold_over_the_edge_loses_and_a_seed_gives_the_same_again():
    match = played(OVER_THE_EDGE)
    (found,) = pigglesim.hold_values(match, throws=30, seed=1)
    assert found.hold.high < 0.0
    assert pigglesim.hold_values(match, decision=found.decision, throws=30, seed=1) == (found,)


def test_only_throws_with_an_own_hold_on_physics_are_split():
    match = played(USUAL)
    with pytest.raises(SpecError, match="decision 1 does not hold the cup"):
        pigglesim.hold_values(match, decision=1, throws=5)
    with pytest.raises(SpecError, match="invalid throws 4"):
        pigglesim.hold_values(match, throws=4)
    with pytest.raises(PigglesimError, match="no physics"):
        pigglesim.hold_values(pigglesim.play_match(chance="tabular", seed=1))


@pytest.mark.parametrize("suffix", ["txt", "jsonl"])
def test_a_split_is_a_comment_of_the_record_and_replaced_when_it_is_analysed_again(
    tmp_path, suffix
):
    match = played(USUAL)
    held = pigglesim.hold_values(match, throws=5)
    found = replace(pigglesim.analyse(match, agent="greedy", playouts=320, seed=1), holds=held)
    record = read_record(found.save(tmp_path / f"analysed.{suffix}"))
    splits = [
        (record.entries[k - 2], entry.text)
        for k, entry in enumerate(record.entries)
        if isinstance(entry, Comment) and "the hold gave" in entry.text
    ]
    ((decision, text),) = splits
    assert isinstance(decision, Decision) and decision.index == held[0].decision
    assert text == f"analysis: {held[0].sentence} of a win, by 5 throws each"
    again = pigglesim.analyse(record, agent="greedy", playouts=320, seed=1)
    assert not any("the hold gave" in str(entry) for entry in again.annotated().entries)
    assert replace(again, holds=held).annotated() == record
    assert again.document().get("holds") is None
    assert found.document()["holds"][0]["fall"]["value"] == held[0].fall.value
