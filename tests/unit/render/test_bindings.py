"""The one table of keys: nothing in it twice, nothing missing, and the help page tells all."""

from collections import Counter
from pathlib import Path

from pigglesim.render.bindings import BINDINGS, HAND, BindingGroup, Command, command_of, help_rows
from tests.unit.render.shown import watching

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "window-keys.md"


def test_no_key_does_two_things():
    counts = Counter(key for binding in BINDINGS for key in binding.keys)
    assert [key for key, count in counts.items() if count > 1] == []


def test_every_command_has_a_key():
    assert {binding.command for binding in BINDINGS} == set(Command)


def test_keys_of_a_row_are_told_apart():
    assert command_of("f2") == (Command.VIEW, 1)
    assert command_of("f9") == (Command.VIEW, 8)
    assert command_of("7") == (Command.PICK, 7)
    assert command_of("f12") is None


def test_the_help_page_tells_every_key_whole():
    window = watching()
    window.events.key_down("f1")
    texts = window.frame().sheet.texts
    for row in (*BINDINGS, *HAND):
        assert row.shown in texts
        assert row.does in texts
    assert [text for text in texts if "…" in text] == []


def test_help_has_a_head_for_each_group():
    rows = help_rows(tuple(BindingGroup))
    assert [shown for shown, does in rows if not does] == [group.value for group in BindingGroup]
    assert len(rows) == len(BindingGroup) + len(BINDINGS) + len(HAND)


def test_the_page_tells_every_key():
    text = PAGE.read_text()
    missing = [row.does for row in (*BINDINGS, *HAND) if row.does not in text]
    assert missing == []
