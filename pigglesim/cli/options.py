"""Flags shared by several verbs, with their shell completions and default values.

No heavy module is imported here, because completion must be quick.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from pigglesim.cli.flags import ARGUMENT, Flag
from pigglesim.data_files import (
    fit_names,
    floor_names,
    model_names,
    safe_name,
    scene_names,
    team_names,
    user_model_names,
)
from pigglesim.durable_io import FIGURES
from pigglesim.errors import SpecError, cut
from pigglesim.files import FileKind, parse_toml, read_toml
from pigglesim.limits import LEVEL

_RULES = FileKind(name="house rules", max_bytes=16 * 1024, values=200)


def _completing(metavar: str, names: Callable[[], Iterable[str]]) -> Flag:
    """Return a flag that completes a word, or the last of several separated by commas."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        del ctx
        before, comma, last = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in names() if name.startswith(last)]

    return Flag(metavar=metavar, complete=complete)


def _models() -> Iterable[str]:
    return [*model_names(), *user_model_names()]


def _games() -> Iterable[str]:
    from pigglesim.games.registry import game_names

    return game_names()


# The registry would load every agent; a test checks that these names agree with it.
_AGENTS = ("uniform", "greedy", "threshold", "aim", "expectimax", "mcts", "hold", "optimal", "best")
_ENGINES = ("bullet", "mujoco", "impulse")
_FACTORS = (
    "scene", "floor",
    "model", "friction", "restitution", "rolling_lever_mm", "spinning_lever_mm", "ballast_g",
    "time_step_ms", "engine", "material", "height_mm", "drift_spread_m_s", "spin_spread_rad_s",
    "rise_mm", "spin_rad_s", "throw_spread", "wobble_spread_rad_s", "axis", "start", "caught",
    "speed_m_s", "rolling", "wall_mm", "length_mm", "rate_rad_s", "baffles", "width", "slope_deg",
    "board_friction", "board_restitution", "number", "shake_s", "shake_hz", "tip_s", "tip_deg",
    "lip_height_in", "end_back_in", "across_in", "swing_m_s", "heading_deg",
    "across_spread_in", "heading_spread_deg", "tempo_spread", "standing",
)  # fmt: skip
_VIEWS = ("table", "top", "south", "north", "east", "west", "low")

AGENT = _completing("AGENT", lambda: _AGENTS)
AGENTS = _completing("AGENTS", lambda: _AGENTS)
CHANCE = _completing("CHANCE", lambda: ("physical", "tabular", "fair"))
DICE = _completing("DICE", _models)
ENGINE = _completing("ENGINE", lambda: _ENGINES)
ENGINES = _completing("ENGINES", lambda: _ENGINES)
FACTOR = _completing("NAME=LEVELS", lambda: [f"{name}=" for name in _FACTORS])
FLOOR = _completing("FLOOR", lambda: floor_names())
FLOORS = _completing("FLOOR", lambda: [*floor_names(), *fit_names()])
GAME = _completing("GAME", _games)
KIND = _completing("KIND", lambda: ("drop", "flip", "roll", "tumbler", "tower", "pour", "knock"))
MODEL = _completing("MODEL", _models)
MODELS = _completing("MODELS", _models)
PLAYER = _completing("AGENT", lambda: ("human", *_AGENTS))
SCENE = _completing("SCENE", lambda: scene_names())
SCENE_OR_FLOOR = _completing("SCENE", lambda: [*scene_names(), *floor_names()])
SEAT = Flag(metavar="SEAT", choices=("A", "B"))
TEAM = _completing("TEAM", lambda: team_names())
TEAM_OR_MODEL = _completing("TEAM", lambda: [*team_names(), *_models()])
UNIT = _completing("UNIT", lambda: ("mm", "cm", "m", "in"))
VIEW = _completing("VIEW", lambda: _VIEWS)

