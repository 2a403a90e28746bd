"""Lists of real throws, a CSV file with one row per throw, counted into a `die.toml`."""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pigglesim.durable_io import write_atomically
from pigglesim.errors import SpecError, cut, unknown_name
from pigglesim.experiments.counted_dice import DIE_FILE, read_table
from pigglesim.files import FileKind, read_text
from pigglesim.landing import class_names

COLUMN = "outcome"
"""Column of a list that names how the die came to rest, unless it is the only one."""
_LIST = FileKind(name="list of throws", max_bytes=64 * 1024**2)
_COUNT = re.compile(r"(\bcount\s*=\s*)[\d_]+")
_COUNTS = re.compile(r"^(counts\s*=\s*)\[[^\]]*\]", re.MULTILINE)
_TOTAL = re.compile(r"^(throw_count\s*=\s*)[\d_]+", re.MULTILINE)


def count_throws(file: Path, labels: Sequence[str]) -> dict[str, int]:
    """Return the number of throws of each outcome in a list, in the order of the outcomes.

    The first row names the columns, unless it is a throw itself. Columns are separated by commas,
    or by semicolons, as some spreadsheets write them.

    Raises:
        SpecError: If a row is empty, too short or too long, or an outcome is unknown.
    """
    where, known = file.name, class_names(labels)
    rows = _rows(file)
    head = rows[0] if rows else []
    column, begin = 0, 0
    if len(head) != 1 or head[0].casefold() not in known:
        column, begin = _column(head, where), 1
    counts: Counter[str] = Counter()
    for number, cells in enumerate(rows[begin:], start=begin + 1):
        if not any(cells):
            raise SpecError(f"line {number} of {where} is empty", fix="remove it")
        if len(cells) != len(head):
            raise SpecError(
                f"line {number} of {where} has {len(cells)} columns",
                expected=str(len(head)),
                fix="correct that line",
            )
        if cells[column].casefold() not in known:
            raise unknown_name(f"outcome in line {number} of {where}", cells[column], labels)
        counts[known[cells[column].casefold()]] += 1
    if not counts:
        raise SpecError(f"{where} has no throw", fix="add one row per throw")
    return {label: counts[label] for label in labels}


def _rows(file: Path) -> list[list[str]]:
    """Return the rows of a list, each with its cells."""
    text = read_text(file, _LIST)
    first_line = text.partition("\n")[0]
    mark = ";" if ";" in first_line and "," not in first_line else ","
    try:
        rows = [*csv.reader(text.splitlines(), delimiter=mark, strict=True)]
    except csv.Error as fault:
        raise SpecError(f"{file.name}: {fault}", expected="CSV", fix="export it again") from None
    return [[cell.strip() for cell in row] for row in rows]


def _column(head: Sequence[str], where: str) -> int:
    if len(head) == 1 and head[0]:
        return 0
    if [cell.casefold() for cell in head].count(COLUMN) != 1:
        names = ", ".join(head)
        raise SpecError(
            f"{where} has the columns {cut(names)}" if names else f"{where} begins with no row",
            expected=f"one column {COLUMN}",
            fix=f"name the column of the outcomes {COLUMN}",
        )
    return [cell.casefold() for cell in head].index(COLUMN)


def outcomes_of(die: Path) -> dict[str, int]:
    """Return the outcomes of a `die.toml` with their counts, which may still be 0.

    Raises:
        SpecError: If it is faulty.
    """
    table = read_table(die)
    return dict(zip((each.label for each in table.outcome), table.counted(), strict=True))


def write_counts(die: Path, counts: dict[str, int]) -> None:
    """Write the counts of all outcomes into a `die.toml`; the rest of its text stays.

    Raises:
        SpecError: If its counts are not where they can be replaced; the file stays as it was.
    """
    text = read_text(die, DIE_FILE)
    numbers = [*counts.values()]
    if len(_COUNT.findall(text)) == len(numbers):
        left = iter(numbers)
        changed = _COUNT.sub(lambda found: f"{found[1]}{next(left)}", text)
    else:
        changed = _COUNTS.sub(lambda found: f"{found[1]}{numbers}", text)
    changed = _TOTAL.sub(lambda found: f"{found[1]}{sum(numbers)}", changed)
    if read_table(die, changed).counted() != tuple(numbers):
        raise SpecError(
            f"no counts to replace in {die.name}", fix="give each outcome a line `count = 0`"
        )
    write_atomically(die, changed.encode())
