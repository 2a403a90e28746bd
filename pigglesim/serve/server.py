"""The server: pages, files and WebSockets for people who have a link."""

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir
from threading import RLock
from typing import Any

from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from pigglesim.api.game_setup import set_up_game
from pigglesim.api.match import PlayedMatch
from pigglesim.api.play import PlaySettings, new_session, rematch_session, resumed_session
from pigglesim.api.puzzle import puzzle_session
from pigglesim.chance.physical import FilmedChance
from pigglesim.durable_io import FILM, RECORDS
from pigglesim.errors import PigglesimError, SpecError
from pigglesim.games.registry import find
from pigglesim.landing import Seat
from pigglesim.match.record import parse_record, read_record
from pigglesim.match.replay import branch_at
from pigglesim.physics.engines import fastest_engine_name
from pigglesim.render.page import WEB
from pigglesim.render.qr import qr_path
from pigglesim.rng import root_seed
from pigglesim.serve import messages, offers
from pigglesim.serve.access import PROTOCOL, Access, Guest, remove_opener, shown_secret
from pigglesim.serve.connections import Connections
from pigglesim.serve.elsewhere import elsewhere, kill_running
from pigglesim.serve.films import dumped
from pigglesim.serve.history import history, saved_files
from pigglesim.serve.matches import ServedMatch
from pigglesim.serve.own_throws import engine_code
from pigglesim.serve.pages import BusyError, OpenPage, PageWork, RequestBudget, Workshop
from pigglesim.serve.pours import FilmedElsewhere, Pours, looks
from pigglesim.serve.reviews import analysed, split, tried, watched
from pigglesim.serve.studies import reported, run_study
from pigglesim.serve.throwing import ThrowTable
from pigglesim.table.puzzles import PuzzleSession
from pigglesim.table.recorded import RecordedSession
from pigglesim.table.session import HUMAN, LEARNER, Session

_CLIENT = Path(__file__).parent / "web"
_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    # A foreign page cannot load a file to see whether this server runs.
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_TYPES = {
    ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"
}  # fmt: skip
_UNSEEN = 20
"""Maximum matches that are kept while nobody sees them; others are read from their files again."""
_PAGES = 50
"""Maximum open pages of a guest's link."""
_PAGE_KINDS = {".html", ".jsonl", ".txt", ".png", ".gif", ".svg"}
_LIGHT_KINDS = {*RECORDS, FILM}
"""Kinds of files that are written without loading libraries that draw."""
_MAPS = ("landings-", "directions-")
"""Beginnings of the pictures of a report that show where bodies lie, and how."""
_THROW_KINDS = {".html", ".png", ".glb", ".gif", ".mp4", ".film", ".json", ".svg"}


def _saved(session: Session) -> Session:
    """Save a new match at once, so that its links stay valid if the server is killed."""
    session.saves.save(session.record())
    return session


