"""Names that a page may choose, as lists that it is sent: no paths, programs or parameters."""

from collections.abc import Callable, Mapping
from dataclasses import Field, fields, is_dataclass
from enum import StrEnum
from functools import cache, partial
from typing import Any

from pigglesim.agents.registry import OPPONENTS, agent_names, plays
from pigglesim.bodies.load import MEASURED_FILE, read_measured
from pigglesim.data_files import model_file, model_names, odds_names, scene_names, team_names
from pigglesim.errors import SpecError
from pigglesim.games.registry import find, playable_names
from pigglesim.games.switches import choices
from pigglesim.landing import Orientation
from pigglesim.markings import split_livery
from pigglesim.match.entries import Header
from pigglesim.physics.engines import engine_names, installed_engine_names
from pigglesim.scene.load import load_scene
from pigglesim.serve.setting_words import SETTING_WORDS
from pigglesim.table.session import HUMAN
from pigglesim.table.view import make_view

_OPPONENT = "greedy"


@cache
def scenes() -> tuple[str, ...]:
    """Return the scenes that have teams to throw."""
    return tuple(name for name in scene_names() if load_scene(name).teams)


SETS = ("d4,d6,d8,d10,d12,d20",)
"""Models of a set of dice, as a load of the cup."""


def loads() -> tuple[str, ...]:
    """Return what the cup can be loaded with: models, a set of dice, and teams."""
    return (*model_names(), *SETS, *team_names())


def players() -> tuple[str, ...]:
    """Return who can sit at a table: a person, or an agent with parameters of a level or none."""
    levels = (each.agent for game in OPPONENTS.values() for each in game)
    return (HUMAN, *dict.fromkeys((*agent_names(), *levels)))


def opponents(game: str) -> tuple[str, ...]:
    """Return the agents that play a game, the usual opponent first."""
    return tuple(sorted(filter(partial(plays, game=game), agent_names()), key=_OPPONENT.__ne__))


def levels(game: str) -> list[dict[str, Any]]:
    """Return the opponents of a game by level, the weakest first."""
    return [
        {"level": each.level, "agent": each.agent, "detail": f"{each.agent}, {each.rating}"}
        for each in OPPONENTS.get(game, ())
    ]


def house_rules(game: str) -> list[dict[str, Any]]:
    """Return the house rules of a game that a page may choose: settings, default and meaning."""
    entry = find(game)
    rules = getattr(entry.make({}), "rules", None)
    # A user's own game may have no rules that are switches.
    specs = fields(rules) if is_dataclass(rules) else ()
    meant = [spec for spec in specs if "meaning" in spec.metadata]
    return [_house_rule(spec) for spec in meant if spec.name != entry.players_rule]


def _house_rule(spec: Field[Any]) -> dict[str, Any]:
    limits = {key: spec.metadata[key] for key in ("least", "most")}
    settings = choices(spec) if isinstance(spec.default, StrEnum) else None
    words = SETTING_WORDS.get(spec.name, {})
    meaning = spec.metadata["meaning"]
    named = {"name": spec.name, "meaning": meaning, "ruling": spec.metadata["ruling"]}
    offered = {"settings": settings, "words": [words.get(each, each) for each in settings or ()]}
    return {**named, "default": spec.default, **offered, **limits}


ABILITIES = ("study", "invite", "review", "files", "records", "puzzles")
"""What a page may do besides throwing and playing; one without a server can do less."""


def games() -> list[dict[str, Any]]:
    """Return the games that a page may begin, each with its choices."""
    return [
        {
            "name": name,
            "title": find(name).title,
            "brief": find(name).brief,
            "players": find(name).players,
            "min_players": find(name).min_players,
            "max_players": find(name).max_players,
            "seats": len(find(name).make({}).seats),
            "seat_names": list(make_view(find(name).make({})).names.values()),
            "chances": find(name).chances,
            "agents": opponents(name),
            "levels": levels(name),
            "rules": house_rules(name),
            "teams": find(name).scene in scenes(),
        }
        for name in playable_names()
    ]


@cache
def chances() -> tuple[str, ...]:
    """Return the sources of rolls of all games."""
    return tuple({chance: None for game in playable_names() for chance in find(game).chances})


@cache
def measured() -> list[dict[str, Any]]:
    """Return the measured shares of the models that come with pigglesim."""
    rows = read_measured(model_file("piggle").parent / MEASURED_FILE).values()
    return [
        {
            "model": row.model,
            "throws": row.throws,
            "shares": [
                (each.label, *(float(x) for x in (share.value, share.low, share.high)))
                for each, share in ((each, row.shares[each]) for each in Orientation)
            ],
        }
        for row in rows
    ]


def lists() -> Mapping[str, tuple[str, ...]]:
    """Return the lists that a page is sent, apart from the games."""
    return {
        "models": model_names(),
        "sets": SETS,
        "teams": team_names(),
        "scenes": scenes(),
        "engines": installed_engine_names(),
    }


def expect_offered(names: Callable[[], tuple[str, ...]]) -> Callable[[str], str]:
    """Return a check that refuses names outside a list, all in the same words."""

    def check(name: str) -> str:
        if name not in names():
            raise ValueError("not a name of the list that the page was sent")
        return name

    return check


def expect_known_names(header: Header) -> None:
    """Raise `SpecError` if a record from a page names a file, or a model that is not pigglesim's.

    Its agents are names to show: what plays on from it is chosen elsewhere.
    """
    lists = {"scene": scene_names(), "model": odds_names(), "engine": engine_names()}
    models = {split_livery(model)[0] for model in header.teams.values()}
    # Values of a record may be of any type.
    known = all(header.chance.get(key) in (None, *names) for key, names in lists.items())
    if not (known and models <= {*model_names()}):
        raise SpecError(
            "this record has a scene, a model, an engine or odds that do not come with pigglesim",
            fix="replay it in a terminal",
        )
