"""Scenes, models and odds for a page without a server, as the text of a Python module."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from pigglesim.agents.piggy_six import match_solution
from pigglesim.api.game_setup import set_up_game
from pigglesim.bodies.load import load_models
from pigglesim.bodies.mesh_files import srgb
from pigglesim.chance.odds import load_odds
from pigglesim.chance.physical import physical_chance
from pigglesim.chance_types import DiceResult
from pigglesim.games.piggy_six import PiggySixRules
from pigglesim.games.registry import make_game, playable_names
from pigglesim.landing import BOARD_SEATS, Orientation, ReadingRules, RestPlace
from pigglesim.match.links import LINK_GAMES
from pigglesim.render.board import spots
from pigglesim.render.palette import OWNER_COLOURS
from pigglesim.rotations import Array
from pigglesim.scene.load import markings
from pigglesim.scene.scene import Scene
from pigglesim.serve import offers
from pigglesim.serve.films import TableFilms, table_films
from pigglesim.site.pictures import Figure, Stance, TableScene
from pigglesim.site.table import PageData, PageGame
from pigglesim.table.course import html_of
from pigglesim.table.films import standing_place, still_dice, still_film
from pigglesim.table.puzzles import PuzzleSession, all_puzzles
from pigglesim.table.view import make_view
from pigglesim.throws import reach

CLASSIC, MODERN = "piggles_classic", "piggles_modern"
_AGENTS = {"greedy", "uniform", "threshold", "aim", "hold"}
"""Agents that need no arrays and no compiled search."""
MODEL = "piggle"
"""Model of all Piggles of the page."""


def page_data() -> tuple[PageData, dict[str, str]]:
    """Return the data of the page, and the message with the meshes of each game's table."""
    games, tables = {}, {}
    for name in playable_names():
        setup = set_up_game(name, None, rules={})
        marked = markings(setup.models) if name == MODERN else {}
        stage = None
        if setup.scene is not None:
            films = _films(setup.scene, setup.models)
            stage = _stage(setup.scene, setup.models, films)
            tables[name] = films.table()
        rules = make_view(make_game(name, marked)).rules
        games[name] = PageGame(stage=stage, markings=marked, rules=(rules, html_of(rules)))
    setup = set_up_game(CLASSIC, None, rules={})
    assert setup.scene is not None
    chance = physical_chance(setup.scene, setup.models, engine="impulse", seed=0)
    data = PageData(
        # As plain text: enumerations would import the rules of all games.
        welcome=json.loads(json.dumps(_welcome())),
        games=games,
        odds=load_odds(MODEL),
        radius=reach(chance.models["A1"]),
        origin=chance.provenance(),
    )
    return data, tables


def _welcome() -> dict[str, Any]:
    return {
        "is": "welcome",
        "owner": True,
        "page": "",
        "games": [_offered(game) for game in offers.games()],
        "can": ["records", "puzzles", "review"],
        "throw": {"model": MODEL, "count": 6, "scene": CLASSIC, "seat": "A"},
        "models": [MODEL],
        "sets": [],
        "teams": [],
        "scenes": [CLASSIC],
        "engines": ["impulse"],
    }


def _offered(game: dict[str, Any]) -> dict[str, Any]:
    """Return a game with what the page can do of it."""
    physical = game["name"] == CLASSIC

    def plays(agent: str) -> bool:
        return agent.split(":")[0] in _AGENTS

    reading = {spec.name for spec in fields(ReadingRules)}
    return {
        **game,
        "chances": [each for each in game["chances"] if physical or each != "physical"],
        "agents": [each for each in game["agents"] if plays(each)],
        "levels": [each for each in game["levels"] if plays(each["agent"])],
        # The engine reads by the usual rules.
        "rules": [rule for rule in game["rules"] if rule["name"] not in reading],
        "teams": False,
        "by_link": game["name"] in LINK_GAMES,
    }


def _films(scene: Scene, models: Mapping[str, str]) -> TableFilms:
    dice = [scene.dice.model] if scene.dice else []
    return table_films(scene, (*models.values(), *dice), ReadingRules())


def _stage(scene: Scene, models: Mapping[str, str], films: TableFilms) -> TableScene:
    figures: dict[str, Figure] = {}
    bodies = load_models([*models.values(), *([scene.dice.model] if scene.dice else [])])
    for model in dict.fromkeys(models.values()):
        film = still_film(
            (), {BOARD_SEATS[0]: ("A1",)}, scene=scene, models={"A1": model}, owners={}
        )
        body = bodies[model]
        stances: dict[Orientation | int | None, Stance] = {
            orientation: {
                side: _stance(standing_place(body, orientation, side=side)) for side in (1.0, -1.0)
            }
            for orientation in (None, *Orientation)
        }
        chapter = films.chapter(film)
        figures[model] = Figure(solids=chapter["actors"][0]["solids"], stances=stances)
    if scene.dice is not None:
        sides = len(bodies[scene.dice.model].poses)
        solids: list[dict[str, Any]] = []
        faces: dict[Orientation | int | None, Stance] = {}
        for face in range(1, sides + 1):
            film = still_dice(DiceResult(faces=(face,)), scene=scene, thrower=BOARD_SEATS[0])
            solids = films.chapter(film)["actors"][0]["solids"]
            *_, z = film.frames.positions[0, 0].tolist()
            turn = tuple(film.frames.rotations[0, 0].tolist())
            faces[face] = {1.0: (z, turn)}
        figures[scene.dice.model] = Figure(solids=solids, stances=faces)
    return TableScene(
        scene=scene,
        models=dict(models),
        figures=figures,
        rings={seat: srgb(colour).round(4).tolist() for seat, colour in OWNER_COLOURS.items()},
        spots=dict(spots(scene.board)) if models else {},
    )


def _stance(place: RestPlace) -> tuple[float, tuple[float, ...]]:
    return place.position[2], place.rotation


def puzzle_data() -> dict[str, Any]:
    """Return all puzzles, and the reason for the best action of each."""
    puzzles = all_puzzles()
    reasons = {number: PuzzleSession(number).why for number in range(1, len(puzzles) + 1)}
    return {"puzzles": puzzles, "reasons": reasons}


def six_data() -> dict[str, Any]:
    """Return the values of all turns of Piggy Six by its usual rules."""
    solution = match_solution(PiggySixRules())
    return {
        "error": solution.bound,
        "first": _rows(solution.first),
        "second": _rows(solution.second),
    }


def _rows(values: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, values.tolist()))


def module_text(data: object) -> str:
    """Return the text of a module whose `DATA` equals the data."""
    used: dict[str, set[str]] = {}
    text = _literal(data, used)
    lines = [f"from {module} import {', '.join(sorted(names))}" for module, names in used.items()]
    return "\n".join([*lines, f"DATA = {text}", ""])


def _literal(value: object, used: dict[str, set[str]]) -> str:
    """Return the text of a value, and note the classes in it by their modules."""
    kind = type(value)
    if is_dataclass(value) or isinstance(value, Enum):
        used.setdefault(kind.__module__, set()).add(kind.__name__)
    if isinstance(value, Enum):
        return f"{kind.__name__}({value.value!r})"
    if is_dataclass(value):
        parts = ((each.name, getattr(value, each.name)) for each in fields(value) if each.init)
        return f"{kind.__name__}({', '.join(f'{n}={_literal(v, used)}' for n, v in parts)})"
    if isinstance(value, Mapping):
        pairs = (f"{_literal(k, used)}: {_literal(v, used)}" for k, v in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | tuple):
        inner = ", ".join(_literal(each, used) for each in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if inner else ''})"
    return repr(value)
