"""Matches by link: what their terms stand for on this machine."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pigglesim.api.game_setup import set_up_game
from pigglesim.api.sources import chance_of_record, make_source, source_of_record
from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.data_files import model_names, team_names, user_state
from pigglesim.durable_io import PRIVATE, make_folder, private_file, try_lock
from pigglesim.errors import RecordError, SpecError, cut
from pigglesim.files import FileKind, read_text
from pigglesim.games.game import JSON
from pigglesim.landing import BOARD_SEATS
from pigglesim.markings import split_livery
from pigglesim.match.correspondence import Correspondence, LinkSetup, replayed
from pigglesim.match.entries import Header
from pigglesim.match.link_memory import Memory, memory_of
from pigglesim.match.links import SHORT, Terms, expect_link_game
from pigglesim.match.runner import ChanceSource

_MEMORY = FileKind(name="memory of a match by link", max_bytes=16 * 1024)

_ENGINE = "impulse"
"""Engine of throws by physics: the only one that runs in a page too, with the same bits."""


def link_setup(terms: Terms) -> LinkSetup:
    """Return the game, the models and the source of chance of some terms, which may be hostile.

    Raises:
        SpecError: If one is unknown, or cannot be used by link.
    """
    expect_link_game(terms.game)
    for word in (word for team in terms.teams for word in team.split(",") if word):
        if word not in team_names() and split_livery(word)[0] not in model_names():
            raise SpecError(
                f"unknown model or team {cut(repr(word), 40)}",
                fix="use one that comes with pigglesim",
            )
    a, b = (team or None for team in terms.teams)
    base = set_up_game(terms.game, None, rules=terms.rules, teams=(a, b))
    if base.game.seats != BOARD_SEATS or getattr(base.game, "idle_seats", None):
        raise SpecError(
            f"{terms.game} with {len(base.game.seats)} players",
            expected="two",
            fix="play it with pigglesim play",
        )
    engine = _ENGINE if terms.chance == "physical" else None
    source = make_source(
        base.game,
        terms.chance,
        scene=base.scene_name,
        models=base.models,
        engine=engine,
        seed=0,
    )
    return LinkSetup(game=base.game, models=base.models, source=source)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkThrows:
    """Source that makes the throws of a link again."""

    match: Correspondence

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Return throw `index`.

        Raises:
            RecordError: If the link has none.
        """
        seeds = self.match.seeds
        if index >= len(seeds):
            raise RecordError(f"the link has no throw {index}", fix="use its own record")
        return self.match.table.source.with_seed(seeds[index]).answer(request, index=index)

    def provenance(self) -> dict[str, JSON]:
        """Return the source of the throws."""
        return self.match.table.source.provenance()


def throws_of_link(text: str) -> LinkThrows:
    """Return the source of the throws of a match by link.

    Raises:
        LinkError: If the link is wrong.
    """
    result = replayed(text, link_setup)
    if result.fault is not None or result.match is None:
        raise result.fault or RecordError("no link", fix="use another record")
    return LinkThrows(match=result.match)


def _is_file_of(path: Path, handle: int) -> bool:
    return path.exists() and os.path.samestat(path.stat(), os.fstat(handle))


def resimulation_of(header: Header) -> ChanceSource:
    """Return the source that makes every roll of a recorded match again.

    Raises:
        RecordError: If the match was rolled by odds, or a source has changed.
    """
    if header.chance.get("source") == "link":
        return throws_of_link(str(header.chance.get("link")))
    # Fair dice and cards are drawn again from their seed.
    fair = header.chance.get("source") == "fair"
    return source_of_record(header) if fair else chance_of_record(header)


class LinkMemories:
    """Folder of what this user remembers of matches by link; nobody else can read its files."""

    def __init__(self, folder: Path | None = None) -> None:
        folder = folder or user_state()
        if folder is None:
            raise SpecError("this user has no folder", fix="set HOME")
        self._folder = folder / "links"

    @contextmanager
    def locked(self, match: bytes) -> Iterator[None]:
        """Hold a match for the answer to one link; no file remains of it.

        Raises:
            SpecError: If another process holds it.
        """
        make_folder(self._folder)
        path = self._file(match, ".lock")
        path.touch(mode=PRIVATE)
        with path.open("w") as lock:
            # A process that ends removes the file, which another may have opened before.
            if not try_lock(lock) or not _is_file_of(path, lock.fileno()):
                raise SpecError(
                    "this match is being answered elsewhere", fix="end it there, or wait"
                )
            try:
                yield
            finally:
                with suppress(OSError):
                    path.unlink()

    def read(self, match: bytes) -> Memory | None:
        """Return what is remembered of a match; None if it is not known.

        Raises:
            PigglesimError: If the file is damaged.
        """
        file = self._file(match, ".json")
        return memory_of(read_text(file, _MEMORY)) if file.exists() else None

    def write(self, match: bytes, memory: Memory) -> None:
        """Write what to remember, durably, before its link is shown.

        Raises:
            SpecError: If it cannot be written, or not hidden from other users.
        """
        make_folder(self._folder)
        with private_file(self._file(match, ".json")) as file:
            file.write(memory.to_json())

    def _file(self, match: bytes, suffix: str) -> Path:
        return self._folder / f"{match[:SHORT].hex()}{suffix}"
