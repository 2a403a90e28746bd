"""Flags of how a study is told."""

import json
import math
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from pigglesim.api.compile_notice import tell_of_compiling
from pigglesim.api.odds import measure_odds
from pigglesim.api.study import chosen_level, chosen_method, read_study, run_store, settled_study
from pigglesim.chance.physical import FilmedChance
from pigglesim.cli.command_line import CommandLine, Verb, Verbs
from pigglesim.cli.completions import ENGINE, FACTOR, KIND, MODEL, SCENE_OR_FLOOR, VIEW
from pigglesim.cli.consoles import (
    PlainConsole,
    finish_undisturbed,
    json_text,
    print_json,
    progress_bar,
    result_console,
    word_table,
)
from pigglesim.cli.drawing import watch
from pigglesim.cli.flags import WORD, Flag, command_here
from pigglesim.cli.options import (
    ForceOption,
    JsonOption,
    SeedOption,
    WorkersOption,
    chosen_seed,
    chosen_workers,
)
from pigglesim.errors import RecordError, SpecError, cut, one_line, unknown_name
from pigglesim.landing import Orientation
from pigglesim.render.playlist import Clip, Films
from pigglesim.studies.estimates import CellAnswers, Contrast, JointTable, StudyAnswers
from pigglesim.studies.folder import StoreError
from pigglesim.studies.identity import StudyPlan
from pigglesim.studies.query import query_study
from pigglesim.studies.run import target_of
from pigglesim.studies.shard import Thrower
from pigglesim.studies.statistics import Interval, Share
from pigglesim.studies.store import (
    Store,
    checked_table,
    put_aside,
    read_definition,
    read_table,
    shard_numbers,
    stored_study,
    whole_shards,
)
from pigglesim.studies.study import Study, ThrowKind, level_text

IntervalOption = Annotated[
    str, Flag("--interval", metavar="FORM"), "Form of the intervals of shares: wilson or jeffreys."
]
LevelOption = Annotated[
    float | None, Flag("--level"), "Confidence level of all intervals. Default: 0.95."
]

Found = Share | Interval
Columns = Mapping[str, Sequence[str]]
"""Heading of each column, and what it says of each row."""

_WIDTH = 96
_GAP = 2
_DASH = "-"
_MOST_PLACES = 6
_MOST_CELLS = 60
"""Rows of a table; JSON tells all."""


def show_answers(console: Console, answers: StudyAnswers) -> None:
    """Print what a study says: shares, then the board's own, then what each factor does.

    Args:
        console: Where to.
        answers: Of a study of one cell or of many.
    """
    cells = answers.cells[:_MOST_CELLS]
    levels = _level_columns([cell.factors for cell in cells])
    _show(console, "orientation", levels, _share_columns(cells))
    boards = [cell for cell in cells if cell.joint is not None]
    if boards:
        _show(console, "on the board", levels, _board_columns(boards))
    for cell in boards if len(cells) == 1 else []:
        assert cell.joint is not None
        console.print(_joint_table(cell.joint))
        console.print()
    for factor in dict.fromkeys(each.factor for each in answers.contrasts):
        _show_contrasts(console, [each for each in answers.contrasts if each.factor == factor])
    if len(answers.cells) > _MOST_CELLS:
        console.print(f"and {len(answers.cells) - _MOST_CELLS} cells more: --json tells all")
    console.print("\n".join(_footer(answers)), style="dim")


def rounded(found: Found | None, *, signed: bool = False) -> str:
    """Return a number and the longer arm of its interval, to the digits that the arm bears out.

    Of the arm's first three digits, 100 to 354 keep two, 355 to 949 one, and more make 1000 (the
    rule of the Particle Data Group); the number has as many places. What is not known is a dash; a
    number without an interval, a question mark.

    Args:
        found: A share or another number.
        signed: Whether a plus is written too, as of differences.
    """
    if found is None or not math.isfinite(found.value):
        return _DASH
    arm = max(found.high - found.value, found.value - found.low)
    if not math.isfinite(arm):
        return "?"
    places = _places(arm)
    value = round(found.value, places) + 0.0  # no minus zero
    return f"{value:{'+' if signed else ''}.{places}f} ±{arm:.{places}f}"


