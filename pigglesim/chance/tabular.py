"""Chance by odds: poses and zones drawn from a table, without any physics.

Fast and rough: Piggles land independently of each other. It stands in for the table where only
the rules matter, as in tests and in long series of matches.
"""

from bisect import bisect_right
from collections.abc import Mapping
from copy import copy
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate, product
from types import MappingProxyType
from typing import Any

import numpy as np

from pigglesim.bodies.livery import split_livery
from pigglesim.chance.fair import fair_draw
from pigglesim.chance.odds import KnockOdds, Odds, Place, ThrowOdds, load_odds
from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.errors import SpecError
from pigglesim.games.game import JSON, Game
from pigglesim.games.switches import Switches
from pigglesim.landing import Knock, Landing, Orientation, RollRequest, RollResult, Seat, Zone
from pigglesim.rng import generator

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

_TURNED = {
    Zone.FIELD_NORTH: Zone.FIELD_SOUTH,
    Zone.FIELD_SOUTH: Zone.FIELD_NORTH,
    Zone.FIELD_EAST: Zone.FIELD_WEST,
    Zone.FIELD_WEST: Zone.FIELD_EAST,
}
"""Zones as the other seat sees them, where they differ."""
_DRAWS_OF_A_KNOCK = 5
"""Random numbers for each Piggle that stands: whether, how it lies, by whom, how far, how much it
turned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """How often a rolled Piggle does what, whatever number is thrown: odds in a few numbers."""

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

    def odds(self) -> Odds:
        """Return these shares as odds, pose and zone being independent."""
        poses = dict(zip(Orientation, (self.up, self.down, self.head), strict=True))
        whole = sum(poses.values())
        shares: dict[Place, float] = {
            (pose, zone): weight * share / whole
            for (pose, share), (zone, weight) in product(poses.items(), self.zones.items())
            if zone is not Zone.OFF
        }
        if Zone.OFF in self.zones:
            shares[None, Zone.OFF] = self.zones[Zone.OFF]
        leaning = dict.fromkeys(Orientation, min(1.0, self.leaning))
        return Odds(
            model="piggle",
            thrown={6: ThrowOdds(shares=shares, leaning=leaning, throws=0)},
            knocks=KnockOdds.alike({(6, 6): min(1.0, self.knock)}, shares),
            source={
                "poses": {str(pose): share for pose, share in poses.items()},
                "leaning": self.leaning,
                "knock": self.knock,
                "zones": {str(zone): weight for zone, weight in self.zones.items()},
            },
        )


class _Drawer:
    """Draws landings by weight.

    Args:
        odds: Every way to lie with its weight, as seat A throws.
    """

    def __init__(self, odds: Mapping[Landing, float]) -> None:
        whole = sum(odds.values())
        likely = {landing: weight for landing, weight in odds.items() if weight > 0.0}
        steps = [step / whole for step in accumulate(likely.values())]
        # The last step is 1 but for rounding: nothing is drawn past it.
        self._steps = steps[:-1]
        self._landings = {
            Seat.A: tuple(likely),
            Seat.B: tuple(_turned(landing) for landing in likely),
        }

    def land(self, draw: float, seat: Seat) -> Landing:
        """Return the landing of a random number from 0 to 1."""
        return self._landings[seat][bisect_right(self._steps, draw)]


class _Rolling:
    """Odds of one model, made ready to be drawn from.

    Args:
        odds: The table.
    """

    def __init__(self, odds: Odds) -> None:
        self.odds = odds
        self._drawers: dict[tuple[int, bool], _Drawer] = {}
        self._rates: dict[tuple[int, int, Place], float] = {}
        self._after: dict[Place, _Drawer] = {}

    def drawer(self, number: int, *, leaning: bool) -> _Drawer:
        """Return what draws landings where so many are thrown."""
        if (number, leaning) not in self._drawers:
            odds = self.odds.of_throw(number)
            weights = dict(odds.landings()) if leaning else _plain(odds.shares)
            self._drawers[number, leaning] = _Drawer(weights)
        return self._drawers[number, leaning]

    def after_knock(self, before: Landing, seat: Seat) -> _Drawer:
        """Return what draws how a Piggle that lay so comes to lie, knocked by a seat."""
        place = _as_seen(before, seat)
        if place not in self._after:
            self._after[place] = _Drawer(_plain(self.odds.knocks.standing[place].after))
        return self._after[place]

    def knock_rate(self, thrown: int, standing: int, before: Landing, seat: Seat) -> float:
        """Return the share of Piggles in this pose and zone that a throw of `seat` knocks."""
        key = (thrown, standing, _as_seen(before, seat))
        if key not in self._rates:
            self._rates[key] = self.odds.knock_rate(*key)
        return self._rates[key]


class TabularChance:
    """Answers each roll from odds.

    Args:
        seed: Root seed; roll i has a stream of its own.
        shares: Odds in a few numbers.
        odds: A whole table of them, in their place.
        of_piggles: Tables of those Piggles that are of another model, by id. One that stands is
            knocked as if all that are thrown were of its own model.
    """

    def __init__(
        self,
        *,
        seed: int,
        shares: Shares | None = None,
        odds: Odds | None = None,
        of_piggles: Mapping[str, Odds] = MappingProxyType({}),
    ) -> None:
        self._seed = seed
        self._rolling = _Rolling(odds or (shares or Shares()).odds())
        others = {table.model: _Rolling(table) for table in of_piggles.values()}
        self._of_piggles = {name: others[table.model] for name, table in of_piggles.items()}
        # Worked out once: it goes into every record.
        self._sha256 = self.odds.sha256
        self._others: dict[str, JSON] = {
            model: {
                "piggles": [name for name, table in of_piggles.items() if table.model == model],
                "odds_sha256": rolling.odds.sha256,
            }
            for model, rolling in others.items()
        }

    @property
    def odds(self) -> Odds:
        """What is rolled by, but for Piggles of another model."""
        return self._rolling.odds

    def with_seed(self, seed: int) -> "TabularChance":
        """Return the same odds under another seed, without working them out anew."""
        again = copy(self)
        again._seed = seed
        return again

    def roll(self, request: RollRequest, *, index: int) -> RollResult:
        """Return roll `index`, drawn from its own stream; what is set down lies as asked."""
        return self._rolled(request, generator(self._seed, "tabular", index))

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Return answer `index`: a roll by the odds, fair dice, or cards well shuffled."""
        return self.draw(request, rng=generator(self._seed, "tabular", index))

    def draw(self, request: ChanceRequest, *, rng: np.random.Generator) -> ChanceOutcome:
        """Return an answer drawn from `rng`, for whoever thinks ahead and rolls often."""
        if isinstance(request, RollRequest):
            return self._rolled(request, rng)
        return fair_draw(request, rng=rng)

    def _rolled(self, request: RollRequest, rng: np.random.Generator) -> RollResult:
        if request.set_down is not None:
            spot = request.set_down
            lies = Landing(orientation=spot.orientation, zone=spot.zone)
            return RollResult(landings=((request.piggles[0], lies),))
        rolled, standing = request.piggles, request.standing
        draws = rng.random(len(rolled) + _DRAWS_OF_A_KNOCK * len(standing)).tolist()
        # One Piggle alone has nothing to lean on.
        leaning = len(rolled) + len(standing) > 1
        thrower = request.thrower
        landings = [
            (piggle, self._of(piggle).drawer(len(rolled), leaning=leaning).land(draw, thrower))
            for piggle, draw in zip(rolled, draws, strict=False)
        ]
        if request.toss is not None:
            # Tossed in place: another pose, if it is not lost, in the zone where it lay.
            landings = [(piggle, _put(at, request.toss.zone)) for piggle, at in landings]
        knocks = []
        for at, (piggle, before) in enumerate(standing):
            first = len(rolled) + _DRAWS_OF_A_KNOCK * at
            after = before
            own = self._of(piggle)
            if draws[first] < own.knock_rate(len(rolled), len(standing), before, thrower):
                after = own.after_knock(before, thrower).land(draws[first + 1], thrower)
                by, far, turn = draws[first + 2 : first + _DRAWS_OF_A_KNOCK]
                knocks.append(
                    Knock(
                        struck=piggle,
                        by=rolled[int(by * len(rolled))],
                        distance=0.003 + 0.097 * far,
                        angle=0.1 + 2.9 * turn,
                        flipped=after.orientation is not before.orientation,
                        zone_changed=after.zone is not before.zone,
                        off_board=after.zone is Zone.OFF,
                    )
                )
            landings.append((piggle, after))
        return RollResult(landings=tuple(landings), knocks=tuple(knocks))

    def provenance(self) -> dict[str, JSON]:
        """Return where the outcomes come from, for a record."""
        told: dict[str, JSON] = {
            "source": "tabular",
            "seed": self._seed,
            "model": self.odds.model,
            "odds_sha256": self._sha256,
            "odds_source": dict(self.odds.source),
        }
        return told | {"others": dict(self._others)} if self._others else told

    def _of(self, piggle: str) -> _Rolling:
        return self._of_piggles.get(piggle, self._rolling)


