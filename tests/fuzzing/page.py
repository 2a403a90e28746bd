"""The page of what was measured: its table is replaced, row by row, and nothing else of it."""

import re
from collections.abc import Iterable, Sequence

from pigglesim.errors import SpecError

_BEGIN = "<!-- made by: scripts/fuzz"
_PART = re.compile(rf"({re.escape(_BEGIN)}[^>]*-->\n)(.*?)(<!-- end -->)", re.DOTALL)


def written_page(page: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a page whose table has these rows; rows of other targets stay as they are.

    Args:
        page: As it is.
        headings: Of the columns; the first is that of the targets.
        rows: Of targets that were fuzzed anew.

    Raises:
        SpecError: If nothing in the page is marked as made by the command.
    """
    found = _PART.search(page)
    if found is None:
        raise SpecError(
            "a page with a part made by scripts/fuzz",
            got="none",
            remedy=f"put `{_BEGIN} -->` and `<!-- end -->` where the table belongs",
        )
    lines = dict(_named(line) for line in found[2].splitlines() if line.startswith("| "))
    lines.pop(headings[0], None)
    lines |= dict(_named(f"| {' | '.join(row)} |") for row in rows)
    rule = ["---", *("---:" for _ in headings[1:])]
    table = [f"| {' | '.join(headings)} |", f"|{'|'.join(rule)}|", *lines.values(), ""]
    return page[: found.start(2)] + "\n".join(table) + page[found.start(3) :]


def _named(line: str) -> tuple[str, str]:
    return line.split("|")[1].strip(), line
