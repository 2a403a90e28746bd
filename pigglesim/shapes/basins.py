"""What the basins of a height over the sphere add up to: when two of them join."""

import math
from collections.abc import Iterable, Sequence

__all__ = ["merge_levels"]


def merge_levels(classes: Sequence[object], ways: Iterable[tuple[float, int, int]]) -> list[float]:
    """Return the level at which each basin first joins one of another class; infinite if never.

    The water rises: at each way over, two lakes become one. Each lake keeps the basins that have
    met their own class only, and lets them go when another class comes.

    Args:
        classes: The class of each basin; compared by equality.
        ways: Height of each way over and the two basins it joins.
    """
    levels = [math.inf] * len(classes)
    lake = list(range(len(classes)))
    waiting = [[k] for k in range(len(classes))]

    def find(k: int) -> int:
        while lake[k] != k:
            lake[k] = lake[lake[k]]
            k = lake[k]
        return k

    for height, first, second in sorted(ways):
        small, large = find(first), find(second)
        if small == large:
            continue
        if len(waiting[small]) > len(waiting[large]):
            small, large = large, small
        both = (waiting[small], waiting[large])
        lake[small] = large
        # A lake that waits for nothing holds two classes already.
        if all(both) and classes[both[0][0]] == classes[both[1][0]]:
            waiting[large] += waiting[small]
            continue
        for member in (*both[0], *both[1]):
            levels[member] = height
        waiting[large] = []
    return levels
