"""What a study says, for people and as JSON: no digit more than its interval bears out."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from pigglesim.studies.answers import CellAnswers, Contrast, JointTable, StudyAnswers
from pigglesim.studies.estimate import Interval, Share
from pigglesim.studies.study import level_text

__all__ = ["rounded", "show_answers"]

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
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, _GAP, 0, 0))
    for name in left:
        table.add_column(name)
    for name in right:
        table.add_column(name, justify="right", no_wrap=True)
    return table


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
