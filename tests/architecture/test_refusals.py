"""Every error of every game names a rule that exists and a fix that can be followed."""

import ast
import re
from pathlib import Path

import pytest

import pigglesim.games
from pigglesim.games.registry import make_game

FOLDER = Path(pigglesim.games.__file__).parent
NUMBERED = {
    "piggles": {"R": 24, "P": 18, "M": 20},
    "pig_pile": {"R": 10, "PP": 18},
    "piggyback": {"R": 9, "PB": 13},
    "piggy_six": {"R": 6, "PS": 7},
    "lord_of_the_pigs": {"R": 10, "LP": 19},
}
"""How many rules and rulings each game has, by their letters."""
GAME_OF = {"piggles": "piggles_modern"}


def calls(folder):
    """Give the arguments of every error and invariant in the modules of a game."""
    for path in [*sorted((FOLDER / folder).glob("*.py")), *FOLDER.glob(f"{folder}.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                parts = {word.arg: word.value for word in node.keywords}
                if node.func.id == "Invariant":
                    named = zip(("holds", "rule", "problem"), node.args, strict=True)
                    yield f"{path.name}:{node.lineno}", dict(named)
                elif node.func.id in {"SpecError", "IllegalActionError"}:
                    yield f"{path.name}:{node.lineno}", parts


def constant(node):
    return node.value if isinstance(node, ast.Constant) else None


@pytest.mark.parametrize("folder", NUMBERED)
def test_every_rule_that_a_refusal_names_exists(folder):
    known = {
        f"{letter}{n}" for letter, most in NUMBERED[folder].items() for n in range(1, most + 1)
    }
    named = {
        (rule, at)
        for at, parts in calls(folder)
        for rule in str(constant(parts.get("rule")) or "").split(", ")
        # How long a game may last is nowhere ruled.
        if rule and rule != "longest game"
    }
    assert len(named) > 10
    assert [(rule, at) for rule, at in named if rule not in known] == []


@pytest.mark.parametrize("folder", NUMBERED)
def test_a_fix_that_sets_a_house_rule_can_be_followed(folder):
    game = GAME_OF.get(folder, folder)
    rules = dict(make_game(game).settings())
    for _, parts in calls(folder):
        for name, value in re.findall(r"\b(\w+)=(\w+)", str(constant(parts.get("fix")) or "")):
            if name in rules:
                setting = {"on": True, "off": False}.get(value, value)
                assert make_game(game, {name: int(value) if value.isdigit() else setting})
