"""The header of a record as text: a line for each thing that was settled before the match."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from pigglesim.errors import PigglesimError, RecordError, unknown_name
from pigglesim.games.game import JSON, Game
from pigglesim.games.registry import make_game
from pigglesim.match.entries import Header
from pigglesim.match.entry_json import parse_seat
from pigglesim.match.faults import LocatedError, fault_of
from pigglesim.match.sealed import check_schema
from pigglesim.match.seating import seated_game
from pigglesim.match.text_lines import (
    MAGIC,
    Part,
    format_header_line,
    header_length,
    header_parts,
    parse_value,
)
from pigglesim.roll_codec import read

__all__ = ["format_header", "parse_header"]

_FIRST = re.compile(rf"\ufeff?{MAGIC} (\d{{1,9}})\s*", re.ASCII)
_ONE = ("game", "seed", "date", "pigglesim")
"""Names that stand alone and at most once."""
_MANY = ("rule", "agent", "team", "chance", "made_with")
"""Names that are followed by what they are of."""


def format_header(header: Header) -> str:
    """Return a header as lines; house rules at their default are left out.

    Raises:
        RecordError: If a name in it is not one word, or a number is not finite.
        SpecError: If the game is unknown.
    """
    lines = (format_header_line(name, value) for name, value in _lines(header))
    return "".join([f"{MAGIC} {header.schema}\n", *lines])


def _lines(header: Header) -> Iterator[tuple[str, JSON]]:
    yield "game", header.game
    usual = make_game(header.game).settings()
    for name, value in header.house_rules.items():
        if json.dumps(value) != json.dumps(usual.get(name)):
            yield f"rule {_word(name)}", value
    yield "seed", header.seed
    if header.date is not None:
        yield "date", header.date
    for seat, agent in header.agents.items():
        yield f"agent {seat}", agent
    for model, team in groupby(header.teams.items(), key=lambda entry: entry[1]):
        yield f"team {' '.join(_word(piggle) for piggle, _ in team)}", model
    for name, value in header.chance.items():
        yield f"chance {_word(name)}", value
    for package, number in header.made_with.items():
        yield f"made_with {_word(package)}", number
    yield "pigglesim", header.version


def _word(name: str) -> str:
    if not re.fullmatch(r"[^\s:]+", name):
        raise RecordError("a name of one word without :", got=repr(name), remedy="keep JSON lines")
    return name


def parse_header(
    lines: Sequence[tuple[int, str]],
) -> tuple[Header, Game[Any, Any], Sequence[tuple[int, str]]]:
    """Return the header, the game it names under its house rules, and the lines below it.

    Args:
        lines: The lines of a record with their numbers.

    Raises:
        LocatedError: If a line of it is missing, unknown or cannot be read.
    """
    first, magic = lines[0]
    match = _FIRST.fullmatch(magic)
    if match is None:
        raise LocatedError(
            f"{MAGIC} and the version of its schema",
            got=repr(magic[:60]),
            remedy="check the path",
            line=first,
        )
    fields = _Fields()
    for part in header_parts(lines[1:]):
        if part.kind == "pigglesim":
            check_schema(int(match[1]), line=first, version=part.text)
        try:
            fields.put(part)
        except PigglesimError as error:
            raise fault_of(error, line=part.line) from None
    check_schema(int(match[1]), line=first, version="unknown")
    try:
        seats = [parse_seat(seat) for seat in fields.many["agent"]]
        game = seated_game(read(fields.one, "game", str), fields.many["rule"], seats)
        header = fields.header(game, int(match[1]))
    except PigglesimError as error:
        raise fault_of(error, line=first) from None
    return header, game, lines[1 + header_length(lines[1:]) :]


class _Fields:
    """What the lines of a header say, by name."""

    def __init__(self) -> None:
        self.one: dict[str, JSON] = {}
        self.many: dict[str, dict[str, JSON]] = {name: {} for name in _MANY}

    def put(self, part: Part) -> None:
        """Take in one line.

        Raises:
            RecordError: If it is given twice.
            SpecError: If its name is unknown.
        """
        kind, *of = part.kind.split()
        value = parse_value(part.text)
        if kind in _ONE and not of:
            self._put(self.one, kind, value)
        elif kind in _MANY and of and (kind == "team" or len(of) == 1):
            for name in of:
                self._put(self.many[kind], name, value)
        else:
            raise unknown_name("line of a header", part.kind, (*_ONE, *_MANY))

    def _put(self, table: dict[str, JSON], name: str, value: JSON) -> None:
        if name in table:
            raise RecordError(f"{name} once", got="twice", remedy="leave one of them out")
        table[name] = value

    def header(self, game: Game[Any, Any], schema: int) -> Header:
        """Return the header.

        Raises:
            RecordError: If a line is missing, or its value is of the wrong kind.
        """
        agents, teams = self.many["agent"], self.many["team"]
        made_with = self.many["made_with"]
        return Header(
            schema=schema,
            version=read(self.one, "pigglesim", str) if "pigglesim" in self.one else "unknown",
            game=game.name,
            house_rules=game.settings(),
            seed=read(self.one, "seed", int),
            agents={parse_seat(seat): read(agents, seat, str) for seat in agents},
            teams={piggle: read(teams, piggle, str) for piggle in teams},
            chance=self.many["chance"],
            date=read(self.one, "date", str) if "date" in self.one else None,
            made_with={package: read(made_with, package, str) for package in made_with},
        )
