"""Sources of chance, agents and boards, from names and from the headers of records."""

from collections.abc import Container, Iterable, Mapping
from typing import Any

from pigglesim.agents.agent import Agent
from pigglesim.agents.registry import canonical_name, expect_named, make_agent
from pigglesim.api.roll import make_chance
from pigglesim.chance.physical import PhysicalChance, expect_pigs
from pigglesim.chance.tabular import (
    FairChance,
    TabularChance,
    believed_chance,
    check_odds_support,
    tabular_chance,
)
from pigglesim.data_files import scene_names
from pigglesim.errors import RecordError, SpecError, cut, unknown_name
from pigglesim.games.game import Game
from pigglesim.games.registry import find, make_game
from pigglesim.landing import BOARD_SEATS, Seat
from pigglesim.match.entries import Header
from pigglesim.match.runner import ChanceSource
from pigglesim.scene.load import load_scene, markings
from pigglesim.scene.scene import Board

_MODERN = "piggles_modern"


def make_source(
    game: Game[Any, Any],
    kind: str | None,
    *,
    scene: str | None,
    models: Mapping[str, str],
    engine: str | None = None,
    seed: int,
    odds: str | None = None,
) -> TabularChance | FairChance | PhysicalChance:
    """Return the source of chance of a match; `play_match` describes the arguments.

    `models` has the model of each Piggle, by id. With `odds`, Piggles of other models roll by
    supplied odds, as all do without.

    Raises:
        SpecError: If the combination is invalid, a name is unknown, a file is invalid, or the
            odds are those of another model.
    """
    chances = find(game.name).chances
    kind = kind or chances[0]
    if kind not in chances:
        raise unknown_name(f"chance of {game.name}", kind, chances)
    for flag, value, needs in (("--engine", engine, "physical"), ("--odds", odds, "tabular")):
        if value is not None and kind != needs:
            raise SpecError(
                f"{flag} has no effect with --chance {kind}",
                fix=f"leave {flag} out, or use --chance {needs}",
            )
    if kind == "fair":
        return FairChance(seed=seed)
    if kind == "tabular":
        check_odds_support(game)
        return tabular_chance(models, odds=odds, seed=seed)
    assert scene is not None
    expect_pigs(models.values())
    return make_chance(scene, models=dict(models), engine=engine, seed=seed)


def odds_lines(source: ChanceSource) -> list[str]:
    """Return a line on the largest departure of a match's odds from the throws; none for others."""
    if not isinstance(source, TabularChance):
        return []
    table = source.odds
    line = f"Rolled by the odds of {table.model}, which treat the Piggles of a pour as independent"
    if not table.departures:
        return [f"{line}; no study has measured how far it is from physics."]
    worst = max(table.departures, key=lambda each: each.value - each.floor)
    onto = worst.standing or "a cleared board"
    return [
        f"{line}. They differ most from physics in {worst.quantity}, "
        f"{worst.thrown} onto {onto}: total variation {worst.value:.3f}, where noise alone gives "
        f"{worst.floor:.3f}."
    ]


def marked_game(
    name: str, house_rules: Mapping[str, object], models: Mapping[str, str]
) -> Game[Any, Any]:
    """Return a game under house rules; in Modern, Piggles have the markings of their models."""
    piggle_markings = markings(models) if models and name == _MODERN else {}
    return make_game(name, {**piggle_markings, **house_rules})


def player_settings(
    game: str, players: int | None, rules: Mapping[str, object]
) -> dict[str, object]:
    """Return the setting for the number of players; an empty mapping for None.

    Raises:
        SpecError: If the game has a fixed number of players, or house rules say another one.
    """
    if players is None:
        return {}
    entry = find(game)
    if entry.players_rule is None:
        if players == entry.min_players:
            return {}
        raise SpecError(
            f"{game} cannot have {players} players",
            expected=entry.players,
            fix="leave --players out",
        )
    ruled = rules.get(entry.players_rule, players)
    if str(ruled) != str(players):
        raise SpecError(
            f"{players} players, and the house rule {entry.players_rule}={ruled}",
            fix="give the number of players once",
        )
    return {entry.players_rule: players}


def typed_programs(header: Header, names: Iterable[str | None]) -> set[str]:
    """Return the programs that a user typed to resume a record, which must have them."""
    typed = {canonical_name(name) for name in names if name}
    if unknown := typed - set(header.agents.values()):
        raise SpecError(
            f"the record has no agent {cut(repr(min(unknown)))}", fix="leave it out, or correct it"
        )
    return typed


