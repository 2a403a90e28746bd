"""Odds: a file that reads back, is refused where it is at fault, and is rolled by."""

import json
from dataclasses import fields, replace

import pytest

from pigglesim.api.game_setup import set_up_game
from pigglesim.chance.odds import (
    ON_BOARD,
    Departure,
    KnockOdds,
    Odds,
    StandingOdds,
    ThrowOdds,
    load_odds,
    odds_text,
)
from pigglesim.chance.tabular import (
    TabularChance,
    believed_chance,
    check_odds_support,
    tabular_chance,
)
from pigglesim.errors import SpecError
from pigglesim.games.piggles.state import ModernRules
from pigglesim.games.piggles.turns import check_outcome
from pigglesim.landing import BOARD_SEATS, Landing, Orientation, RollRequest, Seat, Zone

UP, DOWN, HEAD = Orientation
ODDS = Odds(
    model="piggle",
    thrown={
        1: ThrowOdds(shares={(UP, Zone.FIELD_NORTH): 1.0}, leaning={UP: 1.0}, throws=10),
        6: ThrowOdds(
            shares={(UP, Zone.PATH_INNER): 0.5, (DOWN, Zone.WOODS): 0.3, (None, Zone.OFF): 0.2},
            leaning={UP: 0.1, DOWN: 0.4, HEAD: 0.0},
            throws=100,
        ),
    },
    knocks=KnockOdds(
        rates={(1, 6): 0.0, (6, 6): 0.5},
        standing={
            **{place: StandingOdds(exposure=1.0, after={place: 1.0}) for place in ON_BOARD},
            (UP, Zone.WOODS): StandingOdds(
                exposure=1.0,
                after={(UP, Zone.WOODS): 0.25, (HEAD, Zone.FIELD_EAST): 0.75},
                stood=40,
                knocked=20,
            ),
            (DOWN, Zone.FIELD_NORTH): StandingOdds(
                exposure=2.0, after={(DOWN, Zone.FIELD_SOUTH): 1.0}
            ),
            (DOWN, Zone.WOODS): StandingOdds(exposure=0.0, after={(None, Zone.OFF): 1.0}),
        },
        pooling="none",
    ),
    source={"study": "of a test"},
    departures=(
        Departure(
            of="points a pour", thrown=6, standing=0, throws=100, value=0.1, floor=0.05, low=0.0,
            high=0.2,
        ),
    ),
)  # fmt: skip


def request(
    rolled: int, standing: int = 0, seat: Seat = Seat.A, *, pose=UP, zone=Zone.WOODS
) -> RollRequest:
    lies = Landing(orientation=pose, zone=zone)
    return RollRequest(
        thrower=seat,
        piggles=tuple(f"{seat}{n}" for n in range(1, rolled + 1)),
        standing=tuple((f"{seat.other}{n}", lies) for n in range(1, standing + 1)),
    )


def test_odds_read_back(tmp_path):
    file = tmp_path / "mine.json"
    file.write_text(odds_text(ODDS))
    assert load_odds(str(file)) == ODDS
    assert load_odds(str(file)).sha256 == ODDS.sha256
    assert replace(ODDS, model="premium").sha256 != ODDS.sha256


def edited(*path, to):
    at = table = json.loads(odds_text(ODDS))
    *inner, last = path
    for key in inner:
        at = at[key]
    at[last] = to
    return json.dumps(table)


