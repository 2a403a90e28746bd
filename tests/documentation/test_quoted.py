"""Tables that quote the program say what it says, in every column, and every row has its words."""

import re

import pytest

from scripts.documentation.pages import PAGES, ROOT
from scripts.documentation.quoted import quoted, tables_of

QUOTING = [page for page in PAGES if tables_of(page.read_text())]
PIGGLES = (ROOT / "docs" / "games" / "piggles.md").read_text()


@pytest.mark.parametrize("page", QUOTING, ids=lambda page: page.name)
def test_the_tables_are_those_of_the_program_and_every_row_has_words(page):
    text = page.read_text()
    assert quoted(text) == text, "scripts/site --write makes them anew"
    for name, words in tables_of(text).items():
        assert words and all(words.values()), name


def test_all_pages_together_quote_as_much_as_there_is():
    named = {page.stem for page in QUOTING}
    games = {"piggles", "lord_of_the_pigs", "pig_pile", "piggy_six", "piggyback"}
    assert named == {"scene", "floor", "model", "team", "study", "counted-die", *games}
    tables = {name for page in QUOTING for name in tables_of(page.read_text())}
    assert len(tables) == 29


def test_a_wrong_default_and_a_missing_row_are_corrected():
    wrong = PIGGLES.replace("`6`; 1 to 100", "`7`; 1 to 100")
    wrong = re.sub(r"\| `mud_delay` .*\n", "", wrong)
    mended = quoted(wrong)
    assert "| `rounds` | `6`; 1 to 100 | R5 | length of the game |" in mended
    assert "| `mud_delay` | `one_full_turn`, `owner_turn`, `none` | P3 | when a" in mended


def test_every_ruling_of_a_switch_is_on_the_page():
    on_page = set(re.findall(r"\*\*([PMR]\d+)\*\*", PIGGLES))
    asked = set(re.findall(r"\| ([PM]\d+)(?:, ([PM]\d+))? \|", PIGGLES))
    assert {ruling for pair in asked for ruling in pair if ruling} <= on_page
