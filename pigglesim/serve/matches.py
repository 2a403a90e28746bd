"""Matches on the server: who sits at them, what they see, and what they decide."""

import asyncio
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from markdown_it import MarkdownIt

from pigglesim.errors import PigglesimError, SpecError
from pigglesim.films.film import Film
from pigglesim.games.game import Concede, NonPlayer
from pigglesim.games.piggles.areas import Load
from pigglesim.hand_throw import HandThrow
from pigglesim.landing import Hold, ReadingRules, Seat
from pigglesim.match.entries import MatchOutcome
from pigglesim.match.runner import MatchEvent, Progress, decided
from pigglesim.serve.access import Guest
from pigglesim.serve.films import TableFilms, dumped, table_films
from pigglesim.serve.history import agent_words
from pigglesim.serve.own_throws import expect_throwable, prepared_message
from pigglesim.serve.pages import OpenPage, Workshop
from pigglesim.serve.views import lines_message, listed_actions, state_message, table_message
from pigglesim.table.films import ClipMaker, still_dice
from pigglesim.table.hints import hint_lines
from pigglesim.table.puzzles import PuzzleSession
from pigglesim.table.recorded import RecordedSession
from pigglesim.table.session import Session
from pigglesim.table.view import log_lines
from pigglesim.throws import legal_hold

_PAUSE = 0.7
"""Pause after a decision of an agent that nobody plays against [s], at pace 1."""
_LANDED = 1.2
"""Pause after a roll has landed there [s]."""
_GRACE = 0.05
"""Time beyond its limit after which a silent agent is abandoned [s]."""
_SLOW = 0.5
"""Time after which people see what they wait for [s]."""

_STALE = SpecError("the table has changed since", fix="look again, then choose")


