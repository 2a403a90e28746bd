"""The folder of a tournament: pairs in the order in which they were played, and their records."""

import pickle
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pigglesim.agents.agent import Agent
from pigglesim.errors import RecordError
from pigglesim.series import run as series
from pigglesim.series.folder import FolderError, SeriesFolder, SeriesKind, stored_definition
from pigglesim.tournaments.tournament import (
    RECORDS,
    Pair,
    Tournament,
    TournamentSettings,
    table_of_sent,
)

__all__ = ["FolderError", "TournamentFolder", "run", "stored_tournament"]


def _kind(tournament: Tournament | None = None) -> SeriesKind[Pair]:
    def read(plain: Mapping[str, Any]) -> Pair:
        pair = Pair.from_json(plain)
        if tournament is not None:
            due = tournament.meeting(pair.index)
            if (pair.first, pair.second, pair.seed) != (due.first, due.second, due.seed):
                raise ValueError(f"another pair than number {pair.index}")
        return pair

    return SeriesKind(
        series="tournament",
        items="pairs",
        read=read,
        beside=RECORDS if tournament is not None and tournament.records else None,
        flag="--agents",
    )


def stored_tournament(folder: Path) -> tuple[Tournament, int]:
    """Return the tournament of a folder, and how many pairs of every two were last asked for.

    Raises:
        RecordError: If it is no folder of a tournament.
    """
    plain, pairs = stored_definition(folder, _kind())
    try:
        return Tournament.from_definition(plain), pairs
    except (TypeError, ValueError, KeyError) as fault:
        raise RecordError(
            "a tournament.json that can be read",
            got=f"that of {folder}: {fault}",
            remedy="another --out",
        ) from None


class TournamentFolder(SeriesFolder[Pair]):
    """The folder of one tournament, held by one process that adds pairs to it.

    Args:
        path: Made if there is none.
        tournament: What is played.
        made_of: What the results depend on beside it.
        pairs: How many of every two are asked for.

    Raises:
        RecordError: If the folder is of another tournament or in use.
        FolderError: If it cannot be written.
    """

    def __init__(
        self, path: Path, tournament: Tournament, made_of: Mapping[str, Any], *, pairs: int
    ) -> None:
        self.tournament = tournament
        super().__init__(path, _kind(tournament), tournament.definition(), made_of, wanted=pairs)

    @property
    def pairs(self) -> list[Pair]:
        """Played, in order."""
        return self.items


def run(
    folder: TournamentFolder,
    *,
    pairs: int,
    own: Mapping[str, Agent] | None = None,
    workers: int = 1,
    watch: Callable[[TournamentFolder], None] = lambda folder: None,
) -> None:
    """Play every pair that is missing, in order.

    Args:
        folder: Of the tournament.
        pairs: Of every two agents.
        own: Agents that are objects of this program, by name; with more workers they must pickle.
        workers: Processes; with one all is done in this process.
        watch: Called after each pair.
    """
    table = partial(TournamentSettings, folder.tournament, own)
    if own and workers > 1:
        table = partial(table_of_sent, folder.tournament, pickle.dumps(dict(own)))
    series.run(
        folder,
        table,
        wanted=pairs * len(folder.tournament.matchups),
        workers=workers,
        watch=lambda _: watch(folder),
    )
