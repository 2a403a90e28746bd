"""Measured odds: landings of Piggles by the number thrown, and the fate of standing ones.

A study of pours writes odds as a small JSON file. It names the studies, and reports the departure
of rolls by the odds from the measured throws.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from pigglesim.data_files import odds_file
from pigglesim.errors import SpecError, cut
from pigglesim.files import FileKind, fault_text, parse_json, read_text
from pigglesim.landing import Landing, Orientation, Zone

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Place = tuple[Orientation | None, Zone]
"""Orientation and zone; the orientation is None only off the board."""
ON_BOARD: tuple[Place, ...] = tuple(
    (orientation, zone) for orientation in Orientation for zone in Zone if zone is not Zone.OFF
)
"""Every orientation and zone of a Piggle on the board."""
_FORMAT = {"format": "pigglesim odds", "version": 2}
_KIND = FileKind(name="odds")
_MAX_PIGGLES = 100
"""Maximum number of Piggles thrown or standing."""


def _read_place(text: object) -> object:
    """Return the parts of a place in a file, such as `up field:N`; `off` has no orientation."""
    if not isinstance(text, str):
        return text
    orientation, _, zone = text.rpartition(" ")
    return orientation or None, zone


def _place_text(place: Place) -> str:
    return " ".join(filter(None, place))


def _read_rates(rows: Any) -> Any:  # noqa: ANN401 (JSON)
    if not isinstance(rows, list):
        return rows
    return {(row["thrown"], row["standing"]): row["rate"] for row in rows}


def _rate_rows(rates: Mapping[tuple[int, int], float]) -> list[dict[str, Any]]:
    return [
        {"thrown": thrown, "standing": standing, "rate": rate}
        for (thrown, standing), rate in sorted(rates.items())
    ]


class _Read:
    """Mark of a value that a function reads from JSON."""

    def __init__(self, read: Callable[[Any], object]) -> None:
        self._read = read

    def __get_pydantic_core_schema__(self, source: object, handler: Any) -> Any:  # noqa: ANN401 (of pydantic, which is slow to import)
        from pydantic import BeforeValidator  # noqa: PLC0415 (slow to import)

        reader: Any = BeforeValidator(self._read)
        return reader.__get_pydantic_core_schema__(source, handler)


class _Bounds:
    """Mark of a number within bounds, both included."""

    def __init__(self, **bounds: float) -> None:
        self._bounds = bounds

    def __get_pydantic_core_schema__(self, source: object, handler: Any) -> Any:  # noqa: ANN401 (as above)
        return {**handler(source), **self._bounds}


_PlaceText = Annotated[Place, _Read(_read_place)]
_Weight = Annotated[float, _Bounds(ge=0.0)]
_Share = Annotated[float, _Bounds(ge=0.0, le=1.0)]
_Thrown = Annotated[int, _Bounds(ge=1, le=_MAX_PIGGLES)]
_Count = Annotated[int, _Bounds(ge=0, le=_MAX_PIGGLES)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowOdds:
    """Landings when a given number of Piggles is thrown."""

    throws: int
    """Number of measured throws; 0 if the odds were not measured."""
    shares: Mapping[_PlaceText, _Weight]
    """Weight of each place when seat A throws; each side's fields turn with the thrower."""
    leaning: Mapping[Orientation, _Share]
    """Share of each orientation that leans or lies on another Piggle."""

    def __post_init__(self) -> None:
        _check_weights(self.shares)

    def landings(self) -> Iterator[tuple[Landing, float]]:
        """Yield every landing with its weight."""
        for (orientation, zone), share in self.shares.items():
            leaning = self.leaning.get(orientation, 0.0) if orientation else 0.0
            yield Landing(orientation=orientation, zone=zone), share * (1.0 - leaning)
            if leaning:
                yield Landing(orientation=orientation, zone=zone, leaning=True), share * leaning


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingOdds:
    """Fate of a Piggle that stands in one place."""

    stood: int = 0
    """Number of Piggles in the study that stood there."""
    knocked: int = 0
    """Number of those that were knocked, from which `after` was measured."""
    exposure: _Weight
    """Exponent of the probability that a Piggle is missed: (1 - rate) ** exposure."""
    after: Mapping[_PlaceText, _Weight]
    """Weight of each place after a knock."""

    def __post_init__(self) -> None:
        _check_weights(self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnockOdds:
    """Fate of all Piggles that stand on the board, by their places."""

    rates: Annotated[Mapping[tuple[_Count, _Count], _Share], _Read(_read_rates)]
    """Share of Piggles of exposure 1 that is knocked, by numbers thrown and standing."""
    pooling: str = ""
    """Method by which places with few data were filled."""
    standing: Mapping[_PlaceText, StandingOdds]
    """Odds by place before the throw when seat A throws; all of `ON_BOARD` if there are rates."""

    def __post_init__(self) -> None:
        required = ON_BOARD if self.rates else ()
        for place in required:
            if place not in self.standing:
                raise ValueError(f"no odds of Piggles that stood {_place_text(place)}")
        for place in self.standing:
            if place not in required:
                raise ValueError(f"odds of Piggles that stood {_place_text(place)} without a rate")


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """Total variation distance between rolls by the odds and the measured throws."""

    of: str
    """Quantity compared: `pose and zone`, `points a pour`, `knocks a pour` or `standing Piggles`
    (place after the throw against place before it, by orientation and by points of the zone)."""
    thrown: int
    standing: int
    throws: int
    """Number of throws on either side."""
    value: float
    floor: float
    """Distance expected from noise alone."""
    low: float
    high: float

    @property
    def quantity(self) -> str:
        """Quantity compared, in words for people."""
        return self.of.replace(" a ", " per ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """Parameters of rolls by odds."""

    model: str
    source: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Studies from which they were measured, as plain values."""
    thrown: Mapping[_Thrown, ThrowOdds] = field(repr=False)
    """Odds by number thrown; the nearest number replaces an unknown one."""
    knocks: KnockOdds = field(repr=False)
    departures: tuple[Departure, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if not self.thrown:
            raise ValueError("no odds of any number thrown")

    @property
    def sha256(self) -> str:
        """Digest of the text of the odds."""
        return hashlib.sha256(odds_text(self).encode()).hexdigest()

    def of_throw(self, number: int) -> ThrowOdds:
        """Return the odds of the nearest number thrown."""
        return self.thrown[min(self.thrown, key=lambda known: (abs(known - number), known))]

    def knock_rate(self, thrown: int, standing: int, place: Place) -> float:
        """Return the share of Piggles standing in a place that is knocked.

        The place is as seen by seat A when it throws. The nearest known numbers replace others.
        """
        rates = self.knocks.rates
        if not rates:
            return 0.0
        nearest = min(rates, key=lambda key: (abs(key[0] - thrown), abs(key[1] - standing), key))
        missed = 1.0 - rates[nearest]
        return 1.0 - float(missed ** self.knocks.standing[place].exposure)


def _check_weights(shares: Mapping[Place, float]) -> None:
    for orientation, zone in shares:
        if (orientation is None) != (zone is Zone.OFF):
            shown = orientation or "no orientation"
            raise ValueError(f"{zone} with {shown}: only Piggles off the board have none")
    if not 0.0 < sum(shares.values()) < math.inf:
        raise ValueError("shares of places without a positive, finite sum")


@cache
def _adapter() -> "TypeAdapter[Odds]":
    from pydantic import ConfigDict, TypeAdapter  # noqa: PLC0415 (slow to import)

    # The configuration of the outermost class holds for all that it contains.
    Odds.__pydantic_config__ = ConfigDict(allow_inf_nan=False)  # type: ignore[attr-defined]
    return TypeAdapter(Odds)


def load_odds(name: str) -> Odds:
    """Return the odds of a file, or the supplied odds of a model.

    Raises:
        SpecError: If there are none, or the file is invalid.
    """
    file = odds_file(name)
    return parse_odds(read_text(file, _KIND), where=file.name)


def parse_odds(text: str, *, where: str = "the odds") -> Odds:
    """Return the odds in a text of `odds_text`.

    Errors name the source `where`.

    Raises:
        SpecError: If it is not such a text, or exceeds the limits of such files.
    """
    from pydantic import ValidationError  # noqa: PLC0415 (slow to import)

    table = parse_json(text, _KIND, where=where)
    try:
        if (header := {key: table.pop(key) for key in _FORMAT}) != _FORMAT:
            raise ValueError(f"format {header['format']!r} of version {header['version']!r}")
        return _adapter().validate_json(json.dumps(table), strict=True)
    except ValidationError as faults:
        fault = faults.errors(include_url=False)[0]
        problem = f"{'.'.join(map(str, fault['loc']))}: {fault_text(fault)}"
    except KeyError as fault:
        problem = f"no {fault}"
    except (ValueError, TypeError, AttributeError) as fault:
        problem = str(fault)
    raise SpecError(
        f"invalid odds in {where}: {cut(problem)}", fix="write the odds again from their study"
    )


def odds_text(odds: Odds) -> str:
    """Return the text that `parse_odds` reads as `odds`."""
    ordered = replace(odds, thrown=dict(sorted(odds.thrown.items())))
    table = {**_FORMAT, **_plain(ordered)}
    return json.dumps(table, indent=1, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:  # noqa: ANN401 (JSON)
    """Return a value of odds as plain values."""
    if is_dataclass(value):
        parts = ((spec.name, getattr(value, spec.name)) for spec in fields(value))
        return {name: _rate_rows(part) if name == "rates" else _plain(part) for name, part in parts}
    if isinstance(value, Mapping):
        return {
            _place_text(key) if isinstance(key, tuple) else key: _plain(part)
            for key, part in value.items()
        }
    return [*map(_plain, value)] if isinstance(value, list | tuple) else value
