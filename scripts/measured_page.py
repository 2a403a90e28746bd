"""Pages of measured results: a command writes what stands between its marks, and nothing else."""

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path


def write_between(page: Path, command: str, text: str) -> None:
    """Put a text between `<!-- made by: COMMAND ... -->` and `<!-- end -->` of a page.

    Raises:
        ValueError: If the page has no such marks, or more than one pair.
    """
    whole, start, end = _between(page, command)
    page.write_text(f"{whole[:start]}\n{text}\n\n{whole[end:]}")


def write_rows(
    page: Path, command: str, rows: Iterable[Sequence[str]], *, named_by: int = 1
) -> None:
    """Put rows into a table in place of those with the same first cells, or else below them.

    Raises:
        ValueError: If the page has no such marks, or more than one pair.
    """
    whole, start, end = _between(page, command)
    lines = whole[start:end].strip().splitlines()
    firsts = [line.split(" | ")[:named_by] for line in lines]
    for row in rows:
        line = f"| {' | '.join(row)} |"
        if (first := line.split(" | ")[:named_by]) in firsts:
            lines[firsts.index(first)] = line
        else:
            lines.append(line)
    write_between(page, command, "\n".join(lines))


def table_rows(page: Path, command: str) -> list[list[str]]:
    """Return the cells of each row of a table, without its headings.

    Raises:
        ValueError: If the page has no such marks, or more than one pair.
    """
    whole, start, end = _between(page, command)
    rows = whole[start:end].strip().splitlines()[2:]
    return [row.removeprefix("| ").removesuffix(" |").split(" | ") for row in rows]


def _between(page: Path, command: str) -> tuple[str, int, int]:
    """Return the text of a page, and where the part between its marks starts and ends."""
    whole = page.read_text(encoding="utf-8")
    # Another command may begin with this one.
    marks = rf"<!-- made by: {re.escape(command)}(?: [^\n]*)? -->\n(.*?)<!-- end -->"
    found = list(re.finditer(marks, whole, re.S))
    if len(found) != 1:
        raise ValueError(
            f"expected one pair of marks '<!-- made by: {command} -->' and '<!-- end -->' in {page}"
        )
    return whole, *found[0].span(1)


def markdown_table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], *, align: str = "---:"
) -> str:
    """Return a table in Markdown; `align` is the rule below all headings but the first."""
    lines = [headings, ["---", *[align] * (len(headings) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    write_between(Path(sys.argv[1]), sys.argv[2], sys.stdin.read().strip())
