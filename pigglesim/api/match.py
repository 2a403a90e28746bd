"""Matches: set up, play, resume, replay, read and save them."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeVar

from pigglesim.agents.agent import Agent
from pigglesim.agents.registry import any_outside, make_agent, plays
from pigglesim.api.game_setup import GameSetup, set_up_game
from pigglesim.api.links import resimulation_of
from pigglesim.api.names import Player, expect_player
from pigglesim.api.sources import (
    agents_of_record,
    chance_of_record,
    expect_same_code,
    scene_of_record,
    source_of_record,
)
from pigglesim.arguments import checked
from pigglesim.chance.physical import FilmedChance, PhysicalChance
from pigglesim.chance.tabular import believed_chance
from pigglesim.durable_io import DRAWN, PAGES, RECORDS, VIDEOS, check_target, expect_new
from pigglesim.errors import RecordError, SpecError
from pigglesim.films.codec import film_folder
from pigglesim.films.codec import read_film as read_film_file
from pigglesim.films.film import Film
from pigglesim.games.game import Game
from pigglesim.games.registry import make_game
from pigglesim.landing import Seat
from pigglesim.match.entries import Header, MatchRecord
from pigglesim.match.own_games import load_named_game
from pigglesim.match.record import (
    Journal,
    expect_record_name,
    finish,
    format_record,
    is_begun,
    journal_of,
    read_all,
    read_unfinished,
    write_record,
)
from pigglesim.match.replay import begin, films_of, game_of
from pigglesim.match.replay import replay as replay_record
from pigglesim.match.runner import (
    ChanceSource,
    MatchEvent,
    Progress,
    make_header,
    play,
    start_state,
)
from pigglesim.notebook_display import displayed
from pigglesim.rng import Seed, root_seed, seed_json
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Board, Scene
from pigglesim.table.view import make_view, result_sentence
from pigglesim.version import __version__

T = TypeVar("T")


def default_agent(game: Game[Any, Any]) -> str:
    """Return the agent that plays a game if none is named."""
    return "greedy" if plays("greedy", game.name) else "uniform"


def seat_names(
    game: Game[Any, Any], *, a: str | None, b: str | None, agents: Sequence[str] | None
) -> dict[Seat, str]:
    """Return the player of each seat: `a` and `b`, else those in `agents`, else the default.

    Raises:
        SpecError: If the number of names is not the number of seats.
    """
    default = default_agent(game)
    own = {seat: name for seat, name in ((Seat.A, a), (Seat.B, b)) if name and seat in game.seats}
    if agents is not None and set(game.seats) <= own.keys():
        raise SpecError("--agents has no effect with --a and --b", fix="leave --agents out")
    names = [default] if agents is None else agents
    return _seat_each(game, names, fix=f"--agents {','.join([default] * len(game.seats))}") | own


def _seat_each(game: Game[Any, Any], players: Sequence[T], *, fix: str) -> dict[Seat, T]:
    """Return the player of each seat: one for all, or one each."""
    count = len(game.seats)
    if len(players) not in {1, count}:
        raise SpecError(f"{len(players)} agents for {count} seats of {game.name}", fix=f"use {fix}")
    assigned = [*players] * count if len(players) == 1 else players
    return dict(zip(game.seats, assigned, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSetup:
    """Match that is ready to be played, or to be played on."""

    game: Game[Any, Any]
    header: Header
    """Header of the record."""
    scene: Scene | None
    """Scene of the game; None if it needs none."""
    agents: Mapping[Seat, Agent]
    chance: ChanceSource
    begun: Progress[Any] | None = field(default=None, repr=False)
    """Part played before, if the match is resumed."""

    @property
    def board(self) -> Board | None:
        """Board of the scene; None without one."""
        return None if self.scene is None else self.scene.board

    def filmed(self, show: Callable[[int, Film], object], *, fix: str) -> "MatchSetup":
        """Return the match with a function that gets the number and the film of each roll.

        Raises:
            SpecError: If no physics makes the rolls; `fix` is the remedy.
        """
        source, earlier = self.chance, None
        if isinstance(source, FilmedChance):
            earlier, source = source.show, source.source
        if not isinstance(source, PhysicalChance):
            kind = self.header.chance["source"]
            raise SpecError(f"rolls of {kind} chance cannot be filmed", fix=fix)

        def show_film(index: int, film: Film) -> None:
            if earlier is not None:
                earlier(index, film)
            show(index, film)

        return replace(self, chance=FilmedChance(source=source, show=show_film))

    def play(
        self,
        *,
        out: Path | None = None,
        overwrite: bool = False,
        time_limit: float | None = None,
        on_event: Callable[[MatchEvent[Any]], object] | None = None,
        follow: Callable[[Iterator[MatchEvent[Any]]], object] | None = None,
    ) -> "PlayedMatch":
        """Play the match, and return all of it; Ctrl-C ends it early.

        Args:
            out: File of the record; each entry is in its journal before `on_event` is called.
            overwrite: Whether to replace a finished record and its films.
            time_limit: Maximum time of a decision [s]; None for no limit.
            on_event: Function called after each new event.
            follow: Function that takes the new events one by one, as for `runner.play`.

        Raises:
            PigglesimError: If the record cannot be written, or the chance source fails.
        """
        if out is not None:
            _expect_writable(out, is_new=self.begun is None, overwrite=overwrite)
            if overwrite:
                film_folder(out).clear()
        events = [*self.begun.events] if self.begun else []
        journal: Journal | None = None

        def record_event(event: MatchEvent[Any]) -> None:
            nonlocal journal
            if out is not None:
                if journal is None:
                    # Only after the first event: an immediate error leaves no file.
                    begun = [earlier.entry for earlier in events]
                    journal = Journal(out, self.header, begun=begun)
                journal.add(event.entry)
            events.append(event)
            if on_event is not None:
                on_event(event)

        header = self.header
        played = play(
            self.game,
            agents=self.agents,
            chance=self.chance,
            seed=header.seed,
            teams=header.teams,
            date=header.date,
            position=header.position,
            on_event=record_event,
            follow=follow,
            begun=self.begun,
            time_limit=time_limit,
            interruptible=True,
        )
        if journal is not None:
            journal.close()
        if out is not None:
            finish(played.record, out)
        return PlayedMatch(record=played.record, game=self.game, events=tuple(events))


def set_up_match(
    base: GameSetup,
    *,
    agents: Mapping[Seat, Player],
    chance: str | ChanceSource | None = None,
    engine: str | None = None,
    odds: str | None = None,
    seed: Seed = None,
    date: str | None = None,
) -> MatchSetup:
    """Return a new match of a game; `play_match` describes the arguments."""
    root = root_seed(seed, secret=any_outside(agents.values()))
    if chance is None or isinstance(chance, str):
        chance = base.source(chance, engine=engine, seed=root, odds=odds)
    belief = believed_chance(odds, base.models)
    playing = {
        seat: make_agent(player, game=base.game, chance=belief)
        if isinstance(player, str)
        else player
        for seat, player in agents.items()
    }
    header = make_header(
        base.game, agents=playing, chance=chance, seed=root, teams=base.models, date=date,
        position=base.position,
    )  # fmt: skip
    return MatchSetup(
        game=base.game, header=header, scene=base.scene, agents=playing, chance=chance
    )


def resumed_match(
    out: Path, *, scene: str | None = None, odds: str | None = None, programs: Sequence[str] = ()
) -> MatchSetup:
    """Return an interrupted match, to play the rest of it into its record `out`.

    `scene` and `odds` are their files, if they are not part of pigglesim. `programs` are the agents
    that are programs, as the user typed them.

    Raises:
        PigglesimError: If there is no such match, or its code or its source of chance has changed.
    """
    header, entries = read_unfinished(out)
    if header.version != __version__:
        raise RecordError(
            f"the match was begun with pigglesim {header.version}, this is {__version__}",
            fix="resume it with that version",
        )
    game = make_game(header.game, dict(header.house_rules))
    agents = agents_of_record(header, game.seats, programs=programs)
    chance = source_of_record(header, scene=scene, odds=odds)
    now = make_header(
        game, agents=agents, chance=chance, seed=header.seed, teams=header.teams,
        date=header.date, position=header.position,
    )  # fmt: skip
    expect_same_code(header, now)
    if now != header:
        raise RecordError(
            f"the match has changed from {header} to {now}",
            fix="resume it with the version that began it",
        )
    table = scene or scene_of_record(header)
    return MatchSetup(
        game=game,
        header=now,
        scene=load_scene(table) if table else None,
        agents=agents,
        chance=chance,
        begun=begin(game, entries, position=header.position).progress,
    )


def _expect_writable(out: Path, *, is_new: bool, overwrite: bool) -> None:
    """Raise SpecError before the match if its record cannot be written."""
    expect_record_name(out)
    if out.is_dir() or not out.parent.is_dir():
        raise SpecError(
            f"{out} is a folder, or in a folder that does not exist", fix="use --out match.jsonl"
        )
    if not is_new:
        return
    if is_begun(out):
        raise SpecError(
            f"an unfinished match in {str(journal_of(out))!r}",
            fix=f"use --resume {out}, or remove it",
        )
    expect_new(out, overwrite=overwrite)
    films = film_folder(out)
    if films.rolls() and not overwrite:
        raise SpecError(
            f"{len(films.rolls())} films of another match in {str(films.path)!r}",
            fix="use another --out, or --force to replace them",
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlayedMatch:
    """Match that was played or replayed."""

    record: MatchRecord
    """Record of the whole match, for `replay`."""
    game: Game[Any, Any] = field(repr=False)
    """Rules of the match."""
    events: tuple[MatchEvent[Any], ...] = field(repr=False)
    """Every decision and chance outcome, with the states before and after it."""
    films: tuple[Film, ...] = field(repr=False, default=())
    """Films of its rolls, if they were requested."""

    @property
    def seed(self) -> int:
        """Root seed of the match."""
        return self.record.header.seed

    @property
    def state(self) -> Any:  # noqa: ANN401 (a state of the game)
        """Last state of the match."""
        position = self.record.header.position
        return self.events[-1].after if self.events else start_state(self.game, position)

    @property
    def scores(self) -> dict[str, int]:
        """Points of each seat."""
        return {str(seat): score for seat, score in self.record.footer.scores.items()}

    @property
    def winner(self) -> str | None:
        """Winning seat; None for a draw, a shared win, or an unfinished match."""
        result = self.record.footer.result
        return str(result.winner) if result and result.winner else None

    @property
    def reason(self) -> str | None:
        """Reason why the match ended; None if it was stopped early."""
        result = self.record.footer.result
        return str(result.reason) if result else None

    @property
    def story(self) -> tuple[str, ...]:
        """Events of the match in plain words, including hidden information."""
        view = make_view(self.game)
        return tuple(line.text for event in self.events for line in view.story(event))

    @checked
    def save(
        self,
        file: str | PathLike[str],
        *,
        overwrite: bool = False,
        rounds: tuple[int, int | None] = (1, None),
        size: str | tuple[int, int] | None = None,
        camera: str | Sequence[float] | None = None,
        fps: float | None = None,
        slow_motion: float | None = None,
        at: float | None = None,
    ) -> Path:
        """Write the match to a file, in the format of its suffix.

        `.jsonl` is the record as sealed JSON lines, `.txt` the record as readable text. A match
        on physics can be written as one page (`.html`), a video (`.mp4`, `.webm` or `.gif`), a
        picture of the end of the last roll (`.png`), or 3D with one file per roll (`.glb`). `.svg`
        draws the board after each roll, also by odds. Rolls without a film are simulated again.

        Args:
            file: File to write; an existing picture, page or video is replaced. A number is added
                to the name if there are several files.
            overwrite: Whether to replace an existing record too.
            rounds: First and last round whose rolls are shown; None for the last of the match.
            size: Size of a picture or video [pixels], such as `(1280, 720)` or `"1280x720"`.
            camera: Name of a view, such as `"low"`; or azimuth, elevation [degrees] and distance
                [m].
            fps: Frame rate of a video [1/s].
            slow_motion: Duration of a video relative to the rolls, 1 to 64.
            at: Time of a picture in the last roll [s]. Default: the end.

        Returns:
            The path of the file, or of the first of several.

        Raises:
            PigglesimError: If the suffix is unknown, the file cannot be written or drawn, or there
                are no rolls to show.
        """
        from pigglesim.api.match_files import (  # noqa: PLC0415 (draws)
            MatchSource,
            films_in_rounds,
            write_match_files,
        )
        from pigglesim.api.roll_files import (  # noqa: PLC0415 (draws)
            Look,
            expect_kind,
            save_drawn,
        )

        path = Path(file)
        look = Look(size=size, camera=camera, fps=fps, slow_motion=slow_motion, at=at)
        kind = expect_kind(path, (*RECORDS, *PAGES, *DRAWN), look)
        if kind in RECORDS:
            if rounds != (1, None):
                raise SpecError(
                    f"rounds {rounds} of a record, which always has all", fix="leave rounds out"
                )
            expect_new(path, overwrite=overwrite)
            write_record(self.record, path)
            return path
        check_target(path, kind)
        source = MatchSource(record=self.record, films=self.films)
        if kind in DRAWN:
            if kind in VIDEOS:
                look.video(path)
            look.picture()
            films = films_in_rounds(source, rounds=rounds, last_only=kind not in VIDEOS)
            save_drawn(films, load_scene(films[-1].scene), path, look)
            return path
        html, glb, svg = (path if kind == each else None for each in PAGES)
        first, *_ = write_match_files(source, rounds=rounds, html=html, glb=glb, svg=svg)
        return first

    def document(self) -> dict[str, Any]:
        """Return the match as JSON values; `to_json` has the whole record."""
        header, footer = self.record.header, self.record.footer
        result, forfeit = footer.result, self.record.forfeit
        document: dict[str, Any] = {
            "seed": seed_json(header.seed),
            "rules": header.game,
            "house_rules": dict(header.house_rules),
            "winner": self.winner,
            **({"shared": [*map(str, result.shared)]} if result and result.shared else {}),
            "reason": self.reason or footer.status.value,
            "scores": self.scores,
            "rounds": self.game.round_of(self.state),
            "agents": {str(seat): name for seat, name in header.agents.items()},
            "teams": dict(header.teams),
            "rolls": len(self.record.outcomes),
            "decisions": [f"{entry.seat} {entry.action}" for entry in self.record.decisions],
            "final_state": footer.final_state,
            "provenance": dict(header.chance),
        }
        if forfeit is not None:
            document["forfeit"] = {
                "seat": str(forfeit.seat),
                "decision": forfeit.index,
                "rule": forfeit.cause.rule,
                "cause": str(forfeit.cause),
                "detail": forfeit.detail,
            }
        return document

    def to_json(self) -> str:
        """Return the record as sealed JSON lines, as `save` writes them."""
        return format_record(self.record)

    def __repr__(self) -> str:
        header, footer = self.record.header, self.record.footer
        seats = zip(header.agents.items(), footer.scores.values(), strict=True)
        sides = ", ".join(f"{seat} {agent} {score}" for (seat, agent), score in seats)
        ending = result_sentence(footer.result, make_view(self.game).names)
        return f"PlayedMatch({header.game}: {sides}; {ending}; seed {header.seed})"

    def _repr_html_(self) -> str | None:
        return displayed("record_html", self.record)


@checked
def play_match(
    game: str | Game[Any, Any] | None = None,
    *,
    agents: Player | Sequence[Player] | None = None,
    chance: Literal["physical", "tabular", "fair"] | ChanceSource | None = None,
    seed: Seed = None,
    house_rules: Mapping[str, object] | None = None,
    players: int | None = None,
    teams: tuple[str | None, str | None] = (None, None),
    position: str | None = None,
    scene: str | PathLike[str] | None = None,
    engine: str | None = None,
    odds: str | PathLike[str] | None = None,
    films: bool = False,
    time_limit: float | None = None,
    date: str | None = None,
    on_event: Callable[[MatchEvent[Any]], object] | None = None,
) -> PlayedMatch:
    """Play one match and return it with its record.

    The same arguments and seed give the same bits. An interruption (Ctrl-C) ends the match early:
    the part played is returned, without a result. An agent that raises, returns an illegal action
    or exceeds `time_limit` forfeits.

    Args:
        game: Name in `known().games`; or your own, as an object or by name, such as
            `"my_game.py:Pig"`. Default: the game of the scene, or Piggles Classic.
        agents: Players in the order of seats, or one for all seats. Default: `greedy`, or `uniform`
            for your own game.
        chance: Source of rolls: `physical` simulation, `tabular` odds of Piggles, `fair` dice and
            cards, or your own source. Default: the game's.
        seed: Root seed, or a stream to draw it from. Default: random; the record holds it.
        house_rules: House rules by name, such as `{"mud_delay": "none"}`.
        players: Number of players, if the game allows several.
        teams: Piggles of A and of B: a model, six models separated by commas, or in Modern a team.
            Default: the scene's.
        position: State to play from, as `Game.format_state` writes it. Default: the initial state.
        scene: Table: a name or a path to a TOML file. Default: the game's.
        engine: Name of the physics engine. Default: the first installed.
        odds: File of `tabular` odds, or a model that has odds.
        films: Whether to return a film of every roll of a match on physics.
        time_limit: Time limit of a decision [s]. Default: none.
        date: Date to record; the system clock is not used.
        on_event: Function called after each decision and each chance outcome.

    Returns:
        The match, with its record.

    Raises:
        PigglesimError: If a name is unknown, a combination is invalid, or the position is
            impossible.

    Examples:
        >>> import pigglesim
        >>> match = pigglesim.play_match("pig_pile", players=3, seed=5)
        >>> match.winner
    """
    name, rules = (None, {}) if game is None else load_named_game(game)
    rules = {**rules, **(house_rules or {})}
    scene_name = None if scene is None else str(scene)
    base = set_up_game(
        name, scene_name, rules=rules, players=players, teams=teams, position=position
    )
    listed = agents or default_agent(base.game)
    # Agent is a protocol whose values have a name; a sequence has none.
    listed = [listed] if isinstance(listed, str) or not isinstance(listed, Sequence) else listed
    for player in listed:
        expect_player(player)
    seated = _seat_each(base.game, listed, fix=f"agents={['greedy'] * len(base.game.seats)}")
    setup = set_up_match(
        base, agents=seated, chance=chance, engine=engine, seed=seed,
        odds=None if odds is None else str(odds), date=date,
    )  # fmt: skip
    recorded: list[Film] = []
    if films:
        setup = setup.filmed(lambda _, film: recorded.append(film), fix="use chance='physical'")
    played = setup.play(time_limit=time_limit, on_event=on_event)
    return replace(played, films=tuple(recorded))


@checked
def replay(
    match: MatchRecord | PlayedMatch | str | PathLike[str],
    *,
    number: int = 1,
    game: str | Game[Any, Any] | None = None,
    resimulate: bool = False,
    films: bool = False,
    on_event: Callable[[MatchEvent[Any]], object] | None = None,
) -> PlayedMatch:
    """Replay a recorded match through the rules.

    Args:
        match: Record, match, or file of records.
        number: Number of the record in a file, from 1.
        game: Your own game that the record names, as for `play_match`; a record runs none by
            itself.
        resimulate: Whether to simulate every roll again; each must agree bit for bit.
        films: Whether to make a film of every roll, which simulates each again.
        on_event: Function called after each decision and each chance outcome.

    Returns:
        The match, with every intermediate state.

    Raises:
        PigglesimError: If the file cannot be read, the record contradicts the rules or its own
            result, or a simulated roll differs.

    Examples:
        >>> import pigglesim
        >>> match = pigglesim.play_match(chance="tabular", seed=7)
        >>> pigglesim.replay(match).scores == match.scores
        True
    """
    if game is not None:
        load_named_game(game)
    record = _record_of(match, number)
    events: list[MatchEvent[Any]] = []
    source = resimulation_of(record.header) if resimulate else None

    def collect(event: MatchEvent[Any]) -> None:
        events.append(event)
        if on_event is not None:
            on_event(event)

    replay_record(record, resimulate=source, on_event=collect)

    def resimulation() -> FilmedChance:
        return FilmedChance(source=chance_of_record(record.header))

    recorded = tuple(films_of(record, resimulation=resimulation)) if films else ()
    return PlayedMatch(record=record, game=game_of(record), events=tuple(events), films=recorded)


def _record_of(match: MatchRecord | PlayedMatch | str | PathLike[str], number: int) -> MatchRecord:
    if isinstance(match, MatchRecord | PlayedMatch):
        if number != 1:
            raise SpecError(f"number {number} of a single record", fix="leave number out")
        return match if isinstance(match, MatchRecord) else match.record
    place = min(max(number - 1, 0), sys.maxsize)
    record = next(islice(read_records(match), place, None), None)
    if record is None or number < 1:
        raise SpecError(f"no record {number} in {match}", fix="use number=1")
    return record


@checked
def read_records(file: str | PathLike[str]) -> Iterator[MatchRecord]:
    """Return the records of a file one by one, in either format; each is replayed by the rules.

    Args:
        file: File written by `PlayedMatch.save` or `pigglesim match --out`.

    Returns:
        An iterator over the records; only one is in memory at a time.

    Raises:
        PigglesimError: If the file cannot be read; while iterating, at the first broken record.

    Examples:
        >>> import pigglesim
        >>> for record in pigglesim.read_records("many.jsonl"):
        ...     print(record.footer.scores)
    """
    return read_all(Path(file), strict=True)[0]


@checked
def read_film(file: str | PathLike[str]) -> Film:
    """Read a film: the position and rotation of every body at every step of a roll.

    Args:
        file: File written by `Roll.save`, or by `--film` of the command line.

    Returns:
        The film, which plays in a notebook.

    Raises:
        PigglesimError: If it cannot be read, or is incomplete or modified.

    Examples:
        >>> import pigglesim
        >>> pigglesim.read_film("seven.film").at(0.9).positions
    """
    return read_film_file(Path(file))
