"""What ends when a Piggle leaves the board for the Kitchen: its shield, and maybe its capture."""

import pytest

from pigglesim.games.piggles.areas import into_kitchen
from pigglesim.games.piggles.house_rules import Capture, ModernRules
from pigglesim.games.registry import make_game

LIES = make_game("piggles_modern").read_state(
    "A.pen=A2 board=A1:up@woods;B1:up@woods shields=A1:A,B1:A captured=B1"
)


@pytest.mark.parametrize("capture", Capture)
@pytest.mark.parametrize("piggle", ["A1", "B1"])
def test_a_shield_ends_with_it_and_no_other_does(piggle, capture):
    after = into_kitchen(LIES, piggle, ModernRules(capture=capture))
    assert [shield.piggle for shield in after.shields] == ["B1" if piggle == "A1" else "A1"]


def test_a_captured_piggle_is_its_owner_s_again_where_that_is_agreed():
    kept = into_kitchen(LIES, "B1", ModernRules())
    assert (kept.captured, kept.a.kitchen, kept.b.kitchen) == (("B1",), ("B1",), ())
    back = into_kitchen(LIES, "B1", ModernRules(capture=Capture.RETURN))
    assert (back.captured, back.a.kitchen, back.b.kitchen) == ((), (), ("B1",))
    own = into_kitchen(LIES, "A1", ModernRules(capture=Capture.RETURN))
    assert (own.captured, own.a.kitchen, own.b.kitchen) == (("B1",), ("A1",), ())