def _places(arm: float) -> int:
    """Return the decimal places that an interval's arm bears out."""
    if arm <= 0.0:
        return _MOST_PLACES // 2
    power = math.floor(math.log10(arm))
    first = arm / 10.0**power
    more = 1 if first < 3.545 else 0
    if first >= 9.495:
        power, more = power + 1, 1
    return min(_MOST_PLACES, max(0, more - power))


def _level_columns(factors: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    names = factors[0] if factors else ()
    return {name: [level_text(row[name]) for row in factors] for name in names}


def _share_columns(cells: Sequence[CellAnswers]) -> dict[str, list[str]]:
    """Return the shares of every orientation, and what they were counted on."""
    names = dict.fromkeys(name for cell in cells for name in cell.orientations)
    shares = [dict(zip(cell.orientations, cell.shares, strict=True)) for cell in cells]
    columns = {name: [rounded(own.get(name)) for own in shares] for name in names}
    if len(cells) == 1 or len({cell.throws for cell in cells}) > 1:
        columns["throws"] = [f"{cell.throws:,}" for cell in cells]
    if any(cell.dice != cell.throws for cell in cells):
        columns["dice"] = [f"{cell.dice:,}" for cell in cells]
    if any(cell.unsettled for cell in cells):
        columns["not at rest"] = [f"{cell.unsettled:,}" for cell in cells]
    return columns


def _board_columns(cells: Sequence[CellAnswers]) -> dict[str, list[str]]:
    """Return what lies on the board and what was knocked there."""
    agreement = [cell.independence for cell in cells]
    columns = {
        "points a die": [rounded(cell.points_per_die) for cell in cells],
        "points a throw": [rounded(cell.points_per_throw) for cell in cells],
        "off the board": [rounded(cell.off_board) for cell in cells],
        "lean on another": [rounded(cell.leaning) for cell in cells],
        "knocked of standing": [rounded(cell.knocked) for cell in cells],
        "knocks a throw": [rounded(cell.knocks_per_throw) for cell in cells],
        "pairs alike beyond chance": [
            rounded(each.agreement if each else None, signed=True) for each in agreement
        ],
        "p": [_p_value(each.p_value) if each else _DASH for each in agreement],
    }
    return {name: told for name, told in columns.items() if set(told) != {_DASH}}


def _p_value(value: float) -> str:
    if not math.isfinite(value):
        return _DASH
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}"


def _show(console: Console, heading: str, levels: Columns, columns: Columns) -> None:
    """Print columns beside the levels of their rows; those of one row, one below the other."""
    rows = len(next(iter(columns.values()), ()))
    if rows == 1:
        table = _table([heading], ["value"])
        for name, (told,) in columns.items():
            table.add_row(name, told)
        console.print(table)
    width = min(_WIDTH, console.width)
    for part in _parts(levels, columns, width) if rows > 1 else ():
        table = _table(list(levels), list(part))
        for row in range(rows):
            table.add_row(
                *(each[row] for each in levels.values()), *(each[row] for each in part.values())
            )
        console.print(table)
        console.print()
    if rows == 1:
        console.print()


def _parts(levels: Columns, columns: Columns, width: int) -> Iterator[Columns]:
    """Yield the columns, as many at a time as go side by side with the levels."""
    left = sum(_wide(name, told) for name, told in levels.items())
    part: dict[str, Sequence[str]] = {}
    used = left
    for name, told in columns.items():
        if part and used + _wide(name, told) > width:
            yield part
            part, used = {}, left
        part[name] = told
        used += _wide(name, told)
    yield part


