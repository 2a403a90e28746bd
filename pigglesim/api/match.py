"""Matches: played, replayed, read and saved."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from pigglesim.agents.agent import Agent
from pigglesim.agents.registry import make_agent
from pigglesim.api.names import Player, expect_player
from pigglesim.api.sources import (
    believed_chance,
    chance_of_record,
    make_source,
    player_settings,
    source_of_record,
    worn_game,
)
from pigglesim.arguments import checked
from pigglesim.chance.physical import FilmedChance, PhysicalChance
from pigglesim.durable_io import check_target, expect_new
from pigglesim.errors import SpecError
from pigglesim.films.film import Film
from pigglesim.films.store import read_film as read_film_file
from pigglesim.games.game import Game
from pigglesim.games.registry import find
from pigglesim.landing import BOARD_SEATS, Seat
from pigglesim.match.entries import MatchRecord
from pigglesim.match.record import format_record, read_all, write_record
from pigglesim.match.replay import films_of, game_of
from pigglesim.match.replay import replay as replay_record
from pigglesim.match.runner import ChanceSource, MatchEvent, play
from pigglesim.notebook_display import displayed
from pigglesim.rng import Seed, root_seed
from pigglesim.scene.load import load_scene, team_models, teams_by_name
from pigglesim.scene.scene import Scene
from pigglesim.tui.game_view import result_sentence
from pigglesim.tui.game_views import make_view

_DEFAULT = "piggles_classic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a match is played, and what."""

    game: Game[Any, Any]
    scene_name: str | None
    """The table's name or file; None for a game that needs no table."""
    scene: Scene | None
    models: Mapping[str, str]
    """The model of each Piggle, by id; empty where there are none."""

    def source(
        self, kind: str | None, *, engine: str | None, seed: int, odds: str | None = None
    ) -> ChanceSource:
        """Return what answers the rolls, as of `make_source`."""
        return make_source(
            self.game, kind, scene=self.scene_name, models=self.models, engine=engine, seed=seed,
            odds=odds,
        )  # fmt: skip


def find_place(
    game: str | None,
    scene: str | None,
    *,
    rules: Mapping[str, object],
    players: int | None = None,
    teams: tuple[str | None, str | None] = (None, None),
) -> Place:
    """Return what is played and where; `play_match` tells of the arguments.

    Raises:
        SpecError: If anything is unknown or cannot be.
    """
    table = None if scene is None else load_scene(scene)
    name = game or (table.game if table else _DEFAULT)
    place = scene or find(name).scene
    table = table or (load_scene(place) if place else None)
    if table is None or not table.teams:
        if any(teams):
            raise SpecError("a game of Piggles, with teams", got=name, remedy="leave --team out")
        models: dict[str, str] = {}
    else:
        sides = dict(zip(BOARD_SEATS, teams, strict=True))
        models = team_models(table, teams_by_name(name, table, sides))
    played = worn_game(name, {**rules, **player_settings(name, players)}, models)
    return Place(game=played, scene_name=place, scene=table, models=models)


def seat_names(
    game: Game[Any, Any], *, a: str | None, b: str | None, agents: str | None, default: str
) -> dict[Seat, str]:
    """Return who plays at each seat: `a` and `b`, else names with commas, else the default.

    Raises:
        SpecError: If there are more or fewer names than seats.
    """
    if agents is not None and set(game.seats) <= {
        seat for seat, own in ((Seat.A, a), (Seat.B, b)) if own
    }:
        raise SpecError("--agents, or --a and --b", got="all three", remedy="leave --agents out")
    names = [default] if agents is None else [name.strip() for name in agents.split(",")]
    if len(names) == 1:
        names *= len(game.seats)
    if len(names) != len(game.seats):
        raise SpecError(
            f"one agent, or {len(game.seats)}: one for each seat of {game.name}",
            got=f"{len(names)}: {agents}",
            remedy=f"--agents {','.join([default] * len(game.seats))}",
        )
    named = {Seat.A: a, Seat.B: b}
    return {seat: named.get(seat) or name for seat, name in zip(game.seats, names, strict=True)}


