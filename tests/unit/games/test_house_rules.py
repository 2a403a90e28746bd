"""House rules from and to files and text."""

import re
from dataclasses import dataclass, fields
from enum import StrEnum

import pytest

from pigglesim.errors import SpecError
from pigglesim.games.piggles.state import (
    BonusScope,
    Exhaustion,
    KitchenBonus,
    KitchenPenalty,
    MudDelay,
    PigglesRules,
)
from pigglesim.games.registry import make_game
from pigglesim.games.switches import Switches, switch
from pigglesim.landing import Seat


def test_texts_name_every_changed_setting_exactly():
    rules = PigglesRules(
        first_player=Seat.B,
        alternate_start=True,
        mud_delay=MudDelay.OWNER_TURN,
        contact_tolerance_mm=0.1 + 0.2,
        sudden_cap=0,
    )
    assert rules.to_text(changed_only=True) == (
        "first_player=B alternate_start=on mud_delay=owner_turn "
        "contact_tolerance_mm=0.30000000000000004 sudden_cap=0"
    )


def test_only_the_settings_that_odds_cannot_follow_are_named_as_such():
    assert PigglesRules(rounds=3, final_penalty=False).not_by_odds() == ()
    assert PigglesRules(rounds=3, knock_angle_deg=6.0).not_by_odds() == ("knock_angle_deg=6.0",)
    assert "final_penalty=off" in PigglesRules(final_penalty=False).to_text().split()


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("kitchen_bonus_classic", True, KitchenBonus.AT_RESOLVE),
        ("kitchen_bonus_classic", False, KitchenBonus.OFF),
        ("kitchen_penalty", False, KitchenPenalty.ONCE),
        ("kitchen_penalty", "off", KitchenPenalty.ONCE),
        ("kitchen_penalty", "On", KitchenPenalty.EACH_TURN),
        ("bonus_scope", True, BonusScope.OPPONENT_ONLY),
        ("bonus_scope", "any", BonusScope.ANY),
        ("final_penalty", "on", True),
        ("final_penalty", True, True),
        ("alternate_start", "no", False),
        ("exhaustion", "off", Exhaustion.OFF),
        ("first_player", "north", Seat.B),
        ("first_player", 0, Seat.A),
        ("knock_distance_mm", 4, 4.0),
    ],
)
def test_settings_as_files_give_them(name, given, value):
    setting = getattr(PigglesRules.from_mapping({name: given}), name)
    assert setting == value
    assert type(setting) is type(value)


@pytest.mark.parametrize(
    ("mapping", "fault"),
    [
        ({"mud_delays": "none"}, "use mud_delay"),
        ({"mud_delay": "two"}, "one_full_turn or owner_turn or none"),
        ({"mud_delay": True}, "True"),
        ({"exhaustion": False}, "before_recoup"),
        ({"first_player": True}, "A or B"),
        ({"first_player": "C"}, "use first_player=A"),
        ({"rounds": 0}, "from 1 to 100"),
        ({"rounds": 6.5}, "expected a whole number from 1 to 100"),
        ({"rounds": True}, "True"),
        (
            {"knock_angle_deg": -1},
            "invalid knock_angle_deg -1.0 .expected a number from 0.0 to 180.0",
        ),
        ({"knock_angle_deg": float("nan")}, "nan"),
        ({"rounds": 2**200 - 1}, "invalid rounds 16069.*[0-9] "),
        ({"rounds": 2**200}, "invalid rounds an integer of more than 60 digits "),
        ({"rounds": 10**100}, "more than 60 digits.*from 1 to 100"),
        ({"knock_angle_deg": 10**400}, "more than 60 digits.*from 0.0 to 180.0"),
        ({"alternate_start": "maybe"}, "invalid alternate_start 'maybe' .expected on or off."),
        ({"off_board": None}, "off_board=mud, the default .P11."),
    ],
)
def test_faults_are_reported(mapping, fault):
    with pytest.raises(SpecError, match=fault):
        PigglesRules.from_mapping(mapping)


def test_a_value_of_the_wrong_kind_never_gets_in():
    with pytest.raises(SpecError, match="a whole number"):
        PigglesRules(rounds="6")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("game", "settings", "fault"),
    [
        ("pig_pile", {"players": 3, "first_dealer": "D"}, "first_dealer=D"),
        ("pig_pile", {"draw_to": 3}, "draw_to 3.*one or four"),
        ("piggy_six", {"players": 9}, "players 9.*from 2 to 8"),
        ("piggy_six", {"solitaire": True, "players": 3}, "players=3"),
    ],
)
def test_house_rules_that_do_not_go_together_are_refused(game, settings, fault):
    with pytest.raises(SpecError, match=fault):
        make_game(game, settings)


def test_a_switch_has_a_default_limits_and_a_ruling():
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Rules(Switches):
        """House rules of a table."""

        number: int = switch(2, "P90", "a number", least=1, most=3)
        delay: MudDelay = switch(
            MudDelay.NONE,
            "P91",
            "a delay",
            among=(MudDelay.NONE, MudDelay.OWNER_TURN),
            by_odds=(MudDelay.NONE,),
        )

    rules = Rules(number=3, delay=MudDelay.OWNER_TURN)
    assert rules.to_text() == "number=3 delay=owner_turn"
    assert (rules.to_text(changed_only=True), Rules().to_text(changed_only=True)) == (
        "number=3 delay=owner_turn",
        "",
    )
    assert (rules.not_by_odds(), Rules(number=1).not_by_odds()) == (("delay=owner_turn",), ())
    assert [spec.metadata["meaning"] for spec in fields(Rules)] == ["a number", "a delay"]
    for wrong, fault in (
        ({"number": 0}, "invalid number 0 (expected a whole number from 1 to 3); use number=2, the "
         "default (P90)"),
        ({"number": 4}, "invalid number 4 (expected a whole number from 1 to 3)"),
        ({"delay": MudDelay.ONE_FULL_TURN}, "invalid delay 'one_full_turn' (expected none or "
         "owner_turn); use delay=none, the default (P91)"),
    ):  # fmt: skip
        with pytest.raises(SpecError, match=re.escape(fault)):
            Rules(**wrong)


def test_no_two_members_of_an_enumeration_are_one():
    own = [kind for kind in StrEnum.__subclasses__() if kind.__module__.startswith("pigglesim")]
    assert len(own) > 50
    assert all(len(kind) == len(kind.__members__) for kind in own)


def test_a_name_that_is_no_text_is_unknown():
    with pytest.raises(SpecError, match="unknown house rule '1'"):
        make_game("piggy_six", {1: 2})