Seat = Annotated[str, SEAT, "Seat that throws: A (South) or B (North)."]
Scene = Annotated[str, SCENE, "Scene: a name or a TOML file."]
PhysicalScene = Annotated[
    str | None, SCENE, "Scene of --chance physical: a name or a TOML file. Default: the game's."
]
Game = Annotated[
    str | None,
    GAME,
    "Game: one of `pigglesim games`, or your own: my_game.py:Class. Default: piggles_classic, or "
    "the game of --scene.",
]
OwnGame = Annotated[
    str | None, GAME, "Your own game that the file names: my_game.py:Class. Files run none."
]
Agents = Annotated[
    str | None, AGENTS, "Agents in the order of seats, separated by commas; one name for all seats."
]
Players = Annotated[
    int | None, "Number of players, where the game allows several. Default: the game's."
]
Position = Annotated[
    str | None,
    Flag(metavar="POSITION"),
    "State to play from, in the notation of the game; @FILE reads it from a text file, "
    "@RECORD:N takes it before decision N of a record. Default: the initial state.",
]
_SOURCES = "Source of rolls: tabular (measured odds), physical or fair (dice and cards)."
Chance = Annotated[str | None, CHANCE, f"{_SOURCES} Default: the game's quickest."]
MatchChance = Annotated[str | None, CHANCE, f"{_SOURCES} Default: physical; fair for cards."]
Odds = Annotated[
    str | None,
    Flag(metavar="FILE"),
    "Odds of --chance tabular: a file written by `study odds`. Default: those of the model.",
]
TimeLimit = Annotated[
    float | None, "Time limit of an agent's decision; a slower agent forfeits. Default: none. [s]"
]
Seed = Annotated[int | None, "Root seed; the same seed gives the same bits. Default: random."]
Engine = Annotated[
    str | None, ENGINE, "Physics engine: bullet, mujoco or impulse. Default: the first installed."
]
FastEngine = Annotated[
    str | None, ENGINE, "Physics engine: impulse, bullet or mujoco. Default: the fastest installed."
]
Workers = Annotated[
    int | None,
    Flag(low=1, high=256),
    "Number of processes; results do not depend on it. Default: all cores.",
]
Level = Annotated[float, LEVEL, "Confidence level of the intervals."]
Camera = Annotated[
    str,
    VIEW,
    "Camera: table, top, south, north, east, west or low; or azimuth,elevation,distance, such as "
    "180,35,0.7. [deg, deg, m]",
]
Viewer = Annotated[str, Flag(choices=("window", "null")), "Viewer: window, or null for none."]
RecordFile = Annotated[Path, ARGUMENT, "Record written by `match --out` or `replay --write`."]
Record = Annotated[int | None, Flag(low=1), "Record of a file that holds several, from 1."]
Plot = Annotated[Path | None, Flag(suffixes=FIGURES), "Plot, a .png or .svg file."]
Quiet = Annotated[bool, "Show no progress."]
Force = Annotated[bool, "Replace a result that exists."]
Ascii = Annotated[
    bool,
    Flag("--ascii"),
    "Print only ASCII, for terminals that show signs such as ▲ and ─ two columns wide.",
]
Json = Annotated[bool, Flag("--json"), "Print one JSON document and nothing else."]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFlags:
    """Flags for house rules."""

    rule: Annotated[
        list[str] | None,
        Flag("--rule", "--house-rule", metavar="NAME=VALUE"),
        "House rule, such as mud_delay=none; repeatable.",
    ] = None
    house_rules: Annotated[Path | None, "House rules in a TOML file, one per line."] = None

    @property
    def given(self) -> bool:
        """True if rules were typed, or a file of them, which may be empty."""
        return bool(self.rule) or self.house_rules is not None

    def table(self) -> dict[str, object]:
        """Return house rules by name: the file's first, then the flags'."""
        typed: dict[str, object] = {}
        for word in self.rule or []:
            name, equals, value = word.partition("=")
            if not equals:
                raise SpecError(
                    f"invalid house rule {cut(repr(word))}",
                    expected="name=value",
                    fix="use --rule mud_delay=none",
                )
            name = name.strip()
            if name in typed:
                raise SpecError(f"the house rule {name} is given twice", fix="leave one out")
            typed[name] = _value(value.strip())
        return (read_toml(self.house_rules, _RULES) if self.house_rules else {}) | typed


