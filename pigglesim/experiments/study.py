"""Studies: the factors that vary, the cells of their levels, and their shards.

`docs/formats/study.md` lists the keys of a study file.
"""

import difflib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum, unique
from itertools import product
from math import ceil, degrees, inf, isfinite, prod, radians, sqrt
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from pigglesim.errors import SpecError, cut, unknown_name
from pigglesim.experiments.statistics import normal_quantile
from pigglesim.files import FileKind, expected_value, read_toml
from pigglesim.landing import MAX_HEADING, MAX_SWING, Seat
from pigglesim.rng import MAX_SUB_SEED
from pigglesim.scene.load import load_floor, load_scene
from pigglesim.scene.scene import INCH, Flip, Floor, Release, Roll, Scene, Surface, Tower, Tumbler
from pigglesim.throws import DRAW_BLOCK, swing_of, swung
from pigglesim.units import quantity, unit_named


@unique
class ThrowKind(StrEnum):
    """Kind of a throw."""

    DROP = "drop"
    """One die dropped on a floor without end."""
    FLIP = "flip"
    """One die tossed up by a thumb, spinning about an axis of its own."""
    ROLL = "roll"
    """One die thrown along the floor, against a wall or not."""
    TUMBLER = "tumbler"
    """One die in a box that turns."""
    TOWER = "tower"
    """One die through a dice tower."""
    POUR = "pour"
    """A cup of dice poured onto an empty board."""
    KNOCK = "knock"
    """A cup of dice poured onto the other team, which stands on the board."""

    @property
    def single(self) -> bool:
        """Whether it throws one die on a floor."""
        return self not in {ThrowKind.POUR, ThrowKind.KNOCK}

    @property
    def work(self) -> str:
        """Kind of work for which its code is compiled."""
        if not self.single:
            return "pours"
        return "drops" if self is ThrowKind.DROP else "throws"


_RELEASES: Mapping[ThrowKind, Release] = {
    ThrowKind.FLIP: Flip(),
    ThrowKind.ROLL: Roll(),
    ThrowKind.TUMBLER: Tumbler(),
    ThrowKind.TOWER: Tower(),
}


def floor_for(kind: ThrowKind, name: str) -> Floor:
    """Return a floor for throws of a kind; a drop is the floor's own.

    Raises:
        SpecError: If there is no such floor, or its file is faulty.
    """
    return thrown_as(kind, load_floor(name))


def thrown_as(kind: ThrowKind, floor: Floor) -> Floor:
    """Return a floor with the usual throw of a kind of single dice; a drop is the floor's own."""
    return floor if kind is ThrowKind.DROP else replace(floor, fall=_RELEASES[kind])


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Conditions of the throws of one cell, without the seed."""

    models: tuple[str, ...]
    """Model that is dropped, or models of all dice in the cup."""
    place: Floor | Scene
    material: str = "plastic"
    """Material of a die that is dropped."""
    ballast_g: float | None = None
    """Mass of the ballast of the models [g]; None for their own."""
    standing: int | None = None
    """Number of the other team on the board; None for all."""
    engine: str = ""

    @property
    def floor(self) -> Floor:
        """The floor on which dice are dropped."""
        assert isinstance(self.place, Floor)
        return self.place

    @property
    def scene(self) -> Scene:
        """The scene into which dice are poured."""
        assert isinstance(self.place, Scene)
        return self.place

    @property
    def surface(self) -> Surface:
        """Contact of the dropped die and the floor."""
        return self.floor.surface(self.material)


Level = str | int | float
"""Value of a factor."""
_Change = Callable[[Setup, Any], Setup]


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """A quantity that a study may vary."""

    name: str
    unit: str
    """Unit of its levels; empty for a name or a plain number."""
    about: str
    change: _Change
    low: float = 0.0
    high: float = inf
    above: bool = False
    """True if `low` itself is too low."""
    kind: type[str] | type[int] | type[float] = float

    @property
    def column(self) -> str:
        """Name of its column in the store, where `model` and `standing` describe each die."""
        return {"model": "models", "standing": "stood"}.get(self.name, self.name)

    @property
    def column_type(self) -> str:
        """DuckDB type of that column."""
        return {str: "VARCHAR", int: "INTEGER", float: "DOUBLE"}[self.kind]

    @property
    def bare_name(self) -> str:
        """Its name without the unit at its end."""
        return self.name.removesuffix(f"_{self.unit.replace('/', '_').lower()}")

    @property
    def bounds(self) -> str:
        """Its possible levels, as text."""
        if self.kind is str:
            return "names"
        low = f"above {self.low:g}" if self.above else f"{self.low:g}"
        high = f" to {self.high:g}" if isfinite(self.high) else " or more"
        return f"{low}{high} {self.unit}".strip()

    @property
    def label(self) -> str:
        """Its name with its unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


