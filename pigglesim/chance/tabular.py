"""Chance by shares: poses and zones drawn from a table, without any physics.

Fast and rough: Piggles land independently of each other. It stands in for the table where only
the rules matter, as in tests and in long series of matches.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import numpy as np

from pigglesim import seeding
from pigglesim.errors import SpecError
from pigglesim.games.game import JSON
from pigglesim.rolls import Knock, Landing, Orientation, RollRequest, RollResult, Zone

__all__ = ["Shares", "TabularChance"]

_ZONES: Mapping[Zone, float] = {
    Zone.FIELD_NORTH: 0.070,
    Zone.FIELD_EAST: 0.085,
    Zone.FIELD_SOUTH: 0.070,
    Zone.FIELD_WEST: 0.085,
    Zone.PATH_INNER: 0.135,
    Zone.PATH_OUTER: 0.014,
    Zone.WOODS: 0.018,
    Zone.LINE_FIELD_PATH: 0.479,
    Zone.LINE_PATH_WOODS: 0.026,
    Zone.OFF: 0.019,
}
"""Measured on 24,000 Piggles poured by six in scene piggles_classic, before its materials were
fitted to counted throws: that moved no zone by more than .02. North with South, which depend on who
throws, at their mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """How often a rolled Piggle does what."""

    up: float = 0.512
    down: float = 0.412
    head: float = 0.076
    leaning: float = 0.058
    """Share of rolled Piggles that lean on another."""
    knock: float = 0.05
    """Share of the Piggles on the board that a roll knocks; each then lies as if rolled."""
    zones: Mapping[Zone, float] = field(default_factory=lambda: dict(_ZONES))
    """Relative weight of each zone."""

    def __post_init__(self) -> None:
        poses = (self.up, self.down, self.head)
        shares = (*poses, self.leaning, self.knock, *self.zones.values())
        if min(shares) < 0.0 or sum(poses) <= 0.0 or sum(self.zones.values()) <= 0.0:
            raise SpecError(
                "shares of 0 or more, some pose and some zone above 0",
                got=str(asdict(self)),
                remedy="leave the defaults",
            )


class TabularChance:
    """Answers each roll from a table of shares.

    Args:
        seed: Root seed; roll i has a stream of its own.
        shares: The table.
    """

    def __init__(self, *, seed: int, shares: Shares | None = None) -> None:
        self._seed = seed
        self._shares = shares or Shares()

    def roll(self, request: RollRequest, *, index: int) -> RollResult:
        """Return roll `index`, drawn from its own stream."""
        rng = seeding.generator(self._seed, "tabular", index)
        landings = {piggle: self._land(rng) for piggle in request.piggles}
        knocks = []
        for piggle, before in request.standing:
            landings[piggle] = before
            if rng.random() < self._shares.knock:
                landings[piggle] = after = self._land(rng)
                knocks.append(
                    Knock(
                        struck=piggle,
                        by=request.piggles[int(rng.integers(len(request.piggles)))],
                        distance=float(rng.uniform(0.003, 0.1)),
                        angle=float(rng.uniform(0.1, 3.0)),
                        flipped=after.orientation is not before.orientation,
                        zone_changed=after.zone is not before.zone,
                        off_board=after.zone is Zone.OFF,
                    )
                )
        return RollResult(landings=tuple(landings.items()), knocks=tuple(knocks))

    def _land(self, rng: np.random.Generator) -> Landing:
        shares = self._shares
        zones = list(shares.zones)
        weights = np.array([shares.zones[zone] for zone in zones])
        zone = zones[int(rng.choice(len(zones), p=weights / weights.sum()))]
        if zone is Zone.OFF:
            return Landing(orientation=None, zone=zone)
        poses = np.array([shares.up, shares.down, shares.head])
        pose = list(Orientation)[int(rng.choice(len(poses), p=poses / poses.sum()))]
        leaning = bool(rng.random() < shares.leaning)
        return Landing(orientation=pose, zone=zone, leaning=leaning)

    def provenance(self) -> dict[str, JSON]:
        """Return where the outcomes come from, for a record."""
        shares = self._shares
        poses: dict[str, JSON] = {"up": shares.up, "down": shares.down, "head": shares.head}
        return {
            "source": "tabular",
            "seed": self._seed,
            "poses": poses,
            "leaning": shares.leaning,
            "knock": shares.knock,
            "zones": {str(zone): weight for zone, weight in shares.zones.items()},
        }