class Server:
    """Matches, pages and people of one server."""

    def __init__(self, folder: Path, access: Access, pours: Pours | None = None) -> None:
        self.folder, self.access, self._pours = folder, access, pours
        film = FilmedChance if pours is None else partial(FilmedElsewhere, pours=pours)
        self._settings = PlaySettings(hints=None, speed=1.0, film=film)
        self.workshop = Workshop(threads=3)
        self.desk = Workshop(threads=2)
        """Analyses, studies and files, which take long and must not hold up a throw."""
        self.guest_desk = Workshop(threads=1, jobs=8)
        """Such work of guests: it must not hold up the owner's."""
        self._budget = RequestBudget()
        self._showings = RequestBudget(credit=200, refill=0.5)
        """A page is shown a whole match at once, made in the event loop."""
        self._namings = RequestBudget(credit=10, refill=10.0)
        """A new name is shown to everyone at the table."""
        self.matches: dict[str, ServedMatch] = {}
        self._own_settings: dict[str, PlaySettings] = {}
        """Settings of matches that were not begun in a page, by table."""
        self.pages: dict[str, OpenPage] = {}
        self.connections = Connections()
        self._opening = asyncio.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            access.save(folder)
        except OSError as error:
            problem = f"cannot write {folder}: {error.strerror}"
            raise SpecError(problem, fix="use another --folder") from None
        self._scratch = Path(gettempdir()) / f"pigglesim-serve-{token_hex(8)}"
        """Folder of downloads and studies; it is made for the first of them."""
        # A signal handler may tidy while its own thread is making the folder.
        self._scratch_lock, self._tidied = RLock(), False

    def app(self) -> ASGIApp:
        """Return the application."""
        routes = [
            Route("/", self._home),
            Route("/web/{name}", self._file),
            Route("/engine.wasm", self._engine),
            Route("/match/{table}/{name}", self._match_file),
            Route("/page/{page}/{name}", self._page_file),
            WebSocketRoute("/socket", self._socket),
        ]
        return _Guard(Starlette(routes=routes, lifespan=self._lifespan), self.access)

    @contextlib.asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        # The first page finds its table packed.
        laying = self.desk.run(ThrowTable, messages.SetTable(do="set_table"), FilmedChance)
        laid = asyncio.create_task(laying)
        yield
        await laid
        for match in self.matches.values():
            match.close()
        for page in self.pages.values():
            page.stop()
        # Not in the main thread, where it would hold up a second signal.
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Drop the work that waits, and end the processes and threads."""
        places = (self.workshop, self.desk, self.guest_desk)
        for place in places:
            place.drop_waiting()
        # An analysis, a picture or a film may take minutes.
        kill_running()
        for place in places:
            place.close()
        if self._pours is not None:
            self._pours.close()
        self.tidy()

    def tidy(self) -> None:
        """Remove the temporary files, and the one that opened the browser."""
        remove_opener(self.folder)
        with self._scratch_lock:
            self._tidied = True
            kill_running()
            shutil.rmtree(self._scratch, ignore_errors=True)

    def _scratch_path(self, name: str) -> Path:
        """Return a path for a temporary file.

        Raises:
            BusyError: If the server is about to end.
        """
        with self._scratch_lock:
            if self._tidied:
                raise BusyError("the server is closed", fix="start it again")
            self._scratch.mkdir(mode=0o700, exist_ok=True)
        return self._scratch / name

    def _guest(self, connection: HTTPConnection) -> Guest | None:
        guest = self.access.guest_of(shown_secret(connection))
        if guest is not None:
            self.connections.showed_link(connection.scope["client"], guest)
        return guest

    def _desk_of(self, guest: Guest) -> Workshop:
        return self.desk if guest.is_owner else self.guest_desk

    # Pages and files.

    async def _home(self, _request: Request) -> Response:
        return _static(_CLIENT / "app.html")

    async def _file(self, request: Request) -> Response:
        # The page is the same for everybody: who opens it shows in its socket.
        known = {path.name: path for path in (*WEB.glob("*.*"), *_CLIENT.glob("*.*"))}
        path = known.get(request.path_params["name"])
        return _refused("There is no such file.", status=404) if path is None else _static(path)

    async def _engine(self, _request: Request) -> Response:
        """Return the engine in WebAssembly, with which a page throws a cup that a hand holds."""
        if (code := engine_code()) is None:
            return _refused("There is no WebAssembly here.", status=404)
        return Response(code, media_type="application/wasm", headers=_HEADERS)

    async def _match_file(self, request: Request) -> Response:
        guest, match = self._guest(request), self.matches.get(request.path_params["table"])
        suffix = Path(request.path_params["name"]).suffix
        if guest is None or match is None or not guest.may_see(match.name):
            return _refused("There is no such match.", status=404)
        session = match.session
        record = session.record()
        # The seed in it shows what chance will bring.
        if suffix not in _PAGE_KINDS or record.footer.result is None:
            return _refused("A match can be downloaded at its end.", status=404)
        played = PlayedMatch(record=record, game=session.game, events=session.events)
        return await self._written(guest, suffix, played.save)

    async def _page_file(self, request: Request) -> Response:
        """Return a file of the latest throw or study of a page."""
        name, page = Path(request.path_params["name"]), self.pages.get(request.path_params["page"])
        if page is not None and page.guest == self._guest(request):
            if (path := page.report.get(str(name))) is not None:
                # A report is a download, as its own styles do not fit the policy of this page.
                return FileResponse(path, filename=path.name, headers=_HEADERS)
            if name.suffix in _THROW_KINDS and page.throws and (roll := page.throws.last):
                return await self._written(page.guest, name.suffix, roll.save)
        return _refused("There is no such file.", status=404)

    async def _written(
        self, guest: Guest, suffix: str, write: Callable[[Path], object]
    ) -> Response:
        """Return a file that a function writes; its name says what it is."""
        try:
            path = self._scratch_path(f"pigglesim-{token_hex(4)}{suffix}")
            self._budget.spend(guest)
            drawn = () if suffix in _LIGHT_KINDS else (elsewhere,)
            await self._desk_of(guest).run(*drawn, write, path)
        except BusyError as error:
            return _refused(str(error), status=429)
        except PigglesimError as error:
            path.unlink(missing_ok=True)
            return _refused(str(error), status=409)
        # A page written for sharing runs its own scripts, so it is a download and never shown here.
        return _Download(path, filename=path.name, headers=_HEADERS)

    # Sockets.

    async def _socket(self, socket: WebSocket) -> None:
        foreign = not self.access.is_own_origin(socket.headers.get("origin"))
        if foreign or PROTOCOL not in socket.scope["subprotocols"]:
            await socket.close(4403)
            return
        guest = self._guest(socket)
        await socket.accept(subprotocol=PROTOCOL)
        if guest is None:
            # Only a socket that was open gives its page the reason.
            await socket.close(4401)
            return
        if not guest.is_owner and self._pages_of(guest) >= _PAGES:
            await socket.close(4429)
            return
        page = OpenPage(guest)
        self.pages[page.key] = page
        sender = asyncio.create_task(_sender(socket, page))
        try:
            page.send(self._welcome(page))
            # Once the sender has found that the page is gone, nothing more is received.
            while socket.application_state is WebSocketState.CONNECTED:
                await page.answer(self._do(page, await socket.receive_text()))
        except (WebSocketDisconnect, KeyError):
            # Bytes in place of text are not one of our messages.
            pass
        finally:
            self._left(page)
            sender.cancel()
            with contextlib.suppress(Exception):
                await socket.close()

    def _pages_of(self, guest: Guest) -> int:
        return sum(page.guest == guest for page in self.pages.values())

    def _left(self, page: OpenPage) -> None:
        page.stop()
        self.pages.pop(page.key, None)
        page.drop_report()
        for match in self.matches.values():
            match.leave(page)

    async def _do(self, page: OpenPage, text: str) -> None:
        """Do what a page asks for; a fault is answered and changes nothing."""
        owner = page.guest.is_owner
        match message := messages.read_message(text):
            case messages.Open(table=name):
                self._showings.spend(page.guest)
                await self._open(page, name)
            case (
                messages.Decide()
                | messages.LoadCup()
                | messages.PrepareLoad()
                | messages.Ask()
                | messages.SetPace()
            ):
                await self._play(page, message)
            case messages.StopWork():
                page.stop()
            case messages.SetName(name=name):
                self._namings.spend(page.guest)
                page.name = name
                for match in self.matches.values():
                    match.name_person(page)
                page.send({"is": "named", "name": name})
            case messages.WhenDecided():
                await self._look(page, message)
            case messages.Review() | messages.WhatIf() | messages.SplitThrow() | messages.Visit():
                await self._look_back(page, message)
            case _ if not owner:
                raise SpecError("this link is for one match", fix="ask its owner for another")
            case messages.ListMatches():
                page.send(await self.desk.run(history, self.folder, self.access, page.name))
            case messages.SetTable() | messages.ThrowCup() | messages.PrepareThrow():
                await self._throw(page, message)
            case messages.NewMatch():
                session = await self.workshop.run(self._new_session, message, page.name)
                await self._add(page, session, message.pace)
            case messages.OpenRecord(text=text):
                record = await self.workshop.run(parse_record, text)
                offers.expect_known_names(record.header)
                film = self._settings.film
                await self._add(page, await self.workshop.run(watched, record, film), 1.0)
            case messages.GetPuzzle(number=number):
                await self._add(page, await self.workshop.run(puzzle_session, number), 1.0)
            case messages.RunStudy():
                page.start(self.desk, partial(self._study, page, message))

    async def _throw(
        self,
        page: OpenPage,
        message: messages.SetTable | messages.ThrowCup | messages.PrepareThrow,
    ) -> None:
        """Lay a page's own table, or throw onto it."""
        match message:
            case messages.SetTable():
                page.throws = await self.workshop.run(ThrowTable, message, self._settings.film)
                for part in await self.workshop.run(page.throws.laid):
                    page.send(part)
            case messages.ThrowCup():
                if page.throws is None:
                    raise SpecError("the table is not laid", fix="reload the page")
                page.send(await self.workshop.run(page.throws.throw, message))
            case messages.PrepareThrow(onto=onto):
                if page.throws is not None:
                    page.send(await self.workshop.run(page.throws.prepared, onto))

    async def _look(self, page: OpenPage, message: messages.WhenDecided) -> None:
        """Send looks at a throw of a match, or of the page's own table."""
        number, film = message.throw, None
        if message.table is None:
            film = page.throws.film(number) if page.throws is not None else None
        elif (match := self.matches.get(message.table)) is not None and page in match.visitors:
            film = match.films.get(number)
        if film is None:
            raise SpecError("this throw is not here any more", fix="look at a later one")
        self._showings.spend(page.guest)
        found = await self.desk.run(looks if self._pours is None else self._pours.looks, film)
        page.send({**found, "throw": number})

    # Matches.

    def _new_session(self, wish: messages.NewMatch, name: str) -> Session:
        """Return the session of a new match of a person, saved in the folder."""
        seats = len(wish.players)
        game = find(wish.game)
        varies, chance = game.players_rule is not None, wish.chance or game.chances[0]
        if not wish.rules.keys() <= {rule["name"] for rule in offers.house_rules(wish.game)}:
            raise SpecError("this game has no such house rule", fix="choose one of the list")
        setup = set_up_game(
            wish.game,
            None,
            rules=wish.rules,
            players=seats if varies else None,
            teams=(wish.team_a, wish.team_b),
        )
        seed = root_seed(wish.seed, secret=True)
        engine = wish.engine or fastest_engine_name()
        session = new_session(
            game_setup=setup,
            agents=(None, None, wish.players),
            seed=seed,
            chance=(chance, engine if chance == "physical" else None),
            practice=wish.practice,
            out=self._new_file(),
            settings=self._settings,
        )
        if name and len(session.people) == 1:
            session.name_person(session.people[0], name)
        return _saved(session)

    def begin(self, session: Session, settings: PlaySettings) -> str:
        """Put a match of the folder on the list before any page is open; return its table."""
        name = self.access.table_of(_saved(session).saves.path)
        self.matches[name] = ServedMatch(name, session, self.workshop, pace=1.0)
        self._own_settings[name] = settings
        return name

    def _new_file(self) -> Path:
        """Return the file of a new match; its name says nothing about the seed."""
        return self.folder / f"match-{token_hex(6)}.jsonl"

    def _session_of(self, path: Path) -> Session:
        """Return a saved match: to go on with where a person plays in it, else to watch."""
        record = read_record(path)
        people = any(player in {HUMAN, LEARNER} for player in record.header.agents.values())
        if record.footer.result is None and people:
            settings = self._own_settings.get(self.access.table_of(path), self._settings)
            return resumed_session(path, out=None, settings=settings)
        return watched(record, self._settings.film)

    async def _add(
        self, page: OpenPage, session: Session, pace: float, *, name: str | None = None
    ) -> None:
        """Put a match on the list, and show it to the page."""
        self._sit(page, await self._served(session, pace, name=name))

    async def _served(
        self, session: Session, pace: float, *, name: str | None = None
    ) -> ServedMatch:
        """Put a match on the list, under its own name if none is given."""
        unseen = [each for each, match in self.matches.items() if not match.visitors]
        for each in unseen[:-_UNSEEN]:
            self.matches.pop(each).close()
        # After a new start of the server the same file is the same table, for pages and links.
        unsaved = isinstance(session, RecordedSession | PuzzleSession)
        own = token_hex(6) if unsaved else self.access.table_of(session.saves.path)
        name = name or own
        make = partial(ServedMatch, name, session, self.workshop, pace=pace)
        match = self.matches[name] = await self.workshop.run(make)
        return match

    def _sit(self, page: OpenPage, match: ServedMatch) -> None:
        for other in self.matches.values():
            other.leave(page)
        recorded = isinstance(match.session, RecordedSession)
        opened = {"is": "opened", "table": match.name, "recorded": recorded}
        if isinstance(match.session, PuzzleSession):
            opened["puzzle"] = match.session.number
        page.send(opened)
        match.join(page)

    async def _open(self, page: OpenPage, name: str) -> None:
        """Show a match, which may have to be read from its file first."""
        # The page of a guest shows the match of the link, which after a rematch is the new one.
        name = page.guest.table or name
        # Two people must not open one file as two matches.
        async with self._opening:
            if name in self.matches:
                self._sit(page, self.matches[name])
                return
            for path in saved_files(self.folder):
                if self.access.table_of(path) == name:
                    session = await self.workshop.run(self._session_of, path)
                    # A record has a name of its own each time, but guests see only their match.
                    known = None if page.guest.is_owner else name
                    await self._add(page, session, 1.0, name=known)
                    return
        fix = "choose it in the list" if page.guest.is_owner else "ask for another link"
        raise SpecError("this match is not here any more", fix=fix)

    async def _play(
        self,
        page: OpenPage,
        message: messages.Decide
        | messages.LoadCup
        | messages.PrepareLoad
        | messages.Ask
        | messages.SetPace,
    ) -> None:
        match = self.matches.get(message.table)
        if match is None or page not in match.visitors:
            raise SpecError("you are at another table", fix="reload the page")
        match message:
            case messages.Decide(at=at, choice=choice):
                await match.decide(page, at, choice)
            case messages.LoadCup(at=at, piggles=piggles, hold=hold, own=own):
                wish = own if own or hold is None else hold.cup_hold()
                await match.throw(page, at, piggles, wish)
            case messages.PrepareLoad(at=at, piggles=piggles):
                self._showings.spend(page.guest)
                page.send(await match.prepared(page, at, piggles))
            case messages.SetPace(pace=pace):
                if page.guest.is_owner:
                    match.pace = pace
            case messages.Ask(word="links"):
                self._send_links(page, match)
            case messages.Ask(word="rematch"):
                await self._rematch(page, match)
            case messages.Ask(at=at, word="hint"):
                # When its turn comes at the desk, another player may be to move.
                state = match.expected_progress(page, at).state
                self._budget.spend(page.guest)
                page.start(self._desk_of(page.guest), lambda _: match.hint(at, state))
            case messages.Ask(at=at, word=word):
                await match.ask(page, at, word)

    async def _rematch(self, page: OpenPage, match: ServedMatch) -> None:
        """Begin the same match again, once its owner and all players who are here ask for it."""
        session = match.session
        if not session.over or isinstance(session, RecordedSession | PuzzleSession):
            raise SpecError("there is no rematch yet", fix="finish this match first")
        if not match.ask_rematch(page):
            return
        seed = root_seed(None, secret=True)
        settings = self._own_settings.get(match.name, self._settings)
        make = partial(rematch_session, session, settings=settings, seed=seed, out=self._new_file())
        again = await self.workshop.run(lambda: _saved(make()))
        self._own_settings[self.access.table_of(again.saves.path)] = settings
        new = await self._served(again, match.pace)
        # Guests come along: their links show the new match.
        for secret, guest in self.access.guests.items():
            if guest.table == match.name:
                self.access.guests[secret] = Guest(table=new.name, seat=guest.seat)
        self.access.save(self.folder)
        for each in self.pages.values():
            if each.guest.table == match.name:
                each.guest = Guest(table=new.name, seat=each.guest.seat)
        for visitor in list(match.visitors):
            self._sit(visitor, new)

    def _send_links(self, page: OpenPage, match: ServedMatch) -> None:
        """Send the links that let others play or watch."""
        if not page.guest.is_owner:
            raise SpecError("only the owner of the table invites", fix="ask for a link")
        people, names = match.session.people, match.session.view.names
        own, link = match.seats_of(page)[:1], partial(self._link, match.name)
        seats = [
            {"seat": seat, "name": names[seat], "own": seat in own, **link(seat)} for seat in people
        ]
        watch = link(None)
        page.send({"is": "links", "seats": seats, "watch": watch["link"], "watch_qr": watch["qr"]})
        self.access.save(self.folder)

    def _link(self, table: str, seat: Seat | None) -> dict[str, str]:
        link = self.access.invite(Guest(table=table, seat=seat))
        return {"link": link, "qr": qr_path(link)}

    # Reviews and studies.

    async def _look_back(
        self,
        page: OpenPage,
        message: messages.Review | messages.WhatIf | messages.SplitThrow | messages.Visit,
    ) -> None:
        match = self.matches.get(message.table)
        if match is None or not page.guest.may_see(match.name):
            raise SpecError("this match is not here any more", fix="choose it in the list")
        if not (match.session.over or isinstance(match.session, RecordedSession)):
            raise SpecError("the match is not over yet", fix="review it at its end")
        record, desk = match.session.record(), self._desk_of(page.guest)
        match message:
            case messages.Visit(decision=decision):
                self._showings.spend(page.guest)
                if decision is None:
                    match.show(page)
                    return
                found = await desk.run(branch_at, record, decision)
                page.send(match.visited(found.before, decision))
            case messages.Review():
                self._budget.spend(page.guest)
                review = partial(elsewhere, analysed, record)
                page.start(desk, lambda work: review(progress=work.progress))
            case messages.WhatIf(decision=at):
                self._budget.spend(page.guest)
                what_if = partial(elsewhere, tried, record, at)
                page.start(desk, lambda work: what_if(progress=work.progress))
            case messages.SplitThrow(decision=at):
                self._budget.spend(page.guest)
                parts = partial(elsewhere, split, record, at)
                page.start(desk, lambda work: parts(progress=work.progress))

    def _study(self, page: OpenPage, wish: messages.RunStudy, work: PageWork) -> dict[str, Any]:
        page.drop_report()
        folder = self._scratch_path(f"study-{token_hex(4)}")
        try:
            run_study(wish, folder, watch=work.send)
            page.report = {path.name: path for path in elsewhere(reported, folder)}
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        if page.key not in self.pages:
            page.drop_report()
        maps = [name for name in page.report if name.startswith(_MAPS) and name.endswith(".png")]
        return {"is": "studied", "maps": maps}

    def _welcome(self, page: OpenPage) -> dict[str, Any]:
        """Return what a page needs to begin: names to choose from, and the matches."""
        if not page.guest.is_owner:
            table = page.guest.table
            return {"is": "welcome", "owner": False, "page": page.key, "table": table}
        return {
            "is": "welcome",
            "owner": True,
            "page": page.key,
            "games": offers.games(),
            "can": offers.ABILITIES,
            "throw": messages.SetTable(do="set_table").model_dump(exclude={"do"}),
            "measured": offers.measured(),
            **offers.lists(),
        }


class _Download(FileResponse):
    """File that is removed once it has been sent, or its reader has gone."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            Path(self.path).unlink(missing_ok=True)


class _Guard:
    """Refuses requests that do not name this server."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if its Host header is one of ours."""
        if scope["type"] in {"http", "websocket"}:
            host = HTTPConnection(scope).headers.get("host")
            if not self._access.is_own_host(host):
                if scope["type"] == "websocket":
                    await send({"type": "websocket.close", "code": 4403})
                else:
                    await _refused("This name is not served here.", status=421)(
                        scope, receive, send
                    )
                return
        await self._app(scope, receive, send)


async def _sender(socket: WebSocket, page: OpenPage) -> None:
    """Send the messages of a page in order; a page that was dropped is closed."""
    while (message := await page.queue.get()) is not None:
        await socket.send_text(message if isinstance(message, str) else dumped(message))
    await socket.close(4408)


def _static(path: Path) -> Response:
    kind = _TYPES.get(path.suffix, "application/octet-stream")
    return Response(path.read_bytes(), media_type=kind, headers=_HEADERS)


def _refused(text: str, status: int = 403) -> Response:
    return PlainTextResponse(text, status_code=status, headers=_HEADERS)