def _replaced(record: Any, path: str, value: object) -> Any:  # noqa: ANN401 (any dataclass)
    """Return a dataclass with the value at a dotted path replaced; `*` is every entry of a dict."""
    name, _, remainder = path.partition(".")
    if not name:
        return value
    if name == "*":
        return {key: _replaced(entry, remainder, value) for key, entry in record.items()}
    return replace(record, **{name: _replaced(getattr(record, name), remainder, value)})


def _number(name: str, unit: str, bounds: str, about: str, *paths: str) -> Factor:
    """Return the factor that sets numbers of the table or the floor, in SI units.

    Levels and bounds are in `unit`, and a round bracket excludes the lower bound; `paths` lead to
    the numbers within the place.
    """
    known_unit = unit_named(unit)
    size = 1.0 if known_unit is None else known_unit.size
    low, high = map(float, bounds[1:-1].split(","))

    def change(setup: Setup, value: float) -> Setup:
        for path in paths:
            setup = _replaced(setup, f"place.{path}", value * size)
        return setup

    above = bounds.startswith("(")
    return Factor(name=name, unit=unit, about=about, change=change, low=low, high=high, above=above)


def _model(setup: Setup, value: str) -> Setup:
    if isinstance(setup.place, Scene):
        names = tuple(name.strip() for name in value.split(","))
        # One name fills the cup; a list names each die in it.
        cup = names * setup.scene.capacity if len(names) == 1 else names
        if len(cup) > setup.scene.capacity:
            raise _too_many(len(cup), setup.scene)
        return replace(setup, models=cup)
    return replace(setup, models=(value,))


def _number_of_dice(setup: Setup, value: int) -> Setup:
    if value > len(setup.models):
        raise _too_many(value, setup.scene, len(setup.models))
    return replace(setup, models=setup.models[:value])


def _standing(setup: Setup, value: int) -> Setup:
    team = len(setup.scene.teams[Seat.B])
    if value > team:
        raise SpecError(
            f"invalid standing {value}: {setup.scene.id} has a team of {team}",
            fix=f"use standing = {team} or fewer",
        )
    return replace(setup, standing=value)


def _too_many(count: int, scene: Scene, limit: int | None = None) -> SpecError:
    limit = limit or scene.capacity
    return SpecError(
        f"{count} dice are too many for the cup of {scene.id}", fix=f"use number = {limit} or fewer"
    )


def _material(setup: Setup, value: str) -> Setup:
    setup.floor.surface(value)
    return replace(setup, material=value)


def _back(setup: Setup, value: float) -> Setup:
    hand = setup.scene.hand
    travel = hand.start_back - hand.end_back
    moved = replace(hand, end_back=value * INCH, start_back=value * INCH + travel)
    return replace(setup, place=replace(setup.scene, hand=moved))


def _swing(setup: Setup, value: float) -> Setup:
    hand = setup.scene.hand
    return replace(setup, place=replace(setup.scene, hand=swung(hand, value, hand.heading)))


def _heading(setup: Setup, value: float) -> Setup:
    hand = setup.scene.hand
    turned = swung(hand, swing_of(hand), radians(value))
    return replace(setup, place=replace(setup.scene, hand=turned))


def _named(name: str, about: str, change: _Change) -> Factor:
    return Factor(name=name, unit="", about=about, change=change, kind=str)


def _count(name: str, about: str, change: _Change) -> Factor:
    return Factor(name=name, unit="", about=about, change=change, low=1, high=100, kind=int)


_BOUNCE = "ratio of the speeds after and before an impact"


