"""A match that people play: its next event, undo, and saved file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pigglesim.agents.agent import Agent
from pigglesim.agents.greedy import Greedy
from pigglesim.chance_types import DiceResult
from pigglesim.errors import RecordError, SpecError
from pigglesim.files import read_file
from pigglesim.games.game import Concede, Game
from pigglesim.games.registry import find
from pigglesim.landing import Landing, RollRequest, Seat, Zone
from pigglesim.markings import Livery, split_livery
from pigglesim.match.entries import Cause, Decision, Forfeit, Header, MatchOutcome, MatchRecord
from pigglesim.match.record import RECORD_KIND, write_record
from pigglesim.match.runner import (
    ChanceSource,
    MatchEvent,
    Players,
    Progress,
    decided,
    next_event,
    start_state,
)
from pigglesim.render.palette import marking
from pigglesim.scene.scene import Board, Scene
from pigglesim.table.view import Mark, Toggles, make_view

if TYPE_CHECKING:
    from pigglesim.films.film import Film


class SaveFile:
    """A file to which a match is written after every decision and roll.

    It is replaced as a whole, because an undo removes lines, a new name changes the first one, and
    the last one is the footer: so the file is a complete record at every moment, with its score for
    the list of matches. Writing 500 events takes 4 ms and syncing them about as long.

    Two programs may play on from one file. The second of them to save takes another name, so that
    no decision of the first is lost.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._content = _content_of(path)
        """Content of the file as this match has read or written it."""
        self.written = path.exists()
        """True if there is a match to resume."""
        self.fault = ""
        """Error of the last attempt to write, in one line; empty if it succeeded."""

    def save(self, record: MatchRecord) -> None:
        """Write the record; store an error, since a full disk must not end the match."""
        if self.path.exists() and (not self.written or _content_of(self.path) != self._content):
            # Another match has taken the name, or this one is played on elsewhere.
            self.path = fresh_file(self.path)
        try:
            write_record(record, self.path)
        except RecordError as error:
            self.fault = str(error)
        else:
            self.written, self.fault = True, ""
            self._content = _content_of(self.path)

    @property
    def farewell(self) -> str:
        """State of the file, for a person who leaves."""
        if self.fault:
            return f"not saved: {self.fault}"
        if not self.written:
            return "nothing was played, nothing is saved"
        return f"saved in {self.path}"


def _content_of(path: Path) -> bytes | None:
    try:
        return read_file(path, RECORD_KIND)
    except SpecError:
        return None


def fresh_file(path: Path) -> Path:
    """Return the path, or the same with the first number after its name that is free."""
    numbered = (path.with_stem(f"{path.stem}-{number}") for number in count(2))
    return next(each for each in chain([path], numbered) if not each.exists())


def new_file(path: Path) -> Path:
    """Return a file that a person has requested.

    Raises:
        SpecError: If it exists already or its folder does not.
    """
    if path.exists():
        raise SpecError(f"{path} exists", fix=f"use --resume {path}, or another --out")
    if not path.parent.is_dir():
        raise SpecError(f"{path.parent} is not a folder", fix="use another --out")
    return path


HUMAN = "human"
"""Name of a person in a record."""
LEARNER = "human-practice"
"""Name of a person who may undo decisions."""


@dataclass(frozen=True, kw_only=True)
class _Moment:
    """A match at one moment. States never change, so each member is found once."""

    game: Game[Any, Any]
    progress: Progress[Any]

    @cached_property
    def events(self) -> tuple[MatchEvent[Any], ...]:
        return self.progress.events

    @cached_property
    def legal(self) -> tuple[Any, ...]:
        return self.game.legal_actions(self.progress.state)


def thrown_last(events: Sequence[MatchEvent[Any]]) -> tuple[Seat, DiceResult] | None:
    """Return the player who threw dice last, and their faces; None if there are no dice."""
    for event in reversed(events):
        entry = event.entry
        if isinstance(entry, MatchOutcome) and isinstance(entry.result, DiceResult):
            return entry.thrower, entry.result
    return None


