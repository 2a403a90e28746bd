"""A match that people play: its next event, undo, saved file, hints, and the table as drawn."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from pigglesim.agents.agent import Agent, Explains, Reasons
from pigglesim.agents.greedy import Greedy, expected_gain, expected_swing
from pigglesim.bodies.livery import Livery, skin_colour, split_livery
from pigglesim.bodies.load import load_models
from pigglesim.chance.tabular import believed_chance
from pigglesim.chance_types import DiceResult
from pigglesim.errors import PigglesimError, RecordError, SpecError
from pigglesim.films.film import Film
from pigglesim.games.game import Concede, Game
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.effects import EffectOptions
from pigglesim.games.piggles.game import PigglesObservation
from pigglesim.games.piggles.state import Act, ModernRules, PigglesPhase
from pigglesim.games.registry import find
from pigglesim.landing import Landing, RollRequest, Seat, Zone
from pigglesim.match.entries import Cause, Decision, Entry, Forfeit, MatchOutcome, MatchRecord
from pigglesim.match.record import write_record
from pigglesim.match.runner import (
    ChanceSource,
    MatchEvent,
    Players,
    Progress,
    make_header,
    next_entry,
    start_state,
)
from pigglesim.reading import face_up
from pigglesim.render.board import place_of
from pigglesim.render.palette import POSE_MARKS, SHIELD_MARK, marking
from pigglesim.scene.scene import Board, Scene
from pigglesim.tui.game_view import GameView, Line, Mark, Tone, make_view
from pigglesim.units import percent

if TYPE_CHECKING:
    from pigglesim.experiments.values import Evaluator, PositionValue

GRACE = 0.05
"""Time beyond its limit after which a silent agent is abandoned [s]."""


class BackgroundTask:
    """A task in its own thread; an abandoned task runs on, but nothing waits for it.

    `on_done` is called in that thread, with the task itself, when it has finished.
    """

    def __init__(
        self,
        name: str,
        task: Callable[[], Any],
        *,
        on_done: Callable[["BackgroundTask"], object] = lambda _: None,
    ) -> None:
        self.name = name
        self.answer: Any = None
        self.fault: BaseException | None = None
        """Error that the task raised, if any."""
        self.done = False
        self._task, self._on_done = task, on_done
        self._began = monotonic()
        self.thread = Thread(target=self._work, name=name, daemon=True)
        self.thread.start()

    def _work(self) -> None:
        try:
            self.answer = self._task()
        # Any exception is raised again in the thread that waits for the answer.
        except BaseException as fault:
            self.fault = fault
        self.done = True
        self._on_done(self)

    def is_late(self, limit: float | None) -> bool:
        """Return whether the task has exceeded a limit [s]; None for no limit."""
        return limit is not None and monotonic() - self._began > limit + GRACE


_SHOWN = 4
"""Maximum considered actions in a hint."""


def hint(evaluator: "Evaluator", view: GameView, state: object) -> tuple[Line, ...]:
    """Return the best action that an agent finds for the player to move, with its value or reason.

    Values are those of a review of the match, and of other actions that the agent considered too.
    If one of them is clearly better than the choice of the agent, it is named first.

    Raises:
        SpecError: If the agent does not support the game.
    """
    from pigglesim.experiments.values import is_clearly_better  # noqa: PLC0415 (slow to import)

    agent, found = evaluator.agent, evaluator.position(state)
    best = view.action_text(state, found.best)
    if len(found.choices) == 1:
        more = ["  it is the only legal action"]
    elif isinstance(agent, Explains):
        others = [each for each in found.considered if not found.same(each, found.best)]
        shown = [found.best, *others[: _SHOWN - 1]]
        better = [each for each in shown if is_clearly_better(found.loss(each))]
        shown.sort(key=lambda each: -found.values(each)[found.seat].value)
        first = next((each for each in shown if each in better), found.best)
        rest = [each for each in shown if each is not first]
        best, *more = (
            f"{view.action_text(state, each)}, {_value_text(found, each, first)}"
            for each in (first, *rest)
        )
        more = [f"  or {each}" for each in more]
    else:
        more = _reasons(agent, found.observation, found.best)
    return tuple(Line(text, Tone.NOTE) for text in (f"Hint ({agent.name}): {best}", *more))


def _value_text(found: "PositionValue", action: object, best: object) -> str:
    from pigglesim.experiments.values import EXACT, is_clear  # noqa: PLC0415 (slow to import)

    value = found.values(action)[found.seat]
    if value.method == EXACT:
        return f"wins {percent(value.value, places=2)}"
    low, high = (percent(each, places=0) for each in (value.low, value.high))
    text = f"wins {percent(value.value, places=0)} [{low}, {high}]"
    worse = found.same(action, best) or is_clear(found.loss(action, best=best))
    return text if worse else f"{text}, no clear difference"


def _reasons(agent: Agent, observation: object, action: object) -> list[str]:
    """Return the reasons of the closed-form agent; empty for any other agent."""
    if isinstance(agent, Reasons):
        return [f"  {agent.reason(observation)}"]
    if not isinstance(agent, Greedy) or not isinstance(observation, PigglesObservation):
        return []
    rules, odds, state = observation.rules, agent.odds, observation.state
    if isinstance(action, Load) and action.piggles:
        odds = agent.shares_of(action.piggles[0])
    if isinstance(action, Act) and isinstance(rules, ModernRules):
        odds = agent.shares_of(action.target)
        table = EffectOptions(rules=rules, lineup=observation.lineup)
        swing = expected_swing(state, action, table, odds)
        return [f"  it believes that this moves the lead by {swing:+.1f} at once"]
    if state.phase is PigglesPhase.ACTION_REACTION:
        return ["  it believes that every other action loses points"]
    number = state.round
    later_rounds = rules.rounds - number
    gain = expected_gain(number, rules, odds)
    tallies = f"{later_rounds + 1} {'Tally' if later_rounds == 0 else 'Tallies'}"
    up, head = (percent(share, places=0) for share in (odds.up, odds.head))
    return [
        f"  it believes that a Piggle rolled now changes your score by {gain:+.1f} in the end: "
        f"{up} land ▲ and pay about {odds.zone_points:g} in each of {tallies}, "
        f"{head} land ◆ and cost 1 in each of {later_rounds}"
    ]


class SaveFile:
    """A file to which a match is written after every decision and roll."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written = path.exists()
        """True if there is a match to resume."""
        self.fault = ""
        """Error of the last attempt to write, in one line; empty if it succeeded."""

    def save(self, record: MatchRecord) -> None:
        """Write the record; store an error, since a full disk must not end the match."""
        if not self.written and self.path.exists():
            # A match that began at the same time has taken the name.
            self.path = fresh_file(self.path)
        try:
            write_record(record, self.path)
        except RecordError as error:
            self.fault = str(error)
        else:
            self.written, self.fault = True, ""

    @property
    def farewell(self) -> str:
        """State of the file, for a person who leaves."""
        if self.fault:
            return f"not saved: {self.fault}"
        if not self.written:
            return "nothing was played, nothing is saved"
        return f"saved in {self.path}"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A Piggle as drawn on the board."""

    name: str
    mark: str
    """Signs after the name: its orientation, or nothing while it moves, and a shield."""
    seat: Seat
    """Player who controls it."""
    position: tuple[float, float, float]
    """Position of its centre [m]."""
    colour: str | None = None
    """Colour that it wears, as `#rrggbb`."""
    lit: tuple[str, str] | None = None
    """Brackets around its name if it is highlighted."""


_BRACKETS = (("(", ")"), ("[", "]"))
"""Brackets around the acting Piggle, and around the target."""


HUMAN = "human"
"""Name of a person in a record."""
LEARNER = "human-practice"
"""Name of a person who may undo decisions."""


class Session:
    """One match in progress, with its table and file; equal decisions give a bit-identical record.

    Args:
        game: Rules of the match.
        agents: Agent at each seat; None for a person.
        chance: Source of the rolls.
        seed: Root seed of all agents' decisions.
        teams: Model of each Piggle, by id, for the record.
        position: State that the match is played from; None for the initial state.
        saves: File that gets the record after every event and every undo.
        practice: Whether people may undo decisions; the record states it.
        events: Events that have been played already.
        time_limit: Maximum time of an agent's decision [s of wall clock]; None for no limit.
        scene: Table on which Piggles or dice are rolled; None for a card game.
        adviser: Function that returns the agent for hints; its first call may compile the agent.
        speed: Playback speed of rolls, 1 in real time; 0 shows no motion and never waits.
    """

    film: Film | None = None
    """Film of the latest roll; None if there was no physics."""

    def __init__(
        self,
        game: Game[Any, Any],
        *,
        agents: Mapping[Seat, Agent | None],
        chance: ChanceSource,
        seed: int,
        teams: Mapping[str, str],
        position: str | None = None,
        saves: SaveFile,
        practice: bool = False,
        events: Sequence[MatchEvent[Any]] = (),
        time_limit: float | None = None,
        scene: Scene | None = None,
        adviser: Callable[[], Agent] = Greedy,
        speed: float = 1.0,
    ) -> None:
        person = LEARNER if practice else HUMAN
        players = {seat: person if agent is None else agent for seat, agent in agents.items()}
        self.game, self.practice = game, practice
        self.header = make_header(
            game, agents=players, chance=chance, seed=seed, teams=teams, position=position
        )
        self._players = Players(agents=agents, seed=seed, time_limit=time_limit)
        self.agents = self._players.agents
        self._chance, self.time_limit = chance, time_limit
        self.scene, self.saves, self.adviser, self.speed = scene, saves, adviser, speed
        self.view = make_view(game)
        self.progress: Progress[Any] = Progress(state=start_state(game, position))
        for event in events:
            self.progress = self.progress.then(event.entry, event.after)

    @property
    def events(self) -> tuple[MatchEvent[Any], ...]:
        """All events so far, in order."""
        return self.progress.events

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
        return self.game.legal_actions(self.state) if self.awaited else ()

    @property
    def choices(self) -> list[Any]:
        """Legal actions of that person other than to concede."""
        return [action for action in self.legal if not isinstance(action, Concede)]

    @property
    def last_dice(self) -> tuple[Seat, DiceResult] | None:
        """Player who threw dice last, and their faces; None if there are no dice."""
        for event in reversed(self.events):
            entry = event.entry
            if isinstance(entry, MatchOutcome) and isinstance(entry.result, DiceResult):
                return entry.thrower, entry.result
        return None

    def next_entry(self) -> Entry:
        """Return the next decision of an agent or outcome of chance, and change nothing.

        It may take long and may be called from any one thread. An agent that raises, returns an
        illegal action or takes too long forfeits.

        Raises:
            SpecError: If a person must decide, or the match is over.
        """
        if self.over:
            raise SpecError("the match is over", fix="start another one")
        return next_entry(self.game, self.progress, self._players, self._chance)[0]

    def late_entry(self) -> Forfeit:
        """Return the forfeit of an agent that exceeded its time limit.

        Raises:
            SpecError: If no agent must decide.
        """
        seat, index = self.thinking, self.progress.decisions
        if seat is None or self.time_limit is None:
            raise SpecError("no agent with a time limit is to move", fix="set time_limit")
        detail = f"more than {self.time_limit:g} s"
        return Forfeit(index=index, seat=seat, cause=Cause.TIME, detail=detail)

    def decide(self, action: object) -> MatchEvent[Any]:
        """Play the decision of the person to move.

        Raises:
            SpecError: If no person is to move.
            IllegalActionError: If the rules forbid it; the match is then unchanged.
        """
        seat, index = self.awaited, self.progress.decisions
        if seat is None:
            raise SpecError("no person is to move", fix="play next_entry() first")
        return self.play(Decision(index=index, seat=seat, action=self.game.format_action(action)))

    def play(self, entry: Entry) -> MatchEvent[Any]:
        """Play the next entry and return the event."""
        before = after = self.state
        if isinstance(entry, Decision):
            after = self.game.apply_action(before, self.game.parse_action(entry.action))
        elif isinstance(entry, MatchOutcome):
            after = self.game.apply_outcome(before, entry.result)
        self._go_to(self.progress.then(entry, after))
        return MatchEvent(entry=entry, before=before, after=after)

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

    def record(self) -> MatchRecord:
        """Return the record of the match so far."""
        return self.progress.record(self.game, self.header)

    def _go_to(self, progress: Progress[Any]) -> None:
        self.progress = progress
        self.saves.save(self.record())

    def _before_last_choice(self) -> Progress[Any] | None:
        """Return the match before the last decision of a person, if there is one."""
        progress = self.progress
        while progress.before is not None:
            if isinstance(progress.last, Decision) and self.agents[progress.last.seat] is None:
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
            )
            for piggle, livery in self._liveries.items()
        }
        return {**liveries, **self.view.marks(state)}

    @cached_property
    def _liveries(self) -> Mapping[str, Livery]:
        by_piggle = {piggle: split_livery(name)[1] for piggle, name in self.header.teams.items()}
        return {piggle: livery for piggle, livery in by_piggle.items() if livery is not None}

    def _token(
        self,
        piggle: str,
        landing: Landing | None,
        *,
        state: object,
        position: tuple[float, float, float] | None = None,
        lit: tuple[str, str] | None = None,
    ) -> Token:
        """Return a Piggle as drawn: where it landed, or at `position` [m] while it moves."""
        if position is None and landing is not None and self.board is not None:
            position = place_of(piggle, landing, self.board)
        livery, mark = self._liveries.get(piggle), self.view.marks(state).get(piggle, Mark())
        pose = POSE_MARKS[landing.orientation] if landing and landing.orientation else ""
        return Token(
            name=piggle,
            mark=pose + (SHIELD_MARK if mark.shielded else ""),
            seat=self.view.player_of(state, piggle),
            position=position or (0.0, 0.0, 0.0),
            colour=skin_colour(livery.colour) if livery else None,
            lit=lit,
        )

    def tokens(
        self, landings: Iterable[tuple[str, Landing]], state: object, *, lit: Sequence[str] = ()
    ) -> tuple[Token, ...]:
        """Return the Piggles on the board as drawn, highlighted ones first."""
        brackets = dict(zip(lit, _BRACKETS, strict=False))
        all_tokens = (
            self._token(piggle, landing, state=state, lit=brackets.get(piggle))
            for piggle, landing in landings
        )
        return tuple(sorted(all_tokens, key=lambda token: not token.lit))

    def landed(self, event: MatchEvent[Any]) -> tuple[tuple[str, Landing], ...]:
        """Return the Piggles on the board after a roll, before the rules remove any."""
        request = self.game.chance_request(event.before)
        landings = dict(request.standing) if isinstance(request, RollRequest) else {}
        if isinstance(event.entry, MatchOutcome):
            landings |= dict(event.entry.landings)
        return tuple(item for item in landings.items() if item[1].zone is not Zone.OFF)

    def moving(self, film: Film, time: float, state: object) -> tuple[Token, ...]:
        """Return every Piggle of a film at a time [s] as drawn, the highest first.

        `state` is the one before the roll: a Piggle that has not moved is drawn as it landed there.
        """
        before, positions = dict(self.view.landings(state)), film.at(time).positions.tolist()
        tokens = []
        for actor, (x, y, z) in zip(film.actors, positions, strict=True):
            landing = before.get(actor.name)
            if not (landing and landing.place and landing.place.position == (x, y, z)):
                landing = None
            tokens.append(self._token(actor.name, landing, state=state, position=(x, y, z)))
        return tuple(sorted(tokens, key=lambda token: -token.position[2]))

    def faces(self, film: Film, time: float) -> tuple[int, ...]:
        """Return the upper face of each die of a film at a time [s]."""
        dice, still = load_models(actor.model for actor in film.actors), film.at(time)
        return tuple(
            face_up(dice[actor.model], still.place(number))
            for number, actor in enumerate(film.actors)
        )

    def hint_lines(self, state: object) -> tuple[Line, ...]:
        """Return the adviser's choice in a state, and its reasons; it may take long.

        The state is that of the question: when the answer is sought, another may be to move, whose
        hidden cards it would show.
        """
        from pigglesim.experiments.values import Evaluator  # noqa: PLC0415 (slow to import)

        try:
            agent = self.adviser()
            # A search has a belief of its own about chance.
            chance = getattr(agent, "chance", None) or believed_chance(None, self.header.teams)
            return hint(Evaluator(self.game, chance, agent=agent), self.view, state)
        except PigglesimError as error:
            return (Line(f"No hint: {error}", Tone.NOTE),)