def _shared(every: str, floor: str, contacts: Sequence[str], surface: str) -> tuple[Factor, ...]:
    """Return the factors that drops and pours share, described for one of them."""
    friction, restitution = f"Coulomb coefficient {every}", f"{_BOUNCE} {every}"
    frictions = [f"{contact}.friction" for contact in contacts]
    restitutions = [f"{contact}.restitution" for contact in contacts]
    rolling, spinning = (f"lever of the {floor} against {way}" for way in ("rolling", "spinning"))
    return (
        _named("model", "model thrown", _model),
        _number("friction", "", "(0, 5]", friction, *frictions),
        _number("restitution", "", "[0, 1]", restitution, *restitutions),
        _number("rolling_lever_mm", "mm", "[0, 100]", rolling, f"{surface}rolling_lever"),
        _number("spinning_lever_mm", "mm", "[0, 100]", spinning, f"{surface}spinning_lever"),
        Factor(
            name="ballast_g",
            unit="g",
            about="weight of the ballast in its pocket",
            change=lambda setup, value: replace(setup, ballast_g=value),
            high=1000.0,
            above=True,
        ),
        _number("time_step_ms", "ms", "[0.01, 4]", "time step", "stepping.time_step"),
        _named("engine", "physics engine", lambda setup, name: replace(setup, engine=name)),
    )


_DRIFT, _SPIN = "spread of each horizontal velocity", "spread of each component of the spin"


def _direction(field: str, *, optional: bool) -> _Change:
    """Return the change of a direction of a flip: x, -y, z, or three numbers such as 1:1:0."""

    def change(setup: Setup, value: str) -> Setup:
        letter = value.removeprefix("-")
        words = [f"{float(letter == axis)}" for axis in "xyz"] if letter in {*"xyz"} else []
        sign = -1.0 if value.startswith("-") and words else 1.0
        try:
            numbers = tuple(sign * float(word) for word in words or value.split(":"))
        except ValueError:
            numbers = ()
        known = len(numbers) == 3 and 1e-6 < sum(map(abs, numbers)) < inf
        if not known and not (optional and value == "any"):
            raise SpecError(
                f"invalid {field} {cut(repr(value))} of a flip",
                expected=f"x, -y, z, or three numbers such as 1:1:0{', or any' * optional}",
                fix=f"use {field} = z",
            )
        return _with_throw(setup, **{field: numbers if known else None})

    return change


def _with_throw(setup: Setup, **changes: object) -> Setup:
    """Return a set-up with parameters of its throw changed."""
    fall: Release = replace(setup.floor.fall, **changes)  # type: ignore[arg-type]
    return replace(setup, place=replace(setup.floor, fall=fall))


def _caught(setup: Setup, value: str) -> Setup:
    if value not in {"no", "yes"}:
        raise SpecError(f"invalid caught {value!r}", expected="yes or no", fix="use caught = yes")
    return _with_throw(setup, caught=value == "yes")


def _single(kind: ThrowKind) -> tuple[Factor, ...]:
    """Return the factors of throws of single dice of a kind."""
    floor = _named(
        "floor",
        "floor of the throw",
        lambda setup, name: replace(setup, place=floor_for(kind, name)),
    )
    shared = _shared("of die and floor", "floor", ["surfaces.*.contact"], "surfaces.*.")
    # First the floor, as all others change what is there.
    return (floor, *shared, _named("material", "material of the die", _material), *_THROWS[kind])


