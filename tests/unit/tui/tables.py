"""Matches at the screen set up for tests."""

from pathlib import Path

from pigglesim.agents.registry import make_agent
from pigglesim.api.match import find_place
from pigglesim.cli.play import Manners, new_session
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.state import PigglesRules
from pigglesim.landing import BOARD_SEATS
from pigglesim.scene.load import load_scene
from pigglesim.tui.session import SaveFile, Session
from tests.simple_odds import simple_chance

TEAMS = {f"{seat}{number}": "piggle" for seat in BOARD_SEATS for number in range(1, 7)}


def players(a="human", b="greedy"):
    return {
        seat: None if name == "human" else make_agent(name)
        for seat, name in zip(BOARD_SEATS, (a, b), strict=True)
    }


def session(
    path=Path("/nowhere/m.jsonl"),
    *,
    a="human",
    b="greedy",
    seed=5,
    rules=None,
    game=None,
    agents=None,
    chance=None,
    scene="piggles_classic",
    speed=0.0,
    **more,
):
    """Return a session without physics, saved at `path`."""
    return Session(
        game or PigglesClassic(rules=PigglesRules.from_mapping(rules or {})),
        agents=agents or players(a, b),
        chance=chance or simple_chance(seed=seed),
        seed=seed,
        teams=TEAMS,
        saves=SaveFile(path),
        scene=load_scene(scene) if scene else None,
        speed=speed,
        **more,
    )


setting = session


def physical(
    path, *, speed=0.0, a="human", b="greedy", seed=7, teams=(None, None), time_limit=None, **more
):
    """Return a setting on real physics, as the verb makes it."""
    return new_session(
        place=find_place(None, "piggles_classic", rules=more.pop("rules", {}), teams=teams),
        agents=(a, b, None),
        seed=seed,
        chance=("physical", None),
        practice=more.pop("practice", False),
        out=path,
        manners=Manners(hints="greedy", speed=speed, time_limit=time_limit),
    )
