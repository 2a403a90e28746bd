"""What pydantic finds wrong with a value of a file, in this program's words."""

from collections.abc import Mapping
from typing import Any

from pigglesim.errors import cut

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "string": "a text in quotes",
    "bool": "true or false",
    "list": "a list",
    "tuple": "a list",
    "set": "a list",
    "dict": "a table",
    "mapping": "a table",
    "model": "a table",
    "dataclass": "a table",
    "none": "nothing",
}
"""By the first word of pydantic's name of the fault."""
_BOUNDS = {
    "greater_than": "above {gt:g}",
    "greater_than_equal": "{ge:g} or more",
    "less_than": "below {lt:g}",
    "less_than_equal": "{le:g} or less",
    "multiple_of": "a multiple of {multiple_of:g}",
    "string_too_short": "a text of {min_length} or more characters",
    "string_too_long": "a text of at most {max_length} characters",
    "string_pattern_mismatch": "a text that matches {pattern}",
    "too_short": "of {min_length} or more entries",
    "too_long": "of at most {max_length} entries",
    "enum": "{expected}",
    "literal_error": "{expected}",
}


def fault_text(fault: Mapping[str, Any]) -> str:
    """Return what is wrong with a value, such as `must be a whole number (got 1.5)`.

    Args:
        fault: One of `ValidationError.errors()`.
    """
    match fault["type"]:
        case "missing":
            return "missing"
        case "extra_forbidden":
            return "unknown key"
        case "value_error":
            return wanted(fault)
        case _:
            return f"must be {wanted(fault)} (got {cut(repr(fault['input']))})"


def wanted(fault: Mapping[str, Any]) -> str:
    """Return what a value should be, by one of pydantic's faults, such as `a whole number`.

    Args:
        fault: One of `ValidationError.errors()`.
    """
    kind, limits = str(fault["type"]), fault.get("ctx", {})
    if kind in _BOUNDS:
        return _BOUNDS[kind].format(**limits)
    if kind == "value_error":
        # A check of this program's own has said it.
        return str(fault["msg"]).removeprefix("Value error, ")
    return _KINDS.get(kind.partition("_")[0], "another value")