_TOSS = "spread of speed and spin from throw to throw, relative"
_DRIFTS = _number("drift_spread_m_s", "m/s", "[0, 10]", _DRIFT, "fall.drift_spread")
_SPINS = _number("spin_spread_rad_s", "rad/s", "[0, 500]", _SPIN, "fall.spin_spread")
_HEIGHT = _number("height_mm", "mm", "(0, 10000]", "height of the throw", "fall.height")
_DROP = (_HEIGHT, _DRIFTS, _SPINS)
_FLIP = (
    _HEIGHT,
    _number("rise_mm", "mm", "(0, 10000]", "rise above the hand", "fall.rise"),
    _number("spin_rad_s", "rad/s", "[0, 500]", "angular speed about the axis", "fall.spin"),
    _number("throw_spread", "", "[0, 0.45]", _TOSS, "fall.spread"),
    _number(
        "wobble_spread_rad_s",
        "rad/s",
        "[0, 500]",
        "spread of each component of the spin across the axis",
        "fall.wobble_spread",
    ),
    _DRIFTS,
    _named(
        "axis",
        "axis of the spin in the body: x, y, z, or 1:1:0",
        _direction("axis", optional=False),
    ),
    _named("start", "direction down in the hand: -z, or any", _direction("start", optional=True)),
    _named("caught", "yes if a hand catches it, as high as it started", _caught),
)
_ROLL = (
    _HEIGHT,
    _number("speed_m_s", "m/s", "[0, 20]", "horizontal speed", "fall.speed"),
    _number("throw_spread", "", "[0, 0.45]", _TOSS, "fall.spread"),
    _number("rolling", "", "[-2, 2]", "spin over that of rolling without slip", "fall.rolling"),
    _SPINS,
    _number("wall_mm", "mm", "[0, 10000]", "distance of a wall; 0 for none", "fall.wall"),
)
_TUMBLER = (
    _number("length_mm", "mm", "(0, 1000]", "side of the box, inside", "fall.length"),
    _number("rate_rad_s", "rad/s", "[0.2, 20]", "angular speed of the box", "fall.rate"),
    _SPINS,
)
_TOWER = (
    _HEIGHT,
    Factor(
        name="baffles",
        unit="",
        about="baffles of the tower",
        change=lambda setup, value: _with_throw(setup, baffles=value),
        low=1,
        high=12,
        kind=int,
    ),
    _number("width", "", "[2.6, 10]", "width over the diameter of the die", "fall.width"),
    _number("slope_deg", "deg", "[40, 75]", "slope of the baffles", "fall.slope"),
    _SPINS,
)
_CONTACTS = ("contacts.board", "contacts.piggle", "contacts.cup")
_BOARD_FRICTION = "Coulomb coefficient of board and die alone"
_BOARD_BOUNCE = f"{_BOUNCE} of board and die alone"
_HEADING = "spread of the direction"
_LIP, _TEMPO = "height of the cup above the board", "spread of the logarithm of all times"
_TABLE = _named(
    "scene", "table of the pour", lambda setup, name: replace(setup, place=load_scene(name))
)
_POUR = (
    *_shared("of every pair", "board", _CONTACTS, "contacts."),
    _number("board_friction", "", "(0, 5]", _BOARD_FRICTION, "contacts.board.friction"),
    _number("board_restitution", "", "[0, 1]", _BOARD_BOUNCE, "contacts.board.restitution"),
    _count("number", "dice in the cup", _number_of_dice),
    _number("shake_s", "s", "[0, 60]", "time for which the cup is shaken", "hand.shake_time"),
    _number("shake_hz", "Hz", "(0, 100]", "frequency of the shaking", "hand.shake_frequency"),
    _number("tip_s", "s", "[0.05, 10]", "time from upright to fully tipped", "hand.tip_time"),
    _number("tip_deg", "deg", "[95, 180]", "angle to which the cup is tipped", "hand.tip_angle"),
    _number("lip_height_in", "in", "[0, 100]", _LIP, "hand.lip_height"),
    Factor(
        name="end_back_in",
        unit="in",
        about="distance of the tipped cup behind the middle of the board",
        change=_back,
        high=100.0,
    ),
    _number(
        "across_in",
        "in",
        "[-100, 100]",
        "distance of the cup to the right of the middle",
        "hand.across",
    ),
    Factor(
        name="swing_m_s",
        unit="m/s",
        about="greatest speed of the cup while it is tipped",
        change=_swing,
        high=MAX_SWING,
    ),
    Factor(
        name="heading_deg",
        unit="deg",
        about="direction of swing and tip, to the right of straight ahead",
        change=_heading,
        low=-degrees(MAX_HEADING),
        high=degrees(MAX_HEADING),
    ),
    _number("across_spread_in", "in", "[0, 100]", "spread of the aim", "hand.across_spread"),
    _number("heading_spread_deg", "deg", "[0, 45]", _HEADING, "hand.heading_spread"),
    _number("tempo_spread", "", "[0, 0.5]", _TEMPO, "hand.tempo_spread"),
)
_KNOCK = (*_POUR, _count("standing", "number of Piggles of the other team that stand", _standing))
_THROWS = {
    ThrowKind.DROP: _DROP,
    ThrowKind.FLIP: _FLIP,
    ThrowKind.ROLL: _ROLL,
    ThrowKind.TUMBLER: _TUMBLER,
    ThrowKind.TOWER: _TOWER,
}
_ALL = {
    **{kind: _single(kind) for kind in _THROWS},
    ThrowKind.POUR: (_TABLE, *_POUR),
    ThrowKind.KNOCK: _KNOCK,
}


def factors_of(kind: ThrowKind) -> dict[str, Factor]:
    """Return the factors that a study of this kind may vary, by name."""
    return {factor.name: factor for factor in _ALL[kind]}


