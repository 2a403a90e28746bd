"""Each line of a record as plain values, and back."""

import hashlib
import json
from collections.abc import Mapping, Sequence

from pigglesim.errors import RecordError
from pigglesim.games.game import JSON, Result
from pigglesim.landing import Seat
from pigglesim.match.entries import (
    SCHEMA,
    Cause,
    Comment,
    CutError,
    Decision,
    Entry,
    Footer,
    Forfeit,
    Header,
    LocatedError,
    MatchOutcome,
    MatchRecord,
    Status,
    fault_of,
)
from pigglesim.roll_codec import outcome_from_json, outcome_to_json, read


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
        case MatchOutcome(index=index, thrower=thrower, piggles=piggles, result=result):
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
            return MatchOutcome(
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


class Sealer:
    """Writes the lines of one record, each sealed by those before it."""

    def __init__(self) -> None:
        self._seal = ""
        self._count = 0

    def line(self, plain: Mapping[str, object]) -> str:
        """Return the next line, with its line end.

        Raises:
            RecordError: If a number in it is not finite.
        """
        self._count += 1
        try:
            line, self._seal = _sealed(plain, self._seal)
        except ValueError:
            raise RecordError(
                f"finite numbers in line {self._count}", got="inf or nan", remedy="check the roll"
            ) from None
        return f"{line}\n"


def _dump(plain: Mapping[str, object]) -> str:
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _sealed(plain: Mapping[str, object], previous: str) -> tuple[str, str]:
    """Return a line and its seal."""
    content = _dump(plain)
    # A lone surrogate, which JSON can escape and UTF-8 cannot write, is a ValueError too.
    seal = hashlib.sha256(f"{previous}\n{content}".encode()).hexdigest()
    return f'{content[:-1]},"sha256":"{seal}"}}', seal


def format_sealed(record: MatchRecord) -> str:
    """Return a record as JSON lines.

    Raises:
        RecordError: If a number in it is not finite.
    """
    plain: list[dict[str, JSON]] = [
        header_to_json(record.header),
        *(entry_to_json(entry) for entry in record.entries),
        footer_to_json(record.footer),
    ]
    sealer = Sealer()
    return "".join(sealer.line(table) for table in plain)


def _fault(number: int, got: str) -> LocatedError:
    return LocatedError(
        "the record as it was written",
        got=got,
        remedy="use an untouched copy of the record",
        line=number,
    )


def _tables(lines: Sequence[str], first: int, *, ended: bool) -> list[dict[str, object]]:
    """Return the content of every line, each checked against its seal.

    Of a file that does not end with a line end, a last line that is cut is left out.
    """
    tables: list[dict[str, object]] = []
    previous = ""
    for number, line in enumerate(lines, start=first):
        try:
            table = json.loads(line)
        except (ValueError, RecursionError):
            if number - first == len(lines) - 1 and tables and not ended:
                break
            raise _fault(number, "a line that is cut or is no JSON") from None
        if not isinstance(table, dict):
            raise _fault(number, "a line that is no table")
        if number == first:
            _check_header(table, number)
        seal = table.pop("sha256", None)
        try:
            whole, previous = _sealed(table, previous)
        except (ValueError, RecursionError):
            raise _fault(number, "a number that is not finite, or no text") from None
        if line != whole:
            got = "no seal" if seal is None else "a line edited, moved, or after one taken out"
            raise _fault(number, got)
        tables.append(table)
    return tables


def _check_header(table: Mapping[str, object], number: int) -> None:
    schema = table.get("schema")
    if table.get("kind") != "header" or type(schema) is not int:
        raise LocatedError(
            "the header of a match",
            got="something else",
            remedy="check the path",
            line=number,
        )
    check_schema(schema, line=number, version=str(table.get("pigglesim")))


def check_schema(schema: int, *, line: int, version: str) -> None:
    """Raise `LocatedError` if a record is not of the version that this program writes."""
    if schema != SCHEMA:
        raise LocatedError(
            f"a record of schema version {SCHEMA}",
            got=f"version {schema}",
            remedy=f"a pigglesim as new as the one that wrote it ({version})",
            line=line,
        )


def _header(table: Mapping[str, object], line: int) -> Header:
    try:
        return header_from_json(table)
    except RecordError as error:
        raise fault_of(error, line=line) from None


def parse_sealed(text: str, *, first: int = 1) -> MatchRecord:
    """Return the record that JSON lines hold; the rules are not asked.

    Args:
        text: The lines.
        first: Number of the first line in its file.

    Raises:
        CutError: If its end is missing; what is there comes with the error.
        LocatedError: If a line was changed, moved or cut off (the line is named), or the record
            is of a newer version or no record at all.
    """
    lines = text.removesuffix("\n").split("\n")
    tables = _tables(lines, first, ended=text.endswith("\n"))
    header = _header(tables[0], first)
    whole = len(tables) > 1 and tables[-1].get("kind") == "footer"
    entries = []
    for number, table in enumerate(tables[1:-1] if whole else tables[1:], start=first + 1):
        if table.get("kind") == "footer":
            raise _fault(number, "a footer before the last line")
        try:
            entries.append(entry_from_json(table))
        except RecordError as error:
            raise fault_of(error, line=number) from None
    if not whole:
        ends = "no more lines" if len(tables) == len(lines) else "half a line"
        raise CutError(header, entries, got=ends, line=first + len(lines) - 1)
    try:
        footer = footer_from_json(tables[-1])
    except RecordError as error:
        raise fault_of(error, line=first + len(tables) - 1) from None
    return MatchRecord(header=header, entries=tuple(entries), footer=footer)
