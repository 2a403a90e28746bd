"""What scripts/packages writes into its page stays what it measured."""

import re

from tests.packaging import environments
from tests.packaging.environments import TITLES, Row, replace_rows

PAGE = "before\n<!-- made by: scripts/packages --write x -->\n<!-- end -->\nafter\n"


def row(python, extra, **changed):
    return Row(**{"python": python, "extra": extra, "megabytes": 1.0, "seconds": 2.0} | changed)


def rows_of(page):
    table = [line for line in page.read_text().splitlines() if line.startswith("| ")]
    assert table[0] == "| " + " | ".join(TITLES) + " |"
    return [re.split(r" \| ", line.strip("| ")) for line in table[1:]]


def test_rows_are_put_in_order_and_those_of_other_environments_stay(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    replace_rows(page, "Wheel 1 kB.", [row("3.12.1", "none"), row("3.11.7", "all")])
    broken = row("3.11.7", "all", fault="roll: no such verb")
    replace_rows(page, "Wheel 2 kB.", [broken, row("3.11.7", "convex"), row("3.11.7", "none")])
    found = rows_of(page)
    keys = [("3.11.7", "none"), ("3.11.7", "convex"), ("3.11.7", "all"), ("3.12.1", "none")]
    assert [tuple(cells[:2]) for cells in found] == keys
    assert [cells[-1] for cells in found] == ["ok", "ok", "FAILED: roll: no such verb", "ok"]
    text = page.read_text()
    assert text.startswith("before\n<!-- made by: scripts/packages --write x -->\nWheel 2 kB.\n")
    assert text.endswith("<!-- end -->\nafter\n")


def test_every_extra_is_an_environment():
    import tomllib

    project = tomllib.loads((environments.ROOT / "pyproject.toml").read_text())["project"]
    assert set(environments.EXTRAS) == set(project["optional-dependencies"])
