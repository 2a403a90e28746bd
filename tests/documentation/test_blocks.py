"""Every command and every block of README and pages runs as it stands there."""

import pytest

from tests.documentation.pages import PAGES, ROOT, blocks
from tests.documentation.running import Page, in_order

RUN = [page for page in PAGES if blocks(page)]
NAMES = [str(page.relative_to(ROOT)) for page in RUN]


SLOW = {
    *("README.md", "docs/tour.md"),
    *(f"docs/how-to/{name}.md" for name in ("matches", "share", "study", "tournaments", "watch")),
}
"""They throw, play and compare as their readers do."""
MARKED = [
    pytest.param(page, id=name, marks=[pytest.mark.slow] if name in SLOW else [])
    for page, name in zip(RUN, NAMES, strict=True)
]


@pytest.mark.parametrize("path", MARKED)
def test_what_a_page_shows_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Page(path, tmp_path).run()


def test_the_two_commands_come_first():
    first = blocks(ROOT / "README.md")[0].text.splitlines()
    assert [line.split()[0] for line in first] == ["./scripts/run", "./scripts/test"]


def test_shown_lines_are_looked_for_in_their_order():
    assert in_order("a\n...\nc d...\n", "x\na\nb\nc d e\n")
    assert in_order("", "anything")
    assert not in_order("c\na\n", "a\nc\n")
    assert not in_order("a b\n", "a\n")
