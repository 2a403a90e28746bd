"""Matches by link in a page without a server, with its messages and what the page stores."""

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from pigglesim.api.analyse import analyse
from pigglesim.api.links import link_setup
from pigglesim.api.review_message import review_message
from pigglesim.chance.odds import load_odds
from pigglesim.match.correspondence import replayed
from pigglesim.match.links import LINK_GAMES, format_link, new_terms
from pigglesim.match.record import parse_record
from pigglesim.site.review import EFFORT
from pigglesim.site.table import PageData, PageGame, PageTable
from tests.support.link_matches import QUICK, quick_match
from tests.support.link_pages import LinkPage

_GAMES = [
    {
        "name": name,
        "chances": [QUICK[name]],
        "agents": ["greedy" if name != "piggy_six" else "hold"],
        "levels": [],
        "rules": [{"name": "target"}],
    }
    for name in LINK_GAMES
]
_DATA = PageData(
    welcome={"games": _GAMES},
    games={name: PageGame(stage=None, markings={}, rules=("", "")) for name in LINK_GAMES},
    odds=load_odds("piggle"),
    radius=0.0,
    origin={},
)


def _no_engine(throw: str) -> str:
    raise NotImplementedError(throw)


class Page(LinkPage):
    """A page with tables without an engine."""

    def __init__(self, name: str) -> None:
        super().__init__(name, lambda: PageTable(_DATA, _no_engine))


def begin(page: Page, game: str = "piggles_classic", seat: str = "A", **more: Any) -> None:
    page.send({"do": "new_by_link", "game": game, "seat": seat, "chance": QUICK[game], **more})


@pytest.mark.parametrize(
    ("game", "rules"), [("piggles_classic", {}), ("piggy_six", {"target": 20})]
)
def test_two_pages_play_to_the_end_of_a_match(game: str, rules: dict[str, int]) -> None:
    random, ann, bob = Random(1), Page("Ann"), Page("Bob")
    begin(ann, game, rules=rules)
    text, turn, other = ann.play(random), bob, ann
    links = [text]
    while not turn.state.get("over"):
        if random.random() < 0.3:
            # A page can be closed and opened again.
            turn.reload()
        turn.open(text)
        text = turn.play(random) or text
        links.append(text)
        turn, other = other, turn
        if other.state["over"]:
            turn.open(text)
    assert other.state["over"]
    again = replayed(text, link_setup)
    assert again.fault is None and again.match is not None and again.match.over
    assert sorted(again.match.names().values()) == ["Ann", "Bob"]
    for page in (ann, bob):
        _expect_finished_match_stays(page, links)


def _expect_finished_match_stays(page: Page, links: list[str]) -> None:
    """Paste older links and a cut one: the list and a new visit have the whole match."""
    last, name = links[-1], page.state["table"]
    (memory,) = (json.loads(text) for text in page.stored.values())
    # The link that ends the match is one's own, or is remembered.
    assert last in {memory["sent"], memory["seen"]}
    for text in (links[0], links[-3], last[:-5]):
        page.open(text)
        assert page.state["table"] == name
        # An older link shows the match as it is now.
        assert page.state["over"] or text not in links
        page.send({"do": "open", "table": name})
        assert page.state["over"]
        (row,) = page.send({"do": "matches"})[0]["matches"]
        assert row["result"]
        (kept,) = page.kept.values()
        assert kept["wish"]["text"] == last
    page.reload()
    page.open(links[0])
    assert page.state["over"]
    assert [each["wish"]["text"] for each in page.kept.values()] == [last]


def test_the_list_says_whose_turn_it_is() -> None:
    ann, bob, random = Page("Ann"), Page("Bob"), Random(1)

    def title(page: Page) -> str:
        (row,) = page.send({"do": "matches"})[0]["matches"]
        return str(row["title"])

    begin(ann)
    assert title(ann) == "Piggles Classic by message: your turn"
    first = ann.play(random)
    assert title(ann) == "Piggles Classic by message: waits for your friend"
    bob.open(first)
    bob.play(random)
    assert title(bob) == "Piggles Classic by message: waits for Ann"


def test_a_rematch_by_link_keeps_the_seat_and_waits_for_the_end() -> None:
    page = Page("Ann")
    begin(page, "piggy_six", seat="B", rules={"target": 20})
    at = {"table": page.state["table"], "at": 0}
    (fault,) = page.send({"do": "ask", **at, "word": "rematch"})
    assert fault["text"] == "there is no rematch yet; finish this match first"
    bob, random, text = Page("Bob"), Random(4), page.state["by_link"]["answer"]
    while not page.state["over"]:
        bob.open(text)
        text = bob.play(random) or text
        page.open(text)
        text = page.play(random) or text
    page.send({"do": "ask", "table": page.state["table"], "at": 0, "word": "rematch"})
    assert not page.state["over"] and page.state["by_link"]["answer"]
    (person,) = page.table._shown.session.people
    assert person == "B"


