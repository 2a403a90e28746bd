"""Public functions: checks of their arguments, and the base class of their results."""

import inspect
import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from numbers import Integral, Real
from os import PathLike
from types import NoneType, SimpleNamespace, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
)
from typing import get_type_hints as hints_of

from pigglesim.errors import ArgumentError, cut, unknown_name
from pigglesim.limits import Limits
from pigglesim.units import MAX_DIGITS

P = ParamSpec("P")
R = TypeVar("R")


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that refuses invalid arguments before it does anything.

    The error is one line; for a misspelt keyword it names the closest valid one.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: P.args, **keywords: P.kwargs) -> R:
        _check(function, signature, args, keywords)
        return function(*args, **keywords)

    return call


def _check(
    function: Callable[..., object],
    signature: inspect.Signature,
    args: tuple[object, ...],
    keywords: Mapping[str, object],
) -> None:
    call, help_call = f"{function.__name__}()", f"help(pigglesim.{function.__qualname__})"
    names = [name for name in signature.parameters if name != "self"]
    for keyword in keywords:
        if keyword not in signature.parameters:
            raise unknown_name("keyword", keyword, names).converted(ArgumentError, where=call)
    try:
        arguments = signature.bind(*args, **keywords).arguments
    except TypeError as fault:
        raise ArgumentError(
            f"{call}: {fault}", expected=", ".join(names), fix=f"see {help_call}"
        ) from None
    # What it returns may have a type that is imported only when needed.
    own = {name: hint for name, hint in function.__annotations__.items() if name != "return"}
    hints = hints_of(
        SimpleNamespace(__annotations__=own),
        globalns=vars(inspect.getmodule(function)),
        include_extras=True,
    )
    for name, value in arguments.items():
        hint = hints.get(name, Any)
        if isinstance(value, int) and abs(value) >= 10**MAX_DIGITS:
            raise ArgumentError(
                f"{name} of {call} has too many digits",
                expected=f"{MAX_DIGITS} at most",
                fix=f"see {help_call}",
            )
        if not _fits(value, hint):
            raise ArgumentError(
                f"invalid {name} {cut(repr(value))} of {call}",
                expected=_plain(hint),
                fix=f"see {help_call}",
            )
        for limits in filter(lambda each: isinstance(each, Limits), get_args(hint)):
            limits.expect(name, value)
    if arguments.get("workers", 1) < 1:
        raise ArgumentError(
            f"invalid workers {arguments['workers']} of {call}", fix="use workers=1 or more"
        )


_NUMBERS: dict[Any, type] = {bool: object, int: Integral, float: Real}
"""Abstract type of the values of each annotation; True and False fit bool alone."""


def _fits(value: object, hint: Any) -> bool:  # noqa: ANN401 (an annotation)
    """Return whether a value matches an annotation, as far as the annotation is simple."""
    origin = get_origin(hint)
    if origin is Annotated:
        return _fits(value, get_args(hint)[0])
    if origin in {Union, UnionType}:
        return any(_fits(value, option) for option in get_args(hint))
    if origin is Literal:
        # The function itself refuses an unknown value, and names the nearest.
        return isinstance(value, tuple({type(option) for option in get_args(hint)}))
    return _fits_kind(value, origin or hint, get_args(hint))


def _fits_kind(value: object, kind: Any, inner: tuple[Any, ...]) -> bool:  # noqa: ANN401 (a type)
    """Return whether a value matches a type, and what it contains the annotations `inner`."""
    if kind in {None, NoneType}:
        return value is None
    if kind in _NUMBERS:
        is_bool = type(value).__name__ in {"bool", "bool_"}
        return isinstance(value, _NUMBERS[kind]) and (kind is bool) is is_bool
    if kind is Any or not isinstance(kind, type):
        return True
    if getattr(kind, "_is_protocol", False) and kind is not PathLike:
        return all(hasattr(value, name) for name in vars(kind) if not name.startswith("_"))
    if not inner or not issubclass(kind, Iterable):
        return isinstance(value, kind)
    return _fits_collection(value, kind, inner)


def _fits_collection(value: object, kind: type, inner: tuple[Any, ...]) -> bool:
    if issubclass(kind, Mapping):
        return isinstance(value, Mapping) and all(_fits(each, inner[1]) for each in value.values())
    if isinstance(value, str):
        return False  # One name is not a sequence of letters.
    if kind is tuple and Ellipsis not in inner:
        if not isinstance(value, Collection) or len(value) != len(inner):
            return False
        return all(_fits(each, of) for each, of in zip(value, inner, strict=True))
    return isinstance(value, Iterable)


def _plain(hint: Any) -> str:  # noqa: ANN401 (an annotation)
    """Return an annotation without its limits, and without the modules of its names."""
    hint = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", inspect.formatannotation(hint))


def given(**settings: object) -> dict[str, Any]:
    """Return the settings that were given: those that are not None."""
    return {name: value for name, value in settings.items() if value is not None}


class JsonResult(ABC):
    """Result of a function; its JSON text is its document."""

    __slots__ = ()

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """Return the result as JSON values; unknown values are None, units are in the names."""

    def to_json(self) -> str:
        """Return the document as JSON, like the output of the command line."""
        return json.dumps(self.document(), ensure_ascii=False, allow_nan=False, indent=1)


class StoppableResult(JsonResult):
    """Result of work that Ctrl-C may end early; it then has what was made."""

    __slots__ = ()

    @property
    @abstractmethod
    def _progress(self) -> tuple[int, int, str]:
        """Numbers of things made and wanted, and their plural."""

    @property
    def finished(self) -> bool:
        """True if all that was requested was made."""
        made, wanted, _ = self._progress
        return made >= wanted

    @property
    def unfinished(self) -> str:
        """Progress of stopped work, such as `unfinished: 5 of 20 drops`; empty if finished."""
        made, wanted, things = self._progress
        return "" if self.finished else f"unfinished: {made:,} of {wanted:,} {things}"


def plain(value: Any) -> Any:  # noqa: ANN401 (JSON)
    """Convert mappings, lists and numbers to JSON values; None for a number that is not finite."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