_RECORDS = (".jsonl", ".json", ".txt")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlayedMatch:
    """A match that was played or replayed."""

    record: MatchRecord
    """All of it, for `replay`."""
    game: Game[Any, Any] = field(repr=False)
    """Its rules."""
    events: tuple[MatchEvent[Any], ...] = field(repr=False)
    """Every decision and answer of chance, with the positions around it."""
    films: tuple[Film, ...] = field(repr=False, default=())
    """Of its rolls, where they were asked for."""

    @property
    def seed(self) -> int:
        """Root seed."""
        return self.record.header.seed

    @property
    def scores(self) -> dict[str, int]:
        """The points of each seat."""
        return {str(seat): score for seat, score in self.record.footer.scores.items()}

    @property
    def winner(self) -> str | None:
        """The seat that has won; None for a draw, a shared win, or a match without end."""
        result = self.record.footer.result
        return str(result.winner) if result and result.winner else None

    @property
    def reason(self) -> str | None:
        """Why it ended; None if it was stopped before."""
        result = self.record.footer.result
        return str(result.reason) if result else None

    @property
    def story(self) -> tuple[str, ...]:
        """What happened, in plain words; whoever looks on sees everything, hidden or not."""
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
        """Write the match to a file; its suffix says what it becomes.

        `.jsonl` is the record as sealed JSON lines, `.txt` the same as text to read. The rolls of a
        match on physics become one page in `.html`, a video in `.mp4`, `.webm` or `.gif`, the end
        of the last roll in `.png`, and 3D in `.glb`, a file per roll; `.svg` draws the board after
        each roll, by odds too. Rolls that were not filmed are simulated again.

        Args:
            file: Where to; a picture, page or video of that name is replaced. A number is added to
                the names of several.
            overwrite: Whether to replace a record of that name too.
            rounds: The first and the last round whose rolls are shown; None for the last.
            size: Of a picture or video in pixels, such as `(1280, 720)` or `"1280x720"`.
            camera: A view by name, such as `"low"`; or azimuth, elevation [degrees] and distance
                [m].
            fps: Frames per second of a video.
            slow_motion: How many times as long as a roll a video takes, 1 to 64.
            at: Time in the last roll of a picture [s]; its end if None.

        Returns:
            The file; of several the first.

        Raises:
            PigglesimError: If it is of no such kind, cannot be written or drawn, or there are no
                rolls to show.
        """
        from pigglesim.api.match_files import (  # noqa: PLC0415 (draws)
            MatchSource,
            films_in_rounds,
            write_match_files,
        )
        from pigglesim.api.roll import (  # noqa: PLC0415 (draws)
            DRAWN,
            VIDEOS,
            Look,
            expect_kind,
            save_drawn,
        )

        path = Path(file)
        look = Look(size=size, camera=camera, fps=fps, slow_motion=slow_motion, at=at)
        kind = expect_kind(path, (*_RECORDS, ".html", ".glb", ".svg", *DRAWN), look)
        if kind in _RECORDS:
            if rounds != (1, None):
                raise SpecError("all rounds in a record", got=f"{rounds}", remedy="no rounds")
            expect_new(path, overwrite=overwrite)
            write_record(self.record, path)
            return path
        check_target(path, kind)
        source = MatchSource(record=self.record, films=self.films)
        if kind in DRAWN:
            if kind in VIDEOS:
                look.video(path)
            look.picture()
            films = films_in_rounds(source, rounds=rounds)
            save_drawn(films, load_scene(films[-1].scene), path, look)
            return path
        html, glb, svg = (path if kind == each else None for each in (".html", ".glb", ".svg"))
        first, *_ = write_match_files(source, rounds=rounds, html=html, glb=glb, svg=svg)
        return first

    def to_json(self) -> str:
        """Return the record as sealed JSON lines, as `save` writes them."""
        return format_record(self.record)

    def __repr__(self) -> str:
        header, footer = self.record.header, self.record.footer
        seats = zip(header.agents.items(), footer.scores.values(), strict=True)
        told = ", ".join(f"{seat} {agent} {score}" for (seat, agent), score in seats)
        ended = result_sentence(footer.result, make_view(self.game).names)
        return f"PlayedMatch({header.game}: {told}; {ended}; seed {header.seed})"

    def _repr_html_(self) -> str | None:
        return displayed("record_html", self.record)


