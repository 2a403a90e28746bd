"""ASCII for terminals whose signs are wide: every line of the screen and every line printed."""

import re

import pytest

from pigglesim.chance.tabular import FairChance
from pigglesim.games.registry import game_names, make_game
from pigglesim.glyphs import spell
from tests.support.front_door import run_here
from tests.support.simple_odds import simple_chance
from tests.unit.tui.tables import at_screen, session, settled


def screen(app):
    """Return every line of the screen as it reaches the terminal."""
    return [strip.text for strip in app.screen._compositor.render_strips()]


@pytest.mark.parametrize("name", game_names())
def test_the_screen_is_ascii_and_no_line_changes_its_width(tmp_path, name):
    game = make_game(name)
    piggles = name.startswith("piggles")
    chance = simple_chance(seed=2) if piggles else FairChance(seed=2)
    scene = name if piggles else None
    agents = dict.fromkeys(game.seats)
    table = session(
        tmp_path / "m.jsonl", game=game, agents=agents, chance=chance, scene=scene, practice=True
    )

    async def script(app, pilot):
        for key in ("a", "1", "enter", "h", "question_mark", "escape", "r"):
            await pilot.press(key)
            await settled(app, pilot)
            lines = screen(app)
            assert all(line.isascii() for line in lines), [x for x in lines if not x.isascii()]
            assert {len(line) for line in lines} == {80}
        assert "-" in "".join(lines)

    at_screen(table, script, size=(80, 24), ascii_only=True)


def test_a_die_adds_no_number_to_its_own():
    assert re.findall(r"\d", spell("rolls ⚁ 2 ⚅ 6")) == ["2", "6"]


@pytest.mark.slow
def test_every_verb_that_draws_text_prints_ascii_on_request(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    modern = ("--game", "piggles_modern", "--chance", "tabular", "--seed", 3, "--team-a", "rare")
    verbs = {
        "match": ("match", *modern, "--rule", "rounds=2", "--out", "m.jsonl"),
        "replay": ("replay", "m.jsonl"),
        "board": ("board", "m.jsonl"),
        "roll": ("roll", 2, "--seed", 7),
        "play": ("play", *modern, "--plain", "--hints", "greedy", "--out", "p.jsonl"),
        "six": ("match", "piggy_six", "--chance", "fair", "--seed", 1, "--rule", "target=20"),
    }
    for name, words in verbs.items():
        lines = "all\nhelp\nrules\nhint\n" if name == "play" else None
        printed = run_here(*words, "--ascii", stdin=lines).output
        assert printed.isascii(), [line for line in printed.splitlines() if not line.isascii()]
        # Every sign has a spelling of its own.
        assert "?" not in printed or name == "play"
        assert len(printed.splitlines()) > 5


def test_signs_in_columns_have_one_character_each():
    from pigglesim.render.palette import POSE_MARKS, RUNE_MARKS

    signs = [*POSE_MARKS.values(), *RUNE_MARKS.values(), *"♣·█▒■●○▸│─┌┐└┘⚀⚁⚂⚃⚄⚅"]
    assert all(len(spell(sign)) == 1 and spell(sign) != "?" for sign in signs)
    for marks in (POSE_MARKS, RUNE_MARKS):
        assert len({spell(mark) for mark in marks.values()}) == len(marks)