def release_of(kind: ThrowKind, floor: Floor, levels: Mapping[str, Level]) -> Release:
    """Return the throw of a single die of a kind on a floor, with factors of the throw changed.

    Raises:
        SpecError: If a factor is not one of the throw, or a level is invalid.
    """
    own = {factor.name: factor for factor in _THROWS[kind]}
    setup = Setup(models=(), place=thrown_as(kind, floor))
    for name, level in levels.items():
        if name not in own:
            raise unknown_name(f"parameter of a {kind}", name, own)
        setup = own[name].change(setup, checked_level(own[name], level))
    return setup.floor.fall


def factor(kind: ThrowKind, name: str) -> Factor:
    """Return the factor of that name; the unit and leading words may be left out.

    For example, `height` is `height_mm` of a drop and `lip_height_in` of a pour.

    Raises:
        SpecError: If there is none, or there are several; it lists all factors with their units.
    """
    factors = factors_of(kind)
    if name in factors:
        return factors[name]
    matches = [factor for factor in factors.values() if f"_{factor.bare_name}".endswith(f"_{name}")]
    if len(matches) == 1 and name:
        return matches[0]
    suggestions = [factor.name for factor in matches] if name else []
    suggestions = suggestions or difflib.get_close_matches(name, factors, n=3, cutoff=0.5)
    listed = ", ".join(factor.label for factor in factors.values())
    raise SpecError(
        f"unknown factor {name!r} of a {kind}",
        expected=listed,
        fix=f"use {' or '.join(suggestions) or next(iter(factors))}",
    )


def checked_level(factor: Factor, value: object, *, name: str | None = None) -> Level:
    """Return a level of a factor, from a file or a flag, as its own kind of value.

    Args:
        factor: Factor.
        value: Number in its unit, or text that may have another unit, such as `2in`.
        name: Name given to the factor; without its unit, each level must have one.

    Raises:
        SpecError: If it has the wrong kind, or is out of bounds.
    """
    text = cut(str(value))
    if factor.kind is str:
        if not isinstance(value, str) or not value.strip():
            raise SpecError(
                f"invalid level {value!r} of {factor.name}", fix=f"name a {factor.name} in quotes"
            )
        return value.strip()
    number = _in_its_unit(factor, value)
    if factor.unit and name not in {None, factor.name} and _plain_number(value) is not None:
        raise SpecError(
            f"level {text} of {name} has no unit",
            fix=f"use {name}={text}{factor.unit}{_other_units(factor)}",
        )
    high_enough = number > factor.low if factor.above else number >= factor.low
    integral = factor.kind is not int or number % 1 == 0
    if not (isfinite(number) and high_enough and number <= factor.high and integral):
        noun = "a whole number" if factor.kind is int else "a number"
        low_bound = f"above {factor.low:g} and up to" if factor.above else f"from {factor.low:g} to"
        raise SpecError(
            f"invalid level {text} of {factor.label}",
            expected=f"{noun} {low_bound} {factor.high:g}",
            fix=f"change the levels of {factor.name}{_other_units(factor)}",
        )
    return int(number) if factor.kind is int else number


def _in_its_unit(factor: Factor, value: object) -> float:
    """Return a level as a number in the unit of its factor; infinity if it is not one."""
    unit = unit_named(factor.unit)
    if unit is not None and isinstance(value, str):
        number = quantity(value, unit)
    else:
        number = None if isinstance(value, bool) else _plain_number(value)
    return inf if number is None else number


def _plain_number(value: object) -> float | None:
    """Return a level as a number; None if it has a unit or is not a number."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def _other_units(factor: Factor) -> str:
    unit = unit_named(factor.unit)
    names = [] if unit is None else list(unit.dimension.units)
    return f"; units are {', '.join(names)}" if len(names) > 1 else ""


def applied(kind: ThrowKind, setup: Setup, levels: Mapping[str, Level]) -> Setup:
    """Return the setup with each factor at its level, in the order of the factors."""
    for name, factor in factors_of(kind).items():
        if name in levels:
            setup = factor.change(setup, levels[name])
    return setup


def default_place(kind: ThrowKind) -> str:
    """Return the floor or scene on which a kind is thrown unless another is named."""
    return "tabletop" if kind.single else "piggles_classic"


_DEFAULT_MODELS = ("piggle",)
_MAX_THROWS = 10**12
_MAX_CELLS = 10_000
_MAX_SHARDS = 10**7
"""Maximum files of a study."""
_MAX_SINGLES, _MAX_POURS = 10**6, 10**5
"""Maximum throws of one file, which are all held in memory at once."""
_MIN_SHARDS = 16
"""Minimum shards, also of small studies, so that every worker has something to do."""
_FILE = FileKind(name="study")
_Word = Annotated[str, Field(min_length=1, max_length=4096)]


def _integral(value: object) -> object:
    """Return a float such as `1e4` as an integer; return any other value unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_Count = Annotated[int, BeforeValidator(_integral), Field(ge=1)]


