"""The table of how results hang on the processor, and the page that holds it."""

from tests.determinism.measure import page_with, table_of


def test_a_page_changes_between_its_marks_alone():
    marks = "<!-- made by: scripts/measure_determinism -->", "<!-- end -->"
    page = f"before\n{marks[0]}\nold\n{marks[1]}\nafter\n"
    once = page_with(page, "new\n")
    assert once == f"before\n{marks[0]}\nnew\n{marks[1]}\nafter\n"
    assert page_with(once, "new\n") == once


def test_a_table_tells_which_bits_are_others():
    table = table_of({"x": "1", "y": "2"}, {"Haswell": {"x": "1", "y": "3"}})
    assert table.splitlines()[2:] == ["| x | same |", "| y | other |"]