@checked
def play_match(
    game: str | None = None,
    *,
    agents: Player | Sequence[Player] = "greedy",
    chance: Literal["physical", "tabular", "fair"] | ChanceSource | None = None,
    seed: Seed = None,
    house_rules: Mapping[str, object] | None = None,
    players: int | None = None,
    teams: tuple[str | None, str | None] = (None, None),
    scene: str | PathLike[str] | None = None,
    engine: str | None = None,
    odds: str | PathLike[str] | None = None,
    films: bool = False,
    time_limit: float | None = None,
    date: str | None = None,
    on_event: Callable[[MatchEvent[Any]], object] | None = None,
) -> PlayedMatch:
    """Play one match and return it with its record.

    The same arguments and seed give the same bits. An interruption (Ctrl-C) ends it early: what was
    played is returned, without a result. An agent that raises, chooses what is illegal or takes too
    long forfeits.

    Args:
        game: One of `known().games`; that of the scene, or Piggles Classic, if None.
        agents: Who plays, in the order of seats; one for all.
        chance: What answers the rolls: `physical` simulation, `tabular` odds of Piggles, `fair`
            dice and cards, or a source of your own; the game's usual if None.
        seed: Root seed, or a stream to draw it from; a fresh one if None, told in the record.
        house_rules: By name, such as `{"mud_delay": "none"}`.
        players: How many play, where the game leaves that open.
        teams: The Piggles of A and of B in words: a model, six of them with commas, or in Modern a
            team; the scene's own where None.
        scene: The table: a name or a path to a TOML file; the game's own if None.
        engine: What steps the physics; the first that is installed if None.
        odds: The file of `tabular` odds, or the model they come with.
        films: Whether to keep a film of every roll, of a match on physics.
        time_limit: Longest that a decision may take [s].
        date: When it is played, for the record; no clock is asked.
        on_event: Called after each decision and answer of chance.

    Returns:
        The match.

    Raises:
        PigglesimError: If a name is unknown, or something asked for cannot be.

    Examples:
        >>> import pigglesim
        >>> match = pigglesim.play_match("pig_pile", players=3, seed=5)
        >>> match.winner
    """
    table = None if scene is None else str(scene)
    place = find_place(game, table, rules=house_rules or {}, players=players, teams=teams)
    root, believed = root_seed(seed), None if odds is None else str(odds)
    source = (
        place.source(chance, engine=engine, seed=root, odds=believed)
        if chance is None or isinstance(chance, str)
        else chance
    )
    kept: list[Film] = []
    if films:
        if not isinstance(source, PhysicalChance):
            known = str(source.provenance()["source"])
            raise SpecError("rolls on physics to film", got=known, remedy="physics")
        source = FilmedChance(source=source, show=lambda index, film: kept.append(film))
    events: list[MatchEvent[Any]] = []
    played = play(
        place.game,
        agents=_seated(place.game, agents, odds=believed),
        chance=source,
        seed=root,
        teams=place.models,
        date=date,
        on_event=_kept(events, on_event),
        time_limit=time_limit,
    )
    return PlayedMatch(
        record=played.record, game=place.game, events=tuple(events), films=tuple(kept)
    )


