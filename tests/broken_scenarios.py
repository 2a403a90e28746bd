"""Scenarios with junk in place of one of their values."""

import copy
from typing import Any

from hypothesis import strategies as st


def with_junk(
    scenarios: list[dict[str, Any]], junk: st.SearchStrategy[object]
) -> st.SearchStrategy[dict[str, Any]]:
    """Return scenarios of which one value, however deep, is junk."""

    @st.composite
    def broken(draw: st.DrawFn) -> dict[str, Any]:
        scenario = copy.deepcopy(draw(st.sampled_from(scenarios)))
        *way, last = draw(st.sampled_from(_paths(scenario)))
        inner: Any = scenario
        for key in way:
            inner = inner[key]
        inner[last] = draw(junk)
        return scenario

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
