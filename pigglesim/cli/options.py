"""Flags that several verbs share, and what they stand for."""

import os
import sys
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.models import ParameterInfo

from pigglesim.cli import completions
from pigglesim.cli.numbers import number_parser
from pigglesim.errors import SpecError, cut
from pigglesim.files import FileKind, parse_toml, read_toml
from pigglesim.units import Unit

if TYPE_CHECKING:
    from pigglesim.api.match import Place


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
        from pigglesim.api.match import find_place

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
    from pigglesim.rng import root_seed

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


def with_groups(run: Callable[..., None]) -> Callable[..., None]:
    """Return a verb in which each group of flags is taken apart.

    A parameter whose type is a dataclass is a group of flags: each of its fields, annotated as a
    parameter of a verb would be, is a flag, and what was typed arrives as one value. So several
    verbs share a group, with what it means, and none of them lists it.

    Numbers are read as `pigglesim.cli.numbers` does; one that is annotated with a `Unit` may be
    typed in any unit of that dimension, and arrives in that one.

    Args:
        run: The verb.
    """
    hints = get_type_hints(run, include_extras=True)
    groups: dict[str, tuple[Any, list[str]]] = {}
    flags: list[Parameter] = []
    for name, parameter in signature(run).parameters.items():
        kind = hints[name]
        if is_dataclass(kind):
            types = get_type_hints(kind, include_extras=True)
            own = [_flag(field, types[field.name]) for field in fields(kind)]
            groups[name] = kind, [flag.name for flag in own]
            flags += own
        else:
            kind = _readable(name, kind, parameter.default)
            flags.append(parameter.replace(annotation=kind, kind=Parameter.KEYWORD_ONLY))

    def verb(**given: Any) -> None:  # noqa: ANN401 (of the flags' types)
        packed = {
            name: kind(**{flag: given.pop(flag) for flag in own})
            for name, (kind, own) in groups.items()
        }
        run(**given, **packed)

    verb.__name__, verb.__doc__ = run.__name__, run.__doc__
    verb.__signature__ = Signature(flags)  # type: ignore[attr-defined]
    verb.__annotations__ = {flag.name: flag.annotation for flag in flags}
    return verb


def _flag(field: Field[Any], kind: object) -> Parameter:
    default = Parameter.empty if field.default is MISSING else field.default
    kind = _readable(field.name, kind, default)
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _readable(name: str, kind: Any, default: object) -> Any:  # noqa: ANN401 (types)
    """Return the annotation of a flag; that of a number with what reads it."""
    if get_origin(kind) is not Annotated:
        return kind
    of, *details = get_args(kind)
    info = next((each for each in details if isinstance(each, ParameterInfo)), None)
    number = _number(of)
    if info is None or number is None or info.parser is not None:
        return kind
    declared = [word for word in info.param_decls or () if word.startswith("--")]
    is_option = isinstance(info, typer.models.OptionInfo)
    flag = declared[0] if declared else f"--{name.replace('_', '-')}"
    info = copy(info)
    info.parser = number_parser(
        flag if is_option else (info.metavar or name.upper()),
        number,
        low=info.min,
        high=info.max,
        default=default,
        unit=next((each for each in details if isinstance(each, Unit)), None),
    )
    return Annotated[of, info]


def _number(kind: Any) -> type[int] | type[float] | None:  # noqa: ANN401 (types)
    """Return the kind of number that a flag holds, alone or in a list; None for others."""
    if kind in (int, float):
        found: type[int] | type[float] = kind
        return found
    inner = [_number(each) for each in get_args(kind)]
    return next((each for each in inner if each), None)


def typed(context: typer.Context, name: str) -> str | None:
    """Return a flag's value if it was typed, and None if it is at its default."""
    source = context.get_parameter_source(name)
    was_typed = source is not None and source.name == "COMMANDLINE"
    return str(context.params[name]) if was_typed else None


def refuse_beside_resume(context: typer.Context, names: Iterable[str]) -> None:
    """Refuse, beside --resume, what the record has settled.

    Args:
        context: Of the verb.
        names: Of its parameters that the record settles.

    Raises:
        SpecError: If some of them were typed.
    """
    refuse_idle(
        context,
        names,
        beside="--resume alone: the record has settled the rest",
        remedy="leave it out, or begin a new match without --resume",
    )


def refuse_idle(
    context: typer.Context, names: Iterable[str], *, beside: str, remedy: str = "leave it out"
) -> None:
    """Refuse flags that were typed where they would change nothing.

    Args:
        context: Of the verb.
        names: Of its parameters that have no effect here.
        beside: What is expected, such as `"no --seed without --what-if"`.
        remedy: What to do.

    Raises:
        SpecError: If some of them were typed.
    """
    parameters = {parameter.name: parameter for parameter in context.command.params}
    given = []
    for name in names:
        parameter = parameters[name]
        if typed(context, name) is not None:
            value = context.params[name]
            if parameter.param_type_name != "option":
                given.append(str(value))
            else:
                given.append((parameter.secondary_opts if value is False else parameter.opts)[0])
    if given:
        raise SpecError(beside, got=", ".join(given), remedy=remedy)


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
