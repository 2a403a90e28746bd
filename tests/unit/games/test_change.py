"""Frozen values with parts changed."""

from dataclasses import replace

import pytest

from pigglesim.games.game import changed
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
