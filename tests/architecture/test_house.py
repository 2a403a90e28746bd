"""The measures of the code, and the picture drawn from its imports."""

import ast
import textwrap

import pytest

from scripts import architecture, house


def function(text):
    """Return the first function of a source."""
    return ast.parse(textwrap.dedent(text)).body[0]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return 1", 1),
        ("if a and b or c: pass", 4),
        ("return 1 if a else 2", 2),
        ("for x in y: pass\n    else: pass", 3),
        ("while a:\n        if b: break", 3),
        ("try: pass\n    except A: pass\n    except B: pass\n    else: pass", 4),
        ("return [x for x in y if x if z for w in x]", 5),
        ("with a: assert b", 2),
        ("match a:\n        case 1: pass\n        case 2: pass\n        case _: pass", 3),
        ("def inner():\n        if a: pass", 1),
    ],
)
def test_complexity_counts_decisions(body, expected):
    assert house.complexity(function(f"def f():\n    {body}\n")) == expected


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("isinstance(game, (int, Piggles))", ["Piggles"]),
        ("isinstance(state, piggles.PigglesState)", ["PigglesState"]),
        ("issubclass(kind, Piggles)", ["Piggles"]),
        ("is_piggles(game)", ["is_piggles"]),
        ("type(game) is Piggles", ["Piggles"]),
        ("match a:\n    case Piggles(): pass", ["Piggles"]),
        ("game.name != 'piggles_classic'", ["piggles_classic"]),
        ("scene == 'piggles_classic'", []),
        ("isinstance(game, Game)", []),
    ],
)
def test_a_check_of_a_concrete_game_is_found_in_every_form(source, found):
    rules = "class Piggles: pass\nclass PigglesState: pass\n"
    rules += "def is_piggles(game) -> TypeGuard[Piggles]: pass\n"
    trees = {
        "pigglesim.games.piggles": ast.parse(rules + source),
        "pigglesim.games.game": ast.parse("class Game: pass"),
        "pigglesim.table.piggles": ast.parse(source),
        "pigglesim.render.svg": ast.parse(source),
    }
    assert [each.split()[-1] for each in house.checks_on_games(trees)] == found


def test_compiled_functions_are_not_listed():
    branches = "\n".join(["    if a: pass"] * 15)
    source = f"def plain(a):\n{branches}\n@compiled\ndef fast(a):\n{branches}\n"
    assert house.complex_functions({"m": ast.parse(source)}) == ["16 m:1 plain"]


def test_imports_are_of_three_times():
    source = """
        import p.a
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from p.b import B
        def f():
            from p import c
        HOME = "p.d:name"
    """
    modules = {"p", "p.a", "p.b", "p.c", "p.d"}
    found = set(house.imports_of(ast.parse(textwrap.dedent(source)), modules))
    assert found == {("p.a", "start"), ("p.b", "typing"), ("p.c", "late"), ("p.d", "late")}


def test_a_longer_way_replaces_an_arrow():
    graph = {"a": {"b", "c"}, "b": {"c"}, "c": set()}
    assert architecture.reduced(graph) == {"a": {"b"}, "b": {"c"}, "c": set()}
    assert architecture.rows_of(graph) == [["a"], ["b"], ["c"]]


def test_the_picture_is_what_the_script_draws():
    shown = architecture.FILE.read_text(encoding="utf-8")
    assert shown == architecture.picture(), "scripts/architecture draws it again"