def _wide(name: str, told: Sequence[str]) -> int:
    return _GAP + max(len(name), *(len(each) for each in told))


def _table(left: Sequence[str], right: Sequence[str]) -> Table:
    return word_table(*left, *(f">{name}" for name in right), gap=_GAP)


def _joint_table(joint: JointTable) -> Table:
    """Return the shares of rolled dice, a row for each zone."""
    table = _table(["of all rolled"], joint.orientations)
    for column, zone in enumerate(joint.zones):
        shares = [row[column] for row in joint.shares]
        if any(share.value > 0.0 for share in shares):
            # What never came is told by the shares above; here it would hide the others.
            table.add_row(zone, *(rounded(each) if each.value else _DASH for each in shares))
    return table


def _show_contrasts(console: Console, contrasts: Sequence[Contrast]) -> None:
    """Print what a factor does to each quantity, a row for each two levels and all others."""
    quantities = dict.fromkeys(each.quantity for each in contrasts)
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for each in contrasts:
        apart = f"{level_text(each.high)} - {level_text(each.low)}"
        key = (apart, *map(level_text, each.others.values()))
        if key not in rows and len(rows) == _MOST_CELLS:
            break
        rows.setdefault(key, {})[each.quantity] = rounded(each.difference, signed=True)
    names = [contrasts[0].factor, *contrasts[0].others]
    levels = {name: [key[at] for key in rows] for at, name in enumerate(names)}
    columns = {
        quantity: [row.get(quantity, _DASH) for row in rows.values()] for quantity in quantities
    }
    if len(rows) == 1:
        _show(console, f"{names[0]}: {levels[names[0]][0]}", levels, columns)
    else:
        _show(console, names[0], levels, columns)


def _footer(answers: StudyAnswers) -> list[str]:
    arms = f"± the longer arm of the {round(100 * answers.level, 3):g} % interval"
    lines = ["Shares are of the dice that show an orientation."]
    throws = {cell.throws for cell in answers.cells}
    if len(answers.cells) > 1 and len(throws) == 1:
        lines[0] = f"{throws.pop():,} throws in each cell. {lines[0]}"
    if any(cell.dice > cell.throws for cell in answers.cells):
        arms += ", throws being clusters"
    lines.insert(0, f"{arms}.")
    if answers.contrasts:
        lines.append("Differences are of throws with the same randomness in both: it cancels.")
    return lines


_EVERY = 0.25
"""Seconds between two looks at the shares."""
_MOST_ROWS = 100
_MOST_LETTERS = 1000
"""Of a value in a table: --json tells all of it."""
_MOST_NAMES = 3
"""Shares that are shown while a study of one cell runs."""


class StudyProgress:
    """Tells on standard error how far a run has come, and how well shares are known by then.

    Args:
        study: What is run.
        level: Of the intervals.
        quiet: Whether to tell nothing.
        compiling: Whether code is compiled before the first throws.
    """

    def __init__(
        self,
        study: Any,  # noqa: ANN401 (late imports)
        *,
        level: float,
        quiet: bool,
        compiling: bool = False,
    ) -> None:
        self._study = study
        self._level = level
        self._bar = progress_bar("throws", quiet=quiet)
        self._task = self._bar.add_task("compiling (once)" if compiling else "throwing", total=None)
        self._looked = 0.0

    def __enter__(self) -> "StudyProgress":
        """Show the bar."""
        self._bar.start()
        return self

    def __exit__(self, *fault: object) -> None:
        """Leave the bar as it is."""
        self._bar.stop()

    def __call__(self, progress: Any) -> None:  # noqa: ANN401 (late imports)
        """Take in how far it is."""
        # What was there before is no work of this run: neither its rate nor its time left.
        total = progress.wanted * self._study.cell_count - progress.throws_kept
        changes: dict[str, Any] = {"total": total, "completed": progress.throws_made}
        if progress.throws_made:
            kept = f", {progress.throws_kept:,} kept" if progress.throws_kept else ""
            changes["description"] = f"throwing{kept}"
        now = time.monotonic()
        if now - self._looked >= _EVERY or progress.throws_made >= total:
            self._looked = now
            changes["told"] = _shares_text(progress, self._level)
        self._bar.update(self._task, **changes)


