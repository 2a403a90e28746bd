"""What every refusal of every game says: a rule that exists, and a remedy that can be followed."""

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
                    named = zip(("holds", "rule", "expected", "got"), node.args, strict=True)
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
def test_every_refusal_tells_a_remedy_in_one_line(folder):
    for at, parts in calls(folder):
        if "holds" in parts:
            continue
        assert "fix" in parts, at
        remedy = constant(parts["fix"])
        if isinstance(parts["fix"], ast.Constant):
            assert isinstance(remedy, str) and remedy.strip() == remedy != "", at
            assert "\n" not in remedy and not remedy.endswith("."), at


@pytest.mark.parametrize("folder", NUMBERED)
def test_a_remedy_that_sets_a_house_rule_can_be_followed(folder):
    rules = dict(make_game(GAME_OF.get(folder, folder)).settings())
    for _, parts in calls(folder):
        remedy = constant(parts.get("fix"))
        for name, value in re.findall(r"\b(\w+)=(\w+)", str(remedy or "")):
            if name in rules:
                told = {"on": True, "off": False}.get(value, value)
                told = int(value) if value.isdigit() else told
                assert make_game(GAME_OF.get(folder, folder), {name: told})
