"""A frozen value with some of its parts changed, in half the time of `dataclasses.replace`."""

from typing import TypeVar

__all__ = ["changed"]

T = TypeVar("T")

_put = object.__setattr__


def changed(value: T, **parts: object) -> T:
    """Return a copy of a frozen, slotted dataclass with some fields changed.

    What every position of a game is made of has no check of its own to run again, so the fields
    are copied as they are. As `dataclasses.replace` does, it raises on a name that is no field.

    Args:
        value: The value; its class has no `__post_init__` and its slots are its fields.
        parts: The new values of fields, by name.
    """
    kind = type(value)
    new = kind.__new__(kind)
    for name in kind.__slots__:  # type: ignore[attr-defined]
        _put(new, name, parts.pop(name) if name in parts else getattr(value, name))
    if parts:
        raise TypeError(f"{kind.__name__} has no {', '.join(parts)}")
    return new
