"""A frozen value with some parts changed, in a third of the time of `dataclasses.replace`."""

from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

__all__ = ["changed"]

T = TypeVar("T")


class _Slots(NamedTuple):
    """How the fields of a class are read, all at once, and written."""

    values: Callable[[Any], tuple[Any, ...]]
    put: Mapping[str, Callable[[Any, Any], None]]
    """By name; in the order of the values."""


@cache
def _slots(kind: type) -> _Slots:
    names: tuple[str, ...] = kind.__slots__  # type: ignore[attr-defined]
    put = {name: kind.__dict__[name].__set__ for name in names}
    if len(names) > 1:
        return _Slots(values=attrgetter(*names), put=put)
    # Of a single name attrgetter gives the value itself, and of none there is no attrgetter.
    return _Slots(values=lambda value: tuple(getattr(value, name) for name in names), put=put)


def changed(value: T, **parts: object) -> T:
    """Return a copy of a frozen, slotted dataclass with some fields changed.

    What every position of a game is made of has no check of its own to run again, so the fields
    are copied as they are. As `dataclasses.replace` does, it raises on a name that is no field.

    Args:
        value: The value; its class has no `__post_init__` and its slots are its fields.
        parts: The new values of fields, by name.
    """
    kind: Any = type(value)
    values, put = _slots(kind)
    new: T = kind.__new__(kind)
    for put_one, old in zip(put.values(), values(value), strict=True):
        put_one(new, old)
    for name, part in parts.items():
        if name not in put:
            raise TypeError(f"{kind.__name__} has no {name}")
        put[name](new, part)
    return new
