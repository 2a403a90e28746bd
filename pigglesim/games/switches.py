"""House rules as data: named, validated switches, converted to and from mappings and text."""

from collections.abc import Mapping
from dataclasses import Field, field, fields
from enum import StrEnum
from typing import Any, ClassVar, Self, TypeVar

from pigglesim.errors import SpecError, cut, unknown_name
from pigglesim.games.game import JSON
from pigglesim.landing import Seat

T = TypeVar("T")
_WORDS = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}
_SEATS: Mapping[object, Seat] = {"south": Seat.A, "north": Seat.B, 0: Seat.A, 1: Seat.B}
"""Other names of seats: sides of the board, and numbers."""


class Switches:
    """Base class of frozen dataclasses of house rules.

    Each field is a switch: a bool, an int, a float or a member of a StrEnum, with a default and the
    metadata of `switch`.
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __post_init__(self) -> None:
        for spec in fields(self):
            _check(spec, getattr(self, spec.name))

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> Self:
        """Return the house rules in a JSON or TOML table; missing ones are default.

        A switch with two settings may be given as true or false.

        Raises:
            SpecError: If a name or a setting is unknown.
        """
        specs = {spec.name: spec for spec in fields(cls)}
        settings: dict[str, object] = {}
        for name, value in mapping.items():
            if name not in specs:
                raise unknown_name("house rule", str(name), specs)
            settings[name] = _parse(specs[name], value)
        return cls(**settings)

    def to_mapping(self) -> dict[str, JSON]:
        """Return every setting by name, as plain values for a file."""
        plain: dict[str, JSON] = {}
        for spec in fields(self):
            value = getattr(self, spec.name)
            plain[spec.name] = str(value) if isinstance(value, StrEnum) else value
        return plain

    def not_by_odds(self) -> tuple[str, ...]:
        """Return, as `name=value`, the settings that rolls by odds do not support."""
        return tuple(
            f"{spec.name}={_text(getattr(self, spec.name))}"
            for spec in fields(self)
            if spec.metadata["by_odds"] is not None
            and getattr(self, spec.name) not in spec.metadata["by_odds"]
        )

    def to_text(self, *, changed_only: bool = False) -> str:
        """Return the settings as `name=value` words; `changed_only` omits the defaults."""
        return " ".join(
            f"{spec.name}={_text(getattr(self, spec.name))}"
            for spec in fields(self)
            if not changed_only or getattr(self, spec.name) != spec.default
        )


def switch(
    default: T,
    ruling: str,
    meaning: str,
    *,
    least: float | None = None,
    most: float | None = None,
    among: tuple[StrEnum, ...] = (),
    by_odds: tuple[object, ...] | None = None,
) -> T:
    """Return the dataclass field of one house rule.

    Args:
        default: Default, which also determines the type.
        ruling: Number of the rule or ruling that the switch settles, such as `"P3"`.
        meaning: Meaning of its settings in Markdown, a line for players.
        least: Smallest number allowed; numbers need both limits.
        most: Largest number allowed.
        among: Allowed members of an enumeration; all of them if empty.
        by_odds: Settings that rolls by odds support, if physics supports more; None for all.
    """
    limits = {
        "ruling": ruling,
        "meaning": meaning,
        "least": least,
        "most": most,
        "among": among,
        "by_odds": by_odds,
    }
    return field(default=default, metadata=limits)


def choices(spec: Field[Any]) -> tuple[StrEnum, ...]:
    """Return the allowed members of a switch of an enumeration."""
    members: type[StrEnum] = type(spec.default)  # type: ignore[assignment]
    return spec.metadata["among"] or tuple(members)


def _check(spec: Field[Any], value: object) -> None:
    """Raise `SpecError` unless a switch holds a setting of its type and range."""
    least, most = spec.metadata["least"], spec.metadata["most"]
    if type(value) is not type(spec.default):
        valid = False
    elif isinstance(value, StrEnum):
        valid = value in choices(spec)
    elif not isinstance(value, bool) and isinstance(value, float | int):
        valid = least <= value <= most
    else:
        valid = True
    if not valid:
        raise _wrong(spec, value)


def _accepted(spec: Field[Any]) -> str:
    """Return a readable description of the allowed settings of a switch."""
    default = spec.default
    if isinstance(default, bool):
        return "on or off"
    if isinstance(default, StrEnum):
        return " or ".join(choices(spec))
    kind = "a whole number" if isinstance(default, int) else "a number"
    least, most = spec.metadata["least"], spec.metadata["most"]
    return f"{kind} from {least} to {most}"


def _wrong(spec: Field[Any], value: object) -> SpecError:
    return SpecError(
        f"invalid {spec.name} {_shown(value)}",
        expected=_accepted(spec),
        fix=f"use {spec.name}={_text(spec.default)}, the default ({spec.metadata['ruling']})",
    )


def _shown(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > 200:
        return "an integer of more than 60 digits"  # Python refuses to write the longest of them
    return cut(repr(str(value) if isinstance(value, StrEnum) else value))


def _parse(spec: Field[Any], value: object) -> object:
    """Return the setting of a value from a file; an invalid value is returned as it is."""
    default = spec.default
    if isinstance(default, bool):
        return _WORDS.get(value.lower(), value) if isinstance(value, str) else value
    if isinstance(default, float) and type(value) is int:
        try:
            return float(value)
        except OverflowError:
            return value
    if not isinstance(default, StrEnum):
        return value
    return _parse_choice(type(default), choices(spec), value)


def _parse_choice(kind: type[StrEnum], members: tuple[StrEnum, ...], value: object) -> object:
    if kind is Seat and isinstance(value, str | int) and not isinstance(value, bool):
        value = _SEATS.get(value.lower() if isinstance(value, str) else value, value)
    if isinstance(value, str) and value in members:
        return kind(value)
    flag = _WORDS.get(value.lower()) if isinstance(value, str) else value
    # With two settings, true is the one that the rulings name first and false the other.
    if isinstance(flag, bool) and len(members) == 2 and kind is not Seat:
        return members[0] if flag else members[1]
    return value


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return repr(value) if isinstance(value, float) else str(value)
