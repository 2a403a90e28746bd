"""Studies: the throws of one cell, the factors that vary, cells, and shards.

A study file is TOML. This one has every key:

```toml
kind = "pour"                    # drop: one die on a floor; pour: a cup onto an empty board;
                                 # knock: a cup onto the other team, which stands on the board
models = ["piggle", "premium"]   # each a level of its own; "piggle,piggle,premium" is one cup
scene = "piggles_classic"        # of a drop the floor; a name or a TOML file
engine = "bullet"
seed = 5                         # chosen if absent
throws = 20000                   # of each cell; or, in its place,
# half_width = 0.002             # throw until every share is known to this,
# level = 0.95                   # at this level,
# max_throws = 1000000           # but no more than this in each cell
# shard_size = 250               # throws a file; chosen if absent

[factors]                        # every combination of levels is a cell
friction = [0.2, 0.4]
number = [1, 3, 6]
```
"""

import difflib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum, unique
from itertools import product
from math import ceil, inf, isfinite, prod, sqrt
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from scipy.special import ndtri

from pigglesim.errors import SpecError, cut, unknown_name
from pigglesim.files import FileKind, read_toml, wanted
from pigglesim.landing import Seat
from pigglesim.rng import MAX_SEED
from pigglesim.scene.scene import INCH, Floor, Scene, Surface
from pigglesim.throws import DRAW_BLOCK
from pigglesim.units import quantity, unit_named


@unique
class ThrowKind(StrEnum):
    """Kind of a throw."""

    DROP = "drop"
    """One die dropped on a floor without end."""
    POUR = "pour"
    """A cup of dice poured onto an empty board."""
    KNOCK = "knock"
    """A cup of dice poured onto the other team, which stands on the board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Conditions of the throws of one cell, without the engine and the seed."""

    models: tuple[str, ...]
    """The model that is dropped, or all models in the cup."""
    place: Floor | Scene
    material: str = "plastic"
    """Material of a die that is dropped."""
    ballast_g: float | None = None
    """Mass of the ballast of the models [g]; None for their own."""
    standing: int | None = None
    """Number of the other team on the board; None for all."""

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
        """Name of its column in the store: `model` and `standing` there describe each die."""
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


def _replaced(whole: Any, path: str, value: object) -> Any:  # noqa: ANN401 (any dataclass)
    """Return a dataclass with the value at a dotted path replaced; `*` is every entry of a dict."""
    name, _, rest = path.partition(".")
    if not name:
        return value
    if name == "*":
        return {key: _replaced(own, rest, value) for key, own in whole.items()}
    return replace(whole, **{name: _replaced(getattr(whole, name), rest, value)})


def _number(name: str, unit: str, bounds: str, about: str, *paths: str) -> Factor:
    """Return the factor that sets numbers of the table or the floor, in SI units.

    `unit` is that of levels and bounds, of which a round bracket excludes the low one; `paths` are
    those of the numbers within the place.
    """
    found = unit_named(unit)
    size = 1.0 if found is None else found.size
    low, high = map(float, bounds[1:-1].split(","))

    def change(setup: Setup, value: float) -> Setup:
        for path in paths:
            setup = _replaced(setup, f"place.{path}", value * size)
        return setup

    above = bounds.startswith("(")
    return Factor(name=name, unit=unit, about=about, change=change, low=low, high=high, above=above)


def _model(setup: Setup, value: str) -> Setup:
    if isinstance(setup.place, Scene):
        names = tuple(word.strip() for word in value.split(","))
        # One name fills the cup; a list says what is in it, one name a die.
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
            str(value),
            expected=f"1 to {team} that stand on the board of {setup.scene.id}",
            fix=f"standing = {team}",
        )
    return replace(setup, standing=value)


def _too_many(got: int, scene: Scene, most: int | None = None) -> SpecError:
    most = most or scene.capacity
    return SpecError(
        str(got), expected=f"1 to {most} dice in the cup of {scene.id}", fix=f"number = {most}"
    )


def _material(setup: Setup, value: str) -> Setup:
    setup.floor.surface(value)
    return replace(setup, material=value)


def _back(setup: Setup, value: float) -> Setup:
    hand = setup.scene.hand
    travel = hand.start_back - hand.end_back
    held = replace(hand, end_back=value * INCH, start_back=value * INCH + travel)
    return replace(setup, place=replace(setup.scene, hand=held))


