"""A match set up for people: from flags, or from the file in which it was saved."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pigglesim.agents.agent import Agent
from pigglesim.agents.registry import agent_names, make_agent
from pigglesim.catalog import scene_names
from pigglesim.chance.physical import PhysicalChance
from pigglesim.cli.options import chosen_seed
from pigglesim.cli.table import make_source, source_of_record
from pigglesim.errors import RecordError, unknown_name
from pigglesim.games.registry import make_game
from pigglesim.match.entries import Header
from pigglesim.match.record import read_record
from pigglesim.match.replay import replay
from pigglesim.match.runner import ChanceSource, MatchEvent
from pigglesim.rolls import Seat
from pigglesim.scene.load import load_scene
from pigglesim.scene.sides import team_models
from pigglesim.screen.film import Film
from pigglesim.screen.saves import SaveFile, fresh_file, new_file
from pigglesim.screen.session import HUMAN, LEARNER, Session
from pigglesim.screen.setting import Setting

__all__ = ["new_setting", "resumed_setting"]


def new_setting(
    *,
    agents: tuple[str, str],
    scene_name: str,
    game_name: str | None,
    teams: tuple[str | None, str | None],
    seed: int | None,
    chance: tuple[str, str | None, str | None],
    rules: Mapping[str, object],
    practice: bool,
    out: Path | None,
    hints: str,
    speed: float,
) -> Setting:
    """Return a match that is about to begin.

    Args:
        agents: Who plays A and who B: `human` or the name of an agent.
        scene_name: The table.
        game_name: The game; None for the scene's own.
        teams: Models of A's and of B's Piggles; None for the scene's own.
        seed: Root seed; None to choose one.
        chance: What rolls, the engine and the file of odds.
        rules: House rules by name.
        practice: Whether decisions may be taken back.
        out: Where to save; None for a file named after the seed, in the current folder.
        hints: The agent that is asked for hints.
        speed: Of what is shown.

    Raises:
        SpecError: If anything is unknown or cannot be.
    """
    scene = load_scene(scene_name)
    root = chosen_seed(seed)
    models = team_models(
        scene, {seat: _models(text) for seat, text in zip(Seat, teams, strict=True)}
    )
    kind, engine, odds = chance
    source = make_source(kind, scene_name, models=models, engine=engine, seed=root, odds=odds)
    saves = SaveFile(fresh_file(Path(), root) if out is None else new_file(out))
    film = Film()
    session = Session(
        make_game(game_name or scene.game, rules),
        agents={seat: _player(name) for seat, name in zip(Seat, agents, strict=True)},
        chance=_watched(source, film),
        seed=root,
        teams=models,
        practice=practice,
        on_change=saves.save,
    )
    return Setting(
        session=session, scene=scene, saves=saves, adviser=make_agent(hints), film=film, speed=speed
    )


def resumed_setting(
    file: Path,
    *,
    scene_name: str | None,
    odds: str | None,
    out: Path | None,
    hints: str,
    speed: float,
) -> Setting:
    """Return a match that goes on where it was saved.

    Args:
        file: The record of it.
        scene_name: The table, if it is a file of one's own.
        odds: The odds, if they are a file of one's own.
        out: Where to save from now on; None for the same file.
        hints: The agent that is asked for hints.
        speed: Of what is shown.

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
    name = scene_name or _scene_of_record(header)
    saves = SaveFile(file if out is None else new_file(out))
    film = Film()
    session = Session(
        make_game(header.game, dict(header.house_rules)),
        agents={seat: _player(header.agents[seat]) for seat in Seat},
        chance=_watched(source_of_record(header, scene=scene_name, odds=odds), film),
        seed=header.seed,
        teams=header.teams,
        practice=LEARNER in header.agents.values(),
        events=events,
        on_change=saves.save,
    )
    return Setting(
        session=session,
        scene=load_scene(name),
        saves=saves,
        adviser=make_agent(hints),
        film=film,
        speed=speed,
    )


def _models(text: str | None) -> list[str]:
    return [name.strip() for name in text.split(",")] if text else []


def _player(name: str) -> Agent | None:
    """Return an agent, or None for a person."""
    if name in {HUMAN, LEARNER}:
        return None
    # A name may go on with parameters of its agent.
    if name.partition(":")[0] not in agent_names():
        raise unknown_name("player", name, (HUMAN, *agent_names()))
    return make_agent(name)


def _watched(source: ChanceSource, film: Film) -> ChanceSource:
    return replace(source, watch=film.keep) if isinstance(source, PhysicalChance) else source


def _scene_of_record(header: Header) -> str:
    """Return the table of a match; odds do not name one: it is the table of the same game."""
    name = header.chance.get("scene", header.game)
    return name if isinstance(name, str) and name in scene_names() else "piggles_classic"
