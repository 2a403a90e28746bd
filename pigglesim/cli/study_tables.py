"""Tables of `pigglesim study`: shares, results on the board, effects of factors, and answers."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, islice

from rich.console import Console
from rich.table import Table

from pigglesim.cli import consoles
from pigglesim.cli.consoles import word_table
from pigglesim.errors import cut
from pigglesim.experiments.estimates import ALIKE, CellAnswers, Contrast, JointTable, StudyAnswers
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.run import StudyProgress
from pigglesim.experiments.sql_sandbox import QueryAnswer
from pigglesim.landing import Orientation
from pigglesim.units import DASH, cell_name, level_text, percent, plus_minus

Columns = Mapping[str, Sequence[str]]
"""Cells of each column, by heading, one per row."""

_WIDTH, _GAP = 96, 2
_MAX_CELLS = 60
"""Maximum rows of a table; JSON has all rows."""


def show_results(console: Console, answers: StudyAnswers) -> None:
    """Print the shares of a study, the results on the board, and the effect of each factor."""
    cells = answers.cells[:_MAX_CELLS]
    levels = _levels(cells)
    _show(console, "orientation", levels, _share_columns(cells))
    if any(cell.budgets for cell in cells):
        console.print(consoles.budget_table(budgets_of(cells)))
        console.print()
    boards = [cell for cell in cells if cell.joint is not None]
    if boards:
        _show(console, "on the board", levels, _board_columns(boards))
    for cell in boards if len(cells) == 1 else []:
        assert cell.joint is not None
        console.print(_joint_table(cell.joint))
        console.print()
    for factor in dict.fromkeys(contrast.factor for contrast in answers.contrasts):
        _show_contrasts(console, [each for each in answers.contrasts if each.factor == factor])
    if len(answers.cells) > _MAX_CELLS:
        console.print(f"and {len(answers.cells) - _MAX_CELLS} more cells: --json shows all")
    console.print("\n".join(_footer(answers)), style="dim")


def _levels(cells: Sequence[CellAnswers]) -> Columns:
    """Return columns with the level of every factor."""
    names = cells[0].factors if cells else ()
    return {name: [level_text(cell.factors[name]) for cell in cells] for name in names}


def _number(estimate: Interval | None, *, signed: bool = False) -> str:
    """Return a number with its larger distance to an end of its interval; a dash for None."""
    return DASH if estimate is None else plus_minus(estimate, signed=signed)


def _share_columns(cells: Sequence[CellAnswers]) -> dict[str, list[str]]:
    """Return columns with the share of every orientation, and the number of dice."""
    names = dict.fromkeys(name for cell in cells for name in cell.orientations)
    shares = [dict(zip(cell.orientations, cell.shares, strict=True)) for cell in cells]
    columns = {name: [_number(own.get(name)) for own in shares] for name in names}
    throws, dice, unsettled = zip(
        *((cell.throws, cell.dice, cell.unsettled) for cell in cells), strict=True
    )
    counts = {
        "throws": throws if len(cells) == 1 or len({*throws}) > 1 else (),
        "dice": dice if dice != throws else (),
        "not at rest": unsettled if any(unsettled) else (),
    }
    return columns | {name: [f"{n:,}" for n in own] for name, own in counts.items() if own}


def budgets_of(cells: Sequence[CellAnswers]) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield the cell, the orientation and the deviations of each share by source."""
    for cell in cells:
        for name, budget in zip(cell.orientations, cell.budgets or (), strict=True):
            yield cell_name(cell.factors), name, budget.deviations()


def _board_columns(cells: Sequence[CellAnswers]) -> dict[str, list[str]]:
    """Return columns with the landings and knocks on the board."""
    known = [cell.on_board for cell in cells]
    columns = {
        name: [_number(own.get(name), signed=name == ALIKE) for own in known]
        for name in dict.fromkeys(name for own in known for name in own)
    }
    p = [cell.p_of_alike for cell in cells]
    return columns | ({} if set(p) == {DASH} else {"p": p})


def _show(console: Console, heading: str, levels: Columns, columns: Columns) -> None:
    """Print columns next to the levels of their rows; print a single row vertically."""
    rows = len(next(iter(columns.values()), ()))
    if rows == 1:
        values = ((name, *cells) for name, cells in columns.items())
        console.print(word_table(heading, ">value", rows=values))
        console.print()
    left = sum(_column_width(name, cells) for name, cells in levels.items())
    rest = list(columns) if rows > 1 else []
    while rest:
        # Print as many columns at a time as fit next to the levels.
        widths = accumulate((_column_width(name, columns[name]) for name in rest), initial=left)
        fitting = sum(width <= min(_WIDTH, console.width) for width in islice(widths, 1, None))
        part, rest = rest[: max(1, fitting)], rest[max(1, fitting) :]
        cells = zip(*levels.values(), *(columns[name] for name in part), strict=True)
        console.print(word_table(*levels, *(f">{name}" for name in part), rows=cells))
        console.print()


