"""Rolls as words: to the last bit, in any order, without what the position tells already."""

import pytest
from hypothesis import given

from pigglesim.chance_types import DiceResult
from pigglesim.errors import SpecError
from pigglesim.games.notation import format_dice, parse_dice
from pigglesim.games.piggles.notation import format_roll, parse_landing, parse_roll
from pigglesim.landing import (
    Knock,
    Landing,
    Orientation,
    RestPlace,
    RollRequest,
    RollResult,
    Seat,
    SettleReport,
    SettleStatus,
    Zone,
)
from tests.unit.test_json_codec import results

UP = Landing(orientation=Orientation.SNOUT_UP, zone=Zone.WOODS)
DOWN = Landing(orientation=Orientation.SNOUT_DOWN, zone=Zone.FIELD_NORTH)
EMPTY = RollRequest(thrower=Seat.A, piggles=("A1", "A3", "B2"))
ONTO = RollRequest(thrower=Seat.A, piggles=("A1",), standing=(("A2", DOWN), ("B1", UP)))


def possible(result: RollResult) -> bool:
    """Tell whether poses lack just where the rules say: off the board."""
    return all((at.orientation is None) == (at.zone is Zone.OFF) for _, at in result.landings)


@given(results.filter(possible))
def test_rolls_read_back_to_the_last_bit(result):
    assert repr(parse_roll(format_roll(result, EMPTY), EMPTY)) == repr(result)


def test_what_lies_as_it_lay_is_left_out():
    knock = Knock(
        struck="A2", by="A1", distance=0.5, angle=1.0, flipped=True, zone_changed=False,
        off_board=False,
    )  # fmt: skip
    result = RollResult(
        landings=(("A1", UP), ("A2", UP), ("B1", UP)),
        knocks=(knock,),
        settle=SettleReport(status=SettleStatus.SETTLED, time=1.5),
    )
    text = format_roll(result, ONTO)
    assert text == "A1:up@woods A2:up@woods A2<A1[0.5,1.0]+flipped settled[1.5]"
    assert parse_roll(text, ONTO) == result
    shuffled = " ".join(reversed(text.split()))
    assert parse_roll(shuffled, ONTO) == result


def test_the_last_bit_of_a_place_is_a_change():
    there = RestPlace(position=(0.0, 0.0, 0.0), rotation=(0.0, 0.0, 0.0, 1.0))
    here = RestPlace(position=(-0.0, 0.0, 0.0), rotation=(0.0, 0.0, 0.0, 1.0))
    before, after = (
        Landing(orientation=UP.orientation, zone=UP.zone, place=at) for at in (there, here)
    )
    request = RollRequest(thrower=Seat.A, piggles=("A1",), standing=(("B1", before),))
    result = RollResult(landings=(("A1", UP), ("B1", after)))
    again = parse_roll(format_roll(result, request), request)
    assert repr(again) == repr(result)


def test_another_order_is_written_whole_and_kept():
    result = RollResult(landings=(("B1", UP), ("A2", DOWN), ("A1", UP)))
    assert parse_roll(format_roll(result, ONTO), ONTO) == result


def test_numbers_that_are_not_finite_are_refused():
    place = RestPlace(position=(float("inf"), 0.0, 0.0), rotation=(0.0, 0.0, 0.0, 1.0))
    landing = Landing(orientation=UP.orientation, zone=UP.zone, place=place)
    with pytest.raises(SpecError, match="finite numbers"):
        format_roll(RollResult(landings=(("A1", landing),)), EMPTY)


@pytest.mark.parametrize("word", ["A1", "A1:", "A1<A2", "A1<A2[1]", "settled", "settled[x]", "=>"])
def test_what_is_no_word_of_a_roll_is_told(word):
    with pytest.raises(SpecError, match="try: "):
        parse_roll(word, EMPTY)


def test_a_roll_settles_once():
    with pytest.raises(SpecError, match=r"a roll that settles once, got 'settled\[2.0\]'"):
        parse_roll("A1:up@woods settled[1.5] settled[2.0]", EMPTY)


def test_every_way_to_settle_is_told_in_a_sentence_of_its_own():
    sentences = {status.sentence for status in SettleStatus}
    assert len(sentences) == len(SettleStatus)
    assert all(" " in sentence for sentence in sentences)


def test_a_die_that_lies_nowhere_is_refused():
    place = RestPlace(position=(0.0, float("nan"), 0.0), rotation=(0.0, 0.0, 0.0, 1.0))
    with pytest.raises(SpecError, match="finite numbers of a place"):
        format_dice(DiceResult(faces=(6,), places=(place,)))


@pytest.mark.parametrize("text", ["up", "off@woods", "@woods", "up@", "upp@woods", ""])
def test_what_is_no_landing_is_told(text):
    with pytest.raises(SpecError, match=r"a landing, got .*; try: up@field:N, down@woods or off"):
        parse_landing(text)


@pytest.mark.parametrize("text", ["", " ", "x2", "3 x", "3[0,0,0,0,0,0,1] 5"])
def test_no_dice_and_half_told_dice_are_refused(text):
    with pytest.raises(SpecError, match=r"expected dice, got .*; try: 3 5"):
        parse_dice(text)
