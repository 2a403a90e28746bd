"""`pigglesim study`: many throws, kept in a folder, resumed, asked."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from pigglesim.cli import completions
from pigglesim.cli.command_line import CommandLine, Verb, Verbs
from pigglesim.cli.options import SeedOption, chosen_seed
from pigglesim.cli.study_folder import register_folder_verbs
from pigglesim.cli.study_run import Manner, run_study
from pigglesim.cli.study_watch import refuse_drops
from pigglesim.errors import SpecError, unknown_name

__all__ = ["register"]

_HELP = """Throw many times, save every throw, report shares with intervals.

A drop is one die on a floor, a pour a cup onto an empty board, a knock a cup onto six that stand. \
Each --factor NAME=LEVEL,LEVEL varies something: every combination is a cell, and cells start from \
the same random numbers, so differences are precise. `--factor ?=1` lists the factors. A level may \
have a unit of its own: --factor height=2in,50mm

If interrupted (Ctrl-C, kill, full disk), repeat the command, or give --out DIR alone, to resume. \
The number of workers changes no bit. A worker that dies or hangs is replaced and its shard thrown \
again, at most three times.

Examples:

  pigglesim study --kind drop --model piggle --throws 20000 --seed 5 --workers 2 --out drops

  pigglesim study --kind pour --model piggle --model premium --factor number=1,6 --half-width .01

  pigglesim study STUDY.toml --cluster tcp://host:8786

  pigglesim study --kind pour --throws 400 --out pours --watch

  pigglesim study show drops

  pigglesim study report drops

  pigglesim study query drops "SELECT orientation, count(*) FROM throws GROUP BY ALL"

  pigglesim study odds pours knocks --out odds.json

The view `throws` has one row per die, numbered by the columns throw and die, and one column per \
factor. The column of the factor model is `models`, as `model` is that of each die; the column of \
the factor standing is `stood`, as `standing` lists who stood there.