STANDS = {"stood": 1, "knocked": 1, "exposure": 1.0, "after": {"off": 1.0}}
BAD = {
    "no JSON": "{",
    "a list": "[]",
    "nothing": "{}",
    "a later version": edited("version", to=3),
    "an earlier version": edited("version", to=1),
    "not a number": edited("knocks", "standing", "up woods", "exposure", to=float("nan")),
    "a negative exposure": edited("knocks", "standing", "up woods", "exposure", to=-1.0),
    "an exposure without end": edited("knocks", "standing", "up woods", "exposure", to="inf"),
    "no place after": edited("knocks", "standing", "up woods", "after", to={}),
    "standing on half the places": edited("knocks", "standing", to={}),
    "standing off the board": edited("knocks", "standing", "off", to=STANDS),
    "no number of those that stood": edited("knocks", "standing", "up woods", "stood", to="many"),
    "a rate above 1": edited("knocks", "rates", 0, "rate", to=1.5),
    "a negative share": edited("thrown", "6", "shares", "up path:inner", to=-0.1),
    "all shares 0": edited("thrown", "1", "shares", to={"up woods": 0.0}),
    "no share": edited("thrown", "1", "shares", to={}),
    "a pose off the board": edited("thrown", "6", "shares", to={"up off": 1.0}),
    "no pose on the board": edited("thrown", "6", "shares", to={"woods": 1.0}),
    "an unknown zone": edited("thrown", "6", "shares", to={"up wods": 1.0}),
    "an unknown pose": edited("thrown", "6", "leaning", to={"side": 0.1}),
    "a number that is none": edited("thrown", to={"six": {}}),
    "none thrown": edited("thrown", to={}),
    "leaning above 1": edited("thrown", "6", "leaning", to={"up": 2.0}),
    "a word for a share": edited("thrown", "6", "shares", to={"up woods": "often"}),
    "a departure of no name": edited("departures", to=[{"value": 0.1}]),
    "not text": b"\xff\xfe{",
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_a_file_at_fault_is_one_line_with_its_remedy(text, tmp_path):
    file = tmp_path / "bad.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SpecError, match=r"bad\.json"):
        load_odds(str(file))


def test_the_nearest_number_stands_for_one_that_is_not_known():
    assert [ODDS.of_throw(n).throws for n in (1, 3, 4, 6, 9)] == [10, 10, 100, 100, 100]
    before = (UP, Zone.WOODS)
    assert [ODDS.knock_rate(n, 2, before) for n in (1, 2, 5)] == [0.0, 0.0, 0.5]
    none = replace(ODDS, knocks=KnockOdds(rates={}, standing={}))
    assert none.knock_rate(6, 6, before) == 0.0


def test_a_piggle_is_knocked_by_its_own_exposure():
    # To be missed by a rate of one half twice is a quarter.
    assert ODDS.knock_rate(6, 6, (DOWN, Zone.FIELD_NORTH)) == 0.75
    assert ODDS.knock_rate(6, 6, (DOWN, Zone.WOODS)) == 0.0
    # It is B's field South that lies as A's field North does, and so it is thrown at.
    for seat, zone, after in (
        (Seat.A, Zone.FIELD_NORTH, Zone.FIELD_SOUTH),
        (Seat.B, Zone.FIELD_SOUTH, Zone.FIELD_NORTH),
    ):
        chance = TabularChance(seed=6, odds=ODDS)
        asked = request(6, 6, seat, pose=DOWN, zone=zone)
        results = [chance.roll(asked, index=index) for index in range(500)]
        knocks = [knock for result in results for knock in result.knocks]
        # Four standard errors of 3,000.
        assert len(knocks) / 3000 == pytest.approx(0.75, abs=0.032)
        zones = {dict(result.landings)[k.struck].zone for result in results for k in result.knocks}
        assert zones == {after}


def test_rolls_follow_the_odds():
    chance, rolls = TabularChance(seed=2, odds=ODDS), 3000
    seen: dict[Landing, int] = {}
    knocked = stayed = 0
    for index in range(rolls):
        asked = request(6, 6)
        result = chance.roll(asked, index=index)
        check_outcome(asked, result)
        for _, landing in result.landings[:6]:
            seen[landing] = seen.get(landing, 0) + 1
        knocked += len(result.knocks)
        for knock in result.knocks:
            stayed += not (knock.flipped or knock.zone_changed)
            after = dict(result.landings)[knock.struck]
            assert (after.orientation, after.zone) in {(UP, Zone.WOODS), (HEAD, Zone.FIELD_EAST)}
    expected = {
        Landing(orientation=UP, zone=Zone.PATH_INNER): 0.45,
        Landing(orientation=UP, zone=Zone.PATH_INNER, leaning=True): 0.05,
        Landing(orientation=DOWN, zone=Zone.WOODS): 0.18,
        Landing(orientation=DOWN, zone=Zone.WOODS, leaning=True): 0.12,
        Landing(orientation=None, zone=Zone.OFF): 0.2,
    }
    # Four standard errors of 18,000 are .015 at most.
    assert {key: n / rolls / 6 for key, n in seen.items()} == pytest.approx(expected, abs=0.015)
    assert knocked / rolls / 6 == pytest.approx(0.5, abs=0.015)
    assert stayed / knocked == pytest.approx(0.25, abs=0.02)


def test_the_board_turns_with_the_thrower_and_one_alone_leans_on_nothing():
    chance = TabularChance(seed=3, odds=ODDS)
    landings = [
        dict(chance.roll(request(1, standing, seat), index=0).landings)[f"{seat}1"]
        for seat in BOARD_SEATS
        for standing in (0, 1)
    ]
    assert [at.zone for at in landings] == [Zone.FIELD_NORTH] * 2 + [Zone.FIELD_SOUTH] * 2
    assert [at.leaning for at in landings] == [False, True] * 2


def test_another_seed_rolls_as_a_new_chance_does():
    first = TabularChance(seed=5, odds=ODDS)
    first.roll(request(6, 6), index=0)
    again, anew = first.with_seed(6), TabularChance(seed=6, odds=ODDS)
    assert again.roll(request(6, 6), index=0) == anew.roll(request(6, 6), index=0)
    assert again.provenance() == anew.provenance() != first.provenance()


def test_premium_pigs_roll_by_their_own_odds_and_others_as_before():
    piggle, premium = load_odds("piggle"), load_odds("premium")
    mixed = TabularChance(seed=1, odds=piggle, of_piggles={"A1": premium})
    plain, rolls, ups = TabularChance(seed=1, odds=piggle), 2000, 0
    for index in range(rolls):
        one, other = (dict(each.roll(request(6), index=index).landings) for each in (mixed, plain))
        ups += one.pop("A1").orientation is UP
        other.pop("A1")
        assert one == other
    share = sum(value for (pose, _), value in premium.of_throw(6).shares.items() if pose is UP)
    # Four standard errors.
    assert abs(ups / rolls - share) < 4 * (share * (1 - share) / rolls) ** 0.5
    assert mixed.provenance()["others"] == {
        "premium": {"piggles": ["A1"], "odds_sha256": premium.sha256}
    }


def test_measured_odds_serve_a_livery_and_no_other_weight():
    models = dict.fromkeys((f"A{number}" for number in range(1, 7)), "piggle+blue+left")
    source = tabular_chance(models, odds="piggle", seed=1)
    assert source.roll(request(6), index=0).landings
    with pytest.raises(SpecError, match=r"d6.*--chance physical"):
        tabular_chance({**models, "A1": "d6"}, odds=None, seed=1)
    with pytest.raises(SpecError, match=r"premium do not cover piggle"):
        tabular_chance(models, odds="premium", seed=1)


def test_each_piggle_is_believed_to_roll_by_the_odds_of_its_model():
    models = {"A1": "piggle+red", "A2": "premium+blue", "A3": "d6", "B1": "premium"}
    believed = believed_chance(models=models)
    # A model without odds is taken for the plain one.
    assert believed.odds.model == "piggle"
    assert {name: odds.model for name, odds in believed.of_piggles.items()} == {
        "A2": "premium",
        "B1": "premium",
    }
    alike = believed_chance(models=dict.fromkeys(models, "premium"))
    assert (alike.odds.model, alike.of_piggles) == ("premium", {})


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
NUMBERS = {"rounds": 3, "reroll_cap": 2, "sudden_cap": 3} | {
    name: setting for name, setting in TABLE_ALONE if isinstance(setting, float)
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
def test_every_house_rule_works_by_odds_or_is_refused(name, setting):
    game = set_up_game("piggles_modern", None, rules={name: setting}).game
    if (name, setting) not in TABLE_ALONE:
        check_odds_support(game)
        return
    with pytest.raises(SpecError, match=rf"{name}=.*--chance physical"):
        check_odds_support(game)
