"""A match with its table, its films of rolls, its saved file and its hints."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from numpy.random import Generator

from pigglesim.agents.agent import ActionValue, Agent, Explains, Reasons
from pigglesim.agents.greedy import Greedy, expected_gain, expected_swing
from pigglesim.bodies.livery import Livery, skin_colour, split_livery
from pigglesim.bodies.load import load_models
from pigglesim.errors import PigglesimError, RecordError, SpecError
from pigglesim.films.film import Film
from pigglesim.games.game import Concede, Game
from pigglesim.games.piggles.effects import EffectOptions
from pigglesim.games.piggles.game import PigglesObservation
from pigglesim.games.piggles.house_rules import ModernRules
from pigglesim.games.piggles.state import Act, PigglesPhase
from pigglesim.games.registry import find
from pigglesim.landing import Landing, RollRequest, Seat, Zone
from pigglesim.match.entries import MatchOutcome, MatchRecord
from pigglesim.match.record import write_record
from pigglesim.match.runner import MatchEvent
from pigglesim.reading import face_up
from pigglesim.render.board import place_of
from pigglesim.render.palette import POSE_MARKS, SHIELD_MARK, marking
from pigglesim.rng import generator
from pigglesim.scene.scene import Board, Scene
from pigglesim.tui.board import Token
from pigglesim.tui.game_view import GameView, Line, Mark, Tone
from pigglesim.tui.game_views import make_view
from pigglesim.tui.session import HUMAN, Session

_SHOWN = 4
"""Maximum considered actions in a hint."""


def hint(
    agent: Agent, game: Game[Any, Any], view: GameView, state: object, *, rng: Generator
) -> tuple[Line, ...]:
    """Return the action that an agent would choose for the player to move, and why.

    It may take as long as a decision.

    Raises:
        SpecError: If the agent does not support the game.
    """
    observation = game.observe(state, game.turn(state))  # type: ignore[arg-type]  # a player's turn
    legal = game.legal_actions(state)
    only = sum(not isinstance(one, Concede) for one in legal) == 1
    if isinstance(agent, Explains) and not only:
        considered = agent.explain(observation, legal, rng=rng)[:_SHOWN]
        told = [f"{view.say(state, one.action)}, {_worth(one)}" for one in considered]
        best, *more = [told[0], *(f"  or {text}" for text in told[1:])]
    else:
        action = agent.choose(observation, legal, rng=rng)
        best = view.say(state, action)
        more = ["  it is all that can be done"] if only else _reasons(agent, observation, action)
    return tuple(Line(text, Tone.NOTE) for text in (f"Hint ({agent.name}): {best}", *more))


def _worth(one: ActionValue[Any]) -> str:
    if not one.visits:
        return f"wins {one.value:.2%}"
    tried = f"tried {one.visits} times"
    if math.isfinite(one.low) and math.isfinite(one.high):
        return f"wins {one.value:.0%} [{one.low:.0%}, {one.high:.0%}], {tried}"
    return f"wins about {one.value:.0%}, {tried}"


def _reasons(agent: Agent, observation: object, action: object) -> list[str]:
    """Return the reasons of the closed-form agent; empty for any other agent."""
    if isinstance(agent, Reasons):
        return [f"  {agent.reason(observation)}"]
    if not isinstance(agent, Greedy) or not isinstance(observation, PigglesObservation):
        return []
    rules, odds, state = observation.rules, agent.odds, observation.state
    if isinstance(action, Act) and isinstance(rules, ModernRules):
        table = EffectOptions(rules=rules, lineup=observation.lineup)
        swing = expected_swing(state, action, table, odds)
        return [f"  it believes that this moves the lead by {swing:+.1f} at once"]
    if state.phase is PigglesPhase.ACTION_REACTION:
        return ["  it believes that whatever else could be done loses points"]
    number = state.round
    later = rules.rounds - number
    gain = expected_gain(number, rules, odds)
    tallies = f"{later + 1} {'Tally' if later == 0 else 'Tallies'}"
    return [
        f"  it believes that a Piggle rolled now changes your score by {gain:+.1f} in the end: "
        f"{odds.up:.0%} land ▲ and pay about {odds.zone_points:g} in each of {tallies}, "
        f"{odds.head:.0%} land ◆ and cost 1 in each of {later}"
    ]


class Reel:
    """Holder of the latest film."""

    def __init__(self) -> None:
        self.film: Film | None = None
        """Latest film; None if nothing was filmed."""

    def show(self, _index: int, film: Film) -> None:
        """Replace the film."""
        self.film = film

    @property
    def moves(self) -> bool:
        """True if the film has motion; a Piggle set down by hand does not move."""
        return self.film is not None and self.film.frames.count > 1


class SaveFile:
    """A file to which a match is written after every decision and roll.

    Args:
        path: Path of the file, first written after the first event.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written = path.exists()
        """True if there is a match to resume."""
        self.fault = ""
        """Error of the last attempt to write, in one line; empty if it succeeded."""

    def save(self, record: MatchRecord) -> None:
        """Write the record; store an error, since a full disk must not end the match."""
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


