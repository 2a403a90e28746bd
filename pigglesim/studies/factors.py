"""What a study may vary, each with its unit and its bounds, and how it changes the set-up."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf, isfinite, radians
from typing import Any

from pigglesim.errors import SpecError, cut
from pigglesim.rolls import Seat
from pigglesim.scene.board import INCH
from pigglesim.scene.cup import Hand
from pigglesim.scene.floor import Fall
from pigglesim.scene.material import Contact
from pigglesim.scene.scene import Scene, Stepping
from pigglesim.studies.setups import Setup, ThrowKind
from pigglesim.units import quantity, unit_named

__all__ = [
    "Factor",
    "Level",
    "applied",
    "checked_level",
    "factor",
    "factors_of",
    "level_text",
]

Level = str | int | float
"""Value of a factor."""
_MM = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """Something that a study may vary."""

    name: str
    unit: str
    """Empty for a name or a plain number."""
    about: str
    change: Callable[[Setup, Any], Setup]
    low: float = 0.0
    high: float = inf
    above: bool = False
    """Whether `low` itself is too low."""
    kind: type[str] | type[int] | type[float] = float

    @property
    def column(self) -> str:
        """Name of its column in the store: `model` and `standing` there tell of each die."""
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
    def label(self) -> str:
        """Its name with its unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


def _with_fall(**units: float) -> Callable[[Setup, float], Setup]:
    """Return what sets one number of the fall, given in so many SI units."""
    ((name, unit),) = units.items()

    def change(setup: Setup, value: float) -> Setup:
        fall: Fall = replace(setup.floor.fall, **{name: value * unit})
        return replace(setup, place=replace(setup.floor, fall=fall))

    return change


def _with_hand(**units: float) -> Callable[[Setup, float], Setup]:
    ((name, unit),) = units.items()

    def change(setup: Setup, value: float) -> Setup:
        hand: Hand = replace(setup.scene.hand, **{name: value * unit})
        return replace(setup, place=replace(setup.scene, hand=hand))

    return change


def _with_surface(**units: float) -> Callable[[Setup, float], Setup]:
    """Return what sets one number of a lever, on a floor or a board."""
    ((name, unit),) = units.items()

    def change(setup: Setup, value: float) -> Setup:
        numbers: dict[str, Any] = {name: value * unit}
        if isinstance(setup.place, Scene):
            contacts = replace(setup.scene.contacts, **numbers)
            return replace(setup, place=replace(setup.scene, contacts=contacts))
        surfaces = {key: replace(was, **numbers) for key, was in setup.floor.surfaces.items()}
        return replace(setup, place=replace(setup.floor, surfaces=surfaces))

    return change


def _with_contact(name: str, *pairs: str) -> Callable[[Setup, float], Setup]:
    """Return what sets friction or restitution, of every pair that is named or of the floor."""

    def change(setup: Setup, value: float) -> Setup:
        def mended(was: Contact) -> Contact:
            numbers: dict[str, Any] = {name: value}
            return replace(was, **numbers)

        if isinstance(setup.place, Scene):
            contacts = setup.scene.contacts
            new: dict[str, Any] = {pair: mended(getattr(contacts, pair)) for pair in pairs}
            return replace(setup, place=replace(setup.scene, contacts=replace(contacts, **new)))
        surfaces = {
            key: replace(was, contact=mended(was.contact))
            for key, was in setup.floor.surfaces.items()
        }
        return replace(setup, place=replace(setup.floor, surfaces=surfaces))

    return change


def _model(setup: Setup, value: str) -> Setup:
    if isinstance(setup.place, Scene):
        names = tuple(word.strip() for word in value.split(","))
        # One name fills the cup; a list says what is in it, one name a die.
        cup = names * setup.scene.capacity if len(names) == 1 else names
        if len(cup) > setup.scene.capacity:
            raise _too_many(len(cup), setup.scene)
        return replace(setup, models=cup)
    return replace(setup, models=(value,))


def _number(setup: Setup, value: int) -> Setup:
    if value > len(setup.models):
        raise _too_many(value, setup.scene, len(setup.models))
    return replace(setup, models=setup.models[:value])


def _standing(setup: Setup, value: int) -> Setup:
    team = len(setup.scene.teams[Seat.B])
    if value > team:
        raise SpecError(
            f"1 to {team} that stand on the board of {setup.scene.id}",
            got=str(value),
            remedy=f"standing = {team}",
        )
    return replace(setup, standing=value)


