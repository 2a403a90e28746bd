"""A series played into its folder: what is there is left, the rest is played in order."""

from collections.abc import Callable
from contextlib import closing
from typing import TypeVar

from pigglesim.series.folder import SeriesFolder, SeriesItem
from pigglesim.studies.worker_pool import map_in_order

I = TypeVar("I", bound=SeriesItem)  # noqa: E741 (an item)


def run(
    folder: SeriesFolder[I],
    prepare: Callable[[], Callable[[int], I]],
    *,
    wanted: int,
    workers: int = 1,
    watch: Callable[[SeriesFolder[I]], None] = lambda folder: None,
) -> None:
    """Play every item that is missing.

    Results come in the order of the series: how many processes share the work changes nothing but
    the time. What another process was at when it is stopped is lost; what came before stays.

    Args:
        folder: Of the series.
        prepare: Called once in each process; returns what plays an item by its index. With more
            than one worker it and the items must pickle.
        wanted: How many items there shall be.
        workers: Processes; with one all is done in this process.
        watch: Called after each item.
    """
    left = range(len(folder.items), wanted)
    if not left:
        return
    with closing(map_in_order(prepare, left, workers=min(workers, len(left)))) as played:
        for item in played:
            folder.add(item)
            watch(folder)
