"""`odds check` as a person uses it, and house rules that rolls by odds cannot follow."""

import json
from dataclasses import fields

import pytest

from pigglesim.api.match import find_place
from pigglesim.errors import SpecError
from pigglesim.games.piggles.house_rules import ModernRules
from pigglesim.games.registry import make_game
from tests.front_door import run_here

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


@pytest.mark.slow
def test_odds_check_tells_matches_and_transitions_side_by_side():
    words = ["odds", "check", "--matches", "2", "--throws", "3", "--seed", "1", "--workers", "1"]
    done = run_here(*words, "--engine", "bullet", "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert list(told["match"]) == ["mean_score", "flips", "knocks", "zone_changes"]
    for sides in told["match"].values():
        assert set(sides) == {"physics", "odds"}
        for number in sides.values():
            assert number["low"] <= number["value"] <= number["high"]
    assert told["match"]["knocks"]["odds"]["value"] > told["match"]["flips"]["odds"]["value"]
    sums: dict[tuple[object, ...], list[float]] = {}
    for row in told["transitions"]:
        key = (row["thrown"], row["standing"], row["before"])
        for at, side in enumerate(("physics", "odds")):
            share = row["sides"][side]
            assert 0.0 <= share["low"] <= share["value"] <= share["high"] <= 1.0
            sums.setdefault(key, [0.0, 0.0])[at] += share["value"]
    assert {thrown for thrown, _, _ in sums} == {1, 3, 6}
    assert {standing for _, standing, _ in sums} == {6}
    assert all(total == pytest.approx([1.0, 1.0]) for total in sums.values())


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
        with pytest.raises(SpecError, match=rf"{name}=.*try: --chance physical") as fault:
            place.source("tabular", engine=None, seed=1)
        assert "\n" not in str(fault.value)