def _too_many(got: int, scene: Scene, most: int | None = None) -> SpecError:
    most = most or scene.capacity
    return SpecError(
        f"1 to {most} dice in the cup of {scene.id}", got=str(got), remedy=f"number = {most}"
    )


def _material(setup: Setup, value: str) -> Setup:
    setup.floor.surface(value)
    return replace(setup, material=value)


def _ballast(setup: Setup, value: float) -> Setup:
    return replace(setup, ballast_g=value)


def _time_step(setup: Setup, value: float) -> Setup:
    stepping: Stepping = replace(setup.place.stepping, time_step=value * 1e-3)
    return replace(setup, place=replace(setup.place, stepping=stepping))


def _back(setup: Setup, value: float) -> Setup:
    hand = setup.scene.hand
    travel = hand.start_back - hand.end_back
    held = replace(hand, end_back=value * INCH, start_back=value * INCH + travel)
    return replace(setup, place=replace(setup.scene, hand=held))


_PAIRS = ("board", "piggle", "cup")


def _shared(every: str, floor: str) -> tuple[Factor, ...]:
    """Return the factors of both drops and pours, in the words of either."""
    return (
        Factor(name="model", unit="", about="what is thrown", change=_model, kind=str),
        Factor(
            name="friction", unit="", about=f"Coulomb coefficient {every}", low=0.0, high=5.0,
            above=True, change=_with_contact("friction", *_PAIRS),
        ),
        Factor(
            name="restitution", unit="", about=f"speed after over before an impact {every}",
            high=1.0, change=_with_contact("restitution", *_PAIRS),
        ),
        Factor(
            name="rolling_lever_mm", unit="mm", about=f"lever of the {floor} against rolling",
            high=100.0, change=_with_surface(rolling_lever=_MM),
        ),
        Factor(
            name="spinning_lever_mm", unit="mm", about=f"lever of the {floor} against spinning",
            high=100.0, change=_with_surface(spinning_lever=_MM),
        ),
        Factor(
            name="ballast_g", unit="g", about="weight of the ballast in its pocket", above=True,
            high=1000.0, change=_ballast,
        ),
        Factor(
            name="time_step_ms", unit="ms", about="time step", low=0.01, high=4.0,
            change=_time_step,
        ),
    )  # fmt: skip


_DROP = (
    *_shared("of die and floor", "floor"),
    Factor(name="material", unit="", about="of the die", change=_material, kind=str),
    Factor(
        name="height_mm", unit="mm", about="of the drop", above=True, high=1e4,
        change=_with_fall(height=_MM),
    ),
    Factor(
        name="drift_spread_m_s", unit="m/s", about="spread of each horizontal velocity",
        high=10.0, change=_with_fall(drift_spread=1.0),
    ),
    Factor(
        name="spin_spread_rad_s", unit="rad/s", about="spread of each component of the spin",
        high=500.0, change=_with_fall(spin_spread=1.0),
    ),
)  # fmt: skip

_POUR = (
    *_shared("of every pair", "board"),
    Factor(
        name="board_friction", unit="", about="the same of board and die alone", high=5.0,
        above=True, change=_with_contact("friction", "board"),
    ),
    Factor(
        name="board_restitution", unit="", about="the same of board and die alone", high=1.0,
        change=_with_contact("restitution", "board"),
    ),
    Factor(
        name="number", unit="", about="dice in the cup", low=1, high=100, kind=int,
        change=_number,
    ),
    Factor(
        name="shake_s", unit="s", about="how long the cup is shaken", high=60.0,
        change=_with_hand(shake_time=1.0),
    ),
    Factor(
        name="shake_hz", unit="Hz", about="how fast it is shaken", above=True, high=100.0,
        change=_with_hand(shake_frequency=1.0),
    ),
    Factor(
        name="tip_s", unit="s", about="from upright to fully tipped", low=0.05, high=10.0,
        change=_with_hand(tip_time=1.0),
    ),
    Factor(
        name="tip_deg", unit="deg", about="how far it is tipped", low=95.0, high=180.0,
        change=_with_hand(tip_angle=radians(1.0)),
    ),
    Factor(
        name="lip_height_in", unit="in", about="height of the cup above the board", high=100.0,
        change=_with_hand(lip_height=INCH),
    ),
    Factor(
        name="end_back_in", unit="in", about="the tipped cup behind the middle of the board",
        high=100.0, change=_back,
    ),
    Factor(
        name="across_in", unit="in", about="the cup to the right of the middle", low=-100.0,
        high=100.0, change=_with_hand(across=INCH),
    ),
    Factor(
        name="across_spread_in", unit="in", about="spread of the aim", high=100.0,
        change=_with_hand(across_spread=INCH),
    ),
    Factor(
        name="heading_spread_deg", unit="deg", about="spread of the direction", high=45.0,
        change=_with_hand(heading_spread=radians(1.0)),
    ),
    Factor(
        name="tempo_spread", unit="", about="spread of the logarithm of all times", high=0.5,
        change=_with_hand(tempo_spread=1.0),
    ),
)  # fmt: skip

