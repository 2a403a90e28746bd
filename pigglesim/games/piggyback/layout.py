"""Where everything stands at the start: a layout, as a table of a TOML file gives it (PB1)."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property

from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.game import JSON
from pigglesim.games.piggyback.spaces import LARGEST, SMALLEST, at, parse_space, space_name
from pigglesim.games.piggyback.state import BANKED, TEAM, Ability
from pigglesim.rolls import Seat

__all__ = ["STANDARD", "Layout", "read_layout"]

STANDARD = "standard"
"""The name of the layout of PB1."""
_COUNTS: dict[str, int] = {"red": TEAM, "blue": TEAM, **dict.fromkeys(Ability, BANKED)}


def _standard(row: int, columns: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(at(column, row, 8) for column in columns)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The spaces of both armies and of each colour of ability, all different.

    Raises:
        SpecError: If a group has too many or too few spaces, one is off the board or two groups
            share one.
    """

    size: int = 8
    """Rows, and columns, of the board."""
    red: tuple[int, ...] = _standard(1, (2, 3, 4, 5, 6, 7))
    blue: tuple[int, ...] = _standard(8, (2, 3, 4, 5, 6, 7))
    green: tuple[int, ...] = (at(1, 4, 8), at(8, 5, 8))
    orange: tuple[int, ...] = (at(3, 4, 8), at(6, 5, 8))
    yellow: tuple[int, ...] = (at(6, 4, 8), at(3, 5, 8))
    mauve: tuple[int, ...] = (at(8, 4, 8), at(1, 5, 8))

    def __post_init__(self) -> None:
        if not SMALLEST <= self.size <= LARGEST:
            raise SpecError(
                f"a board of {SMALLEST} to {LARGEST} rows", got=str(self.size), remedy="size = 8"
            )
        holder: dict[int, str] = {}
        for group, count in _COUNTS.items():
            spaces: tuple[int, ...] = getattr(self, group)
            if len(spaces) != count:
                raise SpecError(
                    f"{count} spaces of {group} in the layout",
                    got=str(len(spaces)),
                    remedy=f"{group} = [{count} spaces]",
                )
            for space in spaces:
                if not 0 <= space < self.size**2:
                    raise SpecError(
                        f"a space of {group} on the board", got=str(space), remedy="a smaller one"
                    )
                if space in holder:
                    raise SpecError(
                        f"a space of its own for each of {group}",
                        got=f"{space_name(space, self.size)}, where {holder[space]} is",
                        remedy="move one of the two",
                    )
                holder[space] = group

    def army(self, seat: Seat) -> tuple[int, ...]:
        """Return where a player's units stand at the start."""
        return self.red if seat is Seat.A else self.blue

    @cached_property
    def colours(self) -> Mapping[int, Ability]:
        """The colour of each initial space of an ability, in the order of spaces."""
        found = {space: ability for ability in Ability for space in getattr(self, ability)}
        return dict(sorted(found.items()))

    def setting(self) -> JSON:
        """Return the layout as `read_layout` reads it: the name of the usual one, or a table."""
        if self == Layout():
            return STANDARD
        table: dict[str, JSON] = {"size": self.size}
        for group in _COUNTS:
            table[group] = [space_name(space, self.size) for space in getattr(self, group)]
        return table


def read_layout(value: object) -> Layout:
    """Return the layout that a setting describes: `standard`, or a table of spaces by name.

    What a table leaves out is as in the usual layout; on a board of another size it must be whole.

    Raises:
        SpecError: If a name is unknown, or what it describes is no layout.
    """
    if isinstance(value, str):
        if value != STANDARD:
            raise unknown_name("layout", value, (STANDARD,))
        return Layout()
    if not isinstance(value, Mapping):
        raise SpecError(
            "a table for the layout", got=repr(value), remedy='[layout] with red = ["b1", ...]'
        )
    known = [field.name for field in fields(Layout)]
    for name in value:
        if name not in known:
            raise unknown_name("part of a layout", str(name), known)
    size = value.get("size", Layout.size)
    if type(size) is not int or not SMALLEST <= size <= LARGEST:
        raise SpecError(
            f"a size from {SMALLEST} to {LARGEST}", got=repr(size), remedy="size = 8, the default"
        )
    missing = [group for group in _COUNTS if group not in value]
    if missing and size != Layout.size:
        raise SpecError(
            f"every group of a layout on a board of {size} rows",
            got=f"no {' and no '.join(missing)}",
            remedy=f'{missing[0]} = ["a1", ...]',
        )
    groups = {group: _spaces(group, value[group], size) for group in _COUNTS if group in value}
    return Layout(size=size, **groups)


def _spaces(group: str, value: object, size: int) -> tuple[int, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise SpecError(
            f"a list of spaces for {group}", got=repr(value), remedy=f'{group} = ["a4", "h5"]'
        )
    return tuple(parse_space(name, size) for name in value)