def _shares_text(progress: Any, level: float) -> str:  # noqa: ANN401 (late imports)
    """Return the shares so far in short: of the only cell, or how wide the widest is."""
    cells = [counts for counts in progress.cells if counts.hits]
    if not cells:
        return ""
    if len(progress.cells) == 1 and len(cells[0].hits) <= _MOST_NAMES:
        rules = [orientation.label for orientation in Orientation]
        seen = sorted(cells[0].hits)
        names = [*(name for name in rules if name in seen), *(n for n in seen if n not in rules)]
        return ", ".join(f"{name} {rounded(cells[0].share(name, level=level))}" for name in names)
    shares = (counts.share(name, level=level) for counts in cells for name in counts.hits)
    widest = max((share.high - share.low) / 2.0 for share in shares)
    more = f" in {len(progress.cells)} cells" if len(progress.cells) > 1 else ""
    return f"shares{more} known to ±{widest:.2g} or better"


def show_answer(answer: Any) -> None:  # noqa: ANN401 (late imports)
    """Print the first rows of an answer as a table; in a pipe as wide as it wants to be."""
    console = PlainConsole(width=None if sys.stdout.isatty() else 1000)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in answer.columns:
        table.add_column(name, overflow="fold")
    for row in islice(answer.rows, _MOST_ROWS):
        table.add_row(*("" if value is None else _cell_text(value) for value in row))
    console.print(table)
    if next(answer.rows, None) is not None:
        console.print(f"the first {_MOST_ROWS} rows: add a LIMIT, or --json for all", style="dim")


def _cell_text(value: Any) -> str:  # noqa: ANN401 (JSON)
    return f"{value:.6g}" if isinstance(value, float) else cut(str(value), _MOST_LETTERS)


