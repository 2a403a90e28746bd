"""The table of a page without a server, without arrays and without what checks files."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from pigglesim import analyse, play_match
from pigglesim.agents.registry import make_agent
from pigglesim.api.analyse import analyse_actions
from pigglesim.api.review_message import header_at, review_message, tried_message
from pigglesim.bodies.load import load_model
from pigglesim.chance.odds import load_odds
from pigglesim.errors import SpecError
from pigglesim.games.registry import find, make_game
from pigglesim.landing import Cocked, CupHold, ReadingRules, RollRequest, Seat
from pigglesim.match.record import parse_record
from pigglesim.pcg64 import Stream
from pigglesim.rng import generator
from pigglesim.scene.load import load_scene
from pigglesim.site.chance import PageChance
from pigglesim.site.data import page_data, six_data
from pigglesim.site.review import PageReview
from pigglesim.site.six import page_solution
from pigglesim.site.table import PageTable
from pigglesim.throws import Pour, reach

_REFUSED = """
import sys

class Refused:
    names = {"numpy", "scipy", "numba", "pydantic", "shapely", "rich", "textual", "starlette"}
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Refused())
"""
"""Beginning of a program that finds no libraries of arrays, files and pictures."""
_PLAYED = """
import json
from pigglesim.chance.odds import KnockOdds, Odds, ThrowOdds
from pigglesim.landing import Zone
from pigglesim.site.compiling import play, reopened
from pigglesim.site.table import PageData, PageGame, PageTable

def played(seed):
    game = {"name": "lord_of_the_pigs", "chances": ["fair"], "min_players": 4,
            "agents": ["greedy", "uniform"], "levels": [{"agent": "greedy"}], "rules": []}
    thrown = {1: ThrowOdds(throws=0, shares={(None, Zone.OFF): 1.0}, leaning={})}
    odds = Odds(model="piggle", thrown=thrown, knocks=KnockOdds(rates={}, standing={}))
    data = PageData(welcome={"games": [game]}, odds=odds, radius=0.0, origin={},
                    games={"lord_of_the_pigs": PageGame(stage=None, markings={}, rules=("", ""))})
    table = PageTable(data, engine=None)
    play(table, game, seed)
    return table, PageTable(data, engine=None)

def asked(table, do, **words):
    return json.loads(table.hear(json.dumps({"do": do, "table": [*table.matches][-1], **words})))

table, other = played(5)
"""
_RECORD = """
reopened(table)
print(asked(table, "file")[0]["text"], end='')
"""
_REVIEW = """
from pigglesim.site.review import EFFORT
EFFORT["lord_of_the_pigs"] = (6, 6)
found = [asked(table, "file")[0]["text"]]
for do, decision in (("review", None), ("what_if", 3)):
    (message,) = asked(table, do, decision=decision)
    other.hear(json.dumps(message["wish"]))
    assert [json.loads(other.step())[0]["done"] for _ in range(3)] == [1, 2, 3]
    found += json.loads(other.hear('{"do": "stop"}'))
print(json.dumps(found))
"""


def _output(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_match_played_without_arrays_has_the_record_of_one_played_with_them() -> None:
    text = _output(_REFUSED + _PLAYED + _RECORD)
    assert text == _output(_PLAYED + _RECORD)
    assert parse_record(text).footer.result is not None


def _interrupted(done: int, total: int) -> None:
    if done == 3 < total:
        raise KeyboardInterrupt


def test_a_review_of_the_page_is_that_of_python_with_the_same_agent_and_playouts() -> None:
    text, review, tried = json.loads(_output(_REFUSED + _PLAYED + _REVIEW))
    record = parse_record(text)
    same: Any = {
        "agent": "mcts:nodes=6:code=rules", "playouts": 6, "seed": 1, "progress": _interrupted
    }  # fmt: skip
    ours = review_message(analyse(record, **same))
    assert json.loads(json.dumps(ours)) == review
    assert len(ours["decisions"]) == 3
    assert ours["source"].endswith("seed 1. Stopped after 3 decisions.")
    header, played = header_at(record, 3)
    actions = tried_message(
        analyse_actions(header, played=played, **same), decision=3, played=played
    )
    assert json.loads(json.dumps(actions)) == tried


@pytest.mark.parametrize("rules", [{}, {"target": 50}])
def test_piggy_six_is_reviewed_by_exact_values_or_not_at_all(rules: dict[str, Any]) -> None:
    match = play_match(game="piggy_six", agents=["hold", "uniform"], house_rules=rules, seed=3)
    if rules:
        with pytest.raises(SpecError, match="reviews Piggy Six by its usual rules alone"):
            PageReview(match.record, load_odds("piggle"))
        return
    (*_, page) = PageReview(match.record, load_odds("piggle")).messages()
    assert page == review_message(analyse(match, seed=1))
    assert {each["loss"]["method"] for each in page["decisions"]} == {"exact"}


@pytest.mark.slow
def test_every_player_throws_dice() -> None:
    data, _ = page_data()
    table = PageTable(data, lambda _: "")
    players = ["hold"] * find("piggy_six").max_players
    wish = {"do": "new", "game": "piggy_six", "players": players, "seed": 1}
    answers = json.loads(table.hear(json.dumps(wish)))
    while messages := json.loads(table.step()):
        answers += messages
    assert not [each["text"] for each in answers if each["is"] == "fault"]
    assert [each for each in answers if each["is"] == "state"][-1]["over"]


@pytest.fixture(autouse=True)
def _values_of_piggy_six(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the module with the values, which the folder of a page has."""
    module = ModuleType("page_six")
    module.__dict__["DATA"] = six_data()
    monkeypatch.setitem(sys.modules, "page_six", module)