A STUDY.toml sets the same in a file; flags override it: kind = "pour", models = ["piggle"], \
throws = 400 (or half_width = 0.01, level, max_throws), seed = 5, scene, engine, shard_size, and \
under [factors] a line such as friction = [0.2, 0.4].
"""
_DEFAULT = "run"


class _StudyGroup(Verbs):
    """Runs a study where the first word is no verb of its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 (click's)
        """Put the hidden verb in front of words that are its own."""
        first = args[0] if args else "--help"
        if first not in self.commands:
            if not (first.startswith("-") or first.endswith(".toml") or Path(first).exists()):
                verbs = (name for name in self.commands if name != _DEFAULT)
                raise unknown_name("verb of study, or a study file", first, verbs)
            args = [_DEFAULT, *(args or [first])]
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


class _StudyCommand(Verb):
    """The hidden verb, which nobody types and no usage line shows."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: Any = None,  # noqa: ANN401 (click's)
        **extra: Any,  # noqa: ANN401 (click's)
    ) -> Any:  # noqa: ANN401 (click's)
        """Return a context that goes by the name of its group."""
        return super().make_context("", args, parent, **extra)


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    verbs = CommandLine(cls=_StudyGroup, help=_HELP)
    verbs.command(_DEFAULT, help=_HELP, hidden=True, cls=_StudyCommand)(study)
    register_folder_verbs(verbs)
    app.add_typer(
        verbs,
        name="study",
        short_help="Throw many times, save every throw, report shares with intervals.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFlags:
    """The flags that tell what is thrown, and how often."""

    kind: Annotated[
        str | None,
        typer.Option(
            autocompletion=completions.kinds,
            metavar="KIND",
            help="Kind of throw: drop, pour or knock. Default: drop.",
        ),
    ] = None
    model: Annotated[
        list[str] | None,
        typer.Option(
            autocompletion=completions.models,
            metavar="MODEL",
            help="Model thrown; repeatable, each a level. In a pour also a,b,c for one "
            "cup. Default: piggle.",
        ),
    ] = None
    throws: Annotated[
        int | None,
        typer.Option(
            help="Throws per cell, such as 400, 1e4 or 10k. Default: 10,000 drops, else 400."
        ),
    ] = None
    half_width: Annotated[
        float | None,
        typer.Option(
            help="Half-width of the intervals at which throwing stops, such as 0.01. Default: none."
        ),
    ] = None
    max_throws: Annotated[
        int | None, typer.Option(help="Throws per cell at most, with --half-width.")
    ] = None
    factor: Annotated[
        list[str] | None,
        typer.Option(
            autocompletion=completions.factors,
            metavar="NAME=LEVELS",
            help="Factor and its levels, such as friction=0.2,0.4 or height=2in,50mm; repeatable.",
        ),
    ] = None
    scene: Annotated[
        str | None,
        typer.Option(
            autocompletion=completions.scenes_and_floors,
            metavar="SCENE",
            help="Scene, or floor of a drop: a name or a TOML file. Default: "
            "piggles_classic, of a drop tabletop.",
        ),
    ] = None
    seed: SeedOption = None
    engine: Annotated[
        str | None,
        typer.Option(
            autocompletion=completions.engines,
            metavar="ENGINE",
            help="Physics engine: impulse, bullet or mujoco. Default: the fastest installed.",
        ),
    ] = None
    shard_size: Annotated[
        int | None, typer.Option(help="Throws per file. Default: by the size of the study.")
    ] = None

    def given(self) -> dict[str, Any]:
        """Return what was told, by the names that a study has for it."""
        told: dict[str, Any] = {
            "kind": self.kind,
            "models": self.model,
            "throws": self.throws,
            "half_width": self.half_width,
            "max_throws": self.max_throws,
            "scene": self.scene,
            "seed": None if self.seed is None else chosen_seed(self.seed),
            "engine": self.engine,
            "shard_size": self.shard_size,
            "factors": _factors(self.factor or []),
        }
        return {name: value for name, value in told.items() if value not in (None, [], {})}


def study(
    *,
    file: Annotated[
        Path | None, typer.Argument(metavar="STUDY.toml", help="Study file, in place of flags.")
    ] = None,
    flags: StudyFlags,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Folder of the study. Default: a new one in ./studies."
        ),
    ] = None,
    manner: Manner,
) -> None:
    """Run a study into its folder."""
    from pigglesim.studies.identity import Plan
    from pigglesim.studies.store import StoreError

    plan = Plan.of(_asked(file, flags.given(), out, manner.level))
    if manner.watch:
        from pigglesim.viewer.window import expect_window

        refuse_drops(plan.study)
        expect_window(instead="leave --watch out: the report draws the throws")
    folder = out or Path("studies") / _folder_name(plan)
    try:
        code = run_study(plan, folder, manner)
    except StoreError as fault:
        print(f"pigglesim: {fault}", file=sys.stderr)
        code = 1
    if code:
        raise typer.Exit(code)


def _factors(words: list[str]) -> dict[str, list[str]]:
    """Return levels, as text, by factor."""
    found: dict[str, list[str]] = {}
    for word in words:
        name, equals, levels = word.partition("=")
        if not equals or not levels.strip():
            raise SpecError(
                "a factor as NAME=LEVEL,LEVEL", got=repr(word), remedy="--factor friction=0.2,0.4"
            )
        found.setdefault(name.strip(), []).extend(level.strip() for level in levels.split(","))
    return found


def _asked(file: Path | None, given: dict[str, Any], out: Path | None, level: float | None) -> Any:  # noqa: ANN401 (a Study)
    """Return the study that a file and flags ask for; what only the folder knows is taken there."""
    from pigglesim.studies.store import checked_table, read_table, stored_study
    from pigglesim.verbs.studying import settled_study

    there = out if out and (out / "study.json").is_file() else None
    if there and file is None and not given:
        return stored_study(there)
    source = "the flags" if file is None else file.name
    table = checked_table(read_table(file) if file else {}, source=source)
    table = checked_table({**table, **given}, source="the flags")
    if level is not None and "half_width" in table:
        # A precision is of a level; of other studies it is asked for afterwards.
        table["level"] = level
    seed = stored_study(there).seed if there else None
    return settled_study(table, seed=seed, source="the flags")


def _folder_name(plan: Any) -> str:  # noqa: ANN401 (a Plan)
    models = "-".join(re.sub(r".*/|\.toml$", "", name) for name in plan.study.models)
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", f"{plan.study.kind}-{models}")[:60]
    return f"{name}-{plan.digest[:8]}"
