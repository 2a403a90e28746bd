"""The page of Lord of the P.I.G.S. says what the program does."""

import re
from pathlib import Path

from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.lord_of_the_pigs.state import LordPhase, LordRules
from tests.random_lord import at

PAGE = (Path(__file__).parents[3] / "docs" / "games" / "lord_of_the_pigs.md").read_text()
GAME = LordOfThePigs()


def rows(header):
    table = PAGE.split(header)[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table]


def test_the_house_rules_on_the_page_are_those_of_the_program():
    told = {name.strip("`"): default.strip("`") for name, default, _ in rows("| switch |")}
    words = dict(word.split("=") for word in LordRules().to_text().split())
    assert told == words


def test_the_actions_on_the_page_can_be_read():
    actions = [re.findall(r"`([^`]+)`", text)[0] for text, _ in rows("| text |")]
    assert [GAME.format_action(GAME.parse_action(text)) for text in actions] == actions
    assert len({type(GAME.parse_action(text)) for text in actions}) == len(actions) == 10


def test_the_example_is_played_as_it_is_told():
    (example,) = re.findall(r"```\n(B submit.*?)```", PAGE, re.DOTALL)
    _, vote, minus, plus = (line[2:] for line in example.splitlines())
    state = at(
        LordPhase.VOTING,
        hands={"Corporate": "C2", "President": "C6", "Banker": "C5"},
        table=[("Banker.C1", "Energy:C1")],
        asked=["Corporate"],
        first="Corporate",
    )
    state = GAME.apply_action(state, GAME.parse_action(vote))
    # Of all four only the President and the Banker hold an Alternate Mode.
    state = GAME.apply_action(state, GAME.parse_action(minus))
    assert state.sides[2].discard == ("C2",)
    state = GAME.apply_action(state, GAME.parse_action(plus))
    assert (state.ratings, state.stability) == ((1, 2, 1, 0), 6)


def test_the_commands_on_the_page_exist():
    from typer.main import get_command

    from pigglesim.cli.app import app

    verbs = get_command(app).list_commands(None)
    (block,) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    assert all(line.split()[1] in verbs for line in block.splitlines())
