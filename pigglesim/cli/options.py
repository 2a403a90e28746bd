"""Flags that several verbs share, and what they stand for."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pigglesim.cli import completions
from pigglesim.cli.consoles import PlainConsole, json_text
from pigglesim.errors import SpecError, cut
from pigglesim.files.kinds import FileKind
from pigglesim.files.parsing import parse_toml
from pigglesim.files.reading import read_toml

if TYPE_CHECKING:
    from pigglesim.verbs.place import Place

__all__ = [
    "AgentsOption",
    "ChanceFlags",
    "EngineOption",
    "FloorEngineOption",
    "ForceOption",
    "GameOption",
    "JsonOption",
    "PlaceFlags",
    "PlayersOption",
    "RuleFlags",
    "SceneOption",
    "SeedOption",
    "WorkersOption",
    "chosen_engine",
    "chosen_fast_engine",
    "chosen_seed",
    "chosen_workers",
    "make_engine",
    "print_json",
    "progress_console",
    "result_console",
]

_RULES = FileKind(name="house rules", most_bytes=16 * 1024, values=200)

SceneOption = Annotated[
    str,
    typer.Option(
        "--scene",
        autocompletion=completions.scenes,
        metavar="SCENE",
        help="Scene: a name or a TOML file.",
    ),
]
GameOption = Annotated[
    str | None,
    typer.Option(
        "--game",
        autocompletion=completions.games,
        metavar="GAME",
        help="Game: one of `pigglesim games`. Default: piggles_classic, or the game of --scene.",
    ),
]
AgentsOption = Annotated[
    str | None,
    typer.Option(
        "--agents",
        autocompletion=completions.agents,
        metavar="AGENTS",
        help="Agents in the order of seats, separated by commas; one name for all seats.",
    ),
]
PlayersOption = Annotated[
    int | None,
    typer.Option(
        "--players", help="Number of players, where the game allows several. Default: the game's."
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", help="Root seed; the same seed gives the same bits. Default: random."),
]
EngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine",
        autocompletion=completions.engines,
        metavar="ENGINE",
        help="Physics engine: bullet or mujoco. Default: the first installed.",
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        min=1, max=256, help="Number of processes; results do not depend on it. Default: all cores."
    ),
]
FloorEngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine",
        autocompletion=completions.engines,
        metavar="ENGINE",
        help="Physics engine of single dice: impulse, bullet or mujoco. Default: the "
        "first installed.",
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace a result that exists.")]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document and nothing else.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFlags:
    """The flags for house rules."""

    rule: Annotated[
        list[str] | None,
        typer.Option(
            "--rule",
            "--house-rule",
            metavar="NAME=VALUE",
            help="House rule, such as mud_delay=none; repeatable.",
        ),
    ] = None
    house_rules: Annotated[
        Path | None,
        typer.Option("--house-rules", help="House rules in a TOML file, one per line."),
    ] = None

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


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceFlags:
    """The flags that tell what is played, where, by how many and with which bodies."""

    named: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]",
            autocompletion=completions.games,
            help="Game, as --game: one of `pigglesim games`.",
        ),
    ] = None
    players: PlayersOption = None
    game: GameOption = None
    scene: Annotated[
        str | None,
        typer.Option(
            "--scene",
            autocompletion=completions.scenes,
            metavar="SCENE",
            help="Scene: a name or a TOML file. Default: the game's.",
        ),
    ] = None
    team_a: Annotated[
        str | None,
        typer.Option(
            "--team-a",
            autocompletion=completions.teams_and_models,
            metavar="TEAM",
            help="Piggles of A: one model for all, or six separated by commas; in Modern "
            "also a team or its TOML file. Default: the scene's.",
        ),
    ] = None
    team_b: Annotated[
        str | None,
        typer.Option(
            "--team-b",
            autocompletion=completions.teams_and_models,
            metavar="TEAM",
            help="Piggles of B, as --team-a.",
        ),
    ] = None

    def place(self, rules: RuleFlags) -> "Place":
        """Return what is played and where, under house rules.

        Raises:
            SpecError: If a word is unknown, or a file is at fault.
        """
        from pigglesim.verbs.place import find_place

        if self.named is not None and self.game is not None and self.named != self.game:
            raise SpecError(
                "one game", got=f"{self.named} and {self.game}", remedy=f"--game {self.game}"
            )
        return find_place(
            self.named or self.game,
            self.scene,
            rules=rules.table(),
            players=self.players,
            teams=(self.team_a, self.team_b),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ChanceFlags:
    """The flags that tell what answers the rolls of a match."""

    seed: SeedOption = None
    engine: EngineOption = None
    chance: Annotated[
        str | None,
        typer.Option(
            "--chance",
            autocompletion=completions.chances,
            metavar="CHANCE",
            help="Source of rolls: physical, tabular (measured odds) or fair (dice and "
            "cards). Default: the game's.",
        ),
    ] = None
    odds: Annotated[
        str | None,
        typer.Option(
            "--odds",
            help="Odds of --chance tabular: a file written by `study odds`. Default: those"
            " of the model.",
        ),
    ] = None


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
    from pigglesim.seeding import root_seed

    return root_seed(seed)


def chosen_workers(workers: int | None) -> int:
    """Return the number of processes given, or one for each core."""
    return workers or os.cpu_count() or 1


def make_engine(name: str | None) -> Any:  # noqa: ANN401 (an Engine; imported where used)
    """Return the physics engine of that name, or the default one."""
    from pigglesim.physics.engines import make_engine as make

    return make(name)


def _value(text: str) -> object:
    """Return the value that a flag writes as TOML does, or its text."""
    try:
        table = parse_toml(f"v = {text}", _RULES, where="--rule")
    except SpecError:
        return text
    return table["v"] if table.keys() == {"v"} else text


def print_json(document: object) -> None:
    """Print one JSON document on standard output."""
    print(json_text(document, indent=1))


def result_console(*, piped: int = 96) -> PlainConsole:
    """Return the console for results: standard output.

    Args:
        piped: How wide it is where no terminal says so: a board and its list stand side by side.
    """
    return PlainConsole(width=None if sys.stdout.isatty() else piped)


def progress_console() -> PlainConsole:
    """Return the console for progress: standard error."""
    return PlainConsole(stderr=True)
