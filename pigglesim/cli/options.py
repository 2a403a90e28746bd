"""Flags that several verbs share, and what they stand for."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pigglesim.cli.completions import AGENTS, ENGINE, GAME, SCENE
from pigglesim.cli.flags import Flag
from pigglesim.errors import SpecError, cut
from pigglesim.files import FileKind, parse_toml, read_toml

_RULES = FileKind(name="house rules", most_bytes=16 * 1024, values=200)

SceneOption = Annotated[str, SCENE, Flag("--scene"), "Scene: a name or a TOML file."]
GameOption = Annotated[
    str | None,
    GAME,
    Flag("--game"),
    "Game: one of `pigglesim games`. Default: piggles_classic, or the game of --scene.",
]
AgentsOption = Annotated[
    str | None,
    AGENTS,
    Flag("--agents"),
    "Agents in the order of seats, separated by commas; one name for all seats.",
]
PlayersOption = Annotated[
    int | None,
    Flag("--players"),
    "Number of players, where the game allows several. Default: the game's.",
]
SeedOption = Annotated[
    int | None, Flag("--seed"), "Root seed; the same seed gives the same bits. Default: random."
]
EngineOption = Annotated[
    str | None,
    ENGINE,
    Flag("--engine"),
    "Physics engine: bullet or mujoco. Default: the first installed.",
]
WorkersOption = Annotated[
    int | None,
    Flag(low=1, high=256),
    "Number of processes; results do not depend on it. Default: all cores.",
]
FloorEngineOption = Annotated[
    str | None,
    ENGINE,
    Flag("--engine"),
    "Physics engine of single dice: impulse, bullet or mujoco. Default: the first installed.",
]
ForceOption = Annotated[bool, Flag("--force"), "Replace a result that exists."]
JsonOption = Annotated[bool, Flag("--json"), "Print one JSON document and nothing else."]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFlags:
    """The flags for house rules."""

    rule: Annotated[
        list[str] | None,
        Flag("--rule", "--house-rule", metavar="NAME=VALUE"),
        "House rule, such as mud_delay=none; repeatable.",
    ] = None
    house_rules: Annotated[Path | None, "House rules in a TOML file, one per line."] = None

    def table(self) -> dict[str, object]:
        """Return house rules by name: the file's first, then the flags'.

        Raises:
            SpecError: If the file is none of house rules, or a flag is no `name=value`.
        """
        table: dict[str, object] = (
            {} if self.house_rules is None else read_toml(self.house_rules, _RULES)
        )
        for word in self.rule or []:
            name, equals, value = word.partition("=")
            if not equals:
                raise SpecError(
                    "a house rule as name=value", got=cut(repr(word)), remedy="mud_delay=none"
                )
            table[name.strip()] = _value(value.strip())
        return table


def chosen_engine(name: str | None) -> str:
    """Return the name of the engine asked for, or of this machine's own."""
    from pigglesim.physics.engines import default_engine_name

    return name or default_engine_name()


def chosen_fast_engine(name: str | None) -> str:
    """Return the name of the engine asked for, or of this machine's fastest for many throws."""
    from pigglesim.physics.engines import fastest_engine_name

    return name or fastest_engine_name()


def chosen_seed(seed: int | None) -> int:
    """Return the seed given, or a fresh one."""
    from pigglesim.rng import root_seed

    return root_seed(seed)


def chosen_workers(workers: int | None) -> int:
    """Return the number of processes given, or one for each core."""
    return workers or os.cpu_count() or 1


def _value(text: str) -> object:
    """Return the value that a flag writes as TOML does, or its text."""
    try:
        table = parse_toml(f"v = {text}", _RULES, where="--rule")
    except SpecError:
        return text
    return table["v"] if table.keys() == {"v"} else text


if sys.platform != "win32":  # no module tells it there
    import resource


def peak_memory() -> float | None:
    """Return the most memory that this process has held [MB]; None where nothing tells it."""
    if sys.platform == "win32":
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # macOS counts bytes, other systems kilobytes.
    return most * (1 if sys.platform == "darwin" else 1024) / 1e6


def peak_memory_told(peak: float | None) -> str:
    """Return a peak of memory [MB] in words."""
    return "unknown" if peak is None else f"{peak:.0f} MB"
