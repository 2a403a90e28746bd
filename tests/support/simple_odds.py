"""Odds in a few numbers, for tests to which only the rules matter."""

from collections.abc import Mapping
from itertools import product

from pigglesim.chance.odds import ON_BOARD, KnockOdds, Odds, Place, StandingOdds, ThrowOdds
from pigglesim.chance.tabular import TabularChance
from pigglesim.landing import Orientation, Zone

ZONES = {
    Zone.FIELD_NORTH: 0.070,
    Zone.FIELD_EAST: 0.085,
    Zone.FIELD_SOUTH: 0.070,
    Zone.FIELD_WEST: 0.085,
    Zone.PATH_INNER: 0.136,
    Zone.PATH_OUTER: 0.014,
    Zone.WOODS: 0.018,
    Zone.LINE_NORTH: 0.109,
    Zone.LINE_EAST: 0.13,
    Zone.LINE_SOUTH: 0.109,
    Zone.LINE_WEST: 0.13,
    Zone.LINE_PATH_WOODS: 0.026,
    Zone.OFF: 0.019,
}
"""Weights of zones, about as six Piggles poured together land."""


def knocked_alike(
    rates: Mapping[tuple[int, int], float], after: Mapping[Place, float]
) -> KnockOdds:
    """Return odds under which the place of a standing Piggle does not matter."""
    one = StandingOdds(exposure=1.0, after=after)
    return KnockOdds(rates=rates, standing=dict.fromkeys(ON_BOARD, one))


def simple_odds(
    *,
    up: float = 0.512,
    down: float = 0.412,
    head: float = 0.076,
    leaning: float = 0.058,
    knock: float = 0.05,
    zones: Mapping[Zone, float] = ZONES,
) -> Odds:
    """Return odds by which orientation and zone are independent, however many are thrown."""
    poses = dict(zip(Orientation, (up, down, head), strict=True))
    whole = sum(poses.values())
    shares: dict[Place, float] = {
        (pose, zone): weight * share / whole
        for (pose, share), (zone, weight) in product(poses.items(), zones.items())
        if zone is not Zone.OFF
    }
    if Zone.OFF in zones:
        shares[None, Zone.OFF] = zones[Zone.OFF]
    return Odds(
        model="piggle",
        thrown={6: ThrowOdds(shares=shares, leaning=dict.fromkeys(Orientation, leaning), throws=0)},
        knocks=knocked_alike({(6, 6): knock}, shares),
        source={
            "poses": {str(pose): share for pose, share in poses.items()},
            "leaning": leaning,
            "knock": knock,
            "zones": {str(zone): weight for zone, weight in zones.items()},
        },
    )


def simple_chance(*, seed: int, **shares: object) -> TabularChance:
    """Return chance by odds in a few numbers, as of `simple_odds`."""
    return TabularChance(seed=seed, odds=simple_odds(**shares))  # type: ignore[arg-type]