class ServedMatch:
    """A match in progress, with the people who play and watch it.

    All changes are made in the event loop, under one lock; what takes long runs in the workshop.
    """

    def __init__(self, name: str, session: Session, workshop: Workshop, *, pace: float) -> None:
        self.name, self.session, self.pace = name, session, pace
        self.visitors: dict[OpenPage, tuple[int, int] | None] = {}
        """Pages that show the match, with the size of the table that each has."""
        self.guests: set[Seat] = set()
        """Seats that were given away by links."""
        self.asked: set[Guest] = set()
        """People who have asked for a rematch."""
        self.working = ""
        self._workshop = workshop
        self._lock = asyncio.Lock()
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._films, self._maker = self._prepare()

    def _prepare(self) -> tuple[TableFilms | None, ClipMaker | None]:
        session = self.session
        if session.scene is None:
            return None, None
        teams = session.header.teams
        own = getattr(getattr(session.game, "rules", None), "reading", ReadingRules)
        dice = session.scene.dice
        models = [*teams.values(), *([dice.model] if dice else [])]
        films = table_films(session.scene, tuple(models), own())
        return films, ClipMaker(session.game, session.scene, teams)

    # People.

    def seats_of(self, visitor: OpenPage) -> list[Seat]:
        """Return the seats that a person plays: the owner has those that no guest has."""
        people = self.session.people
        if visitor.guest.is_owner:
            return [seat for seat in people if seat not in self.guests]
        return [seat for seat in people if seat is visitor.guest.seat]

    def join(self, visitor: OpenPage) -> None:
        """Show the match to a person, and let it go on."""
        seat = visitor.guest.seat
        taken = seat is not None and seat not in self.guests
        if seat is not None:
            self.guests.add(seat)
        self.visitors[visitor] = None
        if taken and seat is not None:
            # The owner no longer plays this seat.
            self.session.name_person(seat, visitor.name)
        # A guest leaves the owner fewer seats, and one of them has their name.
        named = [each for each in self.visitors if self._name(each)]
        self._send_table(visitor)
        self._send_all(visitor)
        if taken or named:
            self._broadcast()
        self._send_people()
        if self._task is None or self._task.done():
            self._begin()

    def _begin(self) -> None:
        self._task = asyncio.create_task(self._run())
        # An error of our own must not end a match in silence.
        self._task.add_done_callback(_show_fault)

    def leave(self, visitor: OpenPage) -> None:
        """Forget a person; a player may come back to the same seat."""
        if visitor in self.visitors:
            self.visitors.pop(visitor)
            self._send_people()

    def name_person(self, visitor: OpenPage) -> None:
        """Show the name that a person at this match has now."""
        if visitor in self.visitors and self._name(visitor, changed=True):
            self._broadcast()
            self._send_people()

    def _name(self, visitor: OpenPage, *, changed: bool = False) -> bool:
        """Give the seat of a person their name; one who plays several seats names none."""
        seats, names = self.seats_of(visitor), self.session.header.names
        if len(seats) != 1 or names.get(seats[0], "") == visitor.name:
            return False
        if not (visitor.name or changed):
            return False
        self.session.name_person(seats[0], visitor.name)
        return True

    def ask_rematch(self, visitor: OpenPage) -> bool:
        """Note that a player asks for a rematch; true once the owner and all who are here do."""
        if not self._has_say(visitor):
            raise SpecError("only players ask for a rematch", fix="watch on")
        self.asked.add(visitor.guest)
        players = {each.guest for each in self.visitors if self._has_say(each)}
        if any(guest.is_owner for guest in self.asked) and players <= self.asked:
            self.asked.clear()
            return True
        self._send_people()
        return False

    def _has_say(self, visitor: OpenPage) -> bool:
        return visitor.guest.is_owner or bool(self.seats_of(visitor))

    def _send_people(self) -> None:
        """Send to all who plays, who is here, how many watch, and who asks for a rematch."""
        session, views = self.session, list(self.visitors)
        if isinstance(session, RecordedSession | PuzzleSession):
            return
        here = {seat for visitor in views for seat in self.seats_of(visitor)}
        players = [
            {
                "seat": seat,
                "name": name,
                "person": seat in session.people,
                "detail": agent_words(session.header, seat),
                "here": seat in here or seat not in session.people,
                "guest": seat in self.guests,
            }
            for seat, name in session.view.names.items()
        ]
        watching = sum(not self._has_say(visitor) for visitor in views)
        asked = [self._called(guest) for guest in self.asked]
        message = {"is": "people", "table": self.name, "players": players, "watching": watching}
        for visitor in views:
            mine = visitor.guest in self.asked
            may = session.over and self._has_say(visitor)
            visitor.send({**message, "asked": asked, "rematch": may and not mine, "waits": mine})

    def _called(self, guest: Guest) -> str:
        """Return what the others call a person at the table."""
        if guest.seat is not None:
            return self.session.view.names[guest.seat]
        owner = [seat for seat in self.session.people if seat not in self.guests]
        return self.session.view.names[owner[0]] if len(owner) == 1 else "the owner of the table"

    def _send_table(self, visitor: OpenPage) -> None:
        if self._films is not None and self.visitors.get(visitor) != self._films.size:
            self.visitors[visitor] = self._films.size
            visitor.send(self._films.table())

    def _send_state(self, visitor: OpenPage) -> None:
        visitor.send(self._state_text(self.seats_of(visitor), owner=visitor.guest.is_owner))

    def _state_text(self, seats: Sequence[Seat], *, owner: bool) -> str:
        message = state_message(self.session, seats, spectates=not seats, working=self.working)
        if owner:
            message["saved"] = self.session.saves.fault or self.session.saves.path.name
        message["undoable"] = bool(seats) and self._undoable
        if isinstance(self.session, PuzzleSession):
            message["puzzle"] = self.session.document()
        return dumped({**message, "table": self.name, "owner": owner, "pace": self.pace})

    def _send_all(self, visitor: OpenPage) -> None:
        """Send the rules, all that has happened, and what the match is like now."""
        lines = lines_message(log_lines(self.session.view, self.session.events))
        # Only Markdown becomes HTML, no HTML that the text may contain.
        rules = MarkdownIt("commonmark", {"html": False}).render(self.session.view.rules)
        visitor.send({"is": "log", "table": self.name, "lines": lines, "rules": rules})
        self.show(visitor)

    def show(self, visitor: OpenPage) -> None:
        """Send what the match is like now."""
        if (board := self._still()) is not None:
            visitor.send({"is": "board", "table": self.name, "chapter": board})
        self._send_state(visitor)

    def _broadcast(self, message: dict[str, Any] | None = None) -> None:
        """Send a message to all, if any, and to each what the match is like now."""
        text, states = dumped({**(message or {}), "table": self.name}), {}
        for visitor in list(self.visitors):
            if message is not None:
                self._send_table(visitor)
                visitor.send(text)
            who = tuple(self.seats_of(visitor)), visitor.guest.is_owner
            if who not in states:
                states[who] = self._state_text(who[0], owner=who[1])
            visitor.send(states[who])

    # Pictures.

    def _still(self) -> dict[str, Any] | None:
        """Return the table as it stands, with the Pen of the player who loads."""
        if self._films is None or self._maker is None:
            return None
        return self._films.chapter(self._still_film())

    def _still_film(self) -> Film:
        session, view = self.session, self.session.view
        assert self._maker is not None
        assert session.scene is not None
        if session.last_dice is not None:
            thrower, result = session.last_dice
            return still_dice(result, scene=session.scene, thrower=thrower)
        toggles = session.toggles
        pens = {}
        if toggles is not None and session.awaited is not None:
            pens = {session.awaited: tuple(i for i in toggles.items if i in toggles.free)}
        return self._maker.still(session.state, view.landings(session.state), pens)

    def _filmed(self, event: MatchEvent[Any]) -> tuple[dict[str, Any] | None, float]:
        """Return the film of an event, with its length [s]; None if nothing has moved."""
        session, entry = self.session, event.entry
        if self._films is None or self._maker is None or not isinstance(entry, MatchOutcome):
            return None, 0.0
        film = session.film
        if film is None and session.last_dice is None:
            film = self._maker.still(event.before, session.landed(event))
        film = film or self._still_film()
        return self._films.chapter(film), film.end - film.start

    def visited(self, before: Progress[Any], decision: int) -> dict[str, Any]:
        """Return the message that shows the match as it was before a decision."""
        message = {
            "is": "visited",
            "table": self.name,
            "decision": decision,
            **table_message(self.session, before.state, before.events),
        }
        if self.session.board is None or self._films is None or self._maker is None:
            return message
        film = self._maker.still(before.state, self.session.view.landings(before.state))
        return {**message, "chapter": self._films.chapter(film)}

    # The course of the match.

    async def _run(self) -> None:
        """Play what needs no person, until the match is over."""
        while not self.session.over:
            self._changed.clear()
            if self.session.forced is not None:
                await self._change(lambda: self.session.decide(self.session.forced))
            elif self.session.awaited is not None:
                await self._changed.wait()
            else:
                await self._next()
        self._send_people()

    async def _next(self) -> None:
        """Play the next decision of an agent, or the next outcome of chance."""
        session, progress = self.session, self.session.progress
        thinking = session.thinking
        self.working = (
            f"{session.view.names[thinking]} is thinking" if thinking else "The cup is shaken"
        )
        session.film = None
        timer = asyncio.get_running_loop().call_later(_SLOW, self._broadcast)
        try:
            event = await self._next_event()
        except PigglesimError as error:
            # The match waits: an undo, or a new start of the server, goes on from here.
            self.working = ""
            self._broadcast({"is": "fault", "text": str(error)})
            await self._changed.wait()
            return
        finally:
            timer.cancel()
        self.working = ""
        if session.progress is not progress:
            return
        seconds = await self._change(lambda: session.play(event))
        if not session.people and self.pace > 0.0:
            await asyncio.sleep((seconds + (_LANDED if seconds else _PAUSE)) / self.pace)

    async def _next_event(self) -> MatchEvent[Any]:
        """Return the next event; an agent that exceeds its time limit forfeits."""
        session, limit = self.session, self.session.time_limit
        work = self._workshop.run(session.next_event)
        if session.thinking is None or limit is None:
            return await work
        try:
            return await asyncio.wait_for(work, limit + _GRACE)
        except TimeoutError:
            return session.late_event()

    async def _change(self, play: Callable[[], MatchEvent[Any]], *, at: int | None = None) -> float:
        """Play an entry, show it to all, and return the length of its film [s].

        Raises:
            SpecError: If the match is no longer at this number of events.
        """
        async with self._lock:
            if at not in {None, len(self.session.events)}:
                raise _STALE
            message, seconds = await self._workshop.run(self._played, play)
            self._broadcast(message)
            self._changed.set()
            return seconds

    def _played(self, play: Callable[[], MatchEvent[Any]]) -> tuple[dict[str, Any], float]:
        """Play an entry and return its message, with the length of its film [s]."""
        event, session = play(), self.session
        chapter, seconds = self._filmed(event)
        before, after = map(session.game.scores, (event.before, event.after))
        message = {
            "is": "event",
            "lines": lines_message(session.view.story(event)),
            "chapter": chapter,
            "gains": {seat: after[seat] - points for seat, points in before.items()},
            # What the rules remove stays visible until the roll has been seen.
            "board": None if chapter and session.last_dice else self._still(),
        }
        return message, seconds

    # Decisions of people.

    def expect_turn(self, visitor: OpenPage, at: int) -> None:
        """Raise `SpecError` unless this person is to move and has seen all that happened."""
        if at != len(self.session.events):
            raise _STALE
        if self.session.awaited not in self.seats_of(visitor):
            raise SpecError("it is not your turn", fix="wait for it")

    def expected_state(self, visitor: OpenPage, at: int) -> object:
        """Return the state at which this person is to move; errors are those of `expect_turn`."""
        state = self.session.state
        self.expect_turn(visitor, at)
        if self.session.state is not state:
            raise _STALE
        return state

    async def decide(self, visitor: OpenPage, at: int, choice: int) -> None:
        """Play a listed action of the person to move."""
        self.expect_turn(visitor, at)
        listed = listed_actions(self.session)
        if choice >= len(listed):
            raise SpecError(f"there is no choice {choice}", fix="choose one of the list")
        await self._change(lambda: self.session.decide(listed[choice]), at=at)

    async def load(self, visitor: OpenPage, at: int, piggles: list[str], hold: Hold | None) -> None:
        """Load the cup and throw it, by the player's hand or from a hold near the wished one."""
        self.expect_turn(visitor, at)
        session, action = self.session, self._load(piggles)
        if isinstance(hold, HandThrow):
            expect_throwable(session.chance, self._due(action), hold)
        elif hold is not None and session.scene is not None:
            hold = legal_hold(session.scene, hold)
        if hold is not None and isinstance(action, Load):
            action = replace(action, hold=hold)
        await self._change(lambda: session.decide(action), at=at)

    async def prepared(self, visitor: OpenPage, at: int, piggles: list[str]) -> dict[str, Any]:
        """Return the message with which a page simulates the throw of these Piggles."""
        self.expect_turn(visitor, at)
        request = self._due(self._load(piggles))
        message = await self._workshop.run(prepared_message, self.session.chance, request)
        return {**message, "table": self.name, "at": at, "piggles": piggles}

    def _load(self, piggles: list[str]) -> object:
        """Return the action that loads these Piggles."""
        toggles = self.session.toggles
        if toggles is None:
            raise SpecError("there is no cup to load now", fix="choose one of the list")
        return toggles.action(frozenset(piggles))

    def _due(self, action: object) -> object:
        """Return the request of chance that is due after an action of the person to move."""
        session, seat = self.session, self.session.awaited
        assert seat is not None
        event = decided(session.game, session.progress, action, seat=seat)
        due = session.game.turn(event.after) is NonPlayer.CHANCE
        return session.game.chance_request(event.after) if due else None

    async def ask(self, visitor: OpenPage, at: int, word: str) -> None:
        """Do the action of a button next to the list."""
        session = self.session
        if word == "undo":
            if not self.seats_of(visitor) or not self._undoable:
                raise SpecError("nothing can be taken back", fix="begin a match for practice")
            await self._undo()
            return
        self.expect_turn(visitor, at)
        action = {"skip": session.view.skip, "done": session.view.done}.get(word, Concede())
        if action not in session.legal:
            raise SpecError(f"{word} is not possible now", fix="choose one of the list")
        await self._change(lambda: session.decide(action), at=at)

    def hint(self, at: int, state: object) -> dict[str, Any]:
        """Return the message with an agent's action in this position, and its reason."""
        lines = lines_message(hint_lines(self.session, state))
        return {"is": "hint", "table": self.name, "at": at, "lines": lines}

    @property
    def _undoable(self) -> bool:
        """True if a decision can be taken back.

        At the end of a match all may see its seed and all hands: several people cannot play on.
        """
        session = self.session
        return session.undoable and not (session.over and len(session.people) > 1)

    async def _undo(self) -> None:
        async with self._lock:
            await self._workshop.run(self.session.undo)
            self.asked.clear()
            for visitor in list(self.visitors):
                self._send_all(visitor)
            self._send_people()
            self._changed.set()
        if self._task is None or self._task.done():
            self._begin()

    def close(self) -> None:
        """Stop the match; it is saved up to its last event."""
        if self._task is not None:
            self._task.cancel()


def _show_fault(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (fault := task.exception()) is not None:
        traceback.print_exception(fault)
