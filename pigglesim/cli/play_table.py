"""A match set up for people: from flags, or from the file in which it was saved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pigglesim.agents.agent import Agent
from pigglesim.agents.chance_model import ChanceModel
from pigglesim.agents.registry import agent_names, make_agent
from pigglesim.catalog import scene_names
from pigglesim.chance.filmed import FilmedChance
from pigglesim.chance.physical import PhysicalChance
from pigglesim.cli.options import chosen_seed
from pigglesim.cli.table import (
    believed_chance,
    make_piggles,
    make_source,
    scene_of_game,
    source_of_record,
)
from pigglesim.errors import RecordError, unknown_name
from pigglesim.games.piggles.rulebook import Piggles
from pigglesim.match.entries import Header
from pigglesim.match.record import read_record
from pigglesim.match.replay import replay
from pigglesim.match.runner import ChanceSource, MatchEvent
from pigglesim.rolls import Seat
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Scene
from pigglesim.scene.sides import team_models, teams_by_name
from pigglesim.screen.reel import Reel
from pigglesim.screen.saves import SaveFile, fresh_file, new_file
from pigglesim.screen.session import HUMAN, LEARNER, Session
from pigglesim.screen.setting import Setting

__all__ = ["Manners", "new_setting", "resumed_setting"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How a match is played, which no record keeps."""

    hints: str
    """The agent that is asked for hints."""
    speed: float
    """Of what is shown."""
    time_limit: float | None = None
    """Longest that an agent's decision may take [s]."""


def new_setting(
    *,
    agents: tuple[str, str],
    scene_name: str | None,
    game_name: str | None,
    teams: tuple[str | None, str | None],
    seed: int | None,
    chance: tuple[str, str | None, str | None],
    rules: Mapping[str, object],
    practice: bool,
    out: Path | None,
    manners: Manners,
) -> Setting:
    """Return a match that is about to begin.

    Args:
        agents: Who plays A and who B: `human` or the name of an agent.
        scene_name: The table; None for the game's own.
        game_name: The game; None for the scene's own.
        teams: A's and B's Piggles in the words of the command line; None for the scene's own.
        seed: Root seed; None to choose one.
        chance: What rolls, the engine and the file of odds.
        rules: House rules by name.
        practice: Whether decisions may be taken back.
        out: Where to save; None for a file named after the seed, in the current folder.
        manners: Who gives hints, how fast all is shown, how long agents may take.

    Raises:
        SpecError: If anything is unknown or cannot be.
    """
    place = scene_of_game(game_name, scene_name)
    scene = load_scene(place)
    name, root = game_name or scene.game, chosen_seed(seed)
    models = team_models(scene, teams_by_name(name, scene, dict(zip(Seat, teams, strict=True))))
    kind, engine, odds = chance
    return _setting(
        make_piggles(name, rules, models),
        scene=scene,
        players=dict(zip(Seat, agents, strict=True)),
        chance=make_source(kind, place, models=models, engine=engine, seed=root, odds=odds),
        belief=believed_chance(odds),
        seed=root,
        teams=models,
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
    return _setting(
        make_piggles(header.game, dict(header.house_rules)),
        scene=load_scene(scene_name or _scene_of_record(header)),
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


def _setting(
    game: Piggles,
    *,
    scene: Scene,
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
        agents={seat: _player(players[seat], game, belief) for seat in Seat},
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
        adviser=make_agent(manners.hints, game=game, chance=belief),
        reel=reel,
        speed=manners.speed,
    )


def _player(name: str, game: Piggles, belief: ChanceModel) -> Agent | None:
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


def _scene_of_record(header: Header) -> str:
    """Return the table of a match; odds do not name one: it is the table of the same game."""
    name = header.chance.get("scene", header.game)
    return name if isinstance(name, str) and name in scene_names() else "piggles_classic"
