"""Odds of a study: what was thrown comes back, and departures tell what independence costs."""

import numpy as np
import pytest

from pigglesim.chance.odds import (
    ON_BOARD,
    KnockOdds,
    Odds,
    StandingOdds,
    ThrowOdds,
    odds_text,
    parse_odds,
)
from pigglesim.chance.tabular import TabularChance
from pigglesim.errors import SpecError
from pigglesim.experiments.odds import departure, odds_of_study
from pigglesim.landing import ZONE_POINTS, Landing, Orientation, RollRequest, Seat, Zone
from tests.support.simple_odds import knocked_alike, simple_odds
from tests.support.throws_table import connection_with

UP, DOWN, HEAD = Orientation
OFF = (None, Zone.OFF)
MOVES = {
    (UP, Zone.WOODS): (0.5, {(UP, Zone.WOODS): 0.9, (UP, Zone.LINE_PATH_WOODS): 0.1}),
    (DOWN, Zone.WOODS): (1.0, {(DOWN, Zone.WOODS): 0.6, (HEAD, Zone.LINE_PATH_WOODS): 0.4}),
    (HEAD, Zone.WOODS): (2.0, {(DOWN, Zone.WOODS): 0.5, (HEAD, Zone.WOODS): 0.3, OFF: 0.2}),
}
"""What becomes of those that stand: exposure, and place after a knock."""
TRUTH = Odds(
    model="piggle",
    thrown={6: simple_odds(leaning=0.2).thrown[6]},
    knocks=KnockOdds(
        rates={(2, 3): 0.1, (6, 3): 0.4},
        standing={place: StandingOdds(exposure=1.0, after={place: 1.0}) for place in ON_BOARD}
        | {
            place: StandingOdds(exposure=exposure, after=after)
            for place, (exposure, after) in MOVES.items()
        },
    ),
)
LAYOUT = tuple(
    (f"B{number}", Landing(orientation=pose, zone=Zone.WOODS))
    for number, pose in enumerate(Orientation)
)


def throws_by(odds, cups, trials, *, alike=False):
    """Throws by a table, as a study keeps them; if alike, a throw's dice are copies of one."""
    rows = []
    for cell, (number, standing) in enumerate(cups):
        chance = TabularChance(seed=cell, odds=odds)
        request = RollRequest(
            thrower=Seat.A,
            piggles=tuple(f"A{n}" for n in range(number)),
            standing=LAYOUT[:standing],
        )
        before = dict(request.standing)
        for trial in range(trials):
            result = chance.roll(request, index=trial)
            knocked = {knock.struck for knock in result.knocks}
            for die, (name, at) in enumerate(result.landings):
                stood = name.startswith("B")
                lies = result.landings[0][1] if alike and not stood else at
                rows.append(
                    {
                        "throw": cell * trials + trial,
                        "cell": cell,
                        "trial": trial,
                        "die": die,
                        "model": "premium" if stood else odds.model,
                        "standing": stood,
                        "orientation": lies.orientation and lies.orientation.label,
                        "ending": "settled",
                        "zone": str(lies.zone),
                        "leaning": lies.leaning,
                        "stacked": False,
                        "points": ZONE_POINTS[lies.zone] if lies.orientation is UP else 0,
                        "knocked": name in knocked if stood else None,
                        "orientation_before": before[name].orientation.label if stood else None,
                        "zone_before": str(before[name].zone) if stood else None,
                    }
                )
    return connection_with({name: [row[name] for row in rows] for name in rows[0]})


@pytest.fixture(scope="module")
def measured():
    throws = throws_by(TRUTH, [(2, 3), (6, 3)], 1500)
    return throws, odds_of_study(throws, kind="knock", model="piggle", source={"study": "x"})


def test_what_was_thrown_comes_back(measured):
    _, odds = measured
    assert (odds.model, odds.source, sorted(odds.thrown)) == ("piggle", {"study": "x"}, [2, 6])
    six = odds.thrown[6]
    assert six.throws == 1500
    for place, share in TRUTH.thrown[6].shares.items():
        # Five standard errors of 9,000.
        assert six.shares.get(place, 0.0) == pytest.approx(share, abs=5 * (share / 9000) ** 0.5)
    assert six.leaning[UP] == pytest.approx(0.2, abs=0.03)
    for thrown in (2, 6):
        for place in MOVES:
            # Five standard errors of 1,500.
            rate = TRUTH.knock_rate(thrown, 3, place)
            assert odds.knock_rate(thrown, 3, place) == pytest.approx(rate, abs=0.065)
    for place, (_, after) in MOVES.items():
        found = odds.knocks.standing[place]
        assert found.stood == 3000
        for lies, share in after.items():
            assert found.after.get(lies, 0.0) == pytest.approx(share, abs=0.15)
    assert parse_odds(odds_text(odds)) == odds


