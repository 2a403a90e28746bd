"""What a notebook shows of values: whole SVG or HTML, or nothing but their text."""

import ast
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from pigglesim.agents.registry import make_agent
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.statistics import share_of
from pigglesim.experiments.tournament import AgentStanding, Outcomes, Standings
from pigglesim.films.codec import write_film
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.state import PigglesRules
from pigglesim.landing import Landing, Orientation, RollResult, Seat, Zone
from pigglesim.match.record import write_record
from pigglesim.match.runner import play
from pigglesim.units import with_interval
from tests.support.simple_odds import simple_chance
from tests.unit.render.conftest import HOSTILE
from tests.unit.render.made_studies import answers_of, row, store
from tests.unit.render.skeleton import Skeleton
from tests.unit.render.test_svg import SVG


def words_of(text):
    return ["".join(each.itertext()) for each in ElementTree.fromstring(text).iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def match():
    agents = {Seat.A: make_agent("greedy"), Seat.B: make_agent("uniform")}
    chance = simple_chance(seed=2, knock=0.3)
    game = PigglesClassic(rules=PigglesRules(rounds=2))
    return play(game, agents=agents, chance=chance, seed=2)


def test_a_match_shows_how_it_ended(match):
    words = words_of(match._repr_html_())
    winner = match.state.result.winner
    side = {Seat.A: "A (South)", Seat.B: "B (North)"}[winner]
    assert words[0] == f"greedy against uniform: {side} wins (score)"
    assert f"A (South): {match.state.a.score} points" in words
    assert match.record._repr_html_() == match._repr_html_()


def test_a_position_and_a_roll_show_marks_and_say_so(match):
    roll = RollResult(
        landings=(
            ("A1", Landing(orientation=Orientation.SNOUT_UP, zone=Zone.WOODS)),
            ("A2", Landing(orientation=None, zone=Zone.OFF)),
        )
    )
    words = words_of(roll._repr_svg_())
    assert "marks on the standard board: bodies are unknown" in words
    assert "A1" in words
    assert "A2" not in words
    assert f"B (North): {match.state.b.score} points" in words_of(match.state._repr_svg_())


def test_a_study_shows_its_tables_with_intervals():
    rows = [row(k, orientation="Snout-Up" if k % 3 else "Snout-Down") for k in range(60)]
    answers = answers_of(store(rows), {0: {}})
    found = Skeleton(answers._repr_html_())
    assert with_interval(answers.cells[0].shares[0]) in found.words
    assert "Snout-Up" in found.words
    assert any("95 %" in words for words in found.words)
    assert {"table", "th", "td"} <= found.tags


def test_standings_show_every_agent_and_no_name_does_harm():
    half = share_of(np.array([5, 4]), np.array([9, 9]))
    mean = Interval(value=1.0, low=-1.0, high=3.0, level=0.95, method="t")
    won = Outcomes(wins=10, draws=0, losses=8)
    agent = AgentStanding(
        name=HOSTILE,
        elo=mean,
        pairs=9,
        outcomes=won,
        share=half,
        score_difference=mean,
        without_luck=None,
    )
    table = Standings(
        agents=(agent,), matchups=(), pairs=9, seat_a=half, reasons={}, decisions=1.0, forfeits=()
    )
    found = Skeleton(table._repr_html_())
    assert "img" not in found.tags
    assert any(cell.startswith("<img") for cell in found.words)
    assert with_interval(half) in found.words
    assert any("95 %" in words for words in found.words)


def test_the_cell_on_the_page_shows_what_it_says(match, film, tmp_path, monkeypatch):
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "share.md").read_text()
    (code,) = (part for part in page.split("```python\n") if "read_record" in part)
    write_record(match.record, tmp_path / "match.jsonl")
    write_film(film, tmp_path / "seven.film")
    monkeypatch.chdir(tmp_path)
    names, shown = {}, []
    for line in ast.parse(code.partition("```")[0]).body:
        if isinstance(line, ast.Expr):
            value = eval(ast.unparse(line), names)
            shown.append((getattr(value, "_repr_html_", None) or value._repr_svg_)())
        else:
            exec(ast.unparse(line), names)
    assert shown[0].startswith("<iframe ")
    assert 'sandbox="allow-scripts"' in shown[0]
    assert words_of(shown[1])[0].startswith("greedy against uniform: ")
    assert words_of(shown[2])[0] == "A roll"