def check_by_odds(game: Game[Any, Any], *, remedy: str = "--chance physical") -> None:
    """Refuse to roll by odds under house rules that only bodies on a table can follow.

    Args:
        game: The rules.
        remedy: How to have physics.

    Raises:
        SpecError: If there is such a house rule; it names the first.
    """
    rules = getattr(game, "rules", None)
    wanting = rules.not_by_odds() if isinstance(rules, Switches) else ()
    if wanting:
        raise SpecError(
            f"rolls on physics for the house rule {wanting[0]}, which odds cannot follow",
            got="rolls by odds",
            remedy=remedy,
        )


def _plain(shares: Mapping[Place, float]) -> dict[Landing, float]:
    return {Landing(orientation=pose, zone=zone): at for (pose, zone), at in shares.items()}


def _put(landing: Landing, zone: Zone) -> Landing:
    return landing if landing.zone is Zone.OFF else replace(landing, zone=zone)


def _as_seen(landing: Landing, seat: Seat) -> Place:
    """Return pose and zone as if seat A threw."""
    zone = landing.zone if seat is Seat.A else _TURNED.get(landing.zone, landing.zone)
    return landing.orientation, zone


def _turned(landing: Landing) -> Landing:
    zone = _TURNED.get(landing.zone, landing.zone)
    return Landing(orientation=landing.orientation, zone=zone, leaning=landing.leaning)


def tabular_chance(
    models: Mapping[str, str], *, odds: str, seed: int, remedy: str
) -> TabularChance:
    """Return measured odds as a source of chance.

    Args:
        models: The model of each Piggle, by id.
        odds: The file of the odds, or the model they come with.
        seed: Root seed.
        remedy: What to do where the odds are not of these models.

    Raises:
        SpecError: If there are no such odds, the file is at fault, or they are of another model.
    """
    table = load_odds(odds)
    strange = {split_livery(name)[0] for name in models.values()} - {table.model}
    if strange:
        raise SpecError(
            f"teams of {table.model} alone, as the odds are of",
            got=", ".join(sorted(strange)),
            remedy=remedy,
        )
    return TabularChance(seed=seed, odds=table)
