"""Recorded matches: watched again and analysed, with the value of every action."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from pigglesim.agents.registry import make_agent
from pigglesim.api.analyse import analyse, analyse_actions
from pigglesim.api.sources import chance_of_record, scene_of_record
from pigglesim.chance.physical import FilmedChance
from pigglesim.chance.tabular import FairChance
from pigglesim.errors import RecordError
from pigglesim.experiments.values import REVIEW_SEED
from pigglesim.films.film import Film
from pigglesim.match.entries import Entry, MatchOutcome, MatchRecord
from pigglesim.match.replay import branch_at, game_of
from pigglesim.match.runner import Progress
from pigglesim.scene.load import load_scene
from pigglesim.table.session import SaveFile, Session


class RecordedSession(Session):
    """Session whose entries come from a record; rolls on physics are simulated again for films.

    Its players and its chance only take the places of the recorded ones, and decide nothing.
    """

    def __init__(
        self, record: MatchRecord, film: Callable[..., FilmedChance] = FilmedChance
    ) -> None:
        header, scene = record.header, scene_of_record(record.header)
        self._filmed: FilmedChance | None = None
        # A record of another version is watched without films.
        with suppress(RecordError):
            self._filmed = film(source=chance_of_record(header), show=self._keep)
        super().__init__(
            game_of(record),
            agents=dict.fromkeys(header.agents, make_agent("uniform")),
            chance=FairChance(seed=header.seed),
            seed=header.seed,
            teams=header.teams,
            position=header.position,
            saves=SaveFile(Path("record")),
            scene=load_scene(scene) if scene else None,
        )
        self.header, self.recorded = header, record

    def _keep(self, _index: int, film: Film) -> None:
        self.film = film

    def _go_to(self, progress: Progress[Any]) -> None:
        self.progress = progress

    @property
    def over(self) -> bool:
        """True once all entries have been played."""
        return len(self.events) >= len(self.recorded.entries) or super().over

    def record(self) -> MatchRecord:
        """Return the whole record."""
        return self.recorded

    def next_entry(self) -> Entry:
        """Return the next entry of the record, and simulate its film."""
        entry = self.recorded.entries[len(self.events)]
        if self._filmed is not None and isinstance(entry, MatchOutcome):
            self._filmed.answer(self.game.chance_request(self.state), index=entry.index)
        return entry


def analysed(record: MatchRecord, *, progress: Callable[[int, int], object]) -> dict[str, Any]:
    """Return the message with the analysis of a match.

    Raises:
        PigglesimError: If there is no decision to analyse.
    """
    found = analyse(record, seed=REVIEW_SEED, progress=progress)
    worst = [each.decision for each in found.worst()]
    sums = found.sentences
    return {
        **found.document(),
        "is": "review",
        "source": found.source,
        "worst": worst,
        "sums": sums,
    }


def tried(
    record: MatchRecord, decision: int, *, progress: Callable[[int, int], object]
) -> dict[str, Any]:
    """Return the message with the value of each action at a decision, as the review has it.

    Raises:
        PigglesimError: If there is no such decision.
    """
    point = branch_at(record, decision)
    header = replace(record.header, position=point.game.format_state(point.before.state))
    played = point.decision.action
    found = analyse_actions(header, played=played, seed=REVIEW_SEED, progress=progress)
    return {
        **found.document(), "is": "tried", "decision": decision, "recorded": played,
        "source": found.source,
    }  # fmt: skip
