"""Every command and every block of README and pages runs as it stands there."""

from contextlib import nullcontext

import pytest

from tests.documentation.pages import PAGES, ROOT, blocks
from tests.documentation.run_set import beyond_run_set, run_set_only
from tests.documentation.running import Page, in_order

RUN = [page for page in PAGES if blocks(page)]
NAMES = [str(page.relative_to(ROOT)) for page in RUN]


SLOW = {
    *("README.md", "docs/tour.md"),
    *(f"docs/how-to/{name}.md" for name in ("matches", "share", "study", "tournaments", "watch")),
}
"""They throw, play and compare as their readers do."""
RUN_SET = {
    *("README.md", "docs/tour.md"),
    *(f"docs/how-to/{name}.md" for name in ("share", "study", "tournaments", "watch")),
}
"""They need no more than `scripts/run` installs; some others are about an extra."""
MARKED = [
    pytest.param(page, id=name, marks=[pytest.mark.slow] if name in SLOW else [])
    for page, name in zip(RUN, NAMES, strict=True)
]


@pytest.mark.slow
@pytest.mark.parametrize("path", MARKED)
def test_what_a_page_shows_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    with run_set_only() if str(path.relative_to(ROOT)) in RUN_SET else nullcontext():
        Page(path, tmp_path).run()


def test_what_tests_alone_install_cannot_be_imported_where_a_run_is_meant():
    assert {"distributed", "mujoco", "coacd", "pettingzoo", "nbclient"} <= beyond_run_set()
    assert not {"pigglesim", "numpy", "numba", "duckdb", "imageio_ffmpeg"} & beyond_run_set()
    with run_set_only(), pytest.raises(ImportError):
        import distributed  # noqa: F401
    import distributed as again

    assert again.__name__ == "distributed"


def test_the_two_commands_come_first():
    first = blocks(ROOT / "README.md")[0].text.splitlines()
    assert [line.split()[0] for line in first] == ["./scripts/run", "./scripts/test"]


def test_shown_lines_are_looked_for_in_their_order():
    assert in_order("a\n...\nc d...\n", "x\na\nb\nc d e\n")
    assert in_order("", "anything")
    assert not in_order("c\na\n", "a\nc\n")
    assert not in_order("a b\n", "a\n")
