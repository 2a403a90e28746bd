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

from pigglesim.catalog import odds_file
from pigglesim.errors import SpecError, cut
from pigglesim.files.faults import fault_text
from pigglesim.files.kinds import FileKind
from pigglesim.files.parsing import parse_json
from pigglesim.files.reading import read_text
from pigglesim.games.game import JSON
from pigglesim.rolls import Landing, Orientation, Zone

__all__ = [
    "Departure",
    "KnockOdds",
    "Odds",
    "Place",
    "ThrowOdds",
    "load_odds",
    "odds_text",
    "parse_odds",
]

Place = tuple[Orientation | None, Zone]
"""Pose and zone; no pose just off the board."""
Finite = Annotated[float, Field(allow_inf_nan=False)]

_FORMAT = "pigglesim odds"
_VERSION = 1
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
class KnockOdds:
    """What becomes of Piggles that stand on the board."""

    rates: Mapping[tuple[int, int], float]
    """Share of them that is knocked, by number thrown and number standing."""
    stays: float
    """Share of the knocked that keep pose and zone."""
    after: Mapping[Place, float]
    """Weight of each pose and zone of the others, as seat A throws; empty: as if rolled."""

    def __post_init__(self) -> None:
        if not all(0.0 <= rate <= 1.0 for rate in (*self.rates.values(), self.stays)):
            raise ValueError("a rate of knocks is not from 0 to 1")
        if not all(0 <= number <= _MOST_PIGGLES for pair in self.rates for number in pair):
            raise ValueError(f"rates of numbers that are not from 0 to {_MOST_PIGGLES}")
        if self.after:
            _check_weights(self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """How far rolls by the odds are from the throws: total variation, and what noise makes it."""

    of: str
    """`pose and zone`, `points a pour` or `knocks a pour`."""
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

    def knock_rate(self, thrown: int, standing: int) -> float:
        """Return the share that is knocked, of the nearest numbers known; 0 if none is."""
        nearest = min(
            self.knocks.rates,
            key=lambda known: (abs(known[0] - thrown), abs(known[1] - standing), known),
            default=None,
        )
        return self.knocks.rates[nearest] if nearest else 0.0


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
            stays=float(knocks["stays"]),
            after=_places(knocks["after"]),
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
            "stays": knocks.stays,
            "after": _words(knocks.after),
        },
        "departures": [asdict(each) for each in odds.departures],
    }
    return json.dumps(table, indent=1, allow_nan=False) + "\n"


def _places(table: Mapping[str, float]) -> dict[Place, float]:
    """Return weights by pose and zone, written as `up field:N`, or `off` alone."""
    found: dict[Place, float] = {}
    for word, share in table.items():
        pose, _, zone = word.rpartition(" ")
        found[Orientation(pose) if pose else None, Zone(zone)] = float(share)
    return found


def _words(shares: Mapping[Place, float]) -> dict[str, float]:
    return {f"{pose} {zone}" if pose else str(zone): at for (pose, zone), at in shares.items()}


def _check_weights(shares: Mapping[Place, float]) -> None:
    for pose, zone in shares:
        if (pose is None) != (zone is Zone.OFF):
            raise ValueError(f"{zone} with {pose or 'no pose'}: just off the board there is none")
    if not all(0.0 <= share < math.inf for share in shares.values()) or not sum(shares.values()):
        raise ValueError("shares of pose and zone that are no weights")
