"""What a record of a match holds, line by line, and how each line is written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import TypeAlias

from pigglesim import __version__
from pigglesim.errors import RecordError
from pigglesim.games.game import JSON, Result
from pigglesim.match.codec import read, result_from_json, result_to_json
from pigglesim.rolls import RollResult, Seat

__all__ = ["SCHEMA", "Decision", "Entry", "Footer", "Header", "MatchRecord", "Outcome", "Status"]

SCHEMA = 1
"""Version of the format that this program writes, and the newest that it reads."""


@unique
class Status(StrEnum):
    """How the match that was recorded came to an end."""

    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    """Somebody stopped it; what was played until then is whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Everything that was settled before the first decision."""

    game: str
    house_rules: Mapping[str, JSON]
    seed: int
    agents: Mapping[Seat, str]
    """The name of the agent at each seat."""
    teams: Mapping[str, str]
    """The model of each Piggle, by id; empty where no model was needed."""
    chance: Mapping[str, JSON]
    """Where the outcomes came from."""
    version: str = __version__
    """The pigglesim that played."""
    schema: int = SCHEMA


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision of a player."""

    index: int
    """How many decisions came before it in the match."""
    seat: Seat
    action: str
    """In the notation of the game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One answer of chance."""

    index: int
    """How many rolls came before it in the match."""
    thrower: Seat
    piggles: tuple[str, ...]
    result: RollResult


Entry: TypeAlias = Decision | Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Footer:
    """How the match stood at the end."""

    status: Status
    result: Result | None
    """None while play would have gone on."""
    scores: Mapping[Seat, int]
    final_state: str
    """SHA-256 of the last position in the notation of the game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecord:
    """A whole match."""

    header: Header
    entries: tuple[Entry, ...] = field(repr=False)
    footer: Footer

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The decisions alone, in order."""
        return tuple(entry for entry in self.entries if isinstance(entry, Decision))

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The answers of chance alone, in order."""
        return tuple(entry for entry in self.entries if isinstance(entry, Outcome))


def header_to_json(header: Header) -> dict[str, JSON]:
    """Return the first line of a record as plain values."""
    return {
        "kind": "header",
        "schema": header.schema,
        "pigglesim": header.version,
        "game": header.game,
        "house_rules": dict(header.house_rules),
        "seed": header.seed,
        "agents": {str(seat): name for seat, name in header.agents.items()},
        "teams": dict(header.teams),
        "chance": dict(header.chance),
    }


def header_from_json(plain: Mapping[str, object]) -> Header:
    """Return the header that `header_to_json` wrote."""
    agents, teams = read(plain, "agents", dict), read(plain, "teams", dict)
    return Header(
        schema=read(plain, "schema", int),
        version=read(plain, "pigglesim", str),
        game=read(plain, "game", str),
        house_rules=read(plain, "house_rules", dict),
        seed=read(plain, "seed", int),
        agents={_seat(seat): read(agents, seat, str) for seat in agents},
        teams={piggle: read(teams, piggle, str) for piggle in teams},
        chance=read(plain, "chance", dict),
    )


def entry_to_json(entry: Entry) -> dict[str, JSON]:
    """Return a decision or an outcome as plain values."""
    match entry:
        case Decision(index=index, seat=seat, action=action):
            return {"kind": "decision", "index": index, "seat": str(seat), "action": action}
        case Outcome(index=index, thrower=thrower, piggles=piggles, result=result):
            return {
                "kind": "outcome",
                "index": index,
                "thrower": str(thrower),
                "piggles": list(piggles),
                **result_to_json(result),
            }


def entry_from_json(plain: Mapping[str, object]) -> Entry:
    """Return the entry that `entry_to_json` wrote."""
    index = read(plain, "index", int)
    match plain.get("kind"):
        case "decision":
            seat, action = _seat(plain.get("seat")), read(plain, "action", str)
            return Decision(index=index, seat=seat, action=action)
        case "outcome":
            return Outcome(
                index=index,
                thrower=_seat(plain.get("thrower")),
                piggles=tuple(
                    read({"piggle": piggle}, "piggle", str)
                    for piggle in read(plain, "piggles", list)
                ),
                result=result_from_json(plain),
            )
        case kind:
            raise RecordError(
                "a decision or an outcome", got=repr(kind), remedy="use a newer pigglesim"
            )


def footer_to_json(footer: Footer) -> dict[str, JSON]:
    """Return the last line of a record as plain values."""
    result: dict[str, JSON] | None = None
    if footer.result is not None:
        winner = footer.result.winner
        result = {
            "winner": None if winner is None else str(winner),
            "reason": str(footer.result.reason),
        }
    return {
        "kind": "footer",
        "status": str(footer.status),
        "result": result,
        "scores": {str(seat): score for seat, score in footer.scores.items()},
        "final_state": footer.final_state,
    }


def footer_from_json(plain: Mapping[str, object]) -> Footer:
    """Return the footer that `footer_to_json` wrote."""
    result = None
    if plain.get("result") is not None:
        table = read(plain, "result", dict)
        winner = None if table.get("winner") is None else _seat(table.get("winner"))
        result = Result(winner=winner, reason=read(table, "reason", str))
    scores, status = read(plain, "scores", dict), read(plain, "status", str)
    if status not in set(Status):
        raise RecordError("a known status", got=repr(status), remedy="use a newer pigglesim")
    return Footer(
        status=Status(status),
        result=result,
        scores={_seat(seat): read(scores, seat, int) for seat in scores},
        final_state=read(plain, "final_state", str),
    )


def _seat(value: object) -> Seat:
    if not isinstance(value, str) or value not in set(Seat):
        raise RecordError("a seat", got=repr(value), remedy="use a newer pigglesim")
    return Seat(value)
