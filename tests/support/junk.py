"""JSON with junk in place of one of its values."""

import copy
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st


def with_junk(wholes: Sequence[Any], junk: st.SearchStrategy[object]) -> st.SearchStrategy[Any]:
    """Return tables or lists of which one value, however deep, is junk."""

    @st.composite
    def broken(draw: st.DrawFn) -> Any:
        whole = copy.deepcopy(draw(st.sampled_from(wholes)))
        *way, last = draw(st.sampled_from(_paths(whole)))
        inner = whole
        for key in way:
            inner = inner[key]
        inner[last] = draw(junk)
        return whole

    return broken()


def _paths(value: Any, at: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """Return where every value inside a JSON value stands."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, item in items:
        found.append((*at, key))
        if isinstance(item, dict | list):
            found += _paths(item, (*at, key))
    return found
