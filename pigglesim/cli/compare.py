"""`pigglesim compare`, `converge` and `odds`: engines, time steps or odds side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from rich.console import Console

from pigglesim.api.compare import KNOCK_POURS, POURS, compare_pours
from pigglesim.api.odds import check_odds
from pigglesim.cli import options
from pigglesim.cli.command_line import CommandLine
from pigglesim.cli.consoles import (
    exit_if_stopped,
    print_json,
    result_console,
    show_unfinished,
    word_table,
)
from pigglesim.cli.flags import ARGUMENT, Arguments, Flag, arguments_of, documented_by
from pigglesim.cli.progress import Work, ignore_interrupts
from pigglesim.errors import SpecError
from pigglesim.experiments.comparison import Comparison
from pigglesim.experiments.odds import OddsCheck, PairedEstimate
from pigglesim.scene.load import load_scene
from pigglesim.units import plus_minus, with_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class PourFlags:
    """Flags for the pours of each side."""

    scene: Annotated[options.Scene, ARGUMENT] = "piggles_classic"
    pours: Annotated[int, POURS] = 100
    knock_pours: Annotated[int | None, KNOCK_POURS] = None
    model: Annotated[str | None, options.MODEL] = None
    workers: options.Workers = None
    seed: options.Seed = None
    as_json: options.Json = False

    def compare(
        self,
        factor: str,
        levels: Sequence[str | float],
        *,
        engine: str | None = None,
        target: float | None = None,
        **about: object,
    ) -> None:
        """Compare levels of a factor and print the result; `about` goes into the JSON document.

        `target` is an acceptable total variation, for a verdict.
        """
        with Work("pours", "pouring") as work:
            result = compare_pours(
                factor,
                levels,
                pours=self.pours,
                knock_pours=self.knock_pours,
                model=self.model,
                scene=self.scene,
                seed=self.seed,
                engine=engine,
                workers=options.chosen_workers(self.workers),
                progress=work.update,
            )
        if not result.finished:
            ignore_interrupts()
        if self.as_json:
            document = result.document() | about
            if target is not None:
                document["target"] = target
                for apart, entry in zip(result.comparison.apart, document["apart"], strict=True):
                    entry["verdict"] = apart.verdict(target).value
            print_json(document)
        else:
            console = result_console()
            show_unfinished(result.unfinished)
            _show(console, result.comparison, target=target)
            console.print(f"{result.engine}, seed {result.seed}", style="dim")
        exit_if_stopped(not result.finished)


def _show(console: Console, comparison: Comparison, *, target: float | None) -> None:
    first, *others = comparison.labels
    labels = (*comparison.labels, *(f"{label} - {first}" for label in others))
    table = word_table("share", *(f">{label}" for label in labels))
    group = None
    for row in comparison.rows:
        if group not in {None, row.group}:
            table.add_section()
        group = row.group
        table.add_row(
            row.name,
            *map(plus_minus, row.shares),
            *(plus_minus(difference, signed=True) for difference in row.differences),
        )
    table.add_row(
        "points per pour",
        *map(plus_minus, comparison.points),
        *(plus_minus(difference, signed=True) for difference in comparison.point_differences),
    )
    console.print(table)
    console.print()
    columns = [">value", ">by noise alone", ">bounds"]
    columns += [] if target is None else [f"target {target:g}"]
    rows = (
        (
            f"{entry.label} and {first}",
            entry.group.value,
            f"{entry.distance.value:.4f}",
            f"{entry.distance.floor:.4f}",
            f"{entry.distance.low:.4f} to {entry.distance.high:.4f}",
            *([] if target is None else [entry.verdict(target).sentence]),
        )
        for entry in comparison.apart
    )
    console.print(word_table("total variation", "of", *columns, rows=rows))
    console.print(
        f"pours {_counts(comparison.pours)}, onto six standing {_counts(comparison.knock_pours)}, "
        f"not at rest in time {_counts(comparison.unsettled)} · 95 % intervals, pours being "
        "clusters; each bound of a total variation holds 95 %",
        style="dim",
    )


def _counts(counts: Sequence[int]) -> str:
    return " / ".join(f"{count:,}" for count in counts)


@documented_by(compare_pours)
def compare(
    engines: Annotated[
        str, options.ENGINES, "Engines, two or more, separated by commas."
    ] = "bullet,mujoco",
    *,
    pouring: PourFlags,
) -> None:
    """Pour with several physics engines and compare the shares.

    Shares of orientations, zones and knocks have intervals and differences from the first engine.
    Ctrl-C shows the results so far.

    Examples:
        pigglesim compare --engines bullet,mujoco --pours 20
        pigglesim compare piggles_classic --engines bullet,mujoco --pours 2000 --seed 1 --json
    """
    names = options.list_of(engines)
    if len(set(names)) < max(2, len(names)):
        raise SpecError(
            f"invalid engines {engines!r}",
            expected="two or more, each once",
            fix="use --engines bullet,mujoco",
        )
    pouring.compare("engine", names, engines=names)


@documented_by(compare_pours)
def converge(
    target: Annotated[float, Flag(low=0.0, high=1.0), "Total variation that is acceptable."] = 0.01,
    engine: options.Engine = None,
    *,
    pouring: PourFlags,
) -> None:
    """Pour with smaller time steps and compare the shares.

    The scene's time step is compared with half and a quarter of it: shares of orientations, zones
    and knocks, their intervals and differences, and the total variation. To resolve 0.01 takes a
    few thousand pours: hours on one core. Ctrl-C shows the results so far.

    Examples:
        pigglesim converge --pours 20
        pigglesim converge piggles_classic --pours 5000 --workers 8 --seed 1 --json
    """
    step = 1e3 * load_scene(pouring.scene).stepping.time_step
    steps = [step / parts for parts in (1, 2, 4)]
    pouring.compare("time_step_ms", steps, engine=options.chosen_engine(engine), target=target)


odds = CommandLine(
    help="Check the odds that `pigglesim study odds` writes against physics.", no_args_is_help=True
)


@odds.command()
def check(
    *,
    checking: Arguments = arguments_of(
        check_odds, *("matches", "throws"), model=options.MODEL, odds=Flag()
    ),
    workers: options.Workers = None,
    seed: options.Seed = None,
    engine: options.FastEngine = None,
    as_json: options.Json = False,
) -> None:
    """Play and throw on physics and by odds, and show both side by side.

    Matches are Classic, greedy against greedy. They give the mean of both scores, and the numbers
    of Piggles knocked to another orientation (flips), knocked at all, and knocked to another zone.
    Throws of 1, 3 and 6 onto the other team's six give the orientation and points of each of these
    before and after. By odds, each match and each throw is done ten times. All throws are new: no
    table was measured on them. Lines marked apart have intervals that do not overlap; of 20 equal
    numbers, fewer than one is marked. Nothing is written. Ctrl-C shows the results so far.

    Examples:
        pigglesim odds check --matches 4 --throws 10 --seed 1
        pigglesim odds check --model premium --matches 200 --workers 4 --json
    """
    with Work("matches and throws", "checking") as work:
        result = check_odds(
            seed=options.chosen_seed(seed),
            engine=engine,
            workers=options.chosen_workers(workers),
            progress=work.update,
            **checking,
        )
    if not result.finished:
        ignore_interrupts()
    if as_json:
        print_json(result.document())
    else:
        show_unfinished(result.unfinished)
        _show_odds(result.found)
        console = result_console()
        console.print(f"odds of {result.odds.model} · {result.engine}, seed {result.seed}")
    exit_if_stopped(not result.finished)


def _show_odds(summary: OddsCheck) -> None:
    console = result_console()
    heads = ("physics", "odds", "")
    if summary.match:
        rows = ((name.replace("_", " "), *_cells(at)) for name, at in summary.match.items())
        console.print(word_table("per match", *heads, rows=rows))
        console.print()
    table = word_table(">thrown", ">onto", ">stood", "before", "after", *heads)
    last = None
    for row in summary.transitions:
        first = (row.thrown, row.before) != last
        last = (row.thrown, row.before)
        about = (str(row.thrown), str(row.standing), f"{row.stood:,}", row.before)
        table.add_row(*(about if first else [""] * 4), row.after, *_cells(row.sides))
    if summary.transitions:
        console.print(table)
    numbers = [*summary.match.values(), *(row.sides for row in summary.transitions)]
    apart = sum(sides.apart for sides in numbers)
    console.print(
        f"{summary.matches:,} matches and {summary.throws:,} throws on physics, ten times as many "
        f"by odds; 95 % intervals; apart: {apart} of {len(numbers)}",
        soft_wrap=True,
    )


def _cells(sides: PairedEstimate) -> tuple[str, ...]:
    """Return both numbers with their intervals, and a mark if the intervals do not overlap."""
    return (*map(with_interval, (sides.physics, sides.odds)), "apart" if sides.apart else "")
