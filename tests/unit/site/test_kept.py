"""Matches of earlier visits, and what a page may not name: anything can be stored in a browser."""

import json
import sys
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from pigglesim.chance.odds import load_odds
from pigglesim.landing import Seat
from pigglesim.scene.load import load_scene
from pigglesim.site.chance import PageChance
from pigglesim.site.kept import kept_matches
from pigglesim.site.table import PageData, PageGame, PageTable
from pigglesim.table.puzzles import all_puzzles, puzzle_numbers

_GAME = {
    "name": "piggy_six",
    "chances": ["fair"],
    "agents": ["hold"],
    "levels": [{"agent": "hold:at=20"}],
    "rules": [{"name": "target"}],
}
_WISH = {"do": "new", "game": "piggy_six", "players": ["human", "hold"], "seed": "5"}


def _table() -> PageTable:
    data = PageData(
        welcome={"games": [_GAME]},
        games={"piggy_six": PageGame(stage=None, markings={}, rules=("", ""))},
        odds=load_odds("piggle"),
        radius=0.0,
        origin={},
    )
    return PageTable(data, lambda _: "")


def _say(page: PageTable, /, **wish: Any) -> list[dict[str, Any]]:
    return list(json.loads(page.hear(json.dumps(wish))))


def _faults(answers: list[dict[str, Any]]) -> list[str]:
    return [each["text"] for each in answers if each["is"] == "fault"]


def _kept(**wish: Any) -> dict[str, Any]:
    """Return a match of two decisions as a page stores it."""
    table = _table()
    (kept,) = (each for each in _say(table, **_WISH, **wish) if each["is"] == "keep")
    return {**kept, "actions": ["roll", "roll"]}


def test_a_damaged_match_is_dropped_and_the_others_stay() -> None:
    good, name = _kept(), _kept()["row"]
    damaged = [
        {"table": "x"},
        None,
        [],
        {**good, "table": ["x"]},
        {**good, "wish": "new"},
        {**good, "wish": {"do": "stop"}},
        {**good, "actions": [None]},
        {**good, "row": {**name, "table": good["table"], "seconds": "now"}},
        {**good, "row": {**good["row"], "seconds": 1e300}},
        {**good, "row": {**good["row"], "table": "another"}},
    ]
    table = _table()
    assert _faults(_say(table, do="kept", matches=[*damaged, good])) == []
    (listed,) = _say(table, do="matches")
    assert listed["matches"] == [good["row"]]
    for junk in (None, {}, "", 5):
        assert kept_matches(junk) == {}


@pytest.mark.parametrize(
    ("wish", "problem"),
    [
        ({"players": ["human", "cmd:echo"]}, "unknown player of piggy_six 'cmd:echo'"),
        ({"players": ["os:system", "human"]}, "unknown player of piggy_six 'os:system'"),
        ({"players": [["human"], "hold"]}, "unknown player of piggy_six"),
        ({"chance": "physical"}, "unknown chance of piggy_six 'physical'"),
        ({"rules": {"line_rule": "in"}}, "unknown house rule of piggy_six 'line_rule'"),
        ({"game": "os:system"}, "unknown game 'os:system'"),
    ],
)
def test_a_page_and_what_it_stores_choose_from_lists(wish: Any, problem: str) -> None:
    table, good = _table(), _kept()
    (fault,) = _faults(_say(table, **{**_WISH, **wish}))
    assert fault.startswith(problem)
    _say(table, do="kept", matches=[{**good, "wish": {**good["wish"], **wish}}])
    (fault,) = _faults(_say(table, do="open", table=good["table"]))
    assert fault.startswith(f"this match cannot go on: {problem}")
    assert fault.endswith("; begin another one") and fault.count(";") == 1
    assert table.matches == {}
    assert _faults(_say(table, **_WISH)) == []


@pytest.mark.parametrize(
    "change",
    [
        {"actions": ["roll", "nonsense"]},
        {"actions": ["roll"] * 500},
        {"wish": {**_WISH, "pace": {}}},
        {"wish": {**_WISH, "seed": []}},
        {"wish": {**_WISH, "players": 5}},
        {"wish": {**_WISH, "players": ["human"] * 40}},
        {"wish": {**_WISH, "rules": {"target": []}}},
    ],
)
def test_a_match_that_cannot_go_on_leaves_nothing(change: Any) -> None:
    table, good = _table(), _kept()
    _say(table, do="kept", matches=[{**good, **change}])
    (fault,) = _faults(_say(table, do="open", table=good["table"]))
    assert fault.startswith("this match cannot go on: ") and fault.count(";") == 1
    assert table.matches == {}


def test_a_match_that_is_right_goes_on() -> None:
    table, good = _table(), _kept()
    _say(table, do="kept", matches=[good])
    assert _faults(_say(table, do="open", table=good["table"])) == []
    actions = [e.action for e in table.matches[good["table"]].session.record().decisions]
    assert actions[:2] == ["roll", "roll"]


def test_a_name_is_only_a_name() -> None:
    table = _table()
    assert _say(table, do="name", name="Ann") == [{"is": "named", "name": "Ann"}]
    for name in ("<b>", "a" * 25, "a\nb", ["Ann"], 5):
        (fault,) = _faults(_say(table, do="name", name=name))
        assert fault.startswith("that is not the name of a person (expected at most 24 ")
        assert table.name == "Ann"
    assert _say(table, do="name", name="") == [{"is": "named", "name": ""}]


def test_throws_that_are_played_again_leave_no_films() -> None:
    """The engine gives its films in order, so one that is not shown would stand for the next."""
    filmed: list[bool] = []

    class Played:
        awaited: Seat | None = None
        game = SimpleNamespace(parse_action=str)
        chance = PageChance(
            scene=load_scene("piggles_classic"),
            seed=1,
            radius=0.01,
            origin={},
            engine=lambda _: "",
            show=lambda _: None,
        )

        def next_event(self) -> None:
            filmed.append(self.chance.filmed)

        def play(self, _: None) -> None:
            self.awaited = Seat.A

        def decide(self, _: str) -> None:
            self.awaited = None

    session: Any = Played()
    PageTable._play_again(session, ["load A1", "load A2"])
    assert filmed == [False, False]
    assert session.chance.filmed


@pytest.fixture
def numbered(monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the number of a puzzle of `_GAME`, for a page that has all puzzles."""
    number = puzzle_numbers("piggy_six")[0]
    data = {"puzzles": all_puzzles(), "reasons": {number: ""}}
    monkeypatch.setitem(sys.modules, "page_puzzles", cast("ModuleType", SimpleNamespace(DATA=data)))
    return number


def test_a_puzzle_that_is_over_offers_no_rematch_to_a_person_of_another_name(
    numbered: int,
) -> None:
    table = _table()
    opened, *_ = _say(table, do="puzzle", number=numbered)
    _say(table, do="decide", table=opened["table"], at=0, choice=0)
    answers = _say(table, do="name", name="Ann")
    assert [each["is"] for each in answers] == ["named", "state"]
    assert answers[-1]["over"]


@pytest.mark.parametrize("number", ["abc", "1", 2.5, True, [1], 0, 100_000])
def test_what_is_no_number_of_a_puzzle_is_refused_in_one_line(numbered: int, number: Any) -> None:
    (answer,) = _say(_table(), do="puzzle", number=number)
    assert answer["is"] == "fault"
    assert answer["text"].startswith(f"no puzzle {number!r} (expected ")
    assert answer["text"].endswith("; use another number")
