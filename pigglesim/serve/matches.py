"""Matches on the server: who sits at them, what they see, and what they decide."""

import asyncio
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from pigglesim.errors import PigglesimError, SpecError
from pigglesim.films.film import Film
from pigglesim.hand_throw import HandThrow
from pigglesim.landing import Hold, Seat
from pigglesim.match.runner import MatchEvent, Progress
from pigglesim.serve.access import Guest
from pigglesim.serve.films import dumped, match_pictures
from pigglesim.serve.own_throws import expect_throwable, prepared_message
from pigglesim.serve.pages import OpenPage, Workshop
from pigglesim.table.course import STALE, Course
from pigglesim.table.puzzles import PuzzleSession
from pigglesim.table.recorded import RecordedSession
from pigglesim.table.session import Session
from pigglesim.table.state_message import agent_words

_PAUSE = 0.7
"""Pause after a decision of an agent that nobody plays against [s], at pace 1."""
_LANDED = 1.2
"""Pause after a roll has landed there [s]."""
_GRACE = 0.05
"""Time beyond its limit after which a silent agent is abandoned [s]."""
_KEPT = 4
"""Maximum films that are kept: each has some 0.4 MB."""
_SLOW = 0.5
"""Time after which people see what they wait for [s]."""


class ServedMatch(Course):
    """A match in progress, with the people who play and watch it.

    All changes are made in the event loop, under one lock; what takes long runs in the workshop.
    """

    def __init__(self, name: str, session: Session, workshop: Workshop, *, pace: float) -> None:
        pictures = match_pictures(session)
        super().__init__(name, session, pictures)
        self._films = None if pictures is None else pictures.films
        self.pace = pace
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
        self.films: dict[int, Film] = {}
        """The latest films, by their number; a page may show one while the match goes on."""

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
        return dumped(self.state(seats, owner=owner, pace=self.pace, working=self.working))

    def _send_all(self, visitor: OpenPage) -> None:
        """Send the rules, all that has happened, and what the match is like now."""
        visitor.send(self.log())
        self.show(visitor)

    def show(self, visitor: OpenPage) -> None:
        """Send what the match is like now."""
        if (board := self.board()) is not None:
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

    # The course of the match.

    async def _run(self) -> None:
        """Play what needs no person, until the match is over."""
        while not self.session.over:
            self._changed.clear()
            progress = self.session.progress
            if (forced := self.session.forced) is not None:
                await self._change(lambda: self.session.decide(forced), since=progress)
            elif self.session.awaited is not None:
                await self._changed.wait()
            else:
                await self._next()
        self._send_people()

    async def _next(self) -> None:
        """Play the next decision of an agent, or the next outcome of chance."""
        session, progress = self.session, self.session.progress
        self.working = self.work()
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
        seconds = await self._change(lambda: session.play(event), since=progress)
        if seconds is not None and not session.people and self.pace > 0.0:
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

    async def _change(
        self, play: Callable[[], MatchEvent[Any]], *, since: Progress[Any]
    ) -> float | None:
        """Play an entry, show it to all, and return the length of its film [s].

        Without an effect, return None if the match has changed since: while this waited for the
        lock, a decision may have been played or taken back.
        """
        async with self._lock:
            if self.session.progress is not since:
                return None
            message, seconds = await self._workshop.run(self.played, play)
            if message["chapter"] is not None and self.session.film is not None:
                message["chapter"]["throw"] = self._keep(self.session.film)
            self._broadcast(message)
            self._changed.set()
            return seconds

    def _keep(self, film: Film) -> int:
        """Keep a film, forget old ones, and return its number."""
        number = len(self.session.events)
        self.films[number] = film
        for old in list(self.films)[:-_KEPT]:
            del self.films[old]
        return number

    # Decisions of people.

    def expected_progress(self, visitor: OpenPage, at: int) -> Progress[Any]:
        """Return the match where this person is to move; errors are those of `expect_turn`."""
        progress = self.session.progress
        self.expect_turn(self.seats_of(visitor), at)
        if self.session.progress is not progress:
            raise STALE
        return progress

    async def _play(self, play: Callable[[], MatchEvent[Any]], *, since: Progress[Any]) -> None:
        """Play the entry of a person, who must have seen all that has happened."""
        if await self._change(play, since=since) is None:
            raise STALE

    async def decide(self, visitor: OpenPage, at: int, choice: int) -> None:
        """Play a listed action of the person to move."""
        progress = self.expected_progress(visitor, at)
        action = self.listed(choice)
        await self._play(lambda: self.session.decide(action), since=progress)

    async def throw(
        self, visitor: OpenPage, at: int, piggles: list[str], hold: Hold | None
    ) -> None:
        """Load the cup and throw it, by the player's hand or from a hold near the wished one."""
        progress = self.expected_progress(visitor, at)

        def throw() -> MatchEvent[Any]:
            event = self.session.decided(self.load(piggles, hold))
            if isinstance(hold, HandThrow):
                expect_throwable(self.session.chance, self.due(event), hold)
            return self.session.play(event)

        await self._play(throw, since=progress)

    async def prepared(self, visitor: OpenPage, at: int, piggles: list[str]) -> dict[str, Any]:
        """Return the message with which a page simulates the throw of these Piggles."""
        self.expect_turn(self.seats_of(visitor), at)
        request = self.due(self.session.decided(self.load(piggles)))
        message = await self._workshop.run(prepared_message, self.session.chance, request)
        return {**message, "table": self.name, "at": at, "piggles": piggles}

    async def ask(self, visitor: OpenPage, at: int, word: str) -> None:
        """Do the action of a button next to the list."""
        if word == "undo":
            self.expect_undoable(self.seats_of(visitor))
            await self._undo()
            return
        progress = self.expected_progress(visitor, at)
        action = self.button(word)
        await self._play(lambda: self.session.decide(action), since=progress)

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