def test_a_link_is_remembered_before_it_is_shown_and_has_a_code() -> None:
    page = Page("Ann")
    begin(page, base="https://a.example/")
    at = {"table": page.state["table"], "at": page.state["at"]}
    answers = page.send({"do": "ask", **at, "word": "skip"})
    kinds = [answer["is"] for answer in answers]
    shown = next(k for k, each in enumerate(answers) if each.get("by_link", {}).get("answer"))
    assert kinds.index("remember") < shown
    (sent,) = (json.loads(text)["sent"] for text in page.stored.values())
    assert answers[shown]["by_link"]["answer"] == sent
    assert answers[shown]["by_link"]["qr"].startswith("M0 0h1v1h-1z")
    assert page.state["by_link"]["awaits"] and not page.state["yours"]


def test_a_wrong_link_shows_what_was_right_and_a_line() -> None:
    random, ann, bob = Random(2), Page("Ann"), Page("Bob")
    begin(ann)
    bob.open(ann.play(random))
    text = bob.play(random)
    ann.open(text[:-3])
    assert ann.state["by_link"]["problem"].startswith("message 1: the link was cut")
    assert ann.state["at"] == 1 and not ann.state["yours"] and not ann.state["by_link"]["answer"]
    ann.open(text)
    assert not ann.state["by_link"]["problem"]
    for nonsense in ("", "x", "A" * 5000):
        (fault,) = Page("Eve").open(nonsense)[1:]
        assert fault["is"] == "fault" and "\n" not in fault["text"]


@pytest.mark.parametrize("reloaded", [False, True])
def test_an_older_link_shows_the_match_as_it_is_now(reloaded: bool) -> None:
    random, ann, bob = Random(2), Page("Ann"), Page("Bob")
    begin(ann)
    links = [ann.play(random)]
    for page in (bob, ann, bob, ann):
        page.open(links[-1])
        links.append(page.play(random))
    before, stored = ann.state, dict(ann.stored)
    for text in links:
        if reloaded:
            ann.reload()
        ann.open(text)
        assert ann.state == before
    assert ann.stored == stored


def test_a_match_by_link_is_saved_with_its_link() -> None:
    ann = Page("Ann")
    begin(ann)
    text, name = ann.play(Random(3)), ann.state["table"]
    ann.reload()
    ann.send({"do": "open", "table": name})
    assert ann.state["by_link"]["answer"] == text and ann.state["by_link"]["awaits"]


def test_a_review_of_a_match_by_link_is_that_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EFFORT, "piggles_classic", (5, 5))
    random, turn, other = Random(2), Page("Ann"), Page("Bob")
    begin(turn)
    text = turn.play(random)
    while not turn.state["over"]:
        turn, other = other, turn
        turn.open(text)
        text = turn.play(random) or text
    at = {"table": turn.state["table"]}
    (asked,) = turn.send({"do": "review", **at})
    # Another worker has nothing of the match but the message.
    analyst = PageTable(_DATA, _no_engine)
    assert json.loads(analyst.hear(json.dumps(asked["wish"]))) == []
    while (answer := json.loads(analyst.step())[0])["is"] == "progress":
        pass
    record = parse_record(turn.send({"do": "file", **at})[0]["text"])
    ours = analyse(record, agent="mcts:nodes=5:code=rules", playouts=5, seed=1)
    assert answer == json.loads(json.dumps(review_message(ours)))


def test_a_throw_of_a_hand_is_not_offered() -> None:
    page = Page("Ann")
    begin(page)
    at = {"table": page.state["table"], "at": page.state["at"], "piggles": ["A1"]}
    (prepared,) = page.send({"do": "prepare_load", **at})
    assert prepared["kit"] is None


@pytest.mark.parametrize("game", LINK_GAMES)
def test_links_of_python_replay_in_a_page_to_the_bit(game: str) -> None:
    table, random = PageTable(_DATA, _no_engine), Random(5)
    for _ in range(3):
        match = quick_match(game, QUICK[game], random=random)
        again = replayed(format_link(match.link()), table._set_up)
        assert again.fault is None and again.match is not None
        assert repr(again.match.progress.entries) == repr(match.progress.entries)


def test_what_the_page_has_not_is_refused_in_a_line() -> None:
    table = PageTable(_DATA, _no_engine)
    match = quick_match("piggles_classic", "tabular", random=Random(1))
    for terms in (
        new_terms("piggles_classic", rules={}, chance="tabular", teams=("premium", "")),
        new_terms("piggles_classic", rules={}, chance="physical"),
        new_terms("piggy_six", rules={"players": 3}, chance="fair"),
    ):
        match.terms = replace(terms, data=bytes(8))
        fault = replayed(format_link(match.link()), table._set_up).fault
        assert fault is not None and str(fault).startswith("message 1: ")


@pytest.mark.parametrize(("game", "players"), [("piggles_classic", 3), ("piggy_six", 9)])
def test_a_match_has_as_many_players_as_its_game(game: str, players: int) -> None:
    wish = {"do": "new", "game": game, "players": ["human"] * players}
    (answer,) = json.loads(PageTable(_DATA, _no_engine).hear(json.dumps(wish)))
    assert answer["is"] == "fault"
    assert f"is not for {players} players" in answer["text"]