class Session:
    """One match in progress, with its table and file; equal decisions give a bit-identical record.

    Args:
        game: Rules of the match.
        header: Header of its record; a person who may undo decisions is `LEARNER` there.
        agents: Agent at each seat; None for a person.
        chance: Source of the rolls; None if `next_event` needs none.
        saves: File that gets the record after every event and every undo.
        events: Events that have been played already.
        time_limit: Maximum time of an agent's decision [s of wall clock]; None for no limit.
        scene: Table on which Piggles or dice are rolled; None for a card game.
        adviser: Function that returns the agent for hints; its first call may compile the agent.
        speed: Playback speed of rolls, 1 in real time; 0 shows no motion and never waits.
    """

    is_puzzle = False
    """True for one decision to find: all actions are in one list, and nothing is explained."""
    film: "Film | None" = None
    """Film of the latest roll; None if there was no physics."""

    def __init__(
        self,
        game: Game[Any, Any],
        *,
        header: Header,
        agents: Mapping[Seat, Agent | None],
        chance: ChanceSource | None = None,
        saves: SaveFile,
        events: Sequence[MatchEvent[Any]] = (),
        time_limit: float | None = None,
        scene: Scene | None = None,
        adviser: Callable[[], Agent] = Greedy,
        speed: float = 1.0,
    ) -> None:
        self.game, self.header = game, header
        self.practice = LEARNER in header.agents.values()
        self._players = Players(agents=agents, seed=header.seed, time_limit=time_limit)
        self.agents = self._players.agents
        self.chance, self.time_limit = chance, time_limit
        self.scene, self.saves, self.adviser, self.speed = scene, saves, adviser, speed
        self.view = make_view(game)
        self.view.people = header.names
        progress: Progress[Any] = Progress(state=start_state(game, header.position))
        for event in events:
            progress = progress.then(event)
        self._show(progress)

    def _show(self, progress: Progress[Any]) -> None:
        """Go to a moment of the match, in one assignment: other threads read it meanwhile."""
        self._moment = _Moment(game=self.game, progress=progress)

    @property
    def progress(self) -> Progress[Any]:
        """The match so far."""
        return self._moment.progress

    @property
    def events(self) -> tuple[MatchEvent[Any], ...]:
        """All events so far, in order."""
        return self._moment.events

    @property
    def state(self) -> Any:  # noqa: ANN401 (a state of the game that is played)
        """Current state."""
        return self.progress.state

    @property
    def over(self) -> bool:
        """True if the match has ended."""
        return self.progress.is_over(self.game)

    def _to_decide(self, *, person: bool) -> Seat | None:
        turn = None if self.over else self.game.turn(self.state)
        decides = isinstance(turn, Seat) and (self.agents[turn] is None) == person
        return turn if isinstance(turn, Seat) and decides else None

    @property
    def awaited(self) -> Seat | None:
        """Seat of the person whose decision is due; None for an agent, chance or nobody."""
        return self._to_decide(person=True)

    @property
    def thinking(self) -> Seat | None:
        """Seat of the agent whose decision is due, or None."""
        return self._to_decide(person=False)

    @property
    def legal(self) -> tuple[Any, ...]:
        """Legal actions of the person whose decision is due; empty if none is."""
        return self._moment.legal if self.awaited else ()

    @property
    def choices(self) -> list[Any]:
        """Legal actions of that person other than to concede, those of one heading together."""
        groups: dict[str, list[Any]] = {}
        for action in self.legal:
            if not isinstance(action, Concede):
                groups.setdefault(self.view.heading_of(self.state, action), []).append(action)
        return list(chain.from_iterable(groups.values()))

    @property
    def toggles(self) -> Toggles | None:
        """The decision of that person as a choice among items; None for a list of actions."""
        return self.view.toggles(self.state, self.choices)

    @property
    def last_dice(self) -> tuple[Seat, DiceResult] | None:
        """Player who threw dice last, and their faces; None if there are no dice."""
        return thrown_last(self.events)

    def next_event(self) -> MatchEvent[Any]:
        """Return the next decision of an agent or outcome of chance, and change nothing.

        It may take long and may be called from any one thread. An agent that raises, returns an
        illegal action or takes too long forfeits.

        Raises:
            SpecError: If a person must decide, or the match is over.
        """
        if self.over:
            raise SpecError("the match is over", fix="start another one")
        assert self.chance is not None
        return next_event(self.game, self.progress, self._players, self.chance)

    def late_event(self) -> MatchEvent[Any]:
        """Return the forfeit of an agent that exceeded its time limit.

        Raises:
            SpecError: If no agent must decide.
        """
        seat, index = self.thinking, self.progress.decisions
        if seat is None or self.time_limit is None:
            raise SpecError("no agent with a time limit is to move", fix="set time_limit")
        detail = f"more than {self.time_limit:g} s"
        forfeit = Forfeit(index=index, seat=seat, cause=Cause.TIME, detail=detail)
        return MatchEvent(entry=forfeit, before=self.state, after=self.state)

    def decided(self, action: object) -> MatchEvent[Any]:
        """Return the decision of the person to move, and change nothing.

        Raises:
            SpecError: If no person is to move.
            IllegalActionError: If the rules forbid it.
        """
        seat = self.awaited
        if seat is None:
            raise SpecError("no person is to move", fix="play next_event() first")
        return decided(self.game, self.progress, action, seat=seat)

    def decide(self, action: object) -> MatchEvent[Any]:
        """Play the decision of the person to move; errors are those of `decided`."""
        return self.play(self.decided(action))

    def play(self, event: MatchEvent[Any]) -> MatchEvent[Any]:
        """Add the next event to the match, and return it."""
        self._go_to(self.progress.then(event))
        return event

    @property
    def undoable(self) -> bool:
        """True if a person may undo a decision now."""
        return self.practice and self._before_last_choice() is not None

    def undo(self) -> bool:
        """Undo the last real choice and all that followed; return True if there was one.

        The same decision gives the same roll again: chance is not resampled.
        """
        while self.practice and (before := self._before_last_choice()) is not None:
            self._go_to(before)
            if self.forced is None:
                return True
        return False

    def name_person(self, seat: Seat, name: str) -> None:
        """Show the name of the person at a seat, if not empty; the next event saves it."""
        others = {each: own for each, own in self.header.names.items() if each is not seat}
        named = {**others, seat: name} if name else others
        self.header = replace(self.header, names=dict(sorted(named.items())))
        self.view.people = self.header.names

    def record(self) -> MatchRecord:
        """Return the record of the match so far."""
        return self.progress.record(self.game, self.header)

    def _go_to(self, progress: Progress[Any]) -> None:
        self._show(progress)
        self.saves.save(self.record())

    def _before_last_choice(self) -> Progress[Any] | None:
        """Return the match before the last decision of a person, if there is one."""
        progress = self.progress
        while progress.before is not None:
            entry = progress.last and progress.last.entry
            if isinstance(entry, Decision) and self.agents[entry.seat] is None:
                return progress.before
            progress = progress.before
        return None

    @property
    def board(self) -> Board | None:
        """Board on which Piggles land; None if the view draws the table as text."""
        return self.scene.board if self.scene is not None and self.scene.teams else None

    @property
    def has_page(self) -> bool:
        """True if the match can be saved as a page, which needs films of Piggles on a board."""
        return self.board is not None and self.header.chance.get("source") == "physical"

    @property
    def title(self) -> str:
        """Display name of the game."""
        return find(self.game.name).title

    @property
    def people(self) -> list[Seat]:
        """Seats of people."""
        return [seat for seat, agent in self.agents.items() if agent is None]

    @property
    def heading(self) -> str:
        """Return the game's name, and the player who has forfeited, if any."""
        forfeit = self.progress.forfeit
        lost = f" · {self.view.names[forfeit.seat]} has forfeited" if forfeit else ""
        return f"{self.title}{lost}"

    @property
    def forced(self) -> Any:  # noqa: ANN401 (an action of the game)
        """Action of the person to move, if the only possible one is a pass.

        A front end plays it automatically and says so. Other single choices stay with the person:
        a roll, or a card that must be played, is still a move.
        """
        choices = self.choices
        passes = (self.view.skip, self.view.done)
        return choices[0] if len(choices) == 1 and choices[0] in passes else None

    @property
    def viewer(self) -> Seat | None:
        """Person who sees the table: the only one, or the one to move; None for a spectator."""
        return self.people[0] if len(self.people) == 1 else self.awaited

    def marks(self, state: object) -> Mapping[str, Mark]:
        """Return the colour, rune and shield per Piggle; the first two do nothing in Classic."""
        liveries = {
            piggle: Mark(
                worn=marking(livery.colour, livery.rune),
                words=str(livery).replace("+", ", ").replace("_", " "),
                skin=livery.colour.skin,
            )
            for piggle, livery in self.liveries.items()
        }
        return {**liveries, **self.view.marks(state)}

    @cached_property
    def liveries(self) -> Mapping[str, Livery]:
        """Colour and rune of each Piggle that wears some, by id."""
        by_piggle = {piggle: split_livery(name)[1] for piggle, name in self.header.teams.items()}
        return {piggle: livery for piggle, livery in by_piggle.items() if livery is not None}

    def landed(self, event: MatchEvent[Any]) -> tuple[tuple[str, Landing], ...]:
        """Return the Piggles on the board after a roll, before the rules remove any."""
        request = self.game.chance_request(event.before)
        landings = dict(request.standing) if isinstance(request, RollRequest) else {}
        if isinstance(event.entry, MatchOutcome):
            landings |= dict(event.entry.landings)
        return tuple(item for item in landings.items() if item[1].zone is not Zone.OFF)