def test_places_with_few_data_are_pooled_with_those_of_their_zone_and_pose(measured):
    _, odds = measured
    # Nobody stood in a field, so nobody is known to leave it; poses changed as they did elsewhere.
    never = odds.knocks.standing[DOWN, Zone.FIELD_EAST]
    assert (never.stood, never.knocked) == (0, 0)
    assert set(never.after) <= {(pose, Zone.FIELD_EAST) for pose in Orientation}
    assert never.after[DOWN, Zone.FIELD_EAST] == pytest.approx(0.6, abs=0.1)
    assert sum(never.after.values()) == pytest.approx(1.0, abs=1e-4)
    # As often knocked as all are: the exposure that those that stood have in the mean.
    assert never.exposure == pytest.approx(1.0, abs=0.15)
    assert "as if 20 more" in odds.knocks.pooling


def test_independent_dice_depart_by_noise_alone(measured):
    _, odds = measured
    assert len(odds.departures) == 4 * 2
    for each in odds.departures:
        assert each.value < 2.0 * each.floor
        assert each.low < 0.02
        assert each.throws == 1500


def test_dice_that_are_alike_depart_in_their_points_and_not_in_their_shares():
    odds = odds_of_study(
        throws_by(TRUTH, [(6, 0)], 1500, alike=True), kind="pour", model="piggle", source={}
    )
    apart = {each.of: each for each in odds.departures}
    assert set(apart) == {"pose and zone", "points a pour"}
    assert apart["points a pour"].low > 0.3
    assert apart["pose and zone"].low < 0.02
    assert odds.knocks.rates == {}
    assert odds.knocks.standing == {}


def test_other_odds_depart_as_far_as_they_differ(measured):
    throws, _ = measured
    other = Odds(
        model="piggle",
        thrown={6: ThrowOdds(shares={(UP, Zone.WOODS): 1.0}, leaning={}, throws=0)},
        knocks=knocked_alike({(6, 3): 1.0}, {(DOWN, Zone.WOODS): 1.0}),
    )
    apart = {(each.of, each.thrown): each for each in departure(throws, other, kind="knock")}
    woods = TRUTH.thrown[6].shares[UP, Zone.WOODS]
    assert apart["pose and zone", 6].value == pytest.approx(1.0 - woods, abs=0.01)
    rates = [TRUTH.knock_rate(6, 3, place) for place in MOVES]
    assert apart["knocks a pour", 6].value == pytest.approx(1.0 - np.prod(rates), abs=0.05)
    # Of those that stood Snout-Up none still does, as a table does that forgets poses.
    assert apart["standing Piggles", 6].low > 0.5
    assert apart["knocks a pour", 2].low > 0.9


def test_what_has_no_place_is_counted_in_none():
    throws = throws_by(TRUTH, [(6, 3)], 300)
    before = odds_of_study(throws, kind="knock", model="piggle", source={})
    # A third of the knocked and of the thrown were still moving when time was up.
    throws.execute("UPDATE throws SET orientation = NULL WHERE trial % 3 = 0 AND zone <> 'off'")
    odds = odds_of_study(throws, kind="knock", model="piggle", source={})
    for row in odds.knocks.standing.values():
        assert sum(row.after.values()) == pytest.approx(1.0, abs=1e-4)
        assert all(pose is not None or zone is Zone.OFF for pose, zone in row.after)
    assert sum(odds.thrown[6].shares.values()) == pytest.approx(1.0)
    assert set(odds.thrown[6].shares) <= set(before.thrown[6].shares)
    assert odds.knocks.rates == before.knocks.rates


def test_a_mixed_cup_says_nothing_of_any_of_its_models():
    throws = throws_by(TRUTH, [(2, 0), (3, 0)], 20)
    throws.execute("UPDATE throws SET model = 'premium' WHERE cell = 0 AND die = 1")
    assert set(odds_of_study(throws, kind="pour", model="piggle", source={}).thrown) == {3}
    with pytest.raises(SpecError, match="no throws of premium"):
        odds_of_study(throws, kind="pour", model="premium", source={})
