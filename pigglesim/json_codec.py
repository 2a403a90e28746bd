"""Dataclasses as JSON and back: strict, and exact to the last bit.

The fields of the dataclass are the keys; fields at their default are left out.
"""

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from pigglesim.errors import RecordError, SpecError, cut
from pigglesim.files import expected_value
from pigglesim.games.game import JSON

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")
_KEYS = {"missing": "missing", "unexpected_keyword_argument": "unknown key"}
_REMEDY = "use the record as it was written"


_ADAPTERS: "dict[type, TypeAdapter[Any]]" = {}
_OPEN: dict[type, list[str]] = {}
"""Fields of each class in which any value may stand."""


def _adapter(kind: type) -> "TypeAdapter[Any]":
    if kind not in _ADAPTERS:
        from pydantic import ConfigDict, TypeAdapter  # noqa: PLC0415 (slow to import)

        # The configuration of the outermost class holds for all that it contains.
        config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)
        kind.__pydantic_config__ = config  # type: ignore[attr-defined]
        _ADAPTERS[kind] = TypeAdapter(kind)
        _OPEN[kind] = [field.name for field in fields(kind) if "Any" in str(field.type)]
    return _ADAPTERS[kind]


def to_plain(value: object, *, defaults: bool = False) -> dict[str, JSON]:
    """Return a dataclass as plain values, with the fields at their default if `defaults`.

    Raises:
        ValueError: If a number where any value may stand is not finite.
    """
    adapter = _adapter(type(value))
    for name in _OPEN[type(value)]:
        # Where any value may stand, pydantic would write a number that is not finite as null.
        dump_line(getattr(value, name))
    plain: dict[str, JSON] = adapter.dump_python(value, mode="json", exclude_defaults=not defaults)
    return plain


def to_json(value: object) -> str:
    """Return a dataclass as JSON on one line without blanks.

    Raises:
        ValueError: If a number in it is not finite.
    """
    return dump_line(to_plain(value))


def dump_line(plain: object) -> str:
    """Return plain values as JSON on one line without blanks.

    Raises:
        ValueError: If a number is not finite.
    """
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def from_json(kind: type[T], text: str) -> T:
    """Return the dataclass that `to_json` wrote.

    Raises:
        RecordError: If a value is missing, unknown, of another kind or out of bounds, or if the
            text is not as `to_json` writes it.
    """
    from pydantic import ValidationError  # noqa: PLC0415 (slow to import)

    try:
        value: T = _adapter(kind).validate_json(text)
        same = to_json(value) == text
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = cut(".".join(str(step) for step in fault["loc"])) or "JSON"
        if fault["type"] in _KEYS:
            raise RecordError(f"{_KEYS[fault['type']]} {where}", fix=_REMEDY) from None
        problem = f"invalid {where} {cut(repr(fault['input']))}"
        raise RecordError(problem, expected=expected_value(fault), fix=_REMEDY) from None
    except SpecError as error:
        raise error.converted(RecordError) from None
    except (ValueError, RecursionError):
        same = False
    if not same:
        raise RecordError("the line is not as this program writes it", fix=_REMEDY)
    return value