class _StudyFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    kind: Annotated[ThrowKind, Field(strict=False)] = ThrowKind.DROP
    models: list[_Word] = [*_DEFAULT_MODELS]
    scene: _Word | None = None
    floors: _Word | None = None
    engine: _Word | None = None
    seed: int | None = None
    throws: _Count | None = None
    half_width: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] | None = None
    level: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] | None = None
    max_throws: _Count | None = None
    shard_size: _Count | None = None
    factors: dict[str, list[Level]] = {}


def read_table(path: Path) -> dict[str, Any]:
    """Return the table of a study file, not yet checked.

    Raises:
        SpecError: If it cannot be read, is not TOML, or exceeds the limits of study files.
    """
    if not path.exists():
        raise SpecError(
            f"no file {str(path)!r}", fix="check the path, or use query, show, report or odds"
        )
    return read_toml(path, _FILE)


def checked_table(table: Mapping[str, Any], *, source: str) -> dict[str, Any]:
    """Return a study's table with values of the right types, without absent keys.

    `source` is the name of the table in errors.

    Raises:
        SpecError: If a key is unknown, or a value is invalid.
    """
    try:
        file = _StudyFile.model_validate(dict(table))
    except ValidationError as faults:
        fault = faults.errors(include_url=False)[0]
        parts = [str(part) for part in fault["loc"] if not str(part)[:1].isupper()]
        # Of a level, which may be a number or text, the last part is one of these types.
        is_level = parts[-1] in {"int", "float", "str"}
        key = ".".join(parts[:-1] if is_level else parts)
        if fault["type"] == "extra_forbidden":
            raise unknown_name(f"key in {source}", key, _StudyFile.model_fields) from None
        raise SpecError(
            f"invalid {key} {cut(repr(fault['input']), 60)} in {source}",
            expected="a number, or text in quotes" if is_level else expected_value(fault),
            fix=f"change {key}",
        ) from None
    if "models" in table and "model" in file.factors:
        raise _models_twice()
    return file.model_dump(exclude_none=True)


