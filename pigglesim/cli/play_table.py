"""A match set up for people: from flags, or from the file in which it was saved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pigglesim.agents.agent import Agent
from pigglesim.agents.chance_model import ChanceModel
from pigglesim.agents.registry import agent_names, make_agent
from pigglesim.catalog import scene_names
from pigglesim.chance.physical import FilmedChance, PhysicalChance
from pigglesim.cli.options import chosen_seed
from pigglesim.errors import RecordError, unknown_name
from pigglesim.games.game import Game
from pigglesim.games.registry import find
from pigglesim.match.entries import Header
from pigglesim.match.record import read_record
from pigglesim.match.replay import game_of, replay
from pigglesim.match.runner import ChanceSource, MatchEvent
from pigglesim.rolls import Seat
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Scene
from pigglesim.screen.reel import Reel
from pigglesim.screen.saves import SaveFile, fresh_file, new_file
from pigglesim.screen.session import HUMAN, LEARNER, Session
from pigglesim.screen.setting import Setting
from pigglesim.verbs.place import Place, seat_names
from pigglesim.verbs.table import (
    believed_chance,
    source_of_record,
)

__all__ = ["Manners", "new_setting", "rematch_setting", "resumed_setting"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How a match is played, which no record keeps."""

    hints: str | None
    """The agent that is asked for hints; None for the one that knows the game best."""
    speed: float
    """Of what is shown."""
    time_limit: float | None = None
    """Longest that an agent's decision may take [s]."""


def new_setting(
    *,
    place: Place,
    agents: tuple[str | None, str | None, str | None],
    seed: int | None,
    chance: tuple[str | None, str | None, str | None],
    practice: bool,
    out: Path | None,
    manners: Manners,
) -> Setting:
    """Return a match that is about to begin.

    Args:
        place: What is played, and where.
        agents: Who plays A, who B, and who plays at all: `human` or names of agents; a person
            at A and agents at all other seats where nobody is named.
        seed: Root seed; None to choose one.
        chance: What rolls, the engine and the file of odds.
        practice: Whether decisions may be taken back.
        out: Where to save; None for a file named after the seed, in the current folder.
        manners: Who gives hints, how fast all is shown, how long agents may take.

    Raises:
        SpecError: If anything is unknown or cannot be.
    """
    root = chosen_seed(seed)
    a, b, everybody = agents
    kind, engine, odds = chance
    first = HUMAN if a is None and everybody is None else a
    return _setting(
        place.game,
        scene=place.scene,
        players=seat_names(place.game, a=first, b=b, agents=everybody, default="greedy"),
        chance=place.source(kind, engine=engine, seed=root, odds=odds),
        belief=believed_chance(odds),
        seed=root,
        teams=place.models,
        practice=practice,
        saves=SaveFile(fresh_file(Path(), root) if out is None else new_file(out)),
        manners=manners,
    )


def resumed_setting(
    file: Path,
    *,
    scene_name: str | None,
    odds: str | None,
    out: Path | None,
    manners: Manners,
) -> Setting:
    """Return a match that goes on where it was saved.

    Args:
        file: The record of it.
        scene_name: The table, if it is a file of one's own.
        odds: The odds, if they are a file of one's own.
        out: Where to save from now on; None for the same file.
        manners: Who gives hints, how fast all is shown, how long agents may take.

    Raises:
        RecordError: If the file is no whole record, has come to its end, or its rolls cannot be
            gone on with to the bit.
    """
    record = read_record(file)
    header = record.header
    events: list[MatchEvent[Any]] = []
    replay(record, on_event=events.append)
    if record.footer.result is not None:
        raise RecordError(
            "a match that is not over", got=f"{file}, which is", remedy=f"pigglesim replay {file}"
        )
    table = scene_name or _scene_of_record(header)
    return _setting(
        game_of(record),
        scene=load_scene(table) if table else None,
        players=header.agents,
        chance=source_of_record(header, scene=scene_name, odds=odds),
        belief=believed_chance(odds),
        seed=header.seed,
        teams=header.teams,
        practice=LEARNER in header.agents.values(),
        saves=SaveFile(file if out is None else new_file(out)),
        manners=manners,
        events=events,
    )


def rematch_setting(
    setting: Setting, *, scene_name: str | None, odds: str | None, manners: Manners
) -> Setting:
    """Return the same match again under a seed and in a file of its own.

    Args:
        setting: The match that was played.
        scene_name: The table, if it is a file of one's own.
        odds: The odds, if they are a file of one's own.
        manners: Who gives hints, how fast all is shown, how long agents may take.
    """
    session, seed = setting.session, chosen_seed(None)
    chance = session.header.chance
    seeded = {**chance, "seed": seed} if "seed" in chance else chance
    header = replace(session.header, seed=seed, chance=seeded)
    return _setting(
        session.game,
        scene=setting.scene,
        players=header.agents,
        chance=source_of_record(header, scene=scene_name, odds=odds),
        belief=believed_chance(odds),
        seed=seed,
        teams=header.teams,
        practice=session.practice,
        saves=SaveFile(fresh_file(setting.saves.path.parent, seed)),
        manners=manners,
    )


def _setting(
    game: Game[Any, Any],
    *,
    scene: Scene | None,
    players: Mapping[Seat, str],
    chance: ChanceSource,
    belief: ChanceModel,
    seed: int,
    teams: Mapping[str, str],
    practice: bool,
    saves: SaveFile,
    manners: Manners,
    events: Sequence[MatchEvent[Any]] = (),
) -> Setting:
    """Return a match with everything that stands beside it."""
    reel = Reel()
    session = Session(
        game,
        agents={seat: _player(players[seat], game, belief) for seat in game.seats},
        chance=_filmed(chance, reel),
        seed=seed,
        teams=teams,
        practice=practice,
        events=events,
        on_change=saves.save,
        time_limit=manners.time_limit,
    )
    return Setting(
        session=session,
        scene=scene,
        saves=saves,
        adviser=make_agent(manners.hints or find(game.name).adviser, game=game, chance=belief),
        reel=reel,
        speed=manners.speed,
    )


def _player(name: str, game: Game[Any, Any], belief: ChanceModel) -> Agent | None:
    """Return an agent, or None for a person."""
    if name in {HUMAN, LEARNER}:
        return None
    # A name may go on with parameters of its agent.
    if name.partition(":")[0] not in agent_names():
        raise unknown_name("player", name, (HUMAN, *agent_names()))
    return make_agent(name, game=game, chance=belief)


def _filmed(source: ChanceSource, reel: Reel) -> ChanceSource:
    if not isinstance(source, PhysicalChance):
        return source
    return FilmedChance(source=source, show=reel.show)


def _scene_of_record(header: Header) -> str | None:
    """Return the table of a match; odds do not name one: it is the table of the same game."""
    usual = find(header.game).scene
    name = header.chance.get("scene", usual)
    return name if isinstance(name, str) and name in scene_names() else usual
