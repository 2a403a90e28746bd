"""The one table of keys: nothing in it twice, and help and documentation tell all of it."""

from collections import Counter
from pathlib import Path

from pigglesim.render.bindings import BINDINGS
from tests.unit.render.shown import watching

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "window-keys.md"


def test_no_key_does_two_things():
    counts = Counter(key for binding in BINDINGS for key in binding.keys.split())
    assert [key for key, count in counts.items() if count > 1] == []


def test_help_and_documentation_tell_every_key_whole():
    window = watching()
    window.events.key_down("f1")
    texts = window.frame().sheet.texts
    page = PAGE.read_text()
    for row in BINDINGS:
        assert {row.shown, row.does, row.group} <= set(texts)
        assert f"| {row.shown} | {row.does} |" in page
    assert [text for text in texts if "…" in text] == []
