"""The table of what was disturbed and what became of it: on a terminal, and in a page."""

from pathlib import Path

from rich.console import Console
from rich.table import Table

from pigglesim.errors import SpecError
from tests.faults.trial import BREACHES

_BEGIN, _END = "<!-- made by: scripts/faults", "<!-- end -->"
_HEADS = ("fault", "ran", "times", "moments hit", "lost", "twice", "torn", "other", "verdict")


def _cells(row):
    """Return the cells of a row, as text."""
    others = [f"{name} {row.count(name)}" for name in BREACHES if name not in {"lost", "twice"}]
    other = ", ".join(word for word in others if not word.endswith(" 0")) or "0"
    count = len(row.trials)
    moments = ", ".join(f"{name} {number}" for name, number in sorted(row.moments.items()) if name)
    if not row.trials:
        verdict = f"not tried here: {row.untried}"
    elif row.broken:
        verdict = f"BROKEN {row.broken} of {count}"
    elif count < 20:
        verdict = "kept"
    else:
        verdict = f"kept: breaks below {row.interval.high:.1%}"
    torn = sum(bool(trial.torn) for trial in row.trials)
    lost, twice = row.count("lost"), row.count("twice")
    fixed = (row.fault.told, row.fault.subject, count, moments, lost, twice, torn, other, verdict)
    return [str(cell) for cell in fixed]


def show(rows):
    """Print the table."""
    table = Table(box=None, header_style="bold")
    for head in _HEADS:
        table.add_column(head)
    for row in rows:
        table.add_row(*_cells(row))
    Console(width=200).print(table)
    for row in rows:
        for trial in row.trials:
            for name, seen in trial.breaches:
                print(f"{row.fault.key} {row.fault.subject}: {name}: {seen}")


def table_lines(rows):
    """Return the table as lines of Markdown."""
    lines = [f"| {' | '.join(_HEADS)} |", "|" + " --- |" * len(_HEADS)]
    return lines + [
        f"| {' | '.join(cell.replace('|', '/') for cell in _cells(row))} |" for row in rows
    ]


def write_page(rows, path: Path):
    """Put the table in the place of the one in a page; all else there stays.

    Raises:
        SpecError: If the page has no place for it.
    """
    text = path.read_text()
    start, end = text.find(_BEGIN), text.find(_END)
    if not 0 <= start < end:
        raise SpecError(
            f"a page with {_BEGIN} ... --> and {_END}", got=str(path), remedy="add them"
        )
    begin = text[start : text.index("\n", start) + 1]
    path.write_text(text[:start] + "\n".join([begin, *table_lines(rows), "", text[end:]]))
