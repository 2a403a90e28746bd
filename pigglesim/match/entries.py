"""The entries of a record of a match, and its faults."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import Any, TypeAlias

from pigglesim.chance_types import ChanceOutcome, ChanceRequest, answering_roll
from pigglesim.errors import IllegalActionError, PigglesimError, RecordError
from pigglesim.games.game import JSON, Result
from pigglesim.landing import Landing, RollRequest, RollResult, Seat
from pigglesim.notebook_display import displayed

SCHEMA = 4
"""Version of the record format that this program writes, and the only one that it reads."""

FORFEIT = "forfeit"
"""The reason of a result that no rule of the game gave, but an agent that could not go on."""

_LONGEST = 200
"""Maximum letters of the detail of a forfeit."""
_UNMARKED = str.maketrans("{};", "(),")
"""Braces and `;` enclose comments in the text form."""


@unique
class Status(StrEnum):
    """How a recorded match ended."""

    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    """Somebody stopped it; what was played until then is whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Everything that was settled before the first decision."""

    schema: int
    """Version of the format, from 1 to `SCHEMA`."""
    version: str
    """Version of pigglesim that played the match."""
    made_with: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Versions of the packages that random numbers and compiled agents came from, by package.
    They do not count when records are compared; they explain why bits may differ."""
    game: str
    house_rules: Mapping[str, Any]
    """House rules in force, by name: JSON values."""
    seed: int
    """Root seed of the agents' decisions, of at most 64 bits."""
    agents: Mapping[Seat, str]
    """Name of the agent at each seat."""
    teams: Mapping[str, str]
    """Model of each Piggle, by id; empty where no model was needed."""
    chance: Mapping[str, Any]
    """Provenance of the outcomes: JSON values."""
    date: str | None = None
    """Date of the match as its player gave it; the system clock is not used."""

    def __post_init__(self) -> None:
        if abs(self.seed) >= 2**64:
            raise RecordError(
                "a seed of 64 bits", got=f"{self.seed.bit_length()} bits", remedy="seed: 1"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision of a player."""

    index: int
    """Number of decisions before it in the match."""
    seat: Seat
    action: str
    """In the notation of the game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOutcome:
    """One answer of chance."""

    index: int
    """Number of outcomes before it in the match."""
    thrower: Seat
    """The player who rolled, threw or shuffled."""
    piggles: tuple[str, ...]
    """Those that were rolled; empty where dice or cards were asked for."""
    result: ChanceOutcome

    @property
    def roll(self) -> RollResult:
        """The result of a roll of Piggles.

        Raises:
            SpecError: If dice or cards were asked for.
        """
        return answering_roll(self.result)

    @property
    def landings(self) -> tuple[tuple[str, Landing], ...]:
        """Landings of Piggles, by id; empty for dice or cards."""
        return self.result.landings if isinstance(self.result, RollResult) else ()


def outcome_of(request: ChanceRequest, result: ChanceOutcome, *, index: int) -> MatchOutcome:
    """Return the entry for what chance answered to a request."""
    piggles = request.piggles if isinstance(request, RollRequest) else ()
    return MatchOutcome(index=index, thrower=request.thrower, piggles=piggles, result=result)


def plain_words(text: str) -> str:
    """Return a text as one short line that no comment of the text form can be mixed up with."""
    return " ".join(text.translate(_UNMARKED).split())[:_LONGEST].rstrip()


@unique
class Cause(StrEnum):
    """Why an agent has forfeited a match; each is a rule of the runner."""

    RAISED = "raised"
    NONSENSE = "nonsense"
    ILLEGAL = "illegal"
    TIME = "time"

    @property
    def rule(self) -> str:
        """The number of the rule, F1 to F4."""
        return f"F{list(Cause).index(self) + 1}"

    @property
    def sentence(self) -> str:
        """The agent's fault in words."""
        return {
            "raised": "the agent raised an error instead of choosing",
            "nonsense": "the agent returned what is no action of the game",
            "illegal": "the agent chose an action that the rules forbid there",
            "time": "the agent took longer than the time limit",
        }[self.value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forfeit:
    """A decision that an agent failed to make, which ends the match."""

    index: int
    """Number of the decision that was due."""
    seat: Seat
    cause: Cause
    detail: str
    """The error, the value or the limit exceeded, as `plain_words` gives it."""

    def __post_init__(self) -> None:
        if self.detail != plain_words(self.detail):
            raise RecordError(
                "a forfeit told in words between single spaces, without braces and ;",
                got=repr(self.detail),
                remedy="use the record as it was written",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A note at this point of a record; it changes nothing."""

    text: str
    """Not blank, no blanks around any line; one of several lines has no `}`."""

    def __post_init__(self) -> None:
        lines = self.text.split("\n")
        ragged = self.text != "\n".join(line.strip() for line in lines).strip()
        if not self.text or ragged or "\r" in self.text or ("}" in self.text and len(lines) > 1):
            raise RecordError(
                "a comment without blanks around its lines, and without } if it has several",
                got=repr(self.text),
                remedy="write the comment anew",
            )


Entry: TypeAlias = Decision | MatchOutcome | Forfeit | Comment


@dataclass(frozen=True, slots=True, kw_only=True)
class Footer:
    """The state of the match at the end."""

    status: Status
    result: Result | None
    """None while play would have gone on."""
    scores: Mapping[Seat, int]
    final_state: str
    """SHA-256 of the last state in the notation of the game."""


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
    def outcomes(self) -> tuple[MatchOutcome, ...]:
        """The answers of chance alone, in order."""
        return tuple(entry for entry in self.entries if isinstance(entry, MatchOutcome))

    @property
    def forfeit(self) -> Forfeit | None:
        """The forfeit that ended the match, if one did."""
        return next((entry for entry in self.entries if isinstance(entry, Forfeit)), None)

    def __repr__(self) -> str:
        scores = ", ".join(f"{seat} {score}" for seat, score in self.footer.scores.items())
        told = f"{len(self.entries)} entries, {scores}, {self.footer.status}"
        return f"MatchRecord({self.header.game}: {told}; seed {self.header.seed})"

    def _repr_html_(self) -> str | None:
        return displayed("record_html", self)


class LocatedError(RecordError):
    """A fault at one place of a record.

    Beside the parts of any error it has the line in the file, from 1, the number of the entry, from
    0, the state before the entry in the notation of the game and the number of the rule that
    refuses it; None for each that is not known.
    """

    def __init__(
        self,
        expected: str,
        *,
        got: str,
        remedy: str,
        line: int | None = None,
        entry: int | None = None,
        position: str | None = None,
        rule: str | None = None,
    ) -> None:
        super().__init__(
            expected if line is None else f"{expected} in line {line}", got=got, remedy=remedy
        )
        self.line = line
        self.entry = entry
        self.position = position
        self.rule = rule


class CutError(LocatedError):
    """A record whose end is missing; what is there is whole."""

    def __init__(self, header: Header, entries: Sequence[Entry], *, got: str, line: int) -> None:
        super().__init__(
            "a footer after the last entry",
            got=f"{got}: the rest of this record was cut off",
            remedy="use a whole copy, or go on with it: pigglesim match --resume FILE",
            line=line,
        )
        self.header = header
        self.entries = tuple(entries)


def fault_of(
    error: PigglesimError,
    *,
    line: int | None = None,
    entry: int | None = None,
    what: str | None = None,
    position: str | None = None,
) -> LocatedError:
    """Return an error as a fault of a record; one that is a fault already only gets its line.

    `what` names the entry, such as `decision 3`, and `position` is the state before it in the
    notation of the game.
    """
    rule = error.rule if isinstance(error, IllegalActionError) else None
    if isinstance(error, LocatedError):
        if error.line is not None:
            return error
        entry, what, position, rule = error.entry, None, error.position, error.rule
    return LocatedError(
        error.expected if what is None else f"{error.expected} at {what}",
        got=error.got,
        remedy=error.remedy,
        line=line,
        entry=entry,
        position=position,
        rule=rule,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A record of a file that cannot be used, and why."""

    file: str
    record: int
    """Which record of the file, from 1."""
    line: int
    """Line in the file."""
    error: LocatedError

    @property
    def sentence(self) -> str:
        """The fault in one line."""
        return f"{self.file}, record {self.record}: {self.error}"

    def to_json(self) -> dict[str, JSON]:
        """Return the fault as plain values."""
        names = ("expected", "got", "remedy", "rule", "position")
        told = ((name, getattr(self.error, name)) for name in names)
        return {
            "file": self.file,
            "record": self.record,
            "line": self.line,
            **{name: value for name, value in told if value is not None},
        }


def parse_seat(value: object) -> Seat:
    """Return the seat that a value of a record names.

    Raises:
        RecordError: If it names none.
    """
    if not isinstance(value, str) or value not in set(Seat):
        raise RecordError("a seat", got=repr(value), remedy="use a newer pigglesim")
    return Seat(value)


def check_schema(schema: int, *, line: int, version: str) -> None:
    """Raise `LocatedError` if a record is not of the version that this program writes."""
    if schema != SCHEMA:
        raise LocatedError(
            f"a record of schema version {SCHEMA}",
            got=f"version {schema}",
            remedy=f"a pigglesim as new as the one that wrote it ({version})",
            line=line,
        )