def _column_width(name: str, cells: Sequence[str]) -> int:
    return _GAP + max(len(name), *(len(each) for each in cells))


def _joint_table(joint: JointTable) -> Table:
    """Return the shares of rolled dice, one row per zone."""
    table = word_table("of all rolled", *(f">{name}" for name in joint.orientations))
    for column, zone in enumerate(joint.zones):
        shares = [row[column] for row in joint.shares]
        if any(share.value > 0.0 for share in shares):
            # Zones that never occurred are in the shares above; here they would hide the others.
            table.add_row(zone, *(_number(share) if share.value else DASH for share in shares))
    return table


def _show_contrasts(console: Console, contrasts: Sequence[Contrast]) -> None:
    """Print the effect of a factor on each quantity: a row per pair of levels and other levels."""
    quantities = dict.fromkeys(contrast.quantity for contrast in contrasts)
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for contrast in contrasts:
        difference = f"{level_text(contrast.high)} - {level_text(contrast.low)}"
        key = (difference, *map(level_text, contrast.others.values()))
        if key not in rows and len(rows) == _MAX_CELLS:
            break
        ratio = "" if contrast.width_ratio is None else f" ({contrast.width_ratio:.2f})"
        shown = _number(contrast.difference, signed=True)
        rows.setdefault(key, {})[contrast.quantity] = f"{shown}{ratio}"
    names = [contrasts[0].factor, *contrasts[0].others]
    levels = {name: [key[at] for key in rows] for at, name in enumerate(names)}
    columns = {
        quantity: [row.get(quantity, DASH) for row in rows.values()] for quantity in quantities
    }
    heading = f"{names[0]}: {levels[names[0]][0]}" if len(rows) == 1 else names[0]
    _show(console, heading, levels, columns)


def _footer(answers: StudyAnswers) -> list[str]:
    clusters = any(cell.dice > cell.throws for cell in answers.cells)
    arms = f"± is the larger distance to an end of the {percent(answers.level)} interval"
    throws = {cell.throws for cell in answers.cells}
    even = len(answers.cells) > 1 and len(throws) == 1
    lines = [
        f"{arms}{'; dice of one throw count as one cluster' if clusters else ''}.",
        f"{f'{throws.pop():,} throws in each cell. ' if even else ''}"
        "Shares are of the dice that show an orientation.",
    ]
    if any(cell.budgets for cell in answers.cells):
        lines += [
            "More throws narrow counting only, and not floors, law and mesh.",
        ]
        if clusters:
            lines += ["The error of the law is in shares, not in points."]
    if answers.contrasts:
        lines += [
            "(0.80): pairing makes this interval 0.80 times as wide; (1.00): it gains nothing."
        ]
    return lines


_MAX_SHARES = 3
"""Maximum number of shares shown while a study of one cell runs."""


def shares_in_short(progress: StudyProgress, level: float) -> str:
    """Return the shares so far of the only cell, or the widest interval of several cells."""
    cells = [counts for counts in progress.cells if counts.hits]
    if not cells:
        return ""
    if len(progress.cells) == 1 and len(cells[0].hits) <= _MAX_SHARES:
        rules = [orientation.label for orientation in Orientation]
        names = sorted(
            cells[0].hits, key=lambda name: (rules.index(name) if name in rules else 3, name)
        )
        named_shares = ((name, cells[0].share(name, level=level)) for name in names)
        return ", ".join(f"{name} {plus_minus(share)}" for name, share in named_shares)
    shares = (counts.share(name, level=level) for counts in cells for name in counts.hits)
    widest = max((share.high - share.low) / 2.0 for share in shares)
    scope = f" in {len(progress.cells)} cells" if len(progress.cells) > 1 else ""
    return f"shares{scope} known to ±{widest:.2g} or better"


_MAX_ROWS = 100
_MAX_CHARACTERS = 1000
"""Maximum characters of a value in a table; --json prints it in full."""


def show_query(answer: QueryAnswer) -> None:
    """Print the first rows of an answer as a table, with unlimited width in a pipe."""
    console = consoles.result_console(piped=1000)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in answer.columns:
        table.add_column(name, overflow="fold")
    for row in islice(answer.rows, _MAX_ROWS):
        table.add_row(*("" if value is None else _cell_text(value) for value in row))
    console.print(table)
    if next(answer.rows, None) is not None:
        console.print(f"the first {_MAX_ROWS} rows: add a LIMIT, or --json for all", style="dim")


def _cell_text(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else cut(str(value), _MAX_CHARACTERS)