def _named(name: str, about: str, change: _Change) -> Factor:
    return Factor(name=name, unit="", about=about, change=change, kind=str)


def _count(name: str, about: str, change: _Change) -> Factor:
    return Factor(name=name, unit="", about=about, change=change, low=1, high=100, kind=int)


_BOUNCE = "speed after over before an impact"


def _shared(every: str, floor: str, contacts: Sequence[str], surface: str) -> tuple[Factor, ...]:
    """Return the factors of both drops and pours, in the words of either."""
    friction, restitution = f"Coulomb coefficient {every}", f"{_BOUNCE} {every}"
    frictions = [f"{contact}.friction" for contact in contacts]
    restitutions = [f"{contact}.restitution" for contact in contacts]
    rolling, spinning = (f"lever of the {floor} against {word}" for word in ("rolling", "spinning"))
    return (
        _named("model", "what is thrown", _model),
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
    )


_DRIFT, _SPIN = "spread of each horizontal velocity", "spread of each component of the spin"
_DROP = (
    *_shared("of die and floor", "floor", ["surfaces.*.contact"], "surfaces.*."),
    _named("material", "of the die", _material),
    _number("height_mm", "mm", "(0, 10000]", "of the drop", "fall.height"),
    _number("drift_spread_m_s", "m/s", "[0, 10]", _DRIFT, "fall.drift_spread"),
    _number("spin_spread_rad_s", "rad/s", "[0, 500]", _SPIN, "fall.spin_spread"),
)
_CONTACTS = ("contacts.board", "contacts.piggle", "contacts.cup")
_ALONE = "the same of board and die alone"
_HEADING = "spread of the direction"
_LIP, _TEMPO = "height of the cup above the board", "spread of the logarithm of all times"
_POUR = (
    *_shared("of every pair", "board", _CONTACTS, "contacts."),
    _number("board_friction", "", "(0, 5]", _ALONE, "contacts.board.friction"),
    _number("board_restitution", "", "[0, 1]", _ALONE, "contacts.board.restitution"),
    _count("number", "dice in the cup", _number_of_dice),
    _number("shake_s", "s", "[0, 60]", "how long the cup is shaken", "hand.shake_time"),
    _number("shake_hz", "Hz", "(0, 100]", "how fast it is shaken", "hand.shake_frequency"),
    _number("tip_s", "s", "[0.05, 10]", "from upright to fully tipped", "hand.tip_time"),
    _number("tip_deg", "deg", "[95, 180]", "how far it is tipped", "hand.tip_angle"),
    _number("lip_height_in", "in", "[0, 100]", _LIP, "hand.lip_height"),
    Factor(
        name="end_back_in",
        unit="in",
        about="the tipped cup behind the middle of the board",
        change=_back,
        high=100.0,
    ),
    _number("across_in", "in", "[-100, 100]", "the cup to the right of the middle", "hand.across"),
    _number("across_spread_in", "in", "[0, 100]", "spread of the aim", "hand.across_spread"),
    _number("heading_spread_deg", "deg", "[0, 45]", _HEADING, "hand.heading_spread"),
    _number("tempo_spread", "", "[0, 0.5]", _TEMPO, "hand.tempo_spread"),
)
_KNOCK = (*_POUR, _count("standing", "how many of the other team stand", _standing))
_ALL = {ThrowKind.DROP: _DROP, ThrowKind.POUR: _POUR, ThrowKind.KNOCK: _KNOCK}


def factors_of(kind: ThrowKind) -> dict[str, Factor]:
    """Return the factors that a study of this kind may vary, by name."""
    return {found.name: found for found in _ALL[kind]}