@pytest.mark.parametrize("first", [True, False])
def test_values_of_piggy_six_have_the_bits_of_compiled_code(*, first: bool) -> None:
    game, seat, draw = make_game("piggy_six"), Seat.A if first else Seat.B, Stream(4)
    ours: Any = make_agent("best", game=game)
    for _ in range(60):
        own, other = draw.below(100), draw.below(100 if first else 170)
        bank = (own, other) if first else (other, own)
        state: Any = game.initial_state()
        seen: Any = game.observe(
            replace(state, bank=bank, active=seat, total=draw.below(130)), seat
        )
        assert page_solution().action_values(seen) == ours.action_values(seen)


def _chance(engine: Any) -> PageChance:
    scene, body = load_scene("piggles_classic"), load_model("piggle")
    return PageChance(
        scene=scene, seed=3, radius=reach(body), origin={}, engine=engine, show=lambda _: None
    )


@pytest.mark.parametrize("seat", [Seat.A, Seat.B])
@pytest.mark.parametrize(
    "hold", [None, CupHold(across=0.03, back=0.1, height=0.07, heading=0.2, swing=0.6)]
)
def test_a_throw_starts_with_the_bits_of_a_pour(seat: Seat, hold: CupHold | None) -> None:
    started: list[dict[str, Any]] = []

    def engine(throw: str) -> str:
        started.append(json.loads(throw))
        raise InterruptedError

    names = tuple(f"{seat}{number}" for number in range(1, 7))
    for index in range(20):
        with pytest.raises(InterruptedError):
            _chance(engine).answer(
                RollRequest(thrower=seat, piggles=names, standing=(), hold=hold), index=index
            )
        body = load_model("piggle")
        pour = Pour(scene=load_scene("piggles_classic"), seat=seat, hold=hold)
        throw = pour.sample((body,) * 6, rng=generator(3, "roll", index))
        motion = throw.path.motion._asdict()
        assert started[index]["motion"] == {k: v for k, v in motion.items() if k != "samples"}
        places = np.hstack([throw.positions, throw.rotations]).tolist()
        assert started[index]["places"] == places


def test_whole_numbers_of_the_engine_are_numbers_of_a_throw() -> None:
    end = {"places": [[0, -0.0, 1, 0, 0, 0, 1]], "landed": [[0, 0, 0]], "strikers": [-1]}
    chance = _chance(lambda _: json.dumps({**end, "time": 1, "timed_out": False}))
    result = chance.answer(RollRequest(thrower=Seat.A, piggles=("A1",), standing=()), index=0)
    ((_, landing),) = result.landings
    assert repr(landing.place) == (
        "RestPlace(position=(0.0, -0.0, 1.0), rotation=(0.0, 0.0, 0.0, 1.0))"
    )
    assert repr(result.settle.time) == "1.0"


def test_what_the_engine_of_the_page_cannot_read_is_refused() -> None:
    nudged = ReadingRules(cocked=Cocked.NUDGE)
    request = RollRequest(thrower=Seat.A, piggles=("A1",), standing=(), reading=nudged)
    with pytest.raises(SpecError, match="cannot throw so"):
        _chance(None).answer(request, index=0)


def test_the_page_names_its_files_by_paths_in_its_folder() -> None:
    client = Path(__file__).parents[3] / "pigglesim" / "serve" / "web"
    page = (client / "app.html").read_text()
    assert 'href="web/' in page
    assert not re.search(r'(href|src)="/', page)