_HELP = """Throw many times, save every throw, report shares with intervals.

A drop is one die on a floor, a pour a cup onto an empty board, a knock a cup onto six that stand.
Each --factor NAME=LEVEL,LEVEL varies something: every combination is a cell, and cells start from
the same random numbers, so differences are precise. `--factor ?=1` lists the factors. A level may
have a unit of its own: --factor height=2in,50mm

If interrupted (Ctrl-C, kill, full disk), repeat the command, or give --out DIR alone, to resume.
The number of workers changes no bit. A worker that dies or hangs is replaced and its shard thrown
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

The view `throws` has one row per die, numbered by the columns throw and die, and one column per
factor. The column of the factor model is `models`, as `model` is that of each die; the column of
the factor standing is `stood`, as `standing` lists who stood there.

A STUDY.toml sets the same in a file; flags override it: kind = "pour", models = ["piggle"],
throws = 400 (or half_width = 0.01, level, max_throws), seed = 5, scene, engine, shard_size, and
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


study = CommandLine(cls=_StudyGroup, help=_HELP)


@study.command("watch")
def watch_throws(
    folder: Annotated[Path, WORD, Flag(metavar="DIR"), "Folder of a study."],
    camera: Annotated[
        str,
        VIEW,
        "Camera: table, top, south, north, east, west or low; or "
        "azimuth,elevation,distance. [deg, deg, m]",
    ] = "table",
    viewer: Annotated[str, Flag(metavar="VIEWER"), "Viewer: window, or null for none."] = "window",
) -> None:
    """Watch throws of a study in a window.

    The first throw of each shard is simulated again, bit for bit, as shards are finished. The study
    may be running; nothing is changed.

    Examples:
        pigglesim study watch pours
        pigglesim study watch pours --camera top --viewer null
    """
    study = stored_study(folder)
    refuse_drops(study)
    instead = f"--viewer null, or pigglesim study report {folder}"
    plan = StudyPlan.read(study)
    takes = Films(_takes(folder, plan), words="Waiting for a shard")
    seen = watch(
        takes, plan.base.scene, title=f"{folder}", instead=instead, camera=camera, viewer=viewer
    )
    print("\n".join(seen), end="\n" if seen else "")


def refuse_drops(study: Study) -> None:
    """Refuse a study in whose throws there is no table to look at.

    Raises:
        SpecError: If it is one of drops.
    """
    if study.kind is ThrowKind.DROP:
        raise SpecError(
            "a study of pours or knocks, which happen at a table",
            got="one of drops",
            remedy="--kind pour; poses of a drop: pigglesim poses MODEL",
        )


def open_beside(folder: Path) -> "subprocess.Popen[bytes]":
    """Open the window in a process of its own, which may outlive the study and be closed before.

    Args:
        folder: Of the study.
    """
    command = [sys.executable, "-P", "-m", "pigglesim", "study", "watch", str(folder)]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL)


def _takes(folder: Path, plan: StudyPlan) -> Iterator[Clip | None]:
    """Yield the first throw of each shard, in the order in which they are found; None to wait."""
    study, thrower, seen = plan.study, Thrower(plan), set[int]()
    cells = study.cells()
    while len(seen) < study.shard_count:
        found = (number for number in shard_numbers(folder) if number < study.shard_count)
        number = next((number for number in found if number not in seen), None)
        if number is None:
            yield None
            continue
        seen.add(number)
        shard = study.shard(number)
        trial = shard.trials.start
        chance, request = thrower.pour(shard.cell, trial)
        _, film = FilmedChance(source=chance).filmed(request, index=trial)
        levels = ", ".join(f"{name} {level}" for name, level in cells[shard.cell].items())
        yield Clip(
            film=film,
            title=f"Throw {shard.first_throw}{f': {levels}' if levels else ''}",
            story=(f"trial {trial} of seed {study.seed}, shard {number} of {study.shard_count}",),
        )


_SHOWN_FAULTS = 5
_QUICK = 5_000_000
"""Throws that are asked in some seconds, even after a stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """The flags that tell how a study is run and told: all that changes no throw."""

    level: LevelOption = None
    interval: IntervalOption = "wilson"
    workers: WorkersOption = None
    cluster: Annotated[
        str | None,
        Flag(metavar="ADDRESS"),
        "Address of a Dask scheduler to run the study on. Default: this machine.",
    ] = None
    watch: Annotated[bool, "Show throws in a window as they are made."] = False
    report: Annotated[bool, "Write report.html and pictures."] = True
    quiet: Annotated[bool, "Show no progress."] = False
    as_json: JsonOption = False


def run_study(plan: Any, folder: Path, manner: Manner) -> int:  # noqa: ANN401 (a Plan)
    """Run a study, show what came of it, and return the exit status."""
    from pigglesim.studies.cluster import expect_dask

    chosen_method(manner.interval)
    chosen_level(manner.level, plan.study)
    if manner.cluster:
        if manner.workers is not None:
            raise SpecError(
                "--cluster or --workers",
                got="both",
                remedy="leave --workers out: the cluster has its own",
            )
        expect_dask()
    with Store(folder, plan) as store:
        for note in store.notes:
            print(f"pigglesim: {note}", file=sys.stderr)
        compiling = False
        if not manner.quiet:
            print(f"pigglesim: {folder}, seed {plan.study.seed}", file=sys.stderr)
            throws = "drops" if plan.study.kind == "drop" else "pours"
            compiling = tell_of_compiling(plan.study.engine, throws=throws)
        if manner.watch:
            open_beside(folder)
        made = _throw(store, manner, compiling=compiling)
        progress, stopped = made.progress, made.stopped
        for number, fault in list(progress.failed.items())[:_SHOWN_FAULTS]:
            print(f"pigglesim: shard {number} was given up: {fault}", file=sys.stderr)
        if progress.failed and not stopped:
            print(f"pigglesim: {_given_up(store, progress)}", file=sys.stderr)
        if stopped:
            print(
                f"pigglesim: stopped; {progress.throws:,} throws are kept; "
                f"to go on: {command_here('study', '--out', str(folder))}",
                file=sys.stderr,
            )
        _tell(plan, folder, progress, manner, stopped=stopped)
    return 130 if stopped else 1 if progress.failed else 0