def _models_twice() -> SpecError:
    return SpecError("models and the factor model are both set", fix="leave one out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """The throws of one file: some consecutive trials of one cell."""

    number: int
    cell: int
    trials: range
    first_throw: int
    """Number of the first of them among all throws of the study."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """Throws of a number of cells: their kind, number and conditions.

    A cell is one combination of factor levels. Trial k of every cell starts from the same random
    numbers. Throws are cut into blocks of trials; a block has one shard per cell, and throws are
    numbered shard by shard.

    Raises:
        SpecError: If a value is invalid, or values contradict each other.
    """

    kind: ThrowKind = ThrowKind.DROP
    models: tuple[str, ...] = _DEFAULT_MODELS
    """Models thrown. More than one are levels of the factor `model`; for a pour an entry may list
    the dice in the cup, separated by commas."""
    scene: str = ""
    """Scene of a pour or floor of a drop: a name or a file; empty for the kind's default, or for
    the first level where it is a factor."""
    floors: str = ""
    """Fit of which each throw draws a floor: a name, a folder or a file; empty for none."""
    engine: str = "bullet"
    seed: int = 1
    factors: Mapping[str, tuple[Level, ...]] = field(default_factory=dict)
    """Levels by factor; every combination is a cell."""
    shard_size: int = 0
    """Throws per shard; 0 chooses by the size of the study."""
    throws: int = 0
    """Throws of each cell; 0 where `half_width` decides."""
    half_width: float = 0.0
    """Required half-width of every orientation's interval in every cell; 0 for none."""
    level: float = 0.0
    """Confidence level of these intervals; 0 for .95."""
    max_throws: int = 0
    """Largest number of throws of each cell; 0 for twice what a share of one half needs."""

    def __post_init__(self) -> None:
        _check("seed", self.seed, 0, MAX_SUB_SEED, fix="use --seed 1")
        self._check_precision()
        if (self.throws > 0) == bool(self.half_width):
            raise SpecError(
                "throws and half_width are both set" if self.throws else "no number of throws",
                fix="use either --throws 20000 or --half-width 0.002",
            )
        _check("throws", self.throws, 0, _MAX_THROWS, fix="use --throws 20000")
        if not self.models or not all(self.models):
            raise SpecError("no model to throw", fix="use --model piggle")
        object.__setattr__(self, "models", tuple(self.models))
        object.__setattr__(self, "factors", self._checked_factors())
        object.__setattr__(self, "scene", self._first_place())
        if "model" in self.factors:
            # Models and the factor model are two ways to write the same study.
            object.__setattr__(self, "models", tuple(map(str, self.factors["model"])))
            if len(self.models) == 1:
                varied = {name: levels for name, levels in self.factors.items() if name != "model"}
                object.__setattr__(self, "factors", varied)
        if self.floors and self.half_width:
            raise SpecError(
                "half_width with floors of a fit, whose differences no number of throws narrows",
                fix="use --throws 20000",
            )
        if self.floors and self.places:
            raise SpecError(
                f"floors of a fit, and the factor {'floor' if self.kind == 'drop' else 'scene'}",
                fix="leave one out",
            )
        _check("number of cells", self.cell_count, 1, _MAX_CELLS, fix="use fewer levels")
        self._choose_shard_size()

    def _check_precision(self) -> None:
        if not self.half_width:
            extra = [name for name in ("level", "max_throws") if getattr(self, name)]
            if extra:
                raise SpecError(f"{extra[0]} without half_width", fix="add half_width = 0.002")
            return
        if not 1e-5 <= self.half_width < 0.5:
            raise SpecError(
                f"invalid half_width {self.half_width:g}",
                expected="0.00001 to 0.5",
                fix="use half_width = 0.002",
            )
        object.__setattr__(self, "level", self.level or 0.95)
        # A level whose quantile would be infinite is refused as well.
        if not self.level >= 0.5 or not (1.0 + self.level) / 2.0 < 1.0:
            raise SpecError(
                f"invalid level {self.level:g}",
                expected="0.5 to less than 1",
                fix="use level = 0.95",
            )
        object.__setattr__(self, "max_throws", self.max_throws or 2 * self.expected_throws)
        _check("max_throws", self.max_throws, 1, _MAX_THROWS, fix="use max_throws = 10000")

    @property
    def expected_throws(self) -> int:
        """Single dice after which a share of one half is known to the half-width."""
        return ceil(0.25 * (normal_quantile(self.level) / self.half_width) ** 2)

    def _checked_factors(self) -> dict[str, tuple[Level, ...]]:
        requested = dict(self.factors)
        if len(self.models) > 1:
            if "model" in requested:
                raise _models_twice()
            requested["model"] = self.models
        elif self.models not in {_DEFAULT_MODELS, tuple(requested.get("model", self.models))}:
            raise _models_twice()
        checked: dict[str, tuple[Level, ...]] = {}
        # The model always comes first.
        for name, levels in sorted(requested.items(), key=lambda pair: pair[0] != "model"):
            spec = factor(self.kind, name)
            if spec.name in checked:
                raise SpecError(f"the factor {spec.name} is set twice", fix="leave one out")
            checked_levels = tuple(checked_level(spec, level, name=name) for level in levels)
            checked[spec.name] = checked_levels
            if not levels:
                raise SpecError(f"no levels of {name}", fix="give two or more")
            if len(set(checked_levels)) < len(levels):
                raise SpecError(
                    f"equal levels of {name}: {cut(', '.join(map(str, levels[:50])))}",
                    fix="leave repeated levels out",
                )
        return checked

    @property
    def places(self) -> tuple[str, ...]:
        """Levels of the factor `scene` or `floor`; empty if neither is varied."""
        levels = self.factors.get("floor" if self.kind.single else "scene", ())
        return tuple(map(str, levels))

    def _first_place(self) -> str:
        """Return the scene or floor of the first cell."""
        if not self.places:
            return self.scene or default_place(self.kind)
        if self.scene not in {"", self.places[0]}:
            raise SpecError("scene is set, and is a factor too", fix="leave one out")
        return self.places[0]

    def _choose_shard_size(self) -> None:
        per_cell = self.throws or min(self.expected_throws, self.max_throws)
        size = self.shard_size or default_shard_size(self.kind, per_cell * self.cell_count)
        unit = DRAW_BLOCK if self.kind.single else 1
        limit = _MAX_SINGLES if self.kind.single else _MAX_POURS
        if not 1 <= size <= limit or size % unit:
            nearest = min(limit // 10, max(unit, size // unit * unit))
            multiples = f"multiples of {unit} up to" if unit > 1 else "1 to"
            raise SpecError(
                f"invalid shard_size {size:,}",
                expected=f"{multiples} {limit:,}",
                fix=f"use shard_size = {nearest}, or leave it out",
            )
        object.__setattr__(self, "shard_size", size)
        fix = f"use fewer throws or cells, or a larger shard_size (up to {limit:,})"
        _check("number of shards", self.shard_count, 1, _MAX_SHARDS, fix=fix)

    @property
    def most_throws(self) -> int:
        """Maximum throws of each cell."""
        return self.throws or self.max_throws

    @property
    def cell_count(self) -> int:
        """Number of combinations of levels; 1 where nothing is varied."""
        return prod(len(levels) for levels in self.factors.values())

    @property
    def block_count(self) -> int:
        """Largest number of blocks of trials."""
        return -(-self.most_throws // self.shard_size)

    @property
    def shard_count(self) -> int:
        """Largest number of shards."""
        return self.block_count * self.cell_count

    def cells(self) -> list[dict[str, Level]]:
        """Return the levels of each cell, the last factor fastest."""
        names = list(self.factors)
        return [dict(zip(names, row, strict=True)) for row in product(*self.factors.values())]

    def varied(self) -> list[Factor]:
        """Return the factors that are varied."""
        return [factor(self.kind, name) for name in self.factors]

    def shard(self, number: int) -> Shard:
        """Return the cell and the trials of a shard.

        Raises:
            SpecError: If there is no such shard.
        """
        _check("number of a shard", number, 0, self.shard_count - 1, fix="use another")
        block, cell = divmod(number, self.cell_count)
        start = block * self.shard_size
        trials = range(start, min(start + self.shard_size, self.most_throws))
        first = self.cell_count * start + cell * len(trials)
        return Shard(number=number, cell=cell, trials=trials, first_throw=first)

    def blocks(self, first: int, end: int) -> Iterator[int]:
        """Yield the shards of the blocks from `first` to before `end`, at most the last."""
        yield from range(first * self.cell_count, min(end * self.cell_count, self.shard_count))

    def definition(self) -> dict[str, Any]:
        """Return the study as plain values, from which `from_definition` makes it again."""
        plain = {
            **{field_.name: getattr(self, field_.name) for field_ in fields(self)},
            "kind": str(self.kind),
            "models": list(self.models),
            "factors": {
                name: list(levels) for name, levels in self.factors.items() if name != "model"
            },
        }
        # A study has throws or a precision: keys of the other are left out.
        return {
            name: value
            for name, value in plain.items()
            if (value != 0 and (name, value) != ("floors", "")) or name == "seed"
        }

    @classmethod
    def from_definition(cls, table: Mapping[str, Any], *, source: str = "the study") -> "Study":
        """Return the study of a table in the form of a study file; `source` names it in errors.

        Raises:
            SpecError: If a key is unknown, a value is invalid, or values contradict each other.
        """
        return cls(**checked_table(table, source=source))

    def to_json(self) -> str:
        """Return the definition as one line, the same for equal studies."""
        return json.dumps(self.definition())


def _check(name: str, value: int, low: int, high: int, *, fix: str) -> None:
    """Raise SpecError unless a number is within bounds."""
    if not low <= value <= high:
        raise SpecError(f"invalid {name} {cut(str(value))}", expected=f"{low} to {high:,}", fix=fix)


def default_shard_size(kind: ThrowKind, throws: int) -> int:
    """Return a good number of throws per shard, from the number of all throws of a study.

    It takes about a second where throws are few, and grows with the root of their number, so that
    neither shards nor their files become too many.
    """
    share = ceil(throws / _MIN_SHARDS)
    if kind.single:
        size = min(share, max(1_000, min(20_000, round(2.0 * sqrt(throws)))))
        return max(1, ceil(size / DRAW_BLOCK)) * DRAW_BLOCK
    return max(1, min(share, max(25, min(250, round(sqrt(throws) / 4.0)))))
