"""Recorded matches: watched again, analysed, visited at a decision, and played on otherwise."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from numpy.random import Generator

from pigglesim.api.analyse import analyse
from pigglesim.api.analysis import AnalysisResult
from pigglesim.api.match import PlayedMatch
from pigglesim.api.play import scene_of_record
from pigglesim.api.sources import chance_of_record
from pigglesim.api.what_if import what_if
from pigglesim.chance.physical import FilmedChance
from pigglesim.chance_types import ChanceRequest
from pigglesim.errors import RecordError, SpecError
from pigglesim.experiments.statistics import Interval
from pigglesim.films.film import Film
from pigglesim.games.game import JSON
from pigglesim.match.entries import Entry, MatchOutcome, MatchRecord
from pigglesim.match.replay import branch_at, game_of
from pigglesim.scene.load import load_scene
from pigglesim.tui.session import HUMAN, LEARNER, SaveFile, Session

_TIMES = 100
"""Matches played on from each action."""
_PEOPLE = (HUMAN, LEARNER)


@dataclass(frozen=True, slots=True)
class _Recorded:
    """Player or source of chance of a record, which decides nothing itself."""

    name: str
    made_of: Mapping[str, JSON] = field(default_factory=dict)

    def choose(
        self, observation: object, legal_actions: Sequence[Any], *, rng: Generator
    ) -> NoReturn:
        """Raise, as a recorded player decides nothing anew."""
        raise SpecError("a recorded player decides nothing", fix="play the next entry")

    def answer(self, request: ChanceRequest, *, index: int) -> NoReturn:
        """Raise, as recorded chance gives nothing anew."""
        raise SpecError("recorded chance gives nothing", fix="play the next entry")

    def provenance(self) -> dict[str, JSON]:
        """Return everything needed to repeat the rolls."""
        return dict(self.made_of)


class _NoFile(SaveFile):
    """No file: what is watched is saved already."""

    def save(self, record: MatchRecord) -> None:
        """Write nothing."""


class RecordedSession(Session):
    """Session whose entries come from a record; rolls on physics are simulated again for films."""

    def __init__(
        self, record: MatchRecord, film: Callable[..., FilmedChance] = FilmedChance
    ) -> None:
        header = record.header
        self._filmed: FilmedChance | None = None
        # A record of another version is watched without films.
        with suppress(RecordError):
            self._filmed = film(source=chance_of_record(header), show=self._keep)
        scene = scene_of_record(header)
        super().__init__(
            game_of(record),
            agents={seat: _Recorded(name) for seat, name in header.agents.items()},
            chance=_Recorded("record", header.chance),
            seed=header.seed,
            teams=header.teams,
            position=header.position,
            saves=_NoFile(Path("record")),
            scene=load_scene(scene) if scene else None,
        )
        self.recorded = record

    def _keep(self, _index: int, film: Film) -> None:
        self.film = film

    @property
    def over(self) -> bool:
        """True once all entries have been played."""
        return len(self.events) >= len(self.recorded.entries) or super().over

    def next_entry(self) -> Entry:
        """Return the next entry of the record, and simulate its film."""
        entry = self.recorded.entries[len(self.events)]
        if self._filmed is not None and isinstance(entry, MatchOutcome):
            self._filmed.answer(self.game.chance_request(self.state), index=entry.index)
        return entry


def analysed(
    record: MatchRecord, *, progress: Callable[[int, int], object]
) -> tuple[AnalysisResult, dict[str, Any]]:
    """Return the analysis of a match, and its message.

    Raises:
        PigglesimError: If there is no decision to analyse.
    """
    found = analyse(record, seed=1, progress=progress)
    worst = [each.decision for each in found.worst()]
    message = {
        "is": "review",
        "source": found.source,
        "curve": found.curve,
        "rounds": [each.round for each in found.decisions],
        "worst": worst,
        "decisions": [
            {
                "decision": each.decision,
                "round": each.round,
                "seat": each.seat,
                "action": each.action,
                "best": each.best,
                "choices": each.choices,
                "before": _value(each.before[each.seat]),
                "after": _value(each.after[each.seat]),
                "after_all": {seat: _value(value) for seat, value in each.after.items()},
                "loss": _value(each.loss),
                "clear": each.clear,
            }
            for each in found.decisions
        ],
    }
    return found, message


def _value(value: Interval) -> list[float]:
    return [round(value.value, 4), round(value.low, 4), round(value.high, 4)]


def tried(
    record: MatchRecord, decision: int, *, progress: Callable[[int, int], object]
) -> dict[str, Any]:
    """Return the message of playing on from a decision with each action.

    Raises:
        PigglesimError: If there is no such decision.
    """
    # People do not play on: the agent that most resembles them does.
    people = {str(s): "greedy" for s, name in record.header.agents.items() if name in _PEOPLE}
    found = what_if(record, decision, times=_TIMES, agents=people, seed=1, progress=progress)
    wins = f"{found.seat} wins"
    actions: list[dict[str, Any]] = [
        {
            "action": each.action,
            "recorded": each.action == found.recorded,
            "matches": each.matches,
            "wins": _value(each.shares[wins]),
        }
        for each in found.actions
    ]
    actions.sort(key=lambda each: -each["wins"][0])
    return {
        "is": "tried",
        "decision": decision,
        "seat": found.seat,
        "chance": found.chance,
        "actions": actions,
    }


def state_before(record: MatchRecord, decision: int) -> Any:  # noqa: ANN401 (a state of the game)
    """Return the state before a decision.

    Raises:
        PigglesimError: If there is no such decision.
    """
    return branch_at(record, decision).before.state


def played_match(session: Session) -> PlayedMatch:
    """Return the match of a session, for its files."""
    record = session.recorded if isinstance(session, RecordedSession) else session.record()
    return PlayedMatch(record=record, game=session.game, events=session.events)
