"""The table of a page without a server: it answers the messages that `pigglesim serve` answers."""

import json
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from secrets import token_hex
from time import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from pigglesim.agents.agent import Agent
from pigglesim.agents.registry import make_agent
from pigglesim.chance.odds import Odds
from pigglesim.chance.tabular import FairChance, TabularChance, check_odds_support
from pigglesim.errors import PigglesimError, SpecError, one_line, unknown_name
from pigglesim.games.game import Game
from pigglesim.games.registry import find, make_game
from pigglesim.hand_throw import HandThrow
from pigglesim.landing import BOARD_SEATS, CupHold, Landing, RollRequest, Seat, Zone
from pigglesim.match.correspondence import LinkSetup
from pigglesim.match.entries import MAX_NAME, Decision, MatchRecord, is_person_name
from pigglesim.match.link_memory import Memory
from pigglesim.match.links import KEY, SHORT, Terms, expect_link_game
from pigglesim.match.record import format_record
from pigglesim.match.replay import branch_at
from pigglesim.match.runner import MatchEvent, make_header
from pigglesim.render.qr import qr_path
from pigglesim.rng import root_seed
from pigglesim.site.by_link import link_session, messages_in, recall, right_messages
from pigglesim.site.chance import PageChance, PageEngine, ThrownFilm
from pigglesim.site.kept import kept_matches
from pigglesim.site.pictures import PagePictures, TableScene, board_chapter, film_chapter
from pigglesim.table.by_link import LinkSession
from pigglesim.table.course import Course
from pigglesim.table.hints import reasoned_hint
from pigglesim.table.session import HUMAN, LEARNER, Session
from pigglesim.table.state_message import agent_words, lines_message
from pigglesim.table.view import winner_words

if TYPE_CHECKING:
    from pigglesim.site.review import PageReview

Message = dict[str, Any]
_NAME = 12
"""Length of the name of a match."""
_WARM = 2
"""Throws that nobody sees."""
_Standing = tuple[tuple[str, Landing], ...]


@dataclass(frozen=True, kw_only=True)
class PageGame:
    """A game of the page."""

    stage: TableScene | None
    """Its table in 3D; None for cards."""
    markings: Mapping[str, Any]
    """House rules that say how its Piggles are marked."""
    rules: tuple[str, str]
    """Its usual rules in Markdown and as HTML: what makes the one from the other loads slowly."""


@dataclass(frozen=True, kw_only=True)
class PageData:
    """Data made beforehand."""

    welcome: Message
    games: Mapping[str, PageGame]
    odds: Odds
    """Odds of the Piggles of all games."""
    radius: float
    """Distance from the centre of a Piggle to its farthest point [m]."""
    origin: Mapping[str, Any]
    """What a record says of rolls by physics."""


class _Kept:
    """The record of a match that stays in the page."""

    fault, path, written = "", SimpleNamespace(name="this page"), True

    def __init__(self) -> None:
        self.record: MatchRecord | None = None

    def save(self, record: MatchRecord) -> None:
        self.record = record