def _kept(
    events: list[MatchEvent[Any]], tell: Callable[[MatchEvent[Any]], object] | None
) -> Callable[[MatchEvent[Any]], None]:
    """Return what puts each event into a list, and tells it on."""

    def on_event(event: MatchEvent[Any]) -> None:
        events.append(event)
        if tell is not None:
            tell(event)

    return on_event


def _seated(
    game: Game[Any, Any], agents: Player | Sequence[Player], *, odds: str | None
) -> dict[Seat, Agent]:
    """Return who plays at each seat."""
    # Agent is a protocol whose values have a name; a sequence has none.
    given = [agents] if isinstance(agents, str) or not isinstance(agents, Sequence) else agents
    if len(given) not in {1, len(game.seats)}:
        raise SpecError(
            f"one agent, or {len(game.seats)}: one for each seat of {game.name}",
            got=str(len(given)),
            remedy=f"agents={['greedy'] * len(game.seats)}",
        )
    for player in given:
        expect_player(player)
    seats = list(given) * len(game.seats) if len(given) == 1 else list(given)
    belief = believed_chance(odds)
    return {
        seat: make_agent(player, game=game, chance=belief) if isinstance(player, str) else player
        for seat, player in zip(game.seats, seats, strict=True)
    }


@checked
def replay(
    match: MatchRecord | PlayedMatch | str | PathLike[str],
    *,
    number: int = 1,
    resimulate: bool = False,
    films: bool = False,
    on_event: Callable[[MatchEvent[Any]], object] | None = None,
) -> PlayedMatch:
    """Play a recorded match again through the rules.

    Args:
        match: A record, or a file of records.
        number: Which record of a file, from 1.
        resimulate: Whether to roll every roll again too: each must come out the same, bit for bit.
        films: Whether to make a film of every roll, which rolls each again.
        on_event: Called after each decision and answer of chance.

    Returns:
        The match, with every position on the way.

    Raises:
        PigglesimError: If the file cannot be read, the record does not fit the rules or its own
            end, or a roll comes out otherwise.

    Examples:
        >>> import pigglesim
        >>> match = pigglesim.play_match(chance="tabular", seed=7)
        >>> pigglesim.replay(match).scores == match.scores
        True
    """
    record = _record_of(match, number)
    events: list[MatchEvent[Any]] = []
    source = None
    if resimulate:
        fair = record.header.chance.get("source") == "fair"
        source = source_of_record(record.header) if fair else chance_of_record(record.header)
    replay_record(record, resimulate=source, on_event=_kept(events, on_event))
    made: tuple[Film, ...] = ()
    if films:
        made = tuple(
            films_of(record, again=lambda: FilmedChance(source=chance_of_record(record.header)))
        )
    return PlayedMatch(record=record, game=game_of(record), events=tuple(events), films=made)


def _record_of(match: MatchRecord | PlayedMatch | str | PathLike[str], number: int) -> MatchRecord:
    if isinstance(match, MatchRecord | PlayedMatch):
        if number != 1:
            raise SpecError("a file of records with number", got="one record", remedy="number=1")
        return match if isinstance(match, MatchRecord) else match.record
    found = next(islice(read_records(match), max(number, 1) - 1, None), None)
    if found is None or number < 1:
        raise SpecError(f"a record of {match} from 1 on", got=str(number), remedy="number=1")
    return found


@checked
def read_records(file: str | PathLike[str]) -> Iterator[MatchRecord]:
    """Return the records of a file one by one, in either form; each is played through the rules.

    Args:
        file: That `PlayedMatch.save` or `pigglesim match --out` has written.

    Returns:
        The records as they are asked for; one is in memory at a time.

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
    """Return the film in a file: every pose of every step of a roll.

    Args:
        file: That `Roll.save`, or `--film` of the command line, has written.

    Returns:
        The film; in a notebook it plays.

    Raises:
        PigglesimError: If it cannot be read, or is not a whole and untouched film.

    Examples:
        >>> import pigglesim
        >>> pigglesim.read_film("seven.film").at(0.9).positions
    """
    return read_film_file(Path(file))
