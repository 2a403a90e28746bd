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
    marks = re.compile(rf"(<!-- made by: {re.escape(command)}[^\n]*-->\n).*?(<!-- end -->)", re.S)
    whole = page.read_text(encoding="utf-8")
    if len(marks.findall(whole)) != 1:
        raise ValueError(
            f"expected one pair of marks '<!-- made by: {command} -->' and '<!-- end -->' in {page}"
        )
    page.write_text(marks.sub(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", whole))


def markdown_table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], *, align: str = "---:"
) -> str:
    """Return a table in Markdown; `align` is the rule below all headings but the first."""
    lines = [headings, ["---", *[align] * (len(headings) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    write_between(Path(sys.argv[1]), sys.argv[2], sys.stdin.read().strip())
