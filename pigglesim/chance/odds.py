"""A measured table of odds: how Piggles lie by how many are thrown, and what they knock.

Odds are a small JSON file that a study of pours gives. They tell where they come from, and how far
matches that are rolled by them depart from the throws they were measured on.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from pigglesim.data_files import odds_file
from pigglesim.errors import SpecError, cut
from pigglesim.files import FileKind, fault_text, parse_json, read_text
from pigglesim.games.game import JSON
from pigglesim.landing import Landing, Orientation, Zone

Place = tuple[Orientation | None, Zone]
"""Pose and zone; no pose just off the board."""
ON_BOARD: tuple[Place, ...] = tuple(
    (pose, zone) for pose in Orientation for zone in Zone if zone is not Zone.OFF
)
"""Every pose and zone of a Piggle on the board."""
Finite = Annotated[float, Field(allow_inf_nan=False)]

_FORMAT = "pigglesim odds"
_VERSION = 2
_KIND = FileKind(name="odds")
_MOST_PIGGLES = 100
"""Thrown or standing, in any odds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowOdds:
    """How Piggles lie when a certain number of them is thrown."""

    shares: Mapping[Place, float]
    """Weight of each pose and zone, as seat A throws; a side's own fields turn with the thrower."""
    leaning: Mapping[Orientation, float]
    """Share of those of a pose that lean or lie on another."""
    throws: int
    """From which this was measured; 0 if it was not."""

    def __post_init__(self) -> None:
        _check_weights(self.shares)
        if not all(0.0 <= share <= 1.0 for share in self.leaning.values()):
            raise ValueError("a share of leaning is not from 0 to 1")

    def landings(self) -> Iterator[tuple[Landing, float]]:
        """Yield every way to lie with its weight."""
        for (pose, zone), share in self.shares.items():
            leaning = self.leaning.get(pose, 0.0) if pose else 0.0
            yield Landing(orientation=pose, zone=zone), share * (1.0 - leaning)
            if leaning:
                yield Landing(orientation=pose, zone=zone, leaning=True), share * leaning


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingOdds:
    """What becomes of a Piggle that stands in one pose and zone."""

    exposure: float
    """How easily it is hit: the chance to be missed is that of a rate, raised to this power."""
    after: Mapping[Place, float]
    """Weight of each pose and zone in which it lies once it is knocked."""
    stood: int = 0
    """Piggles of the study that stood so."""
    knocked: int = 0
    """Those of them that were knocked, from which `after` was measured."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.exposure < math.inf:
            raise ValueError("an exposure that is not a number from 0 up")
        _check_weights(self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnockOdds:
    """What becomes of Piggles that stand on the board, by how they stood."""

    rates: Mapping[tuple[int, int], float]
    """Share knocked of Piggles of exposure 1, by number thrown and number standing."""
    standing: Mapping[Place, StandingOdds]
    """By pose and zone before, as seat A throws: all 27 where there are rates."""
    pooling: str = ""
    """How places were filled on which there were few data."""

    def __post_init__(self) -> None:
        if not all(0.0 <= rate <= 1.0 for rate in self.rates.values()):
            raise ValueError("a rate of knocks is not from 0 to 1")
        if not all(0 <= number <= _MOST_PIGGLES for pair in self.rates for number in pair):
            raise ValueError(f"rates of numbers that are not from 0 to {_MOST_PIGGLES}")
        wanted = ON_BOARD if self.rates else ()
        for place in wanted:
            if place not in self.standing:
                raise ValueError(f"nothing of Piggles that stood {_word(place)}")
        for place in self.standing:
            if place not in wanted:
                raise ValueError(f"Piggles that stood {_word(place)}, and no rate of them")

    @classmethod
    def alike(
        cls, rates: Mapping[tuple[int, int], float], after: Mapping[Place, float]
    ) -> "KnockOdds":
        """Return odds by which it does not matter how a Piggle stood."""
        one = StandingOdds(exposure=1.0, after=after)
        return cls(rates=rates, standing=dict.fromkeys(ON_BOARD, one))


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """How far rolls by the odds are from the throws: total variation, and what noise makes it."""

    of: str
    """`pose and zone`, `points a pour`, `knocks a pour` or `standing Piggles`: of these how they
    lie after the throw beside how they stood, by pose and by the points that their zone pays."""
    thrown: int
    standing: int
    throws: int
    """Of either side."""
    value: Finite
    floor: Finite
    """What noise alone would make of it."""
    low: Finite
    high: Finite


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """Everything that rolls by odds depend on."""

    model: str
    thrown: Mapping[int, ThrowOdds]
    """By number thrown; the nearest stands for one that is not here."""
    knocks: KnockOdds
    source: Mapping[str, JSON] = field(default_factory=dict)
    """Where they come from."""
    departures: tuple[Departure, ...] = ()

    def __post_init__(self) -> None:
        if not self.thrown or not all(1 <= number <= _MOST_PIGGLES for number in self.thrown):
            raise ValueError(f"odds of numbers thrown that are not from 1 to {_MOST_PIGGLES}")

    @property
    def sha256(self) -> str:
        """Digest of all that rolls depend on, and of what is told of them."""
        return hashlib.sha256(odds_text(self).encode()).hexdigest()

    def of_throw(self, number: int) -> ThrowOdds:
        """Return the odds of the nearest number thrown."""
        return self.thrown[min(self.thrown, key=lambda known: (abs(known - number), known))]

    def knock_rate(self, thrown: int, standing: int, before: Place) -> float:
        """Return the share of Piggles that stood so that is knocked.

        Args:
            thrown: How many are thrown; the nearest numbers known stand for others.
            standing: How many stand.
            before: Pose and zone of one that stands, as seat A throws.
        """
        if not self.knocks.rates:
            return 0.0
        missed = 1.0 - self._rate(thrown, standing)
        return 1.0 - float(missed ** self.knocks.standing[before].exposure)

    def _rate(self, thrown: int, standing: int) -> float:
        nearest = min(
            self.knocks.rates,
            key=lambda known: (abs(known[0] - thrown), abs(known[1] - standing), known),
        )
        return self.knocks.rates[nearest]


def load_odds(name: str) -> Odds:
    """Return the odds of a file, or of a model whose odds come with pigglesim.

    Raises:
        SpecError: If there are none, or the file is at fault.
    """
    file = odds_file(name)
    try:
        return parse_odds(read_text(file, _KIND), where=file.name)
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        word = f"no {fault}" if isinstance(fault, KeyError) else str(fault)
        raise _fault(file, word) from None


def _fault(file: Path, found: str) -> SpecError:
    return SpecError(
        "a table of odds, as a study writes it",
        got=f"{file.name}: {cut(found)}",
        remedy="write it anew from the study",
    )


def parse_odds(text: str, *, where: str = "the odds") -> Odds:
    """Return the odds that a text holds.

    Args:
        text: As `odds_text` writes it.
        where: What to call it in a fault, such as the name of its file.

    Raises:
        SpecError: If it is no JSON, or goes beyond the limits of such files.
        ValueError: If it is no such text; or KeyError, TypeError or AttributeError.
    """
    table: dict[str, Any] = parse_json(text, _KIND, where=where)
    if (table["format"], table["version"]) != (_FORMAT, _VERSION):
        raise ValueError(f"format {table['format']!r} of version {table['version']!r}")
    knocks = table["knocks"]
    return Odds(
        model=str(table["model"]),
        source=dict(table["source"]),
        thrown={
            int(number): ThrowOdds(
                shares=_places(row["shares"]),
                leaning={Orientation(pose): float(at) for pose, at in row["leaning"].items()},
                throws=int(row["throws"]),
            )
            for number, row in table["thrown"].items()
        },
        knocks=KnockOdds(
            rates={
                (int(row["thrown"]), int(row["standing"])): float(row["rate"])
                for row in knocks["rates"]
            },
            standing={
                place: StandingOdds(
                    exposure=float(row["exposure"]),
                    after=_places(row["after"]),
                    stood=int(row["stood"]),
                    knocked=int(row["knocked"]),
                )
                for place, row in _by_place(knocks["standing"])
            },
            pooling=str(knocks["pooling"]),
        ),
        departures=_departures(table["departures"]),
    )


def _departures(rows: object) -> tuple[Departure, ...]:
    try:
        return TypeAdapter(tuple[Departure, ...]).validate_python(rows)
    except ValidationError as faults:
        fault = faults.errors(include_url=False)[0]
        key = ".".join(map(str, ("departures", *fault["loc"])))
        raise ValueError(f"{key}: {fault_text(fault)}") from None


def odds_text(odds: Odds) -> str:
    """Return the text that reads back as `odds`."""
    knocks = odds.knocks
    table = {
        "format": _FORMAT,
        "version": _VERSION,
        "model": odds.model,
        "source": dict(odds.source),
        "thrown": {
            str(number): {
                "throws": row.throws,
                "shares": _words(row.shares),
                "leaning": {str(pose): share for pose, share in row.leaning.items()},
            }
            for number, row in sorted(odds.thrown.items())
        },
        "knocks": {
            "rates": [
                {"thrown": thrown, "standing": standing, "rate": rate}
                for (thrown, standing), rate in sorted(knocks.rates.items())
            ],
            "pooling": knocks.pooling,
            "standing": {
                _word(place): {
                    "stood": row.stood,
                    "knocked": row.knocked,
                    "exposure": row.exposure,
                    "after": _words(row.after),
                }
                for place, row in knocks.standing.items()
            },
        },
        "departures": [asdict(each) for each in odds.departures],
    }
    return json.dumps(table, indent=1, allow_nan=False) + "\n"


def _places(table: Mapping[str, float]) -> dict[Place, float]:
    return {place: float(share) for place, share in _by_place(table)}


def _by_place(table: Mapping[str, Any]) -> Iterator[tuple[Place, Any]]:
    """Yield what a table holds by pose and zone, written as `up field:N`, or `off` alone."""
    for word, value in table.items():
        pose, _, zone = word.rpartition(" ")
        yield (Orientation(pose) if pose else None, Zone(zone)), value


def _words(shares: Mapping[Place, float]) -> dict[str, float]:
    return {_word(place): share for place, share in shares.items()}


def _word(place: Place) -> str:
    pose, zone = place
    return f"{pose} {zone}" if pose else str(zone)


def _check_weights(shares: Mapping[Place, float]) -> None:
    for pose, zone in shares:
        if (pose is None) != (zone is Zone.OFF):
            raise ValueError(f"{zone} with {pose or 'no pose'}: just off the board there is none")
    if not all(0.0 <= share < math.inf for share in shares.values()) or not sum(shares.values()):
        raise ValueError("shares of pose and zone that are no weights")