class PageMatch(Course):
    """A match in the page."""

    def __init__(self, name: str, session: Session, wish: Message, game: PageGame) -> None:
        stage = game.stage
        pictures = None if stage is None else PagePictures(stage, session.view)
        super().__init__(name, session, pictures)
        self._usual_rules = game.rules
        self.wish, self.pace, self.seconds = wish, float(wish.get("pace", 1.0)), time()

    def rules_html(self) -> str:
        """Return the rules of the match as HTML."""
        text, html = self._usual_rules
        return html if self.session.view.rules == text else super().rules_html()

    def hint(self, at: int, state: object) -> Message:
        """Return the message with an agent's action in this position, and its reason."""
        session = self.session
        agent, seat = session.adviser(), session.awaited
        assert seat is not None
        observation, legal = session.game.observe(state, seat), session.game.legal_actions(state)
        from pigglesim.rng import generator  # noqa: PLC0415

        action = agent.choose(observation, legal, rng=generator(0, "hint"))
        lines = reasoned_hint(agent, session.view, state, observation, action)
        return {"is": "hint", "table": self.name, "at": at, "lines": lines_message(lines)}

    def people(self) -> Iterator[Message]:
        """Yield the message with who plays; none for a puzzle, which has no rematch."""
        session = self.session
        if session.is_puzzle:
            return
        players = [
            {
                "seat": seat,
                "name": name,
                "person": seat in session.people,
                "detail": agent_words(session.header, seat),
                "here": True,
                "guest": False,
            }
            for seat, name in session.view.names.items()
        ]
        message = {"is": "people", "table": self.name, "players": players, "watching": 0}
        yield {**message, "asked": [], "rematch": session.over, "waits": False}

    def now(self) -> Message:
        """Return the message with the match as all who share this page see it."""
        state = self.state(self.session.people, owner=True, pace=self.pace)
        session = self.session
        if not isinstance(session, LinkSession):
            return state
        links = session.message()
        if links["answer"]:
            links["qr"] = qr_path(f"{self.wish.get('base', '')}#{KEY}{links['answer']}")
        return {**state, "by_link": links}

    def whole(self) -> Iterator[Message]:
        """Yield all messages of a match that is opened."""
        yield self.log()
        if (board := self.board()) is not None:
            yield {"is": "board", "table": self.name, "chapter": board}
        yield self.now()
        yield from self.people()


def _standing(result: Any) -> _Standing:  # noqa: ANN401 (the result of a roll)
    """Return what a roll has left on the board."""
    return tuple(each for each in result.landings if each[1].zone is not Zone.OFF)


class _ThrowTable:
    """A table where a person throws any number of times; no rules, no turns."""

    def __init__(self, stage: TableScene, wish: Message, chance: PageChance) -> None:
        self._stage, self._chance = stage, chance
        self.seat, self.count = Seat(wish.get("seat", "A")), int(wish.get("count", 6))
        self.thrown: ThrownFilm | None = None

    def laid(self) -> Message:
        names = self._names(self.seat)
        chapter = board_chapter(self._stage, (), {self.seat: names}, {})
        return {"is": "board", "chapter": chapter, "seat": self.seat, "load": names}

    def request(self, *, onto: bool) -> RollRequest:
        standing: _Standing = ()
        seat = self.seat
        if onto:
            if self.thrown is None:
                raise SpecError("nothing stands on the board", fix="throw once without it")
            seat = self.thrown.throw.thrower.other
            standing = tuple(each for each in _standing(self.thrown.result) if each[0][0] != seat)
        return RollRequest(thrower=seat, piggles=tuple(self._names(seat)), standing=standing)

    def throw(self, wish: Message, thrown: Callable[[], ThrownFilm]) -> Message:
        seed, own, hold = root_seed(_seed(wish)), wish.get("own"), wish.get("hold")
        request = self.request(onto=bool(wish.get("onto")))
        held = HandThrow.read(own) if own else None if hold is None else CupHold(**hold)
        self._chance.with_seed(seed).answer(replace(request, hold=held), index=0)
        self.thrown = thrown()
        return {
            "is": "thrown",
            "chapter": film_chapter(self._stage, self.thrown),
            "seat": request.thrower,
            "own": own is not None,
            "knocks": len(self.thrown.result.knocks),
            "seed": str(seed),
            "engine": "impulse",
            "command": "",
        }

    def _names(self, seat: Seat) -> list[str]:
        return [f"{seat}{number}" for number in range(1, self.count + 1)]


def _expect_name(name: object) -> str:
    """Return the name of a person, or an empty one; raise `SpecError` if it is another text."""
    if name and not (isinstance(name, str) and is_person_name(name)):
        expected = f"at most {MAX_NAME} letters, digits and blanks"
        raise SpecError("that is not the name of a person", expected=expected, fix="change it")
    return str(name)


def _seed(wish: Message) -> int | None:
    seed = wish.get("seed")
    return None if seed is None else int(seed)