def factor(kind: ThrowKind, name: str) -> Factor:
    """Return the factor of that name; the unit and leading words may be left out.

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
    fix = " or ".join(near) or next(iter(known))
    raise SpecError(repr(name), expected=f"a factor of a {kind} ({listed})", fix=fix)


def checked_level(found: Factor, value: object, *, name: str | None = None) -> Level:
    """Return a level of a factor, from a file or a flag, as its own kind of value.

    Args:
        found: The factor.
        value: A number in its unit, or a text that may have another unit, such as `2in`.
        name: Name given to the factor; without its unit, each level must have one.

    Raises:
        SpecError: If it is none, or out of bounds.
    """
    if found.kind is str:
        if not isinstance(value, str) or not value.strip():
            raise SpecError(
                repr(value), expected=f"a name for {found.name} ({found.about})", fix="give one"
            )
        return value.strip()
    number = _in_its_unit(found, value)
    if found.unit and name not in {None, found.name} and _is_plain(value):
        raise SpecError(
            cut(str(value)),
            expected=f"a unit behind each level of {name}",
            fix=f"{name}={cut(str(value))}{found.unit}{_other_units(found)}",
        )
    low = number > found.low if found.above else number >= found.low
    whole = found.kind is not int or number % 1 == 0
    if not (isfinite(number) and low and number <= found.high and whole):
        word = "above" if found.above else "from"
        noun = "a whole number" if found.kind is int else "a number"
        bound = f"{found.low:g} {'and up to' if found.above else 'to'} {found.high:g}"
        raise SpecError(
            cut(str(value)),
            expected=f"{found.label} to be {noun} {word} {bound}",
            fix=f"change the levels of {found.name}{_other_units(found)}",
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


DEFAULT_PLACE = {
    ThrowKind.DROP: "tabletop",
    ThrowKind.POUR: "piggles_classic",
    ThrowKind.KNOCK: "piggles_classic",
}
_MOST_THROWS = 10**12
_MOST_CELLS = 10_000
_MOST_SHARDS = 10**7
"""Maximum files of a study."""
_MOST_OF_SHARD = {ThrowKind.DROP: 10**6, ThrowKind.POUR: 10**5, ThrowKind.KNOCK: 10**5}
"""Maximum throws of one file, which are all held in memory at once."""
_LEAST_SHARDS = 16
"""Minimum shards, also of small studies, so that every worker has something to do."""
_FILE = FileKind(name="study")
_Word = Annotated[str, Field(min_length=1, max_length=4096)]


def _whole(value: object) -> object:
    """Return `1e4` as the whole number that it is; any other value as it came."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_Count = Annotated[int, BeforeValidator(_whole), Field(ge=1)]


class _StudyFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    kind: Annotated[ThrowKind, Field(strict=False)] = ThrowKind.DROP
    models: list[_Word] = ["piggle"]
    scene: _Word | None = None
    engine: _Word | None = None
    seed: int | None = None
    throws: _Count | None = None
    half_width: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] | None = None
    level: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] | None = None
    max_throws: _Count | None = None
    shard_size: _Count | None = None
    factors: dict[str, list[Level]] = {}


def read_table(path: Path) -> dict[str, Any]:
    """Return what a study file says, not yet checked.

    Raises:
        SpecError: If it cannot be read, is no TOML, or goes beyond the limits of study files.
    """
    if not path.exists():
        raise SpecError(
            f"no file {str(path)!r}",
            expected="a study file that can be read",
            fix="check the path; or a verb: query, show, report, odds",
        )
    return read_toml(path, _FILE)