def rule_factors(texts: list[str]) -> dict[str, dict[str, dict[str, object]]]:
    """Return the house rules of each level, by factor and level.

    The levels of the factor `house_rules` are TOML files; those of others are settings of a rule.
    """
    factors: dict[str, dict[str, dict[str, object]]] = {}
    for factor, levels in factor_levels(texts, example="rounds=6,4").items():
        for level in levels:
            if level in factors.setdefault(factor, {}):
                raise SpecError(f"the level {factor}={level} is given twice", fix="leave one out")
            factors[factor][level] = (
                read_toml(Path(level), _RULES)
                if factor == "house_rules"
                else {factor: _value(level)}
            )
    return factors


def factor_levels(texts: list[str], *, example: str = "friction=0.2,0.4") -> dict[str, list[str]]:
    """Return the levels, as text, by factor."""
    levels: dict[str, list[str]] = {}
    for text in texts:
        name, equals, words = text.partition("=")
        if not equals or not words.strip():
            raise SpecError(
                f"invalid factor {text!r}",
                expected="NAME=LEVEL,LEVEL",
                fix=f"use --factor {example}",
            )
        levels.setdefault(name.strip(), []).extend(word.strip() for word in words.split(","))
    return levels


def chosen_engine(name: str | None) -> str:
    """Return the requested engine, or this machine's default."""
    from pigglesim.physics.engines import default_engine_name

    return name or default_engine_name()


def chosen_fast_engine(name: str | None) -> str:
    """Return the requested engine, or this machine's fastest for many throws."""
    from pigglesim.physics.engines import fastest_engine_name

    return name or fastest_engine_name()


def load_own_game(name: str | None) -> None:
    """Load a game of the user's own that was typed; none for None.

    Raises:
        SpecError: If it cannot be loaded, or the name is unknown.
    """
    if name is not None:
        from pigglesim.games.registry import find
        from pigglesim.match.own_games import load_named_game

        find(load_named_game(name)[0])


def list_of(text: str | None) -> list[str]:
    """Return the words of a list typed with commas; an empty list for None.

    Raises:
        SpecError: If a list was typed that has no word.
    """
    words = [word.strip() for word in (text or "").split(",") if word.strip()]
    if text is not None and not words:
        raise SpecError(f"the list {cut(repr(text))} is empty", fix="name one, or leave it out")
    return words


def seats_of(agents: str | None) -> list[str] | None:
    """Return the players of --agents; an empty one stays, as it has the place of a seat."""
    return None if agents is None else [name.strip() for name in agents.split(",")]


def new_folder(parent: str, *words: object) -> Path:
    """Return the path of a new folder named after its content."""
    *name, last = map(str, words)
    start = safe_name("-".join(name), gap="-", marks="_.-")[:60]
    return Path(parent) / f"{start}-{last}"


def chosen_seed(seed: int | None, players: Iterable[str] = ()) -> int:
    """Return the given seed, or a random one, which no program among the players can find."""
    from pigglesim.rng import root_seed

    if not (names := [*players]):
        return root_seed(seed)
    from pigglesim.agents.registry import any_outside

    return root_seed(seed, secret=any_outside(names))


def chosen_workers(workers: int | None) -> int:
    """Return the given number of processes, or one per core."""
    return workers or os.cpu_count() or 1


def _value(text: str) -> object:
    """Return a value in TOML syntax, or the text itself."""
    try:
        table = parse_toml(f"v = {text}", _RULES, where="--rule")
    except SpecError:
        return text
    return table["v"] if table.keys() == {"v"} else text