def _given_up(store: Any, progress: Any) -> RecordError:  # noqa: ANN401 (late imports)
    """Return what to tell of shards that were given up."""
    return RecordError(
        "every shard to be made",
        got=f"{len(progress.failed):,} given up, {progress.throws:,} throws kept",
        remedy=f"fix the faults above, then {command_here('study', '--out', str(store.path))}",
    )


def _throw(store: Any, manner: Manner, *, compiling: bool) -> Any:  # noqa: ANN401 (late imports)
    """Make every shard that is missing; return how it went."""
    level = chosen_level(manner.level, store.plan.study)
    with StudyProgress(
        store.plan.study, level=level, quiet=manner.quiet, compiling=compiling
    ) as watch:
        return run_store(
            store,
            workers=chosen_workers(manner.workers),
            cluster=manner.cluster,
            watch=watch,
            settle=finish_undisturbed,
        )


def _tell(plan: Any, folder: Path, progress: Any, manner: Manner, *, stopped: bool) -> None:  # noqa: ANN401 (late imports)
    """Show what a run came to, and write its report."""
    study, target = plan.study, target_of(plan.study)
    said, files = None, list[Path]()
    if progress.throws and not (stopped and progress.throws > _QUICK):
        said = read_study(folder, level=manner.level, interval=manner.interval)
        if not manner.as_json and said.answers:
            show_answers(result_console(), said.answers)
        # Whoever stops a run wants to go: the report can be had later.
        if manner.report and not stopped:
            files, notes = said.write_report()
            for note in notes:
                print(f"pigglesim: {note}", file=sys.stderr)
    reached = {"reached": target.reached(progress.cells)} if target else {}
    if manner.as_json:
        document = {
            "folder": str(folder),
            "digest": plan.digest,
            "study": study.definition(),
            "stopped": stopped,
            **reached,
            "throws": progress.throws,
            "shards_kept": progress.kept,
            "shards_made": progress.made,
            "failed": {str(number): fault for number, fault in progress.failed.items()},
            "report": str(files[0]) if files else None,
            "answers": said.document()["answers"] if said else None,
        }
        print_json(document)
        return
    console = result_console()
    if reached and not stopped and not progress.failed and not reached["reached"]:
        console.print("the precision was not reached: raise --max-throws, in another folder")
    if files:
        console.print(f"report: {files[0]}", soft_wrap=True)
    elif stopped and progress.throws:
        console.print(f"so far: {command_here('study', 'report', str(folder))}", soft_wrap=True)
    left = "" if progress.made or stopped or progress.failed else " · nothing was left to do"
    console.print(
        f"{folder} · {progress.throws:,} throws · {study.engine}, seed {study.seed}{left}",
        style="dim",
        soft_wrap=True,
    )


FolderArgument = Annotated[Path, WORD, Flag(metavar="DIR"), "Folder of a study."]


