"""Results of a study as tables: shares, contrasts, and rows of a query."""

import math
import sys
from collections.abc import Mapping, Sequence
from itertools import accumulate, islice

from rich.console import Console
from rich.table import Table

from pigglesim.cli.consoles import PlainConsole, word_table
from pigglesim.errors import cut
from pigglesim.experiments.estimates import CellAnswers, Contrast, JointTable, StudyAnswers
from pigglesim.experiments.query import Answer
from pigglesim.experiments.run import Progress
from pigglesim.experiments.statistics import Interval
from pigglesim.landing import Orientation
from pigglesim.units import DASH, plus_minus, spelt

Columns = Mapping[str, Sequence[str]]
"""Cells of each column, by heading, one per row."""

_WIDTH = 96
_GAP = 2
_MOST_CELLS = 60
"""Maximum rows of a table; JSON has all rows."""


def show_answers(console: Console, answers: StudyAnswers) -> None:
    """Print the shares of a study, the results on the board, and the effect of each factor."""
    cells = answers.cells[:_MOST_CELLS]
    names = cells[0].factors if cells else ()
    levels = {name: [spelt(cell.factors[name]) for cell in cells] for name in names}
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


def number_text(found: Interval | None, *, signed: bool = False) -> str:
    """Return a number with the longer arm of its interval as text; a dash for None."""
    return DASH if found is None else plus_minus(found, signed=signed)


def _share_columns(cells: Sequence[CellAnswers]) -> dict[str, list[str]]:
    """Return columns with the share of every orientation, and the number of dice."""
    names = dict.fromkeys(name for cell in cells for name in cell.orientations)
    shares = [dict(zip(cell.orientations, cell.shares, strict=True)) for cell in cells]
    columns = {name: [number_text(own.get(name)) for own in shares] for name in names}
    if len(cells) == 1 or len({cell.throws for cell in cells}) > 1:
        columns["throws"] = [f"{cell.throws:,}" for cell in cells]
    if any(cell.dice != cell.throws for cell in cells):
        columns["dice"] = [f"{cell.dice:,}" for cell in cells]
    if any(cell.unsettled for cell in cells):
        columns["not at rest"] = [f"{cell.unsettled:,}" for cell in cells]
    return columns


def _board_columns(cells: Sequence[CellAnswers]) -> dict[str, list[str]]:
    """Return columns with the landings and knocks on the board."""
    agreement = [cell.independence for cell in cells]
    columns = {
        "points a die": [number_text(cell.points_per_die) for cell in cells],
        "points a throw": [number_text(cell.points_per_throw) for cell in cells],
        "off the board": [number_text(cell.off_board) for cell in cells],
        "lean on another": [number_text(cell.leaning) for cell in cells],
        "knocked of standing": [number_text(cell.knocked) for cell in cells],
        "knocks a throw": [number_text(cell.knocks_per_throw) for cell in cells],
        "pairs alike beyond chance": [
            number_text(each.agreement if each else None, signed=True) for each in agreement
        ],
        "p": [_p_value(each.p_value) if each else DASH for each in agreement],
    }
    return {name: told for name, told in columns.items() if set(told) != {DASH}}


def _p_value(value: float) -> str:
    if not math.isfinite(value):
        return DASH
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}"


def _show(console: Console, heading: str, levels: Columns, columns: Columns) -> None:
    """Print columns next to the levels of their rows; print a single row vertically."""
    rows = len(next(iter(columns.values()), ()))
    if rows == 1:
        table = word_table(heading, ">value")
        for name, (told,) in columns.items():
            table.add_row(name, told)
        console.print(table)
        console.print()
    left = sum(_wide(name, told) for name, told in levels.items())
    rest = list(columns) if rows > 1 else []
    while rest:
        # Print as many columns at a time as fit next to the levels.
        widths = accumulate((_wide(name, columns[name]) for name in rest), initial=left)
        fitting = sum(width <= min(_WIDTH, console.width) for width in islice(widths, 1, None))
        part, rest = rest[: max(1, fitting)], rest[max(1, fitting) :]
        table = word_table(*levels, *(f">{name}" for name in part))
        for row in zip(*levels.values(), *(columns[name] for name in part), strict=True):
            table.add_row(*row)
        console.print(table)
        console.print()


