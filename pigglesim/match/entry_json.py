"""Each line of a record as plain values, and back."""

from collections.abc import Mapping

from pigglesim.errors import RecordError
from pigglesim.games.game import JSON, Result
from pigglesim.match.entries import (
    Cause,
    Comment,
    Decision,
    Entry,
    Footer,
    Forfeit,
    Header,
    Outcome,
    Status,
)
from pigglesim.roll_codec import outcome_from_json, outcome_to_json, read
from pigglesim.rolls import Seat

__all__ = [
    "entry_from_json",
    "entry_to_json",
    "footer_from_json",
    "footer_to_json",
    "header_from_json",
    "header_to_json",
    "parse_seat",
]


def header_to_json(header: Header) -> dict[str, JSON]:
    """Return the first line of a record as plain values."""
    return {
        "kind": "header",
        "schema": header.schema,
        "pigglesim": header.version,
        **({"made_with": dict(header.made_with)} if header.made_with else {}),
        "game": header.game,
        "house_rules": dict(header.house_rules),
        "seed": header.seed,
        "agents": {str(seat): name for seat, name in header.agents.items()},
        "teams": dict(header.teams),
        "chance": dict(header.chance),
        **({} if header.date is None else {"date": header.date}),
    }


def header_from_json(plain: Mapping[str, object]) -> Header:
    """Return the header that `header_to_json` wrote."""
    agents, teams = read(plain, "agents", dict), read(plain, "teams", dict)
    made_with = read(plain, "made_with", dict) if "made_with" in plain else {}
    return Header(
        schema=read(plain, "schema", int),
        version=read(plain, "pigglesim", str),
        game=read(plain, "game", str),
        house_rules=read(plain, "house_rules", dict),
        seed=read(plain, "seed", int),
        agents={parse_seat(seat): read(agents, seat, str) for seat in agents},
        teams={piggle: read(teams, piggle, str) for piggle in teams},
        chance=read(plain, "chance", dict),
        date=read(plain, "date", str) if "date" in plain else None,
        made_with={package: read(made_with, package, str) for package in made_with},
    )


def entry_to_json(entry: Entry) -> dict[str, JSON]:
    """Return an entry as plain values."""
    match entry:
        case Decision(index=index, seat=seat, action=action):
            return {"kind": "decision", "index": index, "seat": str(seat), "action": action}
        case Outcome(index=index, thrower=thrower, piggles=piggles, result=result):
            return {
                "kind": "outcome",
                "index": index,
                "thrower": str(thrower),
                "piggles": list(piggles),
                **outcome_to_json(result),
            }
        case Forfeit(index=index, seat=seat, cause=cause, detail=detail):
            return {
                "kind": "forfeit",
                "index": index,
                "seat": str(seat),
                "cause": str(cause),
                "detail": detail,
            }
        case Comment(text=text):
            return {"kind": "comment", "text": text}


def entry_from_json(plain: Mapping[str, object]) -> Entry:
    """Return the entry that `entry_to_json` wrote."""
    match plain.get("kind"):
        case "decision":
            return Decision(
                index=read(plain, "index", int),
                seat=parse_seat(plain.get("seat")),
                action=read(plain, "action", str),
            )
        case "outcome":
            return Outcome(
                index=read(plain, "index", int),
                thrower=parse_seat(plain.get("thrower")),
                piggles=tuple(
                    read({"piggle": piggle}, "piggle", str)
                    for piggle in read(plain, "piggles", list)
                ),
                result=outcome_from_json(plain),
            )
        case "forfeit":
            cause = read(plain, "cause", str)
            if cause not in set(Cause):
                raise RecordError(
                    "a known cause of a forfeit", got=repr(cause), remedy="use a newer pigglesim"
                )
            return Forfeit(
                index=read(plain, "index", int),
                seat=parse_seat(plain.get("seat")),
                cause=Cause(cause),
                detail=read(plain, "detail", str),
            )
        case "comment":
            return Comment(text=read(plain, "text", str))
        case kind:
            raise RecordError(
                "a decision, an outcome, a forfeit or a comment",
                got=repr(kind),
                remedy="use a newer pigglesim",
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
        if footer.result.shared:
            result["shared"] = [str(seat) for seat in footer.result.shared]
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
        winner = None if table.get("winner") is None else parse_seat(table.get("winner"))
        shared = read(table, "shared", list) if "shared" in table else []
        result = Result(
            winner=winner,
            reason=read(table, "reason", str),
            shared=tuple(parse_seat(seat) for seat in shared),
        )
    scores, status = read(plain, "scores", dict), read(plain, "status", str)
    if status not in set(Status):
        raise RecordError("a known status", got=repr(status), remedy="use a newer pigglesim")
    return Footer(
        status=Status(status),
        result=result,
        scores={parse_seat(seat): read(scores, seat, int) for seat in scores},
        final_state=read(plain, "final_state", str),
    )


def parse_seat(value: object) -> Seat:
    """Return the seat that a value of a record names.

    Raises:
        RecordError: If it names none.
    """
    if not isinstance(value, str) or value not in set(Seat):
        raise RecordError("a seat", got=repr(value), remedy="use a newer pigglesim")
    return Seat(value)
