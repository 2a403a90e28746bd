"""Figures of docs/trust/links.md for the page: `python -m scripts.trust.page_links FOLDER`.

FOLDER is a page that `pigglesim site` wrote, run here by node. Links of Python are opened in the
page, matches between two pages are opened in Python, and mutated links are opened in both. All that
a link shows has to be equal: decisions, throws and states to the bit, and the line of a fault.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from random import Random

from pigglesim.match.correspondence import replayed
from pigglesim.match.links import format_link
from scripts.documentation.pages import ROOT
from scripts.measured_page import markdown_table, write_rows
from tests.support import link_pages, links_seen
from tests.support.in_page import run_in_page
from tests.support.link_matches import QUICK, laid, mutated, quick_match
from tests.support.links_seen import seen

PAGE = ROOT / "docs" / "trust" / "links.md"
KINDS = {
    ("piggles_classic", "physical"): 0.5,
    ("piggles_classic", "tabular"): 0.2,
    ("piggles_modern", "tabular"): 0.2,
    ("piggyback", "fair"): 0.05,
    ("piggy_six", "fair"): 0.05,
}
"""Shares of matches by game and source of chance; those of the last two are long."""
_PART = 1000
"""Links that one page opens."""
_HEAD = """
import json
from random import Random
import page
from page_data import DATA
from pigglesim.match.correspondence import replayed
from pigglesim.site.table import PageTable
from links_seen import seen
"""
_REPLAY = """
import given
table = PageTable(DATA, page.engine)
json.dumps([seen(replayed(text, table._set_up)) for text in given.LINKS])
"""
_PLAY = """
import given
from link_pages import whole_match
random = Random(given.SEED)
new = lambda: PageTable(DATA, page.engine)
links = [whole_match(*kind, new, random) for kind in given.KINDS]
table = PageTable(DATA, page.engine)
json.dumps([[text, seen(replayed(text, table._set_up))] for text in links])
"""


def main(words):
    """Replay, play and mutate; print the table or put it into the page."""
    parser = argparse.ArgumentParser(prog="python -m scripts.trust.page_links", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--links", type=int, default=0, help="links of Python, opened in the page")
    parser.add_argument("--matches", type=int, default=0, help="matches of pages, opened in Python")
    parser.add_argument("--mutated", type=int, default=0, help="mutated links, opened in both")
    parser.add_argument("--write", action="store_true", help=f"write to {PAGE.name}")
    asked = parser.parse_args(words)
    rows = []
    if asked.links:
        rows += replayed_rows(asked.folder, asked.links)
    if asked.matches:
        rows += played_rows(asked.folder, asked.matches)
    if asked.mutated:
        rows += mutated_rows(asked.folder, asked.mutated)
    if asked.write:
        write_rows(PAGE, "python -m scripts.trust.page_links", rows)
    else:
        print(markdown_table(["links", "end", "number"], rows))


def _kinds(number):
    """Return pairs of game and source of chance, repeated by their shares of the links."""
    return [kind for kind, share in KINDS.items() for _ in range(max(1, round(share * number)))]


def _opened_in_page(folder, texts):
    """Yield what the page shows of each link; each thousand has a page of its own."""
    for start in range(0, len(texts), _PART):
        given = f"LINKS = {texts[start : start + _PART]!r}\n"
        answer = run_in_page(folder, _HEAD + _REPLAY, given=given, links_seen=_source(links_seen))
        yield from json.loads(answer)


def _source(module):
    return Path(module.__file__).read_text()


def _expect_equal(text, page, python):
    if page != python:
        raise AssertionError(f"page: {page[1]!r}, Python: {python[1]!r}, of {text}")


def _rows(links, kinds):
    return [
        [f"{links}: {game}, {chance}", "equal", f"{n:,}"]
        for (game, chance), n in Counter(kinds).items()
    ]


def replayed_rows(folder, number):
    """Open links of whole matches of Python in the page."""
    random, kinds = Random(1), _kinds(number)
    texts = [format_link(quick_match(*kind, random=random).link()) for kind in kinds]
    for text, page in zip(texts, _opened_in_page(folder, texts), strict=True):
        _expect_equal(text, page, ours := seen(replayed(text, laid)))
        assert not ours[1], ours[1]
    return _rows("of Python, opened in the page", kinds)


def played_rows(folder, number):
    """Open links of matches between two pages in Python."""
    kinds = _kinds(number)
    given = f"SEED, KINDS = 1, {kinds!r}\n"
    sources = {"links_seen": _source(links_seen), "link_pages": _source(link_pages)}
    for text, page in json.loads(run_in_page(folder, _HEAD + _PLAY, given=given, **sources)):
        _expect_equal(text, page, ours := seen(replayed(text, laid)))
        assert not ours[1], ours[1]
    return _rows("of two pages, opened in Python", kinds)


def mutated_rows(folder, number):
    """Open mutated links in the page and in Python: both say the same in one line."""
    random = Random(1)
    games = [format_link(quick_match(game, QUICK[game], random=random).link()) for game in QUICK]
    texts = [mutated(random.choice(games), random) for _ in range(number)]
    counts = Counter()
    for text, page in zip(texts, _opened_in_page(folder, texts), strict=True):
        _expect_equal(text, page, seen(replayed(text, laid)))
        fault = page[1]
        assert fault.isprintable() and len(fault) < 700, fault
        counts["one line" if fault else "nothing was changed"] += 1
    return [[f"mutated, opened in both: {end}", "equal", f"{n:,}"] for end, n in counts.items()]


if __name__ == "__main__":
    main(sys.argv[1:])