class PageTable:
    """All that a page without a server plays.

    Args:
        data: Data made beforehand.
        engine: The engine of the page.
    """

    def __init__(self, data: PageData, engine: PageEngine) -> None:
        self._data, self._engine = data, engine
        self.name = ""
        self.matches: dict[str, PageMatch] = {}
        self._shown: PageMatch | None = None
        self._throws: _ThrowTable | None = None
        self._kept: dict[str, Message] = {}
        """Matches of earlier visits, as `_keeping` gives them to the page."""
        self._film: ThrownFilm | None = None
        self._stored: list[Message] = []
        self._review: PageReview | None = None
        """Analysis that this worker makes; another worker plays the match."""
        self._work: Iterator[Message] = iter(())
        self._warmed = 0
        self._warming: _Standing = ()

    def hear(self, text: str) -> str:
        """Return the messages, as JSON, that answer a message of the page."""
        return json.dumps(self._answered(self._do(json.loads(text))))

    def step(self) -> str:
        """Play what needs no person once; return the messages, none if a person is awaited."""
        return json.dumps(self._answered(self._step()))

    def warm(self) -> None:
        """Make a throw that nobody sees, twice in all.

        A browser compiles the engine well only while it runs, and modules are loaded at first use.
        """
        if self._warmed == _WARM:
            return
        self._warmed += 1
        seat = BOARD_SEATS[self._warmed % 2]
        names = tuple(f"{seat}{number}" for number in range(1, 7))
        request = RollRequest(thrower=seat, piggles=names, standing=self._warming)
        chance = replace(self._physics(0), filmed=False)
        self._warming = _standing(chance.answer(request, index=self._warmed))

    def _answered(self, messages: Iterator[Message]) -> list[Message]:
        answers = []
        try:
            answers += list(messages)
        except PigglesimError as error:
            answers.append({"is": "fault", "text": one_line(str(error))})
        except Exception as error:
            traceback.print_exception(error)
            text = f"This page has failed: {type(error).__name__}. Please report it."
            answers.append({"is": "fault", "text": text})
        # The page stores what to remember before it shows what follows from it.
        stored, self._stored = self._stored, []
        return stored + answers

    def _do(self, wish: Message) -> Iterator[Message]:
        match wish["do"]:
            case "name":
                self.name = _expect_name(wish["name"])
                yield {"is": "named", "name": self.name}
                yield from self._named()
            case "matches":
                yield {"is": "matches", "matches": self._rows(), "results": {}}
            case "set_table":
                stage = self._stage()
                yield {"is": "table", "stage": "piggles_classic"}
                self._throws = _ThrowTable(stage, wish, self._physics(0))
                yield self._throws.laid()
            case "throw" if self._throws:
                yield self._throws.throw(wish, self._taken)
            case "prepare" if self._throws:
                yield self._kit(self._throws.request(onto=bool(wish.get("onto"))))
            case "new":
                yield from self._begin(wish)
            case "link" if "memory" not in wish:
                yield recall(wish)
            case "link" | "new_by_link":
                yield from self._begin_by_link(wish)
            case "open" if wish["table"] not in self.matches and self._kept_link(wish["table"]):
                yield recall(self._kept_link(wish["table"]))
            case "open":
                yield from self._sit(self._found(wish["table"]))
            case "decide" | "load" | "prepare_load" | "ask" | "pace":
                yield from self._play(wish)
            case "file" if (match := self._here(wish["table"])) is not None:
                yield {"is": "file", "text": format_record(match.session.record(), text=True)}
            case "puzzle":
                yield from self._puzzle(wish)
            case "kept":
                self._kept = kept_matches(wish["matches"])
            case "visit":
                yield from self._visit(wish)
            case "review" | "what_if" if "match" in wish:
                self._analyse(wish)
            case "review" | "what_if":
                yield self._to_analyse(wish)
            case "stop" if self._review is not None:
                review, self._review, self._work = self._review, None, iter(())
                yield review.result()
            case "stop":
                pass
            case _:
                raise SpecError("this page cannot do that", fix="install pigglesim for it")

    # Matches.

    def _stage(self, game: str = "piggles_classic") -> TableScene:
        stage = self._data.games[game].stage
        assert stage is not None
        return stage

    def _physics(self, seed: int) -> PageChance:
        return PageChance(
            scene=self._stage().scene,
            seed=seed,
            radius=self._data.radius,
            origin=self._data.origin,
            engine=self._engine,
            show=self._keep,
        )

    def _keep(self, film: ThrownFilm) -> None:
        self._film = film
        if self._shown is not None:
            shown: Any = self._shown.session
            shown.film = film

    def _taken(self) -> ThrownFilm:
        assert self._film is not None
        return self._film

    def _begin(self, wish: Message) -> Iterator[Message]:
        wish = {**wish, "seed": str(root_seed(_seed(wish), secret=True))}
        name = token_hex(6)
        match = self.matches[name] = self._made(name, wish)
        yield from self._sit(match)
        yield from self._keeping(match)

    def _made(self, name: str, wish: Message) -> PageMatch:
        self._expect_offered(wish)
        return PageMatch(name, self._session(wish), wish, self._data.games[wish["game"]])

    def _here(self, name: str) -> PageMatch | None:
        """Return the match that is shown, or one of this visit; None if it is neither."""
        shown = self._shown
        return shown if shown is not None and shown.name == name else self.matches.get(name)

    def _found(self, name: str) -> PageMatch:
        """Return a match of this visit, or play one of an earlier visit again.

        Raises:
            SpecError: If it is not there, or its decisions do not fit.
        """
        if name in self.matches:
            return self.matches[name]
        kept = self._kept.pop(name, None)
        if kept is None:
            raise SpecError("this match is not here any more", fix="begin another one")
        try:
            match = self._made(name, dict(kept["wish"]))
            self._play_again(match.session, kept["actions"])
        except PigglesimError as error:
            problem = f"this match cannot go on: {error.problem}"
        except Exception as error:
            # What is stored may have any values, and a source or a game any fault with them.
            problem = f"this match cannot go on: {type(error).__name__}"
        else:
            self.matches[name] = match
            return match
        raise SpecError(problem, fix="begin another one")

    @staticmethod
    def _play_again(session: Session, actions: Sequence[str], *, whole: bool = False) -> None:
        """Play the decisions of people again, and what follows if `whole`, without films."""
        chance = session.chance
        if isinstance(chance, PageChance):
            session.chance = replace(chance, filmed=False)
        for action in actions:
            while session.awaited is None:
                session.play(session.next_event())
            session.decide(session.game.parse_action(action))
        while whole and session.awaited is None and not session.over:
            session.play(session.next_event())
        session.chance = chance

    def _keeping(self, match: PageMatch) -> Iterator[Message]:
        """Yield the message with all from which a later visit plays a match again.

        Agents and chance follow from its seed; a match by link is in its last link, and another
        link replaces that one only if it is right and shows at least as many messages.
        """
        session, wish = match.session, match.wish
        if isinstance(session, LinkSession):
            if right_messages(session) < self._known_messages(match.name):
                return
            self._kept.pop(match.name, None)
            self.matches[match.name] = match
            if session.problem or not session.latest:
                return
            wish = {"do": "link", "text": session.latest, "base": wish["base"]}
        entries = match.session.progress.entries
        people = match.session.people
        actions = [e.action for e in entries if isinstance(e, Decision) and e.seat in people]
        yield {
            "is": "keep",
            "table": match.name,
            "wish": wish,
            "actions": actions,
            "row": self._row(match),
        }

    def _known_messages(self, name: str) -> int:
        """Return how many messages of a match by link the page has; 0 for none."""
        match = self.matches.get(name)
        if match is not None and isinstance(match.session, LinkSession):
            return right_messages(match.session)
        return messages_in(self._kept_link(name).get("text", ""))

    def _kept_link(self, name: str) -> Message:
        """Return the wish of a match by link of an earlier visit; empty if it is none."""
        wish = self._kept.get(name, {}).get("wish", {})
        return dict(wish) if wish.get("do") == "link" else {}

    def _begin_by_link(self, wish: Message) -> Iterator[Message]:
        def remember(match: bytes, memory: Memory) -> None:
            name = match[:SHORT].hex()
            self._stored.append({"is": "remember", "match": name, "text": memory.to_json()})

        if wish["do"] == "new_by_link":
            self._expect_offered(wish)
        session = link_session(
            wish,
            name=self.name,
            set_up=self._set_up,
            scene=lambda game: stage.scene if (stage := self._data.games[game].stage) else None,
            filmed=lambda chance: self._physics(0) if chance == "physical" else None,
            adviser=self._adviser,
            remember=remember,
        )
        name = session.match.id.hex()[:_NAME]
        if not session.problem and right_messages(session) < self._known_messages(name):
            # An older link shows the match as it is now.
            yield from self._do({"do": "open", "table": name})
            return
        rules = dict(session.match.terms.rules)
        again = {"do": "new_by_link", "rules": rules, "base": str(wish.get("base", ""))}
        again["seat"] = session.people[0]
        terms = {"game": session.game.name, "chance": session.match.terms.chance}
        match = PageMatch(name, session, {**again, **terms}, self._data.games[terms["game"]])
        yield from self._sit(match)
        yield from self._keeping(match)

    def _set_up(self, terms: Terms) -> LinkSetup:
        """Return the table of some terms, which may be hostile."""
        expect_link_game(terms.game)
        self._expect_offered({"game": terms.game, "chance": terms.chance})
        page = self._data.games[terms.game]
        if any(terms.teams):
            raise SpecError("this page has the standard teams alone", fix="use pigglesim link")
        game = make_game(terms.game, {**page.markings, **terms.rules})
        if game.seats != BOARD_SEATS:
            raise SpecError(f"{terms.game} by link with others", fix="play it with two")
        models = dict(page.stage.models) if page.stage else {}
        source = self._source(game, terms.chance, 0)
        if isinstance(source, PageChance):
            source = replace(source, filmed=False)
        return LinkSetup(game=game, models=models, source=source)

    def _offered(self, game: object) -> Message:
        """Return a game of those that the page was sent; raise `SpecError` for another."""
        games = {each["name"]: each for each in self._data.welcome["games"]}
        if str(game) not in games:
            raise unknown_name("game", str(game), games)
        return dict(games[str(game)])

    def _expect_offered(self, wish: Message) -> None:
        """Raise `SpecError` unless a match has only what the page was sent."""
        game = self._offered(wish["game"])
        levels = (level["agent"] for level in game["levels"])
        lists = {
            "player": (wish.get("players") or (), [HUMAN, *game["agents"], *levels]),
            "chance": ([wish["chance"]] if wish.get("chance") else (), game["chances"]),
            "house rule": (wish.get("rules") or (), [rule["name"] for rule in game["rules"]]),
        }
        for kind, (names, known) in lists.items():
            for name in names:
                if name not in known:
                    raise unknown_name(f"{kind} of {game['name']}", str(name), known)

    def _source(self, game: Game[Any, Any], kind: str, seed: int) -> Any:  # noqa: ANN401 (a source)
        if kind == "physical":
            return self._physics(seed)
        if kind == "tabular":
            check_odds_support(game)
            return TabularChance(seed=seed, odds=self._data.odds)
        return FairChance(seed=seed)

    def _adviser(self, game: str) -> Agent:
        name = "greedy" if "greedy" in self._offered(game)["agents"] else "hold"
        belief = TabularChance(seed=0, odds=self._data.odds)
        return make_agent(name, game=make_game(game), chance=belief)

    def _session(self, wish: Message) -> Session:
        entry, page = find(wish["game"]), self._data.games[wish["game"]]
        players = wish["players"]
        if not entry.min_players <= len(players) <= entry.max_players:
            problem = f"{entry.title} is not for {len(players)} players"
            raise SpecError(problem, fix="begin another match")
        seats = {} if entry.players_rule is None else {entry.players_rule: len(players)}
        game = make_game(wish["game"], {**page.markings, **(wish.get("rules") or {}), **seats})
        seed = root_seed(_seed(wish), secret=True)
        belief = TabularChance(seed=0, odds=self._data.odds)
        agents: dict[Seat, Agent | None] = {
            seat: None if name == HUMAN else make_agent(name, game=game, chance=belief)
            for seat, name in zip(game.seats, players, strict=True)
        }
        teams = dict(page.stage.models) if page.stage else {}
        kind = wish.get("chance") or self._offered(game.name)["chances"][0]
        chance = self._source(game, kind, seed)
        person = LEARNER if wish.get("practice") else HUMAN
        header = make_header(
            game,
            agents={seat: person if agent is None else agent for seat, agent in agents.items()},
            chance=chance,
            seed=seed,
            teams=teams,
        )
        people = [seat for seat, agent in agents.items() if agent is None]
        if self.name and len(people) == 1:
            header = replace(header, names={people[0]: self.name})
        kept: Any = _Kept()
        return Session(
            game,
            header=header,
            agents=agents,
            chance=chance,
            saves=kept,
            scene=page.stage.scene if page.stage else None,
            adviser=lambda: self._adviser(game.name),
        )

    def _puzzle(self, wish: Message) -> Iterator[Message]:
        from pigglesim.site.puzzles import page_puzzle  # noqa: PLC0415 (a page starts without)

        games, number = self._data.games, wish.get("number")
        if number is not None and type(number) is not int:
            problem = f"no puzzle {number!r}"
            raise SpecError(problem, expected="a whole number", fix="use another number")
        stages = {name: game.stage for name, game in games.items()}
        session = page_puzzle(number, stages)
        name = session.game.name
        wish = {**wish, "game": name}
        yield from self._sit(PageMatch(token_hex(6), session, wish, games[name]))

    def _sit(self, match: PageMatch) -> Iterator[Message]:
        self._shown = match
        opened = {"is": "opened", "table": match.name, "recorded": False}
        session: Any = match.session
        yield {**opened, "puzzle": session.number} if session.is_puzzle else opened
        if match.pictures is not None:
            yield {"is": "table", "table": match.name, "stage": match.wish["game"]}
        yield from match.whole()

    def _named(self) -> Iterator[Message]:
        match = self._shown
        by_link = match is not None and isinstance(match.session, LinkSession)
        if match is not None and len(match.session.people) == 1 and not by_link:
            match.session.name_person(match.session.people[0], self.name)
            yield match.now()
            yield from match.people()

    def _rows(self) -> list[Message]:
        rows = {name: each["row"] for name, each in self._kept.items()}
        rows |= {match.name: self._row(match) for match in self.matches.values()}
        return sorted(rows.values(), key=lambda row: -float(row["seconds"]))

    def _row(self, match: PageMatch) -> Message:
        session = match.session
        result = session.progress.footer(session.game).result
        title = session.title
        if isinstance(session, LinkSession):
            friend = session.message()["friend"] or "your friend"
            turn = f"waits for {friend}" if session.waits else "your turn"
            title += " by message" if result else f" by message: {turn}"
        return {
            "table": match.name,
            "seconds": match.seconds,
            "title": title,
            "players": " · ".join(session.view.names.values()),
            "result": winner_words(result, session.view.names) if result else "",
        }

    def _play(self, wish: Message) -> Iterator[Message]:
        match = self._shown
        if match is None or wish["table"] != match.name:
            raise SpecError("you are at another table", fix="reload the page")
        session, seats = match.session, match.session.people
        if wish["do"] == "pace":
            match.pace = float(wish["pace"])
            return
        at, word = int(wish["at"]), wish.get("word")
        if word == "rematch":
            if not session.over or session.is_puzzle:
                raise SpecError("there is no rematch yet", fix="finish this match first")
            begin = self._begin_by_link if match.wish["do"] == "new_by_link" else self._begin
            yield from begin({**match.wish, "seed": None})
            return
        if word == "undo":
            match.expect_undoable(seats)
            session.undo()
            yield from match.whole()
            yield from self._keeping(match)
            return
        match.expect_turn(seats, at)
        if word == "hint":
            yield match.hint(at, session.state)
            return
        if wish["do"] == "prepare_load":
            request = match.due(session.decided(match.load(wish["piggles"])))
            named = {"table": match.name, "at": at, "piggles": wish["piggles"]}
            physical = isinstance(session.chance, PageChance)
            kit = self._kit(request) if physical else {"is": "prepared", "kit": None}
            yield {**kit, **named}
            return
        if wish["do"] == "decide":
            action = match.listed(int(wish["choice"]))
        elif wish["do"] == "load":
            own, hold = wish.get("own"), wish.get("hold")
            held = HandThrow.read(own) if own else None if hold is None else CupHold(**hold)
            action = match.load(wish["piggles"], held)
        else:
            action = match.button(str(word))
        yield from self._shown_event(match, lambda: session.decide(action))

    def _kit(self, request: object) -> Message:
        """Return the message for which the page adds what simulates a throw."""
        if not isinstance(request, RollRequest):
            return {"is": "prepared", "kit": None}
        standing = []
        for _, landing in request.standing:
            assert landing.place is not None
            standing.append([*landing.place.position, *landing.place.rotation])
        names = [*request.piggles, *(name for name, _ in request.standing)]
        kit = {"seat": request.thrower, "rolled": len(request.piggles), "standing": standing}
        return {"is": "prepared", "kit": {**kit, "names": names}}

    # Looking back.

    def _over(self, wish: Message) -> PageMatch:
        """Return the match that a person looks back on."""
        match = self._here(wish["table"])
        if match is None or not match.session.over:
            raise SpecError("the match is not over yet", fix="review it at its end")
        return match

    def _visit(self, wish: Message) -> Iterator[Message]:
        """Show the table before a decision, or as it is now."""
        match, decision = self._over(wish), wish.get("decision")
        if decision is not None:
            found = branch_at(match.session.record(), int(decision))
            yield match.visited(found.before, int(decision))
            return
        if (board := match.board()) is not None:
            yield {"is": "board", "table": match.name, "chapter": board}
        yield match.now()

    def _to_analyse(self, wish: Message) -> Message:
        """Return the message with which the page asks another worker, so that play goes on."""
        kept = next(self._keeping(self._over(wish)), None)
        if kept is None:
            raise SpecError("this match cannot be reviewed", fix="open its link again")
        return {"is": "analyse", "wish": {**wish, "match": kept, "name": self.name}}

    def _analyse(self, wish: Message) -> None:
        """Begin an analysis, of which each step is a decision."""
        from pigglesim.site.review import PageReview  # noqa: PLC0415 (a page starts without)

        name, kept = str(wish["table"]), wish["match"]
        if name not in self.matches:
            self.name = _expect_name(wish["name"])
            if kept["wish"]["do"] == "link":
                deque(self._begin_by_link({**kept["wish"], "memory": ""}), maxlen=0)
            else:
                self._kept = kept_matches([kept])
                self._found(name)
            self._stored = []
            played = self._here(name)
            if played is not None:
                self._play_again(played.session, (), whole=True)
        match = self._over(wish)
        decision = int(wish["decision"]) if wish["do"] == "what_if" else None
        self._review = PageReview(match.session.record(), self._data.odds, decision=decision)
        self._work = self._review.messages()

    def _step(self) -> Iterator[Message]:
        if (message := next(self._work, None)) is not None:
            yield message
            return
        match = self._shown
        if match is None or match.session.over:
            return
        session = match.session
        if isinstance(session, LinkSession) and session.waits:
            return
        if session.forced is not None:
            yield from self._shown_event(match, lambda: session.decide(session.forced))
        elif session.awaited is None:
            session.film = None
            event = session.next_event()
            yield from self._shown_event(match, lambda: session.play(event))

    def _shown_event(
        self, match: PageMatch, play: Callable[[], MatchEvent[Any]]
    ) -> Iterator[Message]:
        message, _ = match.played(play)
        yield {**message, "table": match.name}
        yield match.now()
        waits = isinstance(match.session, LinkSession) and match.session.waits
        if match.session.is_puzzle:
            return
        if match.session.awaited or match.session.over or waits:
            yield from self._keeping(match)
        if match.session.over:
            yield from match.people()