def fresh_file(folder: Path, seed: int) -> Path:
    """Return a file in `folder` that does not exist yet, named after the seed."""
    names = (f"play-{seed}{'' if number == 1 else f'-{number}'}.jsonl" for number in count(1))
    return next(folder / name for name in names if not (folder / name).exists())


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


_BRACKETS = (("(", ")"), ("[", "]"))
"""Brackets around the acting Piggle, and around the target."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A match with its table, file, hints and films."""

    session: Session
    scene: Scene | None
    """Table on which Piggles or dice are rolled; None for a card game."""
    saves: SaveFile
    adviser: Callable[[], Agent]
    """Function that returns the agent for hints; its first call may compile the agent."""
    reel: Reel
    """Holder of each film from physics; it stays empty without physics."""
    speed: float = 1.0
    """Playback speed of rolls, 1 in real time; 0 shows no motion and never waits."""

    @cached_property
    def view(self) -> GameView:
        """View of this game."""
        return make_view(self.session.game)

    @property
    def board(self) -> Board | None:
        """Board on which Piggles land; None if the view draws the table as text."""
        return self.scene.board if self.scene is not None and self.scene.teams else None

    @property
    def has_page(self) -> bool:
        """True if the match can be saved as a page, which needs films of Piggles on a board."""
        return self.board is not None and self.session.header.chance.get("source") == "physical"

    @property
    def title(self) -> str:
        """Display name of the game."""
        return find(self.session.game.name).title

    @cached_property
    def players(self) -> Mapping[Seat, str]:
        """Name of the player at each seat."""
        agents = self.session.agents.items()
        return {seat: HUMAN if agent is None else agent.name for seat, agent in agents}

    @property
    def heading(self) -> str:
        """Return the game's name, and the player who has forfeited, if any."""
        seat = self.session.forfeit.seat if self.session.forfeit else None
        return f"{self.title} · {self.view.names[seat]} has forfeited" if seat else self.title

    @property
    def forced(self) -> Any:  # noqa: ANN401 (an action of the game)
        """Action of the person to move, if the only possible one is a pass.

        A front end plays it automatically and says so. Other single choices stay with the person:
        a roll, or a card that must be played, is still a move.
        """
        choices = self.session.choices
        passes = (self.view.skip, self.view.done)
        return choices[0] if len(choices) == 1 and choices[0] in passes else None

    def undo(self) -> bool:
        """Undo the last real choice and all that followed; return True if there was one."""
        while self.session.undo():
            if self.forced is None:
                return True
        return False

    @property
    def viewer(self) -> Seat | None:
        """Person who sees the table: the only one, or the one to move; None for a spectator."""
        people = [seat for seat, agent in self.session.agents.items() if agent is None]
        if len(people) == 1:
            return people[0]
        return self.session.awaited

    def marks(self, state: object) -> Mapping[str, Mark]:
        """Return the colour, rune and shield per Piggle; the first two do nothing in Classic."""
        worn = {
            piggle: Mark(
                worn=marking(livery.colour, livery.rune),
                words=str(livery).replace("+", ", ").replace("_", " "),
            )
            for piggle, livery in self._liveries.items()
        }
        return {**worn, **self.view.marks(state)}

    @cached_property
    def _liveries(self) -> Mapping[str, Livery]:
        teams = self.session.header.teams
        found = {piggle: split_livery(name)[1] for piggle, name in teams.items()}
        return {piggle: livery for piggle, livery in found.items() if livery is not None}

    def token(
        self,
        piggle: str,
        landing: Landing | None,
        *,
        state: object,
        position: tuple[float, float, float] | None = None,
        lit: tuple[str, str] | None = None,
    ) -> Token:
        """Return a Piggle as drawn: where it landed, or at `position` [m] while it moves.

        `lit` are the brackets around its name, if it is highlighted.
        """
        if position is None and landing is not None and self.board is not None:
            position = place_of(piggle, landing, self.board)
        worn, mark = self._liveries.get(piggle), self.view.marks(state).get(piggle, Mark())
        pose = POSE_MARKS[landing.orientation] if landing and landing.orientation else ""
        return Token(
            name=piggle,
            mark=pose + (SHIELD_MARK if mark.shielded else ""),
            seat=self.view.player_of(state, piggle),
            position=position or (0.0, 0.0, 0.0),
            colour=skin_colour(worn.colour) if worn else None,
            lit=lit,
        )

    def tokens(
        self, lying: Iterable[tuple[str, Landing]], state: object, *, lit: Sequence[str] = ()
    ) -> tuple[Token, ...]:
        """Return the Piggles on the board as drawn, highlighted ones first."""
        brackets = dict(zip(lit, _BRACKETS, strict=False))
        found = (
            self.token(piggle, at, state=state, lit=brackets.get(piggle)) for piggle, at in lying
        )
        return tuple(sorted(found, key=lambda token: not token.lit))

    def landed(self, event: MatchEvent[Any]) -> tuple[tuple[str, Landing], ...]:
        """Return the Piggles on the board after a roll, before the rules remove any."""
        request = self.session.game.chance_request(event.before)
        lying = dict(request.standing) if isinstance(request, RollRequest) else {}
        if isinstance(event.entry, MatchOutcome):
            lying |= dict(event.entry.landings)
        return tuple((piggle, at) for piggle, at in lying.items() if at.zone is not Zone.OFF)

    def moving(self, film: Film, time: float, state: object) -> tuple[Token, ...]:
        """Return every Piggle of a film at a time [s] as drawn, the highest first.

        `state` is the one before the roll: a Piggle that has not moved is drawn as it landed there.
        """
        before, positions = dict(self.view.lying(state)), film.at(time).positions.tolist()
        tokens = []
        for actor, (x, y, z) in zip(film.actors, positions, strict=True):
            was = before.get(actor.name)
            lies = was is not None and was.place is not None and was.place.position == (x, y, z)
            tokens.append(
                self.token(actor.name, was if lies else None, state=state, position=(x, y, z))
            )
        return tuple(sorted(tokens, key=lambda token: -token.position[2]))

    def faces(self, film: Film, time: float) -> tuple[int, ...]:
        """Return the upper face of each die of a film at a time [s]."""
        dice, still = load_models(actor.model for actor in film.actors), film.at(time)
        return tuple(
            face_up(dice[actor.model], still.place(number))
            for number, actor in enumerate(film.actors)
        )

    def hint_lines(self) -> tuple[Line, ...]:
        """Return the adviser's choice and its reasons; it may take as long as a decision."""
        session = self.session
        try:
            # The same question has the same answer.
            rng = generator(session.header.seed, "hint", len(session.events))
            return hint(self.adviser(), session.game, self.view, session.state, rng=rng)
        except PigglesimError as error:
            return (Line(f"No hint: {error}", Tone.NOTE),)
