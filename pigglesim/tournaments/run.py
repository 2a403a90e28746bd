"""A tournament played into its folder: what is there is left, the rest is played in order."""

import os
from collections.abc import Callable
from contextlib import closing
from functools import partial
from multiprocessing import connection, parent_process
from threading import Thread

from pigglesim.studies.workers import map_in_order
from pigglesim.tournaments.folder import Folder
from pigglesim.tournaments.pair import Table
from pigglesim.tournaments.tournament import Tournament

__all__ = ["run"]


def run(
    folder: Folder,
    *,
    pairs: int,
    workers: int = 1,
    watch: Callable[[Folder], None] = lambda folder: None,
) -> None:
    """Play every pair that is missing.

    Results come in the order of the pairs: how many processes share the work changes nothing but
    the time. What another process was at when it is stopped is lost; what came before stays.

    Args:
        folder: Of the tournament.
        pairs: Of every two agents.
        workers: Processes; with one all is done in this process.
        watch: Called after each pair.
    """
    tournament = folder.tournament
    left = range(len(folder.pairs), pairs * len(tournament.matchups))
    if not left:
        return
    prepare = partial(_ready, tournament)
    with closing(map_in_order(prepare, left, workers=min(workers, len(left)))) as played:
        for pair in played:
            folder.add(pair)
            watch(folder)


def _ready(tournament: Tournament) -> Table:
    """Return what plays pairs in this process; a worker leaves with the process that started it."""
    parent = parent_process()
    if parent is not None:
        Thread(target=_leave_with, args=(parent.sentinel,), daemon=True).start()
    return Table(tournament)


def _leave_with(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)
