"""House rules that rolls by odds cannot follow are refused."""

from dataclasses import fields

import pytest

from pigglesim.api.match import find_place
from pigglesim.errors import SpecError
from pigglesim.games.piggles.state import ModernRules
from pigglesim.games.registry import make_game

TABLE_ALONE = {
    ("line_counts_as_field", True),
    ("line_rule", "com"),
    ("line_rule", "contact_centroid"),
    ("contact_tolerance_mm", 1.0),
    ("cocked", "nudge"),
    ("knock_distance_mm", 1.0),
    ("knock_angle_deg", 90.0),
    ("blue_mode", "drop_in_place"),
}
"""Settings that only bodies on a table can follow."""
NUMBERS = {
    "rounds": 3,
    "reroll_cap": 2,
    "sudden_cap": 3,
    "contact_tolerance_mm": 1.0,
    "knock_distance_mm": 1.0,
    "knock_angle_deg": 90.0,
}


def settings():
    """Yield every switch of Modern, which has those of Classic too, at another setting."""
    for spec in fields(ModernRules):
        if spec.name in NUMBERS:
            yield spec.name, NUMBERS[spec.name]
        elif isinstance(spec.default, bool):
            yield spec.name, not spec.default
        else:
            among = spec.metadata["among"] or tuple(type(spec.default))
            yield from ((spec.name, str(one)) for one in among if one != spec.default)


@pytest.mark.parametrize(("name", "setting"), [*settings()])
def test_every_switch_works_by_odds_or_is_refused_in_one_line(name, setting):
    refused = (name, setting) in TABLE_ALONE
    classic = name in {spec.name for spec in fields(type(make_game("piggles_classic").rules))}
    for game in ("piggles_classic", "piggles_modern") if classic else ("piggles_modern",):
        place = find_place(game, None, rules={name: setting})
        if not refused:
            assert place.source("tabular", engine=None, seed=1).provenance()["seed"] == 1
            continue
        with pytest.raises(SpecError, match=rf"{name}=.*--chance physical") as fault:
            place.source("tabular", engine=None, seed=1)
        assert "\n" not in str(fault.value)
