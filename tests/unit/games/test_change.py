"""Frozen values with parts changed."""

from dataclasses import dataclass, replace

import pytest

from pigglesim.games.change import changed
from pigglesim.games.piggles.state import PigglesSide, PigglesState
from pigglesim.landing import Seat


def test_it_does_as_replace_does_and_leaves_the_old_value_alone():
    old = PigglesState(a=PigglesSide(pen=("A1",), score=3))
    new = changed(old, round=4, active=Seat.B)
    assert new == replace(old, round=4, active=Seat.B)
    assert (old.round, old.active) == (1, Seat.A)
    assert changed(old) == old
    assert hash(changed(old)) == hash(old)


def test_a_name_that_is_no_field_is_refused():
    with pytest.raises(TypeError, match="Side has no scores"):
        changed(PigglesSide(), scores=3)


def test_what_it_gives_is_frozen():
    with pytest.raises(AttributeError):
        changed(PigglesSide(), score=3).score = 4


@dataclass(frozen=True, kw_only=True)
class Loose:
    """A value without slots."""

    one: int = 1
    two: int = 2


def test_values_without_slots_are_changed_alike():
    old = Loose(two=5)
    new = changed(old, one=7)
    assert (new, old) == (Loose(one=7, two=5), Loose(two=5))
    assert hash(new) == hash(Loose(one=7, two=5))
    with pytest.raises(TypeError, match="Loose has no three"):
        changed(old, three=3)
    with pytest.raises(AttributeError):
        new.one = 3


@dataclass(frozen=True, slots=True)
class Single:
    """A value of one slot."""

    one: int = 1


def test_a_value_of_one_slot_is_changed_alike():
    old = Single(5)
    assert (changed(old, one=7), old) == (Single(7), Single(5))
    assert changed(Single((1, 2)), one=(3,)) == Single((3,))
    with pytest.raises(TypeError, match="Single has no two"):
        changed(old, two=3)