def checked_table(table: Mapping[str, Any], *, source: str) -> dict[str, Any]:
    """Return a study's table with every value of its right kind, and nothing that is absent.

    `source` is the name of the table in a fault.

    Raises:
        SpecError: If a key is unknown, or its value impossible.
    """
    try:
        found = _StudyFile.model_validate(dict(table))
    except ValidationError as faults:
        fault = faults.errors(include_url=False)[0]
        key = ".".join(str(word) for word in fault["loc"] if not str(word)[:1].isupper())
        if fault["type"] == "extra_forbidden":
            raise unknown_name(f"key in {source}", key, _StudyFile.model_fields) from None
        raise SpecError(
            cut(repr(fault["input"]), 60),
            expected=f"{key} in {source} to be {wanted(fault)}",
            fix=f"change {key}",
        ) from None
    return found.model_dump(exclude_none=True)


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
    numbers, whatever is varied: cells differ by what their factors do and by little else. Throws
    are cut into blocks of trials; the shards of a block are its cells' throws in turn, and throws
    are numbered shard after shard.

    Raises:
        SpecError: If it contradicts itself.
    """

    kind: ThrowKind = ThrowKind.DROP
    models: tuple[str, ...] = ("piggle",)
    """Models thrown. With more than one each is a level of the factor `model`; for a pour one
    entry may be a list with commas, of what is in the cup."""
    scene: str = ""
    """Table of a pour or floor of a drop: a name or a file; empty for the kind's own."""
    engine: str = "bullet"
    seed: int = 1
    factors: Mapping[str, tuple[Level, ...]] = field(default_factory=dict)
    """Levels of what is varied, by name; every combination is a cell."""
    shard_size: int = 0
    """Throws per shard; 0 for a good choice."""
    throws: int = 0
    """Throws of each cell; 0 where `half_width` decides."""
    half_width: float = 0.0
    """Required half-width of every orientation's interval in every cell; 0 for none."""
    level: float = 0.0
    """Confidence level of these intervals; 0 for .95."""
    max_throws: int = 0
    """Largest number of throws of each cell; 0 for twice what a share of one half needs."""

    def __post_init__(self) -> None:
        if not 0 <= self.seed <= MAX_SEED:
            raise SpecError(str(self.seed), expected=f"a seed from 0 to {MAX_SEED}", fix="--seed 1")
        self._check_precision()
        if (self.throws > 0) == bool(self.half_width):
            raise SpecError(
                "both" if self.throws else "neither",
                expected="either a number of throws or a precision to reach",
                fix="--throws 20000, or --half-width 0.002",
            )
        if not 0 <= self.throws <= _MOST_THROWS:
            raise SpecError(
                cut(str(self.throws)),
                expected=f"throws of 1 to {_MOST_THROWS:,}",
                fix="--throws 20000",
            )
        if not self.models or not all(self.models):
            raise SpecError("none", expected="a model to throw", fix="--model piggle")
        object.__setattr__(self, "models", tuple(self.models))
        object.__setattr__(self, "scene", self.scene or DEFAULT_PLACE[self.kind])
        object.__setattr__(self, "factors", self._checked_factors())
        if "model" in self.factors:
            # Given in either way, it is the same study.
            object.__setattr__(self, "models", tuple(map(str, self.factors["model"])))
            if len(self.models) == 1:
                varied = {name: own for name, own in self.factors.items() if name != "model"}
                object.__setattr__(self, "factors", varied)
        if self.cell_count > _MOST_CELLS:
            raise SpecError(
                f"{self.cell_count:,}",
                expected=f"at most {_MOST_CELLS:,} cells",
                fix="fewer levels",
            )
        self._choose_shard_size()

    def _check_precision(self) -> None:
        if not self.half_width:
            given = [name for name in ("level", "max_throws") if getattr(self, name)]
            if given:
                raise SpecError(
                    "none", expected="a half width beside " + " and ".join(given), fix="half_width"
                )
            return
        if not 1e-5 <= self.half_width < 0.5:
            raise SpecError(
                f"{self.half_width:g}", expected="a half width from 0.00001 to 0.5", fix="0.002"
            )
        object.__setattr__(self, "level", self.level or 0.95)
        # So near to 1 that the quantile of it would be infinite, it is none.
        if not self.level >= 0.5 or not (1.0 + self.level) / 2.0 < 1.0:
            raise SpecError(
                f"{self.level:g}", expected="a level of 0.5 to less than 1", fix="level = 0.95"
            )
        object.__setattr__(self, "max_throws", self.max_throws or 2 * self.expected_throws)
        if not 1 <= self.max_throws <= _MOST_THROWS:
            raise SpecError(
                cut(str(self.max_throws)),
                expected=f"max_throws of 1 to {_MOST_THROWS:,}",
                fix="max_throws = 10000",
            )

    @property
    def expected_throws(self) -> int:
        """Throws of one die each after which a share of one half is known to the half-width."""
        return ceil(0.25 * (float(ndtri((1.0 + self.level) / 2.0)) / self.half_width) ** 2)

    def _checked_factors(self) -> dict[str, tuple[Level, ...]]:
        asked = dict(self.factors)
        if len(self.models) > 1:
            if "model" in asked:
                raise SpecError(
                    "models and the factor model", expected="models given once", fix="drop one"
                )
            asked["model"] = self.models
        checked: dict[str, tuple[Level, ...]] = {}
        # In any spelling, the model comes first.
        for name, levels in sorted(asked.items(), key=lambda pair: pair[0] != "model"):
            found = factor(self.kind, name)
            if found.name in checked:
                raise SpecError(
                    f"{name} too", expected=f"the factor {found.name} once", fix="drop one"
                )
            own = tuple(checked_level(found, level, name=name) for level in levels)
            checked[found.name] = own
            if not levels or len(set(own)) < len(levels):
                raise SpecError(
                    cut(", ".join(map(str, levels[:50]))) or "none",
                    expected=f"levels of {name}, each once",
                    fix="leave out what comes twice" if levels else "give two or more",
                )
        return checked

    def _choose_shard_size(self) -> None:
        per_cell = self.throws or min(self.expected_throws, self.max_throws)
        size = self.shard_size or default_shard_size(self.kind, per_cell * self.cell_count)
        unit = DRAW_BLOCK if self.kind is ThrowKind.DROP else 1
        if size < 1 or size % unit:
            raise SpecError(
                str(self.shard_size),
                expected=f"a shard size in multiples of {unit}"
                if unit > 1
                else "a shard size of 1 or more",
                fix=f"shard_size = {max(unit, size // unit * unit)}",
            )
        most = _MOST_OF_SHARD[self.kind]
        if size > most:
            raise SpecError(
                f"{size:,}",
                expected=f"a shard size of at most {most:,}: a shard is made in memory",
                fix=f"shard_size = {most // 10}, or leave it out",
            )
        object.__setattr__(self, "shard_size", size)
        if self.shard_count > _MOST_SHARDS:
            raise SpecError(
                f"{self.shard_count:,} of {size:,} throws",
                expected=f"at most {_MOST_SHARDS:,} shards, each a file",
                fix=f"fewer throws or cells, or a larger shard_size (up to {most:,})",
            )

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
        if not 0 <= number < self.shard_count:
            raise SpecError(
                str(number), expected=f"a shard from 0 to {self.shard_count - 1}", fix="0"
            )
        block, cell = divmod(number, self.cell_count)
        start = block * self.shard_size
        trials = range(start, min(start + self.shard_size, self.most_throws))
        first = self.cell_count * start + cell * len(trials)
        return Shard(number=number, cell=cell, trials=trials, first_throw=first)

    def blocks(self, first: int, end: int) -> Iterator[int]:
        """Yield the shards of the blocks from `first` to before `end`, or the last there is."""
        yield from range(first * self.cell_count, min(end * self.cell_count, self.shard_count))

    def definition(self) -> dict[str, Any]:
        """Return the study as plain values; `from_definition` gives it back."""
        found = {
            **{each.name: getattr(self, each.name) for each in fields(self)},
            "kind": str(self.kind),
            "models": list(self.models),
            "factors": {
                name: list(levels) for name, levels in self.factors.items() if name != "model"
            },
        }
        # A study has throws or a precision: what the other would say is left out.
        return {name: value for name, value in found.items() if value != 0 or name == "seed"}

    @classmethod
    def from_definition(cls, table: Mapping[str, Any], *, source: str = "the study") -> "Study":
        """Return the study of a table as a study file has it; `source` names it in errors.

        Raises:
            SpecError: If a key is unknown, a value is impossible, or they contradict each other.
        """
        return cls(**checked_table(table, source=source))

    def to_json(self) -> str:
        """Return the definition as one line, the same for equal studies."""
        return json.dumps(self.definition())

    @classmethod
    def from_json(cls, text: str) -> "Study":
        """Return the study of such a line."""
        return cls.from_definition(json.loads(text))


def default_shard_size(kind: ThrowKind, throws: int) -> int:
    """Return how many throws make a good shard.

    About a second's work where throws are few, growing with the root of their number, so that
    neither shards nor their files become too many.

    `throws` are all throws of the study.
    """
    share = ceil(throws / _LEAST_SHARDS)
    if kind is ThrowKind.DROP:
        size = min(share, max(1_000, min(20_000, round(2.0 * sqrt(throws)))))
        return max(1, ceil(size / DRAW_BLOCK)) * DRAW_BLOCK
    return max(1, min(share, max(25, min(250, round(sqrt(throws) / 4.0)))))