@study.command()
def query(
    folder: FolderArgument,
    question: Annotated[str, WORD, Flag(metavar="SQL"), "Question in SQL: one SELECT."],
    time_limit: Annotated[
        float, Flag(low=0.1), "Time limit of the answer, its printing included. [s]"
    ] = 300.0,
    as_json: JsonOption = False,
) -> None:
    """Ask the throws of a study in SQL.

    One SELECT from the view `throws`, which has one row per die; `DESCRIBE throws` lists its
    columns.

    Examples:
        pigglesim study query drops "SELECT orientation, count(*) FROM throws GROUP BY ALL"
        pigglesim study query pours "SELECT zone, avg(points) FROM throws GROUP BY ALL" --json
    """
    with query_study(folder, question, seconds=time_limit) as answer:
        if not as_json:
            show_answer(answer)
            return
        # Row by row: an answer may be longer than memory.
        between = "["
        for row in answer.rows:
            entry = dict(zip(answer.columns, row, strict=True))
            print(between, json_text(entry), sep="\n ", end="")
            between = ","
        print("\n]" if between == "," else "[]")


@study.command()
def show(
    folder: FolderArgument,
    as_json: JsonOption = False,
) -> None:
    """Show what a study is and how far it has come.

    Examples:
        pigglesim study show drops
        pigglesim study show drops --json
    """
    known, found = read_definition(folder), stored_study(folder)
    shards = whole_shards(folder)
    document = {
        "folder": str(folder),
        "study": found.definition(),
        "made_of": known["made_of"],
        "digest": known["digest"],
        "cells": found.cell_count,
        "shards_done": len(shards),
        "shards_at_most": found.shard_count,
        "throws_done": sum(len(found.shard(number).trials) for number in shards),
        "throws_at_most": found.most_throws * found.cell_count,
        "bytes": sum(path.stat().st_size for path in shards.values()),
    }
    if as_json:
        print_json(document)
        return
    most = "at most " if found.precision else ""
    console = result_console()
    console.print(
        f"{folder}: {document['throws_done']:,} of {most}{document['throws_at_most']:,} throws, "
        f"{len(shards):,} of {most}{found.shard_count:,} shards, "
        f"{document['bytes'] / 1e6:,.1f} MB",
        soft_wrap=True,
    )
    for table in (document["study"], document["made_of"]):
        for key, value in table.items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            console.print(f"  {key:15} {text}", soft_wrap=True)


@study.command()
def repair(folder: FolderArgument) -> None:
    """Put aside every file of a study that is not one of its shards.

    Such files go to the folder torn/ in the study. Run the study again to throw what is missing
    then.

    Examples:
        pigglesim study repair drops
    """
    notes = put_aside(folder)
    for note in notes:
        print(note)
    left = f"{len(shard_numbers(folder)):,} shards are whole"
    print(f"{folder}: {left}" if notes else f"{folder}: nothing to put aside, {left}")


@study.command()
def report(
    folder: FolderArgument,
    level: LevelOption = None,
    interval: IntervalOption = "wilson",
    as_json: JsonOption = False,
) -> None:
    """Show the results of a study and write report.html and pictures.

    The report of an unfinished study covers the throws so far.

    Examples:
        pigglesim study report drops
        pigglesim study report drops --level 0.99 --interval jeffreys
    """
    said = read_study(folder, level=level, interval=interval)
    files, notes = said.write_report()
    pictures = [path for path in files if path.suffix == ".png"]
    for note in notes:
        print(f"pigglesim: {one_line(note)}", file=sys.stderr)
    if as_json:
        told = {"report": str(files[0]), "pictures": [str(path) for path in pictures]}
        print_json({**said.document(), **told, "notes": notes})
        return
    console = result_console()
    if said.answers:
        show_answers(console, said.answers)
    console.print(f"report: {files[0]}", soft_wrap=True)
    console.print(
        f"{len(pictures)} pictures, each as .png and .svg: {pictures[0].parent}", soft_wrap=True
    )
    console.print(f"{folder} · {said.how_far}", style="dim", soft_wrap=True)