def expect_typed(header: Header, seat: Seat, typed: Container[str]) -> None:
    """Raise `SpecError` if the agent of a record is a program that the user did not type."""
    agent, names = header.agents[seat], header.agents
    if agent in typed:
        return
    if set(names) <= set(BOARD_SEATS):
        expect_named(agent, flag=f"--{seat.lower()}")
    expect_named(agent, flag="--agents", value=",".join(names.values()))


def expect_same_code(begun: Header, now: Header) -> None:
    """Raise `RecordError` if the code of an agent is not that with which a match began."""
    for seat, sha256 in begun.code.items():
        if now.code.get(seat) != sha256:
            raise RecordError(
                f"the agent {cut(begun.agents[seat])} has changed since the match began",
                fix="undo the change, or begin a new match",
            )


def agents_of_record(
    header: Header,
    seats: Iterable[Seat],
    others: Mapping[str, str | Agent | None] | None = None,
    *,
    programs: Iterable[str | None] = (),
) -> dict[Seat, Agent]:
    """Return the agents that continue a record: those in `others`, else the recorded ones.

    Raises:
        SpecError: If a seat is unknown or has no agent, or the recorded one is a program that is
            not in `programs`, the names that the user typed.
    """
    named, seats = typed_programs(header, programs), tuple(seats)
    for name, player in (others or {}).items():
        if player and name not in {*map(str, seats)}:
            raise unknown_name("seat", name, map(str, seats))
    game = make_game(header.game, dict(header.house_rules))
    agents: dict[Seat, Agent] = {}
    for seat in seats:
        agent = (others or {}).get(str(seat)) or header.agents.get(seat)
        if agent is None:
            raise SpecError(f"the record has no agent for {seat}", fix=f"add agent {seat}: greedy")
        if agent == header.agents.get(seat) and not (others or {}).get(str(seat)):
            expect_typed(header, seat, named)
        if isinstance(agent, str):
            agent = make_agent(agent, game=game, chance=believed_chance(models=header.teams))
        agents[seat] = agent
    return agents


def scene_of_record(header: Header) -> str | None:
    """Return the scene of a recorded match; the game's where it names none that is known here."""
    default = find(header.game).scene
    name = header.chance.get("scene", default)
    return name if isinstance(name, str) and name in scene_names() else default


def board_of_record(header: Header) -> Board | None:
    """Return the board of a recorded match, or the standard board if it is unknown."""
    if find(header.game).scene is None:
        return None
    scene = header.chance.get("scene")
    return load_scene(scene).board if isinstance(scene, str) and scene in scene_names() else Board()


def source_of_record(
    header: Header, *, scene: str | None = None, odds: str | None = None
) -> ChanceSource:
    """Return the source of chance of a recorded match, to continue where the record ends.

    `scene` and `odds` are their files, if they are not part of pigglesim.

    Raises:
        RecordError: If the match had another source, or the source has changed.
    """
    provenance = header.chance
    if provenance.get("source") == "fair":
        return FairChance(seed=header.seed)
    if provenance.get("source") != "tabular":
        return chance_of_record(header, scene=scene)
    models = header.teams if "others" in provenance else {}
    source = tabular_chance(models, odds=odds or str(provenance.get("model")), seed=header.seed)
    _expect_same(header, source, fix="use --odds with the file that the match was rolled by")
    return source


def is_physical(header: Header) -> bool:
    """Return whether a match was rolled on physics, at one table or by link."""
    return "physical" in (header.chance.get("source"), header.chance.get("of"))


def chance_of_record(
    header: Header, *, scene: str | None = None, instead: str = "replay it without --resimulate"
) -> PhysicalChance:
    """Return the physics of a recorded match.

    `scene` is its file, if it is not part of pigglesim; errors propose what to do `instead`.

    Raises:
        RecordError: If the match was not rolled on physics, or the scene, a model or the engine
            has changed, so that the bits would differ.
    """
    provenance = header.chance
    if not is_physical(header):
        kind = provenance.get("of", provenance.get("source"))
        raise RecordError(f"a match of {kind} chance has no physics", fix=instead)
    chance = make_chance(
        scene or str(provenance.get("scene")),
        models=dict(header.teams),
        engine=str(provenance.get("engine")),
        seed=header.seed,
    )
    _expect_same(header, chance, fix=f"{instead}, or use the versions of the record")
    return chance


def _expect_same(header: Header, chance: ChanceSource, *, fix: str) -> None:
    """Raise `RecordError` unless a source of chance is identical to that of a record."""
    for key, value in chance.provenance().items():
        if header.chance.get(key) != value:
            recorded = f"{key.replace('_', ' ')} of the record, {header.chance.get(key)}"
            raise RecordError(f"the {recorded}, is now {value}", fix=fix)
