"""Sessions of matches that people play: new, resumed from a saved file, and rematches."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pigglesim.agents.agent import Agent
from pigglesim.agents.playouts import ChanceModel
from pigglesim.agents.registry import agent_names, any_outside, is_outside, make_agent
from pigglesim.api.game_setup import GameSetup
from pigglesim.api.match import seat_names
from pigglesim.api.sources import (
    expect_same_code,
    expect_typed,
    scene_of_record,
    source_of_record,
    typed_programs,
)
from pigglesim.chance.physical import FilmedChance, PhysicalChance
from pigglesim.chance.tabular import believed_chance
from pigglesim.errors import RecordError, unknown_name
from pigglesim.films.film import Film
from pigglesim.games.game import Game
from pigglesim.games.registry import find
from pigglesim.landing import Seat
from pigglesim.match.record import read_record
from pigglesim.match.replay import game_of, replay
from pigglesim.match.runner import ChanceSource, MatchEvent, make_header
from pigglesim.rng import root_seed, seed_json
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Scene
from pigglesim.table.session import HUMAN, LEARNER, SaveFile, Session, fresh_file, new_file


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaySettings:
    """Settings of a match that its record does not store."""

    hints: str | None
    """Agent that gives hints; None for the game's default."""
    speed: float
    """Playback speed of rolls; 1 is real time."""
    time_limit: float | None = None
    """Time limit of an agent's decision [s]; None for no limit."""
    scene: str | None = None
    """File of a scene that is not part of pigglesim."""
    odds: str | None = None
    """File of odds that are not part of pigglesim."""
    folder: Path = Path()
    """Folder of the file, if it is not named."""
    secret: bool = False
    """Whether a chosen seed has 128 bits: guests, who see the rolls, cannot find it by search."""
    film: Callable[..., FilmedChance] = FilmedChance
    """Maker of the source that films rolls on physics."""


def new_session(
    *,
    game_setup: GameSetup,
    agents: tuple[str | None, str | None, Sequence[str] | None],
    seed: int | None,
    chance: tuple[str | None, str | None],
    practice: bool,
    out: Path | None,
    settings: PlaySettings,
) -> Session:
    """Return the session of a new match.

    `agents` are the players of A, of B and of all seats: `human`, or names of agents. By default a
    person plays A, and agents play all other seats. `chance` is the source of rolls and its engine.
    Without `out` the file is named after the seed.
    """
    a, b, others = agents
    kind, engine = chance
    first = HUMAN if a is None and others is None else a
    names = seat_names(game_setup.game, a=first, b=b, agents=others)
    root = root_seed(seed, secret=settings.secret or any_outside(names.values()))
    return _session(
        game_setup.game,
        names,
        seed=root,
        teams=game_setup.models,
        position=game_setup.position,
        scene=game_setup.scene,
        chance=game_setup.source(kind, engine=engine, seed=root, odds=settings.odds),
        practice=practice,
        file=fresh_file(_file_of(settings.folder, root)) if out is None else new_file(out),
        settings=settings,
    )


def resumed_session(
    file: Path, *, out: Path | None, settings: PlaySettings, programs: Sequence[str] = ()
) -> Session:
    """Return the session of a saved match, to resume it.

    `programs` are the agents that are programs, as the user typed them.
    """
    record = read_record(file)
    header = record.header
    named = typed_programs(header, programs)
    for seat in header.agents:
        expect_typed(header, seat, named)
    events: list[MatchEvent[Any]] = []
    replay(record, on_event=events.append)
    if record.footer.result is not None:
        raise RecordError(f"the match in {file} is over", fix=f"use pigglesim replay {file}")
    table = settings.scene or scene_of_record(header)
    session = _session(
        game_of(record),
        header.agents,
        seed=header.seed,
        teams=header.teams,
        position=header.position,
        scene=load_scene(table) if table else None,
        chance=source_of_record(header, scene=settings.scene, odds=settings.odds),
        practice=LEARNER in header.agents.values(),
        file=file if out is None else new_file(out),
        settings=settings,
        events=events,
        people=header.names,
    )
    expect_same_code(header, session.header)
    return session


def _file_of(folder: Path, seed: int) -> Path:
    return folder / f"play-{seed}.jsonl"


def rematch_session(
    session: Session,
    *,
    settings: PlaySettings,
    seed: int | None = None,
    out: Path | None = None,
) -> Session:
    """Return the same match again, with a new seed and a new file.

    Without `out` the file is named after the seed.
    """
    seed = root_seed(seed, secret=any_outside(session.header.agents.values()))
    chance = session.header.chance
    seeded = {**chance, "seed": seed_json(seed)} if "seed" in chance else chance
    header = replace(session.header, seed=seed, chance=seeded)
    return _session(
        session.game,
        header.agents,
        seed=seed,
        teams=header.teams,
        position=header.position,
        scene=session.scene,
        chance=source_of_record(header, scene=settings.scene, odds=settings.odds),
        practice=session.practice,
        file=fresh_file(_file_of(session.saves.path.parent, seed) if out is None else out),
        settings=settings,
        people=header.names,
    )


def _session(
    game: Game[Any, Any],
    players: Mapping[Seat, str],
    *,
    seed: int,
    teams: Mapping[str, str],
    position: str | None,
    scene: Scene | None,
    chance: ChanceSource,
    practice: bool,
    file: Path,
    settings: PlaySettings,
    events: Sequence[MatchEvent[Any]] = (),
    people: Mapping[Seat, str] = MappingProxyType({}),
) -> Session:
    """Return the session of a match, with its adviser and file."""
    belief = believed_chance(settings.odds, teams)
    agents = {seat: _player(players[seat], game, belief) for seat in game.seats}
    person = LEARNER if practice else HUMAN
    header = make_header(
        game,
        agents={seat: person if agent is None else agent for seat, agent in agents.items()},
        chance=chance,
        seed=seed,
        teams=teams,
        position=position,
    )
    header = replace(header, names=dict(people))
    if isinstance(chance, PhysicalChance):

        def keep(_index: int, film: Film) -> None:
            session.film = film

        chance = settings.film(source=chance, show=keep)

    @cache
    def adviser() -> Agent:
        return make_agent(settings.hints or find(game.name).adviser, game=game, chance=belief)

    if settings.hints:
        # Report a wrong name at once; compiling a game's own adviser can wait.
        adviser()
    session = Session(
        game,
        header=header,
        agents=agents,
        chance=chance,
        saves=SaveFile(file),
        events=events,
        time_limit=settings.time_limit,
        scene=scene,
        adviser=adviser,
        speed=settings.speed,
    )
    return session


def _player(name: str, game: Game[Any, Any], belief: ChanceModel) -> Agent | None:
    """Return an agent, or None for a person."""
    if name in {HUMAN, LEARNER}:
        return None
    # Parameters of the agent may follow its name.
    if not is_outside(name) and name.partition(":")[0] not in agent_names():
        raise unknown_name("player", name, (HUMAN, *agent_names()))
    return make_agent(name, game=game, chance=belief)