@study.command()
def odds(
    folders: Annotated[
        list[Path], WORD, Flag(metavar="DIR..."), "Folders of studies of pours and of knocks."
    ],
    out: Annotated[Path, "File to write, NAME.json."],
    model: Annotated[
        str | None, MODEL, "Model whose odds are written. Default: the only one thrown."
    ] = None,
    seed: Annotated[int, "Root seed of the rolls that are compared."] = 1,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write the odds of a model, for matches without physics.

    Studies of pours tell how Piggles lie by the number thrown, studies of knocks what is knocked
    too. They vary `number` (and `standing`, of knocks) and nothing else, but models. A table takes
    the Piggles of a pour as independent: what that costs is told as a total variation from the
    throws.

    Examples:
        pigglesim study --kind pour --factor number=1,2,3,4,5,6 --throws 2000 --out pours
        pigglesim study --kind knock --factor number=1,3,6 --factor standing=2,6 --out knocks
        pigglesim study odds pours knocks --out odds.json
        pigglesim match --chance tabular --odds odds.json
    """
    found = measure_odds(folders, model=model, seed=chosen_seed(seed), out=out, overwrite=force)
    if as_json:
        departures = [asdict(each) for each in found.departures]
        print_json({"odds": str(out), "model": found.model, "departures": departures})
        return
    _show_odds(found)
    result_console().print(
        f"odds of {found.model}: pigglesim match --chance tabular --odds {out}", soft_wrap=True
    )


def _show_odds(found: Any) -> None:  # noqa: ANN401 (Odds)
    """Print how far rolls by odds are from the throws."""
    numbers = (">thrown", ">standing", ">throws", ">value", ">by noise alone", ">bounds")
    table = word_table("total variation of", *numbers)
    for each in found.departures:
        table.add_row(
            each.of,
            str(each.thrown),
            str(each.standing),
            f"{each.throws:,}",
            f"{each.value:.3f}",
            f"{each.floor:.3f}",
            f"{each.low:.3f} to {each.high:.3f}",
        )
    console = result_console()
    if found.departures:
        console.print(table)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFlags:
    """The flags that tell what is thrown, and how often."""

    kind: Annotated[str | None, KIND, "Kind of throw: drop, pour or knock. Default: drop."] = None
    model: Annotated[
        list[str] | None,
        MODEL,
        "Model thrown; repeatable, each a level. In a pour also a,b,c for one cup. "
        "Default: piggle.",
    ] = None
    throws: Annotated[
        int | None, "Throws per cell, such as 400, 1e4 or 10k. Default: 10,000 drops, else 400."
    ] = None
    half_width: Annotated[
        float | None,
        "Half-width of the intervals at which throwing stops, such as 0.01. Default: none.",
    ] = None
    max_throws: Annotated[int | None, "Throws per cell at most, with --half-width."] = None
    factor: Annotated[
        list[str] | None,
        FACTOR,
        "Factor and its levels, such as friction=0.2,0.4 or height=2in,50mm; repeatable.",
    ] = None
    scene: Annotated[
        str | None,
        SCENE_OR_FLOOR,
        "Scene, or floor of a drop: a name or a TOML file. Default: piggles_classic, of a "
        "drop tabletop.",
    ] = None
    seed: SeedOption = None
    engine: Annotated[
        str | None,
        ENGINE,
        "Physics engine: impulse, bullet or mujoco. Default: the fastest installed.",
    ] = None
    shard_size: Annotated[int | None, "Throws per file. Default: by the size of the study."] = None

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


@study.command(_DEFAULT, help=_HELP, hidden=True, cls=_StudyCommand)
def run_or_resume(
    *,
    file: Annotated[
        Path | None, WORD, Flag(metavar="STUDY.toml"), "Study file, in place of flags."
    ] = None,
    flags: StudyFlags,
    out: Annotated[
        Path | None, Flag(metavar="DIR"), "Folder of the study. Default: a new one in ./studies."
    ] = None,
    manner: Manner,
) -> None:
    """Run a study into its folder."""
    plan = StudyPlan.of(_asked(file, flags.given(), out, manner.level))
    if manner.watch:
        from pigglesim.render.window import expect_window

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
