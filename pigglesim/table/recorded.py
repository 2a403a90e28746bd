"""Recorded matches, watched event by event."""

from pathlib import Path
from typing import Any

from pigglesim.agents.agent import Uniform
from pigglesim.chance_types import ShuffleRequest
from pigglesim.match.entries import MatchOutcome, MatchRecord
from pigglesim.match.replay import FilmSource, game_of, replay
from pigglesim.match.runner import MatchEvent, Progress
from pigglesim.scene.scene import Scene
from pigglesim.table.session import SaveFile, Session


class RecordedSession(Session):
    """Session whose events come from a record.

    `films` simulates its rolls again; without it they have no films. Its players only take the
    places of the recorded ones, and decide nothing.
    """

    def __init__(
        self, record: MatchRecord, *, scene: Scene | None = None, films: FilmSource | None = None
    ) -> None:
        super().__init__(
            game_of(record),
            header=record.header,
            agents=dict.fromkeys(record.header.agents, Uniform()),
            saves=SaveFile(Path("record")),
            scene=scene,
        )
        self._whole, self._films = record, films
        self._recorded: list[MatchEvent[Any]] = []
        replay(record, on_event=self._recorded.append)

    def _go_to(self, progress: Progress[Any]) -> None:
        # A record is not written again.
        self._show(progress)

    @property
    def over(self) -> bool:
        """True once all events have been played."""
        return len(self.events) == len(self._recorded)

    def record(self) -> MatchRecord:
        """Return the whole record."""
        return self._whole

    def next_event(self) -> MatchEvent[Any]:
        """Return the next event of the record, and simulate its film."""
        event = self._recorded[len(self.events)]
        if self._films is not None and isinstance(event.entry, MatchOutcome):
            request = self.game.chance_request(event.before)
            if not isinstance(request, ShuffleRequest):
                _, self.film = self._films.filmed(request, index=event.entry.index)
        return event