_KNOCK = (
    *_POUR,
    Factor(
        name="standing", unit="", about="how many of the other team stand", low=1, high=100,
        kind=int, change=_standing,
    ),
)  # fmt: skip
_ALL = {ThrowKind.DROP: _DROP, ThrowKind.POUR: _POUR, ThrowKind.KNOCK: _KNOCK}


def factors_of(kind: ThrowKind) -> dict[str, Factor]:
    """Return what a study of this kind may vary, by name."""
    return {found.name: found for found in _ALL[kind]}


def factor(kind: ThrowKind, name: str) -> Factor:
    """Return the factor of that name, of which the unit and the words before may be left out.

    So `height` is `height_mm` of a drop and `lip_height_in` of a pour.

    Raises:
        SpecError: If there is none, or there are several; every factor is named, with its unit.
    """
    known = factors_of(kind)
    if name in known:
        return known[name]
    like = [each for each in known.values() if f"_{each.bare_name}".endswith(f"_{name}")]
    if len(like) == 1 and name:
        return like[0]
    near = [each.name for each in like] if name else []
    near = near or difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    listed = ", ".join(found.label for found in known.values())
    remedy = " or ".join(near) or next(iter(known))
    raise SpecError(f"a factor of a {kind} ({listed})", got=repr(name), remedy=remedy)


def checked_level(found: Factor, value: object, *, name: str | None = None) -> Level:
    """Return a level of a factor, from a file or a flag, as its own kind of value.

    Args:
        found: The factor.
        value: A number in its unit, or a text that may have another unit, such as `2in`.
        name: What the factor was called; without its unit, each level must have one.

    Raises:
        SpecError: If it is none, or out of bounds.
    """
    if found.kind is str:
        if not isinstance(value, str) or not value.strip():
            raise SpecError(
                f"a name for {found.name} ({found.about})", got=repr(value), remedy="give one"
            )
        return value.strip()
    number = _in_its_unit(found, value)
    if found.unit and name not in {None, found.name} and _is_plain(value):
        raise SpecError(
            f"a unit behind each level of {name}",
            got=cut(str(value)),
            remedy=f"{name}={cut(str(value))}{found.unit}{_other_units(found)}",
        )
    low = number > found.low if found.above else number >= found.low
    whole = found.kind is not int or number % 1 == 0
    if not (isfinite(number) and low and number <= found.high and whole):
        word = "above" if found.above else "from"
        noun = "a whole number" if found.kind is int else "a number"
        bound = f"{found.low:g} {'and up to' if found.above else 'to'} {found.high:g}"
        raise SpecError(
            f"{found.label} to be {noun} {word} {bound}",
            got=cut(str(value)),
            remedy=f"change the levels of {found.name}{_other_units(found)}",
        )
    return int(number) if found.kind is int else number


def _in_its_unit(found: Factor, value: object) -> float:
    """Return a level as a number in the unit of its factor; infinity if it is not one."""
    unit = unit_named(found.unit)
    if unit is not None and isinstance(value, str):
        read = quantity(value, unit)
        return inf if read is None else read
    try:
        return float(value) if not isinstance(value, bool) else inf  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return inf


def _is_plain(value: object) -> bool:
    """Return whether a level is a number without a unit."""
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _other_units(found: Factor) -> str:
    unit = unit_named(found.unit)
    names = [] if unit is None else list(unit.dimension.units)
    return f"; units are {', '.join(names)}" if len(names) > 1 else ""


def level_text(level: Level) -> str:
    """Return a level as people write it."""
    return level if isinstance(level, str) else f"{level:g}"


def applied(kind: ThrowKind, setup: Setup, levels: Mapping[str, Level]) -> Setup:
    """Return the set-up with each factor at its level, in the order of the factors."""
    for name, found in factors_of(kind).items():
        if name in levels:
            setup = found.change(setup, levels[name])
    return setup
