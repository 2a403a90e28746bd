"""Entries and faults of a match record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Any, TypeAlias
from unicodedata import combining

from pigglesim.chance_types import ChanceOutcome, ChanceRequest, answering_roll
from pigglesim.errors import IllegalActionError, PigglesimError, RecordError
from pigglesim.games.game import Result
from pigglesim.landing import Landing, RollRequest, RollResult, Seat
from pigglesim.notebook_display import displayed
from pigglesim.rng import MAX_SEED, JSONSeed

SCHEMA = 4
"""Version of the record format: the only one that this program writes or reads."""

FORFEIT = "forfeit"
"""Reason of a result that came from a failing agent instead of a rule of the game."""

_MAX_DETAIL = 200
"""Maximum length of the detail of a forfeit [characters]."""
MAX_NAME = 24
"""Maximum length of the name of a person [characters]."""
_NOT_IN_NAMES = frozenset('<>&{};"`\\')
"""Characters of HTML, and of comments in the text form."""
_WITHOUT_MARKS = str.maketrans("{};", "(),")
"""Replacements for braces and `;`, which enclose comments in the text form."""


class Status(StrEnum):
    """End status of a recorded match."""

    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    """A person stopped it; the record is complete up to that point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Everything that was fixed before the first decision."""

    schema: int
    """Version of the format; only `SCHEMA` is read."""
    version: str
    """Version of pigglesim that played the match."""
    made_with: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Versions of the packages behind random numbers and compiled agents, by package.
    Comparisons of records ignore them; they explain why bits may differ."""
    game: str
    house_rules: Mapping[str, Any]
    """House rules in force, by name: JSON values."""
    seed: JSONSeed
    """Root seed of the agents' decisions, at most 128 bits."""
    agents: Mapping[Seat, str]
    """Name of the agent at each seat."""
    code: Mapping[Seat, str] = field(default_factory=dict)
    """SHA-256 of the code of each agent that is a Python class of the user; that of a command is
    not known."""
    teams: Mapping[str, str]
    """Model of each Piggle, by id; empty if no model was needed."""
    chance: Mapping[str, Any]
    """Provenance of the outcomes: JSON values."""
    date: str | None = None
    """Date of the match as its player gave it; the system clock is not used."""
    position: str | None = None
    """State from which the match is played, in the notation of the game. None for the initial
    state."""
    names: Mapping[Seat, str] = field(default_factory=dict, compare=False)
    """Names of the people at seats, as they gave them; nothing depends on them."""

    def __post_init__(self) -> None:
        for seat, name in self.names.items():
            if not is_person_name(name):
                problem = f"the name at seat {seat} is not the name of a person"
                raise RecordError(problem, fix="use a short name of letters and digits")
        if abs(self.seed) > MAX_SEED:
            problem = f"the seed has {self.seed.bit_length()} bits"
            raise RecordError(problem, expected="at most 128", fix="use seed: 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision of a player."""

    index: int
    """Number of earlier decisions in the match."""
    seat: Seat
    action: str
    """Action in the notation of the game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOutcome:
    """One outcome of chance."""

    index: int
    """Number of earlier outcomes in the match."""
    thrower: Seat
    """Player who rolled, threw or shuffled."""
    piggles: tuple[str, ...]
    """Piggles that were rolled; empty for dice or cards."""
    result: ChanceOutcome

    @property
    def roll(self) -> RollResult:
        """Result of a roll of Piggles.

        Raises:
            SpecError: If dice or cards were requested.
        """
        return answering_roll(self.result)

    @property
    def landings(self) -> tuple[tuple[str, Landing], ...]:
        """Landings of Piggles, by id; empty for dice or cards."""
        return self.result.landings if isinstance(self.result, RollResult) else ()


def is_person_name(text: str) -> bool:
    """Return whether a text is shown as it is wherever a name stands: short, one line, no markup.

    Characters that are invisible, or that reorder others, are not printable.
    """
    clean = text.isprintable() and text == " ".join(text.split())
    marks = any(combining(a) and combining(b) for a, b in pairwise(text))
    return 0 < len(text) <= MAX_NAME and clean and not marks and not set(text) & _NOT_IN_NAMES


def outcome_of(request: ChanceRequest, result: ChanceOutcome, *, index: int) -> MatchOutcome:
    """Return the entry for the result of a chance request."""
    piggles = request.piggles if isinstance(request, RollRequest) else ()
    return MatchOutcome(index=index, thrower=request.thrower, piggles=piggles, result=result)


def plain_line(text: str) -> str:
    """Return a text as one short line that cannot be confused with a comment of the text form.

    What UTF-8 cannot write becomes `?`.
    """
    written = text.encode(errors="replace").decode()
    return " ".join(written.translate(_WITHOUT_MARKS).split())[:_MAX_DETAIL].rstrip()


class Cause(StrEnum):
    """Reason why an agent forfeited a match; each is a rule of the runner."""

    RAISED = "raised"
    NONSENSE = "nonsense"
    ILLEGAL = "illegal"
    TIME = "time"

    @property
    def rule(self) -> str:
        """Number of the rule, F1 to F4."""
        return f"F{list(Cause).index(self) + 1}"

    @property
    def sentence(self) -> str:
        """Fault of the agent in words."""
        return {
            "raised": "the agent raised an error instead of choosing",
            "nonsense": "the agent returned a value that is not an action of the game",
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
    """Error, value or exceeded limit, as returned by `plain_line`."""

    def __post_init__(self) -> None:
        if self.detail != plain_line(self.detail):
            raise RecordError(
                f"invalid detail of a forfeit {self.detail!r}",
                expected="one line without braces and ;",
                fix="use the record as it was written",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A note at this point of a record, without effect on play."""

    text: str
    """Text: not blank, no spaces around any line; a text of several lines has no `}`."""

    def __post_init__(self) -> None:
        lines = self.text.split("\n")
        ragged = self.text != "\n".join(line.strip() for line in lines).strip()
        if not self.text or ragged or "\r" in self.text or ("}" in self.text and len(lines) > 1):
            raise RecordError(
                f"invalid comment {self.text!r}",
                expected="no blanks around its lines, and no } in several lines",
                fix="rewrite the comment",
            )


Entry: TypeAlias = Decision | MatchOutcome | Forfeit | Comment


@dataclass(frozen=True, slots=True, kw_only=True)
class Footer:
    """State of the match at the end."""

    status: Status
    result: Result | None
    """Result of the match; None if play would have continued."""
    scores: Mapping[Seat, int]
    final_state: str
    """SHA-256 of the last state in the notation of the game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecord:
    """Complete record of a match."""

    header: Header
    entries: tuple[Entry, ...] = field(repr=False)
    footer: Footer

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Decisions only, in order."""
        return tuple(entry for entry in self.entries if isinstance(entry, Decision))

    @property
    def outcomes(self) -> tuple[MatchOutcome, ...]:
        """Outcomes of chance only, in order."""
        return tuple(entry for entry in self.entries if isinstance(entry, MatchOutcome))

    @property
    def forfeit(self) -> Forfeit | None:
        """Forfeit that ended the match, if any."""
        return next((entry for entry in self.entries if isinstance(entry, Forfeit)), None)

    def __repr__(self) -> str:
        scores = ", ".join(f"{seat} {score}" for seat, score in self.footer.scores.items())
        summary = f"{len(self.entries)} entries, {scores}, {self.footer.status}"
        return f"MatchRecord({self.header.game}: {summary}; seed {self.header.seed})"

    def _repr_html_(self) -> str | None:
        return displayed("record_html", self)


class LocatedError(RecordError):
    """A fault at one place of a record.

    In addition to the parts of any error it has the line in the file (from 1) and the number of
    the entry (from 0). It also has the state before the entry, in the notation of the game, and the
    number of the violated rule. Each is None if unknown.
    """

    def __init__(
        self,
        problem: str,
        *,
        fix: str,
        expected: str = "",
        line: int | None = None,
        entry: int | None = None,
        position: str | None = None,
        rule: str | None = None,
    ) -> None:
        super().__init__(
            problem if line is None else f"line {line}: {problem}", expected=expected, fix=fix
        )
        self.line = line
        self.entry = entry
        self.position = position
        self.rule = rule


class CutError(LocatedError):
    """A record whose end is missing; the part before is intact."""

    def __init__(self, header: Header, entries: Sequence[Entry], *, line: int) -> None:
        super().__init__(
            "the rest of this record was cut off",
            fix="use a whole copy, or continue it with pigglesim match --resume FILE",
            line=line,
        )
        self.header = header
        self.entries = tuple(entries)


def fault_of(
    error: PigglesimError,
    *,
    line: int | None = None,
    entry: int | None = None,
    label: str | None = None,
    position: str | None = None,
) -> LocatedError:
    """Return an error as a fault of a record; an existing fault only receives its line.

    `label` names the entry, such as `decision 3`, and `position` is the state before it in the
    notation of the game.
    """
    rule = error.rule if isinstance(error, IllegalActionError) else None
    if isinstance(error, LocatedError):
        if error.line is not None:
            return error
        entry, label, position, rule = error.entry, None, error.position, error.rule
    return LocatedError(
        error.problem if label is None else f"{label}: {error.problem}",
        expected=error.expected,
        fix=error.fix,
        line=line,
        entry=entry,
        position=position,
        rule=rule,
    )


def check_schema(schema: int, *, line: int, version: str) -> None:
    """Raise `LocatedError` unless a record has the version that this program writes."""
    if schema != SCHEMA:
        raise LocatedError(
            f"schema version {schema}",
            expected=str(SCHEMA),
            fix=f"use a pigglesim as new as the one that wrote it ({version})",
            line=line,
        )
