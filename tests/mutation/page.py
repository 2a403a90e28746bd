"""A page of measured results: a command replaces what it made there and nothing else."""

from collections.abc import Sequence
from pathlib import Path

_END = "<!-- end -->"


def put(page: Path, maker: str, text: str) -> None:
    """Replace what stands on a page between `<!-- made by: MAKER ... -->` and `<!-- end -->`.

    Args:
        page: A page that has such a place.
        maker: The command, with the arguments that tell its place from others.
        text: What shall stand there.

    Raises:
        SystemExit: The page has no such place.
    """
    start = f"<!-- made by: {maker}"
    before, opened, rest = page.read_text().partition(start)
    head, arrow, body = rest.partition("-->\n")
    _, closed, after = body.partition(_END)
    if not (opened and arrow and closed):
        raise SystemExit(f"expected {start} ... --> and {_END} in {page}, got none; try: add them")
    page.write_text(f"{before}{start}{head}{arrow}\n{text.strip()}\n\n{closed}{after}")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of Markdown, its first column words and the others numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