def _wide(name: str, told: Sequence[str]) -> int:
    return _GAP + max(len(name), *(len(each) for each in told))


def _joint_table(joint: JointTable) -> Table:
    """Return the shares of rolled dice, one row per zone."""
    table = word_table("of all rolled", *(f">{name}" for name in joint.orientations))
    for column, zone in enumerate(joint.zones):
        shares = [row[column] for row in joint.shares]
        if any(share.value > 0.0 for share in shares):
            # Zones that never occurred are in the shares above; here they would hide the others.
            table.add_row(zone, *(number_text(each) if each.value else DASH for each in shares))
    return table


def _show_contrasts(console: Console, contrasts: Sequence[Contrast]) -> None:
    """Print the effect of a factor on each quantity: a row per pair of levels and other levels."""
    quantities = dict.fromkeys(each.quantity for each in contrasts)
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for each in contrasts:
        apart = f"{spelt(each.high)} - {spelt(each.low)}"
        key = (apart, *map(spelt, each.others.values()))
        if key not in rows and len(rows) == _MOST_CELLS:
            break
        rows.setdefault(key, {})[each.quantity] = number_text(each.difference, signed=True)
    names = [contrasts[0].factor, *contrasts[0].others]
    levels = {name: [key[at] for key in rows] for at, name in enumerate(names)}
    columns = {
        quantity: [row.get(quantity, DASH) for row in rows.values()] for quantity in quantities
    }
    heading = f"{names[0]}: {levels[names[0]][0]}" if len(rows) == 1 else names[0]
    _show(console, heading, levels, columns)


def _footer(answers: StudyAnswers) -> list[str]:
    clusters = any(cell.dice > cell.throws for cell in answers.cells)
    arms = f"± the longer arm of the {round(100 * answers.level, 3):g} % interval"
    throws = {cell.throws for cell in answers.cells}
    even = len(answers.cells) > 1 and len(throws) == 1
    lines = [
        f"{arms}{', throws being clusters' if clusters else ''}.",
        f"{f'{throws.pop():,} throws in each cell. ' if even else ''}"
        "Shares are of the dice that show an orientation.",
    ]
    if answers.contrasts:
        lines.append("Differences are of throws with the same randomness in both: it cancels.")
    return lines


_MOST_NAMES = 3
"""Maximum number of shares shown while a study of one cell runs."""


def shares_in_short(progress: Progress, level: float) -> str:
    """Return the shares so far of the only cell, or the widest interval of several cells."""
    cells = [counts for counts in progress.cells if counts.hits]
    if not cells:
        return ""
    if len(progress.cells) == 1 and len(cells[0].hits) <= _MOST_NAMES:
        rules = [orientation.label for orientation in Orientation]
        names = sorted(
            cells[0].hits, key=lambda name: (rules.index(name) if name in rules else 3, name)
        )
        told = ((name, cells[0].share(name, level=level)) for name in names)
        return ", ".join(f"{name} {plus_minus(share)}" for name, share in told)
    shares = (counts.share(name, level=level) for counts in cells for name in counts.hits)
    widest = max((share.high - share.low) / 2.0 for share in shares)
    more = f" in {len(progress.cells)} cells" if len(progress.cells) > 1 else ""
    return f"shares{more} known to ±{widest:.2g} or better"


_MOST_ROWS = 100
_MOST_LETTERS = 1000
"""Maximum characters of a value in a table; --json prints it in full."""


def show_query(answer: Answer) -> None:
    """Print the first rows of an answer as a table, with unlimited width in a pipe."""
    console = PlainConsole(width=None if sys.stdout.isatty() else 1000)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in answer.columns:
        table.add_column(name, overflow="fold")
    for row in islice(answer.rows, _MOST_ROWS):
        table.add_row(*("" if value is None else _cell_text(value) for value in row))
    console.print(table)
    if next(answer.rows, None) is not None:
        console.print(f"the first {_MOST_ROWS} rows: add a LIMIT, or --json for all", style="dim")


def _cell_text(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else cut(str(value), _MOST_LETTERS)
