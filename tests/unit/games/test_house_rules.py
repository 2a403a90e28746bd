"""House rules from and to files and text."""

from dataclasses import fields

import pytest

from pigglesim.errors import SpecError
from pigglesim.games.lord_of_the_pigs.state import LordRules
from pigglesim.games.pig_pile.state import PigPileRules
from pigglesim.games.piggles.state import (
    BonusScope,
    Exhaustion,
    KitchenBonus,
    KitchenPenalty,
    ModernRules,
    MudDelay,
    PigglesRules,
)
from pigglesim.games.piggy_six import PiggySixRules
from pigglesim.games.piggyback.state import PiggybackRules
from pigglesim.games.registry import make_game
from pigglesim.landing import Seat

NAMES = {
    "first_player", "alternate_start", "rounds", "mud_delay", "exhaustion", "bonus_scope",
    "kitchen_bonus_classic", "kitchen_penalty", "final_penalty", "line_rule",
    "contact_tolerance_mm", "off_board", "cocked", "reroll_cap", "knock_distance_mm",
    "knock_angle_deg", "sudden_board", "sudden_rolls", "sudden_off_board", "sudden_available",
    "sudden_cap",
}  # fmt: skip


def test_the_names_are_part_of_the_format_of_records_and_scenarios():
    assert set(PigglesRules().to_mapping()) == NAMES
    assert all(spec.metadata["ruling"] for spec in fields(PigglesRules))


def test_modern_has_those_of_classic_and_more():
    more = {
        "actors", "effects_mandatory", "rare_runes", "left", "line_counts_as_field", "target_scope",
        "red_counts_as_knock", "blue_mode", "blue_counts_as_knock", "green_window", "green_owner",
        "shield_until", "capture", "rune9_pose", "rune78_scope",
    }  # fmt: skip
    assert set(ModernRules().to_mapping()) == NAMES | more
    assert all(spec.metadata["ruling"] for spec in fields(ModernRules))


def test_the_rulings_are_the_defaults_of_modern():
    assert ModernRules().to_text().split()[len(NAMES) :] == [
        "actors=rolled", "effects_mandatory=off", "rare_runes=on", "left=clockwise",
        "line_counts_as_field=off", "target_scope=any", "red_counts_as_knock=on", "blue_mode=cup",
        "blue_counts_as_knock=on", "green_window=previous_turn", "green_owner=own",
        "shield_until=reaction", "capture=permanent", "rune9_pose=down", "rune78_scope=own",
    ]  # fmt: skip
    wild = ModernRules.from_text("left=player_view rare_runes=off rounds=3 capture=return")
    assert ModernRules.from_mapping(wild.to_mapping()) == wild
    assert ModernRules.from_text(wild.to_text(changed_only=True)) == wild


@pytest.mark.parametrize("kind", [LordRules, PigPileRules, PiggybackRules, PiggySixRules])
def test_the_defaults_of_every_game_read_back(kind):
    assert kind.from_text(kind().to_text()) == kind()
    assert kind().to_text(changed_only=True) == ""


def test_mappings_and_texts_round_trip():
    rules = PigglesRules(
        first_player=Seat.B,
        alternate_start=True,
        rounds=4,
        mud_delay=MudDelay.OWNER_TURN,
        contact_tolerance_mm=0.1 + 0.2,
        sudden_cap=0,
    )
    assert PigglesRules.from_mapping(rules.to_mapping()) == rules
    assert PigglesRules.from_text(rules.to_text()) == rules
    assert PigglesRules.from_text(rules.to_text(changed_only=True)) == rules
    assert PigglesRules().to_text(changed_only=True) == ""


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("kitchen_bonus_classic", True, KitchenBonus.AT_RESOLVE),
        ("kitchen_bonus_classic", False, KitchenBonus.OFF),
        ("kitchen_penalty", False, KitchenPenalty.ONCE),
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


def test_settings_as_words():
    rules = PigglesRules.from_text("mud_delay=none final_penalty=on sudden_cap=3 first_player=1")
    assert rules == PigglesRules(
        mud_delay=MudDelay.NONE, final_penalty=True, sudden_cap=3, first_player=Seat.B
    )


@pytest.mark.parametrize(
    ("mapping", "fault"),
    [
        ({"mud_delays": "none"}, "got 'mud_delays'; try: mud_delay"),
        ({"mud_delay": "two"}, "one_full_turn or owner_turn or none for the house rule mud_delay"),
        ({"mud_delay": True}, "got True"),
        ({"exhaustion": False}, "before_recoup"),
        ({"first_player": True}, "A or B"),
        ({"first_player": "C"}, "try: first_player=A"),
        ({"rounds": 0}, "from 1 to 100"),
        ({"rounds": 6.5}, "a whole number"),
        ({"rounds": True}, "got True"),
        ({"knock_angle_deg": -1}, "from 0.0 to 180.0"),
        ({"knock_angle_deg": float("nan")}, "got nan"),
        ({"rounds": 10**100}, "from 1 to 100.*got an integer of more than 60 digits"),
        ({"knock_angle_deg": 10**400}, "from 0.0 to 180.0.*got an integer of more than 60 digits"),
        ({"alternate_start": "maybe"}, "on or off"),
        ({"off_board": None}, r"try: off_board=mud, the default \(P11\)"),
    ],
)
def test_faults_are_told(mapping, fault):
    with pytest.raises(SpecError, match=fault):
        PigglesRules.from_mapping(mapping)


@pytest.mark.parametrize("text", ["mud_delay", "mud_delay=none mud_delay=none", "x=1"])
def test_faults_in_words_are_told(text):
    with pytest.raises(SpecError, match="try: "):
        PigglesRules.from_text(text)


def test_a_value_of_the_wrong_kind_never_gets_in():
    with pytest.raises(SpecError, match="a whole number"):
        PigglesRules(rounds="6")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("game", "settings", "fault"),
    [
        ("pig_pile", {"players": 3, "first_dealer": "D"}, "a first_dealer among 3 players, got"),
        ("pig_pile", {"draw_to": 3}, "one or four for the house rule draw_to"),
        ("piggy_six", {"players": 9}, "a whole number from 2 to 8 for the house rule players"),
        ("piggy_six", {"solitaire": True, "players": 3}, "players left out of the solitaire game"),
    ],
)
def test_house_rules_that_do_not_go_together_are_refused(game, settings, fault):
    with pytest.raises(SpecError, match=fault):
        make_game(game, settings)
