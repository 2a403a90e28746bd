"""Quantities that a study may vary: kinds of throws, the set-up of a cell, and its factors."""

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from math import degrees, inf, isfinite, radians
from typing import Any

from pigglesim.cup_path import swing_of, swung
from pigglesim.errors import SpecError, cut, unknown_name
from pigglesim.landing import MAX_HEADING, MAX_SWING, Seat
from pigglesim.scene.load import load_floor, load_scene
from pigglesim.scene.scene import (
    INCH,
    Flip,
    Floor,
    FloorRoll,
    Release,
    Scene,
    Surface,
    Tower,
    Tumbler,
)
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
    ThrowKind.ROLL: FloorRoll(),
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
_Kind = type[str] | type[int] | type[float]


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
    kind: _Kind = float

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


def _of_bounds(
    name: str, unit: str, bounds: str, about: str, change: _Change, kind: _Kind = float
) -> Factor:
    """Return a factor of numbers; a round bracket in `bounds` excludes the lower bound."""
    low, high = map(float, bounds[1:-1].split(","))
    above = bounds.startswith("(")
    return Factor(
        name=name, unit=unit, about=about, change=change, low=low, high=high, above=above, kind=kind
    )


def _number(name: str, unit: str, bounds: str, about: str, *paths: str) -> Factor:
    """Return the factor that sets numbers of the table or the floor, in SI units.

    Levels and bounds are in `unit`; `paths` lead to the numbers within the place.
    """
    known_unit = unit_named(unit)
    size = 1.0 if known_unit is None else known_unit.size

    def change(setup: Setup, value: float) -> Setup:
        for path in paths:
            setup = _replaced(setup, f"place.{path}", value * size)
        return setup

    return _of_bounds(name, unit, bounds, about, change)


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


def _ballast(setup: Setup, value: float) -> Setup:
    return replace(setup, ballast_g=value)


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


def _count(name: str, about: str, change: _Change, *, most: int = 100) -> Factor:
    return _of_bounds(name, "", f"[1, {most}]", about, change, int)


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
        _of_bounds("ballast_g", "g", "(0, 1000]", "weight of the ballast in its pocket", _ballast),
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


def _baffles(setup: Setup, value: int) -> Setup:
    return _with_throw(setup, baffles=value)


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
    _count("baffles", "baffles of the tower", _baffles, most=12),
    _number("width", "", "[2.6, 10]", "width over the diameter of the die", "fall.width"),
    _number("slope_deg", "deg", "[40, 75]", "slope of the baffles", "fall.slope"),
    _SPINS,
)
_CONTACTS = ("contacts.board", "contacts.piggle", "contacts.cup")
_BOARD_FRICTION = "Coulomb coefficient of board and die alone"
_BOARD_BOUNCE = f"{_BOUNCE} of board and die alone"
_HEADING = "spread of the direction"
_BEHIND = "distance of the tipped cup behind the middle of the board"
_ASIDE = "distance of the cup to the right of the middle"
_SPEED = "greatest speed of the cup while it is tipped"
_WAY = "direction of swing and tip, to the right of straight ahead"
_TURN = degrees(MAX_HEADING)
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
    _of_bounds("end_back_in", "in", "[0, 100]", _BEHIND, _back),
    _number("across_in", "in", "[-100, 100]", _ASIDE, "hand.across"),
    _of_bounds("swing_m_s", "m/s", f"[0, {MAX_SWING!r}]", _SPEED, _swing),
    _of_bounds("heading_deg", "deg", f"[-{_TURN!r}, {_TURN!r}]", _WAY, _heading),
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
    if factor.kind is str:
        if not isinstance(value, str) or not value.strip():
            raise SpecError(
                f"invalid level {value!r} of {factor.name}", fix=f"name a {factor.name} in quotes"
            )
        return value.strip()
    number, text = _in_its_unit(factor, value), cut(str(value))
    if factor.unit and name not in {None, factor.name} and _plain_number(value) is not None:
        raise SpecError(
            f"level {text} of {name} has no unit",
            fix=f"use {name}={text}{factor.unit}{_other_units(factor)}",
        )
    if not _is_within(factor, number):
        noun = "a whole number" if factor.kind is int else "a number"
        low_bound = f"above {factor.low:g} and up to" if factor.above else f"from {factor.low:g} to"
        raise SpecError(
            f"invalid level {text} of {factor.label}",
            expected=f"{noun} {low_bound} {factor.high:g}",
            fix=f"change the levels of {factor.name}{_other_units(factor)}",
        )
    return int(number) if factor.kind is int else number


def _is_within(factor: Factor, number: float) -> bool:
    """Return whether a number is a finite level of a factor within its bounds."""
    high_enough = number > factor.low if factor.above else number >= factor.low
    integral = factor.kind is not int or number % 1 == 0
    return isfinite(number) and high_enough and number <= factor.high and integral


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
